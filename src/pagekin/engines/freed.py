"""With little memory, what a step has freed goes back to the system while the step goes on.

The command has its allocators do that by themselves (`pagekin.cli.allocators`). A library may not set those
of the process that it is in: it asks them for what they keep, again and again. Arrow's own pool keeps pages
for each thread that ever held a batch and gives few of them back, so the C library's takes its place
meanwhile.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from pagekin.engines.base import Batch
from pagekin.fs import LITTLE_MEMORY

SHARE = 8
"""Memory is asked for whenever batches of so large a part of the budget have passed."""
SMALLEST = 1 << 20
"""To ask takes time, and less than this is not worth it."""


class FreedMemory:
    """Gives back what batches leave behind, for an engine that may use so many bytes."""

    def __init__(self, memory: int) -> None:
        self._every = max(memory // SHARE, SMALLEST)
        # The GNU C library's; others do not hoard.
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if memory < LITTLE_MEMORY else None
        self._passed = 0

    @contextmanager
    def step(self, release: Callable[[], None] = lambda: None) -> Iterator[None]:
        """Around a step; `release` lets go of what the engine would keep for the next one.

        A buffer goes back to the pool that it came from, whatever the pool is by then.
        """
        if self._trim is None:
            yield
            return
        before = pa.default_memory_pool()
        pa.set_memory_pool(pa.system_memory_pool())
        try:
            yield
        finally:
            pa.set_memory_pool(before)
            release()
            self._trim(0)

    def behind(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        """The same batches; what was freed on their way is given back."""
        for batch in batches:
            yield batch
            if self._trim is not None:
                self._passed += batch.nbytes
                if self._passed > self._every:
                    self._passed = 0
                    self._trim(0)
