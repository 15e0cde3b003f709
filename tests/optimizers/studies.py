"""Small studies that several tests of tuning run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from summq.eval.data import Row
from summq.optimizers.tuning.objectives import Quality
from summq.optimizers.tuning.space import Space
from summq.optimizers.tuning.tune import Tuning
from summq.programs import SummQConfig
from summq.programs.settings import Settings
from summq.signatures import Document

SPACE = Space.read(
    {"max_iterations": 1, "debate_rounds": 0, "questions": False, "quiz_generators": 1, "quiz_reviewers": 1}
)
SENTENCE = (
    "In {year} the town of Brask built {n} bridges over the river, because {why}, and paid {cost} crowns for them. "
)


def rows(number: int) -> list[Row]:
    """So many made-up documents, each with its beginning as its reference."""
    return [Row(str(k), Document(id=str(k), text=_text(k)), (_text(k)[:300],)) for k in range(number)]


def _text(k: int) -> str:
    lines = (
        SENTENCE.format(year=1800 + 7 * i + k, n=i + 2, why=f"winter {i} was hard", cost=i * 310 + k) for i in range(30)
    )
    return "".join(lines)


def tuning(folder: Path, trials: int = 4, **changes: Any) -> Tuning:
    """A small study in a folder, over two made-up documents."""
    settings = Settings(config=SummQConfig(quiz_stream=False, target_words=60, max_iterations=1))
    usual = Tuning(
        name="study",
        storage=f"sqlite:///{folder}/study.db",
        space=SPACE,
        rows=rows(2),
        data_hash="2 towns",
        settings=settings,
        objectives=("quality", "calls"),
        quality=Quality("rouge1=1"),
        trials=trials,
    )
    return replace(usual, **changes)


def silent(line: str) -> None:
    """Report nothing."""
