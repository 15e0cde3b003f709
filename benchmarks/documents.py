"""How much of a document survives its format: files made by pandoc, pdflatex and LibreOffice, against their source.

    python benchmarks/documents.py TEXT.md... [--folder DIR]

Each text (paragraphs, and headings with `#`) is set in every format of `FORMATS`; what is read back is compared with
it. A sentence counts if its words stand there one after the other, behind those of the sentence before it. Furniture
counts the running heads and page numbers that stand in the text.
"""

import argparse
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from summq.programs.documents import Loaded, read_document
from summq.programs.errors import DocumentError
from summq.programs.text.sentences import split_sentences

HEAD = "Papers of the Marlow Inquiry"
PAGE = r"""\documentclass[%s]{article}
\usepackage[utf8]{inputenc}\usepackage{textcomp,fancyhdr,setspace,longtable,booktabs,array,calc,hyperref}
\providecommand{\tightlist}{}\pagestyle{fancy}\fancyhf{}\fancyhead[C]{HEAD}\fancyfoot[C]{Draft, page \thepage}
\setstretch{%s}\setcounter{secnumdepth}{0}
\begin{document}
%s
\end{document}
""".replace("HEAD", HEAD)


@dataclass(frozen=True)
class Format:
    """A way to set a text: what pandoc writes and with which options, and what is made of that in the end.

    For LaTeX the options are those of the class, and the stretch of the lines.
    """

    name: str
    written: str
    options: tuple[str, ...] = ()
    then: str = ""


FORMATS = (
    Format("html", "html"),
    Format("html, standalone", "html", ("--standalone", "--metadata", "title=A text")),
    Format("epub 3", "epub3"),
    Format("epub 2", "epub2"),
    Format("docx", "docx"),
    Format("odt", "odt"),
    Format("rtf", "rtf", ("--standalone",)),
    Format("pdf, LaTeX", "latex", ("", "1"), "pdflatex"),
    Format("pdf, LaTeX, two columns", "latex", ("twocolumn", "1"), "pdflatex"),
    Format("pdf, LaTeX, double spacing", "latex", ("", "2"), "pdflatex"),
    Format("pdf, LibreOffice", "docx", (), "pdf"),
    Format("html, LibreOffice", "docx", (), "html"),
    Format("rtf, LibreOffice", "docx", (), "rtf"),
)


@dataclass(frozen=True)
class Measured:
    """What one file came to. `kept` counts the sentences that survive, of `sentences`."""

    format: str
    kept: int
    sentences: int
    furniture: int
    pages: int
    seconds: float


def make(text: Path, form: Format, folder: Path) -> Path:
    """The text in a format. Raises CalledProcessError when a tool fails."""
    suffix = {"latex": "tex", "epub2": "epub", "epub3": "epub"}.get(form.written, form.written)
    out = folder / f"{text.stem}-{re.sub(r'[^a-z0-9]+', '-', form.name.lower())}.{suffix}"
    reader = "markdown-smart-yaml_metadata_block-tex_math_dollars-raw_tex-fancy_lists-example_lists-citations"
    options = () if form.then == "pdflatex" else form.options
    _run("pandoc", "-f", reader, str(text), "-t", form.written, *options, "-o", str(out))
    if form.then == "pdflatex":
        out.write_text(PAGE % (*form.options, out.read_text("utf-8")), "utf-8")
        _run("pdflatex", "-interaction=batchmode", "-output-directory", str(folder), str(out))
        return out.with_suffix(".pdf")
    if form.then:
        made = folder / "office"
        _run("soffice", "--headless", "--convert-to", form.then, "--outdir", str(made), str(out))
        return made / out.with_suffix(f".{form.then}").name
    return out


def measure(text: Path, form: Format, path: Path) -> Measured:
    """How much of the text is read out of the file, and how fast."""
    started = time.perf_counter()
    loaded = read_document(path)
    seconds = time.perf_counter() - started
    sentences = sentences_of(text.read_text("utf-8"))
    kept = in_order(sentences, loaded)
    furniture = len(re.findall(re.escape(HEAD) + r"|Draft, page \d+", loaded.document.text))
    return Measured(form.name, kept, len(sentences), furniture, loaded.pages, seconds)


def sentences_of(text: str) -> list[list[str]]:
    """The words of each sentence of the source."""
    blocks = re.split(r"\n\s*\n", text)
    found = (words_of(s) for block in blocks if not block.startswith("#") for s in split_sentences(block))
    return [words for words in found if len(words) > 2]


def words_of(text: str) -> list[str]:
    """Words without marks, as typesetting changes quotes and dashes."""
    return re.findall(r"\w+", text.replace("-", ""))


def in_order(sentences: Sequence[Sequence[str]], loaded: Loaded) -> int:
    """How many sentences are found, each behind the one before it."""
    text = " " + " ".join(words_of(loaded.document.text)) + " "
    kept = at = 0
    for words in sentences:
        found = text.find(" " + " ".join(words) + " ", at)
        if found >= 0:
            kept, at = kept + 1, found + 1
    return kept


def table(measured: Sequence[Measured]) -> str:
    """A Markdown table by format."""
    lines = [
        "| format | files | sentences kept | furniture | pages/s | ms a file |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name in dict.fromkeys(m.format for m in measured):
        rows = [m for m in measured if m.format == name]
        kept, sentences = sum(m.kept for m in rows), sum(m.sentences for m in rows)
        seconds, pages = sum(m.seconds for m in rows), sum(m.pages for m in rows)
        speed = f"{pages / seconds:.0f}" if pages else ""
        share = f"{kept / sentences:.1%} ({kept:,} of {sentences:,})"
        furniture = sum(m.furniture for m in rows)
        lines.append(f"| {name} | {len(rows)} | {share} | {furniture} | {speed} | {1000 * seconds / len(rows):.0f} |")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return "\n".join([*lines, "", f"Peak memory of the process: {memory:.0f} MB."])


def _run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


def main() -> None:
    """Make, read, measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path, nargs="+")
    parser.add_argument("--folder", type=Path, default=Path("runs/documents"))
    arguments = parser.parse_args()
    missing = [tool for tool in ("pandoc", "pdflatex", "soffice") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"not installed: {', '.join(missing)}")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    measured = []
    for text in arguments.texts:
        for form in FORMATS:
            try:
                measured.append(measure(text, form, make(text, form, arguments.folder)))
            except (subprocess.CalledProcessError, DocumentError) as error:
                print(f"{text.name}, {form.name}: {error}", file=sys.stderr)
    print(table(measured))


if __name__ == "__main__":
    main()
