"""The configuration of a run: agents, iterations, length, quiz, and which calls may be saved."""

import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from summq.programs.errors import ConfigError, there_are, told
from summq.signatures import QuestionCounts

AT_ONCE, ALL = 10, 1000


class Economy(BaseModel):
    """What may be left out at the risk of another outcome: each rule by name, none unless asked for.

    Read from `true` (all of them), a list of names, or a table of names with true or false.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    comparing_without_document: bool = Field(
        default=False, description="aggregators, rankers and voters do not read the document"
    )
    debate_on_passages: bool = Field(default=False, description="a debate reads only the passages that issues quote")
    verdict_in_debate: bool = Field(
        default=False, description="the stand taken in the last round of debate is the vote"
    )
    no_last_review: bool = Field(
        default=False, description="the last iteration is not reviewed, as no revision can follow; it is examined"
    )

    @classmethod
    def all(cls) -> Self:
        """Every rule."""
        return cls(**dict.fromkeys(cls.model_fields, True))

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        if isinstance(value, bool):
            return dict.fromkeys(cls.model_fields, value)
        return dict.fromkeys(value, True) if isinstance(value, list | tuple) else value


class SummQConfig(BaseModel):
    """How SummQ runs. Unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    summary_generators: int = Field(default=1, ge=1)
    summary_reviewers: int = Field(default=1, ge=1)
    quiz_generators: int = Field(default=1, ge=1)
    quiz_reviewers: int = Field(default=1, ge=1)
    max_iterations: int = Field(default=3, ge=1)
    debate_rounds: int = Field(default=1, ge=0)
    target_words: int = Field(default=400, ge=10, description="length of the summary in words")
    check_length: bool = Field(
        default=True,
        description="send a draft back once that is off the wanted length by more than a quarter; leave the last "
        "sentences out of one that stays too long",
    )
    questions: QuestionCounts = QuestionCounts()
    reviews: bool = Field(default=True, description="False: the ablation in which only the examinee gives feedback")
    quiz_stream: bool = Field(default=True, description="False: the ablation without quiz and examinee")
    questions_at_once: int = Field(
        default=AT_ONCE, ge=1, description="questions asked for in one call; more are asked for by kind, side by side"
    )
    verify_quiz: bool = Field(default=True, description="an open-book examinee tells bad questions from bad summaries")
    blind_control: bool = Field(
        default=True, description="an examinee without any text tells which questions are known or can be guessed"
    )
    accept_accuracy: float | None = Field(
        default=0.9, ge=0, le=1, description="exam accuracy that ends a run with no issue left; None: only no feedback"
    )
    return_iteration: Literal["last", "best"] = "last"
    rewrite: bool = Field(default=False, description="end with a length-controlled rewrite (COMBO_R)")
    rewrite_words: int | None = Field(default=None, ge=10, description="its length; target_words if not given")
    economy: Economy = Field(default=Economy(), description="what is left out though it may change the outcome")
    every_call: bool = Field(
        default=False,
        description="also make calls that can't change the outcome: votes after a majority is of one mind, comparisons "
        "of equal drafts, revisions without feedback",
    )
    prime_prefix: bool = Field(
        default=True, description="a tiny call puts the document into the provider's prefix cache before many read it"
    )
    head_start: float = Field(
        default=0.5, ge=0, description="seconds by which one of several like calls goes ahead to the prefix cache"
    )
    seed: int = Field(default=0, description="of the order in which an examinee sees options, and voters candidates")

    @model_validator(mode="before")
    @classmethod
    def _of_version_0_1(cls, values: Any) -> Any:
        """Compiled programs of version 0.1 hold a table `savings`, in which each rule is on unless it is false."""
        if not isinstance(values, dict) or not isinstance(values.get("savings"), dict):
            return values
        saved = values["savings"]
        economy = {name: saved.get(name, True) for name in Economy.model_fields if name != "no_last_review"}
        every_call = not all(saved.get(name, True) for name in ("majority_suffices", "keep_uncriticised"))
        others = {key: value for key, value in values.items() if key != "savings"}
        return {"economy": economy, "every_call": every_call, **others}

    @model_validator(mode="after")
    def _some_question(self) -> Self:
        if self.quiz_stream and self.questions.total == 0:
            raise ValueError("the question mix is zero: ask at least one question, or set quiz_stream = false")
        return self

    def reviews_iteration(self, number: int) -> bool:
        """Whether iteration `number`, from 1, is reviewed."""
        return self.reviews and not (self.economy.no_last_review and number == self.max_iterations)

    @classmethod
    def preset(cls, name: str, *, paper_faithful: bool = False, **overrides: Any) -> Self:
        """`solo` (one agent per component), `combo` (three) or `combo_r` (three, and a rewrite), with overrides.

        `paper_faithful` takes the paper's reading wherever ours departs from it: every call is made, no examinee
        tries questions with the document at hand or without any text, and a run stops early only when there is no
        feedback at all.

        Raises:
            ConfigError: Unknown preset, unknown key, or a value out of range.
        """
        return cls.checked(**preset_values(name, paper_faithful=paper_faithful, **overrides))

    @classmethod
    def checked(cls, **values: Any) -> Self:
        """A config from plain values.

        Raises:
            ConfigError: Unknown key or a value out of range, in one line.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            raise ConfigError("; ".join(in_words(problem) for problem in error.errors())) from error


COMPONENTS = ("summary_generators", "summary_reviewers", "quiz_generators", "quiz_reviewers")
FLAGS = {"target_words": "--words", "max_iterations": "--iterations"}
"""Flags that are not called like their key."""
PRESETS: dict[str, dict[str, Any]] = {
    "solo": dict.fromkeys(COMPONENTS, 1),
    "combo": dict.fromkeys(COMPONENTS, 3),
    "combo_r": {**dict.fromkeys(COMPONENTS, 3), "rewrite": True},
}

DEFAULT_PRESET = "solo"
PAPERS_READING = {
    "every_call": True,
    "check_length": False,
    "questions_at_once": ALL,
    "verify_quiz": False,
    "blind_control": False,
    "accept_accuracy": None,
}


def preset_values(name: str, *, paper_faithful: bool = False, **overrides: Any) -> dict[str, Any]:
    """The keys and values of a preset, with overrides, unchecked. Raises ConfigError for an unknown preset."""
    if name not in PRESETS:
        raise ConfigError(f"unknown preset {name!r}: {there_are(PRESETS, name)}")
    return {**PRESETS[name], **(PAPERS_READING if paper_faithful else {}), **overrides}


def read_config(path: Path) -> dict[str, Any]:
    """The tables and keys of a TOML config file.

    Raises:
        ConfigError: The file is missing or not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}: name an existing TOML file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from error


def in_words(problem: Any, flags: Collection[str] = ()) -> str:
    """What pydantic finds wrong with a value, under the name by which it was given; `flags` are keys given as flags."""
    where = ".".join(str(step) for step in problem["loc"] if step != "config")
    if problem["type"] == "extra_forbidden" and len(problem["loc"]) == 1:
        return f"unknown config key {where!r}: {there_are(SummQConfig.model_fields, where)}"
    message = told(problem)
    if where in flags:
        return f"{FLAGS.get(where, '--' + where.replace('_', '-'))} {problem['input']}: {message}"
    return f"config key {where!r}: {message}" if where else message


__all__ = [
    "COMPONENTS",
    "DEFAULT_PRESET",
    "PRESETS",
    "Economy",
    "SummQConfig",
    "in_words",
    "preset_values",
    "read_config",
]
