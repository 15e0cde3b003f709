"""Learns both shipped metrics from judgements and from damaged summaries, and measures them (LEARNING section 1).

    python benchmarks/learned_metric.py --data ../shared/data --train 8 --limit 12 --save eval/metrics/examinee/shipped
    python benchmarks/learned_metric.py --data ../shared/data --limit 100 --shipped

The second command puts the metrics that come with SummQ to the gates, and names each wrong pair. The data folder holds
`reports`, `stories` and `judgements`. Features are kept in the output folder, so that a run that was stopped goes on,
and one with a higher limit adds documents. Nothing is chosen on the test splits.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from agreement_table import agreement_table, gates_table, paired_table

from summq.eval.data import Row, load_rows
from summq.eval.metrics.bertscore import BertScore
from summq.eval.metrics.examinee import AgreementRecord, ExamineeMetric, GateRecord, described
from summq.eval.metrics.examinee.metric import SHIPPED, SHIPPED_WITH_REFERENCES
from summq.eval.metrics.rouge import Rouge
from summq.optimizers.learned_metric import (
    Measure,
    MetricPlan,
    MetricTrainer,
    cross_validated,
    learn_metric,
    measure,
    run_gates,
)
from summq.optimizers.learned_metric.agreement import scored_by
from summq.optimizers.learned_metric.judgements import read_judgements
from summq.optimizers.learned_metric.learning import FeatureStore, gates_of
from summq.optimizers.learned_metric.training import WITH_REFERENCES, WITHOUT_REFERENCES
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.optimizers.planted.gates import gate_pairs
from summq.programs.runtime.session import session

DOMAINS = ("reports", "stories")
SPLITS = ("dev", "test")
OF_ONE_FAMILY = ("word_length", "word_variety")
"""Features by which the judged machine answers differ from people's whatever they say."""
METRICS = {"without_references": WITHOUT_REFERENCES, "with_references": WITH_REFERENCES}


def main() -> None:
    """Learn, measure, save the metrics, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument(
        "--train", type=int, default=8, help="documents of each train split whose summaries are damaged"
    )
    parser.add_argument("--limit", type=int, default=12, help="documents of each dev and test split")
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/learned-metric"))
    parser.add_argument("--save", type=Path, help="where to save the metrics")
    parser.add_argument("--shipped", action="store_true", help="only the gates, of the metrics that come with SummQ")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with session("offline", concurrency=given.concurrency):
        parts = [shipped(given)] if given.shipped else [*(learned(name, given) for name in METRICS), people(given)]
    report = "\n\n".join(parts) + "\n"
    (given.out / "report.md").write_text(report, "utf-8")
    print(report)


def shipped(given: argparse.Namespace) -> str:
    """What the metrics that come with SummQ reach at the gates, on all rows, and the pairs that they order wrong."""
    store = FeatureStore.of(MetricPlan("gates", [], {}, given.out, references=True))
    scores = {
        path.name: scored_by(ExamineeMetric.load(path).learned, store) for path in (SHIPPED, SHIPPED_WITH_REFERENCES)
    }
    records: dict[str, list[GateRecord]] = {name: [] for name in scores}
    wrong = list[str]()
    for split in SPLITS:
        by_domain = {domain: gates_of(rows(given, domain, split, given.limit)) for domain in DOMAINS}
        both = [item for items in by_domain.values() for item in items]
        for name, score in scores.items():
            for title, items in {"both": both, **by_domain}.items():
                records[name].append(run_gates(f"{title}, {split}", items, score))
            for domain, items in by_domain.items():
                wrong += wrong_pairs(f"{name}: {domain}", items, score)
    tables = [f"## {name}\n\n{gates_table(found)}" for name, found in records.items()]
    return "\n\n".join([*tables, f"{len(wrong)} wrong pairs:", "\n".join(wrong)])


def wrong_pairs(title: str, items: Sequence[Candidates], score: Measure) -> list[str]:
    """Each pair of which the damaged summary is not scored below the better one."""
    return [
        f"- {title} {item.row.id}: {gate}, {worse.kind} {low:.3f} against {better.kind} {high:.3f}"
        for item in items
        for gate, better, worse in gate_pairs(item)
        if (low := score(item, worse) or 0.0) >= (high := score(item, better) or 0.0)
    ]


def learned(name: str, given: argparse.Namespace) -> str:
    """Learn one of the metrics and describe it."""
    plan = MetricPlan(
        name="judgements of stories, gates on reports and stories (train)",
        train=[row for domain in DOMAINS for row in rows(given, domain, "train", given.train)],
        held_out={
            f"reports and stories, {split}": [row for d in DOMAINS for row in rows(given, d, split, given.limit)]
            for split in SPLITS
        },
        folder=given.out,
        judgements=given.data / "judgements" / "stories.jsonl",
        references=name == "with_references",
    )
    metric = learn_metric(plan, print)
    if given.save:
        metric.save(given.save / name)
    score = scored_by(metric.learned, FeatureStore.of(plan))
    gates = [
        run_gates(f"{domain}, {split}", gates_of(rows(given, domain, split, given.limit)), score)
        for split in SPLITS
        for domain in DOMAINS
    ]
    return f"## {name}\n\n{described(metric.learned)}\n\n{gates_table([*metric.learned.gates, *gates])}"


def people(given: argparse.Namespace) -> str:
    """Agreement with people, each story by weights fitted without it: the metrics, their parts, and other measures."""
    graded = read_judgements(given.data / "judgements" / "stories.jsonl")
    train = [row for domain in DOMAINS for row in rows(given, domain, "train", given.train)]
    plan = MetricPlan("people", train, {}, given.out, references=True)
    store = FeatureStore.of(plan)
    trainer = MetricTrainer(graded, store, "people", gates_of(train))
    measures: dict[str, Measure] = {
        **{name: cross_validated(trainer, names) for name, names in METRICS.items()},
        **{title: cross_validated(trainer, names) for title, names in ablations().items()},
        **others(),
        **{f"{name} alone": feature(store, name) for name in WITH_REFERENCES},
    }
    record: AgreementRecord = measure("people on answers about stories", graded, measures)
    pairs = [(name, other) for name in METRICS for other in others()]
    return "\n\n".join([agreement_table(record), paired_table(graded, measures, pairs)])


def ablations() -> dict[str, Sequence[str]]:
    """The metrics without parts of their features."""
    found: dict[str, Sequence[str]] = {}
    for name, names in METRICS.items():
        found[f"{name} less word_length and word_variety"] = [n for n in names if n not in OF_ONE_FAMILY]
        for left_out in names:
            found[f"{name} less {left_out}"] = [n for n in names if n != left_out]
    return found


def others() -> Mapping[str, Measure]:
    """Measures that learn nothing; with several references the best one counts."""
    rouge, bertscore = Rouge(("rouge1",)), BertScore()
    kept: dict[tuple[str, tuple[str, ...]], Mapping[str, float | None]] = {}

    def bert(column: str) -> Measure:
        def score(item: Candidates, candidate: Candidate) -> float | None:
            key = (candidate.text, item.row.references)
            if key not in kept:
                kept[key] = bertscore.score(candidate.text, item.row).values
            return kept[key][column]

        return score

    return {
        "ROUGE-1": lambda item, candidate: rouge.score(candidate.text, item.row).values["rouge1"],
        "BERTScore F1": bert("bertscore_f1"),
        "BERTScore recall": bert("bertscore_r"),
        "length": lambda item, candidate: float(len(candidate.text.split())),
    }


def feature(store: FeatureStore, name: str) -> Callable[[Candidates, Candidate], float]:
    """One feature by itself, unfitted."""
    return lambda item, candidate: store(item.row.document, candidate.text, item.row.references)[name]


def rows(given: argparse.Namespace, domain: str, split: str, limit: int) -> list[Row]:
    """The first rows of a split."""
    return list(load_rows(str(given.data / domain), split))[:limit]


if __name__ == "__main__":
    main()
