"""The command `summq doctor`."""


def doctor() -> None:
    """Show what is installed, which backbones answer, what is missing."""
