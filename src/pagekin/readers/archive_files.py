"""The files that an index names: below one folder or URL, and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pagekin.readers.base import message
from pagekin.readers.source import UnreadableError, fsspec, is_remote, open_source

_MANY = 64
"""Ranges that are asked for at once; the file system may fetch them at the same time."""


class OutsideError(Exception):
    """An index names a file that is not below the base."""


class ArchiveFiles:
    """Files below `base`. What an index says must not make us read anything else, here or on the network."""

    def __init__(self, base: str) -> None:
        self._base = base.rstrip("/") if base.strip("/") else base
        self._remote = is_remote(base)

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
        return root + inner

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


def _local_range(path: str, offset: int, length: int) -> bytes | OSError:
    try:
        with open_source(path) as file:
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
