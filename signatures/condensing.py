"""Length-controlled rewriting (COMBO_R) and the digest of documents beyond the window (DESIGN 5.7)."""

import dspy


class RewriteToLength(dspy.Signature):
    """Rewrite the summary to the wanted length.

    Keep what matters most and what the figures, names and dates are; drop what matters least; add nothing. Write
    connected prose.
    """

    summary: str = dspy.InputField(desc="the summary to rewrite")
    target_words: int = dspy.InputField(desc="wanted length in words, to be kept within 10 percent")
    rewritten: str = dspy.OutputField(desc="the summary at the wanted length")


class DigestPassage(dspy.Signature):
    """Take notes of one passage of a long document for somebody who will summarise the whole from notes alone.

    Keep who did what, why, with what result, and all figures, names and dates that carry the argument, in the order of
    the passage. State only what the passage says, and keep to the wanted length.
    """

    passage: str = dspy.InputField(desc="a passage of the document, or notes of several passages")
    position: str = dspy.InputField(desc="which passage of how many")
    target_words: int = dspy.InputField(desc="length of the notes in words")
    notes: str = dspy.OutputField(desc="the notes")


__all__ = ["DigestPassage", "RewriteToLength"]
