"""Arrow tables as people and programs read them."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from typing import IO, Any

import pyarrow as pa

from pagekin.cli.terminal import escaped
from pagekin.look.cells import csv_line, guarded

WIDEST = 60
"""Longest text a cell shows when there is no terminal to measure."""


def clean(value: object) -> str:
    """A value in one line without anything that could move the cursor or change colours."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, bytes):
        value = value.hex()
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    # Pages choose these characters; the terminal must not obey them.
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(value))


def print_table(table: pa.Table, title: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else 200, highlight=False)
    view = Table(title=Text(clean(title)), title_justify="left", header_style="bold")
    for field in table.schema:
        numeric = (pa.types.is_integer(field.type) and field.name != "page") or pa.types.is_floating(
            field.type
        )
        view.add_column(field.name, justify="right" if numeric else "left", overflow="ellipsis", no_wrap=True)
    for row in table.to_pylist():
        view.add_row(*(Text(_shorten(name, value)) for name, value in row.items()))
    console.print(view)


def _shorten(name: str, value: object) -> str:
    # An id is a name: without separators it can be pasted into --where.
    shown = str(value) if name == "page" and value is not None else clean(value)
    return shown if len(shown) <= WIDEST else shown[: WIDEST - 1] + "…"


def print_rows(rows: Sequence[dict[str, Any]], title: str) -> None:
    """Prints rows that are alike for a person."""
    print_table(pa.Table.from_pylist(list(rows)), title)


def write_rows(table: pa.Table, form: str, out: IO[bytes]) -> None:
    """Writes a table for a program: jsonl, csv or parquet.

    On a terminal, characters that it would obey are escaped; into a file or a pipe they go as they are.
    """
    shown = escaped if out.isatty() else str
    if form == "parquet":
        import pyarrow.parquet as pq

        from pagekin.errors import UsageError

        if out.isatty():
            raise UsageError("parquet is not for a terminal; write it to a file: pagekin show ... > FILE")
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        out.write(sink.getvalue())
    elif form == "csv":
        out.write(csv_line(table.column_names).encode("utf-8", "replace"))
        for row in table.to_pylist():
            values = (shown(v) if isinstance(v, str) else v for v in map(cell, row.values()))
            out.write(csv_line(values).encode("utf-8", "replace"))
    else:
        for row in table.to_pylist():
            line = shown(json.dumps(row, ensure_ascii=False, default=_plain))
            out.write(line.encode("utf-8", "replace") + b"\n")


def cell(value: Any) -> Any:
    """A value for a CSV file."""
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    if isinstance(value, (datetime, bytes)):
        return _plain(value)
    return guarded(value) if isinstance(value, str) else value


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else str(value)
