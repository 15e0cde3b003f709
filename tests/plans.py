"""Settings and plans for the scripted model that several tests share."""

from tests.planted import Asked, Outputs, found, issue, stands

SIX = {"multiple_choice": 2, "true_false": 2, "short_answer": 2}
"""A short quiz."""


def quarrelsome(asked: Asked) -> Outputs:
    """An issue that only this reviewer raises."""
    return found(issue(f"the words of {asked.agent}", explanation=f"Found by {asked.agent}."))


BUSY = {
    "summary_reviewer.review": quarrelsome,
    "quiz_reviewer.review": quarrelsome,
    "summary_reviewer.debate": stands(default=True),
    "quiz_reviewer.debate": stands(default=True),
    "summary_reviewer.verdict": stands(default=True),
    "quiz_reviewer.verdict": stands(default=True),
    "summary_generator.revise": lambda asked: {"summary": f"{asked['previous']} By {asked.agent}."},
    "quiz_generator.vote": {"better": "first"},
    "examinee": {"sheet": {"answers": [{"number": n, "answer": "something"} for n in range(1, 7)]}},
    "examinee.blind": {"sheet": {"answers": [{"number": n, "answer": "something"} for n in range(1, 7)]}},
    "examinee.open_book": {"sheet": {"answers": [{"number": n, "answer": "something"} for n in range(1, 7)]}},
}
"""A plan in which everything is contested, and no iteration is like the one before."""
