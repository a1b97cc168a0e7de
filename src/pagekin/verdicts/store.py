"""The file of verdicts: `RUN/verdicts.sqlite`. Rows are added and never changed.

A row is on disk when `add` returns: the journal is written through (`synchronous=FULL`), so that neither a
kill nor a power cut loses a verdict that was acknowledged. Several processes may write; each waits for its
turn.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import astuple, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pagekin.errors import OutputError, RunError, UsageError
from pagekin.fs import TEMP_SUFFIX, writing
from pagekin.verdicts.labels import COLUMNS, HAND, Verdict, checked, now

FILE = "verdicts.sqlite"
FORMAT = 1
PATIENCE = 15.0
"""Seconds that a writer waits for the others."""

SCHEMA = f"""
CREATE TABLE IF NOT EXISTS verdicts (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    at TEXT NOT NULL,
    who TEXT NOT NULL,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    url TEXT,
    scope TEXT NOT NULL,
    label TEXT,
    why TEXT NOT NULL,
    sample TEXT NOT NULL,
    supersedes TEXT
);
CREATE INDEX IF NOT EXISTS verdicts_target ON verdicts (scope, kind, target, who);
CREATE TRIGGER IF NOT EXISTS verdicts_stay BEFORE UPDATE ON verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are superseded, never changed'); END;
CREATE TRIGGER IF NOT EXISTS verdicts_last BEFORE DELETE ON verdicts
BEGIN SELECT RAISE(ABORT, 'verdicts are superseded, never deleted'); END;
PRAGMA user_version = {FORMAT};
"""


class Store:
    """The verdicts of one run folder.

    Examples:
        >>> store = Store(tmp_path)
        >>> first = store.judge("ann", "page", 7, "spam", url="http://example.org/")
        >>> store.undo("ann", first).label is None
        True
        >>> [row.label for row in store.rows()]
        ['spam', None]
    """

    def __init__(self, folder: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(folder) / FILE
        self.read_only = read_only or not _can_write(self.path)
        self._local = threading.local()
        self._copy: TemporaryDirectory[str] | None = None

    def judge(
        self,
        who: str,
        kind: str,
        target: int | str,
        label: str | None,
        *,
        url: str | None = None,
        scope: str = HAND,
        why: str = "",
        sample: str = "",
    ) -> Verdict:
        """Adds a verdict; it replaces what the same judge said of the same thing."""
        made = Verdict(uuid.uuid4().hex, now(), who, kind, str(target), url, scope, label, why, sample, None)
        checked(made)
        with self._writing() as db:
            said = self._said(db, made)
            made = replace(made, supersedes=said[-1].uid if said else None)
            _insert(db, [made])
        return made

    def undo(self, who: str, verdict: Verdict) -> Verdict:
        """Takes a verdict back: adds a row that says what was said before it, if anything.

        A verdict by hand is its judge's own to take back; a spread and the allow-list are everybody's.
        """
        if verdict.scope == HAND and who != verdict.who:
            raise UsageError(f"this verdict is {verdict.who}'s; give your own instead")
        with self._writing() as db:
            rows = self._said(db, verdict)
            before = next((row for row in rows if row.uid == verdict.supersedes), None)
            made = replace(
                before or replace(verdict, label=None, why=""),
                uid=uuid.uuid4().hex,
                at=now(),
                who=who,
                supersedes=rows[-1].uid if rows else verdict.uid,
            )
            _insert(db, [checked(made)])
        return made

    def add(self, rows: Sequence[Verdict]) -> int:
        """Adds rows of another store; those that are here already are left out. Says how many were new."""
        for row in rows:
            checked(row)
        with self._writing() as db:
            before = db.total_changes
            _insert(db, rows, "OR IGNORE")
            return db.total_changes - before

    def rows(self, after: int = 0) -> list[Verdict]:
        """All rows in the order they came in, or those after the first so many."""
        return [row for _, row in self.numbered(after)]

    def numbered(self, after: int = 0) -> list[tuple[int, Verdict]]:
        """The same, each with its number."""
        db = self._reader()
        if db is None:
            return []
        with _errors(self.path):
            found = db.execute(
                f"SELECT id, {', '.join(COLUMNS)} FROM verdicts WHERE id > ? ORDER BY id", (after,)
            )
            return [(number, Verdict(*values)) for number, *values in found]

    def find(self, uid: str) -> Verdict | None:
        """The row of this name."""
        db = self._reader()
        if db is None:
            return None
        with _errors(self.path):
            found = _select(db, "WHERE uid = ?", (uid,))
        return found[0] if found else None

    def close(self) -> None:
        """Lets go of this thread's connection."""
        db = getattr(self._local, "db", None)
        if db is not None:
            db.close()
            self._local.db = None

    def _said(self, db: sqlite3.Connection, verdict: Verdict) -> list[Verdict]:
        """What was said of the same thing so far: by the same judge, or if it was not by hand by anyone."""
        clause, values = "WHERE scope = ? AND kind = ? AND target = ?", [*verdict.key]
        if verdict.scope == HAND:
            clause, values = f"{clause} AND who = ?", [*values, verdict.who]
        return _select(db, f"{clause} ORDER BY id", values)

    def _reader(self) -> sqlite3.Connection | None:
        """A connection of this thread; None while there is no file."""
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            if not self.path.exists():
                return None
            with _errors(self.path):
                db = self._connect()
                version = db.execute("PRAGMA user_version").fetchone()[0]
                if version != FORMAT:
                    db.close()
                    raise RunError(f"{self.path} is of format {version}; this pagekin reads {FORMAT}")
            self._local.db = db
        return db

    def _connect(self) -> sqlite3.Connection:
        if not self.read_only:
            return sqlite3.connect(self.path, timeout=PATIENCE, isolation_level=None)
        path, still = self.path, ""
        if not _can_write(self.path):
            # A disk that cannot be written has no room for the journal's shared memory either.
            path, still = self._still(), "&immutable=1"
        return sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro{still}", uri=True, timeout=PATIENCE, isolation_level=None
        )

    def _still(self) -> Path:
        """The file, or a whole copy of it: after a kill the last verdicts stand in the journal alone."""
        journal = self.path.with_name(f"{FILE}-wal")
        if not journal.exists() or not journal.stat().st_size:
            return self.path
        if self._copy is None:
            copy = TemporaryDirectory(prefix="pagekin-verdicts-")
            for file in (self.path, journal):
                shutil.copyfile(file, Path(copy.name) / file.name)
            with closing(sqlite3.connect(Path(copy.name) / FILE)) as db:
                db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._copy = copy  # only now: other threads take it as it is
        return Path(self._copy.name) / FILE

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self.read_only:
            raise OutputError(f"{self.path} cannot be written: verdicts are read-only here")
        with _errors(self.path):
            db: sqlite3.Connection | None = self._reader()
            if db is None:
                _create(self.path)
                db = self._reader()
                assert db is not None
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")


def _create(path: Path) -> None:
    """Makes the file so that it appears in one piece, and only if nobody else was first."""
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex}{TEMP_SUFFIX}")
    with writing(path):
        try:
            with closing(sqlite3.connect(new, isolation_level=None)) as db:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(SCHEMA)
            with suppress(FileExistsError):
                os.link(new, path)
        finally:
            new.unlink(missing_ok=True)


def _insert(db: sqlite3.Connection, rows: Sequence[Verdict], conflict: str = "") -> None:
    places = ", ".join("?" * len(COLUMNS))
    db.executemany(
        f"INSERT {conflict} INTO verdicts ({', '.join(COLUMNS)}) VALUES ({places})", map(astuple, rows)
    )


def _select(db: sqlite3.Connection, clause: str, values: Sequence[str]) -> list[Verdict]:
    found = db.execute(f"SELECT {', '.join(COLUMNS)} FROM verdicts {clause}", values)
    return [Verdict(*row) for row in found]


def _can_write(path: Path) -> bool:
    """Whether verdicts can be added: to the file, and beside it, where the journal goes."""
    return os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise RunError(f"cannot use {path}: {error}") from error
