"""Compiling for several backbones: one artifact each, one budget for all."""

from pathlib import Path
from typing import Any

import pytest

from summq.eval.data import load_rows
from summq.optimizers.compiling.campaign import Campaign
from summq.optimizers.compiling.inputs import CompileConfig, CompileData
from summq.programs import SummQ, SummQConfig
from summq.programs.artifact import read_manifest
from summq.programs.errors import BudgetSpent
from summq.programs.settings import Settings

DOMAIN = Path(__file__).resolve().parents[3] / "examples" / "domain"


def campaign(folder: Path, *backbones: str, **settings: Any) -> Campaign:
    rows = CompileData("domain", *(load_rows(str(DOMAIN), split).rows for split in ("train", "dev")))
    return Campaign(
        settings=Settings(config=SummQConfig(target_words=60), **settings),
        backbones=backbones,
        prompt_model=None,
        roles=["grader"],
        rows=rows,
        config=CompileConfig("bootstrap", metric_calls=24, folds=1),
        folder=folder,
        report=lambda line: None,
    )


@pytest.mark.slow
def test_one_backbone_has_the_folder_for_itself(tmp_path: Path) -> None:
    assert campaign(tmp_path, "offline").run() == {"offline": tmp_path}
    assert SummQ.from_artifact(tmp_path).config.target_words == 60


@pytest.mark.slow
def test_what_roles_ran_on_is_remembered(tmp_path: Path) -> None:
    campaign(tmp_path, "offline", roles={"grader": "offline:grader=0.5"}).run()
    manifest = read_manifest(tmp_path)
    assert manifest.role_backbones == {"grader": "offline:grader=0.5"}
    assert manifest.roles[0].before is not None
    assert manifest.roles[0].before < 0.9


@pytest.mark.slow
def test_all_backbones_share_one_budget(tmp_path: Path) -> None:
    first = campaign(tmp_path, "offline", "offline:grader=0.2", max_calls=6)
    with pytest.raises(BudgetSpent):
        first.run()
    assert sum(usage.calls for usage in first.spent) == 6
    second = campaign(tmp_path, "offline", "offline:grader=0.2")
    assert len(second.run()) == 2
    assert (tmp_path / "cross.md").exists()
