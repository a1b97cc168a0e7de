"""Writes a WARC 1.1 file: one gzip member per record, and among the pages what else a crawl brings home.

Records are put together by hand: it is a few lines, and a third of the time of a general writer. Nothing
depends on the clock: dates and record ids come from the seed.
"""

from __future__ import annotations

import zlib
from base64 import b32encode
from datetime import UTC, datetime, timedelta
from hashlib import blake2b, sha1
from typing import BinaryIO

from pagekin.synth.page import Page
from pagekin.synth.rand import mix

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
        self._dates: tuple[int, bytes, bytes] = (-1, b"", b"")
        info = f"software: pagekin synth\r\nformat: WARC File Format 1.1\r\nisPartOf: web of seed {seed}\r\n"
        self._write(
            b"warcinfo",
            b"WARC-Filename: " + name.encode() + b"\r\n",
            b"application/warc-fields",
            info.encode(),
        )

    def page(self, page: Page) -> None:
        """One page, with whatever the crawl meets after it."""
        payload = page.payload()
        url, ip = page.url.encode(), page.ip.encode()
        self.pages += 1
        self.html_bytes += len(payload)
        number = self.pages
        if number % REQUEST_EVERY == 3:
            self._request(url, page)
        self._response(url, ip, b"200 OK", page.content_type().encode(), payload)
        if number % OTHER_EVERY == 5:
            self._others(number, page, ip, payload)

    def _others(self, number: int, page: Page, ip: bytes, payload: bytes) -> None:
        """What is not a page. Which of them, goes by turns."""
        base = f"http://{page.host}/".encode()
        turn = number // OTHER_EVERY % 7
        if turn == 0:
            self._response(base + b"static/%d.gif" % number, ip, b"200 OK", b"image/gif", _IMAGE)
        elif turn == 1:
            self._response(
                base + b"static/%d.css" % number, ip, b"200 OK", b"text/css", b"body { margin: 0 }\n" * 9
            )
        elif turn == 2:
            self._response(
                base + b"api/%d" % number, ip, b"200 OK", b"application/json", b'{"id": %d}' % number
            )
        elif turn == 3:
            gone = b"<html><head><title>404 Not Found</title></head><body><h1>Not Found</h1></body></html>\n"
            self._response(base + b"gone/%d.html" % number, ip, b"404 Not Found", b"text/html", gone)
        elif turn == 4:
            here = base + b"old/%d" % number
            self._response(
                here, ip, b"301 Moved Permanently", b"text/html", b"", b"Location: " + base + b"\r\n"
            )
        elif turn == 5:
            self._revisit(page.url.encode(), ip, payload)
        else:
            self._write(
                b"metadata",
                b"WARC-Target-URI: " + base + b"\r\n",
                b"application/warc-fields",
                b"fetchTimeMs: 120\r\n",
            )

    def _response(
        self, url: bytes, ip: bytes, status: bytes, kind: bytes, payload: bytes, more: bytes = b""
    ) -> None:
        block = (
            b"HTTP/1.1 %b\r\nDate: %b\r\nServer: synth\r\nContent-Type: %b\r\n%bContent-Length: %d\r\n\r\n"
            % (status, self._now()[1], kind, more, len(payload))
        )  # fmt: skip
        head = b"WARC-Target-URI: %b\r\nWARC-IP-Address: %b\r\nWARC-Payload-Digest: sha1:%b\r\n" % (
            url, ip, b32encode(sha1(payload).digest()),
        )  # fmt: skip
        self._write(b"response", head, b"application/http; msgtype=response", block + payload)

    def _request(self, url: bytes, page: Page) -> None:
        path = page.url.split("/", 3)[3]
        block = f"GET /{path} HTTP/1.1\r\nHost: {page.host}\r\nUser-Agent: synth\r\nAccept: */*\r\n\r\n"
        head = b"WARC-Target-URI: %b\r\n" % url
        self._write(b"request", head, b"application/http; msgtype=request", block.encode())

    def _revisit(self, url: bytes, ip: bytes, payload: bytes) -> None:
        head = (
            b"WARC-Target-URI: %b\r\nWARC-IP-Address: %b\r\nWARC-Payload-Digest: sha1:%b\r\n"
            b"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
            b"WARC-Refers-To-Target-URI: %b\r\n" % (url, ip, b32encode(sha1(payload).digest()), url)
        )
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        self._write(b"revisit", head, b"application/http; msgtype=response", block)

    def _now(self) -> tuple[bytes, bytes]:
        """Seconds of the crawl as WARC and HTTP write them: ten pages are fetched per second."""
        second = self.pages // 10
        if self._dates[0] != second:
            when = _START + timedelta(seconds=second)
            http = when.strftime("%a, %d %b %Y %H:%M:%S GMT").encode()
            self._dates = (second, when.strftime("%Y-%m-%dT%H:%M:%SZ").encode(), http)
        return self._dates[1], self._dates[2]

    def _record_id(self) -> bytes:
        """The next id: a UUID of version 4 in form, a hash of the seed and the record's number in fact."""
        x = blake2b(b"%d" % self.records, key=self._key, digest_size=16).hexdigest()
        return f"<urn:uuid:{x[:8]}-{x[8:12]}-4{x[13:16]}-a{x[17:20]}-{x[20:]}>".encode()

    def _write(self, kind: bytes, head: bytes, content_type: bytes, block: bytes) -> None:
        record = (
            b"WARC/1.1\r\nWARC-Type: %b\r\nWARC-Record-ID: %b\r\nWARC-Date: %b\r\n%b"
            b"Content-Type: %b\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n"
            % (kind, self._record_id(), self._now()[0], head, content_type, len(block), block)
        )
        if self._compress:
            record = zlib.compress(record, LEVEL, wbits=31)  # a gzip member without a date
        self._file.write(record)
        self.bytes += len(record)
        self.records += 1
