"""A stopped crawl read back from its WARC files, which are its only memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from pagekin.crawl.answer import PASSING, understand
from pagekin.crawl.known import KnownPages
from pagekin.crawl.state import CrawlState
from pagekin.crawl.warc import segments
from pagekin.readers.base import INPUT_FAILURES
from pagekin.readers.framed import Framed, field
from pagekin.readers.frames import Codec
from pagekin.readers.framing import Framing
from pagekin.readers.http import MAX_HEAD, parse_head
from pagekin.readers.source import open_source


class Stored(NamedTuple):
    """A response as it was stored."""

    url: str
    head: bytes
    body: bytes


def replay(folder: Path, state: CrawlState, known: KnownPages, limit: int) -> int:
    """Tells a new state everything that the files hold; returns the number of answers."""
    state.frontier.replay()
    count = 0
    for stored in stored_responses(folder, limit):
        if stored.url.endswith("/robots.txt"):
            continue
        answer = understand(stored.url, stored.head, stored.body, limit)
        if answer.status in PASSING:
            continue  # it will be asked for again
        target = state.frontier.take(stored.url)
        if target is None:
            continue
        count += 1
        if answer.text is not None:
            state.page(target, known.see(answer.text).kind, answer.links)
        elif answer.location is not None:
            state.redirect(target, answer.location)
        else:
            state.nothing(target, answer.why or "")
    state.frontier.replayed()
    return count


def stored_responses(folder: Path, limit: int) -> Iterator[Stored]:
    """Every response in a crawl's files, in order. A last record that a kill cut off is removed."""
    files = segments(folder)
    for path in files:
        cut: int | None = None
        with closing(open_source(str(path))) as source:
            for framed in Framing(source, Codec("gzip", source), limit + MAX_HEAD, lambda framed: True):
                if framed.reason in INPUT_FAILURES:
                    cut = framed.offset
                    break
                stored = _stored(framed)
                if stored is not None:
                    yield stored
        if cut is not None and path == files[-1]:
            os.truncate(path, cut)


def _stored(framed: Framed) -> Stored | None:
    if field(framed.head, framed.low, b"\r\nwarc-type:") != b"response":
        return None
    url = field(framed.head, framed.low, b"\r\nwarc-target-uri:").decode("utf-8", "replace")
    block = (framed.front + framed.data)[: framed.length]
    http = parse_head(block, b"")
    return Stored(url, block[: http.end], block[http.end :]) if http is not None else None
