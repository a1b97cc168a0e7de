"""The catalog: one DuckDB file with the rows that screens, verdicts and block lists ask for.

Tables stand in the order in which they are asked for (a cluster's members together, a domain's pages
together), so that DuckDB's block statistics do what an index would: a lookup reads one block. Sorted lists
take columns, not rows. Pages of the runs that a run was made against are in it too.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from pagekin.errors import RunError
from pagekin.index.folder import IndexFolder
from pagekin.index.statements import STATEMENTS
from pagekin.run import Run
from pagekin.tables import TABLES

MEMORY = "2GB"
"""What building may take before DuckDB spills to disk, and what all queries together may take."""

SEALED: dict[str, Any] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}
"""No extension is loaded or fetched."""

QUIET = "SET enable_progress_bar = false"
"""Nothing is drawn on the terminal."""


def build_catalog(run: Run, path: Path, threads: int = 2) -> None:
    """Writes the catalog of a run and those it was made against."""
    config = {**SEALED, "threads": str(threads), "memory_limit": MEMORY, "preserve_insertion_order": "true"}
    with duckdb.connect(path, config=config) as db:
        try:
            db.execute(QUIET)
            db.execute(f"SET temp_directory = {quoted(str(path) + '.spill')}")
            for name in TABLES:
                db.execute(f'CREATE TEMP VIEW "all_{name}" AS {_union(run.lineage, name)}')
                db.execute(f'CREATE TEMP VIEW "own_{name}" AS {_union([run], name)}')
            for statement in STATEMENTS:
                db.execute(statement)
        except duckdb.Error as error:
            raise RunError(f"cannot index {run.path}: {str(error).splitlines()[0]}") from error


def _union(runs: Sequence[Run], name: str) -> str:
    """A table of several runs as one, with the number of the run; empty where no run has it."""
    parts = []
    for number, run in enumerate(runs):
        if name in run.tables:
            parts.append(f"SELECT {number} AS run, * FROM {scan_of(run, name)}")
    if not parts:
        columns = ", ".join(f'NULL::{_sql_type(f.type)} AS "{f.name}"' for f in TABLES[name].schema)
        return f"SELECT 0 AS run, {columns} WHERE false"
    return " UNION ALL BY NAME ".join(parts)


def scan_of(run: Run, name: str) -> str:
    """The SQL that reads a table of a run."""
    files = ", ".join(quoted(file) for file in run.dataset(name).files)
    return f"read_parquet([{files}])"


def quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _sql_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return (
            'STRUCT(page BIGINT, shingles BIGINT, "foreign" BOOLEAN)[]'
            if "foreign" in str(kind)
            else "VARCHAR[]"
        )
    names = {
        "int64": "BIGINT",
        "int32": "INTEGER",
        "double": "DOUBLE",
        "bool": "BOOLEAN",
        "binary": "BLOB",
        "string": "VARCHAR",
    }
    return names.get(str(kind), "TIMESTAMP WITH TIME ZONE" if pa.types.is_timestamp(kind) else "VARCHAR")


class Catalog:
    """The catalog of a run, open for reading from any thread."""

    def __init__(self, run: Run, folder: IndexFolder | None = None) -> None:
        self.run = run
        self.folder = folder or IndexFolder(run)
        path = self.folder.part("catalog.duckdb", lambda made: build_catalog(run, made))
        config = {**SEALED, "memory_limit": MEMORY, "threads": "2"}
        try:
            self._db = duckdb.connect(path, read_only=True, config=config)
            # Footers of the run's Parquet files are read once: a table may have a thousand row groups.
            self._db.execute("SET TimeZone = 'UTC'; SET GLOBAL parquet_metadata_cache = true")
        except duckdb.Error as error:
            raise RunError(
                f"cannot open {path}: {str(error).splitlines()[0]}; delete it and try again"
            ) from error
        self._local = threading.local()

    def cursor(self) -> duckdb.DuckDBPyConnection:
        """This thread's connection."""
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            cursor = self._local.cursor = self._db.cursor()
            cursor.execute(f"SET TimeZone = 'UTC'; {QUIET}")
        return cursor

    def arrow(self, sql: str, values: Sequence[Any] = (), **tables: pa.Table) -> pa.Table:
        """The answer to a query, over the catalog and the tables given by name."""
        cursor = self.cursor()
        for name, table in tables.items():
            cursor.register(name, table)
        try:
            return cursor.sql(sql, params=list(values)).to_arrow_table()
        finally:
            for name in tables:
                cursor.unregister(name)

    def rows(self, sql: str, values: Sequence[Any] = (), **tables: pa.Table) -> list[dict[str, Any]]:
        """The answer as dicts."""
        found: list[dict[str, Any]] = self.arrow(sql, values, **tables).to_pylist()
        return found

    def row(self, sql: str, values: Sequence[Any] = ()) -> dict[str, Any] | None:
        found = self.rows(sql, values)
        return found[0] if found else None

    def one(self, sql: str, values: Sequence[Any] = ()) -> Any:
        """The first value of the first row; None if there is no row."""
        row = self.row(sql, values)
        return next(iter(row.values())) if row else None

    def page(self, page: int) -> dict[str, Any] | None:
        return self.row("SELECT * FROM pages WHERE page = ?", [page])

    def pages(self, pages: Sequence[int]) -> dict[int, dict[str, Any]]:
        """What lists and cards show of several pages: url, domain, title, words, similarity; by page."""
        if not pages:
            return {}
        # Few columns: of each a block is unpacked for each page.
        wanted = ", ".join(str(int(page)) for page in pages)
        found = self.rows(
            f"SELECT page, url, domain, title, words, similarity FROM pages WHERE page IN ({wanted})"
        )
        return {row["page"]: row for row in found}

    def page_of_url(self, url: str) -> int | None:
        """The page of a URL, the newest one if it was met more than once."""
        found: int | None = self.one(
            "SELECT page FROM urls WHERE hash = hash(?) AND page IN "
            "(SELECT page FROM pages WHERE url = ? AND page IN (SELECT page FROM urls WHERE hash = hash(?))) "
            "ORDER BY page DESC LIMIT 1",
            [url, url, url],
        )
        return found

    def counts(self) -> Mapping[str, int]:
        """Rows of each table of the catalog."""
        return {row["name"]: row["rows"] for row in self.rows("SELECT name, rows FROM sizes")}

    def close(self) -> None:
        self._db.close()
