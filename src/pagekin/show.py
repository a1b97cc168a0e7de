"""Rows of a run's tables, chosen by SQL expressions."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds

from pagekin.errors import UsageError
from pagekin.run import Run, damaged
from pagekin.tables import TABLES


def overview(run: Run) -> pa.Table:
    """The tables of a run with their sizes and meanings."""
    names = run.tables
    return pa.table(
        {
            "table": names,
            "rows": pa.array([_count(run, name) for name in names], pa.int64()),
            "what": [TABLES[name].doc for name in names],
        }
    )


def rows(
    run: Run,
    name: str,
    *,
    where: str | None = None,
    columns: Sequence[str] | None = None,
    limit: int | None = None,
) -> pa.Table:
    """The rows of a table for which `where` holds, in the table's order.

    Examples:
        >>> rows(pagekin.Run(example_run), "pages", where="words > 5", columns=["url"], limit=2).num_rows
        2
    """
    data = run.dataset(name)
    unknown = [column for column in columns or () if column not in data.schema.names]
    if unknown:
        raise UsageError(f"{name} has no column {unknown[0]!r}; it has: {', '.join(data.schema.names)}")
    with _sealed() as db:
        try:
            relation = db.from_arrow(data)
            if where:
                relation = relation.filter(where)
            if columns:
                relation = relation.project(", ".join(f'"{column}"' for column in columns))
            if limit is not None:
                relation = relation.limit(limit)
            found = relation.to_arrow_table()
        except duckdb.Error as error:
            _count(run, name)  # if the table cannot be read, say that
            if where is None:
                raise damaged(run.path, name, error) from error
            first = str(error).splitlines()[0]
            raise UsageError(f"cannot select by {where!r}: {first}") from error
    # DuckDB gives dates in the machine's time zone.
    return found.cast(pa.schema([data.schema.field(column) for column in found.column_names]))


def donors(run: Run, url: str) -> pa.Table:
    """A page with many popular shingles, and below it the pages that hold those too, in order of choice."""
    found = rows(run, "covers", where="url = " + _quoted(url)).to_pylist()
    if not found:
        hint = "it has too few popular shingles, is a copy of another page, or is not in the run"
        raise UsageError(f"{url} has no cover: {hint}")
    cover = found[0]
    ids = [donor["page"] for donor in cover["donors"]]
    pages = run.dataset("pages").to_table(columns=["page", "url"], filter=ds.field("page").isin(ids))
    urls = dict(zip(pages["page"].to_pylist(), pages["url"].to_pylist(), strict=True))
    return pa.table(
        {
            "role": ["page"] + ["donor"] * len(ids),
            "page": pa.array([cover["page"], *ids], pa.int64()),
            "url": pa.array([url, *(urls[page] for page in ids)], pa.string()),
            "shingles": pa.array([cover["popular"], *(d["shingles"] for d in cover["donors"])], pa.int64()),
            "foreign": pa.array([None, *(donor["foreign"] for donor in cover["donors"])], pa.bool_()),
        }
    )


def _quoted(text: str) -> str:
    """A text as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def _count(run: Run, name: str) -> int:
    data = run.dataset(name)
    with run.reading(name):
        count: int = data.count_rows()
    return count


def summary(run: Run, name: str, columns: str, group: str, order: str, limit: int) -> pa.Table:
    """A table grouped and counted."""
    with _sealed() as db:
        relation = db.from_arrow(run.dataset(name))
        return relation.aggregate(columns, group).order(order).limit(limit).to_arrow_table()


def _sealed() -> duckdb.DuckDBPyConnection:
    """A database that sees nothing but what it is given: an expression may come from anywhere."""
    return duckdb.connect(config={"enable_external_access": "false", "lock_configuration": "true"})
