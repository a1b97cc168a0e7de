"""What a report is made of: sections of blocks, as plain data. The template draws them."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import Any

import pyarrow as pa


@dataclass(frozen=True)
class Facts:
    """Names and values."""

    rows: list[tuple[str, Any]]
    kind: str = "facts"


@dataclass(frozen=True)
class Grid:
    """A table."""

    names: list[str]
    rows: list[list[Any]]
    kind: str = "grid"

    @classmethod
    def of(cls, table: pa.Table) -> Grid:
        """An Arrow table as a grid."""
        return cls(table.column_names, [list(row.values()) for row in table.to_pylist()])


@dataclass(frozen=True)
class Bars:
    """A bar for each label, as long as its value."""

    rows: list[tuple[str, int]]
    kind: str = "bars"

    @property
    def longest(self) -> int:
        """The value that fills the width."""
        return max((value for _, value in self.rows), default=0) or 1


@dataclass(frozen=True)
class Picture:
    """A figure, drawn by `figures.svg`; `says` is for those who cannot see it."""

    svg: bytes
    says: str
    kind: str = "picture"

    @property
    def data(self) -> str:
        """The figure as an address that holds it whole."""
        return "data:image/svg+xml;base64," + b64encode(self.svg).decode()


Block = Facts | Grid | Bars | Picture


@dataclass(frozen=True)
class Section:
    """A heading, a sentence on what one sees, and blocks."""

    title: str
    note: str
    blocks: list[Block]
