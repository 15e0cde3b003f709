"""How often intervals hold the true mean, and how often tests raise a false alarm, with few documents.

Run: `python benchmarks/intervals.py [--samples 2000] [--out docs/results/intervals.md]`. It needs some minutes.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from summq.eval.report.tables import table_of
from summq.eval.statistics import Bounds, PairedTest, compare, summarise

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
SIZES = (5, 9, 20, 50)
TESTED = (5, 6, 9, 12, 20, 50)
RESAMPLES = 2000
SKEWED: dict[str, tuple[Draw, float]] = {
    "scores near 0, beta(2, 8)": (lambda g, n: g.beta(2, 8, size=n), 0.2),
    "skewed, gamma(2)": (lambda g, n: g.gamma(2, size=n), 2.0),
    "very skewed, exponential": (lambda g, n: g.exponential(size=n), 1.0),
    "scores near 0, beta(0.5, 3)": (lambda g, n: g.beta(0.5, 3, size=n), 0.5 / 3.5),
    "a third 0, else beta(2, 5)": (lambda g, n: np.where(g.random(n) < 1 / 3, 0, g.beta(2, 5, size=n)), 4 / 21),
    "extremely skewed, lognormal(0, 1)": (lambda g, n: g.lognormal(size=n), float(np.exp(0.5))),
}
RIGHT = "right or wrong, three of ten right"
SYMMETRIC: tuple[str, Draw] = ("normal", lambda g, n: g.normal(size=n))
ROWS_A_BOOK = (1, 2, 3, 5)


def coverage(sizes: tuple[int, ...], samples: int) -> Iterator[list[str]]:
    """The share of samples whose interval holds the true mean."""
    for name, (draw, truth) in SKEWED.items():
        for n in sizes:
            yield [name, str(n), percent([_held(draw(_generator(k, n), n), None, truth) for k in range(samples)])]
    for n in sizes:
        yield ["books of 1 to 5 chapters", str(n), percent([_held(*_books(k, n), 1.0) for k in range(samples)])]
    for n in sizes:
        marks = [(_generator(k, n).random(n) < 0.3).astype(float) for k in range(samples)]
        yield [RIGHT, str(n), percent([_held(some, None, 0.3, bounds=(0, 1)) for some in marks])]


def missed(covered: Sequence[Sequence[str]]) -> str:
    """The rows out of the range that is wanted, but for those of so few values that no interval can be in it."""
    out = [row for row in covered if row[0] != RIGHT and not 93 <= float(row[2].removesuffix(" %")) <= 97]
    return "; ".join(f"{name} with {n} sources, {held}" for name, n, held in out) or "none"


def false_alarms(sizes: tuple[int, ...], samples: int) -> Iterator[list[str]]:
    """The share of comparisons of two systems that are alike in which p < 0.05 or the interval leaves out 0."""
    draws = {SYMMETRIC[0]: SYMMETRIC[1], **{name: draw for name, (draw, _) in SKEWED.items()}}
    for name, draw in draws.items():
        for n in sizes:
            tests = [_alike(draw, k, n) for k in range(samples)]
            alarms = percent([p < 0.05 for p, _, _ in tests])
            contradictions = sum((p < 0.05) == (low <= 0 <= high) for p, low, high in tests)
            yield [name, str(n), alarms, str(contradictions)]


def found(sizes: tuple[int, ...], samples: int) -> Iterator[list[str]]:
    """The share of tests that find a difference as large as the mean of what they say they could have seen."""
    for n in sizes:
        seen = [_shifted(k, n, 0.0).detectable for k in range(samples)]
        if None in seen:
            yield [str(n), "none", "–"]
            continue
        shift = float(np.mean([value for value in seen if value is not None]))
        ps = [_shifted(k, n, shift).p for k in range(samples)]
        yield [str(n), f"{shift:.2f}", percent([p is not None and p < 0.05 for p in ps])]


def percent(marks: Sequence[bool]) -> str:
    """The share of marks that are true."""
    return f"{100 * float(np.mean(marks)):.1f} %"


def _generator(sample: int, n: int) -> np.random.Generator:
    return np.random.default_rng([sample, n])


def _held(values: Floats, clusters: list[str | None] | None, truth: float, bounds: Bounds = (None, None)) -> bool:
    estimate = summarise([float(v) for v in values], clusters, bounds=bounds, resamples=RESAMPLES)
    return estimate.low is not None and estimate.high is not None and estimate.low <= truth <= estimate.high


def _books(sample: int, books: int) -> tuple[Floats, list[str | None]]:
    """Chapters of books: a level of each book, exponential, and half as much spread of its chapters around it."""
    generator = _generator(sample, books)
    rows = [ROWS_A_BOOK[book % len(ROWS_A_BOOK)] for book in range(books)]
    levels = np.repeat(generator.exponential(size=books), rows)
    names: list[str | None] = [str(book) for book, count in enumerate(rows) for _ in range(count)]
    return levels + generator.normal(0, 0.5, size=len(levels)), names


def _alike(draw: Draw, sample: int, n: int) -> tuple[float, float, float]:
    generator = _generator(sample, n)
    level = generator.normal(size=n)
    a, b = level + draw(generator, n), level + draw(generator, n)
    test = compare([float(v) for v in a], [float(v) for v in b], resamples=RESAMPLES)
    assert test.p is not None
    assert test.low is not None
    assert test.high is not None
    return test.p, test.low, test.high


def _shifted(sample: int, n: int, shift: float) -> PairedTest:
    differences = _generator(sample, n).normal(shift, 1, size=n)
    return compare([float(v) for v in differences], [0.0] * n, resamples=RESAMPLES)


def main() -> None:
    """Measure and print, or write, the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    error = 100 * (0.05 * 0.95 / given.samples) ** 0.5
    covered = list(coverage(SIZES, given.samples))
    page = f"""# Intervals and tests with few documents

`python benchmarks/intervals.py --samples {given.samples}`: {given.samples} samples a row (standard error {error:.1f}
points near 95 %), {RESAMPLES} resamples.

## Coverage of the 95 % interval (wanted: 93 to 97 %)

Below 5 sources there is no interval. Five marks that are right or wrong have six possible means: no interval holds
three tenths 95 times in 100 exactly.

{table_of(["values", "sources", "interval holds the mean"], covered)}

Missed: {missed(covered)}.

## False alarms of paired tests of two systems that are alike (wanted: at most 6 %)

A contradiction is p < 0.05 beside an interval that holds 0, or the other way round. With 5 documents the smallest p of
sign flips is 0.0625; below 5 there is no p.

{table_of(["scores", "documents", "p < 0.05", "contradictions"], false_alarms(TESTED, given.samples))}

## What a test could have seen

`detectable` beside a difference is what would be found four times in five, with the spread that was seen. In units of
the standard deviation of the differences:

{table_of(["documents", "detectable, on average", "found at that difference"], found(TESTED, given.samples // 2))}
"""
    if given.out:
        given.out.write_text(page, "utf-8")
    print(page)


if __name__ == "__main__":
    main()
