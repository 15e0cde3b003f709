"""Rendering a page out of a template, so that it works from the disk and reaches for nothing outside itself.

Whatever a model, a document or a file name says is escaped by Jinja; control characters become visible signs; the
content security policy of the page lets no other script run and no request leave.
"""

import base64
import hashlib
import io
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from summq.programs.text.words import count_words

SHARED = "summq.programs.pages"
CONTROLS = {
    **{code: chr(0x2400 + code) for code in range(32) if chr(code) not in "\t\n\r"},
    0x7F: "␡",
    0x202D: "[LRO]",
    0x202E: "[RLO]",
    **dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000)], "�"),
}
"""Characters that a browser swallows, a terminal obeys, or that turn the order of letters; what is shown instead."""
IN_SCRIPT = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def render(package: str, template: str, script: str = "", data: object = None, **values: Any) -> str:
    """A page out of a template that extends `base.html.jinja`.

    Args:
        package: Where the template and the script lie, for instance `summq.programs.runs`.
        script: The file of the page's own JavaScript, if it has any; it finds `data` by `readData()`.
        data: JSON values for the script.
        values: What the template shows.
    """
    scripts = [_file(SHARED, "page.js"), *([_file(package, script)] if script else [])]
    code = "\n".join(scripts)
    return (
        _environment(package)
        .get_template(template)
        .render(
            values,
            style=Markup(_file(SHARED, "page.css")),
            script=Markup(code),
            script_hash=_hash(code),
            data=Markup(as_data(data)),
        )
    )


def as_data(value: object) -> str:
    """JSON that can stand inside `<script type="application/json">` whatever its texts contain."""
    return json.dumps(visible(value), ensure_ascii=False).translate(IN_SCRIPT)


def visible(value: Any) -> Any:
    """A text, or all texts in lists and dicts, with control characters as visible signs; anything else as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return value.translate(CONTROLS)
    if isinstance(value, dict):
        return {visible(key): visible(held) for key, held in value.items()}
    return [visible(held) for held in value] if isinstance(value, list) else value


@cache
def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package, ""), PackageLoader(SHARED, "")]),
        autoescape=True,
        finalize=visible,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["count_words"] = count_words
    return environment


def _file(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text("utf-8")


def _hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


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


__all__ = ["as_data", "picture", "render", "visible"]
