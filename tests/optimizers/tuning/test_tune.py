"""A study over structures: presets first, the same documents for all, going on, sharing, budgets, and bad input."""

import multiprocessing
import os
import random
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from summq.eval.data import Row
from summq.eval.statistics import Estimate
from summq.optimizers.tuning.choice import Difference, Finals, Standing, selection_table
from summq.optimizers.tuning.evaluate import Evaluator, is_hopeless
from summq.optimizers.tuning.objectives import Quality, expense, parse_objectives
from summq.optimizers.tuning.plots import importances, save_figures, study_figures
from summq.optimizers.tuning.selection import cheapest_of_best, find_trial, front_table, write_selection
from summq.optimizers.tuning.space import AS_IT_WAS, Bounds, Space
from summq.optimizers.tuning.study import PROCESS, finished, line_of, put_back_killed, seed_sampler, this_process
from summq.optimizers.tuning.tune import Tuning, tune
from summq.programs import SummQ, SummQConfig
from summq.programs.config import Economy
from summq.programs.errors import BudgetSpent, ConfigError, DataError, RunError
from summq.programs.runtime.engines import open_engine
from summq.programs.runtime.engines.processes import ProcessEngine
from summq.programs.runtime.session import session
from summq.programs.runtime.usage import CallRecord, Meter
from summq.programs.settings import Settings
from summq.signatures import Document, QuestionCounts
from tests.fakes import InstantEngine, instant_backbone
from tests.optimizers.studies import SPACE, rows, silent, tuning


@pytest.mark.slow
def test_presets_are_tried_first_and_all_trials_run_on_the_same_documents(tmp_path: Path) -> None:
    study = tune(tuning(tmp_path), report=silent)
    solo, combo, *_ = study.trials
    assert {solo.params[name] for name in ("summary_generators", "summary_reviewers")} == {1}
    assert {combo.params[name] for name in ("summary_generators", "summary_reviewers")} == {3}
    assert [list(trial.user_attrs["documents"]) for trial in study.trials] == [["0", "1"]] * 4
    told = r"trial 0 complete: quality 0\.\d{4}, \d+\.\d calls a document \(.*summary_generators=1.*\)"
    assert re.fullmatch(told, line_of(solo, ("quality", "calls")))
    assert solo.values[1] < combo.values[1]


@pytest.mark.slow
def test_the_same_study_goes_on_and_adds_only_what_is_missing(tmp_path: Path) -> None:
    tune(tuning(tmp_path, trials=2), report=silent)
    study = tune(tuning(tmp_path, trials=4), report=silent)
    assert finished(study) == 4
    assert len(study.trials) == 4
    assert len(tune(tuning(tmp_path, trials=4), report=silent).trials) == 4


@pytest.mark.simulation
def test_a_killed_study_goes_on(tmp_path: Path) -> None:
    process = multiprocessing.get_context("spawn").Process(target=tune, args=(tuning(tmp_path, trials=500),))
    process.start()
    study = _when_begun(tuning(tmp_path))
    process.kill()
    process.join()
    before = finished(study)
    after = tune(tuning(tmp_path, trials=before + 2), report=silent)
    assert finished(after) == before + 2


@pytest.mark.slow
def test_a_killed_trial_comes_next_as_it_was_drawn(tmp_path: Path) -> None:
    begun = tuning(tmp_path, trials=4, space=Space.read({"values": {"return_iteration": ["last", "best"]}}))
    study = begun.open()
    killed = study.ask()
    drawn = begun.space.suggest(killed)
    ended = multiprocessing.get_context("spawn").Process(target=silent, args=("",))
    ended.start()
    ended.join()
    killed.set_user_attr(PROCESS, this_process().replace(str(os.getpid()), str(ended.pid)))
    running = study.ask()
    running.set_user_attr(PROCESS, this_process())
    put_back_killed(study)
    assert [trial.state for trial in study.trials[:2]] == [TrialState.WAITING, TrialState.RUNNING]
    again = study.ask()
    assert (again.number, begun.space.suggest(again)) == (killed.number, drawn)


@pytest.mark.slow
def test_what_is_drawn_depends_on_the_trials_alone(tmp_path: Path) -> None:
    """However often a study is opened in between."""
    drawn = []
    for name in ("once", "often"):
        (tmp_path / name).mkdir()
        begun = tuning(tmp_path / name, space=Space())
        study = begun.open()
        for number in range(12):
            study = begun.open() if name == "often" else study
            seed_sampler(study, begun.seed)
            trial = study.ask()
            begun.space.suggest(trial)
            study.tell(trial, [number % 5, number % 3])
        drawn.append([trial.params for trial in study.trials])
    assert drawn[0] == drawn[1]
    assert len({str(params) for params in drawn[0]}) > 8


def _when_begun(begun: Tuning) -> Any:
    for _ in range(600):
        study = begun.open()
        if finished(study) >= 2:
            return study
        time.sleep(0.1)
    raise TimeoutError


@pytest.mark.simulation
def test_two_workers_share_one_storage(tmp_path: Path) -> None:
    study = tune(tuning(tmp_path, trials=12), engine=ProcessEngine(2))
    assert finished(study) == 12
    assert {trial.user_attrs["worker"] for trial in study.trials} == {0, 1}


@pytest.mark.simulation
def test_two_commands_make_one_study_together(tmp_path: Path) -> None:
    """Both make the tables of the database, and stop together at the number of trials."""
    context = multiprocessing.get_context("spawn")
    both = [context.Process(target=tune, args=(tuning(tmp_path, trials=5),)) for _ in range(2)]
    for process in both:
        process.start()
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0]
    study = tuning(tmp_path).open()
    assert finished(study) == 5
    assert len({str(trial.params) for trial in study.trials[:2]}) == 2


def test_compiled_prompts_that_are_not_there_are_told_before_the_first_trial(tmp_path: Path) -> None:
    space = Space.read({"prompts": {"summary_generator": [str(tmp_path / "nowhere")]}})
    with pytest.raises(DataError, match="nowhere"):
        tuning(tmp_path, space=space).open()


@pytest.mark.slow
def test_solo_is_chosen_where_nothing_is_shown_to_be_better(tmp_path: Path) -> None:
    usual = tuning(tmp_path, trials=3)
    study = tune(usual, report=silent)
    lines: list[str] = []
    selection = Finals(usual, rows(6)[2:], rows(9)[6:], report=lines.append).choose(study)
    assert selection.chosen == "solo"
    assert [standing.name for standing in selection.fresh][:2] == ["solo", "combo"]
    assert (selection.fresh_rows, selection.unseen_rows) == (4, 3)
    assert "on 4 fresh rows, 2 rollouts each; then a last score on 3 rows never seen" in lines[0]
    assert "Chosen: solo, since nothing is shown to be better than it." in selection_table(selection, usual.objectives)


def _standing(name: str, quality: float, calls: float, p: float) -> Standing:
    difference = Difference(mean=quality - 0.5, low=0.0, high=0.0, p=p)
    return Standing(
        name=name,
        params={},
        quality=Estimate(n=1),
        objectives=[quality, calls],
        to_solo=difference,
        to_combo=difference,
        p=p,
    )


def test_what_is_shown_to_be_better_is_chosen_the_cheapest_of_the_best(tmp_path: Path) -> None:
    finals = Finals(tuning(tmp_path), rows(1), rows(1))
    solo = _standing("solo", 0.5, 10, 1.0)
    dear, cheap, lucky = _standing("a", 0.6, 90, 0.01), _standing("b", 0.595, 40, 0.01), _standing("c", 0.7, 20, 0.2)
    assert finals.best([solo, dear, cheap, lucky]).name == "b"
    assert finals.best([solo, lucky]).name == "solo"


@pytest.mark.extra_ray
@pytest.mark.simulation
def test_workers_of_a_ray_cluster_share_one_storage(tmp_path: Path) -> None:
    with open_engine("ray", workers=2) as engine:
        study = tune(tuning(tmp_path, trials=6), engine=engine)
    assert finished(study) == 6


@pytest.mark.slow
def test_the_budget_holds_and_the_interrupted_trial_comes_next(tmp_path: Path) -> None:
    usual = tuning(tmp_path)
    poor = replace(usual, settings=usual.settings.model_copy(update={"max_calls": 8}))
    with pytest.raises(BudgetSpent, match="stopped within a document"):
        tune(poor, report=silent)
    study = usual.open()
    interrupted = study.trials[-2]
    assert (interrupted.state, study.trials[-1].state) == (TrialState.FAIL, TrialState.WAITING)
    study = tune(usual, report=silent)
    assert study.trials[interrupted.number + 1].params == interrupted.params
    assert finished(study) == 4


@pytest.mark.slow
@pytest.mark.parametrize("objectives", [("quality",), ("quality", "calls")])
def test_a_hopeless_trial_is_cut_short_and_counts(objectives: tuple[str, ...], tmp_path: Path) -> None:
    study = tuning(tmp_path, rows=rows(12), objectives=objectives).open()
    hopeless = {str(k): 2.0 for k in range(12)}
    study.add_trial(_completed([2.0, 0.0][: len(objectives)], documents=hopeless))
    study = tune(tuning(tmp_path, rows=rows(12), trials=3, objectives=objectives), report=silent)
    pruned = [trial for trial in study.trials if trial.state == TrialState.PRUNED]
    assert len(pruned) == 2
    assert all(len(trial.user_attrs["documents"]) == 8 for trial in pruned)
    assert "pruned: it could not become one of the best (" in line_of(pruned[0], objectives)


def _completed(values: list[float], **attributes: Any) -> optuna.trial.FrozenTrial:
    params = {"summary_generators": 5, "summary_reviewers": 5}
    return create_trial(
        params=params, distributions=dict.fromkeys(params, IntDistribution(1, 5)), values=values, user_attrs=attributes
    )


def test_a_trial_goes_on_where_only_dearer_ones_are_better() -> None:
    dear = _completed([2.0, 50.0], documents={str(k): 2.0 for k in range(8)})
    so_far = {str(k): 1.0 for k in range(8)}
    assert is_hopeless(so_far, [60.0], [dear])
    assert not is_hopeless(so_far, [40.0], [dear])
    assert not is_hopeless({"0": 1.0}, [60.0], [dear])
    assert not is_hopeless({str(k): 2.0 for k in range(8)}, [60.0], [dear])


@pytest.mark.slow
def test_a_document_that_fails_fails_its_trial_and_not_with_zero(tmp_path: Path) -> None:
    broken = [*rows(1), Row("empty", Document(text=" "), ("a reference",))]
    with pytest.raises(RunError, match="5 trials failed one after the other; the last one: row empty: the document is"):
        tune(tuning(tmp_path, rows=broken), report=silent)


@pytest.mark.slow
def test_another_question_needs_another_study(tmp_path: Path) -> None:
    tuning(tmp_path).open()
    for change, what in (
        ({"data_hash": "3 towns"}, "data"),
        ({"quality": Quality("rouge2=1")}, "quality"),
        ({"objectives": ("quality",)}, "objectives"),
    ):
        with pytest.raises(ConfigError, match=f"^study 'study' was begun with another {what}: give it another --name$"):
            tuning(tmp_path, **change).open()


@pytest.mark.slow
@pytest.mark.parametrize("url", ["sqlite:////no/such/folder/x.db", "postgresql://me:secret@127.0.0.1:1/x", "nonsense"])
def test_an_unreachable_storage_is_one_line(url: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^storage .* can't be reached: ") as caught:
        tuning(tmp_path, storage=url).open()
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("driver", "package"), [("psycopg", r"'psycopg\[binary\]'"), ("MySQLdb", "mysqlclient"), ("oracledb", "oracledb")]
)
def test_a_missing_database_driver_names_its_package(
    driver: str, package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def create_study(**_: Any) -> None:
        raise ImportError("Failed to import DB access module") from ModuleNotFoundError(name=driver)

    monkeypatch.setattr(optuna, "create_study", create_study)
    with pytest.raises(DataError, match=f"its driver {driver} is not installed: pip install {package}$"):
        tuning(tmp_path).open()


def _study(*points: tuple[float, float]) -> optuna.Study:
    optuna.logging.set_verbosity(optuna.logging.CRITICAL)
    study = optuna.create_study(directions=["maximize", "minimize"])
    for k, values in enumerate(points):
        params = {"summary_generators": k + 1}
        study.add_trial(
            create_trial(params=params, distributions={"summary_generators": IntDistribution(1, 9)}, values=values)
        )
    return study


def test_the_cheapest_of_the_good_is_chosen() -> None:
    study = _study((0.50, 10), (0.595, 20), (0.60, 90), (0.40, 5))
    assert cheapest_of_best(study).number == 1
    assert cheapest_of_best(study, within=0.0).number == 2
    assert find_trial(study, "0").number == 0
    with pytest.raises(ConfigError, match="--choose 7: write auto or the number of a finished trial"):
        find_trial(study, "7")
    assert [line.split(" | ")[0] for line in front_table(study, ("quality", "calls")).splitlines()[2:]] == [
        "| 2", "| 1", "| 0", "| 3"
    ]  # fmt: skip
    with pytest.raises(DataError, match="has no finished trial yet"):
        cheapest_of_best(_study())


@pytest.mark.slow
def test_the_choice_is_a_config_file_and_a_program(tmp_path: Path) -> None:
    space = Space.read({"roles": {"examinee": ["offline:seed=1"]}})
    settings = Settings(config=SummQConfig(target_words=123))
    params = {**space.presets(settings.config)[1], "questions": 4}
    written = write_selection(params, "trial 3", tuning(tmp_path, space=space, settings=settings), tmp_path)
    assert written.read_text().startswith("# trial 3")
    read = Settings.resolve(written)
    assert read.config == space.structure(params, settings.config).config
    assert (read.config.questions.total, read.config.target_words) == (12, 123)
    assert read.roles == {"examinee": "offline:seed=1"}
    assert SummQ.from_artifact(tmp_path / "program").config == read.config


def test_a_choice_can_be_used_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    params = SPACE.presets(SummQConfig())[0]
    written = write_selection(params, "solo", tuning(tmp_path), Path("study")).resolve()
    monkeypatch.chdir("/")
    assert Settings.resolve(written).program == tmp_path / "study" / "program"


def _informative(depends: bool = True) -> optuna.Study:
    """A study whose quality depends on the generators, and not on the reviewers; or on neither."""
    study, draw = optuna.create_study(directions=["maximize", "minimize"]), random.Random(1)
    for k in range(30):
        params = {"summary_generators": 1 + k % 5, "summary_reviewers": draw.randint(1, 5)}
        quality = (k % 5) / 5 * depends + draw.gauss(0, 0.05)
        distributions: dict[str, BaseDistribution] = dict.fromkeys(params, IntDistribution(1, 5))
        study.add_trial(create_trial(params=params, distributions=distributions, values=[quality, k]))
    return study


def test_importances_are_told_only_beyond_chance() -> None:
    assert list(importances(_informative())) == ["summary_generators"]
    assert importances(_informative(depends=False)) == {}


@pytest.mark.slow
def test_of_many_parameters_that_do_nothing_hardly_ever_one_is_told() -> None:
    told = 0
    for seed in range(20):
        study, draw = optuna.create_study(), random.Random(seed)
        for _ in range(25):
            params = {f"parameter {n}": draw.randint(1, 5) for n in range(7)}
            distributions: dict[str, BaseDistribution] = dict.fromkeys(params, IntDistribution(1, 5))
            study.add_trial(create_trial(params=params, distributions=distributions, values=[draw.gauss(0, 1)]))
        told += bool(importances(study))
    assert told <= 3


@pytest.mark.slow
@pytest.mark.extra_plots
def test_plots_are_drawn(tmp_path: Path) -> None:
    drawn = save_figures(study_figures(_informative(), ("quality", "calls")), tmp_path)
    assert [path.name for path in drawn] == ["history.png", "importances.png", "pareto.png"]
    assert all(path.stat().st_size > 1000 for path in drawn)


def test_a_cached_reply_counts_at_what_it_had_cost() -> None:
    meter = Meter()
    meter.add(CallRecord("examinee", "m", cost=0.5))
    meter.add(CallRecord("examinee", "m", cache_hit=True, saved=0.25))
    assert (expense("calls", [meter]), expense("cost", [meter])) == (2, 0.75)
    meter.add(CallRecord("examinee", "m", cost=None))
    assert expense("cost", [meter]) is None


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"summary_generators": [5, 1]}, "summary_generators: .*leads nowhere"),
        ({"agents": 3}, "agents: Extra inputs"),
        ({"summary_generators": "many"}, "summary_generators"),
        ({"temperatures": {"examinee": ["hot"]}}, "temperatures.examinee"),
    ],
)
def test_a_space_that_makes_no_sense_is_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^search space: {message}") as caught:
        Space.read(values)
    assert "\n" not in str(caught.value)


def test_presets_are_the_nearest_that_the_bounds_allow() -> None:
    space = Space(summary_generators=Bounds(low=2, high=4, step=2), prompts={"examinee": ["compiled"]})
    solo, combo, *compiled = space.presets(SummQConfig())
    assert (solo["summary_generators"], combo["summary_generators"]) == (2, 2)
    assert solo["prompts.examinee"] == AS_IT_WAS
    assert not space.structure(solo, SummQConfig()).prompts
    assert [preset["prompts.examinee"] for preset in compiled] == ["compiled"] * 2


def test_any_key_of_a_configuration_can_be_chosen_from_values() -> None:
    options = {"return_iteration": ["last", "best"], "economy": [False, True], "questions": ["4/0/2", "2/2/2"]}
    space = Space.read({"summary_generators": [1, 3], "values": options, "temperatures": {"generator": [0.2, 1.0]}})
    assert space.questions is None
    solo, combo = space.presets(SummQConfig(questions=QuestionCounts(multiple_choice=2, true_false=2, short_answer=2)))
    assert solo["questions"] == combo["questions"] == "2/2/2"
    assert (combo["return_iteration"], combo["economy"], combo["temperatures.generator"]) == ("last", False, 0.2)
    params = {**combo, "questions": "4/0/2", "return_iteration": "best", "economy": True, "temperatures.generator": 1.0}
    structure = space.structure(params, SummQConfig())
    assert (structure.config.questions.total, structure.config.questions.true_false) == (6, 0)
    assert structure.config.return_iteration == "best"
    assert structure.config.economy == Economy.all()
    assert structure.temperatures == {"generator": 1.0}
    trial = optuna.trial.FixedTrial(params)
    assert space.suggest(trial) == params


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"values": {"return_iteration": ["worst"]}}, "return_iteration"),
        ({"values": {"agents": [1]}}, "agents"),
        ({"values": {"questions": ["ten"]}}, "questions 'ten'"),
        ({"temperatures": {"generators": [1.0]}}, "no role is called 'generators'"),
        ({"roles": {"examine": ["offline"]}}, "no role is called 'examine'"),
    ],
)
def test_a_value_that_nothing_takes_is_told_before_the_first_trial(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Space.read(values)


def test_a_temperature_reaches_its_role_and_the_chosen_file(tmp_path: Path) -> None:
    engine = InstantEngine("A bridge was built in 1800.")
    settings = Settings(config=SummQConfig(quiz_stream=False, reviews=False, check_length=False, max_iterations=1))
    asked = tuning(tmp_path, space=Space.read({"temperatures": {"summary_generator": [0.3]}}), settings=settings)
    structure = asked.space.structure({"temperatures.summary_generator": 0.3}, asked.settings.config)
    with session(instant_backbone(engine, constrained=True)):
        Evaluator(structure, asked.settings, asked.quality).score(asked.rows[:1])
    assert {request.config.temperature for request in engine.requests} == {0.3}
    params = {**asked.space.presets(asked.settings.config)[0], "temperatures.summary_generator": 0.3}
    write_selection(params, "a trial", asked, tmp_path)
    assert Settings.resolve(tmp_path / "chosen.toml").temperatures == {"summary_generator": 0.3}


@pytest.mark.parametrize("text", ["speed", "calls", "quality,quality", "quality,speed"])
def test_unknown_objectives_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="write quality, or quality and calls or cost"):
        parse_objectives(text)


@pytest.mark.slow
def test_only_quality_by_bertscore_needs_its_encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("summq.eval.metrics.encoders.MODEL_FILE", ("no_such_package", "model.onnx"))
    tuning(tmp_path, quality=Quality("rouge1=1")).open()
    with pytest.raises(ConfigError, match=r"^BERTScore needs an encoder: pip install"):
        tuning(tmp_path, quality=Quality("rouge1=1,bertscore_f1=1")).open()


def test_unknown_columns_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no metric has a column 'rogue1': there are rouge1, "):
        tuning(tmp_path, quality=Quality("rogue1=1")).open()
    with pytest.raises(ConfigError, match="write COLUMN=WEIGHT"):
        tuning(tmp_path, quality=Quality("rouge1")).open()


def test_a_quality_of_ones_own_needs_no_metric_of_the_registry(tmp_path: Path) -> None:
    class Letters(Quality):
        def __call__(self, summary: str, row: Row) -> float | None:
            return float(len(summary))

    assert tuning(tmp_path, quality=Letters("letters=1")).quality("four", rows(1)[0]) == 4
