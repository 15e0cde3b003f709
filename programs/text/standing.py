"""Whether an English sentence can be understood without the one before it, and which part of it is a whole sentence.

Sentences of other languages are taken to stand alone.
"""

import re
from itertools import starmap

from summq.programs.text.facts import Names
from summq.programs.text.stems import STOPWORDS, words
from summq.programs.text.words import count_words

SHORTEST_CLAUSE = 7

_MARKS = r"\A[\"'“‘(*_]{0,4}+"
_NUMBER = "one|two|three|four|five|six|seven|eight|nine|ten|some|most|many|several|each|all|none|any|few|half|both"
_OPENING = re.compile(
    rf"""{_MARKS}(?:
    (?:he|she|it|they|him|her|his|its|their|that|such|neither|another|others|but|and|or|nor|so(?!\sfar)|yet|
       however|also|then|thus|therefore|hence|moreover|furthermore|nevertheless|nonetheless|instead|otherwise|besides|
       meanwhile|similarly|likewise|additionally|consequently|accordingly|conversely|here|there(?!\s(?:is|are|was|were|has))
    )\b
    |the\s(?:one|ones|former|latter|same|others?)\b
    |(?:now|next|still|rather|well|yes|no|oh|ah|again|indeed|of\scourse|in\s\w++)\s?,(?<!\d,)
    |(?:in|on|at|by|from|since|until|after|before|for|of|with|under|to|as|during|through|despite)\s
        (?:this|that|these|those|it|them|him|her|then|there|which|such)\b
    |(?:for\s(?:example|instance)|as\sa\s(?:result|consequence)|on\sthe\s(?:other\shand|contrary)|at\sthe\ssame\stime)\b
    |(?:{_NUMBER})\sof\s(?:them|these|those|which|it)\b
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_POINTING = re.compile(
    r"\b(?:(?:this|these)\b(?!\s(?:report|paper|study|document|article|chapter|section|book|bill|house|country|"
    r"morning|afternoon|evening|week|month|year|meeting|session|committee|inquiry|government|parliament|pandemic)\b)"
    r"|those\b(?!\s(?:who|of|that|which|in|with|whose)\b)|that\s(?:year|month|week|day|night|time|point|case|date)\b"
    r"|the\s(?:former|latter)\b|,\showever\b|[^.]\sas\swell[.])",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|she|him|her|his|himself|herself)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|itself)\b", re.IGNORECASE)
_SEVERAL = re.compile(r"\b(?:they|them|their|themselves)\b", re.IGNORECASE)
_PEOPLE = re.compile(
    r"\b(?:man|woman|boy|girl|child|mother|father|parent|son|daughter|brother|sister|wife|husband|friend|king|queen|"
    r"prince(?:ss)?|lord|lady|captain|doctor|nurse|driver|engineer|officer|president|minister|secretary|judge|author|"
    r"professor|teacher|student|worker|foreman|fitter|surveyor|everyone|everybody|nobody|somebody|someone|who)\b",
    re.IGNORECASE,
)
_PLURAL = re.compile(
    r"\b(?:\w{2,}[^s\W]s|people|men|women|children|police|family|everyone|everybody|and)\b", re.IGNORECASE
)
_NAME = re.compile(r"(?<!\bthe )(?<!\bThe )\b[A-Z][\w’'-]+")
_END_OF_MAIN_CLAUSE = re.compile(r";\s|,?\s(?:because|whereas)\s|,\s(?:although|though|while)\s")
_SUBORDINATE = re.compile(
    r"(?:when|if|because|although|though|while|since|as|after|before|had|where|until|unless|once|despite|whether)\b",
    re.IGNORECASE,
)


def leans(sentence: str, names: Names) -> bool:
    """Whether a sentence takes up what stands before it: it opens with But, has a pronoun but no noun, or half a quote.

    Args:
        sentence: Of any language; the words looked for are English.
        names: What its text uses as names.
    """
    return (
        sentence[:1].islower()
        or bool(_OPENING.match(sentence) or _POINTING.search(sentence))
        or is_torn(sentence)
        or not all(starmap(_has_noun, ((sentence, _THING), (sentence, _SEVERAL))))
        or not _has_person(sentence, names)
    )


def is_torn(text: str) -> bool:
    """Whether quotation marks or brackets do not pair."""
    return bool(text.count('"') % 2) or any(text.count(a) != text.count(b) for a, b in ("()", "[]", "“”"))


def main_clause(sentence: str) -> str:
    """The sentence without what only explains it: what follows a semicolon, or begins with because or although.

    The sentence itself where nothing can be left out so that a whole sentence remains.
    """
    end = _END_OF_MAIN_CLAUSE.search(sentence)
    clause = sentence[: end.start()] if end else ""
    if count_words(clause) < SHORTEST_CLAUSE or _SUBORDINATE.match(clause) or is_torn(clause):
        return sentence
    return clause + "."


def _has_noun(sentence: str, pronoun: re.Pattern[str]) -> bool:
    """Whether a word that the first such pronoun may stand for comes before it, or there is no such pronoun."""
    match = pronoun.search(sentence)
    if match is None:
        return True
    before = sentence[: match.start()]
    if pronoun is _SEVERAL:
        return _PLURAL.search(before) is not None
    return any(
        len(word.text) > 2 and word.text.isalpha() and word.text.lower() not in STOPWORDS for word in words(before)
    )


def _has_person(sentence: str, names: Names) -> bool:
    match = _PERSON.search(sentence)
    if match is None:
        return True
    before = sentence[: match.start()]
    named = (name[0].removesuffix("'s").removesuffix("’s") for name in _NAME.finditer(before))
    return _PEOPLE.search(before) is not None or any(map(names.knows, named))


__all__ = ["leans", "main_clause"]
