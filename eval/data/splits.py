"""The names that data sets give to their splits."""

SPLITS = {"train": ("train",), "dev": ("dev", "validation", "val", "valid"), "test": ("test",)}

_CANONICAL = {alias: name for name, aliases in SPLITS.items() for alias in aliases}


def canonical_split(name: str) -> str:
    """`dev` for validation, val and valid; any other name as it is."""
    return _CANONICAL.get(name.lower(), name)


def split_aliases(name: str) -> tuple[str, ...]:
    """Every name under which a data set may hold this split."""
    return SPLITS.get(canonical_split(name), (name,))


__all__ = ["SPLITS", "canonical_split", "split_aliases"]
