"""What writers are told after an iteration: what reviewers hold and what examinees failed or knew, gravest first.

Who is to blame for a failed question decides which stream is told of it; neither is ever told a key.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from summq.programs.quiz_craft import named_questions
from summq.programs.text.quotes import same_text
from summq.signatures import Exam, FailedQuestion, GradedAnswer, Issue, Question, Quiz

WORDS_PER_POINT = 25  # what a summary needs to meet one point of its feedback
FEWEST_POINTS = 3
GRAVITY = (
    ("factual_error", "wrong_answer"),
    ("omission", "failed_question", "unanswerable"),
    ("incoherence", "ambiguous"),
    ("duplicate", "trivial", "coverage_gap"),
    ("redundancy",),
)
UNKNOWN_KIND = 2  # as grave as what can't be understood


def with_blame(
    exam: Exam, quiz: Quiz, quiz_issues: Sequence[Issue], holds: Mapping[Question, bool], *, verified: bool = True
) -> Exam:
    """The exam with every failed question blamed on the quiz, on the summary, or on both.

    The quiz is at fault if a kept quiz issue names the question, or if an examinee with the document at hand fails it.
    Where nobody tries questions with the document at hand, a wrong answer may be the fault of either; that the summary
    does not tell is its own.

    Args:
        holds: Whether an examinee with the document at hand answered a question as its key says.
        verified: Whether there is such an examinee.
    """
    named = named_questions(quiz_issues, quiz)

    def blame(answer: GradedAnswer) -> GradedAnswer:
        if answer.correct is not False:
            return answer
        if answer.number in named or holds.get(quiz.questions[answer.number - 1]) is False:
            return answer.model_copy(update={"blame": "quiz"})
        undecided = not verified and not answer.not_in_summary
        return answer.model_copy(update={"blame": "both" if undecided else "summary"})

    return Exam(answers=[blame(answer) for answer in exam.answers])


def without_text(exam: Exam, quiz: Quiz, known: Mapping[Question, bool]) -> Exam:
    """The exam with what an examinee without any text answered as the keys say, which is left out of its measures."""
    pairs = zip(exam.answers, quiz.questions, strict=True)
    return Exam(answers=[answer.model_copy(update={"known": known.get(question)}) for answer, question in pairs])


def for_the_summary(exam: Exam, quiz: Quiz) -> list[Issue]:
    """What the summary fails to tell, for its writers."""
    return [
        FailedQuestion(
            question_number=answer.number,
            question_kind=quiz.questions[answer.number - 1].kind,
            target=answer.question,
            explanation="A reader who has only the summary could not answer this correctly.",
            fix=_remedy(quiz.questions[answer.number - 1]),
        )
        for answer in exam.answers
        if answer.blame in ("summary", "both")
    ]


def for_the_quiz(exam: Exam, quiz: Quiz, failed_open_book: Collection[Question]) -> list[Issue]:
    """Questions that failed, or may have failed, through their own fault, for the writers of the quiz."""
    return [
        FailedQuestion(
            question_number=answer.number,
            question_kind=quiz.questions[answer.number - 1].kind,
            target=str(answer.number),
            explanation=_failure(answer, quiz.questions[answer.number - 1] in failed_open_book),
            fix="Write another question in its place, with one certain answer in the document.",
        )
        for answer in exam.answers
        if answer.blame in ("quiz", "both")
    ]


def trivial(exam: Exam) -> list[Issue]:
    """Questions that were answered right without any text, for the writers of the quiz."""
    return [
        Issue(
            kind="trivial",
            target=str(answer.number),
            explanation="Somebody who had read nothing answered it as the key says: it is known, or can be guessed.",
            fix="Write another question in its place, which only a reader of the document can answer.",
        )
        for answer in exam.answers
        if answer.known
    ]


def ranked(issues: Iterable[Issue], about: Callable[[Issue], Hashable]) -> list[Issue]:
    """The issues with the gravest first; of those of one gravity that are about the same thing only the first.

    Args:
        about: What an issue is about.
    """
    first: dict[Hashable, Issue] = {}
    for issue in issues:
        first.setdefault((gravity(issue), about(issue)), issue)
    return sorted(first.values(), key=gravity)


def gravity(issue: Issue) -> int:
    """How grave an issue is by its kind, from 0, the gravest."""
    return next((rank for rank, kinds in enumerate(GRAVITY) if issue.kind in kinds), UNKNOWN_KIND)


def alternating(*sources: Sequence[Issue]) -> list[Issue]:
    """The issues of all sources, taken from each in turn."""
    return [issue for issue in chain.from_iterable(zip_longest(*sources)) if issue is not None]


def about_a_summary(issue: Issue) -> Hashable:
    """What an issue of a summary is about: the sentence of the document that proves it, else its target."""
    return same_text(issue.evidence) or same_text(issue.target)


def about_a_quiz(quiz: Quiz) -> Callable[[Issue], Hashable]:
    """What an issue of a quiz is about: its kind and the questions that it names, else its target."""
    return lambda issue: (issue.kind, frozenset(named_questions([issue], quiz)) or same_text(issue.target))


def points(words: int) -> int:
    """How many points of feedback a summary of so many words can meet in one revision."""
    return max(FEWEST_POINTS, words // WORDS_PER_POINT)


def _remedy(question: Question) -> str:
    where = f" (see {question.section})" if question.section else ""
    if question.kind == "true_false":
        return f"The statement may be true or false: say what the document says about it{where}."
    return f"Say what the document says about this{where}."


def _failure(answer: GradedAnswer, open_book: bool) -> str:
    if open_book:
        return "Even with the document at hand this question could not be answered as its key says."
    if answer.blame == "both":
        return "It was answered wrongly from the summary; whether the question or the summary is at fault is not known."
    return "It was answered wrongly from the summary, and reviewers find the question at fault."


__all__ = [
    "about_a_quiz",
    "about_a_summary",
    "alternating",
    "for_the_quiz",
    "for_the_summary",
    "points",
    "ranked",
    "trivial",
    "with_blame",
    "without_text",
]
