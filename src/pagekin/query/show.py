"""Rows of a run's tables, chosen by SQL expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from random import Random

import duckdb
import pyarrow as pa

from pagekin.errors import UsageError
from pagekin.query.sql import sealed
from pagekin.run import Run, damaged
from pagekin.suggest import did_you_mean, not_among
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
    sort: str | None = None,
    limit: int | None = None,
) -> pa.Table:
    """The rows of a table for which `where` holds, in the table's order or sorted by `COLUMN[:desc]`.

    Examples:
        >>> rows(pagekin.Run(example_run), "pages", where="words > 5", columns=["url"], limit=2).num_rows
        2
    """
    data = run.dataset(name)
    for column in columns or ():
        _require_column(name, column, data.schema.names)
    order = None if sort is None else _order(name, sort, data.schema)
    if where and _ends_early(where):
        raise UsageError(f"cannot select by {where!r}: it must be one expression, without `;`")
    with sealed() as db:
        try:
            relation = db.from_arrow(data)
            if where:
                relation = relation.filter(where)
            if order:
                relation = relation.order(order)
            if columns:
                relation = relation.project(", ".join(f'"{column}"' for column in columns))
            if limit is not None:
                relation = relation.limit(limit)
            found = relation.to_arrow_table()
        except duckdb.Error as error:
            _count(run, name)  # if the table cannot be read, say that
            if where is None:
                raise damaged(run.path, name, error) from error
            hint = _hint(str(error), data.schema.names)
            raise UsageError(f"cannot select by {where!r}: {hint}") from error
    # DuckDB gives dates in the machine's time zone.
    return found.cast(pa.schema([data.schema.field(column) for column in found.column_names]))


def _require_column(table: str, column: str, known: Sequence[str]) -> None:
    if column not in known:
        raise UsageError(f"{table} has no column {column!r}{not_among(column, known, 'it has')}")


def _order(table: str, sort: str, schema: pa.Schema) -> str:
    """COLUMN or COLUMN:desc as SQL. Rows that are equal in it come in the order of the other columns."""
    column, _, direction = sort.partition(":")
    _require_column(table, column, schema.names)
    if direction not in ("", "asc", "desc"):
        raise UsageError(f"cannot sort by {sort!r}; write {column}, {column}:asc or {column}:desc")
    others = [field.name for field in schema if field.name != column and not pa.types.is_nested(field.type)]
    first = f'"{column}" {direction or "asc"} NULLS LAST'
    return ", ".join([first, *(f'"{other}"' for other in others)])


def _hint(message: str, known: Sequence[str]) -> str:
    """What DuckDB says in one line, with its own proposals but without its drawing of the place."""
    lines = [line.strip() for line in message.splitlines()]
    end = next((n for n, line in enumerate(lines) if line.startswith("LINE ")), len(lines))
    said = " ".join(line for line in lines[:end] if line)
    wrong = re.search(r'column "([^"]+)" not found', said)
    if wrong and "andidate bindings" not in said and "id you mean" not in said:
        said += did_you_mean(wrong[1], known)
    return said


def _ends_early(expression: str) -> bool:
    """Whether a semicolon ends it: older versions of DuckDB leave out what is behind one."""
    places = (place for place, _ in duckdb.tokenize(expression))
    return any(expression.encode()[place : place + 1] == b";" for place in places)


def count(run: Run, name: str, where: str | None = None) -> int:
    """How many rows there are for which `where` holds."""
    if where is None:
        return _count(run, name)
    with sealed() as db:
        relation = db.from_arrow(run.dataset(name)).filter(where)
        found = relation.aggregate("count(*) AS n").to_arrow_table()
    return int(found["n"][0].as_py())


def same_class(run: Run, name: str, page: str) -> str:
    """An expression for the rows of a page's class in `duplicates` or `fuzzy`."""
    # No page id has more digits.
    named = f"page = {page}" if page.isdecimal() and len(page) < 19 else "url = " + _quoted(page)
    found = rows(run, name, where=named, columns=["class"], limit=1)["class"].to_pylist()
    if not found:
        known = count(run, "pages", named)
        why = "it is like no other page" if known else f"{run.path} has no such page"
        raise UsageError(f"{page} is not in the table {name}: {why}")
    return f"class = {found[0]}"


def both(first: str, second: str | None) -> str:
    """An expression that asks for both."""
    return first if second is None else f"({first}) AND ({second})"


def require_rank(run: Run, rank: int) -> int:
    """The rank, if there is a style cluster of that rank."""
    count = _count(run, "style_clusters")
    if rank > count:
        raise UsageError(f"there is no style cluster of rank {rank}; there are {count:,}")
    return rank


FIRST, RANDOM, EYED = 50, 50, 5
"""The paper's check: so many clusters from the top, so many at random; members of each to look at."""


def sample_clusters(run: Run, table: str) -> str:
    """An expression for the rows to check by eye: always the same ones for the same run."""
    count = _count(run, "style_clusters")
    others = range(FIRST + 1, count + 1)
    chosen = Random(run.params.style.seed).sample(others, min(RANDOM, len(others)))
    ranks = [*range(1, min(FIRST, count) + 1), *sorted(chosen)]
    named = f"rank IN ({', '.join(map(str, ranks))})" if ranks else "false"
    if table == "style_clusters":
        return named
    # The nearest to the centroid, the farthest, and some between.
    rows = run.table("style_members", ["rank", "page"]).to_pylist()
    pages: list[int] = []
    wanted = set(ranks)
    for rank, members in groupby(rows, key=itemgetter("rank")):
        if rank in wanted:
            own = [row["page"] for row in members]
            step = max(len(own) - 1, 1) / (EYED - 1)
            pages += sorted({own[min(round(step * n), len(own) - 1)] for n in range(EYED)})
    return both(named, f"page IN ({', '.join(map(str, pages))})" if pages else None)


def donors(run: Run, url: str) -> pa.Table:
    """A page with many popular shingles, and below it the pages that hold those too, in order of choice."""
    found = rows(run, "covers", where="url = " + _quoted(url)).to_pylist()
    if not found:
        hint = "it has too few popular shingles, is a copy of another page, or is not in the run"
        raise UsageError(f"{url} has no cover: {hint}")
    cover = found[0]
    ids = [donor["page"] for donor in cover["donors"]]
    urls = [donor["url"] for donor in cover["donors"]]
    return pa.table(
        {
            "role": ["page"] + ["donor"] * len(ids),
            "page": pa.array([cover["page"], *ids], pa.int64()),
            "url": pa.array([url, *urls], pa.string()),
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
    with sealed() as db:
        relation = db.from_arrow(run.dataset(name))
        return relation.aggregate(columns, group).order(order).limit(limit).to_arrow_table()
