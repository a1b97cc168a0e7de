"""Iterators that run ahead in a thread of their own."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def quick_handover() -> Iterator[None]:
    """Lets the thread that feeds the kernel have the interpreter within half a millisecond.

    By default it would wait for five, ten times that for each batch, while the reader decompresses and the
    kernel's cores idle: a fifth of the whole time (docs/benchmarks.md).
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Prefetch(Iterator[T]):
    """Runs an iterator in a thread of its own, one item ahead and one at hand.

    No more than that: a single batch may hold pages of 64 MB.
    """

    DEPTH = 1
    PATIENCE = 2.0
    """Seconds that the thread gets to end when its items are no longer wanted."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._queue: queue.Queue[tuple[bool, T | BaseException | None]] = queue.Queue(self.DEPTH)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        end: BaseException | None = None
        try:
            for item in self._source:
                self._put((True, item))
                if self._stop.is_set():
                    break
        except BaseException as error:
            end = error
        finally:
            close = getattr(self._source, "close", None)
            if close is not None:
                close()
        self._put((False, end))

    def _put(self, entry: tuple[bool, T | BaseException | None]) -> None:
        # With a timeout: a consumer that went away must not leave this thread waiting for ever.
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._queue.put(entry, timeout=0.1)
                break

    def __next__(self) -> T:
        more, item = self._queue.get()
        if more:
            return item  # type: ignore[return-value]
        self._stop.set()
        if item is not None:
            raise item  # type: ignore[misc]
        raise StopIteration

    def __enter__(self) -> Prefetch[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop.set()
        # A thread that waits for an idle pipe cannot be woken: after an error or Ctrl-C it is left behind.
        self._thread.join(None if kind is None else self.PATIENCE)
