"""PDF, read by PDFium: reading order, paragraphs, without running heads; pages without text are named."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.pdf_layout import in_reading_order, without_running_heads
from summq.programs.documents.pdf_lines import Line, lines_of
from summq.programs.documents.pdf_paragraphs import Paragraph, compounds_of, join_lines, paragraphs_of
from summq.programs.errors import DocumentError

FEWEST_LETTERS = 3  # of a page with pictures that holds text
FRAME = 8  # lines that a blank page may have around it
CELLS = " | "


def is_pdf(source: Source) -> bool:
    """Whether the content begins as a PDF does."""
    return b"%PDF-" in source.data[:1024]


def convert(source: Source) -> Converted:
    """The text of all pages.

    Raises:
        DocumentError: The file is encrypted, damaged, or holds no text.
    """
    pages, pictures = _pages(source)
    texts = [in_reading_order(page) for page in without_running_heads(pages)]
    empty = [
        number
        for number, (page, picture) in enumerate(zip(texts, pictures, strict=True), start=1)
        if picture and sum(len(line.text) for line in page) < FEWEST_LETTERS
    ]
    text, starts = _joined(paragraphs_of(texts), compounds_of(texts))
    if not text:
        raise DocumentError(
            f"{source.name} is a pdf without text, such as a scan; run it through text recognition first"
        )
    return Converted(text, pages=len(pages), page_starts=starts, warnings=_warnings(empty, len(pages)))


def _pages(source: Source) -> tuple[list[list[Line]], list[bool]]:
    """The lines of each page, and whether it shows anything that is no text."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower() or "security" in str(error).lower():
            raise DocumentError(f"{source.name} is an encrypted pdf; save a copy without password") from None
        raise DocumentError(f"{source.name} is a damaged pdf: it can't be converted to text") from error
    try:
        read = [_page(document, number) for number in range(len(document))]
    except pypdfium2.PdfiumError as error:
        raise DocumentError(f"{source.name} is a damaged pdf: it can't be converted to text") from error
    finally:
        document.close()
    return [lines for lines, _ in read], [drawn for _, drawn in read]


def _page(document: Any, number: int) -> tuple[list[Line], bool]:
    page = document[number]
    textpage = page.get_textpage()
    try:
        lines = lines_of(textpage, page.get_height())
        return lines, _shows_more(page, lines)
    finally:
        textpage.close()
        page.close()


def _shows_more(page: Any, read: Sequence[Line]) -> bool:
    """Whether a page shows what may be text besides what was read: pictures, drawings, letters without a code."""
    from pypdfium2 import raw

    objects = (raw.FPDFPage_GetObject(page.raw, index) for index in range(raw.FPDFPage_CountObjects(page.raw)))
    kinds = Counter(map(raw.FPDFPageObj_GetType, objects))
    drawn, texts = kinds.pop(raw.FPDF_PAGEOBJ_PATH, 0), kinds.pop(raw.FPDF_PAGEOBJ_TEXT, 0)
    return bool(kinds) or drawn > FRAME or (texts > 0 and not read)


def _joined(paragraphs: Sequence[Paragraph], compounds: frozenset[str]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The text, and at which offset each page begins."""
    pieces: list[str] = []
    starts: dict[int, int] = {}
    length = 0
    for is_row, group in groupby(paragraphs, key=lambda paragraph: paragraph.is_row):
        for paragraph in group:
            lines = [CELLS.join(line.text for line in paragraph.lines)] if is_row else None
            begins = {0: paragraph.page, **{index: page for page, index in paragraph.breaks}}
            for index, piece in enumerate(lines or join_lines(paragraph.lines, compounds)):
                if index in begins:
                    starts.setdefault(begins[index], length)
                pieces.append(piece)
                length += len(piece)
            pieces.append("\n" if is_row else "\n\n")
            length += len(pieces[-1])
        if is_row:
            pieces.append("\n")
            length += 1
    return "".join(pieces).rstrip(), tuple(sorted(starts.items()))


def _warnings(empty: Sequence[int], pages: int) -> tuple[str, ...]:
    if not empty:
        return ()
    named = f"page{'s' * (len(empty) > 1)} {', '.join(_ranges(empty))}"
    return (
        f"{len(empty)} of {pages} pages hold no text, such as scans, and were not read ({named}); "
        "run it through text recognition first",
    )


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    """Numbers in order as `1, 3-5`."""
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        pages = [number for _, number in run]
        yield f"{pages[0]}-{pages[-1]}" if len(pages) > 1 else str(pages[0])


__all__ = ["convert", "is_pdf"]
