"""What every reader gives: records with ids, and a reason for each one that is not a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

RECORD_BITS = 40

READ_REASONS: dict[str, str] = {
    "bad-encoding": "the body's Content-Encoding or Transfer-Encoding is broken",
    "bad-http": "the response does not begin with an HTTP status line and headers",
    "bad-index": "the line of the index names no record that can be read",
    "bad-json": "the line is not a JSON object",
    "bad-length": "the record's Content-Length is missing or wrong",
    "corrupt": "the record's compressed data is damaged",
    "garbage": "bytes between records that are no record",
    "link": "a link in a folder that leads out of it, or nowhere",
    "no-content": "the row has neither html nor text",
    "no-url": "the record has no URL",
    "not-a-page": "a record that holds no page: warcinfo, request, metadata, ...",
    "not-html": "the content is not HTML",
    "revisit": "a revisit record: the crawler saw a page it already had",
    "status": "the HTTP status is not 200",
    "too-large": "the page has more than max_page_bytes after decoding, as UTF-8, or its URL is too long",
    "truncated": "the input ends inside this record",
    "unreadable": "the input, or the rest of it, cannot be read",
}
"""Why a record is not a page: reason -> one line for people."""

INPUT_FAILURES = frozenset({"bad-length", "corrupt", "garbage", "truncated", "unreadable"})
"""Reasons that mean the input itself was damaged."""


CUT = "end"
"""Why a page is incomplete, if its input ends inside it."""


@dataclass(frozen=True, slots=True)
class Input:
    """One crawl file, folder of HTML files or stream, with its place among the inputs."""

    ordinal: int
    path: str
    format: str


@dataclass(frozen=True, slots=True)
class Position:
    """A record's place in its input: what is needed to read on after it."""

    record: int
    offset: int


@dataclass(slots=True)
class Record:
    """One record of an input; a page unless `reason` says why not."""

    page: int
    url: str | None
    html: bytes | None
    text: str | None
    content_type: str | None
    ip: str | None
    status: int | None
    date: datetime | None
    input: str
    offset: int
    reason: str | None = None
    detail: str | None = None
    id: str | None = None
    """What else the page goes by, where its row says so."""
    truncated: str | None = None
    """Why the page is incomplete: `CUT` if its input ends inside it, else what its crawler noted."""

    @property
    def position(self) -> Position:
        """Where to go on after this record."""
        return Position(self.page & ((1 << RECORD_BITS) - 1), self.offset)


def page_id(source: Input, record: int) -> int:
    """The page id of a record: input ordinal << 40 | record ordinal."""
    return source.ordinal << RECORD_BITS | record


def skipped(
    source: Input, record: int, offset: int, reason: str, detail: str | None = None, url: str | None = None
) -> Record:
    """A record that is not a page."""
    return Record(
        page_id(source, record), url, None, None, None, None, None, None, source.path, offset, reason, detail
    )


def valid_text(text: str) -> str:
    """The same text, without what cannot be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    return text


def message(error: BaseException) -> str:
    """An error in one line, for a record's detail."""
    return " ".join(str(error).split()) or type(error).__name__


_HTML_TYPES = ("text/html", "application/xhtml+xml")

_MARKUP = re.compile(
    # Possessive: without it, a run of comments has exponentially many readings.
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml\b[^>]*>)*+"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|link|script|style|table|div|p|a|h1|br|frameset|iframe|font|b)"
    rb"[\s>/]",
    re.IGNORECASE | re.DOTALL,
)


@lru_cache(maxsize=1024)
def is_html_type(content_type: str) -> bool:
    """Whether a Content-Type names HTML, whatever its parameters."""
    return content_type.partition(";")[0].strip().lower() in _HTML_TYPES


def looks_like_html(data: bytes) -> bool:
    """Whether bytes of unknown type begin like markup."""
    head = data[:512]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        head = head[2:].replace(b"\0", b"")
    return _MARKUP.match(head) is not None


_COMPACT = re.compile(r"(\d{4})-?(\d\d)?-?(\d\d)?(\d\d)?(\d\d)?(\d\d)?Z?")


def parse_date(text: str) -> datetime | None:
    """A WARC-Date (ISO 8601, any precision) or a 14-digit timestamp as aware UTC; None if it is no date."""
    try:
        date = datetime.fromisoformat(text)
        if date.tzinfo is UTC:
            return date
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    match = _COMPACT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in match.groups())
    try:
        return datetime(year or 0, month or 1, day or 1, hour or 0, minute or 0, second or 0, tzinfo=UTC)
    except ValueError:
        return None


def parse_status(value: object) -> int | None:
    """An HTTP status from whatever a manifest or a row holds; None if it is none."""
    try:
        status = int(str(value))
    except ValueError:
        return None
    return status if 100 <= status <= 999 else None
