"""`report.html` of a run: what belongs together stands together, and strangers' texts stay texts."""

import re
from pathlib import Path

import pytest

from summq.programs.errors import DataError
from summq.programs.runs.folder import Request, RunFolder
from summq.programs.runs.links import changes_between, nearest_sentence
from summq.programs.runs.report import RunView, report_page, write_report
from summq.signatures import (
    Document,
    Exam,
    Generation,
    GradedAnswer,
    Issue,
    Iteration,
    Question,
    Quiz,
    ReviewRecord,
    SummQResult,
)
from tests.browser import PATIENCE, opened
from tests.pages import HOSTILE, SHOWN, require_self_contained
from tests.waiting import until

DOCUMENT = "The bridge was built in 1902 by Ada Holm.\n\nIt fell in the storm of 1931. Nobody was hurt at all."
BUILT = Question(kind="short_answer", question="Who built the bridge?", answer="Ada Holm", evidence=DOCUMENT[:41])
FELL = Question(
    kind="short_answer", question="When did it fall?", answer="1931", evidence="It fell in the storm of 1931."
)
MADE_UP = Question(kind="true_false", question="Is it of gold?", answer="false", evidence="The bridge is of pure gold.")
QUIZ = Quiz(questions=[BUILT, FELL, MADE_UP])
NOTHING = ReviewRecord(annotations=[], grouped_by="none", outcomes=[], issues=[])
REQUEST = Request(version="0.1.0", document="abc", title="The bridge", config={}, backbone="openai/gpt-4o")
FIRST, SECOND = "Ada Holm built the bridge.", "Ada Holm built the bridge. A storm brought it down in 1931."


def graded(number: int, question: Question, given: str | None, correct: bool | None) -> GradedAnswer:
    return GradedAnswer(number=number, kind=question.kind, question=question.question, given=given, correct=correct)


EXAM = Exam(
    answers=[
        graded(1, BUILT, "Ada Holm", True),
        graded(2, FELL, "not in the summary", False).model_copy(update={"not_in_summary": True, "blame": "summary"}),
        graded(3, MADE_UP, None, None),
    ]
)


def iteration(summary: str, feedback: list[Issue]) -> Iteration:
    return Iteration(
        summary=summary,
        quiz=QUIZ,
        summary_generation=Generation[str](drafts=[summary], decided_by="single", chosen=summary),
        quiz_generation=Generation[Quiz](drafts=[QUIZ], decided_by="single", chosen=QUIZ),
        summary_review=NOTHING,
        quiz_review=NOTHING,
        exam=EXAM,
        summary_feedback=feedback,
        quiz_feedback=[],
    )


OTHER = Issue(kind="incoherence", target="the bridge", explanation="Which one?", fix="Name the river.")
MISSING = Issue(kind="omission", target=FELL.question, explanation="Could not be answered.", fix="State it.")


def a_result(summary: str = SECOND) -> SummQResult:
    return SummQResult(
        summary=summary,
        quiz=QUIZ,
        exam=EXAM,
        iterations=[iteration(FIRST, [OTHER, MISSING]), iteration(summary, [])],
        returned=1,
        stop_reason="max_iterations",
    )


def test_a_question_knows_its_evidence_its_sentence_and_its_mark() -> None:
    built, fell, made_up = RunView(a_result(), DOCUMENT).questions
    assert (built.mark, fell.mark, made_up.mark) == ("right", "absent", "unscored")
    assert built.evidence == slice(0, 41)
    assert built.sentence == slice(0, 26)
    assert fell.sentence is not None
    assert SECOND[fell.sentence] == "A storm brought it down in 1931."
    assert made_up.evidence is None


def test_a_question_that_no_sentence_touches_has_none() -> None:
    assert nearest_sentence(MADE_UP, "Nobody came to the fair in May.") is None


def test_a_change_names_the_feedback_that_it_answers() -> None:
    stayed, came = changes_between(iteration(FIRST, [OTHER, MISSING]), SECOND)
    assert stayed.issues == ()
    assert came.piece.added.strip() == "A storm brought it down in 1931."
    assert came.issues == (2,)


def test_parts_count_the_questions_whose_evidence_stands_there() -> None:
    parts = RunView(a_result(), DOCUMENT).parts
    assert [(part["questions"], part["right"]) for part in parts] == [(1, 1), (0, 0), (1, 0), (0, 0), (0, 0)]


def test_the_page_stands_alone_and_shows_who_was_blamed() -> None:
    page = report_page(a_result(), REQUEST, DOCUMENT, "bridge")
    require_self_contained(page)
    assert "the summary, which does not tell it" in page
    assert "is not in the document" in page
    assert '<mark data-q="2" id="e2">It fell in the storm of 1931.</mark>' in page
    assert "extractive reader" not in page


def test_words_are_counted_in_scripts_without_spaces() -> None:
    page = report_page(a_result(), REQUEST, "東京は日本の首都です。" * 10, "bridge")
    (words,) = re.findall(r"words, out of (\d+)", page)
    assert 40 <= int(words) <= 110


def test_hostile_text_is_shown_as_text() -> None:
    hostile = Question(
        kind="multiple_choice", question=HOSTILE, options=(HOSTILE,) * 4, answer=HOSTILE, evidence=HOSTILE
    )
    answer = graded(1, hostile, HOSTILE, False)
    result = a_result(HOSTILE).model_copy(update={"quiz": Quiz(questions=[hostile]), "exam": Exam(answers=[answer])})
    page = report_page(result, REQUEST.model_copy(update={"title": HOSTILE, "backbone": HOSTILE}), HOSTILE, HOSTILE)
    require_self_contained(page)
    assert "<script>alert" not in page
    assert "<img" not in page
    assert page.count(SHOWN) > 10


def test_a_folder_without_the_document_says_so(tmp_path: Path) -> None:
    RunFolder(tmp_path).save(REQUEST, Document(text=DOCUMENT), a_result())
    assert 'id="e2">It fell in the storm of 1931.</mark>' in write_report(tmp_path).read_text("utf-8")
    (tmp_path / "document.txt").unlink()
    assert "holds no document.txt" in write_report(tmp_path).read_text("utf-8")


def test_a_folder_without_a_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="name the folder of a finished run"):
        write_report(tmp_path)


@pytest.mark.slow
@pytest.mark.browser
def test_an_opened_question_is_marked_in_summary_and_document(tmp_path: Path) -> None:
    long = f"{DOCUMENT}\n\n" + "Nothing happened on that day.\n" * 3000
    moved = long.replace("It fell in the storm of 1931.", "") + "It fell in the storm of 1931."
    with opened(report_page(a_result(), REQUEST, moved, "bridge"), tmp_path) as page:
        page.click("#q2 > summary")
        assert page.locator("#summary mark.now").inner_text() == "A storm brought it down in 1931."
        until(lambda: page.evaluate("document.querySelector('#document').scrollTop > 10000"), PATIENCE / 1000)
        assert page.locator("#document mark.now").inner_text() == "It fell in the storm of 1931."
        assert page.locator("ins").nth(1).inner_text().strip() == "A storm brought it down in 1931."
        page.click("sup a")
        assert page.locator("#i1-2").is_visible()
        page.click("button[data-show=right]")
        assert page.locator("details.question:visible").count() == 1
        page.focus("#q1 > summary")
        page.keyboard.press("Enter")
        until(lambda: page.locator("#summary mark.now").inner_text() == "Ada Holm built the bridge.", PATIENCE / 1000)


@pytest.mark.slow
@pytest.mark.browser
def test_hostile_text_does_nothing_in_a_browser(tmp_path: Path) -> None:
    page_text = report_page(a_result(HOSTILE), REQUEST.model_copy(update={"title": HOSTILE}), HOSTILE * 20, "x")
    with opened(page_text, tmp_path) as page:
        assert page.locator("main img, main script").count() == 0
        assert "<script>alert(1)" in page.locator("h1").inner_text()
