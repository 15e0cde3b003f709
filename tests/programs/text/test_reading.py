"""Texts are read the same way wherever they come from: sentences, speakers, facts, and what is looked up in them."""

from concurrent.futures import ThreadPoolExecutor
from itertools import permutations

import pytest

from summq.programs.text.reading import Reading, read
from summq.programs.text.salience import topicality

TRANSCRIPT = """The Chair (Hon. Anthony Rota (Nipissing, Lib.)): I call this meeting to order. Please sit down.

Hon. Maria Vries: Mr. Chair, the fund has paid 40 million dollars since March 2020.

The Chair: Thank you. We now move to Mr. Adema.
"""


def facts_in(text: str) -> list[tuple[str, str]]:
    return [(fact.kind, fact.text) for facts in Reading(text).facts for fact in facts]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("He paid one hundred and twenty crowns.", ["one hundred and twenty"]),
        ("The two and three others waited twenty-one days.", ["two", "three", "twenty-one"]),
        ("It took two and a half years.", ["two and a half"]),
    ],
)
def test_numbers_in_words_are_whole(text: str, numbers: list[str]) -> None:
    assert [found for kind, found in facts_in(text) if kind == "number"] == numbers


def test_a_transcript_has_speakers_without_titles() -> None:
    spoken = [(s.speaker, s.text) for s in Reading(TRANSCRIPT).sentences]

    assert spoken[0] == ("The Chair", "I call this meeting to order.")
    assert ("Maria Vries", "Mr. Chair, the fund has paid 40 million dollars since March 2020.") in spoken


def test_a_report_with_a_colon_has_none() -> None:
    text = "Note: this is a report.\n\nIt has several paragraphs.\n\nNone of them is spoken.\n\nThat is all."

    assert {s.speaker for s in Reading(text).sentences} == {""}


def test_sentences_are_found_at_their_places() -> None:
    reading = Reading(TRANSCRIPT)

    assert all(reading.text[s.start : s.end] == s.text for s in reading.sentences)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("It opened on May 12, 1951 in the rain.", ("date", "May 12, 1951")),
        ("It opened on 12 May 1951 in the rain.", ("date", "12 May 1951")),
        ("The budget for FY2026 was passed.", ("date", "FY2026")),
        ("They borrowed $1.5 trillion abroad.", ("money", "$1.5 trillion")),
        ("The catch fell by 60 percent in all.", ("percent", "60 percent")),
        ("It employed 1,210 dockers there.", ("number", "1,210")),
        ("There were twenty-five boats left.", ("number", "twenty-five")),
        ("He went to see Pieter Adema there.", ("name", "Pieter Adema")),
        ("It was built by the Bank of the North.", ("name", "Bank of the North")),
    ],
)
def test_facts_are_recognised(text: str, fact: tuple[str, str]) -> None:
    assert fact in facts_in(text)


def test_a_word_without_a_capital_is_no_name_in_any_alphabet() -> None:
    text = "Совет в Москве одобрил план. Там Анна Иванова, работающая в Москве, ответила ему. Il était à Zürich, là."

    names = [text for kind, text in facts_in(text) if kind == "name"]

    assert names == ["Москве", "Там Анна Иванова", "Москве", "Zürich"]


@pytest.mark.parametrize("text", ["The five-year plan failed.", "Then I'd rather go home.", "See Section below."])
def test_what_only_looks_like_a_fact_is_none(text: str) -> None:
    assert facts_in(text) == []


def test_looking_up_finds_the_sentence_and_how_much_of_it() -> None:
    reading = Reading("Anna sailed to Riga. Boris stayed in Danzig with his brother.")
    hit = reading.find("Boris stayed in Danzig")

    assert hit is not None
    assert (hit.sentence.index, hit.share) == (1, 1.0)
    assert reading.find("unheard words") is None


def test_the_same_text_is_read_once_even_from_many_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        readings = set(pool.map(lambda _: id(read(TRANSCRIPT)), range(50)))

    assert len(readings) == 1


def test_the_order_of_stems_does_not_show_in_a_score() -> None:
    weights = {"lamp": 0.1, "pier": 0.2, "tide": 0.3, "rope": 0.7}
    assert len({topicality(order, weights) for order in permutations(weights)}) == 1
