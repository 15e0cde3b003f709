"""Documents as people have them, read into plain text: one file for each format, and a table of them in `formats`."""

from summq.programs.documents.load import (
    Loaded,
    as_document,
    files_in,
    folders_in,
    id_of,
    load_document,
    read_document,
    read_documents,
)

__all__ = [
    "Loaded",
    "as_document",
    "files_in",
    "folders_in",
    "id_of",
    "load_document",
    "read_document",
    "read_documents",
]
