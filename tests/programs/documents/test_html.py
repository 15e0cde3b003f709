"""Web pages: all of their text, none of their ornaments, in bounded time."""

import time

import pytest

from summq.programs.documents.converted import Source
from summq.programs.documents.html import convert, convert_page, is_page
from summq.programs.errors import DocumentError

PROSE = "<p>The harbour council bought the old bridge, and it was opened in May for carts and people.</p>"
MENU = "<ul><li><a href='a'>News</a></li><li><a href='b'>Sport</a></li><li><a href='c'>Weather</a></li></ul>"


def text_of(body: str) -> str:
    return convert_page(f"<html><body>{body}</body></html>", "page.html").text


@pytest.mark.parametrize(
    "ornament",
    [
        f"<nav>{MENU}</nav>",
        f"<div class='top'>{MENU}</div>",
        "<div id='cookie-banner'><p>We use cookies. By continuing you agree.</p></div>",
        "<div class='gdprConsent'>We value your privacy.</div>",
        "<div role='dialog'>Subscribe to our letters!</div>",
        "<footer><p>© 2024 Town News. All rights reserved.</p></footer>",
        "<header><a href='/'>Town News</a></header>",
        "<aside>Read this too.</aside>",
        "<div class='ad-slot'>Advertisement<br>Buy our boats.</div>",
        "<span class='mw-editsection'>[<a href='e'>edit</a>]</span>",
        "<sup class='noprint Inline-Template'>[<i><a href='c'>citation needed</a></i>]</sup>",
        "<a href='#ref-1'>↩</a>",
        "<form><label>Search</label><input></form>",
        "<p style='display: none'>Hidden.</p>",
        "<p hidden>Hidden.</p>",
        "<script>track()</script><style>p {}</style><noscript>Enable it.</noscript><!-- note -->",
    ],
)
def test_ornaments_are_left_out(ornament: str) -> None:
    expected = text_of(PROSE * 3)
    assert text_of(ornament + PROSE * 3) == expected
    assert text_of(PROSE * 3 + ornament) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<article><p>One.</p></article><article><p>Two.</p></article>", "One.\n\nTwo."),
        ("<main><p>One.</p></main><section><p>Two, longer than one.</p></section>", "One.\n\nTwo, longer than one."),
        (
            "<form><p>A page in a form, as some servers write it.</p></form>",
            "A page in a form, as some servers write it.",
        ),
        ("<div class='has-sidebar'><p>All of the page.</p></div>", "All of the page."),
        ("<h2>Head</h2><p>a<br>b</p>", "## Head\n\na\nb"),
        ("<ol><li>one</li><li>two<ul><li>in</li></ul></li></ol>", "1. one\n2. two\n  * in"),
        (
            "<table><tr><th>Year</th><th>Carts</th></tr><tr><td>1901</td><td>40</td></tr></table>",
            "Year | Carts\n1901 | 40",
        ),
        ("<pre>x = 1\n  y = 2</pre>", "x = 1\n  y = 2"),
        ("<p>bid_2024_v2 5 * 3 <b>bold</b> <a href='x'>link</a></p>", "bid_2024_v2 5 * 3 bold link"),
        ("<p>So it was.<sup><a href='#n1'>1</a></sup> Then more.</p>", "So it was. Then more."),
        ("<p>So it was.<a href='#n1'>1</a> See section <a href='#s2'>2</a>.</p>", "So it was. See section 2."),
        ("<p><a href='#ref1'>1</a>A note.</p><p><a href='#s1'>1</a> Part one.</p>", "A note.\n\n1 Part one."),
    ],
)
def test_text_is_kept_in_its_form(body: str, expected: str) -> None:
    assert text_of(body) == expected


def test_a_page_of_utf_8_that_declares_single_bytes_is_read_as_utf_8() -> None:
    page = "<html><head><meta charset='iso-8859-1'></head><body><p>Die Fähre sank – “gut”.</p></body></html>"
    assert convert(Source(page.encode(), "page.html")).text == "Die Fähre sank – “gut”."
    assert convert(Source(page.encode("cp1252"), "page.html")).text == "Die Fähre sank – “gut”."


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("iso-8859-1", "cp1252", "‘bridge’ – €40"),
        ("ascii", "cp1252", "café"),
        ("gb2312", "gb18030", "朱镕基"),
        ("shift_jis", "cp932", "①髙橋"),
        ("euc-kr", "cp949", "똠방각하"),
        ("koi8-r", "koi8-r", "Мост"),
        ("utf-16", "utf-8", "Мост"),
    ],
)
def test_encodings_are_those_of_browsers(label: str, codec: str, text: str) -> None:
    page = f"<html><head><meta charset='{label}'></head><body><p>{text}</p></body></html>"
    assert convert(Source(page.encode(codec), "page.html")).text == text


def test_a_page_is_known_by_its_beginning() -> None:
    assert is_page(Source(b"\xef\xbb\xbf <?xml version='1.0'?><!-- a --><!DOCTYPE html><p>", "page"))
    assert not is_page(Source(b"<!-- " * 50_000, "page"))
    assert not is_page(Source(b"The <html> element.", "page.txt"))


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 1_500 + PROSE,
        "<!--" * 50_000,
        "<" * 100_000,
        "<b>x</b>" * 5_000,
        "<table><tr><td>" * 400 + PROSE,
        "&" * 100_000,
    ],
    ids=["nested", "comments", "brackets", "wide", "tables", "entities"],
)
def test_hostile_pages_end_soon(page: str) -> None:
    started = time.process_time()
    convert_page(page, "page.html")
    assert time.process_time() - started < 3


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(DocumentError, match="is nested too deeply"):
        convert_page("<div>" * 50_000 + PROSE, "page.html")


def test_a_section_named_by_its_heading_is_no_ornament() -> None:
    section = '<section id="{}"><h3>4.1. {}<a href="#x">¶</a></h3><p>Costs are borne by both.</p></section>'
    for name, heading in (
        ("related-work", "Related work"),
        ("sharing-of-costs", "Sharing of Costs"),
        ("cookies", "Cookies"),
    ):
        page = f"<body><p>{'The pier stands. ' * 20}</p>{section.format(name, heading)}</body>"
        assert f"### 4.1. {heading}\n\nCosts are borne by both." in convert_page(page, "a.html").text


def test_the_number_of_a_note_is_left_out() -> None:
    for mark in ('<sup><a href="#n">1</a></sup>', '<a href="#n" class="footnote-ref"><sup>1</sup></a>'):
        assert convert_page(f"<p>The pier stands.{mark} It is old.</p>", "a.html").text == "The pier stands. It is old."


def test_a_part_with_the_name_of_an_ornament_is_left_out() -> None:
    for part in (
        '<div id="cookies"><h2>Cookies</h2><p>We use them.</p></div>',
        '<div id="share-bar"><h2>Tell</h2></div>',
    ):
        page = f"<body><p>{'The pier stands. ' * 20}</p>{part}</body>"
        assert convert_page(page, "a.html").text == "The pier stands. " * 19 + "The pier stands."
