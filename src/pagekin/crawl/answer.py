"""What a server's answer is to the crawl: a page with text and links, a redirect, or nothing of use.

Answers from the network and answers read back from a WARC file go through the same function, so that a
resumed crawl knows exactly what it knew.
"""

from __future__ import annotations

from dataclasses import dataclass

from pagekin import _core
from pagekin.readers.base import is_html_type, looks_like_html
from pagekin.readers.http import BadEncodingError, TooLargeError, decode_body, parse_head
from pagekin.urls import absolute

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MAX_LINKS = 10_000
"""Links of a page beyond these are not followed."""

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
"""Statuses that say "not now": tried once more, and again when a crawl is resumed."""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """One of: a page (`text` is there), a redirect (`location`), or `why` there is nothing."""

    status: int
    text: str | None = None
    links: tuple[str, ...] = ()
    location: str | None = None
    why: str | None = None


def parse_answer(url: str, head: bytes, body: bytes | None, limit: int) -> ParsedAnswer:
    """Takes an HTTP answer as it was sent: status line and headers, and the body, still encoded.

    There is no body if it was larger than `limit`.
    """
    http = parse_head(head, b"")
    if http is None:
        return ParsedAnswer(0, why="bad-http")
    location = http.get(b"\r\nlocation:")
    if http.status in REDIRECTS and location:
        target = absolute(_utf8(location), url)
        useless = target is None or target == url
        return (
            ParsedAnswer(http.status, why="bad-redirect")
            if useless
            else ParsedAnswer(http.status, location=target)
        )
    if http.status != 200:
        return ParsedAnswer(http.status, why=f"status-{http.status}")
    content_type = http.get(b"\r\ncontent-type:") or None
    if content_type is not None and not is_html_type(content_type):
        return ParsedAnswer(200, why="not-html")
    if body is None:
        return ParsedAnswer(200, why="too-large")
    try:
        body = decode_body(http, body, limit)
    except TooLargeError:
        return ParsedAnswer(200, why="too-large")
    except BadEncodingError:
        return ParsedAnswer(200, why="bad-encoding")
    if content_type is None and not looks_like_html(body):
        return ParsedAnswer(200, why="not-html")
    text, _, links = _core.extract(_core.decode(body, content_type)[0], url, auto_targets=True)
    return ParsedAnswer(200, text, tuple([link for link, _ in links[:MAX_LINKS]]))


def _utf8(text: str) -> str:
    """A header's value, whose bytes were read as Latin-1, read as the UTF-8 that most servers send."""
    try:
        return text.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return text
