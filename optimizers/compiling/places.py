"""The place of each role in the program: what it gets from whom, and who reads what it writes.

Whoever writes instructions for a role is told: prompts proposed for a module whose place is unknown drift.
"""

_READERS = {
    "summary": "All candidates go to an aggregator, which merges them, and to a ranker, which names the best of them.",
    "quiz": "All questions go to an aggregator, which selects among them, and to a ranker, which names the best quiz.",
}


def _stream(name: str) -> dict[str, str]:
    return {
        f"{name}_generator.draft": f"It comes first and gets the document alone. {_READERS[name]}",
        f"{name}_generator.revise": (
            f"It gets the {name} of the last iteration and the issues that reviewers agreed on. {_READERS[name]}"
        ),
        f"{name}_generator.vote": (
            "It gets the aggregate and the best draft, in an order that says nothing. What most generators vote for "
            "goes to the reviewers and into the examination."
        ),
        f"{name}_aggregator": (
            "It gets what several generators wrote independently. Generators then vote between its result and the "
            "draft that a ranker calls the best."
        ),
        f"{name}_ranker": (
            "It gets what several generators wrote independently. Generators then vote between its choice and an "
            "aggregate."
        ),
        f"{name}_reviewer.review": (
            f"It gets the {name} that the generators chose. Its issues are grouped with those of other reviewers; what "
            f"only one raised is debated; what stands goes to the generators, who revise the {name} by it. A false "
            f"issue makes the {name} worse."
        ),
        f"{name}_reviewer.debate": (
            "It gets issues that only one reviewer raised, and the arguments so far. What it upholds goes to the "
            "generators, who revise by it."
        ),
        f"{name}_reviewer.verdict": (
            "It gets contested issues with all arguments about them. What most uphold goes to the generators, who "
            "revise by it."
        ),
        f"{name}_grouper": (
            "It gets the issues of all reviewers. Those that it puts together count as agreed on; all others are "
            "debated."
        ),
    }


PLACES = {
    **_stream("summary"),
    **_stream("quiz"),
    "examinee": "It gets a summary and a quiz written on the document. What it gets wrong is sent back as an omission.",
    "examinee.open_book": "It gets the document and a quiz. Questions that it can't answer as keyed are thrown out.",
    "grader": "It gets an examinee's short answers with their keys. Its marks decide what the summary lacks.",
    "rewriter": "It gets the final summary. What it writes is what the user reads.",
    "digester": "It gets one passage of a document that is too long to be read. Everybody else reads only its notes.",
}


def place_of(role: str) -> str:
    """What a role gets from whom and who reads it; empty for a role that is not of the program."""
    place = PLACES.get(role, "")
    return f"Its place in the program: {place}" if place else ""


__all__ = ["place_of"]
