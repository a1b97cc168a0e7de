"""Which pages are of one site: hosts, domains, addresses, and a file that says which domains belong together.

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


def read_map(path: str) -> dict[str, str]:
    """Host or domain to the name of what it belongs to; empty for no file."""
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the server map {path}: {error}") from error
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        parts = line.split("#")[0].split(None, 1)
        if len(parts) == 1:
            raise ParamsError(f"{path}, line {number}: give a host or domain, and what it belongs to")
        if parts:
            found[parts[0].lower()] = parts[1].strip()
    return found


def servers(pages: pa.Table, server_map: dict[str, str]) -> pa.ChunkedArray:
    """For each row the name that the map has for its host, for its domain, or else the domain."""
    if not server_map:
        return pages["domain"]
    names = pa.array(list(server_map), pa.string())
    values = pa.array(list(server_map.values()), pa.string())

    def mapped(column: str) -> pa.ChunkedArray:
        return values.take(pc.index_in(pages[column], value_set=names).combine_chunks())

    return pa.chunked_array([pc.coalesce(mapped("host"), mapped("domain"), pages["domain"].combine_chunks())])
