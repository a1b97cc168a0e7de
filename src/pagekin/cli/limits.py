"""Limits of the system: found out before the work begins, and said plainly if they are met on the way.

A library that gets no memory or no thread often aborts the process, and then no message can be written. So
every command asks beforehand for what the program needs, and a scan for its memory and threads too.
"""

from __future__ import annotations

import os
import resource
import threading

from pagekin.errors import LimitError

PROGRAM = 2500 << 20
"""Address space of the program itself: libraries, and what allocators reserve and never use."""
THREAD = 200 << 20
"""Address space of a thread: its stack, and its allocator's."""
LIBRARY_THREADS = 20
"""Threads that libraries start whatever the number of cores: Arrow alone has eight to read files.
Up to 15 were seen; on a busy machine those of one step are still ending when the next begins."""
FILES = 64
"""Open files that every command may need: with 20, libraries of `serve` abort or show a traceback."""

_NO_MEMORY = ("cannot allocate memory", "failed to map segment", "memory allocation", "out of memory")
_NO_FILE = "too many open files"
_NO_THREAD = ("can't start new thread", "resource temporarily unavailable", "thread pool")


def check_program() -> None:
    """Raises if the system will not give the address space, threads and files that every command needs.

    With too few threads NumPy ends as if by Ctrl-C, and Arrow waits for ever.
    """
    cores = os.cpu_count() or 1
    _check_space(PROGRAM + cores * THREAD, "pagekin", "raise the limit")
    _check_threads(LIBRARY_THREADS + 3 * cores, "pagekin", "")
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files != resource.RLIM_INFINITY and files < FILES:
        raise LimitError(
            f"only {files} files may be open (ulimit -n), and pagekin needs {FILES}; raise the limit"
        )


def check_limits(memory: int, threads: int | None) -> None:
    """Raises if the system will not give a scan the address space and the threads that it needs."""
    count = threads or os.cpu_count() or 1
    advice = "raise the limit, or give less --memory or fewer --threads"
    _check_space(memory + PROGRAM + count * THREAD, "this scan", advice)
    # The kernels have pools of their own beside ours and Arrow's. A few of all these threads run already.
    _check_threads(LIBRARY_THREADS - 2 + 3 * count, "this scan", ", or give fewer --threads")


def _check_space(needed: int, who: str, advice: str) -> None:
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < needed:
        raise LimitError(
            f"the address space is limited to {_gigabytes(limit)} (ulimit -v), and {who} needs "
            f"{_gigabytes(needed)}; {advice}"
        )


def _check_threads(wanted: int, who: str, advice: str) -> None:
    started = _start_threads(wanted)
    if started < wanted:
        raise LimitError(
            f"only {started} threads can be started, and {who} needs {wanted}; raise the limit "
            f"(ulimit -u, or the container's){advice}"
        )


def _start_threads(wanted: int) -> int:
    """How many threads can be there at once, up to so many."""
    over = threading.Event()
    waiting = []
    try:
        for _ in range(wanted):
            thread = threading.Thread(target=over.wait, daemon=True)
            thread.start()
            waiting.append(thread)
    except (RuntimeError, MemoryError):
        pass
    over.set()
    for thread in waiting:
        thread.join()
    return len(waiting)


def met_limit(error: BaseException) -> LimitError | None:
    """What to say if the system gave no more memory, threads or files; None if that is not the error."""
    text = str(error).lower()
    if isinstance(error, MemoryError) or any(part in text for part in _NO_MEMORY):
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        known = "" if limit == resource.RLIM_INFINITY else f" than {_gigabytes(limit)} (ulimit -v)"
        return LimitError(f"the system gave no more memory{known}; raise the limit, or give less --memory")
    if _NO_FILE in text:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return LimitError(f"the system gave no more open files than {limit} (ulimit -n); raise the limit")
    if any(part in text for part in _NO_THREAD):
        advice = "raise the limit (ulimit -u), or give fewer --threads"
        return LimitError(f"the system gave no more threads; {advice}")
    return None


def _gigabytes(size: int) -> str:
    return f"{size / 10**9:.1f} GB"
