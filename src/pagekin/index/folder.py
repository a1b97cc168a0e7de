"""Where indexes lie, `RUN/.index/`, and when they are built anew."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from pagekin import _core
from pagekin.fs import writing
from pagekin.run import Run

FORMAT = 2
"""Changes when an older index cannot be used."""

FOLDER = ".index"


class IndexFolder:
    """The folder of a run's indexes; a temporary one if the run's disk cannot be written."""

    def __init__(self, run: Run, folder: Path | None = None) -> None:
        self.run = run
        self.temporary = folder is None and not os.access(run.path, os.W_OK)
        if self.temporary:
            self.path = Path(tempfile.mkdtemp(prefix="pagekin-index-"))
            atexit.register(shutil.rmtree, self.path, ignore_errors=True)
        else:
            self.path = folder or run.path / FOLDER
        self.stamp = _stamp(run)

    def has(self, name: str) -> bool:
        """Whether a part is there, made from the tables as they are."""
        return self._place(name).exists()

    def part(self, name: str, build: Callable[[Path], None]) -> Path:
        """A part of the index, a file or a folder; built if it is not there or was made from other tables."""
        place = self._place(name)
        if place.exists():
            return place
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
            with self._lock():
                if not place.exists():  # another process may have built it while we waited
                    self._forget(name)
                    made = self.path / f".building-{place.name}"
                    try:
                        build(made)
                    except Exception:
                        self._forget(name)  # what was written may be what the disk lacks
                        raise
                    made.rename(place)
        return place

    def _place(self, name: str) -> Path:
        stem, dot, ending = name.partition(".")
        return self.path / f"{stem}-{self.stamp}{dot}{ending}"

    def _forget(self, name: str) -> None:
        """Removes what was made from other tables, and what a kill left half made."""
        stem = name.partition(".")[0]
        for old in (*self.path.glob(f"{stem}-*"), *self.path.glob(f".building-{stem}-*")):
            if old.is_dir():
                shutil.rmtree(old)
            else:
                old.unlink()

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with (self.path / ".lock").open("wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _stamp(run: Run) -> str:
    """Another one for other tables, another pagekin, another DuckDB."""
    digest = hashlib.sha256(f"{FORMAT} {_core.__version__} {duckdb.__version__}".encode())
    for known in run.lineage:
        digest.update((known.path / "run.json").read_bytes())
        for name in known.tables:
            path = known.path / f"{name}.parquet"
            for file in sorted(path.glob("*.parquet")) if path.is_dir() else [path]:
                stat = file.stat()
                digest.update(f"{name} {file.name} {stat.st_size} {stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]
