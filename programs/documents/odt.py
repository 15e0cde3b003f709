"""OpenDocument text (odt): text, headings, lists, tables and, at the end, notes."""

from lxml import etree

from summq.programs.documents.archive import Archive, attribute, has_part, local_name
from summq.programs.documents.blocks import fill, text_of
from summq.programs.documents.converted import Converted, Source
from summq.programs.errors import DocumentError

CONTENT, MANIFEST = "content.xml", "META-INF/manifest.xml"
_SKIPPED = {"tracked-changes", "annotation", "table-of-content", "note-citation", "forms", "hidden-text", "bookmark"}
_CONTAINERS = {"list": "ul", "list-item": "li", "table": "table", "table-row": "tr", "table-cell": "td"}

_SPACES = {"s": " ", "tab": " ", "line-break": "\n"}


def is_odt(source: Source) -> bool:
    """Whether the content is an OpenDocument package."""
    return has_part(source.data, CONTENT)


def convert(source: Source) -> Converted:
    """The text, then that of its notes.

    Raises:
        DocumentError: The document is encrypted, damaged, or no text.
    """
    package = Archive(source.data, f"{source.name} is an odt")
    if MANIFEST in package.names and b"encryption-data" in package.read(MANIFEST):
        raise DocumentError(f"{source.name} is an encrypted odt; save a copy without password")
    root = package.xml(CONTENT)
    if next(root.iter("{urn:oasis:names:tc:opendocument:xmlns:office:1.0}text"), None) is None:
        raise DocumentError(f"{source.name} is an OpenDocument, but no text; save what you need of it as odt or docx")
    body, notes = _read(root)
    return Converted("\n\n".join(filter(None, (text_of(body), text_of(notes)))))


def _read(root: etree._Element) -> tuple[etree._Element, etree._Element]:
    """The body and the notes as trees of HTML elements."""
    hidden = _hidden_styles(root)
    body, notes = etree.Element("body"), etree.Element("body")
    parents = [body]
    blocks: list[tuple[etree._Element, list[str]]] = []
    skipped = None
    for event, element in etree.iterwalk(root, events=("start", "end")):
        name, pieces = local_name(element), blocks[-1][1] if blocks else []
        if skipped is not None:
            if event == "end" and element is skipped:
                skipped = None
                pieces.append(element.tail or "")
        elif event == "end":
            if name == "note" or name in _CONTAINERS:
                parents.pop()
            elif name in ("p", "h") and blocks:
                fill(*blocks.pop())
                pieces = blocks[-1][1] if blocks else []
            pieces.append(element.tail or "")
        elif name in _SKIPPED or attribute(element, "style-name") in hidden:
            skipped = element
        elif name == "note":
            parents.append(notes)
        elif name in _CONTAINERS:
            parents.append(etree.SubElement(parents[-1], _CONTAINERS[name]))
        elif name in ("p", "h"):
            blocks.append((etree.SubElement(parents[-1], _tag(element)), [element.text or ""]))
        else:
            pieces.append(_SPACES.get(name, element.text or ""))
    return body, notes


def _tag(element: etree._Element) -> str:
    level = attribute(element, "outline-level")
    return f"h{min(6, int(level))}" if local_name(element) == "h" and level.isdigit() and level != "0" else "p"


def _hidden_styles(root: etree._Element) -> set[str]:
    """The names of styles whose text is not shown."""
    return {
        attribute(style, "name")
        for style in root.iter("{*}style")
        if any(attribute(properties, "display") == "none" for properties in style)
    }


__all__ = ["convert", "is_odt"]
