"""Arrow tables as people and programs read them."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Sequence
from datetime import datetime
from shutil import get_terminal_size
from typing import IO, Any

import pyarrow as pa

from pagekin.cli.terminal import escaped
from pagekin.look.cells import csv_line, guarded

Rows = pa.Table
"""What other files of the command line call a table of rows."""

UNSEEN = 200
"""The width of a table where there is no terminal to measure."""
RIGID = 14
"""A text that nowhere is longer than this is not cut."""
LONGEST = 2_000
"""Characters of a value that are looked at: no terminal shows more of it."""

IDS = frozenset(
    {"page", "class", "cluster", "representative", "centroid", "source", "fingerprint", "known", "parent"}
)
"""Columns that hold ids."""


def clean(value: object) -> str:
    """A value in one line without anything that could move the cursor or change colours."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, bytes):
        value = value[:LONGEST].hex()
    if isinstance(value, list) and value and all(isinstance(one, dict) and "url" in one for one in value):
        value = str(value[0]["url"]) + (f" +{len(value) - 1}" if len(value) > 1 else "")
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False, default=str)
    # Pages choose these characters; the terminal must not obey them.
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(value)[:LONGEST])


def print_table(table: pa.Table, title: str, *, total: int | None = None) -> None:
    """Prints rows for a person; `total` says how many there are if these are only some of them."""
    from pagekin.cli.color import wants_color
    from pagekin.cli.layout import TextColumn, table_lines

    colored = wants_color(sys.stdout)
    room = get_terminal_size((UNSEEN, 24)).columns
    columns = []
    for field in table.schema:
        number = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        cells = [shown(field.name, value) for value in table[field.name].to_pylist()]
        longest = max(map(len, cells), default=0)
        gives = not number and not pa.types.is_timestamp(field.type) and longest > RIGID
        columns.append(TextColumn(field.name, cells, number, gives))
    lines, head, left_out = table_lines(columns, room)
    out = [f"\x1b[1m{clean(title)}\x1b[0m" if colored else clean(title)]
    if table.num_rows:
        out += [f"\x1b[1m{line}\x1b[0m" if colored and n < head - 1 else line for n, line in enumerate(lines)]
    said = _said(table.num_rows, total)
    if left_out and table.num_rows:
        said.append(f"no room for {', '.join(left_out)}: widen the terminal, or use --format jsonl")
    sys.stdout.write("\n".join([*out, *said]) + "\n")


def _said(rows: int, total: int | None) -> list[str]:
    if not rows and not total:
        return ["no rows"]
    if total is not None and total > rows:
        return [f"{rows:,} of {total:,} rows; --top 0 for all"]
    return []


def shown(name: str, value: object) -> str:
    """A value as a table shows it. An id is a name: without separators it can be pasted into --where."""
    return str(value) if name in IDS and isinstance(value, int) else clean(value)


def print_rows(rows: Sequence[dict[str, Any]], title: str) -> None:
    """Prints rows that are alike for a person."""
    print_table(pa.Table.from_pylist(list(rows)), title)


_TYPES = {"str": pa.string(), "int": pa.int64(), "float": pa.float64(), "bool": pa.bool_()}


def table_of(rows: Sequence[dict[str, Any]], columns: dict[str, str]) -> pa.Table:
    """Rows with columns of these types: str, int, float or bool."""
    schema = pa.schema([(name, _TYPES[kind]) for name, kind in columns.items()])
    return pa.Table.from_pylist([{name: _unicode(row.get(name)) for name in columns} for row in rows], schema)


def _unicode(value: Any) -> Any:
    """A value that Arrow takes: JSON may hold halves of characters, which are none."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def give_rows(table: pa.Table, form: str, title: str) -> None:
    """Rows on stdout in the form that `--format` names."""
    if form == "table":
        print_table(table, title)
    else:
        write_rows(table, form, sys.stdout.buffer)


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
