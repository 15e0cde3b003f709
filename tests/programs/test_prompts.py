"""What requests look like: one shared prefix for all who read the document, no document for anybody else."""

from typing import Any

import dspy
import pytest

from summq.programs import SummQ
from summq.programs.runtime.adapter import OWN, document_field, shared_prefix
from tests.plans import BUSY, SIX
from tests.planted import Asked, Planted, halls, planted

NEVER_READ = {"summary_grouper", "quiz_grouper", "examinee", "examinee.blind", "grader", "rewriter"}
COMPARE = {f"{stream}_{role}" for stream in ("summary", "quiz") for role in ("aggregator", "ranker", "generator.vote")}


def run(program: SummQ, *, constrained: bool = False) -> Planted:
    with planted(BUSY, constrained=constrained) as engine:
        program(document=halls())
    return engine


def program(**options: Any) -> SummQ:
    return SummQ.preset("combo_r", questions=SIX, max_iterations=2, **options)


def prefix(asked: Asked) -> list[str | None]:
    """System line, document turn, acknowledgement."""
    return [str(asked.request.system), *(turn.text for turn in asked.request.messages[:2])]


def readers(engine: Planted) -> set[str]:
    return {asked.role for asked in engine.asked if halls().text in asked.text}


def check_prefix(engine: Planted) -> None:
    expected = [message["content"] for message in shared_prefix(halls())]
    for asked in engine.asked:
        if halls().text in asked.text:
            assert prefix(asked) == expected, asked.role
            assert asked.text.count(halls().text) == 1, asked.role


@pytest.mark.slow
@pytest.mark.parametrize("constrained", [False, True])
@pytest.mark.parametrize("paper_faithful", [False, True])
def test_all_who_read_the_document_share_a_byte_identical_prefix(constrained: bool, paper_faithful: bool) -> None:
    engine = run(program(paper_faithful=paper_faithful), constrained=constrained)
    check_prefix(engine)
    roles = {asked.role for asked in engine.asked}
    assert readers(engine) == roles - NEVER_READ
    assert roles >= NEVER_READ - ({"examinee.blind"} if paper_faithful else set())


@pytest.mark.slow
def test_who_compares_may_be_spared_the_document() -> None:
    engine = run(program(economy=["comparing_without_document"]))
    check_prefix(engine)
    assert readers(engine) == {asked.role for asked in engine.asked} - NEVER_READ - COMPARE


@pytest.mark.slow
def test_the_prefix_survives_new_instructions_and_demos() -> None:
    compiled = program()
    for number, (name, predictor) in enumerate(compiled.named_predictors()):
        signature = predictor.signature
        predictor.signature = signature.with_instructions(f"Rewritten for {name}. Number {number}.")
        predictor.demos = [
            dspy.Example({key: f"demo of {key}" for key in signature.fields if key != document_field(signature)})
        ]
    engine = run(compiled)
    check_prefix(engine)
    for asked in engine.asked:
        assert "Rewritten for " in asked.text, asked.role
        assert "demo of " in asked.text, asked.role
    assert readers(engine) == {asked.role for asked in engine.asked} - NEVER_READ


@pytest.mark.slow
def test_demos_never_carry_a_document() -> None:
    compiled = program()
    generator = compiled.summary_generators[0].draft
    generator.demos = [dspy.Example(document=halls(3), target_words=50, summary="Short.")]
    engine = run(compiled)
    (asked, *_) = engine.of("summary_generator.draft")
    assert "Short." in asked.text
    assert halls(3).text + "\n" not in asked.text.replace(halls().text, "")
    check_prefix(engine)


@pytest.mark.slow
def test_what_others_wrote_stands_in_user_turns_after_the_document() -> None:
    for asked in run(program()).asked:
        assert "Summary by" not in str(asked.request.system)
        assert [turn.role for turn in asked.request.messages][-1] == "user"


@pytest.mark.slow
def test_agents_of_a_component_share_what_they_are_given_too_and_differ_behind_it() -> None:
    engine = run(program())
    for role in ("summary_reviewer.review", "quiz_reviewer.review", "summary_reviewer.verdict"):
        asked = [a.request.messages[-1].text or "" for a in engine.of(role)]
        firsts = [next(text for text, a in zip(asked, engine.of(role), strict=True) if a.agent == n) for n in (0, 1)]
        shared, _, own = firsts[0].partition(f"\n{OWN}\n")
        assert firsts[1].startswith(shared)
        assert own != firsts[1].partition(f"\n{OWN}\n")[2]
        assert "<" in shared
