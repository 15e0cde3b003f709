"""Each sentence is supported, contradicted or not found; what has no quote in the document is not supported."""

import json

import pytest

from summq.eval.data import Row
from summq.eval.metrics import make_metric
from summq.eval.metrics.base import Score
from summq.eval.metrics.faithfulness import SENTENCES_A_CALL
from summq.programs.runtime.session import session
from tests.planted import GARBLED, Asked, Plan, Planted, halls, lamps, on, planted, sentence

ROW = Row("halls", halls())


def score(summary: str, checker: object, row: Row = ROW) -> Score:
    plan: Plan = {"fact_checker": checker}
    with planted(plan):
        return make_metric("faithfulness").score(summary, row)


def checks(*found: tuple[int, str, str]) -> dict[str, object]:
    return {"checked": {"checks": [{"number": n, "support": support, "quote": quote} for n, support, quote in found]}}


def test_shares_are_of_sentences_and_the_last_third_is_apart() -> None:
    found = checks((1, "supported", sentence(1)), (2, "contradicted", sentence(2)), (3, "not_found", ""))
    values = score("One. Two. Three.", found).values
    assert values == pytest.approx({"faithful": 1 / 3, "contradicted": 1 / 3, "not_found": 1 / 3, "faithful_end": 0.0})


def test_a_claim_without_a_quote_in_the_document_is_not_found() -> None:
    found = checks((1, "supported", "The keeper sold his lamps to a travelling circus."), (2, "contradicted", ""))
    scored = score("One. Two.", found)
    assert scored.values["not_found"] == 1.0
    assert scored.details["unproven_claims"] == 2


def test_sentences_that_were_not_checked_count_nowhere() -> None:
    found = checks((1, "supported", sentence(1)), (2, "perhaps", sentence(2)), (9, "supported", sentence(9)))
    scored = score("One. Two. Three.", found)
    assert scored.values["faithful"] == 1.0
    assert (scored.details["sentences"], scored.details["checked"]) == (3, 1)


def test_an_unreadable_reply_and_an_empty_summary_are_unscored() -> None:
    scored = score("One.", GARBLED)
    assert scored.values["faithful"] is None
    assert "could not be used" in str(scored.reason)
    assert score("  ", GARBLED).reason == "the summary is empty"


def test_long_summaries_are_checked_in_batches() -> None:
    def all_supported(asked: Asked) -> dict[str, object]:
        return checks(*((item["number"], "supported", sentence(1)) for item in json.loads(asked["sentences"])))

    many = " ".join(f"Sentence number {n}." for n in range(1, 2 * SENTENCES_A_CALL + 2))
    with planted({"fact_checker": all_supported}) as engine:
        scored = make_metric("faithfulness").score(many, ROW)
    assert scored.details["checked"] == 2 * SENTENCES_A_CALL + 1
    assert engine.calls == {"fact_checker": 3}


def test_beyond_the_window_a_sentence_is_supported_if_any_stretch_supports_it() -> None:
    def looks_it_up(asked: Asked) -> dict[str, object]:
        return checks((1, "supported" if sentence(99) in asked.text else "not_found", sentence(99)))

    engine = Planted({"fact_checker": looks_it_up})
    with on(engine, window=900):
        scored = make_metric("faithfulness").score("In hall 99 there are lamps.", ROW)
    assert engine.calls["fact_checker"] > 1
    assert scored.values["faithful"] == 1.0


def test_offline_a_changed_number_is_noticed() -> None:
    with session("offline", cache_dir=""):
        scored = make_metric("faithfulness").score(f"{sentence(5)} In hall 6 the keeper found {lamps(7)} lamps.", ROW)
    assert scored.values["faithful"] == 0.5
    assert scored.values["contradicted"] == 0.5
