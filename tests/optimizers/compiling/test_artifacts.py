"""Artifact folders: no documents, keys or pickles in them; loaded by SummQ and by DSPy; refused when they don't fit."""

import json
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.optimizers.compiling.artifacts import ArtifactFolder, versions
from summq.optimizers.compiling.prompts import apply_prompts, state_of
from summq.optimizers.compiling.student import Lesson, teach, without_document
from summq.programs import SummQ
from summq.programs.artifact import DataRecord, Manifest, field_names
from summq.programs.errors import DataError
from summq.signatures import Document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    original = SummQ.preset("solo", target_words=120)
    program = original.deepcopy()
    demo = dspy.Example(augmented=True, document=Document(text="secret " * 50), target_words=9, summary="A demo.")
    program.set_lm(dspy.LM("openai/gpt-4o", api_key="key-1234", api_base="http://inside:1/v1"))
    teach(program, {"summary_generator.draft": Lesson("Write like a clerk.", (without_document(demo),))})
    ArtifactFolder(tmp_path).save(program, original, _manifest(program))
    return tmp_path


def _manifest(program: SummQ) -> Manifest:
    return Manifest(
        config=program.config,
        backbone="offline",
        prompt_model="offline",
        data=DataRecord(name="x", train=2, held_out=1, hash="0"),
        optimizer="gepa",
        seed=0,
        roles=[],
        fields=field_names(program),
        versions=versions(),
    )


def edit(path: Path, **changes: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def test_a_saved_program_is_loaded_with_its_shape_and_prompts(folder: Path) -> None:
    program = SummQ.from_artifact(folder)
    assert program.config.target_words == 120
    assert program.summary_generators[0].draft.addendum == "Write like a clerk."
    assert program.summary_generators[0].draft.demos == [{"augmented": True, "target_words": 9, "summary": "A demo."}]


def test_plain_dspy_loads_it_too(folder: Path) -> None:
    program = SummQ.preset("solo")
    program.load(folder / "program.json")
    assert program.summary_generators[0].draft.addendum == "Write like a clerk."


def test_no_document_no_key_no_address_no_pickle(folder: Path) -> None:
    written = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert not any(word in written for word in ("secret", "key-1234", "inside"))
    assert {path.suffix for path in folder.rglob("*") if path.is_file()} == {".json", ".md"}


def test_the_diff_shows_what_has_changed(folder: Path) -> None:
    shown = (folder / "prompts.diff.md").read_text()
    assert "## summary_generators[0].draft" in shown
    assert "+Write like a clerk." in shown
    assert "- summary: A demo." in shown
    assert "other predictors are as they were." in shown


def test_another_shape_is_refused(folder: Path) -> None:
    edit(folder / "manifest.json", config={"summary_generators": 2})
    with pytest.raises(DataError, match=r"another shape than its configuration \(lacks summary_aggregator\)"):
        SummQ.from_artifact(folder)


def test_other_fields_are_refused(folder: Path) -> None:
    fields = json.loads((folder / "manifest.json").read_text())["fields"]
    edit(folder / "manifest.json", fields={**fields, "rewriter": [], "summary_generators[0].draft": ["headline"]})
    with pytest.raises(DataError, match=r"summary_generators\[0\]\.draft has no longer the fields"):
        SummQ.from_artifact(folder)


def test_another_version_is_refused(folder: Path) -> None:
    edit(folder / "manifest.json", schema=99)
    with pytest.raises(DataError, match=r"has schema 99, this version of SummQ reads 1; name a folder"):
        SummQ.from_artifact(folder)


def test_a_program_that_brings_its_own_model_is_refused(folder: Path) -> None:
    state = json.loads((folder / "program.json").read_text())
    state["digester.digest"]["lm"] = {"model": "openai/gpt-4o", "api_base": "http://elsewhere"}
    (folder / "program.json").write_text(json.dumps(state))
    with pytest.raises(DataError, match="names a language model of its own"):
        SummQ.from_artifact(folder)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("manifest.json", None, "can't be read"),
        ("manifest.json", "{", "not JSON"),
        ("manifest.json", "[]", "not the manifest of a compiled program"),
        ("manifest.json", '{"schema": 1}', "config: Field required"),
        ("program.json", None, "can't be read"),
    ],
)
def test_a_folder_of_another_kind_is_refused(folder: Path, name: str, content: str | None, message: str) -> None:
    (folder / name).unlink()
    if content is not None:
        (folder / name).write_text(content)
    with pytest.raises(DataError, match=message) as caught:
        SummQ.from_artifact(folder)
    assert "\n" not in str(caught.value)


def test_prompts_of_some_predictors_fit_a_program_of_another_shape(folder: Path) -> None:
    state = state_of(SummQ.from_artifact(folder), ["summary_generators[0].draft", "digester.digest"])
    larger = SummQ.preset("combo")
    apply_prompts(larger, state)
    assert larger.summary_generators[0].draft.addendum == "Write like a clerk."
    assert larger.summary_generators[1].draft.addendum == ""
