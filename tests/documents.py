"""Documents that several tests read."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

HARBOUR = Path(__file__).resolve().parents[1] / "examples" / "harbour.md"
ENCRYPTED = f"/Encrypt<</Filter/Standard/V 1/R 2/O<{'41' * 32}>/U<{'42' * 32}>/P -4>>/ID[<31><31>]"
"""What the trailer of an encrypted pdf holds."""


def saved(folder: Path, name: str, content: bytes | str) -> Path:
    """The file with this content, written."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def zipped(parts: Mapping[str, str]) -> bytes:
    """A zip package of these parts."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return buffer.getvalue()


def pdf(text: str, trailer: str = "") -> bytes:
    """A one-page pdf."""
    stream = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET" if text else ""
    font = "<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources{font}>>",
        f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream",
    ]
    out, offsets = "%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    xref = (
        f"xref\n0 5\n0000000000 65535 f \n{table}trailer<</Root 1 0 R/Size 5{trailer}>>\nstartxref\n{len(out)}\n%%EOF"
    )
    return (out + xref).encode()
