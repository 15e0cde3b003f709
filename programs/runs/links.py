"""What belongs together in a run without saying so: questions and sentences, changes and the issues they answer.

By shared words, which a page has to say: neither the examinee nor a generator was asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from summq.programs.text.differences import Piece, word_diff
from summq.programs.text.sentences import sentence_spans
from summq.programs.text.stems import stems_of
from summq.signatures import Issue, Iteration, Question

SHARED = 0.4
"""The share of the words of a question, or of a change, that has to be found in a sentence, or in an issue."""
MET = 0.7
"""The share of the words of an issue that has to be new for a longer change to answer it."""
FEWEST = 2


@dataclass(frozen=True)
class Change:
    """A piece of a word diff; `issues` are the numbers, from 1, of the points of feedback that it seems to answer."""

    piece: Piece
    issues: tuple[int, ...] = ()


def nearest_sentence(question: Question, summary: str) -> slice | None:
    """The sentence of the summary that shares most words with a question, its key and its evidence, if any does."""
    stems = stems_of(f"{question.question} {question.answer}")
    proof = stems_of(question.evidence)

    def nearness(span: tuple[int, int]) -> float:
        words = stems_of(summary[slice(*span)])
        return max(_share(stems, words), _share(proof, words))

    best = max(sentence_spans(summary), key=nearness, default=None)
    return slice(*best) if best and nearness(best) >= SHARED else None


def changes_between(before: Iteration, after: str) -> list[Change]:
    """The word diff between the summary of an iteration and the next one, its changes linked to the feedback."""
    about = [_words_of(issue, before) for issue in before.summary_feedback]
    return [Change(piece, _causes(piece, about) if piece.changed else ()) for piece in word_diff(before.summary, after)]


def _words_of(issue: Issue, iteration: Iteration) -> frozenset[str]:
    """What an issue points at; a failed question stands for its key and its evidence."""
    questions = iteration.quiz.questions if iteration.quiz else []
    question_text = next((f"{q.answer} {q.evidence}" for q in questions if q.question == issue.target), "")
    return stems_of(question_text or f"{issue.target} {issue.evidence} {issue.fix}")


def _causes(piece: Piece, about: Sequence[frozenset[str]]) -> tuple[int, ...]:
    """The issues whose words are new here, or that hold most of the words that are new; or of those that went."""
    old, new = stems_of(piece.removed), stems_of(piece.added)
    words = new - old or old - new
    met = [_share(issue, words) >= MET or _share(words, issue) >= SHARED for issue in about]
    return tuple(number for number, is_met in enumerate(met, 1) if is_met)


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    shared = len(wanted & present)
    return shared / len(wanted) if shared >= min(FEWEST, len(wanted)) and wanted else 0.0


__all__ = ["Change", "changes_between", "nearest_sentence"]
