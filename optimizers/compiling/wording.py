"""What is reported about a compilation, in words: before it starts, and when a role is done."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from summq.optimizers.compiling.base import OptimizerPlan
from summq.optimizers.compiling.guard import Scores, is_perfect, mean_of
from summq.optimizers.compiling.inputs import CompileConfig, ExampleSplits
from summq.optimizers.compiling.registry import find_optimizer
from summq.programs.artifact import ProgramRecord, RoleRecord
from summq.programs.settings import Settings
from summq.programs.text.words import numbered


def budget_lines(
    plans: Mapping[str, Sequence[OptimizerPlan]],
    splits: Mapping[str, Sequence[ExampleSplits]],
    config: CompileConfig,
    *,
    whole: bool,
) -> list[str]:
    """What compiling may take at most to learn and to score: a line for roles that take the same, and one for all."""
    optimizer = find_optimizer(config.optimizer)
    roles: dict[str, list[str]] = defaultdict(list)
    total = 0
    for role, folds in splits.items():
        learning = sum(plan.metric_calls for plan in plans[role])
        scoring = 2 * config.rollouts * sum(len(fold.held_out) for fold in folds)
        writing = sum(plan.prompt_calls for plan in plans[role])
        examples = sum(len(fold.train) + len(fold.validation) for fold in folds)
        total += learning + scoring
        takes = (
            f"{examples} examples in {numbered(len(folds), 'fold')}: at most {learning} metric calls to learn, "
            f"{writing} calls of the prompt model, and {scoring} metric calls to score "
            f"{scoring // (2 * config.rollouts)} held-out examples before and after"
        )
        roles[takes].append(role)
    assembled = (
        f"; then the program before and after on up to {config.program_rows} held-out rows, and once more without each "
        "installed role if it is not better"
    )
    return [
        *(
            f"{optimizer.name} learns {optimizer.learns} from {takes}{' each' if len(named) > 1 else ''}: "
            f"{', '.join(named)}"
            for takes, named in roles.items()
        ),
        f"in all at most {total:,} metric calls{assembled if whole else ''}",
    ]


def before_line(role: str, fold: int, before: Scores, calls: float) -> str:
    """The score of a role before it learns, and what a run of it takes."""
    score = (
        f"{role}, fold {fold + 1}: {number(mean_of(before))} before, on {len(before)} held-out examples, about "
        f"{calls:.1f} LM calls each"
    )
    return f"{score}; nothing is left to learn" if is_perfect(before) else score


def kept_line(role: str, fold: int) -> str:
    """A fold of a role that is done."""
    return f"{role}, fold {fold + 1}: taken from an earlier run"


def campaign_line(backbone: str, roles: int, config: CompileConfig, settings: Settings) -> str:
    """What compiling for a backbone may take in all."""
    calls = "any number of" if settings.max_calls is None else f"{settings.max_calls:,}"
    cost = "without limit on cost" if settings.max_cost is None else f"for USD {settings.max_cost:.2f}"
    return (
        f"compiling {roles} roles for {backbone}: at most {config.metric_calls:,} metric calls to learn each "
        f"in each fold, "
        f"{calls} LM calls {cost}"
    )


def result_line(record: RoleRecord) -> str:
    """What compiling a role came to."""
    decided_by = f" (about {record.rows_to_decide} rows would decide)" if record.rows_to_decide else ""
    fate = "installed" if record.installed else "not installed"
    counts = {
        "could not be scored": record.failed,
        "runs failed meanwhile": record.failed_training,
        "instructions could not be written": record.failed_proposals,
    }
    failed = "".join(f"; {count} {what}" for what, count in counts.items() if count)
    return (
        f"{record.role}: {verdict_of(record)}{decided_by}, {fate}: "
        f"{number(record.before)} before, {number(record.after)} after, "
        f"difference {interval(record.difference, record.low, record.high)}, p {number(record.p)} on {record.n} "
        f"held-out examples{failed}"
    )


def verdict_of(record: RoleRecord) -> str:
    """The verdict in words, also of a program that an earlier version compiled."""
    return record.verdict or ("better" if record.better else "not better")


def program_line(record: ProgramRecord) -> str:
    """The assembled program before and after, at its own length and at equal length, with what it takes."""
    cost = ""
    if record.cost_before is not None and record.cost_after is not None:
        cost = f", USD {record.cost_before:.4f} before and {record.cost_after:.4f} after"
    hurt = f"; better without {', '.join(record.hurt)}" if record.hurt else ""
    return (
        f"the whole program: {'better' if record.better else 'not shown to be better'}: {number(record.before)} "
        f"before, {number(record.after)} after, difference "
        f"{interval(record.difference, record.low, record.high)} on {record.n} held-out rows; at equal length "
        f"{interval(record.matched_difference, record.matched_low, record.matched_high)}; "
        f"{record.calls_before:.1f} calls for a document before and {record.calls_after:.1f} after{cost}{hurt}"
    )


def interval(value: float | None, low: float | None, high: float | None) -> str:
    """A score or a difference with its 95 % interval, if there is one."""
    return number(value) if low is None or high is None else f"{number(value)} [{number(low)}, {number(high)}]"


def number(value: float | None) -> str:
    """A score with four digits, or a dash for none."""
    return "-" if value is None else f"{value:.4f}"


__all__ = [
    "before_line",
    "budget_lines",
    "campaign_line",
    "interval",
    "kept_line",
    "number",
    "program_line",
    "result_line",
    "verdict_of",
]
