"""What the benchmarks of scale compute; and that an evaluation keeps to its memory, on a smaller scale."""

import json
from pathlib import Path

import pytest
import scale
from provider import Prices
from scale_cost import DAY, Kind, Measured

from summq.signatures import Usage

MEASURED = Measured(Usage(calls=2, input_tokens=30_000, cached_tokens=20_000, output_tokens=800), offline_seconds=4.0)


def test_rows_differ_and_time_leaves_out_the_start(tmp_path: Path) -> None:
    scale.write_rows(tmp_path / "rows.jsonl", 50)
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert len({row["document"] for row in rows}) == len({row["id"] for row in rows}) == 50
    start, use = scale.Use(20, 100.0, 5.0), scale.Use(120, 100.0, 6.0)
    assert use.seconds_a_row(start) == pytest.approx(0.01)


def test_what_is_compared_leaves_out_the_clock(tmp_path: Path) -> None:
    (tmp_path / "a").write_text('{"id":"x","seconds":0.25,"n":1}\nlead,seconds,3\nlead,words,3\n')
    assert scale.lines(tmp_path, "a") == ['{"id":"x",,"n":1}', "lead,words,3"]


def test_a_day_is_shared_out_by_slots_and_money_by_what_is_cached() -> None:
    hosted = Kind("hosted", Prices(2.0, 0.2, 10.0), prefill=1000.0, decode=80.0, slots=4)
    assert hosted.a_day(MEASURED) == pytest.approx(4 * DAY / (10 + 10))
    assert hosted.dollars(MEASURED) == pytest.approx((10_000 * 2 + 20_000 * 0.2 + 800 * 10) / 1e6)
    batch = Kind("batch", Prices(1.0, 1.0, 5.0), batch=True, caches=False)
    assert batch.dollars(MEASURED) == pytest.approx((30_000 * 1 + 800 * 5) / 1e6)
    own = Kind("own", hourly=2.0, prefill=1000.0, decode=80.0, slots=4)
    assert own.dollars(MEASURED) == pytest.approx(48 / own.a_day(MEASURED))
    assert Kind("offline", offline=True).a_day(MEASURED) == pytest.approx(DAY / 4)


@pytest.mark.simulation
def test_twenty_times_the_rows_need_as_much_memory_and_time_for_each(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        scale.main(["--rows", "500,10000", "--json"])
    assert ended.value.code == 0, capsys.readouterr().out
