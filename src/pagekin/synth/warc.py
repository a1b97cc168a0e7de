"""Writes a WARC 1.1 file: one gzip member per record, and among the pages what else a crawl brings home.

Nothing depends on the clock: dates and record ids come from the seed.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import BinaryIO

from pagekin.synth.page import Page
from pagekin.synth.rand import mix
from pagekin.warc import INFO, REQUEST, RESPONSE, payload_digest, warc_record

LEVEL = 1
_START = datetime(2024, 3, 1, tzinfo=UTC)
REQUEST_EVERY = 11
OTHER_EVERY = 7
_IMAGE = b"GIF89a\1\0\1\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;"


class WarcWriter:
    """Writes pages, and after some of them a record that is not a page."""

    def __init__(self, file: BinaryIO, seed: int, name: str, compress: bool) -> None:
        self._file = file
        self._compress = compress
        self._key = mix(seed, "records").to_bytes(8, "little")
        self.records = 0
        self.pages = 0
        self.html_bytes = 0
        self.bytes = 0
        self._dates = (-1, "", "")
        info = f"software: pagekin synth\r\nformat: WARC File Format 1.1\r\nisPartOf: web of seed {seed}\r\n"
        self._write("warcinfo", {"WARC-Filename": name}, INFO, info.encode())

    def page(self, page: Page) -> None:
        """One page, with whatever the crawl meets after it."""
        payload = page.payload()
        self.pages += 1
        self.html_bytes += len(payload)
        number = self.pages
        if number % REQUEST_EVERY == 3:
            self._request(page)
        self._response(page.url, page.ip, "200 OK", page.content_type(), payload)
        if number % OTHER_EVERY == 5:
            self._others(number, page, payload)

    def _others(self, number: int, page: Page, payload: bytes) -> None:
        """What is not a page. Which of them, goes by turns."""
        base, ip = f"http://{page.host}/", page.ip
        turn = number // OTHER_EVERY % 7
        if turn == 0:
            self._response(f"{base}static/{number}.gif", ip, "200 OK", "image/gif", _IMAGE)
        elif turn == 1:
            self._response(
                f"{base}static/{number}.css", ip, "200 OK", "text/css", b"body { margin: 0 }\n" * 9
            )
        elif turn == 2:
            self._response(f"{base}api/{number}", ip, "200 OK", "application/json", b'{"id": %d}' % number)
        elif turn == 3:
            gone = b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n"
            self._response(f"{base}gone/{number}.html", ip, "404 Not Found", "text/html", gone)
        elif turn == 4:
            moved = f"Location: {base}\r\n"
            self._response(f"{base}old/{number}", ip, "301 Moved Permanently", "text/html", b"", moved)
        elif turn == 5:
            self._revisit(page, payload)
        else:
            self._write("metadata", {"WARC-Target-URI": base}, INFO, b"fetchTimeMs: 120\r\n")

    def _response(
        self, url: str, ip: str, status: str, content_type: str, payload: bytes, more: str = ""
    ) -> None:
        head = (
            f"HTTP/1.1 {status}\r\nDate: {self._now()[1]}\r\nServer: synth\r\n"
            f"Content-Type: {content_type}\r\n{more}Content-Length: {len(payload)}\r\n\r\n"
        )
        self._write("response", _about(url, ip, payload), RESPONSE, head.encode() + payload)

    def _request(self, page: Page) -> None:
        path = page.url.split("/", 3)[3]
        block = f"GET /{path} HTTP/1.1\r\nHost: {page.host}\r\nUser-Agent: synth\r\nAccept: */*\r\n\r\n"
        self._write("request", {"WARC-Target-URI": page.url}, REQUEST, block.encode())

    def _revisit(self, page: Page, payload: bytes) -> None:
        fields = _about(page.url, page.ip, payload) | {
            "WARC-Profile": "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
            "WARC-Refers-To-Target-URI": page.url,
        }
        self._write("revisit", fields, RESPONSE, b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")

    def _now(self) -> tuple[str, str]:
        """Seconds of the crawl as WARC and HTTP write them: ten pages are fetched per second."""
        second = self.pages // 10
        if self._dates[0] != second:
            when = _START + timedelta(seconds=second)
            http = when.strftime("%a, %d %b %Y %H:%M:%S GMT")
            self._dates = (second, when.strftime("%Y-%m-%dT%H:%M:%SZ"), http)
        return self._dates[1], self._dates[2]

    def _record_id(self) -> str:
        """The next id: a UUID of version 4 in form, a hash of the seed and the record's number in fact."""
        x = blake2b(b"%d" % self.records, key=self._key, digest_size=16).hexdigest()
        return f"{x[:8]}-{x[8:12]}-4{x[13:16]}-a{x[17:20]}-{x[20:]}"

    def _write(self, kind: str, fields: dict[str, str], content_type: str, block: bytes) -> None:
        dated = {"WARC-Date": self._now()[0], **fields}
        level = LEVEL if self._compress else None
        record = warc_record(kind, self._record_id(), dated, content_type, block, level)
        self._file.write(record)
        self.bytes += len(record)
        self.records += 1


def _about(url: str, ip: str, payload: bytes) -> dict[str, str]:
    return {
        "WARC-Target-URI": url,
        "WARC-IP-Address": ip,
        "WARC-Payload-Digest": payload_digest(payload),
    }
