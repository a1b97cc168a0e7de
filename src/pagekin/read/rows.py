"""Rows that name their columns (JSONL objects, Parquet rows) to records."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from pagekin.read.base import (
    Input,
    Record,
    is_html_type,
    page_id,
    parse_date,
    parse_status,
    skipped,
)
from pagekin.read.options import ReadParams

COLUMNS = ("url", "html", "text", "ip", "status", "date", "content_type")


def row_record(
    source: Input,
    record: int,
    offset: int,
    row: Mapping[str, object],
    params: ReadParams,
    decoded: bool = True,
) -> Record:
    """The record of one row. `decoded` tells that `html` was characters, so that its bytes are UTF-8."""
    url = as_text(row.get("url"))
    html, text = row.get("html"), row.get("text")
    if isinstance(html, str):
        html = html.encode("utf-8", "replace")
    if not html and text:
        html = None
    status = parse_status(row.get("status"))
    content_type = as_text(row.get("content_type"))
    limit = params.max_page_bytes
    if (
        not isinstance(html, bytes | None)
        or not isinstance(text, str | None)
        or (html is None and text is None)
    ):
        return skipped(source, record, offset, "no-content", _wrong_types(html, text), url)
    if status not in (None, 200) and not params.keep_errors:
        return skipped(source, record, offset, "status", str(status), url)
    if html is not None and content_type is not None and not is_html_type(content_type):
        return skipped(source, record, offset, "not-html", content_type, url)
    if url is None:
        return skipped(source, record, offset, "no-url")
    if len(html if html is not None else text or "") > limit:
        return skipped(source, record, offset, "too-large", f"more than {limit} bytes", url)
    if html is not None and decoded:
        # Whatever charset the page itself declares, these bytes are UTF-8.
        content_type = f"{(content_type or 'text/html').partition(';')[0].strip()}; charset=utf-8"
    return Record(
        page_id(source, record),
        url,
        html,
        None if html is not None else text,
        content_type,
        as_text(row.get("ip")),
        status,
        as_date(row.get("date")),
        source.path,
        offset,
    )


def as_text(value: object) -> str | None:
    """A string that says something, or None."""
    return value.strip() or None if isinstance(value, str) else None


def as_date(value: object) -> datetime | None:
    """A date, from whatever a row holds."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    return parse_date(value.strip()) if isinstance(value, str) else None


def _wrong_types(html: object, text: object) -> str | None:
    if html is None and text is None:
        return None
    wrong = ("html", html) if not isinstance(html, bytes | None) else ("text", text)
    return f"{wrong[0]} is {type(wrong[1]).__name__}, not a string"
