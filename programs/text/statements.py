"""How a question quotes a statement of the document, with or without a gap, and how the quotation is read back.

Questions of three forms stand alone because they carry the statement itself:
a gap to fill, a speaker to name, and a statement to call true or false.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import regex

from summq.programs.text.stems import STOPWORDS, stem, words
from summq.programs.text.words import letters_of

GAP = "____"
NEGATIONS = frozenset({"not", "no", "never", "none", "cannot", "nobody", "nothing", "neither", "nor", "without"})
LONGEST_CHANGE = 6
_QUOTED = re.compile(r"\A[^“]*+“(.*)”", re.DOTALL)
_SAID_BY = re.compile(r"^(?P<speaker>[^“”]{1,80}?) says: “")
_STATES = re.compile(r"^The document states: “")
_WHO_SAYS = re.compile(r"^Who says: “")

NOUNS = {
    "date": "date",
    "money": "sum",
    "percent": "percentage",
    "number": "number",
    "quote": "phrase",
    "name": "name",
    "term": "word",
}


def gap_question(clause: str, start: int, end: int, kind: str, speaker: str) -> str:
    """Asks for the words of `clause` from `start` to `end`."""
    by = f"what {speaker} says" if speaker else "the statement"
    return f"Which {NOUNS[kind]} completes {by}: “{clause[:start]}{GAP}{clause[end:]}”?"


def speaker_question(clause: str) -> str:
    """Asks who says the clause."""
    return f"Who says: “{clause}”?"


def claim(clause: str, speaker: str) -> str:
    """A statement to be called true or false."""
    return f"{speaker} says: “{clause}”" if speaker else f"The document states: “{clause}”"


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a question quotes. `speaker` is whom a claim says it is by, `asks_speaker` whether that is the question."""

    statement: str
    speaker: str = ""
    asks_speaker: bool = False

    @classmethod
    def by(cls, question: str) -> "Quoted":
        """The statement a question quotes; the question itself where it quotes none."""
        quoted = _QUOTED.match(question)
        if quoted is None:
            return cls(question)
        if GAP in quoted[1]:
            return cls(quoted[1])
        if _WHO_SAYS.match(question):
            return cls(quoted[1], asks_speaker=True)
        speech = _SAID_BY.match(question)
        if speech:
            return cls(quoted[1], speech["speaker"])
        return cls(quoted[1] if _STATES.match(question) else question)


def filling(statement: str, sentence: str) -> str | None:
    """The words of `sentence` that fill the gap of `statement`; None where the two do not match around it."""
    left, _, right = statement.partition(GAP)
    before, after = [w[0] for w in words(left)], [w[0] for w in words(right)]
    for reach in (5, 2):
        between = r"\W*" if letters_of(statement) else r"\W+"  # regex, for which vowel signs are parts of words
        pattern = between.join([*map(regex.escape, before[-reach:]), r"(.{1,80}?)", *map(regex.escape, after[:reach])])
        edge = r"" if letters_of(statement) else r"\b"
        pattern = (edge if before else r"^\W*") + pattern + (edge if after else r"\W*$")
        match = regex.search(pattern, " ".join(sentence.split()), regex.IGNORECASE)
        if match:
            filler: str = match[1]
            return filler.strip(" ,;:.!?\"“”'’()")
    return None


def agrees(statement: str, sentence: str) -> bool | None:
    """Whether a sentence says what the statement says (True), says otherwise (False), or does not tell (None).

    It says otherwise when a few words of it stand in the place of others, or one of the two is negated.
    """
    if denies(statement, sentence):
        return False
    missing = False
    for removed, added in _differences(statement, sentence):
        if _content(removed):
            if _content(added) and len(added) <= LONGEST_CHANGE and len(removed) <= LONGEST_CHANGE:
                if _content(removed) != _content(added):
                    return False
            else:
                missing = True
    return None if missing else True


def denies(statement: str, sentence: str) -> bool:
    """Whether one of the two is negated where the other is not, within what they have in common."""
    return any(_negations(removed) != _negations(added) for removed, added in _differences(statement, sentence))


def _differences(statement: str, sentence: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words of the statement and those that stand in their place, wherever the two differ.

    What the sentence says before or after the statement is no difference.
    """
    ours = [word[0].lower() for word in words(statement)]
    theirs = [word[0].lower() for word in words(sentence)]
    for op, a, b, c, d in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes():
        if op != "equal" and not (op == "insert" and a in (0, len(ours))):
            yield ours[a:b], theirs[c:d]


def _negations(words: Sequence[str]) -> int:
    return sum(map(negates, words))


def negates(word: str) -> bool:
    """Whether a word in small letters turns what is said into its opposite; `n't` may be part of it."""
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def _content(words: Sequence[str]) -> list[str]:
    return [stem(word) for word in words if word not in STOPWORDS]


__all__ = ["GAP", "Quoted", "agrees", "claim", "denies", "filling", "gap_question", "negates", "speaker_question"]
