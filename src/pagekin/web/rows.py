"""Rows of the run's tables over HTTP: paged, sorted, filtered by names that are looked up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa

from pagekin.errors import TableMissingError, UsageError
from pagekin.index.catalog import Catalog, scan_of
from pagekin.tables import TABLES

MAX_ROWS = 1_000
MAX_OFFSET = 10**9
OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def table_rows(
    catalog: Catalog,
    name: str,
    *,
    columns: Sequence[str],
    filters: Sequence[str],
    sort: str,
    limit: int,
    offset: int,
) -> dict[str, Any]:
    """Rows of a table of the newest run.

    Args:
        catalog: Where to ask.
        name: The table.
        columns: Which columns; all if empty.
        filters: Conditions `column:operator:value`; operators are eq, ne, lt, le, gt, ge, contains.
        sort: A column, `-` before it for falling; the table's own order if empty.
        limit: Rows to give.
        offset: Rows to leave out.
    """
    run = catalog.run
    if name not in run.tables:
        raise TableMissingError(f"the run has no table {name!r}; it has: {', '.join(run.tables)}")
    schema: pa.Schema = TABLES[name].schema
    chosen = [_column(name, schema, column) for column in columns] or schema.names
    conditions, values = ["true"], []
    for one in filters:
        condition, value = _condition(name, schema, one)
        conditions.append(condition)
        values.append(value)
    order = ""
    if sort:
        column = _column(name, schema, sort.removeprefix("-"))
        order = f'ORDER BY "{column}"{" DESC" if sort.startswith("-") else ""} NULLS LAST'
    source, where = scan_of(run, name), " AND ".join(conditions)
    names = ", ".join(f'"{column}"' for column in chosen)
    total = catalog.one(f"SELECT count(*) AS n FROM {source} WHERE {where}", values)
    found = catalog.rows(
        f"SELECT {names} FROM {source} WHERE {where} {order} LIMIT {int(limit)} OFFSET {int(offset)}", values
    )
    rows = [{key: plain_value(value) for key, value in row.items()} for row in found]
    return {"table": name, "total": total, "offset": offset, "rows": rows}


def _column(table: str, schema: pa.Schema, name: str) -> str:
    if name not in schema.names:
        raise UsageError(f"{table} has no column {name!r}; it has: {', '.join(schema.names)}")
    return name


def _condition(table: str, schema: pa.Schema, text: str) -> tuple[str, Any]:
    column, _, rest = text.partition(":")
    operator, colon, value = rest.partition(":")
    if not colon or (operator not in OPERATORS and operator != "contains"):
        raise UsageError(
            f"a filter is column:operator:value with one of {', '.join(OPERATORS)}, contains: {text!r}"
        )
    kind = schema.field(_column(table, schema, column)).type
    if operator == "contains":
        if not pa.types.is_string(kind):
            raise UsageError(f"{column} holds no text to search in")
        return f'contains("{column}", ?)', value
    return f'"{column}" {OPERATORS[operator]} ?', _typed(column, kind, value)


def _typed(column: str, kind: pa.DataType, value: str) -> Any:
    try:
        if pa.types.is_integer(kind):
            number = int(value)
            if abs(number) >= 1 << 63:
                raise ValueError
            return number
        if pa.types.is_floating(kind):
            return float(value)
        if pa.types.is_boolean(kind):
            return {"true": True, "false": False}[value]
        if pa.types.is_timestamp(kind):
            return datetime.fromisoformat(value)
    except (ValueError, KeyError):
        raise UsageError(f"{value!r} is no value of {column} ({kind})") from None
    if pa.types.is_string(kind):
        return value
    raise UsageError(f"{column} cannot be filtered by")


def plain_value(value: Any) -> Any:
    """A value that JSON can hold."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, bytes) else value
