"""How much of papers survives: one text in the classes of LaTeX that papers are set in, and PDF files as they are.

    python benchmarks/papers.py TEXT.md [--folder DIR]   made by pdflatex; kept in order, as in documents.py
    python benchmarks/papers.py FILE.pdf...              against the text of pdftotext, in any order

Against pdftotext marks of notes and other numbers of one or two digits count on neither side.
"""

import argparse
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from documents import in_order, sentences_of, words_of

from summq.programs.documents import read_document
from summq.programs.text.sentences import split_sentences

PARAGRAPHS = 26
ABSTRACT = r"\begin{abstract}This tells what happened, and why nobody saw it coming.\end{abstract}"
TITLE = r"\title{The Fall}\author{Ute Klein}"
FLOAT = r"\begin{%s}[t]\centering\rule{%scm}{2cm}\caption{%s}\end{%s}"
TABLE = r"""\begin{table}[t]\centering\caption{Fitters by year.}
\begin{tabular}{lrr}Year & Fitters & Engineers\\1994 & 11 & 2\\1999 & 7 & 1\\2009 & 3 & 0\end{tabular}\end{table}"""
# What stands behind which paragraph.
BETWEEN = {
    3: r"\begin{equation} E = \int_0^1 f(x)\,dx + \sum_{i=1}^{n} a_i \end{equation}",
    5: FLOAT % ("figure", 5, "The linkspan before it fell.", "figure"),
    8: TABLE,
    11: FLOAT % ("figure*", 12, "A wide figure.", "figure*"),
}
# The class with what stands before the text, and what begins it.
CLASSES = {
    "IEEEtran, conference": (rf"\documentclass[conference]{{IEEEtran}}{TITLE}", rf"\maketitle{ABSTRACT}"),
    "IEEEtran, journal": (
        rf"\documentclass[journal]{{IEEEtran}}{TITLE}\markboth{{Journal of Harbours, Vol.~14}}{{Klein: The Fall}}",
        rf"\maketitle{ABSTRACT}",
    ),
    "elsarticle, 5p": (
        r"\documentclass[5p]{elsarticle}",
        rf"\begin{{frontmatter}}{TITLE}{ABSTRACT}\end{{frontmatter}}",
    ),
    "revtex4-2, two columns": (r"\documentclass[prl,twocolumn]{revtex4-2}", rf"{TITLE}{ABSTRACT}\maketitle"),
    "llncs": (rf"\documentclass{{llncs}}{TITLE}\institute{{Kiel}}", rf"\maketitle{ABSTRACT}"),
    "article, numbered lines, double spacing": (
        rf"\documentclass[12pt]{{article}}\usepackage{{lineno,setspace}}{TITLE}",
        rf"\maketitle\linenumbers\doublespacing{ABSTRACT}",
    ),
    "article, numbered lines, two columns": (
        rf"\documentclass[twocolumn]{{article}}\usepackage[switch]{{lineno}}{TITLE}",
        rf"\maketitle\linenumbers{ABSTRACT}",
    ),
}


def paper(text: str, name: str) -> str:
    """The LaTeX source of a text in a class, a note in every fifth paragraph."""
    preamble, start = CLASSES[name]
    pieces = []
    for number, paragraph in enumerate(paragraphs_of(text)):
        if number % 4 == 0:
            pieces.append(rf"\section{{Part {number // 4 + 1}}}")
        if number % 5 == 1:
            paragraph = paragraph.replace(". ", r".\footnote{A note of the editor.} ", 1)
        pieces += [paragraph, BETWEEN.get(number, "")]
    fonts = r"\usepackage[utf8]{inputenc}\usepackage[T1]{fontenc}\usepackage{textcomp}"
    head, _, tail = preamble.partition(r"\title")
    body = "\n\n".join(pieces)
    return (
        f"{head}{fonts}{chr(92) + 'title' + tail if tail else ''}\\begin{{document}}{start}\n\n{body}\\end{{document}}"
    )


def paragraphs_of(text: str) -> list[str]:
    """The first paragraphs, in the characters of LaTeX."""
    found = [block.strip() for block in re.split(r"\n\s*\n", text) if block.strip() and not block.startswith("#")]
    return [re.sub(r"([&%#$_])", r"\\\1", block.replace("*", "").replace("£", "GBP ")) for block in found[:PARAGRAPHS]]


def papers(text: Path, folder: Path) -> Iterator[str]:
    """A row of the table for each class."""
    folder.mkdir(parents=True, exist_ok=True)
    content = text.read_text("utf-8")
    sentences = sentences_of("\n\n".join(block.replace("\\", "") for block in paragraphs_of(content)))
    for name in CLASSES:
        source = folder / f"{re.sub(r'[^a-z0-9]+', '-', name.lower())}.tex"
        source.write_text(paper(content, name), "utf-8")
        command = ["pdflatex", "-interaction=batchmode", "-output-directory", str(folder), str(source)]
        for _ in range(2):  # references are there the second time
            subprocess.run(command, check=False, capture_output=True)
        yield f"| {name} | {in_order(sentences, read_document(source.with_suffix('.pdf')))} of {len(sentences)} |"


def against_pdftotext(path: Path) -> str:
    """A row of the table for a file."""
    text = subprocess.run(["pdftotext", str(path), "-"], check=True, capture_output=True, text=True).stdout
    text = re.sub(r"(\w)-\n(\w)", r"\1\2", text)
    blocks = (re.sub(r"([.!?])\d{1,2}(?=\s)", r"\1", block) for block in re.split(r"\n\s*\n|\f", text))
    sentences = [words for block in blocks for s in split_sentences(block) if len(words := without_marks(s)) >= 5]
    read = f" {' '.join(without_marks(read_document(path).document.text))} "
    kept = sum(f" {' '.join(words)} " in read for words in sentences)
    return f"| {path.name} | {kept / max(1, len(sentences)):.1%} ({kept:,} of {len(sentences):,}) |"


def without_marks(text: str) -> list[str]:
    """The words without numbers of one or two digits, also behind a word."""
    words = (re.sub(r"(?<=[^\W\d_]{3})\d{1,2}$", "", word) for word in words_of(text))
    return [word for word in words if not re.fullmatch(r"\d{1,2}", word)]


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("runs/papers"))
    arguments = parser.parse_args()
    print("| file | sentences kept |\n| --- | --- |")
    for path in arguments.files:
        rows = [against_pdftotext(path)] if path.suffix == ".pdf" else papers(path, arguments.folder)
        for row in rows:
            print(row, flush=True)


if __name__ == "__main__":
    main()
