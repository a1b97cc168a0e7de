"""Folders and globs, local and remote, behind a few questions."""

from __future__ import annotations

import glob
import os
from dataclasses import dataclass
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


@dataclass(frozen=True)
class FolderListing:
    """What is below a folder, relative to it, in byte order."""

    files: list[str]
    left_out: list[tuple[str, str, str]]
    """What is not read: path, reason, and one line on it."""


def folder_files(folder: str, follow_links: bool = False) -> FolderListing:
    """All files below a folder. Links that lead out of it are left out, unless `follow_links`."""
    if not is_remote(folder):
        walk = _Walk(folder, follow_links)
        return FolderListing(sorted(walk.files, key=byte_order), sorted(walk.left_out, key=_path_order))
    system, name = _remote(folder)
    root = name.rstrip("/") + "/"
    try:
        found = [path for path in system.find(name) if path.startswith(root)]
    except Exception as error:
        raise UnreadableError(message(error)) from error
    return FolderListing(sorted((path[len(root) :] for path in found), key=byte_order), [])


def _path_order(left_out: tuple[str, str, str]) -> bytes:
    return byte_order(left_out[0])


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


class _Walk:
    """The files of a local folder. Goes down without recursion: folders may be deeper than the stack."""

    def __init__(self, folder: str, follow_links: bool) -> None:
        self.files: list[str] = []
        self.left_out: list[tuple[str, str, str]] = []
        self._root = os.path.realpath(folder)
        self._follow_links = follow_links
        self._entered = {_identity(folder)}
        waiting = [(folder, "")]
        while waiting:
            path, prefix = waiting.pop()
            try:
                with os.scandir(path) as entries:
                    # In byte order, so that which of two links to a folder is followed is not left to chance.
                    found = sorted(entries, key=lambda entry: byte_order(entry.name))
            except OSError as error:
                if not prefix:
                    raise
                self.left_out.append((prefix.rstrip("/"), "unreadable", error.strerror or message(error)))
                continue
            for entry in found:
                name = prefix + entry.name
                if self._is_folder(entry, name):
                    waiting.append((entry.path, f"{name}/"))

    def _is_folder(self, entry: os.DirEntry[str], name: str) -> bool:
        """Whether to go into it. A file is noted."""
        try:
            if entry.is_symlink():
                return self._is_linked_folder(entry, name)
            if entry.is_file():
                self.files.append(name)
            return entry.is_dir() and self._is_new(entry.path)
        except OSError as error:
            self.left_out.append((name, "unreadable", error.strerror or message(error)))
            return False

    def _is_linked_folder(self, link: os.DirEntry[str], name: str) -> bool:
        try:
            target = os.path.realpath(link.path, strict=True)
        except OSError as error:
            self.left_out.append((name, "link", f"leads nowhere: {error.strerror or message(error)}"))
            return False
        inside = os.path.commonpath([self._root, target]) == self._root
        if not inside and not self._follow_links:
            self.left_out.append((name, "link", "leads out of the folder; --follow-links reads it"))
            return False
        if not Path(target).is_dir():
            if Path(target).is_file():
                self.files.append(name)
            return False
        # What is inside is read where it is. Outside, each folder once: links that cross would lead to it on
        # more paths than there are files.
        return not inside and self._is_new(target)

    def _is_new(self, path: str) -> bool:
        identity = _identity(path)
        known = identity in self._entered
        self._entered.add(identity)
        return not known


def stored_size(path: str) -> int | None:
    """Bytes of a local or remote file; None if unknown."""
    try:
        if not is_remote(path):
            return Path(path).stat().st_size
        system, name = _remote(path)
        size = system.size(name)
    except Exception:  # each file system has errors of its own; they are reported when the file is read
        return None
    return None if size is None else int(size)


def _identity(path: str) -> tuple[int, int]:
    status = Path(path).stat()
    return status.st_dev, status.st_ino


def _remote(path: str) -> tuple[Any, str]:
    module = fsspec()
    try:
        system, name = module.core.url_to_fs(path)
    except Exception as error:
        raise UnreadableError(message(error)) from error
    return system, str(name)
