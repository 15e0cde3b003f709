"""What can be wrong with a question of an exam, each checked against the document."""

import re
from collections.abc import Callable, Sequence

from summq.programs.runtime.offline.examining import answer_from, same_answer
from summq.programs.runtime.offline.quizzing import same_question
from summq.programs.text.quotes import find_quote
from summq.programs.text.reading import Reading
from summq.programs.text.stems import stems_of
from summq.signatures import KeyedAnswer, Question, SheetItem

_SHOWN = re.compile(r"^\d+\. \((?P<kind>\w+)\) (?P<question>.*?)(?: \[(?P<options>[^\]]*)\])? Answer: (?P<answer>.*)$")

Test = Callable[[Reading, Sequence[Question], int], bool]


def faults_of(document: Reading, questions: Sequence[Question], number: int) -> list[str]:
    """The kinds of fault that question `number` (from 1) has; in a question that can't be asked nothing else counts."""
    if _malformed(document, questions, number):
        return ["ambiguous"]
    return [kind for kind, has in FAULTS.items() if has(document, questions, number)]


def questions_shown(draft: str) -> list[Question]:
    """The questions of an exam as it is shown in a debate: a line each, without evidence."""
    lines = (_SHOWN.match(line) for line in draft.splitlines())
    return [
        Question(
            kind=line["kind"],
            question=line["question"],
            options=tuple((line["options"] or "").split(" | ")) if line["options"] else (),
            answer=line["answer"],
        )
        for line in lines
        if line
    ]


def _malformed(document: Reading, questions: Sequence[Question], number: int) -> bool:
    return bool(questions[number - 1].faults())


def _contradicted(document: Reading, questions: Sequence[Question], number: int) -> bool:
    """The document gives another answer than the key."""
    question = questions[number - 1]
    answer = _answer(document, question)
    keyed = KeyedAnswer(number=number, question=question.question, key=question.answer, given=answer or "")
    return answer is not None and not same_answer(keyed)


def _unproven(document: Reading, questions: Sequence[Question], number: int) -> bool:
    """Its evidence is not in the document; or there is none, and the document does not answer it."""
    question = questions[number - 1]
    if not question.evidence:
        return _answer(document, question) is None
    verbatim = " ".join(question.evidence.split()) in document.flat
    return not verbatim and find_quote(question.evidence, document.text) is None


def _gives_itself_away(document: Reading, questions: Sequence[Question], number: int) -> bool:
    question = questions[number - 1]
    return question.kind == "short_answer" and stems_of(question.answer) <= stems_of(question.question)


def _asked_before(document: Reading, questions: Sequence[Question], number: int) -> bool:
    asked = questions[number - 1].question
    return any(same_question(asked, other.question) for other in questions[: number - 1])


def _answer(document: Reading, question: Question) -> str | None:
    item = SheetItem(number=1, kind=question.kind, question=question.question, options=list(question.options))
    return answer_from(document, item)


FAULTS: dict[str, Test] = {
    "wrong_answer": _contradicted,
    "unanswerable": _unproven,
    "trivial": _gives_itself_away,
    "duplicate": _asked_before,
}

__all__ = ["FAULTS", "faults_of", "questions_shown"]
