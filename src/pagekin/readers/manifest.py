"""What a manifest says of the files beside it: where each came from, and what the server said of it.

Zips may come from anyone, so what is kept is bounded by the files that are there, not by what a manifest
lists.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pagekin.errors import InputError
from pagekin.readers.jsonl import MAX_VALUES, values_in

FIELDS = ("url", "status", "content_type", "ip", "date")
MAX_MANIFEST = 4
"""Bytes of a manifest for each byte that a page may have."""

ManifestEntry = dict[str, Any]


def read_manifest(data: bytes, where: str, names: Iterable[str]) -> dict[str, ManifestEntry]:
    """The fields of each of the files that are there, by its path.

    Raises:
        InputError: it is no manifest.
    """
    text = data.decode("utf-8-sig", "replace")
    rows = _csv_rows(text, where) if where.endswith(".csv") else _json_rows(text, where)
    there = set(names)
    found: dict[str, ManifestEntry] = {}
    for row in rows:
        path = str(row["path"]).removeprefix("./")
        if path in there:
            found[path] = {field: row[field] for field in FIELDS if row.get(field) is not None}
    return found


def _csv_rows(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next(reader, [])
        columns = {name: at for at, name in enumerate(header) if name in ("path", *FIELDS)}
        if not {"path", "url"} <= columns.keys():
            raise InputError(
                f"{where} needs the columns path and url; it has: {', '.join(header[:20]) or 'none'}"
            )
        for row in reader:
            if row:
                yield {name: row[at] if at < len(row) else None for name, at in columns.items()}
    except csv.Error as error:
        raise InputError(f"{where}, line {reader.line_num}: {error}; mend or remove it") from None


def _json_rows(text: str, where: str) -> Iterator[Mapping[str, Any]]:
    for number, line in enumerate(io.StringIO(text, newline="\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line) if values_in(line.encode("utf-8", "replace")) <= MAX_VALUES else None
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict) or "path" not in row or "url" not in row:
            raise InputError(f"{where}, line {number}: each line must be a JSON object with path and url")
        yield row
