"""How results show themselves."""

from summq.signatures import Exam, GradedAnswer, QuestionCounts, SummQResult


def result() -> SummQResult:
    answers = [
        GradedAnswer(number=1, kind="short_answer", question="When <did> it open?", given="1907", correct=True),
        GradedAnswer(number=2, kind="short_answer", question="Who?", given="", correct=False, not_in_summary=True),
        GradedAnswer(number=3, kind="short_answer", question="Where?", given=None, correct=None),
    ]
    return SummQResult(
        summary="The hall & the mill opened in 1907. " * 200,
        quiz=None,
        wanted=QuestionCounts(),
        exam=Exam(answers=answers),
        iterations=[],
        returned=0,
        stop_reason="max_iterations",
    )


def test_the_repr_is_a_line() -> None:
    shown = repr(result())
    assert len(shown) < 250
    assert "Exam(1 of 2 right, 1 unscored)" in shown
    assert str(result()) == shown


def test_a_notebook_shows_summary_and_exam_as_text() -> None:
    shown = result()._repr_html_()
    assert "<p>The hall &amp; the mill" in shown
    assert "<td>When &lt;did&gt; it open?</td><td>1907</td><td>right</td>" in shown
    assert "<td>not in summary</td>" in shown
    assert "<td>unscored</td>" in shown
