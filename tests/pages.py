"""What every page has to be, for tests of pages."""

import base64
import hashlib
import re

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&<!--\u202eevil\u2028\x1b[31m\x00"
ESCAPED = {"<": "&lt;", ">": "&gt;", "\x1b": "␛", "\x00": "␀", "\u202e": "[RLO]"}
SHOWN = "".join(ESCAPED.get(letter, letter) for letter in HOSTILE.replace("&", "&amp;"))


def require_self_contained(page: str) -> None:
    """Fail unless a page names no address outside, and allows exactly the script that it holds."""
    assert not re.findall(r"""<[^>]*\s(?:src|href)\s*=\s*["'](?!#|data:)""", page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (allowed,) = re.findall(r"script-src '([^']+)'", page)
    assert allowed == "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert "\x1b" not in page
