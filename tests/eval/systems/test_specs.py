"""A spec names a system, its options and its backbone; predictions of any system are checked against the rows."""

import json
from pathlib import Path

import pytest

from summq.eval.data import Dataset
from summq.eval.systems import make_systems
from summq.eval.systems.program import Program
from summq.programs.baselines import Direct
from summq.programs.errors import ConfigError, DataError
from summq.programs.runtime.session import session
from summq.programs.text.words import count_words
from tests.eval.rows import dataset, row
from tests.fakes import InstantEngine, instant_backbone
from tests.planted import planted

DATA = dataset("a", "b")


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


GOOD = ({"id": "a", "summary": "About a."}, {"id": "b", "summary": "About b."})


def test_a_system_has_its_spec_as_name_or_the_one_that_is_given() -> None:
    systems = make_systems(["lead", "summq-solo:max_iterations=1+questions=1/1/1", "mine=direct"], DATA)
    assert [system.name for system in systems] == ["lead", "summq-solo:max_iterations=1+questions=1/1/1", "mine"]


def test_options_reach_the_program() -> None:
    (system,) = make_systems(["summq-solo:max_iterations=1+quiz_stream=false+check_length=false"], DATA)
    assert isinstance(system, Program)
    with planted() as engine:
        system.summarize(DATA[0], 40)
    assert set(engine.calls) == {"summary_generator.draft", "summary_reviewer.review"}


def test_a_backbone_after_the_spec_plays_every_role_of_that_system_alone() -> None:
    other = InstantEngine(lambda request: "[[ ## summary ## ]]\nFrom the other.\n\n[[ ## completed ## ]]")
    asked: list[str] = []

    def connect(spec: str) -> object:
        asked.append(spec)
        return instant_backbone(other)

    systems = make_systems(["direct", "direct@lab/model@http://host:1/v1"], DATA, connect)  # type: ignore[arg-type]
    roles = {"summarizer": instant_backbone(InstantEngine("never"))}
    with planted({"summarizer": {"summary": "From the session."}}):
        assert systems[0].summarize(DATA[0], 40).summary == "From the session."
    with planted({}, roles=roles) as engine:
        assert systems[1].summarize(DATA[0], 40).summary == "From the other."
    assert asked == ["lab/model@http://host:1/v1"]
    assert engine.asked == []
    assert systems[0].identity != systems[1].identity


def test_the_identity_of_a_program_changes_with_its_configuration() -> None:
    three, five = make_systems(["summq-combo", "five=summq-combo:max_iterations=5"], DATA)
    assert three.identity["program"] != five.identity["program"]


def test_predictions_of_any_system_are_its_summaries(tmp_path: Path) -> None:
    file = written(tmp_path / "unlimiformer.jsonl", *GOOD)
    plain, named = make_systems([f"predictions:{file}", f"sled=predictions:{file}"], DATA)
    assert (plain.name, named.name) == ("unlimiformer", "sled")
    assert plain.summarize(DATA[1], 40).summary == "About b."


@pytest.mark.parametrize(
    ("records", "said"),
    [
        (GOOD[:1], "must have one prediction for each row; it lacks 1 (b)"),
        ((*GOOD, {"id": "c", "summary": ""}), "it has besides 1 (c)"),
        (({"id": "c", "summary": ""},), "it lacks 2 (a, b) and has besides 1 (c)"),
        ((*GOOD, GOOD[0]), "line 3: a second prediction for the id 'a'"),
        (
            ({"id": "a", "text": "About a."},),
            "line 1: no summary (summary, prediction, output). Columns found: id, text",
        ),
        (({"name": "a", "summary": "About a."},), "line 1: needs the 'id' of a row. Columns found: name, summary"),
        (({"id": "a", "summary": 7},), "line 1: column 'summary' holds int, not text"),
    ],
)
def test_predictions_that_do_not_fit_are_one_line(tmp_path: Path, records: tuple[object, ...], said: str) -> None:
    file = written(tmp_path / "out.jsonl", *records)
    with pytest.raises(DataError) as error:
        make_systems([f"predictions:{file}"], DATA)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_corrupt_line_of_predictions_is_named(tmp_path: Path) -> None:
    file = written(tmp_path / "out.jsonl", *GOOD)
    file.write_text(file.read_text() + '{"id": "c", "summ')
    with pytest.raises(DataError, match=r"out.jsonl line 3 is not JSON"):
        make_systems([f"predictions:{file}"], DATA)


def test_the_reference_of_another_is_never_of_the_same_source() -> None:
    chapters = [row(f"{book}{n}", (f"Of book {book}, chapter {n}.",), book) for book in "xy" for n in (1, 2)]
    data = Dataset("books", "test", tuple(chapters))
    (other,) = make_systems(["reference-of-another"], data)
    assert {one.id: other.summarize(one, 3).summary[:9] for one in data} == {
        "x1": "Of book y",
        "x2": "Of book y",
        "y1": "Of book x",
        "y2": "Of book x",
    }
    with pytest.raises(DataError, match="no other document"):
        make_systems(["reference-of-another"], dataset("a"))[0].summarize(row("a"), 3)


def test_a_second_human_is_the_second_reference_cut_to_length() -> None:
    (second,) = make_systems(["second-human"], DATA)
    assert second.summarize(row("a", ("First.", "Second one here.")), 2).summary == "Second one"
    with pytest.raises(DataError, match="no second reference"):
        second.summarize(row("a"), 2)


@pytest.mark.parametrize(
    ("specs", "said"),
    [
        (["direkt"], "unknown system 'direkt': there are direct"),
        (["direct", "direct"], "two systems are called 'direct'"),
        (["summq-solo:max_iterations"], "'max_iterations' is no option of a system"),
        (["summq-solo:rounds=3"], "unknown config key 'rounds'"),
        (["summq-solo:target_words=3"], "target_words is no option of one system"),
        (["hm-sr:passes=x"], "hm-sr: passes"),
    ],
)
def test_a_wrong_spec_is_one_line(specs: list[str], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        make_systems(specs, DATA)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("spec", ["predictions:nowhere.jsonl", "program:nowhere"])
def test_what_is_not_there_is_one_line(spec: str) -> None:
    with pytest.raises(DataError) as error:
        make_systems([spec], DATA)
    assert "nowhere" in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.slow
def test_overrides_hold_for_all_systems_of_ours_and_a_spec_goes_before_them() -> None:
    overrides = {"max_iterations": 1, "verify_quiz": False, "quiz_stream": True}
    specs = ["summq-solo", "summq-solo:verify_quiz=true", "summq-no-quiz"]
    systems = make_systems(specs, DATA, overrides=overrides)
    tried = []
    for system in systems:
        with planted() as engine:
            system.summarize(DATA[0], 40)
        tried.append("examinee.open_book" in engine.calls)
        assert "quiz_generator.draft" in engine.calls or system.name == "summq-no-quiz"
    assert tried == [False, True, False]


def test_the_ablation_with_the_examinee_alone_has_no_reviews() -> None:
    (system,) = make_systems(["summq-examinee-only:max_iterations=1+questions=1/1/1"], DATA)
    with planted() as engine:
        system.summarize(DATA[0], 40)
    assert "examinee" in engine.calls
    assert not [role for role in engine.calls if "reviewer" in role or "grouper" in role]


def test_direct_is_told_no_length_where_none_is_wanted() -> None:
    told, untold = (make_systems(["direct"], DATA, told_length=told)[0] for told in (True, False))
    assert told.identity != untold.identity
    signature = Direct(40, told_length=False).summarize.signature
    assert list(signature.input_fields) == ["document"]
    assert "length" not in signature.instructions
    with session("offline", cache_dir=""):
        assert untold.summarize(DATA[0], 40).summary


def test_a_rewrite_has_a_length_of_its_own() -> None:
    few = "max_iterations=1+quiz_stream=false+check_length=false+rewrite_words=20"
    (system,) = make_systems([f"summq-combo-r:{few}"], DATA)
    with planted() as engine:
        written = system.summarize(DATA[0], 40)
    assert "<target_words>20</target_words>" in engine.of("rewriter")[0].text
    assert written.words_wanted == min(20, count_words(DATA[0].document.text))
