"""How a quiz is put together and spread over its document."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.coverage import FLOOR, assemble, part_of, placed, quotas, unproven
from summq.programs.text.quotes import same_text
from summq.signatures import KINDS, PARTS, Document, Question, QuestionCounts, Quiz
from tests.planted import halls, question, sentence

counts = st.builds(QuestionCounts, **{kind: st.integers(0, 6) for kind in KINDS})
pools = st.lists(
    st.builds(
        Question,
        kind=st.sampled_from(KINDS),
        question=st.integers(0, 25).map("Question {}?".format),
        section=st.integers(0, PARTS).map(lambda part: f"part {part} of {PARTS}" if part else ""),
    ),
    max_size=40,
)


@pytest.mark.slow
@given(pools, counts)
def test_a_quiz_never_has_more_than_wanted_and_nothing_twice(pool: list[Question], wanted: QuestionCounts) -> None:
    quiz = assemble(pool, wanted)
    have = Counter(q.kind for q in quiz.questions)
    assert all(have[kind] <= wanted.of(kind) for kind in KINDS)
    texts = [same_text(q.question) for q in quiz.questions]
    assert len(texts) == len(set(texts))
    assert all(q in pool for q in quiz.questions)


@pytest.mark.slow
@given(pools, counts)
def test_a_quiz_lacks_a_question_only_if_the_pool_holds_none(pool: list[Question], wanted: QuestionCounts) -> None:
    quiz = assemble(pool, wanted)
    have = Counter(q.kind for q in quiz.questions)
    asked = {same_text(q.question) for q in quiz.questions}
    left = {q.kind for q in pool if same_text(q.question) not in asked}
    assert all(have[kind] == wanted.of(kind) or kind not in left for kind in KINDS)


@pytest.mark.slow
@given(pools, counts, st.integers(0, 5))
def test_kept_questions_stay(pool: list[Question], wanted: QuestionCounts, keep: int) -> None:
    quiz = assemble(pool, wanted, keep=keep)
    assert all(q in quiz.questions for q in pool[:keep])


@pytest.mark.slow
@given(st.permutations([question(hall, kind) for hall in range(1, 101, 4) for kind in KINDS]))
def test_every_part_gets_its_floor_where_the_pool_allows(pool: list[Question]) -> None:
    document = halls()
    wanted = QuestionCounts(multiple_choice=5, true_false=5, short_answer=6)
    quiz = assemble([placed(q, document) for q in pool], wanted)
    assert min(Counter(map(part_of, quiz.questions))[part] for part in range(1, PARTS + 1)) >= FLOOR


def test_beyond_the_floor_preference_decides() -> None:
    first = [placed(question(hall), halls()) for hall in (1, 2, 3, 4, 5)]
    assert assemble([*first, placed(question(6), halls())], QuestionCounts(short_answer=5)).questions == first


def test_a_sentence_is_asked_about_twice_only_for_want_of_others() -> None:
    once, twice = (placed(question(1, kind), halls()) for kind in ("short_answer", "true_false"))
    other = placed(question(2, "true_false"), halls())
    wanted = QuestionCounts(multiple_choice=0, true_false=1, short_answer=1)
    assert set(assemble([once, twice, other], wanted).questions) == {once, other}
    assert set(assemble([once, twice], wanted).questions) == {once, twice}


def test_questions_without_evidence_come_last() -> None:
    doubtful = question(1, evidence="The moon.", section="")
    pool = [doubtful, *[placed(question(hall), halls()) for hall in (2, 3, 4, 5, 6)]]
    assert doubtful not in assemble(pool, QuestionCounts(short_answer=5)).questions
    assert doubtful in assemble(pool, QuestionCounts(short_answer=6)).questions


def test_kinds_stand_in_order() -> None:
    pool = [question(hall, KINDS[-1 - hall % 3]) for hall in range(1, 10)]
    kinds = [q.kind for q in assemble(pool, QuestionCounts()).questions]
    assert kinds == sorted(kinds, key=KINDS.index)


@pytest.mark.slow
@given(pools, st.integers(0, 40))
def test_quotas_add_up_and_even_out(questions: list[Question], number: int) -> None:
    spread = quotas(halls(), questions, number)
    assert sum(quota.questions for quota in spread) == number
    assert [quota.part for quota in spread] == list(range(1, PARTS + 1))
    present = Counter(map(part_of, questions))
    filled = [present[quota.part] + quota.questions for quota in spread if quota.questions]
    assert not filled or max(filled) - min(filled) <= 1


def test_quotas_say_with_which_words_a_part_opens() -> None:
    document = halls()
    for quota in quotas(document, [], 5):
        opening = document.text.index(quota.opens_with)
        assert document.part_at(opening + 20) == quota.part


@pytest.mark.parametrize("hall", [1, 30, 50, 99])
def test_evidence_tells_the_part_and_is_put_in_the_words_of_the_document(hall: int) -> None:
    document = halls()
    question_ = placed(question(hall, evidence=sentence(hall).upper()), document)
    assert question_.evidence in document.text
    assert sentence(hall).startswith(question_.evidence)
    assert part_of(question_) == document.part_at(document.text.index(question_.evidence))


def test_evidence_that_is_not_in_the_document_is_an_issue_by_itself() -> None:
    quiz = Quiz(
        questions=[placed(question(hall, evidence=text), halls()) for hall, text in ((1, sentence(1)), (2, "No."))]
    )
    assert [part_of(q) for q in quiz.questions] == [1, 0]
    assert [issue.target for issue in unproven(quiz)] == ["2"]


def test_a_short_document_has_parts_too() -> None:
    assert len(quotas(Document(text="Two."), [], 3)) == PARTS
