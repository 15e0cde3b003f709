"""Summaries of graded quality for one document: what voters choose from and what the learned metric learns to order.

Human and machine summaries, trivial rows, and damaged versions of good ones. A reference that is a
candidate itself is not among those that candidates are compared with, where there are several.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import dspy

from summq.eval.data import Row
from summq.optimizers.planted.summaries import DAMAGES, DamageKind, damage
from summq.programs import SummQ
from summq.programs.summq import complete
from summq.programs.text.sentences import sentence_spans
from summq.programs.text.stems import first_words
from summq.signatures import Document

HARDEST: tuple[DamageKind, ...] = ("swapped_entity", "changed_number", "truncation")
"""The damages that a machine summary is also shown with."""


@dataclass(frozen=True)
class Candidate:
    """A summary, what it is, and what it was made of by damaging it (then `origin` is a better summary)."""

    kind: str
    text: str
    origin: str | None = None
    human: bool = False


@dataclass(frozen=True)
class Candidates:
    """Summaries of one document, and the references that they are compared with."""

    row: Row
    candidates: tuple[Candidate, ...]

    def human(self) -> list[Candidate]:
        """Those that people wrote."""
        return [candidate for candidate in self.candidates if candidate.human]

    def planted(self) -> "list[tuple[Candidate, Candidate]]":
        """Every damaged candidate behind the one that it was made of, which is the better of the two."""
        by_kind = {candidate.kind: candidate for candidate in self.candidates}
        return [(by_kind[c.origin], c) for c in self.candidates if c.origin is not None]


def build_candidates(row: Row, other: Row, systems: Mapping[str, dspy.Module], seed: int = 0) -> Candidates:
    """The candidates of a row that has a reference; the same seed gives the same.

    Args:
        other: A row about something else; its reference is the summary of the wrong document.
        systems: Programs whose summaries are candidates, by name; they run on the backbone in force. The summary of
            the first is damaged too.
    """
    rng = random.Random(f"{seed}/{row.id}")
    humans, others = split_references(row, rng)
    words = len(humans[0].split())
    made = {name: complete(system(document=row.document)).summary for name, system in systems.items()}
    found = [
        *(Candidate(f"reference_{n + 1}" if n else "reference", text, human=True) for n, text in enumerate(humans)),
        *_damages("reference", humans[0], DAMAGES, rng),
        Candidate("other_document", first_words(other.references[0], words), origin="reference"),
        Candidate("empty", "", origin="reference"),
        *(Candidate(name, text) for name, text in made.items()),
        *(damaged for name, text in list(made.items())[:1] for damaged in _damages(name, text, HARDEST, rng)),
        *_stretches(row.document, words, rng),
    ]
    return Candidates(replace(row, references=tuple(others)), tuple(found))


def split_references(row: Row, rng: random.Random) -> tuple[list[str], list[str]]:
    """Half of the references as candidates, and the rest to compare with; a single reference is both."""
    shuffled = rng.sample(row.references, len(row.references))
    half = (len(shuffled) + 1) // 2
    return shuffled[:half], shuffled[half:] or shuffled


def usual_systems(words: int) -> dict[str, dspy.Module]:
    """Systems that differ in effort and length: one draft, a short draft, and SummQ with one agent per component."""
    short = max(10, words // 3)
    return {
        "draft": SummQ.preset("solo", target_words=words, max_iterations=1, quiz_stream=False),
        "short_draft": SummQ.preset("solo", target_words=short, max_iterations=1, quiz_stream=False),
        "solo": SummQ.preset("solo", target_words=words, max_iterations=2),
    }


def _damages(origin: str, text: str, kinds: Sequence[DamageKind], rng: random.Random) -> Iterator[Candidate]:
    for kind in kinds:
        damaged = damage(text, kind, rng)
        if damaged is not None:
            yield Candidate(f"{origin}/{kind}", damaged.text, origin)


def _stretches(document: Document, words: int, rng: random.Random) -> Iterator[Candidate]:
    """Sentences of the document that nobody selected: its beginning, its end, and some from all over it."""
    sentences = [document.text[span.start : span.end] for span in sentence_spans(document.text)]
    yield Candidate("lead", first_words(" ".join(sentences), words))
    yield Candidate("tail", first_words(" ".join(_last(sentences, words)), words))
    places = rng.sample(range(len(sentences)), len(sentences))
    taken, count = [], 0
    for place in places:
        if count >= words:
            break
        taken.append(place)
        count += len(sentences[place].split())
    yield Candidate("random", " ".join(sentences[place] for place in sorted(taken)))


def _last(sentences: Sequence[str], words: int) -> list[str]:
    taken: list[str] = []
    while len(taken) < len(sentences) and sum(len(s.split()) for s in taken) < words:
        taken.insert(0, sentences[-len(taken) - 1])
    return taken


__all__ = ["Candidate", "Candidates", "build_candidates", "split_references", "usual_systems"]
