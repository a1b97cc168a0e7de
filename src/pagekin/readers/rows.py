"""Rows that name their columns (JSONL objects, Parquet rows) to records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from pagekin.params import ReadParams
from pagekin.readers.base import (
    Input,
    Record,
    is_html_type,
    page_id,
    parse_date,
    parse_status,
    skipped,
    valid_text,
)

COLUMNS = ("url", "html", "text", "ip", "status", "date", "content_type", "id")

MAX_NAME = 64 << 10
"""Characters of anything but html and text, as many as the headers of a WARC record may have: not limited by
the size of pages, such values would fill the memory."""


def row_record(
    source: Input,
    record: int,
    offset: int,
    row: Mapping[str, object],
    params: ReadParams,
    decoded: bool = True,
) -> Record:
    """The record of one row. `decoded` tells that `html` was characters, so that its bytes are UTF-8."""
    long = long_name(row)
    if long is not None:
        return skipped(source, record, offset, "too-large", long)
    name = as_id(row.get("id"))
    url = as_text(row.get("url")) or name
    html, text, problem = _content(row.get("html"), row.get("text"))
    status = parse_status(row.get("status"))
    content_type = as_text(row.get("content_type"))
    if html is None and text is None:
        return skipped(source, record, offset, "no-content", problem, url)
    if status not in (None, 200) and not params.keep_errors:
        return skipped(source, record, offset, "status", str(status), url)
    if html is not None and content_type is not None and not is_html_type(content_type):
        return skipped(source, record, offset, "not-html", content_type, url)
    if url is None:
        return skipped(source, record, offset, "no-url")
    size = len(html if html is not None else (text or "").encode())
    if size > params.max_page_bytes:
        return skipped(source, record, offset, "too-large", f"{size} bytes", url)
    if html is not None and decoded:
        # Whatever charset the page itself declares, these bytes are UTF-8.
        content_type = f"{(content_type or 'text/html').partition(';')[0].strip()}; charset=utf-8"
    return Record(
        page_id(source, record),
        url,
        html,
        text,
        content_type,
        as_text(row.get("ip")),
        status,
        as_date(row.get("date")),
        source.path,
        offset,
        id=name,
    )


_NAMES = ("url", "ip", "date", "content_type", "id")


def long_name(row: Mapping[str, object]) -> str | None:
    """What to say of a row of which a name has more than `MAX_NAME` characters; None if none has."""
    for name in _NAMES:
        value = row.get(name)
        if isinstance(value, str | bytes) and len(value) > MAX_NAME:
            return f"{name} has more than {MAX_NAME} characters"
    return None


def _content(html: object, text: object) -> tuple[bytes | None, str | None, str | None]:
    """The page's bytes, or its text if there are none, or what is wrong."""
    for name, value in (("html", html), ("text", text)):
        if not isinstance(value, str | bytes | None):
            return None, None, f"{name} is {type(value).__name__}, not a string"
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
    if isinstance(html, bytes) and (html or not text):
        return html, None, None
    # JSON may hold lone surrogates, which are no text.
    return None, valid_text(text) if isinstance(text, str) else None, None


def as_text(value: object) -> str | None:
    """A string that says something, or None."""
    return valid_text(value.strip()) or None if isinstance(value, str) else None


def as_id(value: object) -> str | None:
    """The name of a row, which may be a number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return as_text(value)


def as_date(value: object) -> datetime | None:
    """A date, from whatever a row holds."""
    if isinstance(value, datetime):
        return value
    return parse_date(value.strip()) if isinstance(value, str) else None
