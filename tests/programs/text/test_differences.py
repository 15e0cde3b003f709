"""A word diff says what stayed and what took the place of what."""

from summq.programs.text.differences import word_diff

BEFORE = "The harbour was closed on Monday after the storm had passed over it. Two ships sank."
AFTER = "The harbour was opened on Friday after the storm had passed over it. Nobody was hurt."


def test_a_change_holds_what_went_and_what_came() -> None:
    pieces = word_diff(BEFORE, AFTER)
    assert [(p.removed.strip(), p.added.strip()) for p in pieces if p.changed] == [
        ("closed on Monday", "opened on Friday"),  # the one word between them is no island to stop at
        ("Two ships sank.", "Nobody was hurt."),
    ]


def test_the_pieces_make_up_both_texts() -> None:
    pieces = word_diff(BEFORE, AFTER)
    assert "".join(p.removed for p in pieces) == BEFORE
    assert "".join(p.added for p in pieces) == AFTER


def test_white_space_is_no_change() -> None:
    assert not any(piece.changed for piece in word_diff("one two\nthree", "one  two three"))


def test_what_is_inserted_before_a_word_leaves_the_word_alone() -> None:
    first, second = word_diff("Title of it all.", "Something quite new. Title of it all.")
    assert (first.removed, first.added.strip()) == ("", "Something quite new.")
    assert second.added == "Title of it all."


def test_nothing_differs_between_empty_texts() -> None:
    assert word_diff("", "") == []


def test_a_few_words_between_two_long_changes_are_part_of_one() -> None:
    one, other = (" ".join(f"{letter}{n}" for n in range(20)) for letter in "ab")
    (piece,) = word_diff(f"{one} the Census Bureau {one}", f"{other} the Census Bureau {other}")
    assert piece.changed
