"""Documents of any length for the benchmarks: the invented chronicle of a river town, full of names, numbers and dates.

The same seed gives the same text, another seed another one; nothing outside the project is needed.
"""

import random

from prefix_cache import count_tokens

_SEPARATOR = "\n\n"
_GIVEN = ("Anselm", "Berta", "Casimir", "Dorothea", "Edwin", "Frieda", "Gregor", "Hedwig", "Ivo", "Judith", "Konrad")
_FAMILY = ("Ashworth", "Brandt", "Corvin", "Dahl", "Esterly", "Falk", "Grauer", "Holm", "Irving", "Kessel", "Lorne")
_OFFICE = ("ferrymaster", "town clerk", "surveyor", "harbour warden", "schoolteacher", "miller", "bell founder")
_PLACE = ("Osier Quay", "the Lower Mill", "Saltgate", "the Weighing House", "Heron Bridge", "the Old Lock")
_GOODS = ("barrels of salt", "sacks of rye", "crates of glass", "bolts of linen", "tons of slate", "casks of tar")
_MONTH = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November")
_EVENT = (
    "the river rose {number} inches above the mark and flooded {place}",
    "a fire destroyed {number} houses near {place}",
    "{number} families left the town after the harvest failed",
    "the council sold {place} to {person} for {number} crowns",
    "{person} was elected {office} with {number} votes",
    "a barge carrying {number} {goods} sank below {place}",
    "{person} opened a school at {place} with {number} pupils",
    "the toll at {place} was raised to {number} pence",
)
_SEQUEL = (
    "The {office}, {person}, wrote that nobody in the town had expected it.",
    "Because the accounts had been lost, {person} paid the {number} workers out of pocket.",
    "It took {number} days before {place} could be used again.",
    "{person} blamed the {office}, who denied it before the council.",
    "The loss was put at {number} crowns, of which the guild returned a third.",
    "From then on {number} {goods} were kept at {place} in case of need.",
    "Only {person} objected, and the letter survives in the archive.",
    "Later writers have doubted the story, but the register at {place} confirms it.",
)


def chronicle(tokens: int, *, seed: int = 0) -> str:
    """A chronicle of at least `tokens` tokens, in chapters of ten paragraphs; seeded."""
    source = random.Random(seed)
    parts = [f"# The Chronicle of {source.choice(_FAMILY)}ford"]
    length, year = count_tokens(parts[0]), 1700
    while length < tokens:
        if len(parts) % 11 == 1:
            parts.append(f"## Chapter {len(parts) // 11 + 1}: {source.choice(_PLACE)}")
        parts.append(_paragraph(source, year))
        length += count_tokens(parts[-1] + _SEPARATOR)
        year += source.randrange(2)
    return _SEPARATOR.join(parts)


def _paragraph(source: random.Random, year: int) -> str:
    event = _fill(source, source.choice(_EVENT))
    date = f"{source.randrange(1, 29)} {source.choice(_MONTH)} {year}"
    sequels = [_fill(source, template) for template in source.sample(_SEQUEL, source.randrange(2, 5))]
    return " ".join((f"On {date} {event}.", *sequels))


def _fill(source: random.Random, template: str) -> str:
    return template.format(
        number=source.randrange(12, 980),
        person=f"{source.choice(_GIVEN)} {source.choice(_FAMILY)}",
        office=source.choice(_OFFICE),
        place=source.choice(_PLACE),
        goods=source.choice(_GOODS),
    )


__all__ = ["chronicle"]
