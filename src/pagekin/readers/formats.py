"""Which format a file has: by its name, else by its first bytes."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import closing
from pathlib import PurePosixPath

from pagekin.errors import InputError
from pagekin.readers.frames import READERS
from pagekin.readers.source import BOM, SNIFF, StoredFile, codec_of, open_source
from pagekin.readers.wacz import is_archive_name
from pagekin.readers.zips import open_zip

COMPRESSED = (".gz", ".zst", ".zstd", ".lz4")
MANIFESTS = ("manifest.jsonl", "manifest.csv")  # in the root of a folder of HTML files
HTML_SUFFIXES = (".html", ".htm", ".xhtml")
_FORMATS = {
    ".arc": "arc",
    ".cdx": "cdx",
    ".cdxj": "cdx",
    ".warc": "warc",
    ".wet": "wet",
    ".wacz": "wacz",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".zip": "zip",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
_COMPRESSIBLE = ("arc", "cdx", "warc", "wet", "jsonl", "html")
_CDX = re.compile(rb" CDX (?:\S )*\S\s|\S+ \d{4,17} \{")
READABLE = "WARC, WET, WACZ, ARC, HTML, zip of HTML, JSONL, Parquet or a CDX index"


def format_by_name(path: str) -> str | None:
    """The format that a file's name tells, or None."""
    name = PurePosixPath(path.lower())
    if name.suffix in COMPRESSED:
        inner = _FORMATS.get(PurePosixPath(name.stem).suffix)
        return inner if inner in _COMPRESSIBLE else None
    return _FORMATS.get(name.suffix)


def format_of(path: str) -> str:
    """The format of a file: by its name, else by its first bytes."""
    found = format_by_name(path)
    if found is not None and found != "zip":
        return found
    with closing(open_source(path)) as stored:
        if found == "zip":
            return _zip_format(stored) or "zip"
        return format_of_content(stored, path)


def format_of_content(stored: StoredFile, path: str) -> str:
    """The format that a stream's first bytes tell. The stream is left at its beginning."""
    start = stored.read(SNIFF)
    stored.seek(0)
    if not start:
        raise InputError(f"{path}: the file is empty; check that its crawl or download has ended")
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith(b"PK") and stored.seekable():
        return _zip_format(stored) or "zip"
    codec = codec_of(start, path)
    inner = _inner_start(codec, start) if codec else start
    if _CDX.match(inner):
        return "cdx"
    inner = inner.removeprefix(BOM).lstrip()
    if inner.startswith(b"WARC/"):
        return "warc"
    if inner.startswith(b"filedesc://"):
        return "arc"
    if inner.startswith(b"{"):
        return "jsonl"
    raise InputError(f"{path}: not a format that pagekin reads; give {READABLE}")


def _inner_start(codec: str, start: bytes) -> bytes:
    try:
        begin: bytes = READERS[codec](io.BytesIO(start)).read(64)
    except OSError:
        return b""
    return begin


def _zip_format(stored: StoredFile) -> str | None:
    try:
        with open_zip(stored) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return None  # said when it is read
    finally:
        stored.seek(0)
    return "wacz" if any(map(is_archive_name, names)) else "zip"
