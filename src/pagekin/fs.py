"""What we ask of the system: writing in one piece, reading no more than is of use, memory used."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pagekin.errors import InputError, OutputError, PagekinError

LITTLE_MEMORY = 512 << 20
"""Below so much memory for a scan, what allocators keep counts."""

TEMP_SUFFIX = ".tmp"
"""How the name of a half-written file ends; a kill may leave one behind."""


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file so that no reader ever sees half of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}{TEMP_SUFFIX}")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


ADVICE = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
    errno.EACCES: "permission denied; choose a folder you may write to",
    errno.EPERM: "not permitted; choose a folder you may write to",
    errno.EROFS: "the file system is read-only; choose another folder",
    errno.ENOENT: "a folder on the way to it is missing; make it, or choose another",
    errno.ENOTDIR: "a part of the path is a file; choose another folder",
    errno.EEXIST: "a file of that name is in the way; choose another",
    errno.EISDIR: "a folder of that name is in the way; choose another",
    errno.EFBIG: "a file would grow beyond what the system allows",
}


_FULL = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def writing(path: Path, resumable: bool = False) -> Iterator[None]:
    """Turns what the system says about a failed write into an `OutputError` that says what to do.

    `resumable` tells that whoever writes here can resume.
    """
    try:
        yield
    except (BrokenPipeError, PagekinError):
        raise  # the reader of our messages went away, or it is said already
    except Exception as error:
        number = _number_of(error)
        if not number:
            raise
        advice = ADVICE.get(number) or str(error)
        if number in _FULL:
            advice += f"; free some space on {_mount_point(path)}"
            advice += " and run again with resume=True" if resumable else " and run again"
        raise OutputError(f"cannot write to {path}: {advice}") from error


def _mount_point(path: Path) -> Path:
    """The folder at which the path's disk begins."""
    here = path.absolute()
    with suppress(OSError):
        while not here.exists():
            here = here.parent
        here = here.resolve()
        while here != here.parent and not here.is_mount():
            here = here.parent
    return here


MAX_NAMED_PAGE = 64 << 20
"""Bytes of a page that somebody names; as many as a page of a crawl may have by default."""


def read_at_most(path: Path, limit: int) -> bytes:
    """All of a file, which may be a device or a pipe without an end.

    Raises:
        InputError: it has more bytes.
    """
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(f"{path} is larger than {limit:,} bytes")
    return data


def lines_at_most(readline: Callable[[int], bytes], path: Path, limit: int) -> Iterator[bytes]:
    """The lines of a file.

    Raises:
        InputError: one has more bytes.
    """
    number = 0
    while line := readline(limit + 1):
        number += 1
        if len(line) > limit:
            raise InputError(f"{path}, line {number}: longer than {limit:,} bytes")
        yield line


_MAX_LINE = 1 << 20


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a text in UTF-8 that somebody wrote for pagekin.

    Raises:
        OSError, UnicodeDecodeError: it cannot be read.
        InputError: a line is too long to be one.
    """
    with path.open("rb") as file:
        for line in lines_at_most(file.readline, path, _MAX_LINE):
            yield line.decode("utf-8").rstrip("\r\n")


def _number_of(error: Exception) -> int:
    """The system's error number; 0 if it is none of the system's."""
    text = str(error).lower()
    if not isinstance(error, OSError):
        # DuckDB has errors of its own, with the system's words in them.
        return next((number for number in _FULL if os.strerror(number).lower() in text), 0)
    # Arrow and the kernels mention the number in the text only.
    said = (number for number in ADVICE if f"errno {number}]" in text or f"os error {number})" in text)
    return error.errno or next(said, 0)


def forget_peak_memory() -> None:
    """From now on `peak_memory` says what was held since.

    For processes of our own: the system tells whoever started this one no more than that, either.
    """
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    # Not from getrusage where it can be helped: Linux lets a process begin with its parent's peak.
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
