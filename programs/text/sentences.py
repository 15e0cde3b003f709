"""Where sentences begin and end: a small splitter by rules, without a model or a download.

It knows Latin, Chinese, Japanese, Arabic and Indic full stops, common abbreviations of European languages, initials,
German ordinals and dates, and quotes or brackets that close after the stop. A blank line always ends a sentence, and so
does the end of a Markdown heading; a single line break never does by itself. Where in doubt two sentences stay one:
half a sentence can't be quoted.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# A capital or a number often follows these. Left out is what is also a word that ends sentences (art, on, es, им), and
# what mostly ends them (usw, enz, ecc, itd).
_NEVER_LAST = """
    mr mrs ms dr prof rev hon st jr sr gen col capt lt sgt sen rep gov vs etc cf al fig figs nos vol pp inc ltd
    h.r p.l co corp dept approx messrs mt viz eds ph.d jan feb mar apr jun jul aug sep sept oct nov dec
    bzw ca vgl bspw geb gest evtl ggf sog inkl exkl zzgl einschl insb hrsg dipl ing mio mrd tsd hl entspr bes frl hrn
    chr okt dez febr mm mme mlle mgr ste env av apr sra srta dra dña ud uds ee avda pza excmo ilmo exmo aprox
    sig sig.ra sigg dott dott.ssa avv cfr egr spett dhr mevr drs bijv incl excl resp
    hab inż mgr ul pl św np tzn tj płk ks zob por tzw ww např tzv kb doç sn ул проф акад доц д-р г-н г-жа тов св ген см
    ср напр пос изд د أ
"""
_BEFORE_NUMBERS = """
    no nr núm num art abs abb tab kap bd aufl anm max min rd pag pág págs pagg cap chap sect sec ch eq ref tel str blz
    ok godz poz rozdz стр рис табл ст гл тел
"""
ABBREVIATIONS = frozenset(_NEVER_LAST.split())
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS.split())
_LAST_LETTERS = frozenset(("I", "я", "т.д", "т.п", "д", "п"))  # I in English and Russian; and so on in Russian
_YEARS = "гr"  # behind the number of a year
USUAL_WORDS = 20  # of a sentence
_FEWEST_WORDS = 4  # of a sentence that ends with a year: "В 1812 г. Наполеон" goes on

_GERMAN = re.compile(r"\b(?:der|das|und|des|dem|ist|wurden?|mit|von|im|eine[rnms]?|nicht|auf|für|sich|zum|zur|bis)\b")
_OPENERS = """
    der die das den dem des ein eine einen einem einer er sie es wir ihr ich man dies diese dieser dieses diesen diesem
    jene jener auch aber doch dann danach dort dabei damit daher deshalb und oder in im am an auf aus bei mit nach seit
    von vom vor zu zum zur für über unter um durch gegen ohne als wenn weil da ob nur nicht noch schon so wie was wer wo
    hier heute später zwar bis trotz während obwohl kein keine alle viele einige mehr sein seine ihre
"""
_GERMAN_OPENERS = frozenset(_OPENERS.split())
_AROUND = 200  # characters before and after that tell the language

_CLOSERS = r"[\"'”’»)\]}」』]*"
_STOPS = r".!?…؟।॥۔։"
_UNSPACED_STOPS = r"。！？｡။។።"
# Possessive, and only from the first of several stops: a row of dots is read once.
_END = re.compile(
    rf"(?<![{_STOPS}])[{_STOPS}]++{_CLOSERS}+(?=\s|$)|[{_UNSPACED_STOPS}]++{_CLOSERS}+"
    r"|(?=\n(?:[^\S\n]*+\n|#{1,6} ))|(?:(?<=\n)|\A)#{1,6} [^\n]++(?=\n)"
)
_LAST_WORD = re.compile(r"(?<![^\W\d_])(?<!-)[^\W\d_][\w.-]{0,20}$")
_DOTTED = re.compile(r"[^\W\d_](?:\.-?[^\W\d_])+")
_LETTER_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]\.\s?$")
_LETTER_AFTER = re.compile(r"\s(?:[^\W\d_]\.|Chr\b)")
_ORDINAL = re.compile(r"(?<![\w.,:])(?:\d{1,2}|[IVXL]{1,6})$")
_DATE = re.compile(r"\s?\d{1,2}\.\s?\d{4}(?!\d)")
_MONTH_BEFORE = re.compile(r"(?<!\d)\d{1,2}\.\s?\d{1,2}$")
_YEAR_AFTER = re.compile(r"\s\d{4}(?!\d)")


class Span(NamedTuple):
    """A stretch of a text, from `start` up to but not including `end`."""

    start: int
    end: int


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order, word for word, without the white space around them."""
    return [text[start:end] for start, end in sentence_spans(text)]


def sentence_spans(text: str) -> Iterator[Span]:
    """Where the sentences of `text` lie. Every character that is not white space is in exactly one of them."""
    start = 0
    for match in _END.finditer(text):
        if _ends_sentence(text, start, match):
            yield from _trimmed(text, start, match.end())
            start = match.end()
    yield from _trimmed(text, start, len(text))


def ends_unspaced(text: str) -> bool:
    """Whether a text ends with a stop that no space follows: a Chinese or Japanese one."""
    return text.endswith(tuple("。！？｡」』"))


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    """False for the stop of an abbreviation, initial or ordinal, and for one that a lower-case word follows."""
    if not match[0].startswith(".") or match[0].startswith(".."):
        return True
    after = text[match.end() : match.end() + 80]
    following = after.lstrip()
    if "\n\n" in after[: len(after) - len(following)]:
        return True
    if following[:1].islower():
        return False
    word = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
    if word is None:
        return not _is_ordinal(text, match, after)
    if word[0] in _YEARS and text[start : word.start()].rstrip()[-1:].isdigit():
        return len(text[start : match.end()].split()) >= _FEWEST_WORDS
    return not (_is_abbreviation(word[0], text[start : word.start()], after) or _is_ordinal(text, match, after))


def _is_abbreviation(word: str, before: str, after: str) -> bool:
    """Whether a sentence goes on behind a word and its stop, by the word and what stands before and after it."""
    lower = word.lower()
    number_follows = after.lstrip()[:1].isdigit()
    if word in _LAST_LETTERS:
        return number_follows
    if lower in ABBREVIATIONS or _DOTTED.fullmatch(word):
        return True
    if lower in BEFORE_NUMBERS:
        return number_follows
    if len(word) > 1 or word.lower() == word.upper():
        return False
    # An initial, Cyrillic, or one of several letters: z. B. Bremen, a. C., 44 v. Chr., p. 12. Else x. Then
    is_one_of_several = _LETTER_BEFORE.search(before) or _LETTER_AFTER.match(after)
    return word.isupper() or word > "\u0370" or number_follows or is_one_of_several is not None


def _is_ordinal(text: str, match: re.Match[str], after: str) -> bool:
    """Whether the stop is that of a number: in a date (3. 5. 1990), or in German before a noun (15. Jahrhundert)."""
    before = text[max(0, match.start() - 20) : match.start()]
    if _ORDINAL.search(before) is None:
        return False
    if _DATE.match(after) or (_MONTH_BEFORE.search(before) and _YEAR_AFTER.match(after)):
        return True
    noun = re.match(r"\s\W{0,2}([^\W\d_]+)", after)
    if noun is None or noun[1].lower() in _GERMAN_OPENERS:
        return False
    around = text[max(0, match.start() - _AROUND) : match.end() + _AROUND]
    return len(set(_GERMAN.findall(around))) >= 2


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """The span without the white space at its ends; nothing if it holds nothing else."""
    piece = text[start:end]
    if piece.strip():
        yield Span(end - len(piece.lstrip()), start + len(piece.rstrip()))


def in_sentences(words: int) -> str:
    """A number of words in sentences of usual length, which many models count better.

    >>> in_sentences(80)
    'about 4 sentences of 20 words'
    """
    number = max(1, round(words / USUAL_WORDS))
    return f"about {number} sentence{'s' * (number > 1)} of {min(words, USUAL_WORDS)} words"


__all__ = [
    "Span",
    "ends_unspaced",
    "in_sentences",
    "sentence_spans",
    "split_sentences",
]
