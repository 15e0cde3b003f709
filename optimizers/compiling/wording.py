"""What is reported about a compilation, in words: before it starts, and when a role is done."""

from summq.optimizers.compiling.base import Optimizer, OptimizerPlan
from summq.optimizers.compiling.guard import Scores, mean_of
from summq.optimizers.compiling.inputs import CompileConfig, ExampleSplits
from summq.programs.artifact import RoleRecord
from summq.programs.settings import Settings
from summq.signatures import Usage


def budget_line(
    role: str, optimizer: Optimizer, plan: OptimizerPlan, examples: ExampleSplits, before: Scores, usage: Usage
) -> str:
    """What an optimizer may use at most. `usage` is that of the scores before, which shows what one run takes."""
    each = (usage.calls + usage.cache_hits) / len(before)
    sources = {
        "train": f"from {len(examples.train)} examples",
        "validation": f"from scores on {len(examples.validation)} examples",
        "both": f"from {len(examples.train)} examples and chooses by {len(examples.validation)}",
    }
    money = f", USD {usage.cost / len(before) * plan.metric_calls:.2f} in all" if usage.cost else ""
    return (
        f"{role}: {number(mean_of(before))} before, on {len(before)} held-out examples; "
        f"{optimizer.name} learns {optimizer.learns} {sources[optimizer.data]}: at most {plan.metric_calls} metric "
        f"calls (about {each:.1f} LM calls each{money}) and {plan.prompt_calls} calls of the prompt model"
    )


def campaign_line(backbone: str, roles: int, config: CompileConfig, settings: Settings) -> str:
    """What compiling for a backbone may take in all."""
    calls = "any number of" if settings.max_calls is None else f"{settings.max_calls:,}"
    cost = "without limit on cost" if settings.max_cost is None else f"for USD {settings.max_cost:.2f}"
    return (
        f"compiling {roles} roles for {backbone}: at most {config.metric_calls:,} metric calls for each, "
        f"{roles * config.metric_calls:,} in all, and {calls} LM calls {cost}"
    )


def result_line(record: RoleRecord) -> str:
    """What compiling a role came to."""
    outcome = "better" if record.better else "not better"
    fate = "installed" if record.installed else "not installed"
    counts = {
        "could not be scored": record.failed,
        "runs failed meanwhile": record.failed_training,
        "instructions could not be written": record.failed_proposals,
    }
    failed = "".join(f"; {count} {what}" for what, count in counts.items() if count)
    return (
        f"{record.role}: {outcome}, {fate}: {number(record.before)} before, {number(record.after)} after, difference "
        f"{interval(record.difference, record.low, record.high)} on {record.n} held-out examples{failed}"
    )


def interval(value: float | None, low: float | None, high: float | None) -> str:
    """A score or a difference with its 95 % interval."""
    return f"{number(value)} [{number(low)}, {number(high)}]"


def number(value: float | None) -> str:
    """A score with four digits, or a dash for none."""
    return "-" if value is None else f"{value:.4f}"


__all__ = ["budget_line", "campaign_line", "interval", "number", "result_line"]
