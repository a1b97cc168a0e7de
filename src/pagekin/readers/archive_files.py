"""The files that an index names: below one folder or URL, and nowhere else."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pagekin.readers.base import message
from pagekin.readers.source import StoredFile, UnreadableError, fsspec, is_remote, open_file

_MANY = 64
"""Ranges that are asked for at once; the file system may fetch them at the same time."""


class OutsideError(Exception):
    """An index names a file that is not below the base, or leads out of it."""


_TIMES = 8
"""How often an index may have the bytes of a file read."""
_SPENT_BEFORE = 64 << 20
"""Bytes that may be read of any file besides."""
_ANY_RECORD = 512 << 10
"""What buffers read ahead where the length of a record is not known."""


class ArchiveFiles:
    """Files below `base`. What an index says must not make us read anything else, here or on the network.

    Nor may a short index cost more than the files it names: lines that all name one large record, or an
    offset from which a record must be searched for, would.
    """

    def __init__(self, base: str, follow_links: bool = False) -> None:
        self._base = base.rstrip("/") if base.strip("/") else base
        self._remote = is_remote(base)
        self._root = None if self._remote or follow_links else os.path.realpath(self._base)
        self._sizes: dict[str, int] = {}
        self._spent: dict[str, int] = {}

    def path(self, name: str) -> str:
        """Where a file is, by its name in the index: relative to the base, or beginning with it.

        Raises:
            OutsideError: it is somewhere else.
        """
        root = f"{self._base}/" if self._base and not self._base.endswith("/") else self._base
        inner = name.removeprefix(root) if root else name
        if is_remote(inner) or inner.startswith("/") or "::" in inner or "\0" in inner:
            raise OutsideError
        if not inner or any(part in ("", ".", "..") for part in inner.split("/")):
            raise OutsideError
        if self._root is not None:
            target = os.path.realpath(root + inner)
            if os.path.commonpath([self._root, target]) != self._root:
                raise OutsideError("leads out of the folder; --follow-links reads it")
        return root + inner

    def may_read(self, path: str, offset: int, length: int) -> bool:
        """Whether so many bytes of a file may still be read; they count as read."""
        size = 0 if self._remote else self._size(path)
        if size:  # else it is not there, or elsewhere, and costs what the network gives
            self._spent[path] = self._spent.get(path, 0) + max(0, min(length, size - offset))
        return self._spent.get(path, 0) <= _SPENT_BEFORE + _TIMES * size

    def was_read(self, path: str, count: int) -> None:
        """So many bytes were read to find a record's end. What any record costs is not counted."""
        if path in self._spent:
            self._spent[path] += max(0, count - _ANY_RECORD)

    def _size(self, path: str) -> int:
        if path not in self._sizes:
            try:
                status = Path(path).stat()
            except OSError:
                return 0
            self._sizes[path] = status.st_size if stat.S_ISREG(status.st_mode) else 0
        return self._sizes[path]

    def ranges(self, wanted: Sequence[tuple[str, int, int]]) -> list[bytes | OSError]:
        """The bytes of parts of files (path, offset, length), in order, or why they cannot be had."""
        if not self._remote:
            return [_local_range(*part) for part in wanted]
        found: list[bytes | OSError] = []
        for start in range(0, len(wanted), _MANY):
            found += self._remote_ranges(wanted[start : start + _MANY])
        return found

    def _remote_ranges(self, wanted: Sequence[tuple[str, int, int]]) -> list[bytes | OSError]:
        module = fsspec()
        starts = [offset for _, offset, _ in wanted]
        ends = [offset + length for _, offset, length in wanted]
        try:
            system, _ = module.core.url_to_fs(self._base)
            paths = [system._strip_protocol(path) for path, _, _ in wanted]
            found: list[Any] = system.cat_ranges(paths, starts, ends, on_error="return")
        except Exception as error:
            return [UnreadableError(message(error))] * len(wanted)
        return [_checked(data, length) for data, (_, _, length) in zip(found, wanted, strict=True)]


class CountedSource(StoredFile):
    """A stored file that counts the bytes that are read of it."""

    count = 0

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; none at the end."""
        data = super().read(size)
        self.count += len(data)
        return data


def open_counted(path: str) -> CountedSource:
    """A file that can seek, local or remote."""
    if not is_remote(path) and not Path(path).is_file() and Path(path).exists():
        raise UnreadableError("not a file")
    return CountedSource(open_file(path))


def _local_range(path: str, offset: int, length: int) -> bytes | OSError:
    try:
        with open_counted(path) as file:
            file.seek(offset)
            return file.read(length)
    except OSError as error:
        return error


def _checked(data: object, length: int) -> bytes | OSError:
    if isinstance(data, Exception):
        return UnreadableError(message(data))
    if not isinstance(data, bytes) or len(data) > length:
        return UnreadableError("the server does not send parts of files")
    return data
