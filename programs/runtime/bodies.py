"""What servers answer, made fit to read before a client library sees it.

Client libraries trip over what servers send under load or by mistake: a page of HTML with status 200, bytes that are no
text, half a character, counts of tokens that are no counts. What can be repaired is; anything else becomes an error in
the form that all libraries know, with a status that says whether it is worth trying again.
"""

import json
import re
from http import HTTPStatus
from typing import Any

LARGEST = 4_000_000
"""Bytes of a reply; the longest that any model writes is a quarter of that."""

BAD_GATEWAY = 502
REDIRECTED = "the server redirects to"
REPLY_KEYS = ("choices", "content", "candidates", "output", "message", "error")
USAGE_KEYS = ("usage", "usageMetadata")
TEXT_KEYS = ("id", "model", "object", "type", "role", "stop_reason", "modelVersion", "responseId", "system_fingerprint")


def checked(status: int, body: bytes, location: str | None = None) -> tuple[int, bytes]:
    """Status and body as a client library can read them.

    Args:
        location: Where a redirect leads. None is followed: the key would go there as well.
    """
    if 300 <= status < 400:
        return 400, _error(f"{REDIRECTED} {location or 'another address'}: name that address instead")
    if status >= 400:
        return status, _readable_error(status, body)
    fault, value = _read(body)
    if fault:
        return BAD_GATEWAY, _error(f"the server answered with {fault} instead of a reply")
    for key in USAGE_KEYS:
        if key in value:
            value[key] = _counts(value[key]) or None
    for key in TEXT_KEYS:  # nothing depends on these, but client libraries trip over them
        if not isinstance(value.get(key, ""), str):
            del value[key]
    return status, json.dumps(whole(value)).encode()


def whole(value: Any) -> Any:
    """The value with halves of characters replaced, which JSON can hold and no file can (U+FFFD stands for them)."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    return [whole(item) for item in value] if isinstance(value, list) else value


def _read(body: bytes) -> tuple[str, dict[str, Any]]:
    """What is wrong with the body of a reply, empty if nothing is, and what it holds."""
    if len(body) > LARGEST:
        return f"more than {LARGEST // 1_000_000} MB", {}
    try:
        text = body.decode("utf-8").strip()
        value = json.loads(text) if text else None
    except UnicodeDecodeError:
        return "bytes that are no text", {}
    except (ValueError, RecursionError):
        return _sort(body), {}
    if not text:
        return "nothing", {}
    if not isinstance(value, dict) or not any(key in value for key in REPLY_KEYS):
        return "JSON that holds no reply", {}
    choices = value.get("choices") or []
    if not isinstance(choices, list) or not all(map(_is_choice, choices)):
        return "JSON in another form", {}
    return "", value


def _is_choice(choice: Any) -> bool:
    """Whether it holds a message as chat completions do."""
    message = choice.get("message") if isinstance(choice, dict) else None
    return isinstance(message, dict) and isinstance(message.get("content") or "", (str, list))


def _sort(body: bytes) -> str:
    return "a page of HTML" if re.match(rb"\s*<(?:!doctype|html|\?xml)", body, re.IGNORECASE) else "broken JSON"


def _counts(usage: Any) -> Any:
    """Counts of tokens as whole numbers; what is no count is left out."""
    if isinstance(usage, dict):
        counted = {key: _counts(value) for key, value in usage.items()}
        return {key: value for key, value in counted.items() if value is not None} or None
    if isinstance(usage, str) and usage.isdecimal() and len(usage) < 12:
        usage = int(usage)
    if isinstance(usage, bool) or not isinstance(usage, (int, float)):
        return None
    return int(usage) if 0 <= usage < 1e12 else None


def _readable_error(status: int, body: bytes) -> bytes:
    try:
        content = json.loads(body.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, list) and content:  # Gemini's
        content = content[0]
    if not isinstance(content, dict):
        return _error(_status_line(status, body))
    detail = content.get("error")
    if isinstance(detail, dict) and isinstance(detail.get("message"), str) and detail["message"]:
        return json.dumps(whole(content)).encode()
    message = _error_text(content)
    code = content.get("code") if isinstance(content.get("code"), str) else content.get("error_type")
    return _error(message or _status_line(status, b""), code if isinstance(code, str) else None)


def words_of(text: str) -> str:
    """What an error says that holds a body in JSON; any other text as it is."""
    try:
        content, _ = json.JSONDecoder().raw_decode(text, text.index("{"))
    except (ValueError, RecursionError):
        return text
    return (_error_text(content) if isinstance(content, dict) else "") or text


def _error_text(content: dict[str, Any]) -> str:
    return next((text for key in ("error", "message", "detail", "errors") if (text := _text_in(content.get(key)))), "")


def _text_in(value: Any) -> str:
    """The words in a value of an error."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(filter(None, map(_text_in, value)))
    if isinstance(value, dict):
        return next((text for key in ("message", "msg", "detail") if (text := _text_in(value.get(key)))), "")
    return ""


def _status_line(status: int, body: bytes) -> str:
    """For an error that says nothing in JSON: its status, and the title of its page or its first words."""
    known = status in HTTPStatus._value2member_map_
    line = f"status {status}" + (f", {HTTPStatus(status).phrase}" if known else "")
    text = body[:20_000].decode("utf-8", "replace")
    title = re.search(r"<title>([^<]{1,100})", text, re.IGNORECASE)
    words = title[1] if title else "" if _sort(body) == "a page of HTML" else text[:100]
    return f"{line}: {' '.join(words.split())}" if words.strip() else line


def _error(message: str, code: str | None = None) -> bytes:
    kind = code or "server_error"
    error = {"message": whole(message), "code": code, "type": kind}
    return json.dumps({"type": "error", "error": error}).encode()


__all__ = ["LARGEST", "REDIRECTED", "checked", "whole", "words_of"]
