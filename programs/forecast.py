"""What a run will use, said before it is made: calls, tokens and cost, what is likely and from a least to a most.

How often a role is called comes from `expected_calls`, how long texts are from the configuration: the summary has as
many words as wanted, the quiz as many questions. How much there will be to criticise, and in how many rounds, nobody
knows; the ends of the range are runs in which every call that may be left out is, or is made, and every text is as
short or as long as texts of its kind become.
Repeated readings of the document are taken to come from the provider's prefix cache where it has one. Not foreseen is
what failures cost, and what reasoning models write before they reply.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import fmean

from pydantic import BaseModel, ConfigDict, Field

from summq.programs.baselines import Direct
from summq.programs.config import SummQConfig
from summq.programs.coverage import calls_for
from summq.programs.digest import ContextWindow, Digester
from summq.programs.expected_calls import Calls, expected_calls
from summq.programs.quiz_craft import questions_at_once
from summq.programs.runtime.adapter import document_field
from summq.programs.runtime.prefix import PRIMER, SHORTEST
from summq.programs.runtime.role import Role
from summq.programs.runtime.usage import Tokens
from summq.programs.summq import SummQ
from summq.signatures import Document


class Span(BaseModel):
    """From a least to a most, and what is likely: the geometric mean of both unless another figure is given."""

    model_config = ConfigDict(frozen=True)

    least: float = 0
    most: float = 0
    likely: float = Field(default_factory=lambda given: math.sqrt(given["least"] * given["most"]))

    def __add__(self, other: "Span") -> "Span":
        return Span(least=self.least + other.least, most=self.most + other.most, likely=self.likely + other.likely)

    def __mul__(self, by: "float | Span | Calls") -> "Span":
        if isinstance(by, int | float):
            by = Span(least=by, most=by)
        return Span(least=self.least * by.least, most=self.most * by.most, likely=self.likely * by.likely)


class Forecast(BaseModel):
    """What a role will use, or all of them together; `cost` is in USD, None where a price is not known."""

    model_config = ConfigDict(frozen=True)

    calls: Calls = Calls()
    input_tokens: Span = Span()
    cached_tokens: Span = Span()
    output_tokens: Span = Span()
    cost: Span | None = Span()

    def __add__(self, other: "Forecast") -> "Forecast":
        return Forecast(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost=None if self.cost is None or other.cost is None else self.cost + other.cost,
        )


class RunForecast(Forecast):
    """The forecast of a run, and that of each role.

    `passages` are those through notes of which a document is read that exceeds the window; 0 for one that fits.
    """

    roles: dict[str, Forecast]
    passages: int = 0


def forecast(program: SummQ, document: Document) -> RunForecast:
    """What `program` will use for `document`, on the backbones of the session in which this is asked."""
    players = [p for _, p in program.named_predictors() if isinstance(p, Role)]
    config = _asking(program.config, players)
    reading = _Reading.of(document)
    calls, texts = _with_replacements(expected_calls(config, len(reading.windows))), texts_of(config)
    passages = {"open_book", "debate"} if config.economy.debate_on_passages else {"open_book"}
    roles = {
        role: _of_role([p for p in players if p.role == role], reading.read, calls[role], texts[role], passages)
        for role in calls
    }
    if config.prime_prefix and reading.read.most >= SHORTEST:
        roles |= _primers([p for p in players if p.role in calls], reading.read)
    return _all(roles | reading.digesting(program.digester), reading)


def _with_replacements(calls: dict[str, Calls]) -> dict[str, Calls]:
    """Where questions are dropped (doubled, without evidence), their writers are asked for as many again."""
    drafts = {role: each for role, each in calls.items() if role == "quiz_generator.draft"}
    return calls | {
        role: Calls(least=each.least, most=2 * each.most, likely=1.5 * each.likely) for role, each in drafts.items()
    }


def forecast_of_direct(program: Direct, document: Document) -> RunForecast:
    """What the one prompt will use."""
    reading = _Reading.of(document)
    reply = TOKENS_PER_WORD * program.target_words if program.told_length else UNTOLD
    once = _of_role([program.summarize], reading.read, Calls(least=1, most=1), Texts(HEADINGS, reply))
    return _all({"summarizer": once} | reading.digesting(program.digester), reading)


def _all(roles: dict[str, Forecast], reading: "_Reading") -> RunForecast:
    everything = reduce(Forecast.__add__, roles.values(), Forecast())
    return RunForecast(**dict(everything), roles=dict(sorted(roles.items())), passages=reading.passages)


def _asking(config: SummQConfig, players: Sequence[Role]) -> SummQConfig:
    """The configuration with as few questions at once as the replies of all writers have tokens for."""
    writers = [p for p in players if p.role == "quiz_generator.draft"]
    most = min((questions_at_once(p, config.questions_at_once) for p in writers), default=config.questions_at_once)
    return config.model_copy(update={"questions_at_once": most})


@dataclass(frozen=True)
class _Reading:
    """The tokens of the stretches of a document that each fit the window of `tokens` tokens, and of what is read."""

    tokens: int
    windows: Sequence[Span]

    @classmethod
    def of(cls, document: Document) -> "_Reading":
        context = ContextWindow.of_backbones()
        return cls(context.tokens, [_tokens(window.text, context) for window in context.windows(document)])

    @property
    def passages(self) -> int:
        """Those of which notes are taken."""
        return len(self.windows) if len(self.windows) > 1 else 0

    @property
    def read(self) -> Span:
        """The document, or the notes of it."""
        return Span(least=0.05 * self.tokens, most=self.tokens) if self.passages else self.windows[0]

    def digesting(self, digester: Digester) -> dict[str, Forecast]:
        """The taking of notes; nothing where the document fits."""
        if not self.passages:
            return {}
        each = HEADINGS + sum(self.windows, Span()) * (1 / self.passages)
        calls = Calls(least=self.passages, most=2 * self.passages)
        notes = Span(least=50, most=self.tokens / 2)
        return {"digester": _of_role([digester.digest], Span(), calls, Texts(each, notes))}


@dataclass(frozen=True)
class Texts:
    """Tokens of a role's prompt besides the document, and of its reply."""

    prompt: Span
    reply: Span


HEADINGS = Span(least=120, most=900)  # field lists, schemas, instructions
WORD = Span(least=4, most=30)  # a word or a label, in the markers of a reply
TOKENS_PER_WORD = Span(least=1.1, most=1.8)
QUESTION = Span(least=35, most=140)  # with key and evidence
SHEET_ITEM = Span(least=12, most=80)
ANSWER = Span(least=5, most=30)
ISSUE = Span(least=30, most=140)
ISSUES_EACH = Span(least=0, most=10, likely=3)  # by one reviewer
UNTOLD = Span(least=60, most=2000)  # a summary whose writer is told no length
PASSAGES = 150  # tokens of the shortest excerpt


def texts_of(config: SummQConfig) -> dict[str, Texts]:
    """How long the texts of each role are."""
    n = config.questions.total
    summary, quiz, sheet, answers = TOKENS_PER_WORD * config.target_words, QUESTION * n, SHEET_ITEM * n, ANSWER * n
    issues = ISSUE * ISSUES_EACH
    texts = {
        "examinee": Texts(summary + sheet, answers),
        "examinee.open_book": Texts(SHEET_ITEM * Span(least=1, most=n), ANSWER * Span(least=1, most=n)),
        "examinee.blind": Texts(SHEET_ITEM * Span(least=1, most=n), ANSWER * Span(least=1, most=n)),
        "grader": Texts(SHEET_ITEM * Span(least=1, most=n), ANSWER * Span(least=1, most=n)),
        "rewriter": Texts(summary, summary),
        **_stream("summary", summary, summary, summary + sheet, issues, config.summary_generators),
        **_stream("quiz", quiz, ANSWER * Span(least=0, most=n), quiz + summary, issues, config.quiz_generators),
    }
    parts = calls_for(config.questions, config.questions_at_once)
    texts["quiz_generator.draft"] = Texts(Span(), quiz * (1 / parts))
    texts["quiz_generator.revise"] = Texts(quiz + ISSUE * Span(least=1, most=n), QUESTION * Span(least=1, most=n))
    texts["summary_generator.revise"] = Texts(summary + ISSUE * (ISSUES_EACH + Span(least=1, most=n)), summary)
    return {role: Texts(HEADINGS + t.prompt, WORD + t.reply) for role, t in texts.items()}


def _stream(stream: str, artifact: Span, merged: Span, reviewed: Span, issues: Span, agents: int) -> dict[str, Texts]:
    shown = artifact * Span(least=0.02, most=1)  # what candidates have in common is not shown
    return {
        f"{stream}_generator.draft": Texts(Span(), artifact),
        f"{stream}_aggregator": Texts(shown * agents, merged),
        f"{stream}_ranker": Texts(shown * agents, WORD),
        f"{stream}_generator.vote": Texts(shown * 2, WORD),
        f"{stream}_reviewer.review": Texts(reviewed, issues),
        f"{stream}_grouper": Texts(issues * agents, ANSWER * ISSUES_EACH),
        f"{stream}_reviewer.debate": Texts(artifact + issues, issues),
        f"{stream}_reviewer.verdict": Texts(artifact + issues * (1 + agents), ANSWER * ISSUES_EACH),
    }


def _of_role(
    players: Sequence[Role], read: Span, calls: Calls, texts: Texts, on_passages: Collection[str] = ()
) -> Forecast:
    """What the calls of one role use; `players` are its agents. Some duties may read only passages."""
    if document_field(players[0].signature) is None:
        read = Span()
    elif players[0].role.partition(".")[2] in on_passages:
        read = Span(least=min(PASSAGES, read.least), most=read.most)
    kept = all(getattr(player.played_by, "caching", "none") != "none" for player in players)
    return _priced(
        players,
        calls,
        input_tokens=(texts.prompt + read) * calls,
        cached_tokens=read * calls if kept else Span(),
        output_tokens=texts.reply * calls,
    )


def _primers(players: Sequence[Role], read: Span) -> dict[str, Forecast]:
    """One call for each backbone that reads the document and keeps it in its cache."""
    readers = [p for p in players if document_field(p.signature) is not None]
    backbones = {id(p.played_by): p for p in readers if getattr(p.played_by, "caching", "none") != "none"}
    once = Calls(least=1, most=1)
    each = [
        _priced([p], once, read + Span(least=20, most=200), Span(), Span(least=1, most=1)) for p in backbones.values()
    ]
    return {PRIMER: reduce(Forecast.__add__, each)} if each else {}


def _priced(
    players: Sequence[Role], calls: Calls, input_tokens: Span, cached_tokens: Span, output_tokens: Span
) -> Forecast:
    """With the cost: the least on the cheapest of the players' backbones, the most on the dearest."""
    least = Tokens(round(input_tokens.least), round(cached_tokens.least), round(output_tokens.least))
    likely = Tokens(round(input_tokens.likely), round(cached_tokens.likely), round(output_tokens.likely))
    most = Tokens(round(input_tokens.most), round(cached_tokens.most), round(output_tokens.most))
    prices = [getattr(player.played_by, "prices", None) for player in players]
    known = [price for price in prices if price is not None]
    cost = None
    if len(known) == len(prices):
        cost = Span(
            least=min(p.cost(least) for p in known),
            most=max(p.cost(most) for p in known),
            likely=fmean(p.cost(likely) for p in known),
        )
    return Forecast(
        calls=calls, input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens, cost=cost
    )


def _tokens(text: str, context: ContextWindow) -> Span:
    """Where a text can't be counted the count errs high."""
    counted = context.count(text)
    return Span(least=0.75 * counted, most=counted)


__all__ = ["Forecast", "RunForecast", "Span", "forecast", "forecast_of_direct"]
