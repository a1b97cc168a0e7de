"""A stopped crawl read back from its WARC files, which are its only memory."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pagekin.crawl.answer import PASSING, understand
from pagekin.crawl.known import KnownPages
from pagekin.crawl.state import CrawlState
from pagekin.crawl.warc import segments
from pagekin.readers.framed import Framed, field
from pagekin.readers.frames import Codec
from pagekin.readers.framing import Framing
from pagekin.readers.http import MAX_HEAD, parse_head
from pagekin.readers.source import open_source

PIECE = 1 << 20


class Stored(NamedTuple):
    """A response as it was stored."""

    url: str
    head: bytes
    body: bytes


def replay(folder: Path, state: CrawlState, known: KnownPages, limit: int) -> int:
    """Tells a new state everything that the files hold; returns the number of answers."""
    mend(folder)
    state.frontier.replay()
    count = 0
    for stored in stored_responses(folder, limit):
        if stored.url.endswith("/robots.txt"):
            continue
        answer = understand(stored.url, stored.head, stored.body, limit)
        if answer.status in PASSING:
            continue  # it will be asked for again
        target = state.frontier.take(stored.url)
        if target is not None:
            state.settle(target, answer, known)
            count += 1
    state.frontier.replayed()
    return count


def mend(folder: Path) -> None:
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


def stored_responses(folder: Path, limit: int) -> Iterator[Stored]:
    """Every response in a crawl's files, in order."""
    for path in segments(folder):
        with closing(open_source(str(path))) as source:
            for framed in Framing(source, Codec("gzip", source), limit + MAX_HEAD, lambda framed: True):
                stored = _stored(framed) if framed.reason is None else None
                if stored is not None:
                    yield stored


def _stored(framed: Framed) -> Stored | None:
    if field(framed.head, framed.low, b"\r\nwarc-type:") != b"response":
        return None
    url = field(framed.head, framed.low, b"\r\nwarc-target-uri:").decode("utf-8", "replace")
    block = (framed.front + framed.data)[: framed.length]
    http = parse_head(block, b"")
    return Stored(url, block[: http.end], block[http.end :]) if http is not None else None
