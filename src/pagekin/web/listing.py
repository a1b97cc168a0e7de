"""Tables that sort, filter and page in the database. Every choice is a name that is looked up, never SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pyarrow as pa

from pagekin.index.catalog import Catalog
from pagekin.look.table import ShownColumn
from pagekin.web.views.histogram import binned

ROWS = 50
MAX_PAGE = 10_000_000


@dataclass(frozen=True)
class Filter:
    """One field above a table."""

    name: str
    words: str
    column: str
    how: str = "contains"
    """`contains`, `is`, `min` or `max`"""
    choices: Sequence[str] = ()
    hint: str = ""

    def condition(self, text: str) -> tuple[str, Any] | None:
        """SQL for what was filled in; None if it says nothing."""
        if self.how == "contains":
            return f"contains(lower({self.column}), lower(?))", text
        if self.how == "is":
            return (f"{self.column} = ?", text) if not self.choices or text in self.choices else None
        try:
            number = float(text)
        except ValueError:
            return None
        return f"{self.column} {'>=' if self.how == 'min' else '<='} ?", number


@dataclass(frozen=True)
class TableListing:
    """A table of the catalog, as it can be looked at."""

    table: str
    columns: Sequence[ShownColumn]
    """`name` is the column of the table"""
    order: str
    """by which column it is sorted unless asked otherwise, `-` before it for falling"""
    key: str
    """the column that tells rows apart, by which ties are broken"""
    filters: Sequence[Filter] = ()
    judged: str = ""
    """the kind of thing that rows are, if they can be judged: adds a filter by verdict"""
    similarity: str = ""
    """a column whose values a histogram shows"""

    def shown(self, catalog: Catalog, query: Mapping[str, str], labels: Mapping[str, Sequence[str]]) -> Shown:
        """The rows that a request asks for.

        Args:
            catalog: The tables.
            query: `sort`, `page`, the filters by name.
            labels: Keys of judged rows by label, for the filter `verdict`.
        """
        conditions, values = ["true"], []
        for one in self.filters:
            text = query.get(one.name, "").strip()
            found = one.condition(text) if text else None
            if found is not None:
                conditions.append(found[0])
                values.append(found[1])
        tables: dict[str, pa.Table] = {}
        verdict = query.get("verdict", "")
        if self.judged and verdict in (*labels, "none"):
            keys = [key for label, own in labels.items() if verdict in (label, "none") for key in own]
            tables["judged"] = pa.table({"key": pa.array(keys, pa.string())})
            inside = "NOT IN" if verdict == "none" else "IN"
            conditions.append(f'"{self.key}"::VARCHAR {inside} (SELECT key FROM judged)')
        where = " AND ".join(conditions)
        sort = self._sort(query.get("sort", ""))
        number = query.get("page", "1")
        page = min(max(int(number), 1), MAX_PAGE) if number.isdecimal() and len(number) < 9 else 1
        total = catalog.rows(f"SELECT count(*) AS n FROM {self.table} WHERE {where}", values, **tables)[0][
            "n"
        ]
        names = ", ".join(f'"{name}"' for name in self.names)
        falling = " DESC" if sort.startswith("-") else ""
        rows = catalog.rows(
            f"SELECT {names} FROM {self.table} WHERE {where} "
            f'ORDER BY "{sort.lstrip("-")}"{falling} NULLS LAST, '
            f'"{self.key}" LIMIT {ROWS} OFFSET {(page - 1) * ROWS}',
            values,
            **tables,
        )
        bins = (
            catalog.rows(
                f"SELECT {binned(self.similarity)} AS bin, count(*) AS number FROM {self.table} "
                f"WHERE {where} AND {self.similarity} IS NOT NULL GROUP BY bin ORDER BY bin",
                values,
                **tables,
            )
            if self.similarity
            else []
        )
        return Shown(self, rows, total, page, sort, dict(query), bins)

    @property
    def names(self) -> list[str]:
        """The columns that are read."""
        return list(dict.fromkeys([self.key, *(column.name for column in self.columns if column.name)]))

    def _sort(self, asked: str) -> str:
        name = asked.lstrip("-")
        return asked if name in self.names and asked in (name, f"-{name}") else self.order


@dataclass(frozen=True)
class Shown:
    """Rows of a listing, and where the others are."""

    listing: TableListing
    rows: list[dict[str, Any]]
    total: int
    page: int
    sort: str
    query: dict[str, str] = field(default_factory=dict)
    bins: list[dict[str, Any]] = field(default_factory=list)
    """of the histogram: of all rows that the filters let through"""

    @property
    def first(self) -> int:
        return (self.page - 1) * ROWS + 1

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1

    def link(self, **changes: object) -> str:
        """The URL with some of the choices changed."""
        values = {**self.query, "sort": self.sort, **{k: str(v) for k, v in changes.items()}}
        if "page" not in changes:
            values.pop("page", None)
        return "?" + urlencode({name: value for name, value in values.items() if value})

    def sorted_by(self, name: str) -> str:
        """What sorting by a column would ask for: falling first, then rising."""
        return self.link(sort=name if self.sort == f"-{name}" else f"-{name}")

    def direction(self, name: str) -> str | None:
        """How the rows are sorted by a column, as `aria-sort` says it."""
        return {name: "ascending", f"-{name}": "descending"}.get(self.sort)

    @property
    def pages(self) -> int:
        """How many pages of rows there are."""
        return max(1, -(-self.total // ROWS))
