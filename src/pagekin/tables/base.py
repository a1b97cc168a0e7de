"""What a table is, and the columns that many tables share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """One column: its name, Arrow type, and what it means."""

    name: str
    type: pa.DataType
    doc: str


@dataclass(frozen=True)
class Table:
    name: str
    doc: str
    order: tuple[str, ...]
    """The columns that rows are sorted by; a `-` before a name for largest first. Nulls come last."""
    columns: tuple[Column, ...]
    brief: tuple[str, ...] = ()
    """The columns that fit on a screen; all of them when none is named."""

    @cached_property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(c.name, c.type) for c in self.columns])

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """The order as Arrow says it: columns, and which way."""
        ways = {True: "descending", False: "ascending"}
        return tuple((name.removeprefix("-"), ways[name.startswith("-")]) for name in self.order)

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.columns]


PAGE = Column("page", pa.int64(), "page id: input ordinal << 40 | record ordinal in that input")
URL = Column("url", pa.string(), "the page's URL as the crawl recorded it")
