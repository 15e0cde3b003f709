"""EPUB books: the chapters of the spine, in its order."""

from posixpath import dirname

from lxml import etree

from summq.programs.documents.archive import Archive, has_part, resolve
from summq.programs.documents.blocks import name_of, text_of
from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.encodings import decode_page
from summq.programs.documents.html import parse
from summq.programs.errors import DocumentError

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
_READABLE = ("html", "xml")  # media types of chapters: pictures in the spine hold no text


def is_epub(source: Source) -> bool:
    """Whether the content is an EPUB package."""
    return has_part(source.data, CONTAINER)


def convert(source: Source) -> Converted:
    """The text of all chapters.

    Raises:
        DocumentError: The book is encrypted or damaged.
    """
    book = Archive(source.data, f"{source.name} is an epub")
    package = _rootfile(book)
    encrypted = _encrypted(book)
    opf = book.xml(package)
    hrefs = _chapters(opf)
    chapters, missing = [], []
    for href in dict.fromkeys(resolve(dirname(package), href) for href in hrefs):
        if href in encrypted:
            raise DocumentError(f"{source.name} is an encrypted epub: its chapters can't be read")
        if href not in book.names:
            missing.append(href)
            continue
        root = parse(decode_page(Source(book.read(href), f"{source.name}, {href}")), source.name)
        if root is not None:
            chapters.append(text_of(root))
    warnings = (f"chapters that the book names but lacks: {', '.join(missing)}",) if missing else ()
    return Converted("\n\n".join(filter(None, chapters)), _title(opf), warnings=warnings)


def _rootfile(book: Archive) -> str:
    for element in book.xml(CONTAINER).iter():
        if name_of(element) == "rootfile" and element.get("full-path"):
            return resolve("", element.get("full-path", ""))
    raise book.damage_error()


def _encrypted(book: Archive) -> set[str]:
    """The parts that are encrypted. Fonts may be, and leave the text readable."""
    if ENCRYPTION not in book.names:
        return set()
    references = (element.get("URI", "") for element in book.xml(ENCRYPTION).iter())
    return {resolve("", reference) for reference in references if reference}


def _chapters(opf: etree._Element) -> list[str]:
    """The references of the spine, but for pictures and the table of contents."""
    items, spine = {}, []
    for element in opf.iter():
        if name_of(element) == "item":
            items[element.get("id", "")] = element
        elif name_of(element) == "itemref":
            spine.append(element.get("idref", ""))
    chosen = [items[idref] for idref in spine if idref in items]
    return [
        item.get("href", "")
        for item in chosen
        if any(kind in item.get("media-type", "html") for kind in _READABLE)
        and "nav" not in item.get("properties", "").split()
    ]


def _title(opf: etree._Element) -> str:
    titles = (" ".join("".join(e.itertext()).split()) for e in opf.iter() if name_of(e) == "title")
    return next(titles, "")


__all__ = ["convert", "is_epub"]
