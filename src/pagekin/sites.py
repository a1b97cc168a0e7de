"""Sites by host, domain or IP address, and a file that says which domains belong together.

A server map is a text file. A line names a host or a domain, and what it belongs to:

    # an organisation's several domains
    example.com   Example Inc
    example.net   Example Inc
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.errors import InputError, ParamsError
from pagekin.fs import text_lines


def read_server_map(path: str) -> dict[str, str]:
    """Host or domain to the name of what it belongs to; empty for no file."""
    if not path:
        return {}
    try:
        return _read_map(path)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the server map {path}: {error}") from error


def _read_map(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in enumerate(text_lines(Path(path)), 1):
        parts = line.split("#")[0].split(None, 1)
        if len(parts) == 1:
            raise ParamsError(f"{path}, line {number}: give a host or domain, and what it belongs to")
        if parts:
            found[parts[0].lower()] = parts[1].strip()
    return found


def server_names(pages: pa.Table, server_map: dict[str, str]) -> pa.ChunkedArray:
    """For each row the name that the map has for its host, for its domain, or else the domain."""
    if not server_map:
        return pages["domain"]
    named = _named(pages["host"], pages["domain"], server_map)
    return pc.coalesce(named, pages["domain"])


def apply_server_map(pages: pa.RecordBatch, server_map: dict[str, str]) -> pa.RecordBatch:
    """The rows with the name that the map has, where it has one, as host, domain and IP address."""
    if not server_map:
        return pages
    named = _named(pages["host"], pages["domain"], server_map)
    for column in ("host", "domain", "ip"):
        at = pages.schema.get_field_index(column)
        pages = pages.set_column(at, pages.schema.field(at), pc.coalesce(named, pages[column]))
    return pages


def _named(host: pa.Array, domain: pa.Array, server_map: dict[str, str]) -> pa.Array:
    """The map's name for each host, else for its domain; null where it has none."""
    names = pa.array(list(server_map), pa.string())
    values = pa.array(list(server_map.values()), pa.string())
    found = (pc.take(values, pc.index_in(column, value_set=names)) for column in (host, domain))
    return pc.coalesce(*found)
