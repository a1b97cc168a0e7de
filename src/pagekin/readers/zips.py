"""Zip files whose members are trusted as far as they lie side by side."""

from __future__ import annotations

import zipfile
from typing import Any

from pagekin.readers.base import message

_LOCAL_HEADER = 30
_ANY_DIRECTORY = 16 << 20


class _Directory:
    """A zip file of which no piece over `limit` bytes is read. Python reads the directory in one piece."""

    def __init__(self, file: Any, limit: int) -> None:
        self._file = file
        self.limit: int | None = limit

    def read(self, size: int = -1) -> Any:
        if self.limit is not None and size > self.limit:
            raise zipfile.BadZipFile(
                f"the directory has more than {self.limit} bytes; divide the zip, or give more --memory"
            )
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def open_zip(file: Any, max_page_bytes: int = 0) -> zipfile.ZipFile:
    """A zip's directory. Whatever Python stumbles over in a damaged one, it is a damaged zip.

    The directory takes 13 times its size in memory, so large ones need room for large pages.
    """
    directory = _Directory(file, _ANY_DIRECTORY + 2 * max_page_bytes)
    try:
        archive = zipfile.ZipFile(directory)
    except OSError:
        raise
    except Exception as error:
        raise zipfile.BadZipFile(message(error)) from error
    directory.limit = None
    return archive


def overlapping(archive: zipfile.ZipFile) -> frozenset[int]:
    """The `header_offset` of members that reach into the next one, or into the directory behind them all.

    A million members that share the same bytes unpack to a million times their size. Side by side, a zip
    cannot hold more than its own size of compressed data.
    """
    found = set()
    end = archive.start_dir
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset, reverse=True):
        if info.header_offset + _LOCAL_HEADER + info.compress_size > end:
            found.add(info.header_offset)
        end = info.header_offset
    return frozenset(found)


def check(info: zipfile.ZipInfo, shared: frozenset[int]) -> zipfile.ZipInfo:
    """The same member, or an error if it overlaps another one, or may take any amount of memory."""
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        # An LZMA decoder takes up to 4 GB, and Python unpacks 4 KB of others at once, which may be as much.
        raise zipfile.BadZipFile(
            f"it is packed by method {info.compress_type}, which may take gigabytes of memory; "
            "pack it with deflate"
        )
    if info.header_offset in shared:
        raise zipfile.BadZipFile("the member shares its bytes with another one")
    return info
