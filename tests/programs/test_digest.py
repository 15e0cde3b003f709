"""Documents beyond the window: read through notes, examined from the original, never cut."""

import json
import re
from typing import Any

import pytest

from summq.programs import SummQ
from summq.programs.digest import ContextWindow, Digester, Reading
from summq.programs.errors import AgentsLost, DocumentError
from summq.programs.text.tokens import count_tokens
from summq.signatures import SummQResult
from tests.fakes import instant_backbone
from tests.plans import SIX
from tests.planted import GARBLED, Asked, Outputs, Planted, halls, lamps, on, planted

WINDOW = 700  # tokens; all 100 halls have about 1100
ROOM = 490


def short_notes(asked: Asked) -> Outputs:
    named = re.findall(r"hall (\d+)", asked["passage"])
    return {"notes": f"Halls {named[0]} to {named[-1]}."}


def read(plan: dict[str, Any], *, window: int = WINDOW, number: int = 100) -> tuple[Reading, Planted]:
    with planted({"digester": short_notes, **plan}, window=window) as engine:
        return Digester()(document=halls(number)), engine


def passages_of(engine: Planted) -> list[Asked]:
    return sorted(engine.asked, key=lambda asked: asked["position"])


def test_what_fits_is_read_as_it_is() -> None:
    reading, engine = read({}, number=40)
    assert reading.document == reading.original == halls(40)
    assert (reading.windows, reading.passages) == ((halls(40),), 0)
    assert not engine.asked


def test_without_a_known_window_everything_fits() -> None:
    with planted() as engine:
        assert Digester()(document=halls(5000)).passages == 0
    assert not engine.asked


def test_what_does_not_fit_is_read_through_notes_of_all_of_it() -> None:
    reading, engine = read({})
    assert reading.passages == len(engine.asked) == 3
    assert " ".join(asked["passage"] for asked in passages_of(engine)) == halls().text
    assert [asked["position"] for asked in passages_of(engine)] == ["1 of 3", "2 of 3", "3 of 3"]
    assert reading.document.text.count("Halls") == 3
    assert " ".join(window.text for window in reading.windows) == halls().text
    assert all(count_tokens(window.text) <= ROOM for window in reading.windows)


def test_notes_that_are_still_too_long_are_digested_again() -> None:
    def halving(asked: Asked) -> Outputs:
        return {"notes": asked["passage"][: len(asked["passage"]) // 2]}

    reading, engine = read({"digester": halving}, number=400)
    assert count_tokens(reading.document.text) <= ROOM
    assert len(engine.asked) > reading.passages


def test_notes_that_never_get_shorter_are_an_error() -> None:
    with pytest.raises(DocumentError, match="do not get shorter"):
        read({"digester": lambda asked: {"notes": asked["passage"]}})


def test_a_window_that_holds_no_passage_is_an_error() -> None:
    with pytest.raises(DocumentError, match="a context window of 100 tokens holds no passage"):
        read({}, window=100)


def test_no_passage_may_be_lost() -> None:
    def fail_once(asked: Asked) -> Outputs | str:
        return GARBLED if asked["position"].startswith("2") else short_notes(asked)

    with pytest.raises(AgentsLost, match="digester: only 2 of 3 agents replied, 3 are needed"):
        read({"digester": fail_once})


def test_the_smallest_window_of_all_backbones_counts() -> None:
    small = instant_backbone(Planted(), window=300)
    with on(Planted(), window=5000, roles={"summary_reviewer": small}):
        assert ContextWindow.of_backbones().window == 300


def long_run(**options: Any) -> tuple[SummQResult, Planted]:
    with planted({"digester": short_notes}, window=WINDOW) as engine:
        program = SummQ.preset("combo", questions=SIX, max_iterations=1, **options)
        return program(document=halls()).result, engine


@pytest.mark.slow
@pytest.mark.parametrize("paper_faithful", [False, True])
def test_no_request_of_a_run_holds_more_of_the_document_than_fits(paper_faithful: bool) -> None:
    result, engine = long_run(paper_faithful=paper_faithful)
    assert result.digested == 3
    assert result.digest.count("Halls") == 3
    for asked in engine.asked:
        told = {int(hall) for hall in re.findall(r"In hall (\d+) the", asked.text)}
        assert len(told) <= 45, asked.role


@pytest.mark.slow
def test_questions_are_drawn_from_the_original_and_from_all_of_it() -> None:
    result, engine = long_run()
    assert result.quiz is not None
    assert all(q.evidence in halls().text and q.section for q in result.quiz.questions)
    drafted = [asked for asked in engine.of("quiz_generator.draft") if asked.agent == 0]
    wanted = [json.loads(asked["wanted"]) for asked in drafted]
    assert [list(counts.values()) for counts in wanted] == [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    assert [[hall for hall in (1, 50, 100) if str(lamps(hall)) in asked.text] for asked in drafted] == [
        [1],
        [50],
        [100],
    ]


def test_with_more_passages_than_questions_every_stretch_has_its_turn() -> None:
    with planted({"digester": short_notes}, window=300) as engine:
        SummQ.preset("solo", questions=SIX, max_iterations=1)(document=halls())
    drafted = engine.of("quiz_generator.draft")
    firsts = [int(re.findall(r"In hall (\d+) the", asked.text)[0]) for asked in drafted]
    assert len(drafted) == 6
    assert max(b - a for a, b in zip(firsts, [*firsts[1:], 100], strict=True)) < 40


def test_questions_are_verified_with_the_passage_that_has_their_evidence() -> None:
    result, engine = long_run()
    assert result.quiz is not None
    for asked in engine.of("examinee.open_book"):
        for hall in re.findall(r"hall (\d+)", asked["questions"]):
            assert f"In hall {hall} the keeper" in asked.text
    assert result.exam is not None
    assert result.exam.accuracy == 1
