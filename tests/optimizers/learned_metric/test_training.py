"""A metric that is learned orders summaries, says why, and is the same wherever it is loaded."""

import copy
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import dspy
import numpy as np
import pytest

from summq.eval.data import Row
from summq.eval.metrics import Metric
from summq.eval.metrics.examinee import ExamineeMetric
from summq.eval.metrics.examinee.features import EXAM_FEATURES, Features
from summq.eval.metrics.examinee.metric import Observer
from summq.optimizers.learned_metric import GradedCandidates, MetricTrainer, cross_validated, measure
from summq.optimizers.learned_metric.weights import Preferences, fit_weights
from summq.optimizers.planted.candidates import Candidate, Candidates
from summq.optimizers.planted.summaries import damage
from summq.programs import SummQ
from summq.programs.errors import DataError
from summq.programs.examine import Examinee, ExamOutcome
from summq.programs.runtime.session import session
from summq.signatures import Document, Exam, QuestionCounts
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD, ORCHARD_REFERENCE

FEW = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    with session("offline", cache_dir=""):
        yield


def graded(row: Row, other: Row) -> GradedCandidates:
    """A human summary, the damaged versions of it, and the beginning of the document, from good to bad."""
    human = row.references[0]
    found = [Candidate("reference", human, human=True)]
    for kind in ("changed_number", "swapped_entity", "dropped_sentence", "truncation"):
        damaged = damage(human, kind, random.Random(0))
        assert damaged is not None
        found.append(Candidate(kind, damaged.text, "reference"))
    found += [
        Candidate("lead", " ".join(row.document.text.split()[:100])),
        Candidate("other", other.references[0], "reference"),
        Candidate("empty", "", "reference"),
    ]
    scores = tuple(1 - n / len(found) for n in range(len(found)))
    return GradedCandidates(Candidates(row, tuple(found)), scores)


NAMES = (
    *EXAM_FEATURES,
    *("vocabulary", "grounded", "unreversed", "own_words", "facts_in_context", "word_order", "unrepeated"),
)


def trainer(examinee: Examinee | None = None) -> MetricTrainer:
    """Two rows, seen by an observer of its own."""
    observer = Observer(FEW, 0, None, examinee=examinee)

    def features(document: Document, summary: str, references: Sequence[str]) -> Features:
        return observer.observe(document, summary, NAMES, references).features

    return MetricTrainer(GRADED, features, "two rows", questions=FEW, examinee=examinee)


GRADED = (graded(HARBOUR, ORCHARD), graded(ORCHARD, HARBOUR))


@pytest.fixture(scope="module")
def metric() -> ExamineeMetric:
    with session("offline", cache_dir=""):
        return trainer().learn(NAMES)


@pytest.mark.slow
def test_learns_the_order_of_summaries(metric: ExamineeMetric) -> None:
    reached = measure("same", GRADED, {"examinee": lambda item, c: metric.value(item.row.document, c.text)})
    assert (reached.documents, reached.summaries) == (2, 16)
    figures = reached.measures["examinee"]
    assert figures.tau.mean is not None
    assert figures.tau.mean > 0.5
    assert figures.damaged is not None
    assert figures.damaged.mean is not None
    assert figures.damaged.mean > 0.9


def test_a_figure_of_one_document_has_no_interval() -> None:
    reached = measure("one", GRADED[:1], {"length": lambda item, c: float(len(c.text)), "none": lambda item, c: 0.0})
    assert "[" not in reached.line("length")
    assert reached.line("none") == "- on 1 documents"


@pytest.mark.slow
def test_the_same_data_teach_the_same(metric: ExamineeMetric) -> None:
    assert trainer().learn(NAMES).learned == metric.learned


def test_no_feature_counts_against_its_direction(metric: ExamineeMetric) -> None:
    assert metric.learned.weights.keys() <= set(NAMES)
    assert all(weight >= 0 for name, weight in metric.learned.weights.items() if name != "own_words")


@pytest.mark.slow
def test_planted_pairs_teach_where_nothing_is_graded() -> None:
    ungraded = [replace(item, scores=(None,) * len(item.scores)) for item in GRADED]
    learned = replace(trainer(), graded=ungraded).learn(NAMES)
    for item in GRADED:
        good, false = (c.text for c in item.candidates.candidates if c.kind in ("reference", "swapped_entity"))
        assert learned.value(item.candidates.row.document, good) > learned.value(item.candidates.row.document, false)


def test_more_than_human_summaries_reach_counts_no_more(metric: ExamineeMetric) -> None:
    enough = metric.learned.enough
    at, above = ({name: enough.get(name, 0.0) + more for name in metric.learned.weights} for more in (0.0, 1.0))
    gained = {n for n, share in metric.learned.shares(above).items() if share != metric.learned.shares(at)[n]}
    assert gained <= {"own_words"}


@pytest.mark.slow
def test_cross_validation_scores_each_document_by_the_others() -> None:
    reached = measure("cross", GRADED, {"examinee": cross_validated(trainer(), NAMES)})
    assert reached.summaries == 16
    without = trainer().without("harbour")
    assert [item.candidates.row.id for item in without.graded] == ["orchard"]


def test_scores_lie_between_0_and_1_and_an_empty_summary_scores_0(metric: ExamineeMetric) -> None:
    wrong, right = (metric.value(HARBOUR.document, text) for text in (ORCHARD_REFERENCE, HARBOUR_REFERENCES[0]))
    assert 0 < wrong < right < 1
    assert metric.value(HARBOUR.document, "  ") == 0


def test_is_a_metric_of_dspy(metric: ExamineeMetric) -> None:
    gold = dspy.Example(document=HARBOUR.document)
    good, bad = (dspy.Prediction(summary=text) for text in (HARBOUR_REFERENCES[0], "Rain."))
    score = metric(gold, good)
    assert isinstance(score, float)
    assert metric(gold, bad) < score
    assert metric(gold, bad, trace=[]) is False
    told = metric(gold, bad, None, "draft", None)
    assert told.score == metric(gold, bad)
    assert dspy.Evaluate(devset=[gold.with_inputs("document")], metric=metric)(
        _Always(HARBOUR_REFERENCES[0])
    ).score == pytest.approx(100 * score, abs=0.01)


def test_feedback_names_what_is_wrong_but_no_key(metric: ExamineeMetric) -> None:
    false = HARBOUR_REFERENCES[0].replace("14 February 2017", "3 May 1871")
    rating = metric.rate(HARBOUR.document, false)
    assert "1871" in rating.feedback
    assert rating.observation is not None
    assert rating.observation.exam is not None
    failed = [a for a in rating.observation.exam.scored if not a.correct]
    assert all(answer.question in rating.feedback for answer in failed[:1])
    for line in rating.observation.remarks():
        assert not line.startswith("Somebody") or "Answer:" not in line
    assert metric.rate(HARBOUR.document, "").feedback == "The summary is empty."


def test_is_a_metric_of_eval(metric: ExamineeMetric) -> None:
    usable: Metric = metric
    found = usable.score(HARBOUR_REFERENCES[0], HARBOUR)
    assert found.values == {"examinee": metric.value(HARBOUR.document, HARBOUR_REFERENCES[0])}
    assert found.details.keys() == metric.learned.weights.keys()
    assert metric.describe()["fitted on"] == "two rows"


def test_a_lost_examinee_is_unscored_not_zero(metric: ExamineeMetric) -> None:
    lost = ExamineeMetric(metric.learned)
    lost.observer.examinee = _Silent()  # type: ignore[assignment]
    found = lost.score(HARBOUR_REFERENCES[0], HARBOUR)
    assert found.values == {"examinee": None}
    assert found.reason
    assert "no answer could be scored" in found.reason


def test_never_looks_at_references(metric: ExamineeMetric) -> None:
    bare = Row(HARBOUR.id, HARBOUR.document)
    assert metric.score(HARBOUR_REFERENCES[0], bare) == metric.score(HARBOUR_REFERENCES[0], HARBOUR)


def test_saved_and_loaded_it_gives_the_same_scores(metric: ExamineeMetric, tmp_path: Path) -> None:
    metric.save(tmp_path / "metric")
    assert [path.name for path in (tmp_path / "metric").iterdir()] == ["metric.json"]
    loaded = ExamineeMetric.load(tmp_path / "metric", quizzes=tmp_path / "quizzes")
    assert loaded.learned == metric.learned
    one, other = (each.value(HARBOUR.document, HARBOUR_REFERENCES[1]) for each in (loaded, metric))
    assert one == other
    (kept,) = (tmp_path / "quizzes").glob("*.json")
    assert kept.name.startswith(HARBOUR.document.key)


@pytest.mark.parametrize("content", [None, "nonsense", json.dumps({"schema": 1})])
def test_what_is_no_metric_is_refused_in_one_line(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "metric.json").write_text(content)
    with pytest.raises(DataError, match=r"metric\.json") as caught:
        ExamineeMetric.load(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_metric_with_other_features_is_refused(metric: ExamineeMetric, tmp_path: Path) -> None:
    stored = metric.learned.model_copy(update={"weights": {"charm": 1.0}})
    ExamineeMetric(stored).save(tmp_path)
    with pytest.raises(DataError, match="another version"):
        ExamineeMetric.load(tmp_path)


@pytest.mark.slow
def test_compiled_prompts_of_the_examinee_are_kept(tmp_path: Path) -> None:
    examinee = SummQ.preset("solo").examinee
    signature = examinee.closed_book.signature
    examinee.closed_book.signature = signature.with_instructions("Answer from the summary, briefly.")
    trainer(examinee).learn(NAMES).save(tmp_path)
    loaded = ExamineeMetric.load(tmp_path).observer.examinee
    assert loaded.closed_book.signature.instructions == "Answer from the summary, briefly."


@pytest.mark.slow
def test_learns_from_some_of_the_features_and_computes_no_other() -> None:
    names = ("vocabulary", "own_words")
    learned = trainer().learn(names)
    assert learned.learned.weights.keys() <= set(names)
    assert not learned.learned.uses_exam


@pytest.mark.slow
def test_a_metric_without_the_exam_makes_no_call() -> None:
    bare = trainer().learn(("vocabulary", "facts_in_context"))
    with session("offline", cache_dir="") as running:
        assert bare.value(HARBOUR.document, HARBOUR_REFERENCES[0]) > 0
        assert running.meter.usage().calls == 0


def test_nothing_to_learn_from_is_said(metric: ExamineeMetric) -> None:
    alone = GradedCandidates(Candidates(HARBOUR, (Candidate("reference", HARBOUR_REFERENCES[0]),)), (1.0,))
    with pytest.raises(DataError, match="no two summaries"):
        replace(trainer(), graded=[alone]).learn(NAMES)


def test_copies_share_the_quizzes(metric: ExamineeMetric) -> None:
    assert copy.deepcopy(metric) is metric


@pytest.mark.slow
def test_chooses_the_iteration_that_a_program_returns(metric: ExamineeMetric) -> None:
    metric = ExamineeMetric(metric.learned.model_copy(update={"enough": {}}))  # else both may have enough of all
    program = SummQ.preset("solo", max_iterations=2, questions=FEW, return_iteration="best", accept_accuracy=None)
    program.scorer = lambda document, summary: -metric.value(document, summary)
    worst = program(document=HARBOUR.document).result
    program.scorer = metric.scorer()
    best = program(document=HARBOUR.document).result
    values = [metric.value(HARBOUR.document, iteration.summary) for iteration in best.iterations]
    assert len(set(values)) == 2
    assert (values[best.returned], values[worst.returned]) == (max(values), min(values))


def test_weights_recover_a_known_order() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(400, 3))
    differences *= np.sign(differences @ [2.0, 1.0, 0.0])[:, None]
    fit = fit_weights(Preferences(differences, np.ones(400)), ("a", "b", "c"), ())
    assert fit[0] > fit[1] > abs(fit[2])


def test_a_weight_of_the_wrong_sign_is_left_out_unless_it_may_go_either_way() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(400, 2))
    differences *= np.sign(differences @ [1.0, -1.0])[:, None]
    preferences = Preferences(differences, np.ones(400))
    assert fit_weights(preferences, ("a", "b"), ())[1] == 0
    assert fit_weights(preferences, ("a", "b"), {"b"})[1] < 0


class _Always(dspy.Module):
    def __init__(self, summary: str) -> None:
        super().__init__()
        self.summary = summary

    def forward(self, document: object) -> dspy.Prediction:
        return dspy.Prediction(summary=self.summary)


class _Silent:
    def __call__(self, quiz: object, summary: str) -> ExamOutcome:
        return ExamOutcome(exam=Exam(answers=[]), lost=[])
