"""Questions, quizzes and the sheets that an examinee is given (10 multiple choice, 10 true/false, 10 short)."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from string import ascii_uppercase
from typing import Annotated, Any, ClassVar, Literal, cast, get_args

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator

from summq.signatures.parsing import LONGEST, Listing, Text, named_label

QuestionKind = Literal["multiple_choice", "true_false", "short_answer"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
OPTIONS = 4
LETTERS = ascii_uppercase
LETTER = re.compile(r"\A\W*+(?:(?:it|the|right|correct|best|answer|option|choice|is)\b\W*+)*+[a-z]\W*+", re.IGNORECASE)


class Question(BaseModel):
    """One question with its key. Permissive when parsed: `faults` says what is wrong with it.

    A true/false item is a statement; it is read as `statement` too, and written as `question`. Writers give the right
    answer of a multiple-choice question once, and the `wrong` ones beside it: `options` are all of them.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    kind: Annotated[Text, Field(json_schema_extra={"enum": list(KINDS)})] = "short_answer"
    question: Text = Field(default="", validation_alias=AliasChoices("question", "statement"))
    options: tuple[Text, ...] = ()
    answer: Text = ""
    evidence: Text = ""
    section: Text = Field(default="", description="where in the document")

    @model_validator(mode="before")
    @classmethod
    def _with_options(cls, value: Any) -> Any:
        if not isinstance(value, dict) or value.get("options") or not isinstance(value.get("wrong"), list):
            return value
        options = list(value["wrong"])
        place = hashlib.sha256(str(value.get("question")).encode()).digest()[0] % (len(options) + 1)
        options.insert(place, value.get("answer"))  # not always in the same place
        return {**value, "options": options}

    def faults(self) -> list[str]:
        """Why this question can't be asked or graded; empty when it is sound in form."""
        faults = []
        if self.kind not in KINDS:
            faults.append(f"unknown kind {self.kind!r}")
        if not self.question:
            faults.append("no question")
        if not self.answer:
            faults.append("no answer")
        faults += [f"{name} that was cut or runs in circles" for name, text in self._texts() if len(text) >= LONGEST]
        if self.kind == "multiple_choice":
            if len(set(self.options)) != OPTIONS:
                faults.append(f"{len(set(self.options))} different options instead of {OPTIONS}")
            elif self.answer not in self.options:
                faults.append("the answer is not one of the options")
        if self.kind == "true_false" and self.answer not in ("true", "false"):
            faults.append("the answer is neither true nor false")
        return faults

    def _texts(self) -> Iterator[tuple[str, str]]:
        yield from {"question": self.question, "answer": self.answer, "evidence": self.evidence}.items()
        yield from (("option", option) for option in self.options)

    def normalised(self) -> "Question":
        """The same question with its kind, options and key in canonical form ('B)' becomes the second option)."""
        kind = self.kind.lower().replace(" ", "_").replace("-", "_").replace("/", "_")
        kind = {"true_or_false": "true_false", "mc": "multiple_choice", "short": "short_answer"}.get(kind, kind)
        answer = self.answer
        options = self.options if kind == "multiple_choice" else ()
        if kind == "true_false":
            said = answer.lower().rstrip(".")
            answer = {"t": "true", "f": "false", "yes": "true", "no": "false"}.get(said, said)
        elif kind == "multiple_choice" and answer not in options:
            answer = option_named(answer, options)
        return self.model_copy(update={"kind": kind, "options": options, "answer": answer})

    def as_written(self) -> dict[str, Any]:
        """The question in the form that writers are asked for."""
        parts = {"statement": self.question, "wrong": [option for option in self.options if option != self.answer]}
        return {name: parts.get(name, getattr(self, name, None)) for name in _PARTS[cast(QuestionKind, self.kind)]}


def _text(description: str, **bounds: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **bounds}


_EVIDENCE = _text("the sentence of the document that proves the answer, word for word and whole")
_PARTS: dict[QuestionKind, dict[str, Any]] = {
    "multiple_choice": {
        "evidence": _EVIDENCE,
        "question": _text("the question, which names who and what it is about"),
        "answer": _text("the right answer"),
        "wrong": {"type": "array", "minItems": OPTIONS - 1, "maxItems": OPTIONS - 1, "items": _text("a wrong answer")},
    },
    "true_false": {
        "evidence": _text("the sentence of the document that shows it to be true or false, word for word and whole"),
        "statement": _text("a whole sentence, no question, that says what this tells, or else if it is to be false"),
        "answer": {"type": "string", "enum": ["true", "false"]},
    },
    "short_answer": {
        "evidence": _EVIDENCE,
        "question": _text("the question, which names who and what it is about"),
        "answer": _text("a name, a figure, a date or a few words"),
    },
}


def _items(kind: QuestionKind, number: int | None) -> dict[str, Any]:
    bounds = {"minItems": number, "maxItems": number} if number else {"maxItems": 20}
    return {"type": "array", **bounds, "items": _object(_PARTS[kind])}


@lru_cache(maxsize=256)
def quiz_of(wanted: "QuestionCounts") -> type["Quiz"]:
    """The form of a reply with so many questions of each kind: a `Quiz` whose schema has no room for others."""
    return type("Quiz", (Quiz,), {"wanted": wanted, "__module__": __name__, "__doc__": Quiz.__doc__})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def option_named(answer: str, options: tuple[str, ...]) -> str:
    """The option that 'B', '(b)', 'Option B', 'B. Bern' or 'bern' stands for; the answer itself if it stands for none.

    Letters are read only where no other word could make them part of an answer ('Vitamin B', 'A river').
    """
    texts = {option.lower().rstrip("."): option for option in reversed(options)}
    plain = re.sub(r"^\(?[a-z][).:]*\s+", "", answer.lower().rstrip("."))
    for text in (answer.lower().rstrip("."), plain):
        if text in texts:
            return texts[text]
    if not LETTER.fullmatch(answer):
        return answer
    label = named_label(answer, LETTERS[: len(options)])
    return options[LETTERS.index(label)] if label else answer


class QuestionCounts(BaseModel):
    """How many questions of each kind are wanted."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar = "{multiple_choice} multiple_choice, {true_false} true_false, {short_answer} short_answer"

    multiple_choice: int = Field(default=10, ge=0)
    true_false: int = Field(default=10, ge=0)
    short_answer: int = Field(default=10, ge=0)

    @property
    def total(self) -> int:
        """All questions together."""
        return self.multiple_choice + self.true_false + self.short_answer

    def of(self, kind: str) -> int:
        """How many of one kind."""
        return int(getattr(self, kind))

    def times(self, factor: int) -> "QuestionCounts":
        """So many times as many of each kind."""
        return QuestionCounts(**{kind: factor * self.of(kind) for kind in KINDS})

    def lacking(self, questions: Iterable[Question]) -> "QuestionCounts":
        """How many of each kind are not among the questions."""
        there = Counter(question.kind for question in questions)
        return QuestionCounts(**{kind: max(0, self.of(kind) - there[kind]) for kind in KINDS})


class Quiz(Listing):
    """Questions about one document. Writers are asked for a list of each kind; a list of all is understood as well."""

    wanted: ClassVar[QuestionCounts | None] = None

    questions: list[Question]

    def __repr__(self) -> str:
        return f"Quiz({len(self.questions)} questions)"

    __str__ = __repr__

    @model_validator(mode="before")
    @classmethod
    def _all_kinds(cls, value: Any) -> Any:
        if not isinstance(value, dict) or not value.keys() & set(KINDS):
            return value
        lists = {kind: value[kind] for kind in KINDS if isinstance(value.get(kind), list)}
        return [{**q, "kind": kind} for kind, items in lists.items() for q in items if isinstance(q, dict)]

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        """What writers reply with: a list for each kind that is wanted, of what the kind needs, evidence first."""
        wanted = {kind: cls.wanted.of(kind) if cls.wanted else None for kind in KINDS}
        return _object({kind: _items(kind, number) for kind, number in wanted.items() if number != 0})

    def as_written(self) -> dict[str, Any]:
        """The questions in the form that writers are asked for: a list for each kind, evidence first."""
        lists = {kind: [q.as_written() for q in self.questions if q.kind == kind] for kind in KINDS}
        return {kind: items for kind, items in lists.items() if items} or {"questions": []}

    def sheet(self) -> "list[SheetItem]":
        """The questions as an examinee sees them: numbered from 1, without answers or evidence."""
        return [
            SheetItem(number=number, kind=q.kind, question=q.question, options=list(q.options))
            for number, q in enumerate(self.questions, 1)
        ]


class SheetItem(BaseModel):
    """A question without its key."""

    model_config = ConfigDict(frozen=True)

    number: int
    kind: str
    question: str
    options: list[str] = Field(default_factory=list)


class PartQuota(BaseModel):
    """How many questions are to come out of one part of the document."""

    model_config = ConfigDict(frozen=True)
    template: ClassVar = "{questions} about part {part} of {of}, which begins: '{opens_with}'"

    part: int = Field(description="which part, from 1")
    of: int = Field(description="into how many parts of equal length the document is divided")
    questions: int
    opens_with: str = Field(default="", description="the words with which the part begins")


__all__ = [
    "KINDS",
    "OPTIONS",
    "PartQuota",
    "Question",
    "QuestionCounts",
    "QuestionKind",
    "Quiz",
    "SheetItem",
    "option_named",
    "quiz_of",
]
