"""Word documents (docx), by their relationships: text, headings, lists, tables and, at the end, notes.

Left out, as they are no running text: hidden and deleted text, tables of contents, page heads and feet. The library
mammoth reads hidden text and needs gigabytes for a large package; hence a reader of our own, which builds HTML.
"""

from collections import Counter
from posixpath import basename, dirname, join

from lxml import etree

from summq.programs.documents.archive import Archive, attribute, has_part, local_name, resolve
from summq.programs.documents.blocks import fill, name_of, text_of
from summq.programs.documents.converted import Converted, Source

RELATIONSHIPS = "_rels/.rels"
_SKIPPED = {"del", "moveFrom", "Fallback", "rt", "rPrChange", "pPrChange", "sectPr", "comment", "instrText", "delText"}
_CHARACTERS = {"tab": " ", "noBreakHyphen": "-", "ptab": " "}
# Letters and signs of the font Symbol, by their codes in it.
_SYMBOLS = {
    **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0x41)),
    **dict(enumerate("αβχδεϕγηιφκλμνοπθρστυϖωξψζ", 0x61)),
    0xA3: "≤",
    0xA5: "∞",
    0xAE: "→",
    0xB0: "°",
    0xB1: "±",
    0xB3: "≥",
    0xB4: "×",
    0xB7: "•",
    0xB9: "≠",
    0xBB: "≈",
}
_CONTAINERS = {"tbl": "table", "tr": "tr", "tc": "td"}


def is_docx(source: Source) -> bool:
    """Whether the content is a Word package."""
    return has_part(source.data, "word/document.xml") or (
        has_part(source.data, RELATIONSHIPS) and b"wordprocessingml" in _content_types(source)
    )


def convert(source: Source) -> Converted:
    """The text of the main part, then that of its notes."""
    package = Archive(source.data, f"{source.name} is a docx")
    main = _targets(package, "").get("officeDocument", "word/document.xml")
    parts = _targets(package, main)
    styles = _Styles(package.xml(parts["styles"]) if parts.get("styles") in package.names else None)
    numbering = _Numbering(package.xml(parts["numbering"]) if parts.get("numbering") in package.names else None)
    texts = [text_of(_Reader(styles, numbering).read(package.xml(main)))]
    for kind in ("footnotes", "endnotes"):
        if parts.get(kind) in package.names:
            texts.append(text_of(_Reader(styles, numbering).read(package.xml(parts[kind]))))
    return Converted("\n\n".join(filter(None, texts)))


def _content_types(source: Source) -> bytes:
    archive = Archive(source.data, f"{source.name} is a docx")
    return archive.read("[Content_Types].xml") if "[Content_Types].xml" in archive.names else b""


def _targets(package: Archive, part: str) -> dict[str, str]:
    """The parts that a part (none: the package) is related to, by kind."""
    folder = dirname(part)
    path = join(folder, "_rels", f"{basename(part)}.rels")
    if path not in package.names:
        return {}
    return {
        relation.get("Type", "").rpartition("/")[2]: resolve(folder, relation.get("Target", ""))
        for relation in package.xml(path).iter()
        if name_of(relation) == "relationship" and relation.get("TargetMode") != "External"
    }


def _value(element: etree._Element | None) -> str | None:
    """The attribute `val`; "" where the element has none."""
    return None if element is None else attribute(element, "val")


def _child(element: etree._Element | None, name: str) -> etree._Element | None:
    children = element if element is not None else ()
    return next((child for child in children if local_name(child) == name), None)


def _properties(element: etree._Element, name: str) -> etree._Element | None:
    """The properties of a run or paragraph, which stand at its beginning."""
    first = next(iter(element), None) if element is not None else None  # len() would count all children
    return first if first is not None and local_name(first) == name else None


def _is_on(element: etree._Element | None) -> bool:
    return _value(element) not in (None, "0", "false", "off")


class _Styles:
    """What styles say of their text: the level of a heading, hidden or not, table of contents."""

    def __init__(self, root: etree._Element | None) -> None:
        self._styles: dict[str, etree._Element] = {}
        for style in root if root is not None else ():
            if local_name(style) == "style" and (key := attribute(style, "styleId")):
                self._styles[key] = style

    def heading(self, style: str | None) -> int:
        """The level from 1 to 6; 0 for what is no heading."""
        for element in self._chain(style):
            name = (_value(_child(element, "name")) or "").lower()
            if name == "title":
                return 1
            if name.startswith("heading ") and name[8:].isdigit():
                return min(6, int(name[8:]))
        return 0

    def hidden(self, style: str | None) -> bool:
        """Whether text of this style is hidden."""
        return any(_is_on(_child(_child(element, "rPr"), "vanish")) for element in self._chain(style))

    def is_contents(self, style: str | None) -> bool:
        """Whether a paragraph of this style is a line of a table of contents."""
        name = (_value(_child(self._styles.get(style or ""), "name")) or style or "").lower()
        return name.startswith("toc") and name[3:].strip().isdigit()

    def numbering(self, style: str | None) -> etree._Element | None:
        """The numbering that a style brings."""
        own = (_child(_child(element, "pPr"), "numPr") for element in self._chain(style))
        return next((element for element in own if element is not None), None)

    def _chain(self, style: str | None) -> list[etree._Element]:
        """The style and those that it is based on."""
        chain: list[etree._Element] = []
        while style in self._styles and len(chain) < 20:
            chain.append(self._styles[style or ""])
            style = _value(_child(chain[-1], "basedOn"))
        return chain


class _Numbering:
    """Counts the items of numbered lists."""

    def __init__(self, root: etree._Element | None) -> None:
        abstract: dict[str, dict[str, str]] = {}
        self._formats: dict[str, dict[str, str]] = {}
        for element in root if root is not None else ():
            if local_name(element) == "abstractNum":
                levels = (child for child in element if local_name(child) == "lvl")
                abstract[attribute(element, "abstractNumId")] = {
                    attribute(level, "ilvl") or "0": _value(_child(level, "numFmt")) or "" for level in levels
                }
            elif local_name(element) == "num":
                number = _value(_child(element, "abstractNumId")) or ""
                self._formats[attribute(element, "numId")] = abstract.get(number, {})
        self._counts: Counter[tuple[str, int]] = Counter()

    def item(self, properties: etree._Element) -> etree._Element | None:
        """A list item, with its number where the list is numbered; None where numbering is switched off."""
        number = _value(_child(properties, "numId")) or "0"
        level = _value(_child(properties, "ilvl")) or "0"
        if number == "0":
            return None
        if self._formats.get(number, {}).get(level, "bullet") in ("bullet", "none"):
            return etree.Element("li")
        depth = int(level) if level.isdigit() else 0
        self._counts[number, depth] += 1
        for key in [key for key in self._counts if key[0] == number and key[1] > depth]:
            del self._counts[key]
        return etree.Element("li", value=str(self._counts[number, depth]))


class _Reader:
    """Builds HTML out of a part."""

    def __init__(self, styles: _Styles, numbering: _Numbering) -> None:
        self._styles = styles
        self._numbering = numbering

    def read(self, part: etree._Element) -> etree._Element:
        """The part as a tree of HTML elements."""
        root, joined = etree.Element("body"), ""
        parents, texts, skipped = [root], [[]], None  # type: list[etree._Element], list[list[str]], etree._Element | None
        for event, element in etree.iterwalk(part, events=("start", "end")):
            name = local_name(element)
            if skipped is not None:
                skipped = None if event == "end" and element is skipped else skipped
            elif event == "start":
                if name in _SKIPPED or (name == "r" and self._is_hidden(element)) or _is_no_text(element):
                    skipped = element
                elif name in _CONTAINERS:
                    parents.append(etree.SubElement(parents[-1], _CONTAINERS[name]))
                elif name == "p":
                    texts.append([])
                elif name == "t":
                    texts[-1].append(element.text or "")
                elif name == "sym":
                    texts[-1].append(_symbol(element))
                elif name in ("br", "cr"):
                    texts[-1].append("\n")
                elif name in _CHARACTERS and _local_parent(element) == "r":
                    texts[-1].append(_CHARACTERS[name])
            elif name in _CONTAINERS:
                parents.pop()
            elif name == "p":
                joined += "".join(texts.pop())
                if not _is_joined(element):
                    self._paragraph(element, joined, parents[-1])
                    joined = ""
        return root

    def _is_hidden(self, run: etree._Element) -> bool:
        properties = _properties(run, "rPr")
        own = _child(properties, "vanish")
        if own is not None:
            return _is_on(own)
        if self._styles.hidden(_value(_child(properties, "rStyle"))):
            return True
        paragraph = next((above for above in run.iterancestors() if local_name(above) == "p"), None)
        return self._styles.hidden(_value(_child(_properties(paragraph, "pPr"), "pStyle")))

    def _paragraph(self, element: etree._Element, text: str, parent: etree._Element) -> None:
        properties = _properties(element, "pPr")
        style = _value(_child(properties, "pStyle"))
        if not text.strip() or self._styles.is_contents(style):
            return
        level = self._styles.heading(style)
        numbered = _child(properties, "numPr")
        numbered = self._styles.numbering(style) if numbered is None else numbered
        item = self._numbering.item(numbered) if numbered is not None and not level else None
        block = etree.Element(f"h{level}" if level else "p") if item is None else item
        parent.append(block)
        fill(block, [text])


def _is_no_text(element: etree._Element) -> bool:
    """What Word puts there itself: the line between text and notes, and what to fill into a form."""
    if local_name(element) == "sdt":
        return _child(_properties(element, "sdtPr"), "showingPlcHdr") is not None
    is_line = attribute(element, "type") in ("separator", "continuationSeparator")
    return is_line and local_name(element) in ("footnote", "endnote")


def _is_joined(paragraph: etree._Element) -> bool:
    """Whether the end of a paragraph is deleted, so that the next one goes on."""
    return _child(_child(_properties(paragraph, "pPr"), "rPr"), "del") is not None


def _symbol(element: etree._Element) -> str:
    """A sign by its code in a font of signs; nothing for ornaments."""
    try:
        code = int(attribute(element, "char"), 16) & 0xFF
    except ValueError:
        return ""
    return _SYMBOLS.get(code, "") if attribute(element, "font") == "Symbol" else ""


def _local_parent(element: etree._Element) -> str:
    parent = element.getparent()
    return local_name(parent) if parent is not None else ""


__all__ = ["convert", "is_docx"]
