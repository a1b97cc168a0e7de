"""What every request needs, opened once."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pagekin.index.catalog import Catalog
from pagekin.index.folder import IndexFolder
from pagekin.index.page_column import PageColumn
from pagekin.index.words import WordIndex
from pagekin.query.checker import Checker
from pagekin.run import Run
from pagekin.verdicts.state import State

T = TypeVar("T")

MIB = 1 << 20


@dataclass(frozen=True)
class Settings:
    """How the app behaves."""

    judge: str = "judge"
    """who judges, until they say another name"""
    read_only: bool = False
    token: str | None = None
    """what every request must carry, if the app can be reached from elsewhere"""
    hosts: frozenset[str] = frozenset({"127.0.0.1", "localhost", "[::1]"})
    """names under which the app may be asked for"""
    any_address: bool = False
    """it listens on all addresses of this machine, and may be asked for by each; a name is none"""
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """signs the forms; the same in all workers"""
    max_body: int = 16 * MIB
    """bytes of a request"""
    max_pages: int = 256
    """pages of one check request"""
    max_seconds: float = 30.0
    """time for one request"""
    max_checks: int = 4
    """checks that run at the same time; others wait"""


class Context:
    """The run, its indexes, the verdicts, the settings."""

    def __init__(self, run: Run, settings: Settings | None = None, index: Path | None = None) -> None:
        self.run = run
        self.settings = settings or Settings()
        self.folder = IndexFolder(run, index)
        self.catalog = Catalog(run, self.folder)
        self.state = State(run, read_only=self.settings.read_only)
        self.texts = PageColumn(run, "texts", "text")
        self.styles = PageColumn(run, "sketches", "style")
        self.structures = PageColumn(run, "sketches", "structure")
        self.words = WordIndex(run, self.folder)
        self.checker = Checker(run, catalog=self.catalog, state=self.state)
        self.counts = self.catalog.counts()
        self._kept: dict[Any, Any] = {}
        self._lock = threading.Lock()

    @property
    def read_only(self) -> bool:
        """No verdict can be given."""
        return self.state.read_only

    def keep(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """A value that is computed once; the key holds everything it depends on."""
        with self._lock:
            if key in self._kept:
                found: T = self._kept[key]
                return found
        made = make()
        with self._lock:
            if len(self._kept) >= 256:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = made
        return made

    def text(self, page: int) -> str:
        """The text of a page; empty if it has none."""
        return str(self.texts.get([page]).get(page, ""))

    def close(self) -> None:
        self.checker.known.close()
        self.words.close()
        self.catalog.close()
