"""A stopped crawl read back from its WARC files, which are its only memory."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pagekin.crawl.answer import PASSING, parse_answer
from pagekin.crawl.state import FrontierCrawl
from pagekin.crawl.warc import FETCHED_AS, LARGER_THAN, ROBOTS, segments
from pagekin.readers.frames import Codec
from pagekin.readers.http import MAX_HEAD, parse_head
from pagekin.readers.raw_record import RawRecord, field
from pagekin.readers.record_scanner import RecordScanner
from pagekin.readers.source import open_source
from pagekin.urls import split_url

PIECE = 1 << 20


class StoredResponse(NamedTuple):
    url: str
    head: bytes
    body: bytes
    larger_than: int | None
    """the body was left out because it is larger than this"""
    robots: bool
    """it was asked for as robots.txt"""


def replay(folder: Path, state: FrontierCrawl, limit: int) -> int:
    """Tells a new state everything that the files hold; returns the number of answers."""
    drop_partial_record(folder)
    state.frontier.replay()
    count = 0
    for stored in stored_responses(folder, limit):
        if stored.robots:
            continue
        larger = stored.larger_than
        answer = parse_answer(stored.url, stored.head, stored.body if larger is None else None, limit)
        fits_now = answer.why == "too-large" and larger is not None and larger < limit
        if answer.status in PASSING or fits_now:
            continue  # it will be asked for again
        target = state.frontier.take(stored.url)
        if target is not None:
            state.settle(target, answer)
            count += 1
    state.frontier.replayed()
    return count


def is_empty(folder: Path, limit: int) -> bool:
    """Whether a crawl came to nothing but robots.txt, if to anything."""
    return all(stored.robots for stored in stored_responses(folder, limit))


def drop_partial_record(folder: Path) -> None:
    """Removes a last record that a kill cut off."""
    for path in segments(folder)[-1:]:
        whole = _whole(path)
        if whole < path.stat().st_size:
            os.truncate(path, whole)


def _whole(path: Path) -> int:
    """Where the last whole gzip member ends. Each record is one member."""
    end = 0
    with path.open("rb") as file:
        inflate, data = zlib.decompressobj(31), file.read(PIECE)
        while data:
            try:
                inflate.decompress(data, PIECE)
            except zlib.error:
                break
            if inflate.eof:
                data = inflate.unused_data
                end = file.tell() - len(data)
                inflate = zlib.decompressobj(31)
            else:
                data = inflate.unconsumed_tail
            data = data or file.read(PIECE)
    return end


def stored_responses(folder: Path, limit: int) -> Iterator[StoredResponse]:
    """Every response in a crawl's files, in order."""
    marked = False
    for path in segments(folder):
        with closing(open_source(str(path))) as source:
            for raw in RecordScanner(source, Codec("gzip", source), limit + MAX_HEAD, lambda raw: True):
                stored = _stored(raw) if raw.reason is None and not raw.missing else None
                if stored is None:
                    continue
                marked |= stored.robots
                # The first answer of a crawl is a robots.txt, but once such records were not marked.
                if not marked and (url := split_url(stored.url)) and url.path == f"/{ROBOTS}":
                    stored = stored._replace(robots=True)
                yield stored


def _stored(raw: RawRecord) -> StoredResponse | None:
    if field(raw.head, raw.low, b"\r\nwarc-type:") != b"response":
        return None
    url = field(raw.head, raw.low, b"\r\nwarc-target-uri:").decode("utf-8", "replace")
    block = (raw.front + raw.data)[: raw.length]
    http = parse_head(block, b"")
    # A response that cannot be parsed counts too.
    end = http.end if http is not None else len(block)
    larger = field(raw.head, raw.low, f"\r\n{LARGER_THAN.lower()}:".encode())
    robots = field(raw.head, raw.low, f"\r\n{FETCHED_AS.lower()}:".encode()) == ROBOTS.encode()
    return StoredResponse(url, block[:end], block[end:], int(larger) if larger.isdigit() else None, robots)
