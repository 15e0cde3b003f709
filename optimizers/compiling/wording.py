"""What is said about a compilation: before it starts, and when a role is done."""

from summq.optimizers.compiling.base import Optimizer, OptimizerPlan
from summq.optimizers.compiling.guard import Scores, mean_of
from summq.optimizers.compiling.inputs import CompileConfig, ExampleSplits
from summq.programs.artifact import RoleRecord
from summq.programs.settings import Settings
from summq.signatures import Usage


def statement(
    role: str, optimizer: Optimizer, plan: OptimizerPlan, examples: ExampleSplits, before: Scores, usage: Usage
) -> str:
    """What an optimizer may use at most. `usage` is that of the scores before, which tell what one run takes."""
    each = (usage.calls + usage.cache_hits) / len(before)
    sources = {
        "train": f"from {len(examples.train)} examples",
        "validation": f"from scores on {len(examples.validation)} examples",
        "both": f"from {len(examples.train)} examples and chooses by {len(examples.validation)}",
    }
    money = f", USD {usage.cost / len(before) * plan.metric_calls:.2f} in all" if usage.cost else ""
    return (
        f"{role}: {number(mean_of(before))} before, on {len(before)} held-out examples; {optimizer.name} learns {optimizer.learns} "
        f"{sources[optimizer.data]}: at most {plan.metric_calls} metric calls (about {each:.1f} LM calls each{money}) and "
        f"{plan.prompt_calls} calls of the prompt model"
    )


def announcement(backbone: str, roles: int, config: CompileConfig, settings: Settings) -> str:
    """What compiling for a backbone may take in all, said before the first call."""
    calls = "any number of" if settings.max_calls is None else f"{settings.max_calls:,}"
    cost = "without limit on cost" if settings.max_cost is None else f"for USD {settings.max_cost:.2f}"
    return (
        f"compiling {roles} roles for {backbone}: at most {config.metric_calls:,} metric calls for each, "
        f"{roles * config.metric_calls:,} in all, and {calls} LM calls {cost}"
    )


def verdict(record: RoleRecord) -> str:
    """What compiling a role came to, in one line."""
    judged = "better" if record.better else "not better"
    fate = "installed" if record.installed else "not installed"
    counts = {
        "could not be scored": record.failed,
        "runs failed meanwhile": record.failed_training,
        "instructions could not be written": record.failed_proposals,
    }
    failed = "".join(f"; {count} {what}" for what, count in counts.items() if count)
    return (
        f"{record.role}: {judged}, {fate}: {number(record.before)} before, {number(record.after)} after, "
        f"difference {interval(record)} on {record.n} held-out examples{failed}"
    )


def interval(record: RoleRecord) -> str:
    """The paired difference with its interval."""
    return f"{number(record.difference)} [{number(record.low)}, {number(record.high)}]"


def number(value: float | None) -> str:
    """A score with four digits, or a dash for none."""
    return "-" if value is None else f"{value:.4f}"


__all__ = ["announcement", "interval", "number", "statement", "verdict"]
