"""ROUGE equals rouge-score where that reads every letter, and works where it does not."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.tokenizers import DefaultTokenizer

from summq.eval.data import Row, load_rows
from summq.eval.metrics.rouge import ROUGE_TYPES, Rouge, Tokenizer, one_sentence_a_line
from summq.programs.text.words import UnicodeTokenizer
from summq.signatures import Document

REFERENCE = "The ferries stayed in the harbour. Storms had closed it for two days. Nobody was hurt, said Dr. Lee."
PREDICTION = "Storms closed the harbour for 2 days. Dr. Lee said nobody was hurting. Ferries had stayed."
FOREIGN = {
    "Chinese": "今天下雨。我们回家了。",
    "Japanese": "雨が降った。みんな帰った。",
    "Russian": "Правительство объявило новые меры. Люди рады.",
    "Arabic": "أعلنت الحكومة عن تدابير جديدة. الناس سعداء؟",
    "Hindi": "सरकार ने नए उपाय किए। लोग खुश हैं।",
    "Thai": "ฝนตกหนัก ทุกคนกลับบ้าน",
    "French": "Le gouvernement a annoncé des mesures. L'été a été très agité à l'étranger.",
}


def row(*references: str) -> Row:
    return Row("r", Document(text="x"), references)


def stock_scores(reference: str, prediction: str) -> dict[str, float]:
    from rouge_score import rouge_scorer

    scorer = rouge_scorer.RougeScorer(list(ROUGE_TYPES), use_stemmer=True)
    scores = scorer.score(one_sentence_a_line(reference), one_sentence_a_line(prediction))
    return {name: scores[name].fmeasure for name in ROUGE_TYPES}


@pytest.mark.parametrize("tokenizer", ["auto", "unicode", "rouge-score"])
@pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.extra_metrics)])
def test_english_scores_are_those_of_rouge_score(tokenizer: str, fast: bool) -> None:
    score = Rouge(tokenizer=tokenizer, fast=fast).score(PREDICTION, row(REFERENCE))  # type: ignore[arg-type]
    assert score.values == pytest.approx(stock_scores(REFERENCE, PREDICTION), abs=1e-12)


@pytest.mark.parametrize(
    ("target", "prediction", "column", "f"),
    [
        ("testing one two", "testing", "rouge1", 1 / 2),
        ("testing one two", "testing one", "rouge1", 4 / 5),
        ("testing one two", "testing one", "rouge2", 2 / 3),
        ("testing one two", "testing one", "rougeL", 4 / 5),
        ("testing one two", "testing two", "rougeL", 4 / 5),
        ("W1 w2 w3 w4 w5.", "W1 w2 w6 w7 w8. W1 w3 w8 w9 w5.", "rougeLsum", 8 / 15),
        ("w1 w2 w3 w4 w5", "/", "rougeLsum", 0),
        *(("testing one two", "", column, 0) for column in ROUGE_TYPES),
    ],
)
@pytest.mark.parametrize("tokenizer", ["unicode", "rouge-score"])
@pytest.mark.parametrize("fast", [False, pytest.param(True, marks=pytest.mark.extra_metrics)])
def test_the_values_of_rouge_scores_own_tests(
    target: str, prediction: str, column: str, f: float, tokenizer: Tokenizer, fast: bool
) -> None:
    score = Rouge(tokenizer=tokenizer, fast=fast).score(prediction, row(target))
    assert score.values[column] == pytest.approx(f)


def test_lsum_differs_from_l_where_sentences_stand_in_another_order() -> None:
    values = Rouge().score(PREDICTION, row(REFERENCE)).values
    assert values["rougeLsum"] != pytest.approx(values["rougeL"])
    one_sentence = Rouge().score("storms closed the harbour", row("the harbour was closed by storms")).values
    assert one_sentence["rougeLsum"] == one_sentence["rougeL"]


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_every_script_scores_one_against_itself_and_less_against_half(text: str) -> None:
    whole, half = Rouge().score(text, row(text)), Rouge().score(text[: len(text) // 2], row(text))
    assert set(whole.values.values()) == {1.0}
    assert 0 < (half.values["rouge1"] or 0) < 1
    assert whole.details["tokenizer"] == "unicode"


def test_the_stock_tokenizer_says_how_many_letters_it_dropped() -> None:
    score = Rouge(tokenizer="rouge-score").score("да abc", row(FOREIGN["Russian"]))
    assert score.values["rouge1"] == 0
    assert score.details["dropped_letters"] == pytest.approx(2 / 5)


def test_a_few_accents_do_not_change_the_tokenizer() -> None:
    plain = "The house had been closed for many years when the old harbour was sold to a company from the north. "
    text = 8 * plain + plain.replace("house", "café")
    assert Rouge().score(text, row(text)).details["tokenizer"] == "rouge-score"


@pytest.mark.slow
@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=80))
def test_the_unicode_tokenizer_equals_the_stock_one_on_ascii(text: str) -> None:
    assert UnicodeTokenizer().tokenize(text) == DefaultTokenizer(use_stemmer=True).tokenize(text)


def test_several_references_give_the_best_or_the_mean() -> None:
    first, second = (Rouge().score(PREDICTION, row(text)).values["rouge1"] or 0 for text in (REFERENCE, "Ferries."))
    assert Rouge(references="best").score(PREDICTION, row(REFERENCE, "Ferries.")).values["rouge1"] == max(first, second)
    mean = Rouge(references="mean").score(PREDICTION, row(REFERENCE, "Ferries.")).values["rouge1"]
    assert mean == pytest.approx((first + second) / 2)


def test_no_reference_is_unscored_and_an_empty_summary_is_zero() -> None:
    missing = Rouge().score(PREDICTION, row())
    assert set(missing.values.values()) == {None}
    assert missing.reason == "no reference"
    assert set(Rouge().score("", row(REFERENCE)).values.values()) == {0.0}


@pytest.mark.extra_metrics
def test_fast_and_stock_agree_on_real_summaries(shared_data: Path) -> None:
    fast, stock = Rouge(fast=True), Rouge(fast=False)
    for item in load_rows(str(shared_data / "stories"), "dev", limit=3, shuffle=1):
        words = item.document.text.split()[: random.Random(item.id).randint(50, 300)]
        other = Row(item.id, item.document, item.references[:1])
        assert fast.score(" ".join(words), other).values == stock.score(" ".join(words), other).values
