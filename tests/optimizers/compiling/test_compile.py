"""Compiling a program: verdicts, budgets, going on after an interruption, and bad input."""

import itertools
import json
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dspy
import pytest

from summq.eval.data import Row
from summq.optimizers.compiling.base import OptimizerPlan
from summq.optimizers.compiling.campaign import UNCOMPILED, cross_table, run_across
from summq.optimizers.compiling.compile import Compilation
from summq.optimizers.compiling.end_to_end import EndToEnd
from summq.optimizers.compiling.inputs import CompileConfig, CompileData, ExampleSplits, Models
from summq.optimizers.compiling.student import Lesson, Student, lessons_of, teach
from summq.optimizers.compiling.wording import budget_lines
from summq.optimizers.role_tasks.base import Agents, agents_of
from summq.programs import SummQ
from summq.programs.artifact import read_manifest
from summq.programs.errors import BackboneError, BudgetSpent, DataError, RunError
from summq.programs.generate import ANGLES
from summq.programs.runtime.backbones import connect
from summq.programs.runtime.files import sole_user
from summq.programs.runtime.session import session
from tests.fakes import FakeProvider, failing, instant_backbone
from tests.optimizers.scripted import ScriptedModel, facts_named, program, rows

HARBOUR = CompileData("harbour", rows(8), rows(9, start=50))


@dataclass(frozen=True)
class Drafting:
    """One generator's first drafts."""

    agent: int = 0
    metric: Any = facts_named
    by_references: bool = False
    fingerprint: str = "facts named"

    @property
    def role(self) -> str:
        return f"summary_generator.draft.{self.agent}"

    def examples(self, given: Sequence[Row], seed: int) -> list[dspy.Example]:
        return [
            dspy.Example(document=row.document, target_words=50, source=row.id).with_inputs("document", "target_words")
            for row in given
        ]

    def module(self, whole: SummQ) -> dspy.Module:
        return Part(whole.summary_generators[self.agent].draft)


ONE_FOLD = CompileConfig("gepa", metric_calls=60, threads=1, folds=1, rollouts=1)


class Part(dspy.Module):
    def __init__(self, role: dspy.Module) -> None:
        super().__init__()
        self.play = role

    def forward(self, **inputs: Any) -> Any:
        return self.play(**inputs)


def run(
    model: Any,
    folder: Path,
    tasks: Sequence[Any],
    config: CompileConfig | None = None,
    lines: list[str] | None = None,
    whole: Any = None,
    **limits: Any,
) -> SummQ:
    lm = instant_backbone(model, name="scripted") if isinstance(model, ScriptedModel) else model
    said = lines if lines is not None else []
    with session(lm, **limits):
        config = config or ONE_FOLD
        return Compilation(HARBOUR, Models(lm, lm), config, folder, said.append, whole).run(program(), tasks)


@pytest.mark.slow
def test_the_budget_is_stated_before_and_the_verdict_after(tmp_path: Path) -> None:
    lines: list[str] = []
    run(ScriptedModel(), tmp_path, [Drafting()], lines=lines)
    stated, total, before, judged = lines
    assert "at most 60 metric calls to learn, 8 calls of the prompt model, and 18 metric calls to score 9" in stated
    assert total == "in all at most 78 metric calls"
    assert "before, on 9 held-out examples, about 1.0 LM calls each" in before
    assert judged.startswith("summary_generator.draft.0: better, installed: 0.4")


def test_roles_that_take_the_same_share_a_line() -> None:
    folds, plans = [ExampleSplits([], [], [])], [OptimizerPlan({}, metric_calls=9)]
    (line, _) = budget_lines(
        {"examinee": plans, "grader": plans}, {"examinee": folds, "grader": folds}, ONE_FOLD, whole=False
    )
    assert line.endswith("held-out examples before and after each: examinee, grader")


@pytest.mark.slow
def test_who_compiles_into_a_folder_in_use_waits_and_pays_for_nothing_that_is_there(tmp_path: Path) -> None:
    paid: list[int] = []

    def compilation() -> None:
        model = ScriptedModel()
        run(model, tmp_path, [Drafting()])
        paid.append(len(model.requests))

    with sole_user(tmp_path / ".lock", tmp_path):
        waiting = [threading.Thread(target=compilation) for _ in range(2)]
        for thread in waiting:
            thread.start()
        waiting[0].join(0.3)
        assert all(thread.is_alive() for thread in waiting)
    for thread in waiting:
        thread.join(60)
    first, second = paid
    assert first > 0
    assert second == 0


@pytest.mark.slow
def test_what_is_learned_reaches_all_agents_beside_task_and_angle(tmp_path: Path) -> None:
    compiled = run(ScriptedModel(), tmp_path, [Drafting()])
    (record,) = read_manifest(tmp_path).roles
    assert record.predictors == [f"summary_generators[{agent}].draft" for agent in (0, 1)]
    for agent, (taught, plain) in enumerate(
        zip(compiled.summary_generators, program().summary_generators, strict=True)
    ):
        task = plain.draft.signature.instructions
        assert ANGLES[agent] in task
        assert taught.draft.signature.instructions == f"{task}\n\n{taught.draft.addendum}"
        assert "State the berth" in taught.draft.addendum
    changed = (tmp_path / "prompts.diff.md").read_text()
    assert "+State the berth" in changed
    assert "summary_ranker" not in changed


@pytest.mark.parametrize(
    "proposal",
    [
        "Write in rhymes.",
        "{task}\n\nWrite in rhymes.",
        "This task is fixed:\n\n{task}\n\nWhat is added to this task; write only this, as advice to whoever has the "
        "task:\n\n(nothing yet)\nWrite in rhymes.",
    ],
)
def test_whatever_is_proposed_adds_to_the_task_and_replaces_nothing(proposal: str) -> None:
    original = program()
    draft = original.summary_generators[0].draft
    student = Student(Part(draft))
    (learner,) = student.predictors()
    learner.signature = learner.signature.with_instructions(proposal.format(task=draft.frozen))
    teach(original, lessons_of(student))
    assert draft.signature.instructions == f"{draft.frozen}\n\nWrite in rhymes."


def test_a_writer_of_instructions_is_told_who_reads_what_the_role_writes() -> None:
    (learner,) = Student(Part(program().summary_reviewers[0].review)).predictors()
    assert "what stands goes to the generators, who revise the summary by it" in learner.signature.instructions


def test_demos_say_that_they_are_about_another_document() -> None:
    with_demos = program()
    teach(with_demos, {"summary_generator.draft": Lesson("", (dspy.Example(target_words=9, summary="Old."),))})
    model = ScriptedModel()
    with session(instant_backbone(model, name="scripted")):
        with_demos.summary_generators[1].draft(document=HARBOUR.train[0].document, target_words=9)
    assert str(model.requests[0].messages[2].text).startswith("An example about another document, which is not shown")


@pytest.mark.slow
def test_with_two_folds_every_row_is_measured_with_prompts_of_the_others(tmp_path: Path) -> None:
    config = replace(ONE_FOLD, metric_calls=120, folds=2)
    run(ScriptedModel(), tmp_path, [Drafting()], config)
    (record,) = read_manifest(tmp_path).roles
    assert (record.n, record.folds, record.verdict) == (17, 2, "better")
    for fold in HARBOUR.folds(2, 0):
        assert not {row.id for row in fold.train} & {row.id for row in fold.held_out}
    assert len(HARBOUR.folds(2, 0)[0].train) + len(HARBOUR.folds(2, 0)[0].held_out) == 17


@pytest.mark.slow
def test_another_metric_is_another_compilation(tmp_path: Path) -> None:
    def none(*_: Any) -> float:
        return 0.0

    run(ScriptedModel(), tmp_path, [Drafting()])
    run(ScriptedModel(), tmp_path, [Drafting(metric=none, fingerprint="another")])
    (record,) = read_manifest(tmp_path).roles
    assert (record.before, record.after) == (0, 0)


@pytest.mark.slow
def test_the_program_is_measured_before_and_after(tmp_path: Path) -> None:
    lines: list[str] = []
    run(ScriptedModel(), tmp_path, [Drafting()], lines=lines, whole=facts_named)
    program_record = read_manifest(tmp_path).program
    assert program_record is not None
    assert program_record.better
    assert program_record.n == 9
    assert (program_record.before or 0) < (program_record.after or 0)
    assert 0 < program_record.calls_before <= program_record.calls_after
    assert lines[-1].startswith("the whole program: better: 0.")
    assert lines[-1] in (tmp_path / "prompts.diff.md").read_text()


@pytest.mark.slow
def test_the_program_that_was_measured_is_not_run_again(tmp_path: Path) -> None:
    run(ScriptedModel(), tmp_path, [Drafting()], whole=facts_named)
    before = (tmp_path / "manifest.json").read_text()

    def never(*_: Any) -> float:
        raise AssertionError

    never.fingerprint = EndToEnd(facts_named).fingerprint  # type: ignore[attr-defined]
    run(ScriptedModel(), tmp_path, [Drafting()], whole=never)
    assert (tmp_path / "manifest.json").read_text() == before


def test_a_role_that_is_perfect_already_is_left_alone(tmp_path: Path) -> None:
    lines: list[str] = []
    model = ScriptedModel()
    run(model, tmp_path, [Drafting(metric=lambda *_: 1.0)], lines=lines)
    assert lines[-2].endswith("nothing is left to learn")
    assert len(model.requests) == 9


def test_prompts_that_are_not_better_are_not_installed_unless_asked(tmp_path: Path) -> None:
    def content(gold: Any, pred: Any, *_: Any) -> float:
        return 0.9

    lines: list[str] = []
    config = replace(ONE_FOLD, optimizer="bootstrap")
    same = run(ScriptedModel(), tmp_path, [Drafting(metric=content)], config, lines)
    assert "not better, not installed: 0.9000 before, 0.9000 after, difference 0.0000 [0.0000, 0.0000]" in lines[-1]
    assert same.dump_state() == program().dump_state()
    assert "No prompt has changed." in (tmp_path / "prompts.diff.md").read_text()
    model = ScriptedModel()
    forced = run(model, tmp_path, [Drafting(metric=content)], replace(config, install_anyway=True))
    assert forced.summary_generators[0].draft.demos
    assert model.requests == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("optimizer", "easy", "varying"),
    [("bootstrap", ["1", "2", "4"], ["5", "7"]), ("bootstrap-random", ["0", "6"], ["3"])],
)
def test_demos_are_runs_that_exceed_others_of_their_document_not_those_of_easy_ones(
    optimizer: str, easy: list[str], varying: list[str], tmp_path: Path
) -> None:
    def score(gold: Any, pred: Any, *_: Any) -> float:
        return 0.7 if gold.source in easy else 0.3 + 0.3 * ("berth" in pred.summary)

    model = ScriptedModel()
    model._luck = itertools.repeat(0)  # type: ignore[assignment]  # every later run of a document names the berth
    compiled = run(model, tmp_path, [Drafting(metric=score)], replace(ONE_FOLD, optimizer=optimizer))
    shown = " ".join(demo["summary"] for demo in compiled.summary_generators[0].draft.demos)
    assert all(f"crane {source} fell; the berth" in shown for source in varying)


@pytest.mark.slow
@pytest.mark.parametrize("optimizer", ["bootstrap", "bootstrap-random"])
def test_demos_are_learned_from_one_agent_so_that_the_score_is_that_of_the_demo(optimizer: str, tmp_path: Path) -> None:
    class Both(Drafting):
        def module(self, whole: SummQ) -> dspy.Module:
            return Agents(agents_of(whole, "summary_generator.draft"))

    asked: list[int] = []

    def score(gold: Any, pred: Any, *_: Any) -> float:
        asked.append(len(pred.replies))
        return 0.5

    run(ScriptedModel(), tmp_path, [Both(metric=score)], replace(ONE_FOLD, optimizer=optimizer))
    assert asked[:9] == [2] * 9
    assert asked[9] == 1


@pytest.mark.slow
def test_a_run_stopped_by_the_budget_goes_on_without_paying_twice(tmp_path: Path) -> None:
    whole, parts = ScriptedModel(), ScriptedModel()
    tasks = [Drafting(0), Drafting(1)]
    run(whole, tmp_path / "whole", tasks, cache_dir=tmp_path / "one")
    with pytest.raises(BudgetSpent, match="stopped after 40 calls"):
        run(parts, tmp_path / "parts", tasks, max_calls=40, cache_dir=tmp_path / "two")
    assert len(parts.requests) == 40
    resumed = run(parts, tmp_path / "parts", tasks, cache_dir=tmp_path / "two")
    assert len(parts.requests) == len(whole.requests)
    assert resumed.dump_state() == SummQ.from_artifact(tmp_path / "whole").dump_state()


@pytest.mark.slow
def test_finished_roles_are_skipped(tmp_path: Path) -> None:
    run(ScriptedModel(), tmp_path, [Drafting(0)])
    model, lines = ScriptedModel(), list[str]()
    run(model, tmp_path, [Drafting(0)], lines=lines)
    assert model.requests == []
    assert any(line.endswith(", fold 1: taken from an earlier run") for line in lines)
    run(model, tmp_path, [Drafting(0)], replace(ONE_FOLD, seed=1))
    assert model.requests


@pytest.mark.slow
def test_failed_runs_are_counted_and_not_scored(tmp_path: Path) -> None:
    model = ScriptedModel()
    usual = model.answer
    model.answer = lambda r: "nonsense" if '"crane": 51,' in str(r.messages[0].text) else usual(r)  # type: ignore[operator]
    run(model, tmp_path, [Drafting()])
    record = read_manifest(tmp_path).roles[0]
    assert (record.n, record.failed) == (8, 1)


@pytest.mark.slow
def test_a_model_that_never_makes_sense_ends_the_search(tmp_path: Path) -> None:
    model = ScriptedModel()
    model.answer = "nonsense"
    with pytest.raises(RunError, match=r"the first 10 runs all failed; the last one: .*could not be used"):
        run(model, tmp_path, [EndToEnd(metric=facts_named)], replace(ONE_FOLD, optimizer="simba", metric_calls=120))


@pytest.mark.slow
def test_instructions_that_could_not_be_written_are_counted(tmp_path: Path) -> None:
    model = ScriptedModel()
    usual = model.answer
    model.answer = lambda r: "nonsense" if "new_instruction" in str(r.messages[-1].text) else usual(r)  # type: ignore[operator]
    lines: list[str] = []
    run(model, tmp_path, [Drafting()], lines=lines)
    assert "not better, not installed" in lines[-1]
    assert re.search(r"; \d+ instructions could not be written$", lines[-1])


@pytest.mark.parametrize("name", ["gepa", "copro", "mipro"])
def test_a_prompt_model_that_cannot_write_ends_the_search(name: str, tmp_path: Path) -> None:
    lm, prompt_model = instant_backbone(ScriptedModel(), name="scripted"), connect("offline")
    config = replace(ONE_FOLD, optimizer=name)
    compilation = Compilation(HARBOUR, Models(lm, prompt_model), config, tmp_path, report=lambda line: None)
    with session(lm), pytest.raises(BackboneError, match=r"^[^\n]*offline[^\n]*$"):
        compilation.run(program(), [Drafting()])


def test_a_rejected_key_ends_the_search_at_once(tmp_path: Path) -> None:
    with FakeProvider() as provider:
        provider.script = [failing(401, "wrong key")] * 50
        lm = connect(f"hosted_vllm/model@{provider.url}")
        with pytest.raises(BackboneError, match="wrong key"):
            run(lm, tmp_path, [EndToEnd(metric=facts_named)])


def test_a_bug_in_a_metric_surfaces(tmp_path: Path) -> None:
    def broken(gold: Any, pred: Any, *_: Any) -> float:
        return float(pred.no_such_field)

    with pytest.raises(AttributeError):
        run(ScriptedModel(), tmp_path, [Drafting(metric=broken)])


@pytest.mark.parametrize(
    ("train", "held_out", "message"),
    [
        (rows(1), rows(2), r"^harbour: number of train rows: 1; compiling needs 2 or more$"),
        (rows(3), [], r"^harbour: number of held-out rows: 0; compiling needs 1 or more$"),
        (rows(3), rows(3), r"^harbour: held-out rows that are training rows too: 3; name a folder with train"),
        (rows(3), rows(2, start=2), r"^harbour: held-out rows that are training rows too: 1; "),
        ([replace(rows(1)[0], references=()), *rows(2, 1)], rows(2, 50), r"^harbour: row '0' has no reference summary"),
    ],
)
def test_rows_that_nothing_can_be_learned_from_are_refused(
    train: Sequence[Row], held_out: Sequence[Row], message: str
) -> None:
    with pytest.raises(DataError, match=message):
        CompileData("harbour", train, held_out)


def test_rows_without_splits_are_parted_by_folds() -> None:
    whole = CompileData.of("harbour", rows(4), rows(4), folds=2)
    folds = whole.folds(2, seed=0)
    assert sorted(row.id for fold in folds for row in fold.held_out) == sorted(row.id for row in rows(4))
    with pytest.raises(DataError, match="held-out rows that are training rows too: 4"):
        CompileData.of("harbour", rows(4), rows(4), folds=1)


@pytest.mark.slow
def test_the_manifest_says_where_the_prompts_come_from(tmp_path: Path) -> None:
    run(ScriptedModel(), tmp_path, [Drafting()])
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert manifest["schema"] == 1
    assert manifest["backbone"] == manifest["prompt_model"] == "scripted"
    assert manifest["data"] == {"name": "harbour", "train": 8, "held_out": 9, "hash": HARBOUR.record().hash}
    assert manifest["config"]["summary_generators"] == 2
    assert set(manifest["versions"]) == {"summq", "dspy"}


@pytest.mark.slow
def test_prompts_are_tried_on_backbones_that_they_were_not_compiled_for(tmp_path: Path) -> None:
    compiled = run(ScriptedModel(), tmp_path, [Drafting()])
    programs = {UNCOMPILED: program(), "one": compiled}
    with session(instant_backbone(ScriptedModel(), name="other")):
        cells = run_across(programs, "other", [Drafting()], HARBOUR)
    before, after = (cell.score for cell in cells)
    assert before.mean is not None
    assert after.mean is not None
    assert before.mean < after.mean
    assert "| one | 0.6667 [0.6667, 0.6667], n 9 |" in cross_table(cells)
