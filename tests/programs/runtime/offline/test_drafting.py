"""Summaries are selections of the document's own words, of the wanted length, and do what feedback asks."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dspy.utils.exceptions import LMUnsupportedFeatureError

from summq.programs.runtime.offline import OfflineEngine
from summq.programs.runtime.offline.composing import plain
from summq.programs.text.reading import read
from summq.signatures import (
    AggregateSummaries,
    CorrectSummary,
    Critique,
    Document,
    DraftSummary,
    FalseStatement,
    Issue,
    ReviseSummary,
    RewriteToLength,
)
from tests.documents import HARBOUR as EXAMPLE

PLAY = """ACT I, SCENE 1. A quay.

[Enter ANNA and BORIS]

ANNA: The ship from Riga came in at dawn, and nobody has dared to open its hold since then.

BORIS: My brother Pavel was on board. He wrote that the captain had sold the cargo of grain in Danzig.

ANNA: Then the merchants of this town are ruined, for they borrowed two thousand crowns upon that grain.

BORIS: Say nothing to them before the harbour master returns. [Exit BORIS]

ANNA: I gave my word to Pavel that I would read his letter aloud in the market square at noon.
"""


def flat(text: str) -> str:
    return " ".join(text.split())


def clipped(summary: str) -> Iterator[str]:
    """The stretches of a summary between the places where it was cut or a sentence ends."""
    for piece in summary.replace("…", "\n").replace(". ", ".\n").splitlines():
        if piece.strip():
            yield piece.strip().rstrip(".")


@pytest.mark.parametrize("words", [10, 25, 60, 120, 200])
def test_keeps_within_a_tenth_of_the_wanted_length(harbour: Document, ask: Any, words: int) -> None:
    summary = ask(DraftSummary, document=harbour, target_words=words).summary

    assert 0.9 * words <= len(summary.split()) <= 1.1 * words


def test_every_stretch_is_in_the_document_word_for_word(harbour: Document, ask: Any) -> None:
    summary = ask(DraftSummary, document=harbour, target_words=120).summary

    assert all(piece in flat(harbour.text) for piece in clipped(summary))


def test_sentences_stand_in_the_order_of_the_document(harbour: Document, ask: Any) -> None:
    summary = ask(DraftSummary, document=harbour, target_words=120).summary
    places = [flat(harbour.text).index(piece) for piece in clipped(summary)]

    assert places == sorted(places)


def test_a_document_shorter_than_the_wanted_length_is_given_whole(ask: Any) -> None:
    text = "Anna sailed to Riga in 1912. She came back with a cargo of amber."

    assert ask(DraftSummary, document=Document(text=text), target_words=100).summary == text


def test_no_space_parts_sentences_of_chinese(ask: Any) -> None:
    text = "委员会在一九九四年买下了这座桥。 委员会卖给了一家公司。"

    assert ask(DraftSummary, document=Document(text=text), target_words=100).summary == text.replace(" ", "")


def test_code_tables_and_marks_of_lists_are_no_part_of_a_summary(ask: Any) -> None:
    code = "/* Anna sailed to Riga and Anna came back. */ for (;;) { Anna sailed to Riga.\n}"
    row = "Anna | sailed to Riga | in 1912 and came back with amber."
    item = "* Anna sailed to Riga in 1912 and came back with a cargo of amber."

    summary = ask(DraftSummary, document=Document(text=f"{code}\n\n{row}\n\n{item}"), target_words=14).summary
    assert summary == item[2:]


def test_headings_are_no_part_of_a_summary(ask: Any) -> None:
    text = "# Anna\n\n## Riga\nAnna sailed to Riga in 1912.\n\nHome\n----\n\nShe came back with a cargo of amber."

    for words in (100, 10):
        summary = ask(DraftSummary, document=Document(text=text), target_words=words).summary
        assert "Anna sailed to Riga in 1912." in summary
        assert not any(mark in summary for mark in ("#", "Home", "---"))


def test_a_document_without_sentences_is_refused_in_one_line(ask: Any) -> None:
    with pytest.raises(LMUnsupportedFeatureError, match=r"finds no sentences in this text.*--backbone"):
        ask(DraftSummary, document=Document(text="alpha beta " * 200), target_words=50)


def test_a_document_that_repeats_itself_still_fills_the_length(ask: Any) -> None:
    text = "The ship came in from Riga with a cargo of amber. Nobody would buy it. " * 30

    assert 54 <= len(ask(DraftSummary, document=Document(text=text), target_words=60).summary.split()) <= 66


def test_agents_with_different_angles_draft_differently(harbour: Document, ask: Any) -> None:
    figures = DraftSummary.with_instructions(
        "Attend above all to figures, amounts and percentages: how much, how many."
    )
    people = DraftSummary.with_instructions("Attend above all to people: names, who they are, who did what.")

    assert (
        ask(figures, document=harbour, target_words=60).summary
        != ask(people, document=harbour, target_words=60).summary
    )


def test_words_of_the_instructions_draw_the_sentences_that_have_them(harbour: Document, ask: Any) -> None:
    museum = DraftSummary.with_instructions("Summarise with the museum, its customs house and its visitors in view.")

    assert "museum" in ask(museum, document=harbour, target_words=40).summary


def test_speakers_of_a_play_are_named(ask: Any) -> None:
    summary = ask(DraftSummary, document=Document(text=PLAY), target_words=45).summary

    assert "ANNA: " in summary or "BORIS: " in summary


def test_an_omission_is_looked_up_and_worked_in(harbour: Document, ask: Any) -> None:
    previous = ask(DraftSummary, document=harbour, target_words=60).summary
    question = "Which date completes the statement: “When the new quay opened on ____, Queen Juliana named it”?"
    feedback = [Issue(kind="omission", target=question, explanation="The summary does not tell.")]
    revised = ask(ReviseSummary, document=harbour, target_words=60, previous=previous, feedback=feedback).summary

    assert "12 May 1951" not in previous
    assert "12 May 1951" in revised
    assert 54 <= len(revised.split()) <= 66


def test_a_false_sentence_goes_and_the_evidence_comes_in(harbour: Document, ask: Any) -> None:
    false = "The company paid 45,000 guilders a year and employed 210 dockers."
    evidence = (
        "The company paid 90,000 guilders a year and employed 210 dockers, most of whom had been fishermen before."
    )
    feedback = [Issue(kind="factual_error", target=false, explanation="The sum is wrong.", evidence=evidence)]
    revised = ask(
        ReviseSummary,
        document=harbour,
        target_words=60,
        previous=f"{false} Pieter Adema designed it.",
        feedback=feedback,
    )

    assert "45,000" not in revised.summary
    assert "90,000" in revised.summary


def test_the_aggregate_holds_only_what_candidates_say(ask: Any) -> None:
    candidates = [
        "The wall was rebuilt in 1934. Pieter Adema designed it.",
        "Pieter Adema designed it. It cost 4 million.",
    ]
    merged = ask(
        AggregateSummaries, document=Document(text=" ".join(candidates)), target_words=12, candidates=candidates
    )

    assert merged.summary.count("Pieter Adema") == 1
    assert all(piece in " ".join(candidates) for piece in clipped(merged.summary))


def test_without_the_document_the_aggregate_keeps_the_order_of_the_candidates(ask: Any) -> None:
    candidates = [
        "Anna left Riga in the spring. The ship burned in Danzig at the end.",
        "Her cargo was amber for the king. Nobody ever found the captain of that ship.",
    ]
    merged = ask(AggregateSummaries.delete("document"), target_words=30, candidates=candidates).summary

    assert merged.index("Riga") < merged.index("Danzig")
    assert merged.index("amber") < merged.index("Danzig")


@pytest.mark.parametrize("words", [80, 120, 200])
def test_a_summary_is_of_whole_sentences(harbour: Document, ask: Any, words: int) -> None:
    assert "…" not in ask(DraftSummary, document=harbour, target_words=words).summary


def test_a_sentence_stands_behind_those_that_it_leans_on(harbour: Document, ask: Any) -> None:
    pension = DraftSummary.with_instructions("Summarise with the pension fund, the guilders and every worker in view.")
    summary = ask(pension, document=harbour, target_words=60).summary

    assert "sign an agreement in September 1936. It restored the wages and gave the dockers a pension fund" in summary


def test_that_somebody_died_is_said_first(ask: Any) -> None:
    harbour = Document(text=EXAMPLE.read_text())
    summary = ask(DraftSummary, document=harbour, target_words=100).summary

    assert "Two people died: Tomas Arkwright" in summary
    assert "Isolde Brandt" in summary
    assert not {"*", "#"} & set(summary)


def test_that_somebody_mentions_the_dead_in_a_talk_does_not_come_first() -> None:
    said = ["The ferry company pays the harbour nothing.", "Two sailors were killed last year by the bridge."]
    talk, story = (read("\n".join(f"{speaker}{s}" for s in said * 3)) for speaker in ("Ann Lee: ", ""))

    assert story.salience[3] > 2 * talk.salience[3]


def test_what_marks_a_sentence_up_is_left_out() -> None:
    assert (
        plain("Second, the ferry *Isolde\nBrandt* cost 2 * 3 crowns.") == "The ferry Isolde Brandt cost 2 * 3 crowns."
    )


def test_a_rewrite_is_shorter_and_adds_nothing(harbour: Document, ask: Any) -> None:
    summary = ask(DraftSummary, document=harbour, target_words=120).summary
    rewritten = ask(RewriteToLength, summary=summary, target_words=60).rewritten

    assert 54 <= len(rewritten.split()) <= 66
    assert all(piece in summary for piece in clipped(rewritten))


def test_a_correction_drops_the_false_statement(harbour: Document, ask: Any) -> None:
    previous = "Queen Juliana named the quay after Clara Hoving. The harbour museum opened in 1985."
    critique = Critique(false_statements=[FalseStatement(statement=previous.split(". ")[0], reason="It was Adema.")])
    reply = ask(CorrectSummary, document=harbour, previous=previous, critique=critique, target_words=40)

    assert "after Clara Hoving" not in reply.summary


def test_an_erring_generator_copes_with_figures_alone(ask_of: Any) -> None:
    erring = ask_of(OfflineEngine(rates={"generator": 1.0}))

    assert erring(
        DraftSummary,
        document=Document(text="These are the figures of the year. " + "1 2 3. 4 5 6! 7 8 9? " * 50),
        target_words=30,
    ).summary


def test_an_erring_generator_plants_what_the_document_does_not_say(harbour: Document, ask_of: Any) -> None:
    honest = ask_of(OfflineEngine())(DraftSummary, document=harbour, target_words=120).summary
    erring = ask_of(OfflineEngine(rates={"generator": 1.0}))(DraftSummary, document=harbour, target_words=120).summary

    assert honest != erring
    assert not all(piece in flat(harbour.text) for piece in clipped(erring))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["reports", "stories", "meetings", "plays"])
def test_keeps_the_length_on_real_documents(kind: str, shared_data: Path, ask: Any) -> None:
    rows = [json.loads(line) for line in (shared_data / kind / "dev.jsonl").read_text().splitlines()[:1]]
    for row in rows:
        summary = ask(DraftSummary, document=Document(text=row["document"]), target_words=300).summary

        assert 270 <= len(summary.split()) <= 330, row["id"]
