"""How often intervals hold the true mean, and how often tests raise a false alarm, with few documents.

Run: `python benchmarks/intervals.py [--samples 2000] [--out docs/results/intervals.md]`. It needs some minutes.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from summq.eval.report.tables import table_of
from summq.eval.statistics import Bounds, PairedTest, compare, summarise
from summq.eval.statistics.estimates import t_quantile

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Floats]
SIZES = (5, 6, 7, 9, 20, 50)
TESTED = (5, 6, 9, 12, 20, 50)
RESAMPLES = 2000
COLUMNS = ["values", "sources", "interval holds the mean", "width", "95 %"]
SKEWED: dict[str, tuple[Draw, float]] = {
    "scores near 0, beta(2, 8)": (lambda g, n: g.beta(2, 8, size=n), 0.2),
    "skewed, gamma(2)": (lambda g, n: g.gamma(2, size=n), 2.0),
    "very skewed, exponential": (lambda g, n: g.exponential(size=n), 1.0),
    "scores near 0, beta(0.5, 3)": (lambda g, n: g.beta(0.5, 3, size=n), 0.5 / 3.5),
    "a third 0, else beta(2, 5)": (lambda g, n: np.where(g.random(n) < 1 / 3, 0, g.beta(2, 5, size=n)), 4 / 21),
    "extremely skewed, lognormal(0, 1)": (lambda g, n: g.lognormal(size=n), float(np.exp(0.5))),
}
HELD_OUT: dict[str, tuple[Draw, float]] = {
    "evenly spread scores, uniform": (lambda g, n: g.random(n), 0.5),
    "scores near 0 or 1, beta(0.6, 0.6)": (lambda g, n: g.beta(0.6, 0.6, size=n), 0.5),
    "scores near 1, beta(8, 2)": (lambda g, n: g.beta(8, 2, size=n), 0.8),
    "half 0, else beta(3, 3)": (lambda g, n: np.where(g.random(n) < 1 / 2, 0, g.beta(3, 3, size=n)), 0.25),
    "tied scores, tenths": (lambda g, n: g.binomial(10, 0.3, size=n) / 10, 0.3),
    "two groups, a fifth far above": (
        lambda g, n: np.where(g.random(n) < 0.8, g.normal(0.3, 0.05, size=n), g.normal(0.7, 0.1, size=n)),
        0.38,
    ),
    "heavy tails, t(5)": (lambda g, n: g.standard_t(5, size=n), 0.0),
    "very skewed, gamma(0.7)": (lambda g, n: g.gamma(0.7, size=n), 0.7),
    "very skewed, lognormal(0, 0.7)": (lambda g, n: g.lognormal(0, 0.7, size=n), float(np.exp(0.245))),
}
"""Tried after the method was settled: nothing in it was chosen by them."""
RIGHT = "right or wrong, three of ten right"
BOOKS, LARGE = "books of 1 to 5 chapters", "books of 1 chapter, each fourth of 12"
SYMMETRIC: tuple[str, Draw] = ("normal", lambda g, n: g.normal(size=n))
ROWS_A_BOOK = (1, 2, 3, 5)
UNEQUAL = (1, 1, 1, 12)


def coverage(sizes: tuple[int, ...], samples: int) -> Iterator[list[str]]:
    """The share of samples whose interval holds the true mean, and how wide it is in terms of Student's."""
    yield from _coverage(SKEWED, BOOKS, ROWS_A_BOOK, sizes, samples)
    for n in sizes:
        marks = [(_generator(k, n).random(n) < 0.3).astype(float) for k in range(samples)]
        yield [RIGHT, str(n), *percent_and_widths([_held(some, None, 0.3, bounds=(0, 1)) for some in marks])]


def held_out(sizes: tuple[int, ...], samples: int) -> Iterator[list[str]]:
    """The same for distributions that had no say in the method."""
    yield from _coverage(HELD_OUT, LARGE, UNEQUAL, sizes, samples)


def _coverage(
    draws: Mapping[str, tuple[Draw, float]],
    books: str,
    chapters: tuple[int, ...],
    sizes: tuple[int, ...],
    samples: int,
) -> Iterator[list[str]]:
    """Rows of single values drawn so, then those of books with so many chapters."""
    for name, (draw, truth) in draws.items():
        for n in sizes:
            held = [_held(draw(_generator(k, n), n), None, truth) for k in range(samples)]
            yield [name, str(n), *percent_and_widths(held)]
    for n in sizes:
        yield [books, str(n), *percent_and_widths([_held(*_books(k, n, chapters), 1.0) for k in range(samples)])]


def missed(covered: Sequence[Sequence[str]]) -> str:
    """The rows out of the range that is wanted, but for those of so few values that no interval can be in it."""
    out = [row for row in covered if row[0] != RIGHT and not 93 <= float(row[2].removesuffix(" %")) <= 97]
    return "; ".join(f"{name} with {n} sources, {held}" for name, n, held, *_ in out) or "none"


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


def percent_and_widths(held: Sequence[tuple[bool, float]]) -> list[str]:
    """The share of intervals that hold, and the median and the 95th percentile of their widths."""
    widths = [width for _, width in held if width > 0]
    return [percent([holds for holds, _ in held]), *(f"{np.quantile(widths, share):.2f}" for share in (0.5, 0.95))]


def percent(marks: Sequence[bool]) -> str:
    """The share of marks that are true."""
    return f"{100 * float(np.mean(marks)):.1f} %"


def _generator(sample: int, n: int) -> np.random.Generator:
    return np.random.default_rng([sample, n])


def _held(
    values: Floats, clusters: list[str | None] | None, truth: float, bounds: Bounds = (None, None)
) -> tuple[bool, float]:
    """Whether the interval holds the truth, and its width in terms of Student's over rows; 0 where that has none."""
    estimate = summarise([float(v) for v in values], clusters, bounds=bounds, resamples=RESAMPLES)
    assert estimate.low is not None
    assert estimate.high is not None
    n = len(values)
    usual = 2 * t_quantile(0.975, n - 1) * float(values.std(ddof=1)) / n**0.5
    width = (estimate.high - estimate.low) / usual if usual else 0.0
    return estimate.low <= truth <= estimate.high, width


def _books(sample: int, books: int, sizes: Sequence[int]) -> tuple[Floats, list[str | None]]:
    """Chapters of books, so many of each in turn: an exponential level, and half as much spread around it."""
    generator = _generator(sample, books)
    rows = [sizes[book % len(sizes)] for book in range(books)]
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
    covered, unseen = list(coverage(SIZES, given.samples)), list(held_out(SIZES, given.samples))
    page = f"""# Intervals and tests with few documents

`python benchmarks/intervals.py --samples {given.samples}`: {given.samples} samples a row (standard error {error:.1f}
points near 95 %), {RESAMPLES} resamples.

## Coverage of the 95 % interval (wanted: 93 to 97 %)

Below 5 sources there is no interval. Five marks that are right or wrong have six possible means: no interval holds
three tenths 95 times in 100 exactly.

Width is that of the interval in terms of Student's over rows, the median and what 95 in 100 do not exceed.

{table_of(COLUMNS, covered)}

Missed: {missed(covered)}.

### Held out: distributions by which nothing was chosen

{table_of(COLUMNS, unseen)}

Missed: {missed(unseen)}.

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
