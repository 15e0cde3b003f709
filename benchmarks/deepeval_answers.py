"""What a model would answer DeepEval's SummarizationMetric, by rules over sentences.

The lengths of replies make up much of the cost: so many truths of a document as are given here, each sentence of a
summary as a claim, five questions, and a reason for each claim that is not among the truths.
"""

import ast
import json
import re

from dspy.lm15 import Request
from provider import Answer

from summq.programs.text.sentences import split_sentences

QUESTIONS = 5
ASKS = "Does the text say: "
FIELD = re.compile(r"^(?:(Text|AI Output|Questions|Original Text|Summary Claims):|JSON:$)", re.MULTILINE)


def deepeval_answer(truths: int) -> Answer:
    """Answers to the metric's prompts, with so many truths of the document."""

    def answer(request: Request) -> str:
        prompt = request.messages[-1].text or ""
        fields = _fields(prompt)
        text = fields.get("Text", "")
        if '"truths" key' in prompt:
            return json.dumps({"truths": _spread(split_sentences(text), truths)})
        if '"claims" key' in prompt:
            return json.dumps({"claims": split_sentences(fields["AI Output"])})
        if "'questions' key" in prompt:
            asked = [f"{ASKS}{told}?" for told in _spread(split_sentences(text), QUESTIONS)]
            return json.dumps({"questions": asked})
        if "'answers' key" in prompt:
            asked = [
                question.removeprefix(ASKS).removesuffix("?") for question in ast.literal_eval(fields["Questions"])
            ]
            return json.dumps({"answers": ["yes" if told in text else "no" for told in asked]})
        if "'verdicts' key" in prompt:
            return json.dumps({"verdicts": _verdicts(fields["Original Text"], fields["Summary Claims"])})
        return json.dumps({"reason": "The score is what it is because some of the questions can't be answered."})

    return answer


def _fields(prompt: str) -> dict[str, str]:
    """What stands under the headings that close a prompt, behind its examples."""
    matches = list(FIELD.finditer(prompt))
    ends = [match.start() for match in matches[1:]] + [len(prompt)]
    return {m.group(1): prompt[m.end() : end].strip() for m, end in zip(matches, ends, strict=True) if m.group(1)}


def _verdicts(truths: str, claims: str) -> list[dict[str, str]]:
    unsaid = {"verdict": "borderline", "reason": "The original text does not mention this."}
    return [{"verdict": "yes"} if claim in truths else unsaid for claim in ast.literal_eval(claims)]


def _spread(items: list[str], number: int) -> list[str]:
    """So many of the items, at even distances."""
    number = min(number, len(items))
    return [items[len(items) * place // number] for place in range(number)]


__all__ = ["deepeval_answer"]
