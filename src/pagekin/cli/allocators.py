"""With little memory, what was freed goes back to the system at once, so that `--memory` bounds the process.

Left to themselves, allocators keep what was freed for later: Arrow's for each thread that ever held a batch,
the C library's in as many heaps as there were threads. Together that is several hundred megabytes: much for
a small budget, little for a large one, where using them again is faster.
"""

from __future__ import annotations

import os

from pagekin.fs import LITTLE_MEMORY

SHARE = 64
SMALLEST = 1 << 20
"""Blocks from a 64th of the memory on are taken from the system and given back one by one."""

ARENAS = 2
"""Heaps that threads share. Left alone, threads that wait for each other's heap make another one each."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""What `malloc.h` calls these settings."""


def return_freed_memory(memory: int) -> None:
    """For a process of our own that may use so much; to be called before pyarrow is imported."""
    if memory >= LITTLE_MEMORY:
        return
    import ctypes

    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # the GNU C library's; others do not hoard
    if mallopt is not None:
        large = max(memory // SHARE, SMALLEST)
        mallopt(_MMAP_THRESHOLD, large)
        mallopt(_TRIM_THRESHOLD, large)
        mallopt(_ARENA_MAX, ARENAS)
