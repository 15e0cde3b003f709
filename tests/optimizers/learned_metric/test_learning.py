"""The learned metric orders summaries, says why, and is the same wherever it is loaded."""

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path

import dspy
import numpy as np
import pytest

from summq.eval.data import Row
from summq.eval.metrics import Metric
from summq.eval.metrics.examinee import FEATURES, ExamineeMetric
from summq.optimizers.learned_metric import GradedPool, Lesson, measure
from summq.optimizers.learned_metric.learning import ordered_pairs
from summq.optimizers.learned_metric.weights import Preferences, fit_weights
from summq.optimizers.planted.candidates import Candidate, Pool
from summq.optimizers.planted.summaries import damage
from summq.programs import SummQ
from summq.programs.errors import DataError
from summq.programs.examine import ExamOutcome
from summq.programs.runtime.session import session
from summq.signatures import Exam, QuestionCounts
from tests.optimizers.domain import HARBOUR, HARBOUR_REFERENCES, ORCHARD, ORCHARD_REFERENCE

FEW = QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)


@pytest.fixture(autouse=True)
def offline() -> Iterator[None]:
    with session("offline", cache_dir=""):
        yield


def graded(row: Row, other: Row) -> GradedPool:
    """A human summary, the damaged versions of it, and the beginning of the document, from good to bad."""
    human = row.references[0]
    found = [Candidate("reference", human)]
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
    return GradedPool(Pool(row, tuple(found)), scores)


POOLS = (graded(HARBOUR, ORCHARD), graded(ORCHARD, HARBOUR))


@pytest.fixture(scope="module")
def metric() -> ExamineeMetric:
    with session("offline", cache_dir=""):
        return Lesson(POOLS, "two rows", questions=FEW).learn()


def test_learns_the_order_of_summaries(metric: ExamineeMetric) -> None:
    reached = measure("same", POOLS, {"examinee": lambda pool, c: metric.value(pool.row.document, c.text)})
    assert (reached.documents, reached.summaries) == (2, 16)
    figures = reached.measures["examinee"]
    assert figures.tau.mean is not None
    assert figures.tau.mean > 0.5
    assert figures.damaged is not None
    assert figures.damaged.mean is not None
    assert figures.damaged.mean > 0.9


def test_a_figure_of_one_document_has_no_interval() -> None:
    reached = measure("one", POOLS[:1], {"length": lambda pool, c: float(len(c.text)), "none": lambda pool, c: 0.0})
    assert "[" not in reached.line("length")
    assert reached.line("none") == "- on 1 documents"


def test_the_same_lesson_teaches_the_same(metric: ExamineeMetric) -> None:
    assert Lesson(POOLS, "two rows", questions=FEW).learn().learned == metric.learned


def test_no_feature_counts_against_its_direction(metric: ExamineeMetric) -> None:
    assert list(metric.learned.weights) == list(FEATURES)
    assert all(weight >= 0 for name, weight in metric.learned.weights.items() if name != "own_words")


def test_planted_pairs_are_ordered_by_what_was_planted() -> None:
    graded_wrongly = GradedPool(POOLS[0].pool, tuple(reversed(POOLS[0].scores)))
    pairs = {(pair.better, pair.worse): pair.counts for pair in ordered_pairs(graded_wrongly)}
    assert pairs["reference", "truncation"] > pairs["lead", "reference"]
    assert ("truncation", "reference") not in pairs


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
    failed = [a for a in rating.observation.exam.scored if not a.correct]
    assert all(answer.question in rating.feedback for answer in failed[:1])
    for line in rating.observation.remarks():
        assert not line.startswith("Somebody") or "Answer:" not in line
    assert metric.rate(HARBOUR.document, "").feedback == "The summary is empty."


def test_is_a_metric_of_eval(metric: ExamineeMetric) -> None:
    usable: Metric = metric
    found = usable.score(HARBOUR_REFERENCES[0], HARBOUR)
    assert found.values == {"examinee": metric.value(HARBOUR.document, HARBOUR_REFERENCES[0])}
    assert found.details.keys() == FEATURES.keys()
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
    (kept,) = (tmp_path / "quizzes").iterdir()
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


def test_compiled_prompts_of_the_examinee_are_kept(tmp_path: Path) -> None:
    examinee = SummQ.preset("solo").examinee
    signature = examinee.closed_book.signature
    examinee.closed_book.signature = signature.with_instructions("Answer from the summary, briefly.")
    Lesson(POOLS, "two rows", questions=FEW, examinee=examinee).learn().save(tmp_path)
    loaded = ExamineeMetric.load(tmp_path).observer.examinee
    assert loaded.closed_book.signature.instructions == "Answer from the summary, briefly."


def test_without_a_usual_length_length_does_not_count(metric: ExamineeMetric) -> None:
    rating = metric.for_length(None).rate(HARBOUR.document, HARBOUR_REFERENCES[0])
    assert rating.observation is not None
    assert rating.observation.features["not_short"] == rating.observation.features["not_long"] == 0


def test_a_sentence_said_again_says_no_more(metric: ExamineeMetric) -> None:
    short = " ".join(HARBOUR_REFERENCES[0].split()[:20]) + "."
    once, twice = (metric.rate(HARBOUR.document, text) for text in (short, f"{short} {short}"))
    assert once.observation is not None
    assert twice.observation is not None
    for name in set(FEATURES) - {"unrepeated", "not_long"}:
        assert twice.observation.features[name] == once.observation.features[name]
    assert once.observation.features["not_short"] < 0
    assert twice.observation.features["unrepeated"] < once.observation.features["unrepeated"]


def test_learns_from_some_of_the_features() -> None:
    names = ("vocabulary", "own_words")
    weights = Lesson(POOLS, "two rows", questions=FEW).learn(names).learned.weights
    assert {name for name, weight in weights.items() if weight} == set(names)
    assert list(weights) == list(FEATURES)


def test_nothing_to_learn_from_is_said(metric: ExamineeMetric) -> None:
    alone = GradedPool(Pool(HARBOUR, (Candidate("reference", HARBOUR_REFERENCES[0]),)), (1.0,))
    with pytest.raises(DataError, match="no two summaries"):
        Lesson([alone], "one row", questions=FEW).learn()


def test_copies_share_the_quizzes(metric: ExamineeMetric) -> None:
    assert copy.deepcopy(metric) is metric


def test_chooses_the_iteration_that_a_program_returns(metric: ExamineeMetric) -> None:
    program = SummQ.preset("solo", max_iterations=2, questions=FEW, return_iteration="best", accept_accuracy=None)
    program.scorer = lambda document, summary: -metric.value(document, summary)
    worst = program(document=HARBOUR.document).result
    program.scorer = metric.value
    best = program(document=HARBOUR.document).result
    values = [metric.value(HARBOUR.document, iteration.summary) for iteration in best.iterations]
    assert len(set(values)) == 2
    assert (values[best.returned], values[worst.returned]) == (max(values), min(values))


def test_the_shipped_metric_orders_planted_damages() -> None:
    shipped = ExamineeMetric.load()
    for item in POOLS:
        for better, worse in item.pool.planted():
            one, other = (shipped.value(item.pool.row.document, text) for text in (better.text, worse.text))
            assert one > other, (item.pool.row.id, worse.kind)


def test_weights_recover_a_known_order() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(400, 3))
    differences *= np.sign(differences @ [2.0, 1.0, 0.0])[:, None]
    fit = fit_weights(Preferences(differences, np.ones(400)), ("a", "b", "c"), ())
    assert fit.weights[0] > fit.weights[1] > abs(fit.weights[2])


def test_a_weight_of_the_wrong_sign_is_left_out_unless_it_may_go_either_way() -> None:
    rng = np.random.default_rng(0)
    differences = rng.normal(size=(400, 2))
    differences *= np.sign(differences @ [1.0, -1.0])[:, None]
    preferences = Preferences(differences, np.ones(400))
    assert fit_weights(preferences, ("a", "b"), ()).weights[1] == 0
    assert fit_weights(preferences, ("a", "b"), {"b"}).weights[1] < 0


class _Always(dspy.Module):
    def __init__(self, summary: str) -> None:
        super().__init__()
        self.summary = summary

    def forward(self, document: object) -> dspy.Prediction:
        return dspy.Prediction(summary=self.summary)


class _Silent:
    def __call__(self, quiz: object, summary: str) -> ExamOutcome:
        return ExamOutcome(exam=Exam(answers=[]), lost=[])
