"""DeepEval's SummarizationMetric over several summaries at once, as its `evaluate` does it: a score for each.

Run by `exam.py --deepeval PYTHON` with the interpreter of an environment in which `deepeval` is installed. In: JSON on
stdin, {url: base of an OpenAI-compatible API, document: text, summaries: [text]}. Out: JSON on stdout, the scores.
"""

import asyncio
import json
import sys
from contextlib import redirect_stdout
from typing import Any


async def scores(url: str, document: str, summaries: list[str]) -> list[float]:
    """The scores, 0 to 1, with the metric as it comes."""
    from deepeval.metrics import SummarizationMetric  # type: ignore[import-not-found]
    from deepeval.models import LocalModel  # type: ignore[import-not-found]
    from deepeval.test_case import LLMTestCase  # type: ignore[import-not-found]

    async def one(summary: str) -> float:
        metric = SummarizationMetric(model=LocalModel("simulated", "none", url))
        case = LLMTestCase(input=document, actual_output=summary)
        return float(await metric.a_measure(case, _show_indicator=False))

    return list(await asyncio.gather(*map(one, summaries)))


def main() -> None:
    """Score what stands on stdin."""
    asked: dict[str, Any] = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):
        made = asyncio.run(scores(**asked))
    print(json.dumps(made))


if __name__ == "__main__":
    main()
