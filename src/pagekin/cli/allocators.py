"""Freed memory goes back to the system at once, so that `--memory` bounds what the process takes.

Left to themselves, allocators keep what was freed for later: Arrow's for each thread that ever held a batch,
the C library's in as many heaps as there were threads. Together that is several times what is in use.
"""

from __future__ import annotations

import os

SMALLEST, LARGEST = 1 << 20, 8 << 20
SHARE = 64
"""Blocks from a 64th of the memory on, or from 8 MiB, are taken from the system and given back one by one."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""What `malloc.h` calls these settings."""


def return_freed_memory(memory: int) -> None:
    """For a process of our own that may use so much; to be called before pyarrow is imported."""
    import ctypes

    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # the GNU C library's; others do not hoard
    if mallopt is not None:
        large = min(max(memory // SHARE, SMALLEST), LARGEST)
        mallopt(_MMAP_THRESHOLD, large)
        mallopt(_TRIM_THRESHOLD, large)
