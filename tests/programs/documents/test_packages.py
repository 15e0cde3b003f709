"""Word and OpenDocument text."""

from pathlib import Path

import pytest

from summq.programs.documents import load_document
from summq.programs.documents import odt as odt_format
from summq.programs.documents.converted import Source
from summq.programs.documents.docx import convert
from tests.documents import zipped

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"


def text_of_docx(body: str, **others: str) -> str:
    """The text of a document whose main part has a name of its own, as its relationships say."""
    relations = "".join(
        f'<Relationship Id="r{name}" Type="{RELATIONS}/{name}" Target="{name}.xml"/>' for name in others
    )
    parts = {
        "[Content_Types].xml": "<Types>wordprocessingml</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r" Type="{RELATIONS}/officeDocument" '
        'Target="word/document2.xml"/></Relationships>',
        "word/document2.xml": f'<w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>',
        "word/_rels/document2.xml.rels": f'<Relationships xmlns="{PACKAGE}">{relations}</Relationships>',
        **{f"word/{name}.xml": f'<w:{name} xmlns:w="{W}">{content}</w:{name}>' for name, content in others.items()},
    }
    return convert(Source(zipped(parts), "a.docx")).text


def p(text: str, properties: str = "", run: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


STYLES = (
    '<w:style w:styleId="H"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="T"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:styleId="V"><w:name w:val="secret"/><w:rPr><w:vanish/></w:rPr></w:style>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num>'
)
ITEM = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr>'
CELL = "<w:tc>{}</w:tc>"
ROWS = (CELL.format(p("a")) + CELL.format(p("b")), CELL.format(p("1")) + CELL.format(p("2")))
TABLE = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in ROWS) + "</w:tbl>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (p("Head", '<w:pStyle w:val="H"/>') + p("Text."), "## Head\n\nText."),
        (p("Contents 3", '<w:pStyle w:val="T"/>') + p("Text."), "Text."),
        (p("Hidden", run="<w:vanish/>") + p("Shown", run='<w:vanish w:val="0"/>'), "Shown"),
        (p("Hidden", '<w:pStyle w:val="V"/>') + p("Shown"), "Shown"),
        (f"<w:p><w:del>{p('Deleted')}</w:del><w:ins><w:r><w:t>Inserted</w:t></w:r></w:ins></w:p>", "Inserted"),
        (p("one", ITEM) + p("two", ITEM), "1. one\n2. two"),
        (TABLE + p("After."), "a | b\n1 | 2\n\nAfter."),
        (p("bid_2024_v2 5 * 3"), "bid_2024_v2 5 * 3"),
        (p("Joined ", "<w:rPr><w:del/></w:rPr>") + p("by a change.") + p("Next."), "Joined by a change.\n\nNext."),
        (f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{p('Enter text')}</w:sdtContent></w:sdt>", ""),
        (f"<w:sdt><w:sdtPr/><w:sdtContent>{p('Entered')}</w:sdtContent></w:sdt>", "Entered"),
        ('<w:p><w:r><w:t>4</w:t><w:sym w:font="Symbol" w:char="F0B0"/><w:t>C</w:t></w:r></w:p>', "4°C"),
        ('<w:p><w:r><w:sym w:font="Wingdings" w:char="F0B0"/><w:t>Yes</w:t></w:r></w:p>', "Yes"),
    ],
)
def test_word_is_read_as_it_is_shown(body: str, expected: str) -> None:
    assert text_of_docx(body, styles=STYLES, numbering=NUMBERING) == expected


def test_notes_stand_at_the_end() -> None:
    notes = f'<w:footnote w:type="separator">{p("-")}</w:footnote><w:footnote w:id="2">{p("A note.")}</w:footnote>'
    assert text_of_docx(p("Text."), footnotes=notes) == "Text.\n\nA note."


def test_opendocument_is_read() -> None:
    namespace = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0"
    office, text = namespace.format("office"), namespace.format("text")
    note = "<t:note><t:note-citation>1</t:note-citation><t:note-body><t:p>A note.</t:p></t:note-body></t:note>"
    item = "<t:list><t:list-item><t:p>item</t:p></t:list-item></t:list>"
    body = f'<t:h t:outline-level="1">Head</t:h><t:p>One<t:s/>two{note}.</t:p>{item}'
    content = f'<o:d xmlns:o="{office}" xmlns:t="{text}"><o:body><o:text>{body}</o:text></o:body></o:d>'
    read = odt_format.convert(Source(zipped({"content.xml": content}), "a.odt")).text
    assert read == "# Head\n\nOne two.\n\n* item\n\nA note."


def test_entities_are_not_unfolded(tmp_path: Path) -> None:
    entities = '<!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    paragraphs = f"<w:p><w:r><w:t>&b;</w:t></w:r></w:p>{p('After.')}"
    document = f'{entities}<w:document xmlns:w="{W}"><w:body>{paragraphs}</w:body></w:document>'
    (tmp_path / "a.docx").write_bytes(zipped({"word/document.xml": document}))
    assert load_document(tmp_path / "a.docx").text == "After."
