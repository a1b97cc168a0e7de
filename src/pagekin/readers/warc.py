"""WARC and WET: records to pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

from pagekin.params import ReadParams
from pagekin.readers.base import (
    CUT,
    Input,
    Position,
    Record,
    is_html_type,
    looks_like_html,
    page_id,
    parse_date,
)
from pagekin.readers.frames import Codec
from pagekin.readers.http import MAX_HEAD, BadEncodingError, TooLargeError, decode_body, parse_head
from pagekin.readers.raw_record import RawRecord, field
from pagekin.readers.record_scanner import RecordScanner
from pagekin.readers.source import SNIFF, StoredFile, codec_of, open_source

MAX_LOCATION = 2000
"""Characters kept of where a redirect leads."""

_WITH_URL = (b"response", b"resource", b"conversion", b"revisit")


def read_warc(source: Input, params: ReadParams, after: Position | None = None) -> Iterator[Record]:
    """The records of a WARC or WET file, compressed or not."""
    return WarcReader(source, params).read(after)


def split_warc(source: Input, params: ReadParams, size: int) -> list[Position]:
    """Where a WARC or WET file can be divided into parts of about this size. Each row is still read once."""
    try:
        with closing(open_source(source.path)) as stored:
            return list(WarcReader(source, params).split_points(stored, size))
    except OSError:
        return []  # what is wrong with it is reported when it is read


class WarcReader:
    """Records to pages, for one input. `name` is the stored file's, if that is not the input's."""

    def __init__(self, source: Input, params: ReadParams, name: str | None = None) -> None:
        self._input = source
        self._name = name or source.path
        self._limit = params.max_page_bytes
        self._keep_errors = params.keep_errors

    def read(self, after: Position | None) -> Iterator[Record]:
        """All records, or those after a position."""
        with closing(open_source(self._input.path)) as stored:
            yield from self.records(stored) if after is None else self.records_after(stored, after)

    def records(self, stored: StoredFile, start: int = 0, first: int = 0) -> Iterator[Record]:
        """The records from an offset on; the first of them has the ordinal `first`."""
        page, path = page_id(self._input, first), self._input.path
        for raw in self._scan(stored, start):
            record = Record(page, None, None, None, None, None, None, None, path, raw.offset)
            self._fill(record, raw)
            yield record
            page += 1

    def _scan(self, stored: StoredFile, start: int) -> Iterator[RawRecord]:
        codec = self._codec(stored)
        return iter(RecordScanner(stored, codec, self._limit + MAX_HEAD, self._wanted, start))

    def records_after(self, stored: StoredFile, after: Position) -> Iterator[Record]:
        """The records after a position: from its offset if that tells the record, else from the beginning.

        In a plain file every row has its own offset. In a compressed one that is so where a frame holds one
        record, which is the custom but not the rule: then the next row has another offset.
        """
        plain = self._codec(stored) is None
        records = self.records(stored, after.offset, after.record)
        first, second = next(records, None), next(records, None)
        if plain or (
            first is not None
            and first.reason != "garbage"
            and (second is None or second.offset != after.offset)
        ):
            if second is not None:
                yield second
            yield from records
            return
        last = page_id(self._input, after.record)
        yield from (record for record in self.records(stored) if record.page > last)

    def split_points(self, stored: StoredFile, size: int) -> Iterator[Position]:
        """Positions, about `size` stored bytes apart, after which the file can be read by itself."""
        begin, before = 0, -1
        point: Position | None = None
        for number, raw in enumerate(self._scan(stored, 0)):
            if point is not None and raw.offset != point.offset:
                yield point
                begin = point.offset
            # An offset that two rows have does not tell where to go on.
            alone = raw.offset != before and raw.reason is None
            point = Position(number, raw.offset) if alone and raw.offset - begin >= size else None
            before = raw.offset

    def _codec(self, stored: StoredFile) -> Codec | None:
        stored.seek(0)
        name = codec_of(stored.read(SNIFF), self._name)
        stored.seek(0)
        return Codec(name, stored) if name else None

    def _fill(self, record: Record, raw: RawRecord) -> None:
        """Make the record a page, or say why it is none."""
        head, low = raw.head, raw.low
        # What most records begin with, spelled like this by most writers.
        usual = low.startswith(b"\r\nwarc-type: response\r\n", 8)
        kind = b"response" if usual else field(head, low, b"\r\nwarc-type:").lower()
        if raw.reason is None and kind not in _WITH_URL and not raw.missing:
            record.reason, record.detail = "not-a-page", kind.decode("latin-1") or None
            return
        url = field(head, low, b"\r\nwarc-target-uri:")
        if url:
            # Some writers put the URL in angle brackets, as older drafts of the standard had it.
            record.url = (url[1:-1] if url[0] == 60 and url[-1] == 62 else url).decode("utf-8", "replace")
        if raw.reason is not None:
            record.reason, record.detail = raw.reason, raw.detail
        elif kind == b"response":
            self._response(record, raw)
        elif kind == b"revisit":
            record.reason = "revisit"
            refers = field(head, low, b"\r\nwarc-refers-to-target-uri:")
            record.detail = refers.decode("utf-8", "replace") or None
        else:
            self._content(record, raw, kind == b"conversion")
        if raw.missing and not (record.reason is None and (record.html or record.text)):
            record.html = record.text = None
            record.reason = "truncated"
            record.detail = f"{raw.length} of {raw.length + raw.missing} bytes"
        if record.reason is None:
            truncated = field(head, low, b"\r\nwarc-truncated:").decode("latin-1") or None
            record.truncated = CUT if raw.missing else truncated
            record.ip = field(head, low, b"\r\nwarc-ip-address:").decode("latin-1") or None
            record.date = parse_date(field(head, low, b"\r\nwarc-date:").decode("latin-1"))

    def _response(self, record: Record, raw: RawRecord) -> None:
        front, data, length = raw.front, raw.data, raw.length
        if len(front) > length:
            front = front[:length]
        http = parse_head(front, data)
        if http is None:
            kind = field(raw.head, raw.low, b"\r\ncontent-type:").lower()
            if not kind or kind.startswith(b"application/http"):
                record.reason = "bad-http"
            else:
                record.reason, record.detail = "not-html", kind.decode("latin-1")
            return
        record.status = http.status
        if http.status != 200 and not self._keep_errors:
            target = (http.get(b"\r\nlocation:") or "")[:MAX_LOCATION] if 300 <= http.status < 400 else ""
            record.reason, record.detail = "status", f"{http.status} {target}".rstrip()
            return
        content_type = record.content_type = http.get(b"\r\ncontent-type:") or None
        if content_type is not None and not is_html_type(content_type):
            record.reason, record.detail = "not-html", content_type
        elif record.url is None:
            record.reason = "no-url"
        elif len(front) + len(data) < length:
            record.reason, record.detail = "too-large", f"{length} bytes"
        else:
            begin = http.end - len(front)
            body = data[begin:] if begin >= 0 else front[begin:] + data
            try:
                body = decode_body(http, body, self._limit, cut=raw.missing > 0)
            except BadEncodingError as error:
                record.reason, record.detail = "bad-encoding", str(error)
                return
            except TooLargeError:
                record.reason, record.detail = "too-large", f"more than {self._limit} bytes"
                return
            if not body and field(raw.head, raw.low, b"\r\nwarc-truncated:") == b"length":
                record.reason, record.detail = "too-large", "left out by the crawler"
            elif content_type is None and not looks_like_html(body):
                record.reason, record.detail = "not-html", "no Content-Type"
            else:
                record.html = body

    def _content(self, record: Record, raw: RawRecord, conversion: bool) -> None:
        """A block that is the content itself: a stored resource, or the text that WET files give."""
        length = raw.length
        block = (raw.front + raw.data)[:length]
        content_type = field(raw.head, raw.low, b"\r\ncontent-type:").decode("latin-1") or None
        record.content_type = content_type
        is_text = conversion and (content_type or "text/plain").lower().startswith("text/plain")
        if not is_text and not (is_html_type(content_type) if content_type else looks_like_html(block)):
            record.reason, record.detail = "not-html", content_type or "no Content-Type"
        elif record.url is None:
            record.reason = "no-url"
        elif len(block) < length or length > self._limit:
            record.reason, record.detail = "too-large", f"{length} bytes"
        elif is_text:
            record.text = block.decode("utf-8", "replace")
        else:
            record.html = block

    def _wanted(self, raw: RawRecord) -> bool:
        """Whether a large record, of which there is the beginning, would be a page but for its size."""
        record = Record(0, None, None, None, None, None, None, None, "", 0)
        self._fill(record, raw)
        return record.reason == "too-large"
