"""A judge is asked in both orders by each criterion alone; whatever is wrong with it shows."""

from pathlib import Path

import pytest

from summq.eval.data import DataRequest
from summq.eval.preference import (
    CRITERIA,
    Judgement,
    JudgeReport,
    Pair,
    Summaries,
    criteria_of,
    judge_pairs,
    judge_report,
    verdict_on,
    write_judgements,
)
from summq.eval.preference.judge import family_of, same_family_warning
from summq.eval.preference.pairs import load_documents, pairs_of, read_summaries
from summq.eval.run.plan import EvalPlan
from summq.eval.run.runner import evaluate
from summq.eval.systems import make_systems
from summq.programs.errors import ConfigError, DataError
from summq.signatures import Document
from tests.eval.rows import Letters
from tests.planted import GARBLED, Asked, halls, planted
from tests.planted import Plan as Script

SHORT, LONG = "Lamps are counted.", "Lamps are counted by the keeper, hall after hall, until he is done with them."
COVERAGE = {"coverage": CRITERIA["coverage"]}


def pairs(number: int = 4, a: str = LONG, b: str = SHORT) -> list[Pair]:
    return [Pair(f"d{n}", Document(text=f"{n}. {halls(5).text}"), a, b) for n in range(number)]


def judged(judge: object, given: list[Pair] | None = None) -> list[Judgement]:
    script: Script = {"judge": judge}
    with planted(script):
        return judge_pairs(given or pairs(), COVERAGE)


def verdict(name: str) -> dict[str, str]:
    return {"reasons": "So it seems.", "verdict": name}


def prefers(text: str) -> object:
    """A judge that knows which summary it likes, wherever it stands."""
    return lambda asked: verdict("first" if asked["first"] == text else "second")


def longer(asked: Asked) -> dict[str, str]:
    return verdict("first" if len(asked["first"]) > len(asked["second"]) else "second")


def test_a_judge_that_always_says_the_first_gives_ties_only_and_always_flips() -> None:
    found = verdict_on("coverage", judged(verdict("first")))
    assert (found.wins, found.ties, found.losses, found.unscored) == (0, 4, 0, 0)
    assert found.win_rate.mean == 0.5
    assert found.flip_rate == 1.0
    assert found.longer_wins is None


def test_a_judge_that_prefers_the_longer_is_shown_to_go_by_length() -> None:
    mixed = [*pairs(3, LONG, SHORT), *pairs(3, SHORT, LONG)[1:]]
    found = verdict_on("coverage", judged(longer, mixed))
    assert (found.wins, found.losses, found.flip_rate) == (3, 2, 0.0)
    assert (found.longer_wins, found.decided_by_unequal) == (1.0, 5)
    assert found.alike.n == 0
    matched = [pair.of_equal_length() for pair in mixed]
    assert {len(p.a.split()) - len(p.b.split()) for p in matched} == {0}


def test_a_judge_that_cannot_be_read_is_unscored_and_no_tie() -> None:
    judgements = judged(GARBLED)
    found = verdict_on("coverage", judgements)
    assert (found.ties, found.unscored) == (0, 4)
    assert (found.win_rate.mean, found.win_rate.n, found.p, found.flip_rate) == (None, 0, None, None)
    assert "could not be used" in str(judgements[0].error)


def test_one_unreadable_order_makes_the_pair_unscored() -> None:
    half = judged(lambda asked: verdict("first") if asked["first"] == LONG else GARBLED)
    assert {(j.winner, j.a_first, j.b_first) for j in half} == {(None, "a", None)}


def test_a_consistent_judge_is_believed() -> None:
    found = verdict_on("coverage", judged(prefers(SHORT)))
    assert (found.losses, found.win_rate.mean, found.flip_rate, found.longer_wins) == (4, 0.0, 0.0, 0.0)
    assert found.p is None  # four pairs can show nothing


def test_a_verdict_in_one_order_and_a_tie_in_the_other_is_a_tie() -> None:
    (judgement,) = judged(lambda asked: verdict("first" if asked["first"] == LONG else "tie"), pairs(1))
    assert (judgement.winner, judgement.flipped) == ("tie", True)


def test_each_criterion_is_a_call_of_its_own_in_both_orders_with_the_document_first() -> None:
    with planted({"judge": verdict("tie")}) as engine:
        judgements = judge_pairs(pairs(2), criteria_of(["coverage", "coherence"]))
    assert [(j.id, j.criterion) for j in judgements] == [
        (f"d{n}", c) for n in range(2) for c in ("coverage", "coherence")
    ]
    assert len(engine.asked) == 8
    assert all(halls(5).text in str(asked.request.messages[0].text) for asked in engine.asked)
    assert all(("coverage" in asked["criterion"]) != ("coherence" in asked["criterion"]) for asked in engine.asked)


def test_an_unknown_criterion_is_one_line() -> None:
    with pytest.raises(ConfigError, match="unknown criterion 'beauty': there are overall"):
        criteria_of(["beauty"])


def test_a_criterion_of_ones_own_is_told_to_the_judge_in_its_words() -> None:
    own = criteria_of(["coverage,coherence", "legal accuracy: names the court, and the ruling"])
    assert list(own) == ["coverage", "coherence", "legal accuracy"]
    with planted({"judge": verdict("tie")}) as engine:
        judge_pairs(pairs(1), {"legal accuracy": own["legal accuracy"]})
    assert engine.asked[0]["criterion"] == "legal accuracy: names the court, and the ruling"
    with pytest.raises(ConfigError, match="write NAME: what is to be judged"):
        criteria_of([": names the court"])


def test_summaries_are_cut_to_one_length_at_the_end_of_a_sentence() -> None:
    pair = Pair(
        "d", Document(text="x"), "One two three. Four five six. Seven.", "One two three four."
    ).of_equal_length()
    assert (pair.a, pair.b) == ("One two three.", "One two three four.")


@pytest.mark.parametrize(
    ("one", "other"),
    [("openai/gpt-4o", "openai/o3"), ("ollama_chat/qwen3:32b", "hosted_vllm/Qwen/Qwen3-32B@http://host:8000/v1")],
)
def test_a_judge_of_the_same_family_is_warned_about(one: str, other: str) -> None:
    warning = same_family_warning(one, {"summq-combo": other, "sled": None})
    assert warning is not None
    assert "summq-combo" in warning
    assert "sled" not in warning
    assert same_family_warning("anthropic/claude-sonnet-4-5", {"summq-combo": other}) is None


def test_an_unknown_model_is_a_family_of_its_own() -> None:
    assert family_of("lab/wise-7b") == "wise-7b"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run of two systems."""
    data = tmp_path / "halls.jsonl"
    data.write_text(
        "".join(f'{{"id": "{n}", "document": "Hall {n} has lamps. It is dark.", "summary": "Lamps."}}\n' for n in "abc")
    )
    source = DataRequest(data=str(data))
    dataset = source.load()
    systems = make_systems(["lead", "tail"], dataset)
    evaluate(EvalPlan(dataset, systems, [Letters()], words=4, source=source), tmp_path / "run")
    return tmp_path / "run"


def test_pairs_come_from_the_folders_of_runs(run: Path) -> None:
    a, b = read_summaries(f"{run}:lead"), read_summaries(f"{run}:tail")
    found = pairs_of(a, b, load_documents(a.config))
    assert [(p.id, p.a, p.b) for p in found] == [(n, f"Hall {n} has lamps.", "It is dark.") for n in "abc"]


def test_runs_that_cannot_be_compared_are_one_line(run: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds several systems; name one"):
        read_summaries(str(run))
    with pytest.raises(ConfigError, match="holds no system 'direct': there are lead, tail"):
        read_summaries(f"{run}:direct")
    with pytest.raises(DataError, match="can't be read"):
        read_summaries(str(tmp_path / "nowhere"))
    a = read_summaries(f"{run}:lead")
    other = Summaries("other", None, a.by_id, a.config.model_copy(update={"data_hash": "y"}))
    with pytest.raises(DataError, match="run on different rows"):
        pairs_of(a, other, load_documents(a.config))
    with pytest.raises(DataError, match="no document that both"):
        pairs_of(a, Summaries("other", None, {}, a.config), load_documents(a.config))
    (tmp_path / "halls.jsonl").write_text('{"id": "a", "document": "New.", "summary": "New."}\n')
    with pytest.raises(DataError, match="has changed since"):
        load_documents(a.config)


def test_the_report_shows_lengths_flips_and_the_warning(run: Path, tmp_path: Path) -> None:
    a, b = read_summaries(f"{run}:lead"), read_summaries(f"{run}:tail")
    judgements = judged(verdict("first"))
    report = judge_report(a, b, judgements, "offline", length_matched=False)
    page = write_judgements(tmp_path / "judged", report, judgements)
    assert "Mean words: lead 15, tail 3." in page
    assert "**Warning:** the judge offline is of the same family" in page
    assert "| coverage | 4 | 50 % | – | 0 | 4 | 0 | 0 | 100 % | – of 0 | – (n=0) |" in page
    assert JudgeReport.model_validate_json((tmp_path / "judged" / "judge.json").read_text()) == report
    assert len((tmp_path / "judged" / "judgements.jsonl").read_text().splitlines()) == 4
