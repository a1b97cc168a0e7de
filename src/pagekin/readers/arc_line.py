"""The line with which an ARC record begins: URL, IP address, date, content type and length.

Version 2 has five more fields before the length; they are taken as part of the content type. A URL may hold
spaces, so the line is read from its end: a pattern over all of it would try every space with every other.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_LINE = 10 << 10
_MAX_URL = 8192
_MAX_TYPE = 600
_SCHEME = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,30}:")
_LATER_SCHEME = re.compile(rb"(?<=\n)" + _SCHEME.pattern)
_FIELDS = re.compile(rb" ([0-9A-Fa-f.:]{2,45}|-) (\d{8,17}) ")
_MAX_FIELDS = 45 + 17 + 3


class ArcLine(NamedTuple):
    """A record's line, from `begin` to `end` in the bytes that it was found in."""

    begin: int
    end: int
    url: bytes
    ip: bytes
    date: bytes
    kind: bytes
    length: int


def line_at(data: bytes, begin: int) -> ArcLine | None:
    """The line that begins at a place, if it is a record's."""
    scheme = _SCHEME.match(data, begin)
    if scheme is None:
        return None
    end = data.find(b"\n", scheme.end(), begin + MAX_LINE) + 1
    line = data[begin : end - 1].removesuffix(b"\r") if end else b""
    rest, _, length = line.rstrip(b" \t").rpartition(b" ")
    if not length.isdigit() or len(length) > 18 or b"\r" in line:
        return None
    at = max(scheme.end() - begin, len(rest) - _MAX_TYPE - _MAX_FIELDS)
    while (fields := _FIELDS.search(rest, at)) is not None:
        if len(rest) > fields.end() >= len(rest) - _MAX_TYPE:
            url, kind = rest[: fields.start()], rest[fields.end() :]
            if len(url) > scheme.end() - begin + _MAX_URL:
                return None
            return ArcLine(begin, end, url, fields[1], fields[2], kind, int(length))
        at = fields.start() + 1
    return None


def next_line(data: bytes, begin: int, stop: int) -> ArcLine | None:
    """The first record's line that begins after a line end, between two places."""
    while (scheme := _LATER_SCHEME.search(data, begin, stop)) is not None:
        found = line_at(data, scheme.start())
        if found is not None:
            return found
        begin = scheme.end()
    return None
