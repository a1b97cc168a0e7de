"""Writes what was fetched as WARC 1.1, so that a kill at any moment loses nothing that was written.

One gzip member for each record, written past every buffer of ours. The response comes before its request:
if a kill cuts the pair in two, the half that matters is there. A write that fails is taken back, so that the
file ends with a whole record.
"""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from pagekin import _core
from pagekin.warc import INFO, REQUEST, RESPONSE, payload_digest, warc_record

SEGMENT_BYTES = 1 << 30
LEVEL = 6

LARGER_THAN = "Pagekin-Larger-Than"
"""The header of a record whose body was left out: the limit in bytes that it exceeded."""

FETCHED_AS = "Pagekin-Fetched-As"
ROBOTS = "robots.txt"
"""The header of a record that the crawler asked for to know what it may ask for, and its value."""


class Exchange(NamedTuple):
    """One request and the answer to it, as they went over the wire but for the transfer encoding."""

    url: str
    request: bytes
    """request line and headers"""
    head: bytes
    """status line and headers"""
    body: bytes
    ip: str | None
    date: datetime
    truncated: str | None = None
    """why the body is not whole: disconnect, length or unspecified"""
    larger_than: int | None = None
    """the body was left out because it is larger than this"""
    robots: bool = False
    """it was asked for as robots.txt, or is what that redirects to, and is no page of the crawl"""


def segments(folder: Path) -> list[Path]:
    """The crawl's WARC files in order."""
    return sorted(folder.glob("crawl-*.warc.gz"))


class CrawlWriter:
    """Appends exchanges to the last segment of a crawl folder, and begins a new one when that is full."""

    def __init__(self, folder: Path, user_agent: str, segment_bytes: int = SEGMENT_BYTES) -> None:
        self._folder = folder
        self._user_agent = user_agent
        self._segment_bytes = segment_bytes
        there = segments(folder)
        self._number = int(there[-1].name.split("-")[1].split(".")[0]) if there else 0
        self._fd = -1
        self._size = 0
        self._open()

    def write(self, exchange: Exchange) -> None:
        """Writes one exchange; when this returns, a kill cannot take it away."""
        if self._size >= self._segment_bytes:
            self.close()
            self._number += 1
            self._open()
        self._append(_records(exchange))

    def close(self) -> None:
        """Asks the disk to keep what was written."""
        if self._fd >= 0:
            with suppress(OSError):
                os.fsync(self._fd)
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> None:
        path = self._folder / f"crawl-{self._number:05d}.warc.gz"
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._size = os.fstat(self._fd).st_size
        if not self._size:
            self._append(_info(path.name, self._user_agent))

    def _append(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._fd, left) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._fd, self._size)
            raise
        self._size += len(data)


def _records(exchange: Exchange) -> bytes:
    date = exchange.date.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    about = {"WARC-Date": date, "WARC-Target-URI": exchange.url}
    if exchange.ip:
        about["WARC-IP-Address"] = exchange.ip
    response = str(uuid4())
    more = {"WARC-Payload-Digest": payload_digest(exchange.body)}
    if exchange.larger_than is not None:
        more |= {"WARC-Truncated": "length", LARGER_THAN: str(exchange.larger_than)}
    elif exchange.truncated:
        more["WARC-Truncated"] = exchange.truncated
    if exchange.robots:
        more[FETCHED_AS] = ROBOTS
    answer = warc_record("response", response, about | more, RESPONSE, exchange.head + exchange.body, LEVEL)
    about["WARC-Concurrent-To"] = f"<urn:uuid:{response}>"
    return answer + warc_record("request", str(uuid4()), about, REQUEST, exchange.request, LEVEL)


def _info(name: str, user_agent: str) -> bytes:
    fields = {
        "software": f"pagekin {_core.__version__}",
        "format": "WARC File Format 1.1",
        "robots": "obey",
        "http-header-user-agent": user_agent,
    }
    block = "".join(f"{key}: {value}\r\n" for key, value in fields.items()).encode()
    date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    about = {"WARC-Date": date, "WARC-Filename": name}
    return warc_record("warcinfo", str(uuid4()), about, INFO, block, LEVEL)
