"""What a run will use, said before it is made: calls, tokens and cost, each from a least to a most.

How often a role is called comes from `expected_calls`, how long texts are from the configuration: the summary has as
many words as wanted, the quiz as many questions. How much there will be to criticise nobody knows, hence the range.
Repeated readings of the document are taken to come from the provider's prefix cache where it has one. Not foreseen is
what failures cost, and what reasoning models write before they reply.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pydantic import BaseModel, ConfigDict

from summq.programs.config import SummQConfig
from summq.programs.coverage import calls_for
from summq.programs.digest import ContextWindow
from summq.programs.runtime.adapter import document_field
from summq.programs.runtime.prefix import PRIMER, SHORTEST
from summq.programs.runtime.role import Role
from summq.programs.runtime.usage import Tokens
from summq.programs.summq import SummQ
from summq.signatures import Document

NamedCalls = tuple[str, int, int]


class Calls(BaseModel):
    """How often a role is called: between `least` and `most` times, as replies decide."""

    model_config = ConfigDict(frozen=True)

    least: int = 0
    most: int = 0

    def __add__(self, other: "Calls") -> "Calls":
        return Calls(least=self.least + other.least, most=self.most + other.most)


def expected_calls(config: SummQConfig, windows: int = 1) -> dict[str, Calls]:
    """The calls of a whole run by role: at least one round, at most `max_iterations` of them, and the ending.

    Of a document that is read in several `windows`, each that yields questions is asked for its own.
    """
    later = [(role, 0, most) for role, _, most in _round(config, "revise", windows)] * (config.max_iterations - 1)
    return _summed([_round(config, "draft", windows), later, _ending(config)])


def expected_calls_of_round(config: SummQConfig) -> dict[str, Calls]:
    """The calls of the first round by role."""
    return _summed([_round(config, "draft")])


def total(calls: dict[str, Calls]) -> Calls:
    """All roles together."""
    return sum(calls.values(), Calls())


def _summed(parts: "list[Iterator[NamedCalls] | list[NamedCalls]]") -> dict[str, Calls]:
    calls: dict[str, Calls] = defaultdict(Calls)
    for part in parts:
        for role, least, most in part:
            if most:
                calls[role] += Calls(least=least, most=most)
    return dict(calls)


def _round(config: SummQConfig, duty: str, windows: int = 1) -> Iterator[NamedCalls]:
    yield from _generation(config, "summary", config.summary_generators, duty)
    yield from _review(config, "summary", config.summary_reviewers)
    if not config.quiz_stream:
        return
    windows = min(windows, config.questions.total)
    yield from _generation(config, "quiz", config.quiz_generators, duty, windows)
    yield from _review(config, "quiz", config.quiz_reviewers)
    yield from _exam(1)
    reread = config.verify_quiz * (windows + 1)  # what failed is read once more
    yield "examinee.open_book", int(config.verify_quiz), reread
    yield "examinee.blind", int(config.blind_control), int(config.blind_control)
    yield "grader", 0, config.verify_quiz + config.blind_control


def _generation(config: SummQConfig, stream: str, agents: int, duty: str, windows: int = 1) -> Iterator[NamedCalls]:
    several = int(agents > 1)
    parts = calls_for(config.questions, config.questions_at_once) if stream == "quiz" else 1
    yield (
        f"{stream}_generator.{duty}",
        agents * (max(parts, windows) if duty == "draft" else 1),
        agents * (parts + windows - 1),
    )
    if stream == "summary" and config.check_length:
        yield f"{stream}_generator.revise", 0, agents + several  # what is off the wanted length is sent back
    comparing = several if config.every_call else 0
    yield f"{stream}_aggregator", comparing, several
    yield f"{stream}_ranker", comparing, several
    yield f"{stream}_generator.vote", several * agents if config.every_call else 0, several * agents


def _review(config: SummQConfig, stream: str, agents: int) -> Iterator[NamedCalls]:
    if not config.reviews:
        return
    several = int(agents > 1)
    in_debate = config.economy.verdict_in_debate and config.debate_rounds > 0
    yield f"{stream}_reviewer.review", agents, agents
    yield f"{stream}_grouper", 0, several
    yield f"{stream}_reviewer.debate", 0, several * agents * config.debate_rounds
    yield f"{stream}_reviewer.verdict", 0, 0 if in_debate else several * agents


def _exam(times: int) -> Iterator[NamedCalls]:
    yield "examinee", times, times
    yield "grader", 0, times


def _ending(config: SummQConfig) -> Iterator[NamedCalls]:
    if config.return_iteration == "best" and config.quiz_stream and config.max_iterations > 1:
        yield "examinee", 0, config.max_iterations
        yield "grader", 0, config.max_iterations
    if config.rewrite:
        yield "rewriter", 1, 1
        yield from _exam(int(config.quiz_stream))


class Span(BaseModel):
    """From a least to a most."""

    model_config = ConfigDict(frozen=True)

    least: float = 0
    most: float = 0

    def __add__(self, other: "Span") -> "Span":
        return Span(least=self.least + other.least, most=self.most + other.most)

    def __mul__(self, by: "float | Span | Calls") -> "Span":
        least, most = (by, by) if isinstance(by, int | float) else (by.least, by.most)
        return Span(least=self.least * least, most=self.most * most)


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
    config = program.config
    players = [p for _, p in program.named_predictors() if isinstance(p, Role)]
    room = ContextWindow.of_backbones()
    parts = [_tokens(window.text, room) for window in room.windows(document)]
    read = parts[0] if len(parts) == 1 else Span(least=0.05 * room.tokens, most=room.tokens)
    calls, texts = expected_calls(config, len(parts)), texts_of(config)
    roles = {
        role: _of_role([p for p in players if p.role == role], read, calls[role], texts[role], config) for role in calls
    }
    if len(parts) > 1:
        notes = Texts(HEADINGS + sum(parts, Span()) * (1 / len(parts)), Span(least=50, most=room.tokens / 2))
        digesting = Calls(least=len(parts), most=2 * len(parts))
        roles["digester"] = _of_role([program.digester.digest], Span(), digesting, notes, config)
    if config.prime_prefix and read.most >= SHORTEST:
        roles |= _primers([p for p in players if p.role in calls], read)
    everything = reduce(Forecast.__add__, roles.values(), Forecast())
    passages = len(parts) if len(parts) > 1 else 0
    return RunForecast(**dict(everything), roles=dict(sorted(roles.items())), passages=passages)


@dataclass(frozen=True)
class Texts:
    """Tokens of a role's prompt besides the document, and of its reply."""

    prompt: Span
    reply: Span


HEADINGS = Span(least=120, most=900)  # field lists, schemas, instructions
WORD = Span(least=4, most=30)  # a word or a label, in the markers of a reply
TOKENS_PER_WORD = Span(least=1.1, most=1.8)
QUESTION = Span(least=35, most=120)  # with key and evidence
SHEET_ITEM = Span(least=12, most=80)
ANSWER = Span(least=5, most=30)
ISSUE = Span(least=30, most=140)
ISSUES_EACH = Span(least=0, most=10)  # by one reviewer
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


def _of_role(players: Sequence[Role], read: Span, calls: Calls, texts: Texts, config: SummQConfig) -> Forecast:
    """What the calls of one role use; `players` are its agents."""
    if document_field(players[0].signature) is None:
        read = Span()
    elif players[0].role.endswith(".debate") and config.economy.debate_on_passages:
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
    most = Tokens(round(input_tokens.most), round(cached_tokens.most), round(output_tokens.most))
    prices = [getattr(player.played_by, "prices", None) for player in players]
    known = [price for price in prices if price is not None]
    cost = None
    if len(known) == len(prices):
        cost = Span(least=min(p.cost(least) for p in known), most=max(p.cost(most) for p in known))
    return Forecast(
        calls=calls, input_tokens=input_tokens, cached_tokens=cached_tokens, output_tokens=output_tokens, cost=cost
    )


def _tokens(text: str, room: ContextWindow) -> Span:
    """Where a text can't be counted the count errs high."""
    counted = room.count(text)
    return Span(least=0.75 * counted, most=counted)


__all__ = [
    "Calls",
    "Forecast",
    "RunForecast",
    "Span",
    "Texts",
    "expected_calls",
    "expected_calls_of_round",
    "forecast",
    "texts_of",
    "total",
]
