"""Zip packages (docx, odt, epub) within bounds: a small file may unpack to a large one."""

import io
import zipfile
from posixpath import join, normpath
from urllib.parse import unquote

from lxml import etree

from summq.programs.errors import DocumentError

LARGEST_PART = 16_000_000  # bytes of one part, unpacked: the XML of a million words, half a minute to read
LARGEST_WHOLE = 2 * LARGEST_PART  # of all parts that are read
LARGEST_RATIO = 250  # unpacked to packed: XML of text has up to 100
SMALL = 1_000_000  # bytes that may have any ratio


class Archive:
    """The parts of a zip package by name. Raises DocumentError when a part is too large, damaged or encrypted."""

    def __init__(self, data: bytes, what: str) -> None:
        self.what = what
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise self.damage_error() from error
        self.names = frozenset(self._zip.namelist())

    def read(self, name: str) -> bytes:
        """The bytes of a part."""
        if name not in self.names:
            raise DocumentError(f"{self.what}, but lacks its part {name}: it can't be converted to text")
        info = self._zip.getinfo(name)
        if info.flag_bits & 1:
            raise DocumentError(f"{self.what} with a password; save a copy without it")
        self._unpacked += info.file_size
        largest = LARGEST_PART if info.file_size > LARGEST_PART else LARGEST_WHOLE
        if info.file_size > LARGEST_PART or self._unpacked > LARGEST_WHOLE:
            raise DocumentError(f"{self.what} that unpacks to more than {largest // 1_000_000} MB of text; divide it")
        if info.file_size > max(SMALL, LARGEST_RATIO * info.compress_size):
            raise DocumentError(f"{self.what} that unpacks to more than {LARGEST_RATIO} times its size; save it anew")
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise self.damage_error() from error
        except zipfile.zlib.error as error:  # type: ignore[attr-defined]
            raise self.damage_error() from error

    def xml(self, name: str) -> etree._Element:
        """A part as an XML tree; entities are not resolved."""
        parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
        try:
            return etree.fromstring(self.read(name), parser)
        except etree.XMLSyntaxError as error:
            raise self.damage_error() from error

    def damage_error(self) -> DocumentError:
        """The error for a package that is not what it should be."""
        return DocumentError(f"{self.what}, but damaged: it can't be converted to text")


def local_name(element: etree._Element) -> str:
    """The tag without its namespace; empty for comments and instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: etree._Element, name: str) -> str:
    """An attribute, whatever its namespace; "" where the element has none of that name."""
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("}" + name)), "")


def resolve(folder: str, reference: str) -> str:
    """The part that a URI reference in a part of `folder` names: without fragment, percent-decoded."""
    path = unquote(reference.partition("#")[0].partition("?")[0])
    return normpath(join(folder, path)).lstrip("/")


def has_part(data: bytes, *names: str) -> bool:
    """Whether `data` is a zip package that holds one of the named parts."""
    if not data.startswith(b"PK\x03\x04"):
        return False
    try:
        return not set(names).isdisjoint(zipfile.ZipFile(io.BytesIO(data)).namelist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


__all__ = ["Archive", "attribute", "has_part", "local_name", "resolve"]
