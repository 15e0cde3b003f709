"""Figures of matplotlib inside a page: SVG with text as text, in the reader's light or dark scheme."""

import base64
import io
import re
from typing import Any

THEME = (
    "<style>svg{color:#1c1b1a}@media (prefers-color-scheme:dark){svg{color:#e9e6e0}}text{fill:currentColor}"
    "text[style*='#1a1a1a']{fill:#1a1a1a!important}</style>"
)
"""What is drawn in black takes the colour of text; the dark grey on coloured dots stays."""


def picture(figure: Any) -> str:
    """The figure as the address of an image: `data:image/svg+xml;base64,...`."""
    import matplotlib

    file = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "summq"}):
        figure.savefig(file, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    svg = file.getvalue()
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = svg.replace("#000000", "currentColor").replace(">", f">{THEME}", 1)
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


__all__ = ["picture"]
