"""The log of a session that we started: it takes what Spark and its bridge to Python would print."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def stderr_to(handle: int) -> Iterator[None]:
    """Lets stderr go to an open file meanwhile, also for processes that begin."""
    sys.stderr.flush()
    kept = os.dup(2)
    os.dup2(handle, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


class Py4jToLog(logging.Filter):
    """What Python's side says when the JVM is lost goes to the log: py4j says it to the root logger."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log
        logging.getLogger().addFilter(self)

    def close(self) -> None:
        logging.getLogger().removeFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        if "py4j" not in record.pathname:
            return True
        self._write(logging.Formatter().format(record))
        return False

    def handle_error(self, request: object, client: object) -> None:
        """As a `socketserver` calls it, while it handles the exception."""
        self._write(traceback.format_exc())

    def _write(self, text: str) -> None:
        with self._log.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
