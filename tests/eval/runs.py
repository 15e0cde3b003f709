"""Planted outcomes of an evaluation, for tests of what is made of them."""

from summq.eval.archive import Cells, Outcome, RunConfig
from summq.signatures import Usage

IDS = [f"d{n}" for n in range(10)]
OURS = [0.50, 0.52, 0.48, 0.55, 0.51, 0.49, 0.53, 0.50, 0.54, 0.52]


def outcome(system: str, row_id: str, rouge1: float | None, **changes: object) -> Outcome:
    values = {"id": row_id, "system": system, "summary": "Lamps.", "metrics": {"rouge1": rouge1}, "words_wanted": 40}
    usage = Usage(calls=2, cache_hits=1, input_tokens=100, output_tokens=10, cost=0.25, seconds=1.0)
    return Outcome.model_validate({**values, "usage": usage, "seconds": 1.0, **changes})


def config(*systems: str, **changes: object) -> RunConfig:
    values = {
        "version": "0", "data": "halls", "split": "dev", "data_hash": "x", "ids": IDS, "dropped": {"no summary": 2},
        "words": 40, "references": "all", "seed": 0, "backbone": "offline", "roles": {}, "scorer": None,
        "metrics": {"rouge": {"stemmer": "porter"}}, "systems": {name: {"spec": name} for name in systems},
        "focus": systems[0],
    }  # fmt: skip
    return RunConfig.model_validate({**values, **changes})


def cells(*outcomes: Outcome) -> Cells:
    return {(outcome.system, outcome.id): outcome for outcome in outcomes}


def planted(shift: float = 0.1) -> Cells:
    ours = [outcome("ours", row_id, value) for row_id, value in zip(IDS, OURS, strict=True)]
    return cells(*ours, *(outcome("theirs", o.id, (o.metrics["rouge1"] or 0) - shift) for o in ours))
