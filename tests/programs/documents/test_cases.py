"""Files that were once read wrongly, from the folder of cases that may lie beside the project."""

import re

import pytest

from summq.programs.documents import load_document, read_document
from summq.programs.errors import DocumentError
from tests.conftest import ROOT

FOLDER = ROOT.parent / "shared" / "cases"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="no folder of cases beside the project")


def text_of(case: str) -> str:
    return load_document(FOLDER / case).text


def sentences_of_tex(case: str) -> list[str]:
    """The sentences of the first page of a LaTeX source, its markup and line breaks apart."""
    body = (FOLDER / case).read_text().partition("\\begin{document}")[2].partition("\\newpage")[0]
    body = re.sub(r"\\section\*?\{[^}]*\}", "\n\n", body)
    prose = " ".join(re.sub(r"\\[a-z]+(?:\[[^]]*\])?(?:\{[^}]*\})?", " ", body).split())
    return [sentence for sentence in re.findall(r"[A-Z][^.]+\.", prose) if len(sentence.split()) > 4]


@pytest.mark.extra_docs
class TestPdf:
    def test_columns_are_read_one_after_the_other(self) -> None:
        text, sentences = text_of("pdf-two-columns/two.pdf"), sentences_of_tex("pdf-two-columns/two.tex")
        places = [text.find(sentence) for sentence in sentences]
        assert len(sentences) >= 16
        assert -1 not in places
        assert places == sorted(places)

    def test_hyphens_and_ligatures_are_undone(self) -> None:
        text = text_of("pdf-hyphens-ligatures/hyph.pdf")
        assert text.startswith("The first officer of the ferry defined the flow of the traffic and confirmed the final")
        assert "-" not in text

    @pytest.mark.parametrize("name", ["single", "spaced"])
    def test_paragraphs_are_the_same_at_any_line_spacing(self, name: str) -> None:
        assert text_of(f"pdf-line-spacing/{name}.pdf").count("\n") == 4

    def test_pages_without_text_are_named(self) -> None:
        loaded = read_document(FOLDER / "pdf-partly-scanned/cover.pdf")
        (warning,) = loaded.warnings
        assert warning.startswith("3 of 4 pages hold no text, such as scans, and were not read (pages 2-4)")

    @pytest.mark.slow
    def test_running_heads_are_left_out(self) -> None:
        text = text_of("pdf-running-heads/heads.pdf")
        assert "Marlow Sound Inquiry" not in text
        assert "Draft of May" not in text
        assert text.startswith("The harbour council bought the bridge")
        assert text.count("The last engineer left in March 2015 and was not replaced. This was said on day") == 9


class TestPackages:
    def test_word_is_read_without_escapes_and_hidden_text(self) -> None:
        text = text_of("docx-epub-markup/markup.docx")
        assert "bid_2024_v2.xlsx, and 5 * 3 pumps" in text
        assert "do not publish" not in text

    def test_epub_is_read_without_metadata_and_links(self) -> None:
        text = text_of("docx-epub-markup/links.epub")
        assert "The harbour council bought the bridge" in text
        assert not re.search(r"\*\*|\]\(|!\[", text)
        assert "for ten years. It is not mended." in text

    @pytest.mark.parametrize("name", ["plain", "fragment"])
    def test_all_chapters_are_read(self, name: str) -> None:
        text = text_of(f"epub-lost-chapters/{name}.epub")
        assert re.findall("# Chapter .", text) == ["# Chapter 1", "# Chapter 2", "# Chapter 3"]

    def test_an_encrypted_book_is_refused(self) -> None:
        with pytest.raises(DocumentError, match="is an encrypted epub"):
            text_of("epub-lost-chapters/drm.epub")


class TestPages:
    def test_declared_encodings_are_read_as_in_browsers(self) -> None:
        assert text_of("html-declared-encodings/latin1.html") == (
            "The inspector’s report – priced at €40 – said “no grease”."
        )
        assert text_of("html-declared-encodings/gb2312.html") == "朱镕基视察了港口。"

    def test_all_articles_are_read(self) -> None:
        text = text_of("html-several-articles/page.html")
        assert len(re.findall(r"\w+", text)) >= 70
        assert "bought the bridge" in text
        assert "carried four times" in text

    def test_a_saved_page_is_read(self) -> None:
        text = text_of("rtf-mhtml-as-text/page.mhtml")
        assert text.startswith("The harbour council bought the bridge in 1994")
        assert "=" not in text

    @pytest.mark.extra_docs
    def test_rich_text_is_read(self) -> None:
        assert text_of("rtf-mhtml-as-text/memo.rtf").startswith("The harbour council bought the bridge in 1994")


def test_control_characters_are_left_out() -> None:
    text = text_of("terminal-escapes/esc.txt")
    assert all(character.isprintable() or character in "\n\t" for character in text)
    assert "[31m" not in text
