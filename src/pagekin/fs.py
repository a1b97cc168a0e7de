"""What we ask of the system: writing in one piece, saying plainly what went wrong, memory used."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pagekin.errors import OutputError

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


@contextmanager
def writing(path: Path, resumable: bool = False) -> Iterator[None]:
    """Turns what the system says about a failed write into an `OutputError` that says what to do.

    `resumable` tells that whoever writes here can resume.
    """
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our messages went away: nothing to do with the path
    except OSError as error:
        number = error.errno or _number_in(str(error))
        if not number:
            raise
        advice = ADVICE.get(number) or str(error)
        if number in (errno.ENOSPC, errno.EDQUOT):
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


def _number_in(message: str) -> int:
    """Arrow mentions the system's error number in the text only."""
    return next((number for number in ADVICE if f"errno {number}]" in message.lower()), 0)


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
