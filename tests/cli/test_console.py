"""How results read."""

import io
import json
import re
from typing import Any

import pytest

from summq.cli.console import (
    HarmlessConsole,
    ending,
    exam_line,
    mark,
    print_json,
    print_line,
    print_text,
    say,
    show_result,
    stdout,
    usage_table,
)
from summq.signatures import Exam, GradedAnswer, Iteration, SummQResult, Tally, Usage


def answer(number: int, correct: bool | None, **more: object) -> GradedAnswer:
    return GradedAnswer.model_validate(
        {"number": number, "kind": "short_answer", "question": "Who?", "given": "She", "correct": correct, **more}
    )


def printed(*things: object) -> str:
    out = io.StringIO()
    HarmlessConsole(file=out, width=120).print(*things)
    return out.getvalue()


def test_the_exam_line_counts_scored_answers_only() -> None:
    exam = Exam(answers=[answer(1, True), answer(2, False), answer(3, None)])
    assert exam_line(exam) == "Exam: 1 of 2 right (50%), 1 unscored"


def test_an_exam_that_could_not_be_scored_says_so() -> None:
    assert exam_line(Exam(answers=[answer(1, None)])) == "Exam: none of 1 answers could be scored"


def test_marks_name_the_failure_and_the_quiz_when_it_is_to_blame() -> None:
    assert mark(answer(1, True)) == "right"
    assert mark(answer(1, None)) == "unscored"
    assert mark(answer(1, False, blame="summary")) == "wrong"
    assert mark(answer(1, False, not_in_summary=True, blame="quiz")) == "not in summary (quiz's fault)"


def test_texts_are_printed_as_they_are() -> None:
    out = io.StringIO()
    text = "Pay [bold]1,150[/bold] pounds: " + "long " * 60
    result = SummQResult(summary=text, quiz=None, exam=None, iterations=[], returned=0, stop_reason="unchanged")
    show_result(result, HarmlessConsole(file=out, width=80), quiz=True)
    assert out.getvalue() == text + "\n"


def result_of(*accuracies: bool | None) -> SummQResult:
    """A run whose last iteration is returned, with one question in the exam of each."""
    nothing: dict[str, Any] = dict.fromkeys(Iteration.model_fields)
    nothing["lost"] = []
    iterations = [
        Iteration.model_construct(**{**nothing, "exam": Exam(answers=[answer(1, correct)])}) for correct in accuracies
    ]
    return SummQResult.model_construct(
        iterations=iterations, returned=len(iterations) - 1, stop_reason="max_iterations", lost=[], digested=0
    )


def test_every_iteration_is_told_and_that_an_earlier_one_did_better() -> None:
    told = ending(result_of(True, None, False))
    assert told.endswith("right answers: 100%, unscored, 0%; the last did not do best: see --return best")
    assert "--return" not in ending(result_of(False, True))


def test_an_iteration_without_an_exam_is_told_and_hides_no_better_one() -> None:
    result = result_of(None, True, False)
    result.iterations[0] = result.iterations[0].model_copy(update={"exam": None})
    assert ending(result).endswith("right answers: no exam, 100%, 0%; the last did not do best: see --return best")
    assert ending(result_of(True, None)).endswith("right answers: 100%, unscored")  # nobody knows which is better


def test_what_came_from_the_cache_is_told_beside_the_money() -> None:
    usage = Usage(calls=2, cache_hits=3, roles={"examinee": Tally(calls=2, cache_hits=3)})
    assert "3 of 5 calls from the cache, without tokens or money" in printed(usage_table(usage))
    assert "from the cache" not in printed(usage_table(Usage(calls=2, roles={"examinee": Tally(calls=2)})))


@pytest.mark.parametrize("terminal", [True, False])
def test_a_terminal_breaks_lines_between_words_and_a_file_not_at_all(terminal: bool) -> None:
    out, line = io.StringIO(), "This examinee recognises copied sentences only. " * 4
    print_line(line.strip(), HarmlessConsole(file=out, width=60, force_terminal=terminal))
    lines = out.getvalue().splitlines()
    assert " ".join(part.strip() for part in lines) == line.strip()
    assert (len(lines) > 1) == terminal


def test_an_unknown_price_is_not_zero() -> None:
    usage = Usage(calls=1, cost=None, roles={"examinee": Tally(calls=1, cost=None), "grader": Tally(calls=0)})
    lines = printed(usage_table(usage)).splitlines()
    assert "unknown" in next(line for line in lines if "examinee" in line)
    assert "0.0000" in next(line for line in lines if "grader" in line)


HOSTILE = "\x1b[31mred\x1b]0;title\x07 \x9b2J\r\u202egnp.exe\u2066 [/nothing] [bold]"


def test_texts_reach_the_terminal_without_what_rewrites_it_and_without_markup(
    capsys: pytest.CaptureFixture[str],
) -> None:
    exam = Exam(answers=[answer(1, False, question=HOSTILE, given=HOSTILE)])
    result = SummQResult(summary=HOSTILE, quiz=None, exam=exam, iterations=[], returned=0, stop_reason="unchanged")
    show_result(result, stdout(), quiz=True)
    say(HOSTILE)
    print_text(HOSTILE)
    shown = "".join(capsys.readouterr())
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert shown.count("[31mred]0;title 2Jgnp.exe [/nothing] [bold]") == 5


def test_json_on_the_terminal_holds_what_it_held_in_escapes(capsys: pytest.CaptureFixture[str]) -> None:
    print_json(json.dumps({"summary": HOSTILE}, ensure_ascii=False))
    shown = capsys.readouterr().out
    assert "\\u009b" in shown
    assert "\\u202e" in shown
    assert not re.search("[\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert json.loads(shown) == {"summary": HOSTILE}
