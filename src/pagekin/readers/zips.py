"""Zip files whose members are trusted as far as they lie side by side."""

from __future__ import annotations

import zipfile
from typing import Any

from pagekin.readers.base import message

_LOCAL_HEADER = 30


def open_zip(file: Any) -> zipfile.ZipFile:
    """A zip's directory. Whatever Python stumbles over in a damaged one, it is a damaged zip."""
    try:
        return zipfile.ZipFile(file)
    except OSError:
        raise
    except Exception as error:
        raise zipfile.BadZipFile(message(error)) from error


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
    """The same member, or an error if it overlaps another one."""
    if info.header_offset in shared:
        raise zipfile.BadZipFile("the member shares its bytes with another one")
    return info
