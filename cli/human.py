"""`summq sheets` and `summq votes`: two systems compared by people, on blinded sheets."""

from pathlib import Path
from typing import Annotated

import typer

from summq.cli.options import listed
from summq.eval.human import human_verdicts, read_answers, read_key, write_sheets, write_study
from summq.eval.judging import criteria_of, load_documents, pairs_of, read_summaries


def sheets(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="FOLDER:SYSTEM of a run of `summq eval`.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="The same or another folder, another system.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the study.")],
    judges: Annotated[int, typer.Option(min=1, help="How many people get a sheet.")] = 3,
    criteria: Annotated[
        str | None, typer.Option(metavar="A,B", help="coverage, faithfulness, coherence, conciseness.")
    ] = None,
    length_matched: Annotated[
        bool, typer.Option("--length-matched", help="Cut the longer of each pair to the length of the shorter.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Of the order of items and sides.")] = 0,
) -> None:
    """Write blinded sheets on which people compare two systems, as csv and as pages for the browser.

    Keep key.json from the judges: it says which summary is whose.
    """
    a, b = read_summaries(run_a), read_summaries(run_b)
    pairs = pairs_of(a, b, load_documents(a.config))
    if length_matched:
        pairs = [pair.of_equal_length() for pair in pairs]
    pages = write_sheets(
        out, pairs, {"a": a.name, "b": b.name}, criteria_of(listed(criteria)), judges=judges, seed=seed
    )
    print("\n".join(map(str, pages)))


def votes(
    study: Annotated[Path, typer.Argument(metavar="DIR", help="The folder that `summq sheets` wrote.")],
    filled: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Filled sheets, csv.")],
    seed: Annotated[int, typer.Option(help="Of the intervals.")] = 0,
) -> None:
    """Sum up filled sheets: win rates with intervals, and how far the judges agree."""
    key = read_key(study)
    print(write_study(study, key, human_verdicts(read_answers(filled, key), key, seed)))


__all__ = ["sheets", "votes"]
