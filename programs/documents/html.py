"""Web pages: all of their text but navigation, cookie bars, footers, forms and what is hidden.

Extractors that look for the one main text (trafilatura, resiliparse) were tried: they drop lists, tables, headings and
second articles of real pages in silence. Here a part is left out for what it says it is (its element, role, name, or
that it consists of links), never for its place, and never where it holds most of the page.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from summq.programs.documents.blocks import HEADINGS, NEVER_TEXT, name_of, text_of
from summq.programs.documents.converted import Converted, Source
from summq.programs.documents.encodings import decode_page
from summq.programs.errors import DocumentError

SUFFIXES = {".html", ".htm", ".xhtml"}
MOST = 0.4  # share of the letters of a page: what holds more is no ornament of it
LINKS = 0.75  # share of letters in links, from which a part is a menu
MENU_WORDS = 6.0  # words of a link in a menu on average at most
FEWEST_LINKS = 3
_OPENING = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.I)
_ASIDE = {"nav", "aside", "form", "dialog", "footer", "menu"}
_ROLES = {"navigation", "banner", "contentinfo", "search", "dialog", "alertdialog", "complementary", "menu", "menubar"}
_ORNAMENTS = """
    cookie cookies consent gdpr breadcrumb breadcrumbs sidebar navbar nav navigation navbox menu footer share
    sharing social newsletter subscribe subscription advert advertisement ads promo related pagination comments skip
    disqus toolbar popup modal masthead
    ad sponsored noprint editsection catlinks ambox
"""
_NAMES = frozenset(_ORNAMENTS.split())
_HELD_TOGETHER = {"html", "body", "main", "article", "h1", "p", "li", "td", "th", "tr", "tbody", "blockquote", "pre"}
_MENUS = {"ul", "ol", "div", "p", "table", "td", "section", "header", "span", "center", "dl"}
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.I)
_PERMALINKS = {"¶", "#", "§", "↩", "↩︎", "↑", "^"}  # behind headings, and from notes back to the text
_NAME_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


def is_page(source: Source) -> bool:
    """Whether the content begins as a page does; a fragment needs its suffix."""
    return source.suffix in SUFFIXES or _begins_as_page(source.data)


def convert(source: Source) -> Converted:
    """The text of a page and its title."""
    return convert_page(decode_page(source), source.name)


def convert_page(page: str, name: str) -> Converted:
    """The text of a page that is decoded."""
    root = parse(page, name)
    if root is None:
        return Converted("")
    found = root.find(".//title")
    title = " ".join("".join(found.itertext()).split()) if found is not None else ""
    _prune(root)
    text = "\n\n".join(filter(None, map(text_of, _main_parts(root))))
    return Converted(text or text_of(parse(page, name)), title)


def parse(page: str, name: str) -> etree._Element | None:
    """The tree of a page; None for one without elements.

    Raises:
        DocumentError: Elements are nested deeper than the parser reads.
    """
    # By UTF-8, so that the parser does not read the declaration of the encoding that the page had.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(page.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except etree.XMLSyntaxError:
        return None
    if any("depth" in entry.message for entry in parser.error_log):
        raise DocumentError(f"{name} is nested too deeply to be read; save it as plain text")
    return root


def _begins_as_page(data: bytes) -> bool:
    """Whether a page begins after white space, an XML declaration and comments."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        data, at = data[2:8000].replace(b"\0", b""), 0
    while True:
        at += len(data[at : at + 8000]) - len(data[at : at + 8000].lstrip())
        closing = {b"<!--": b"-->", b"<?xm": b"?>"}.get(data[at : at + 4])
        if closing is None:
            return _OPENING.match(data, at) is not None
        end = data.find(closing, at)
        if end < 0:
            return False
        at = end + len(closing)


class _Size(NamedTuple):
    """How many letters an element holds, how many of them in links, how many links and words of links."""

    letters: int = 0
    linked: int = 0
    links: int = 0
    link_words: int = 0

    @property
    def is_menu(self) -> bool:
        """Whether it consists of short links."""
        return (
            self.links >= FEWEST_LINKS
            and self.linked >= LINKS * self.letters
            and self.link_words <= MENU_WORDS * self.links
        )


def _sizes(root: etree._Element) -> dict[etree._Element, _Size]:
    """The size of each element that holds text; what never is text counts nothing."""
    sizes: dict[etree._Element, _Size] = {}
    for _, element in etree.iterwalk(root, events=("end",)):
        tag = name_of(element)
        if tag in NEVER_TEXT:
            continue
        letters, linked, links, words = _letters(element.text), 0, 0, 0
        for child in element:
            letters += _letters(child.tail)
            if child in sizes:
                of_child = sizes[child]
                letters += of_child.letters
                linked += of_child.linked
                links += of_child.links
                words += of_child.link_words
        if tag == "a":
            linked, links, words = letters, 1, len("".join(element.itertext()).split())
        sizes[element] = _Size(letters, linked, links, words)
    return sizes


def _letters(text: str | None) -> int:
    return len("".join(text.split())) if text else 0


def _prune(root: etree._Element) -> None:
    """Take out of the tree what is no text of the page."""
    sizes = _sizes(root)
    whole = sizes[root].letters if root in sizes else 0
    for element in [element for element in root.iter() if _is_ornament(element, sizes.get(element, _Size()), whole)]:
        _drop(element)


def _drop(element: etree._Element) -> None:
    """Take an element out of the tree and leave the text after it."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        return
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _is_ornament(element: etree._Element, size: _Size, whole: int) -> bool:
    tag = name_of(element)
    if tag in ("", "html", "body", "head"):
        return tag == "head"
    if tag in NEVER_TEXT or _is_hidden(element) or (tag == "a" and (element.text or "").strip() in _PERMALINKS):
        return True
    if size.letters > MOST * whole or _is_note(element):
        return False
    if tag in _ASIDE or element.get("role", "").lower() in _ROLES:
        return element.find(".//h1") is None or tag in ("nav", "footer")
    if tag == "header" and element.find(".//h1") is None and not _inside_article(element):
        return True
    if tag not in _HELD_TOGETHER and _named_as_ornament(element):
        return element.find(".//article") is None and element.find(".//h1") is None
    return tag in _MENUS and size.is_menu


def _is_hidden(element: etree._Element) -> bool:
    hidden = "hidden" in element.attrib or element.get("aria-hidden", "").lower() == "true"
    return hidden or _HIDDEN.search(element.get("style", "")) is not None


def _is_note(element: etree._Element) -> bool:
    """Footnotes belong to the text, whatever element they are in."""
    names = f"{element.get('role', '')} {element.get('class', '')} {element.get('id', '')}".lower()
    return "footnote" in names or "endnote" in names


def _named_as_ornament(element: etree._Element) -> bool:
    own = "" if _is_named_by_heading(element) else element.get("id", "")
    names = f"{own} {element.get('class', '')}"[:500]
    return not _NAMES.isdisjoint(part.lower() for part in _NAME_PARTS.findall(names))


def _is_named_by_heading(element: etree._Element) -> bool:
    """Whether the id is made of the words of a heading, as generators of pages name sections: `sharing-of-costs`."""
    parts = _NAME_PARTS.findall(element.get("id", ""))
    is_section = name_of(element) in ("section", *HEADINGS) or "section" in element.get("class", "").split()
    heading = next(element.iter(*HEADINGS), None)
    if heading is None or not (is_section or len(parts) > 1):
        return False
    words = _NAME_PARTS.findall("".join(heading.itertext()))
    return " ".join(parts).lower() in " ".join(words).lower()


def _inside_article(element: etree._Element) -> bool:
    return any(name_of(above) in ("article", "main", "section") for above in element.iterancestors())


def _main_parts(root: etree._Element) -> list[etree._Element]:
    """The `main` elements of a page, else its articles, if they hold most of its text; else all of it."""
    sizes = _sizes(root)
    for tag in ("main", "article"):
        parts = list(_outermost(root, tag))
        if sum(sizes[part].letters for part in parts) > (1 - MOST / 2) * sizes[root].letters:
            return parts
    return [root]


def _outermost(root: etree._Element, tag: str) -> Iterator[etree._Element]:
    for element in root.iter(tag):
        if not any(name_of(above) == tag for above in element.iterancestors()):
            yield element


__all__ = ["convert", "convert_page", "is_page", "parse"]
