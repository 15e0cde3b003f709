"""Keys and passwords, kept out of everything that leaves the process: messages, logs and files."""

import json
import os
import re

HIDDEN = "***"
SHORTEST = 8  # characters; what is shorter is no secret, but a word
_NAMES = re.compile(r"(?:_|^)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$", re.IGNORECASE)
_PASSWORD = re.compile(r"(?<=://)[^/\s@\"']{1,200}@")
_PARAMETER = re.compile(
    r"(?<=[?&])((?:api[_-]?)?key|(?:access_?)?token|secret|password)=[^&\s\"']{1,500}", re.IGNORECASE
)
_USUAL_KEYS = re.compile(r"\b(?:sk-|gsk_|xai-|hf_|AIza)[A-Za-z0-9_-]{16,200}")


def redacted(text: str) -> str:
    """The text without the keys in the environment, keys in their usual forms, and passwords in addresses."""
    for secret in _secrets():
        if secret in text:
            text = text.replace(secret, HIDDEN)
    text = _PASSWORD.sub(f"{HIDDEN}@", text) if "@" in text else text
    text = _PARAMETER.sub(rf"\1={HIDDEN}", text)
    return _USUAL_KEYS.sub(HIDDEN, text)


def _secrets() -> list[str]:
    """The values of variables that are called like secrets, longest first, and as they look in JSON."""
    values = {value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= SHORTEST}
    return sorted({*values, *(json.dumps(value)[1:-1] for value in values)}, key=len, reverse=True)


__all__ = ["redacted"]
