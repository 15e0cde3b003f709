"""DSPy programs as systems: baselines and presets by name, and compiled programs."""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import dspy

from summq.eval.data import Row
from summq.eval.systems.base import Identity, Written, separate_cache
from summq.programs.baselines import Direct
from summq.programs.forecast import Forecast, forecast, forecast_of_direct
from summq.programs.runtime.backbones import Backbone
from summq.programs.summq import SummQ, complete
from summq.signatures import SummQResult, fingerprint

LENGTHS_KEPT = 8
ANY_LENGTH = 400


class Program:
    """A program, on a backbone of its own or on that of the session.

    Args:
        build: Makes the program for a number of words.
    """

    def __init__(
        self, name: str, spec: str, build: Callable[[int], dspy.Module], backbone: Backbone | None = None
    ) -> None:
        self.name = name
        self.spec = spec
        self.backbone = backbone
        self._spec, self._make, self._build = spec, build, lru_cache(LENGTHS_KEPT)(build)
        self.identity: Identity = {
            "spec": spec,
            "backbone": backbone.name if backbone else None,
            "program": _fingerprint(build(ANY_LENGTH)),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Built again where it is unpickled."""
        return Program, (self.name, self._spec, self._make, self.backbone)

    def summarize(self, row: Row, words: int) -> Written:
        """The summary that the program writes on the backbone.

        Raises:
            BudgetSpent: The budget ended within the run; what there is of it is no summary to be measured.
        """
        with separate_cache(f"eval/{self.name}", self.backbone):
            prediction = complete(self._build(words)(document=row.document))
        result: SummQResult | None = prediction.get("result")
        return Written(prediction.summary, _own_evidence(prediction), result.wanted_words if result else None)

    def foreseen(self, row: Row, words: int) -> Forecast | None:
        """What the program will take; None for baselines of several prompts."""
        program = self._build(words)
        with separate_cache(f"eval/{self.name}", self.backbone):
            if not program.named_predictors():
                return Forecast()
            if isinstance(program, SummQ):
                return forecast(program, row.document)
            return forecast_of_direct(program, row.document) if isinstance(program, Direct) else None


def compiled(folder: Path, words: int) -> dspy.Module:
    """The compiled program of a folder, set to a length. Raises `DataError` when there is none."""
    program = SummQ.from_artifact(folder)
    program.config = program.config.model_copy(update={"target_words": words})
    return program


def _own_evidence(prediction: dspy.Prediction) -> tuple[str, ...]:
    """The evidence of all questions in the quizzes of a run of SummQ; nothing for other programs."""
    result: SummQResult | None = prediction.get("result")
    quizzes = [iteration.quiz for iteration in result.iterations] if result else []
    return tuple(dict.fromkeys(question.evidence for quiz in quizzes if quiz for question in quiz.questions))


def _fingerprint(program: dspy.Module) -> str:
    """Changes with the prompts and the configuration of a program."""
    prompts = [(name, predictor.dump_state()) for name, predictor in program.named_predictors()]
    return fingerprint(repr((getattr(program, "config", None), prompts)))


__all__ = ["Program", "compiled"]
