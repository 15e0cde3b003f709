"""Stretches and blocks are the text, and marks stand where they belong."""

from summq.programs.pages.highlights import BLOCK, blocks, stretches


def test_marks_that_overlap_share_a_stretch() -> None:
    cut = stretches("abcdefgh", {1: slice(1, 5), 2: slice(3, 7)})
    assert [(s.text, s.numbers) for s in cut] == [("a", ()), ("bc", (1,)), ("de", (1, 2)), ("fg", (2,)), ("h", ())]


def test_blocks_are_the_text_and_end_at_lines() -> None:
    text = "".join(f"line {n} of a long document\n" for n in range(2000))
    cut = blocks(text, {7: slice(BLOCK - 20, BLOCK + 200)})
    assert "".join(s.text for block in cut for s in block) == text
    assert all("".join(s.text for s in block).endswith("\n") for block in cut)
    marked = "".join(s.text for block in cut for s in block if s.numbers == (7,))
    assert marked == text[BLOCK - 20 : BLOCK + 200]


def test_a_line_without_end_is_cut_all_the_same() -> None:
    cut = blocks("x" * (5 * BLOCK), {})
    assert len(cut) == 3
    assert all(len(block[0].text) <= 2 * BLOCK for block in cut)


def test_headings_and_emphasis_look_so_and_their_signs_are_told_apart() -> None:
    text = "## The *Isolde*\n\nShe sank in _minutes_, **not** 2 * 3 * 4 hours.\n\nThe end\n-------"
    cut = stretches(text, {1: slice(3, 30)})
    assert "".join(s.text for s in cut) == text
    assert "".join(s.text for s in cut if "sign" not in s.looks.split()) == (
        "The Isolde\n\nShe sank in minutes, not 2 * 3 * 4 hours.\n\nThe end"
    )
    assert {s.text: s.looks for s in cut if s.looks and "sign" not in s.looks} == {
        "The ": "heading",
        "Isolde": "heading emphasis",
        "minutes": "emphasis",
        "not": "strong",
        "The end": "heading",
    }
