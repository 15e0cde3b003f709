"""The request for an evaluation, and its plan: data loaded, systems and metrics made, backbones connected."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from summq.eval.archive import References, SweepAxis
from summq.eval.data import DataRequest
from summq.eval.metrics import MetricOptions, make_metric
from summq.eval.report.published import SYSTEMS as PUBLISHED_SYSTEMS
from summq.eval.report.published import published_rows
from summq.eval.run.plan import EvalPlan
from summq.eval.run.sweeps import sweep_axis
from summq.eval.systems import make_systems
from summq.programs.runs.shards import Shard
from summq.programs.settings import Settings

USUAL_SYSTEMS = ("direct", "summq-solo")
USUAL_METRICS = ("rouge", "bertscore", "exam", "faithfulness", "surface")


class EvalRequest(BaseModel):
    """The options of `summq eval`.

    `reference_length`: each summary as long as its row's first reference. `told_length`: whether a length is wanted at
    all; where none is, `direct` is told none, and SummQ writes to its default.
    """

    model_config = ConfigDict(frozen=True)

    data: DataRequest
    systems: list[str] = []
    metrics: list[str] = list(USUAL_METRICS)
    reference_length: bool = False
    told_length: bool = True
    references: References = "all"
    sweep: str | None = None
    sweep_base: str = "summq-combo"
    backbones: list[str] = []
    paper: str | None = None
    focus: str | None = None
    scorer: str | None = None
    quizzes: Path | None = None
    encoder: str | None = None
    encoder_layer: int | None = None
    learned: Path | None = None
    seed: int = 0
    shard: str | None = None

    def plan(self, settings: Settings, out: Path) -> EvalPlan:
        """The plan of a run in the folder `out`.

        Raises:
            DataError: The data or a file of predictions has the wrong form.
            ConfigError: An unknown system, metric, sweep or option.
            BackboneError: A backbone can't be had.
        """
        if self.paper:
            published_rows(self.paper)
        axis = sweep_axis(self.sweep, self.sweep_base, self.backbones) if self.sweep else None
        dataset = self.data.load()
        specs = self._specs(axis, settings, has_references=any(row.references for row in dataset))
        overrides = {**({"paper_faithful": True} if self.paper else {}), **settings.overrides}
        options = self._options(settings, out)
        return EvalPlan(
            dataset=dataset,
            systems=make_systems(specs, dataset, settings.connected, overrides, told_length=self.told_length),
            metrics=[make_metric(name, options) for name in self.metrics],
            words=None if self.reference_length else settings.config.target_words,
            references=self.references,
            seed=self.seed,
            backbone=settings.backbone,
            roles=settings.roles,
            scorer=settings.connected(self.scorer) if self.scorer else None,
            focus=self.focus,
            source=self.data,
            sweep=axis,
            paper=self.paper,
            shard=Shard.parse(self.shard or "1/1"),
            metric_options=options,
        )

    def _specs(self, axis: SweepAxis | None, settings: Settings, *, has_references: bool) -> Sequence[str]:
        """The systems that were named, those of the sweep, or the usual ones; beside an exam what people wrote, too."""
        swept = [point.system for point in axis.points] if axis else []
        usual = PUBLISHED_SYSTEMS if self.paper else (USUAL_SYSTEMS[0], _ours(settings))
        named = self.systems or ([] if axis else usual)
        people = ["reference"] if "exam" in self.metrics and has_references else []
        return list(dict.fromkeys([*named, *swept, *people]))

    def _options(self, settings: Settings, out: Path) -> MetricOptions:
        return MetricOptions(
            quizzes=self.quizzes or out / "quizzes",
            questions=settings.config.questions,
            seed=self.seed,
            encoder=self.encoder,
            encoder_layer=self.encoder_layer,
            learned=self.learned,
        )


def _ours(settings: Settings) -> str:
    """Our own system that is measured by default: the compiled program or the preset that the config file names."""
    if settings.program:
        return f"program:{settings.program}"
    return f"summq-{settings.preset.replace('_', '-')}" if settings.preset else USUAL_SYSTEMS[1]


__all__ = ["USUAL_METRICS", "USUAL_SYSTEMS", "EvalRequest"]
