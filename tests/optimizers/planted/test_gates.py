"""The gates' candidates are what their names say, and stand behind good summaries."""

import re

from summq.optimizers.planted.gates import GATES, gate_candidates, gate_pairs
from tests.optimizers.domain import HARBOUR, ORCHARD, ORCHARD_REFERENCE

DRAFT = " ".join(HARBOUR.document.text.split("\n\n")[0].split())
CANDIDATES = gate_candidates(HARBOUR, ORCHARD, DRAFT)
TEXTS = {candidate.kind: candidate.text for candidate in CANDIDATES.candidates}


def words(text: str) -> list[str]:
    return sorted(re.findall(r"\w+", text.lower()))


def test_there_is_a_damage_of_each_kind_and_the_same_seed_makes_the_same() -> None:
    assert {kind.partition("/")[2] for kind in TEXTS} - {""} == set(GATES)
    assert gate_candidates(HARBOUR, ORCHARD, DRAFT) == CANDIDATES


def test_shuffled_and_reversed_texts_hold_the_same_words() -> None:
    for base in ("reference", "draft"):
        for gate in ("shuffled_words", "reversed_words"):
            assert words(TEXTS[f"{base}/{gate}"]) == words(TEXTS[base])
            assert TEXTS[f"{base}/{gate}"] != TEXTS[base]


def test_word_salad_is_words_of_the_document() -> None:
    assert set(TEXTS["reference/word_salad"].split()) <= set(HARBOUR.document.text.split())
    assert ORCHARD_REFERENCE.startswith(TEXTS["reference/other_document"])


def test_padding_keeps_the_beginning_and_the_length() -> None:
    human = TEXTS["reference"]
    for gate in ("padding_repeated", "padding_phrases"):
        padded = TEXTS[f"reference/{gate}"]
        assert padded[:60] == human[:60]
        assert len(padded.split()) >= len(human.split())
        assert len(set(words(padded))) < len(set(words(human)))


def test_every_pair_has_its_better_summary_first() -> None:
    pairs = list(gate_pairs(CANDIDATES))
    assert {better.kind for _, better, _ in pairs} == {"reference", "draft"}
    assert all(worse.kind.endswith(gate) for gate, _, worse in pairs)
    assert ("padding_phrases", "reference", "draft/padding_phrases") in {(g, b.kind, w.kind) for g, b, w in pairs}
