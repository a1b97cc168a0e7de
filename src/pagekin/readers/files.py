"""Folders and globs, local and remote, behind a few questions."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pagekin.readers.base import message
from pagekin.readers.source import UnreadableError, fsspec, is_remote


def byte_order(path: str) -> bytes:
    """Sort key: inputs and files come in the byte order of their paths, whatever the locale."""
    return path.encode("utf-8", "surrogateescape")


def kind(path: str) -> str | None:
    """What a path is: "file", "folder", "stream" (a pipe or device), or None if there is nothing."""
    if not is_remote(path):
        here = Path(path)
        if here.is_dir():
            return "folder"
        if here.is_file():
            return "file"
        return "stream" if here.exists() else None
    system, name = _remote(path)
    try:
        if system.isdir(name):
            return "folder"
        return "file" if system.exists(name) else None
    except Exception as error:
        raise UnreadableError(message(error)) from error


def folder_files(folder: str) -> list[str]:
    """All files below a folder, relative to it, in byte order."""
    if not is_remote(folder):
        return sorted(_walk(folder, "", set()), key=byte_order)
    system, name = _remote(folder)
    root = name.rstrip("/") + "/"
    try:
        found = [path for path in system.find(name) if path.startswith(root)]
    except Exception as error:
        raise UnreadableError(message(error)) from error
    return sorted((path[len(root) :] for path in found), key=byte_order)


def glob_paths(pattern: str) -> list[str]:
    """What a pattern stands for, in byte order."""
    if not is_remote(pattern):
        # Not Path.glob: the pattern may be absolute, and is to be given back as it was written.
        return sorted(glob.glob(pattern, recursive=True), key=byte_order)  # noqa: PTH207
    system, name = _remote(pattern)
    try:
        return sorted((str(system.unstrip_protocol(path)) for path in system.glob(name)), key=byte_order)
    except Exception as error:
        raise UnreadableError(message(error)) from error


def _walk(folder: str, prefix: str, above: set[tuple[int, int]]) -> Iterator[str]:
    """Follows links to folders, but not in circles."""
    status = Path(folder).stat()
    identity = (status.st_dev, status.st_ino)
    if identity in above:
        return
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _walk(entry.path, f"{prefix}{entry.name}/", above | {identity})
            elif entry.is_file():
                yield prefix + entry.name


def _remote(path: str) -> tuple[Any, str]:
    module = fsspec()
    try:
        system, name = module.core.url_to_fs(path)
    except Exception as error:
        raise UnreadableError(message(error)) from error
    return system, str(name)
