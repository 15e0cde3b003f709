import io
from pathlib import Path

import pytest

from summq.programs.documents import as_document, files_in, folders_in, load_document, read_document
from summq.programs.errors import DocumentError
from tests.documents import ENCRYPTED, pdf, saved, zipped

PAGE = """<!DOCTYPE html><html><head><title>The harbour</title><script>track()</script></head><body>
<nav><a href="/">Home</a></nav><main><h1>Harbour</h1><p>The <b>old</b> pier &amp; the file_name * 3
<a href="/x">still stand</a>.</p><ul><li>one</li><li>two</li></ul></main><footer>Imprint</footer></body></html>"""
TEXT = "The pier stands.\nIt is old."


def docx() -> bytes:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    paragraphs = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in TEXT.splitlines())
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    return zipped(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
            'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/word/document.xml" ContentType="{kind}"/></Types>',
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
            f'Type="{office}" Target="word/document.xml"/></Relationships>',
            "word/document.xml": f'<w:document xmlns:w="{word}"><w:body>{paragraphs}</w:body></w:document>',
        }
    )


def epub() -> bytes:
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    return zipped(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles>'
            '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "book.opf": '<package xmlns="http://www.idpf.org/2007/opf"><metadata '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>The harbour</dc:title></metadata><manifest>'
            '<item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="one"/></spine></package>',
            "one.xhtml": f"<html><body><p>{TEXT}</p></body></html>",
        }
    )


class TestText:
    @pytest.mark.parametrize(
        "data",
        [
            TEXT.encode(),
            TEXT.replace("\n", "\r\n").encode("utf-8-sig"),
            TEXT.encode("utf-16"),
            b"\xfe\xff" + TEXT.encode("utf-16-be"),
            TEXT.encode("utf-32"),
        ],
    )
    def test_utf_8_and_byte_order_marks_are_understood(self, data: bytes, tmp_path: Path) -> None:
        document = load_document(saved(tmp_path, "harbour.txt", data))
        assert (document.text, document.id, document.title) == (TEXT, "harbour", "")

    def test_another_encoding_is_read_only_when_declared(self, tmp_path: Path) -> None:
        path = saved(tmp_path, "cafe.txt", "Le café.".encode("latin-1"))
        with pytest.raises(DocumentError, match=r"cafe\.txt is not utf-8 \(byte 6\); save it as UTF-8$"):
            load_document(path)
        assert load_document(path, encoding="latin-1").text == "Le café."

    def test_a_markdown_heading_is_the_title(self, tmp_path: Path) -> None:
        assert load_document(saved(tmp_path, "a.md", "# The harbour\n\nIt is old.")).title == "The harbour"

    def test_standard_input_is_a_document(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
        document = load_document("-")
        assert (document.text, document.id) == (TEXT, "stdin")


class TestHtml:
    def test_the_prose_of_a_page_is_kept_and_nothing_else(self, tmp_path: Path) -> None:
        document = load_document(saved(tmp_path, "page.html", PAGE))
        assert document.title == "The harbour"
        assert document.text == "# Harbour\n\nThe old pier & the file_name * 3 still stand.\n\n* one\n* two"

    def test_a_page_may_declare_its_encoding(self, tmp_path: Path) -> None:
        page = '<html><head><meta charset="iso-8859-1"></head><body><p>Le café.</p></body></html>'
        assert load_document(saved(tmp_path, "page", page.encode("latin-1"))).text == "Le café."

    def test_a_fragment_needs_its_suffix(self, tmp_path: Path) -> None:
        assert load_document(saved(tmp_path, "a.html", "<p>Hello.</p>")).text == "Hello."
        assert load_document(saved(tmp_path, "a.txt", "<p>Hello.</p>")).text == "<p>Hello.</p>"


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "data", "says"),
        [
            ("empty.txt", b" \n\t", "is empty"),
            ("mark.txt", b"\xef\xbb\xbf", "holds no text"),
            ("photo.png", b"\x89PNG\r\n\x1a\n\0\0", "is binary, not text"),
            ("page.html", b"<html><body><script>x()</script></body></html>", "holds no text"),
        ],
    )
    def test_what_is_no_document(self, name: str, data: bytes, says: str, tmp_path: Path) -> None:
        with pytest.raises(DocumentError) as caught:
            load_document(saved(tmp_path, name, data))
        assert says in str(caught.value)
        assert name in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_missing_file_and_a_folder(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentError, match="does not exist"):
            load_document(tmp_path / "none.txt")
        with pytest.raises(DocumentError, match="holds no file"):
            load_document(tmp_path)

    def test_an_encoding_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(DocumentError, match="no encoding is called 'klingon'"):
            load_document(saved(tmp_path, "a.txt", TEXT), encoding="klingon")

    def test_formats_name_the_extra_that_they_need(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        saved(tmp_path, "pypdfium2.py", "raise ModuleNotFoundError('pypdfium2')")
        monkeypatch.syspath_prepend(tmp_path)
        with pytest.raises(DocumentError, match=r"is a pdf, which needs more packages: pip install -e '\.\[docs\]'"):
            load_document(saved(tmp_path, "a.pdf", pdf("Hello")))


@pytest.mark.extra_docs
def test_the_cells_of_a_row_of_rich_text_stand_in_one_line(tmp_path: Path) -> None:
    rows = r"{\pard Plot\par}\cell{\pard Rent\par}\cell\row 1\cell 2\cell\row After it.\par"
    assert load_document(saved(tmp_path, "a.rtf", r"{\rtf1 " + rows + "}")).text == "Plot | Rent\n\n1 | 2\n\nAfter it."


@pytest.mark.slow  # the first imports MarkItDown
@pytest.mark.extra_docs
class TestPackedFormats:
    @pytest.mark.parametrize(("name", "data"), [("a.docx", docx()), ("a.epub", epub()), ("renamed", docx())])
    def test_text_is_read_whatever_the_file_is_called(self, name: str, data: bytes, tmp_path: Path) -> None:
        text = load_document(saved(tmp_path, name, data)).text
        assert "The pier stands." in text
        assert "It is old." in text

    def test_a_pdf_is_read(self, tmp_path: Path) -> None:
        assert load_document(saved(tmp_path, "a.pdf", pdf("The pier stands."))).text == "The pier stands."

    @pytest.mark.parametrize(
        ("data", "says"),
        [
            (pdf("Secret", ENCRYPTED), "is an encrypted pdf"),
            (pdf(""), "is a pdf without text, such as a scan"),
            (b"%PDF-1.4\nnothing else", "is a damaged pdf"),
            (zipped({"word/document.xml": "<broken"}), "is a docx, but damaged"),
        ],
    )
    def test_what_has_no_readable_text_is_refused_in_one_line(self, data: bytes, says: str, tmp_path: Path) -> None:
        with pytest.raises(DocumentError) as caught:
            load_document(saved(tmp_path, "a", data))
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["my-report.pdf", "~/Final report (2).docx", "notes.MD\n"])
def test_the_name_of_a_file_is_no_document(name: str) -> None:
    with pytest.raises(DocumentError, match=r"is the name of a file: give load_document of it"):
        as_document(name)


def test_the_name_of_a_file_that_exists_is_no_document(tmp_path: Path) -> None:
    (tmp_path / "report").write_text("A text.")
    with pytest.raises(DocumentError, match="is the name of a file"):
        as_document(str(tmp_path / "report"))


@pytest.mark.parametrize("text", ["We read my-report.pdf twice.", "See\nreport.pdf", "No file at all"])
def test_a_text_is_a_document_even_where_it_names_files(text: str) -> None:
    assert as_document(text).text == text


def test_a_folder_stands_for_its_files(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", ".hidden"):
        (tmp_path / name).write_text("A text.")
    (tmp_path / "inner").mkdir()
    assert files_in(["x.md", str(tmp_path)]) == ["x.md", str(tmp_path / "a.txt"), str(tmp_path / "b.md")]
    assert folders_in(["x.md", str(tmp_path)]) == [str(tmp_path / "inner")]
    assert files_in([str(tmp_path / "inner")]) == [str(tmp_path / "inner")]


@pytest.mark.parametrize(
    ("name", "content", "text", "format"), [("a.pdf", TEXT, TEXT, "plain text"), ("a.docx", PAGE, "# Harbour", "html")]
)
def test_a_name_that_promises_another_format_is_told(
    name: str, content: str, text: str, format: str, tmp_path: Path
) -> None:
    loaded = read_document(saved(tmp_path, name, content))
    assert loaded.document.text.startswith(text)
    assert loaded.warnings == (f"named {name[1:]}, but holds no {name[2:]}: read as {format}",)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("% A paper\n\\documentclass{article}\n\\begin{document}Text.", "LaTeX"),
        ('{"title": "A text"}', "JSON"),
        ("1\n00:00:01,000 --> 00:00:02,500\nGood morning.\n", "subtitles"),
    ],
)
def test_markup_that_is_read_as_text_is_told(content: str, kind: str, tmp_path: Path) -> None:
    assert read_document(saved(tmp_path, "a.txt", content)).warnings == (f"holds {kind}, of which all is read as text",)


def test_xml_that_is_no_page_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="is XML that is no page"):
        load_document(saved(tmp_path, "a.xml", "<?xml version='1.0'?><report><p>Text.</p></report>"))


def test_a_damaged_file_is_not_taken_for_text_in_another_encoding(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"is named \.pdf, but holds no pdf: it is damaged, or of another format"):
        load_document(saved(tmp_path, "a.pdf", b"\xff\xd8\xff\xe0" * 20))
