"""Sentences are found without a download, and nothing of the text is lost."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from summq.programs.text.sentences import sentence_spans, split_sentences


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One came. Two went!  Why?", ["One came.", "Two went!", "Why?"]),
        ("Dr. J. Smith met Mr. Lee. They spoke.", ["Dr. J. Smith met Mr. Lee.", "They spoke."]),
        ("The U.S. army left. It rained.", ["The U.S. army left.", "It rained."]),
        ("It cost 3.5 million. Nobody paid.", ["It cost 3.5 million.", "Nobody paid."]),
        ("“Come in.” She sat (at last). He left.", ["“Come in.”", "She sat (at last).", "He left."]),
        ("Well... it rained. So what", ["Well...", "it rained.", "So what"]),
        ("He walked, e.g. home. It was I. Then", ["He walked, e.g. home.", "It was I.", "Then"]),
        ("A heading\n\nA line\nthat goes on. End.", ["A heading", "A line\nthat goes on.", "End."]),
        ("今天下雨。我们回家！好吗？", ["今天下雨。", "我们回家！", "好吗？"]),
        ("वह आया। वह गया।", ["वह आया।", "वह गया।"]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_splits_where_a_reader_would(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "Das gilt z. B. Bremen und d. h. Menschen wie Prof. Dr. Ute Klein. | Sie blieb.",
        "Im 15. Jahrhundert stand das Haus mit Turm, am 3. Mai 1990 kam der XIV. Dalai Lama mit der Bahn."
        " | Er war 15. | Dann",
        "Am 3. 5. 1990 kostete es 5 Mio. Euro. | Vgl. Abs. 3 und Nr. 2. | Im Jahr 44 v. Chr. starb Caesar.",
        "M. Dupont et Mme Durand, cf. art. 5, en 44 av. J.-C. César mourut. | Allez-y. | Il pleut.",
        "El Sr. García y la Sra. Pérez viven en EE. UU. de América. | Así es. | Véase la pág. 12.",
        "Il dott. Rossi e il sig. Bianchi. | Nel 44 a. C. Cesare morì. | Cfr. cap. 3.",
        "De heer dr. Jansen en mevr. Bakker, zie blz. 12. | Dat is zo.",
        "Prof. dr hab. Jan Kowalski mieszka na ul. Długiej. | W 1990 r. Kraków był inny. | Był w nim w 1990 r. | Nie.",
        "В 1812 г. Наполеон был в г. Москва. | См. рис. 5. | А. С. Пушкин умер в 1837 г. | Это я. | И т. д. | Да",
        "We solve for x. | Then it weighed 300 g. | Nobody paid for a work of art. | He said no. | See No. 5 on p. 12.",
        "He was 15. | Police came. | There were 2. | Nobody knew.",
        "د. أحمد وصل. | ثم ذهب.",
        "It fell.\n | ## What happened? Ask Dr. No\n | The trade\nfell.",
    ],
)
def test_abbreviations_ordinals_and_headings_end_no_sentence(text: str) -> None:
    sentences = [sentence.strip() for sentence in text.split("|")]
    together = text.replace("\n | ", "\n").replace(" | ", " ")
    assert split_sentences(together) == sentences


@given(st.text(alphabet="aB.!? \n”。", max_size=60))
def test_every_visible_character_is_in_exactly_one_sentence(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())
    spans = list(sentence_spans(text))
    assert all(a.end <= b.start for a, b in pairwise(spans))
