"""Between Scrapy and the wire: every answer is written as it came, and servers that ask for time get it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import responses
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response

from pagekin.crawl.answer import PASSING
from pagekin.crawl.scheduler import TARGET
from pagekin.crawl.warc import Exchange
from pagekin.readers.base import is_html_type
from pagekin.urls import UrlParts, split_url

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from pagekin.crawl.spider import CrawlSpider

MAX_DELAY = 60.0
"""Seconds: no server can make a crawl wait longer between two requests."""

HEAD = "pagekin_head"
"""Where a request carries the status line and headers of its answer."""

RECEIVED = "pagekin_received"
"""Where a request counts the bytes of its answer's body."""

REFUSED = "pagekin_refused"
"""Where a request notes that its answer's body is not wanted."""

ROBOTS_BYTES = 1 << 20
"""So much of a robots.txt is read; RFC 9309 asks for 500 KiB at least."""

# "partial" is no loss: such an answer ends when the server closes, as all did before HTTP/1.1.
_FLAGS = {"dataloss": "disconnect", "download_stopped": "unspecified"}


def set_delay(crawler: Crawler, request: Request, seconds: float) -> None:
    """Waits so long between requests to the request's host from now on, and never less than we were told."""
    downloader: Any = crawler.engine.downloader
    slot = downloader.slots.get(downloader.get_slot_key(request))
    if slot is not None:
        slot.delay = max(crawler.settings.getfloat("DOWNLOAD_DELAY"), min(seconds, MAX_DELAY))


def spider_of(crawler: Crawler) -> CrawlSpider:
    return cast("CrawlSpider", crawler.spider)


def url_of(request: Request) -> UrlParts:
    """A request's URL. It names a host, or it would not have been made."""
    parts = split_url(request.url)
    assert parts is not None
    return parts


def _netloc(request: Request) -> str:
    return url_of(request).netloc


class Recorder:
    """Writes each exchange before anything else sees the answer."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        self._quiet: dict[str, float] = {}
        """until when hosts asked to be left alone"""
        crawler.signals.connect(self.headers_received, signals.headers_received)
        crawler.signals.connect(self.bytes_received, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Recorder:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Our own limits are the ones that count: Scrapy's would drop an answer without a trace."""
        request.meta["download_maxsize"] = 0
        if TARGET not in request.meta:
            # A page that was cut is better than none; rules that were cut may lack what forbids.
            request.meta["download_fail_on_dataloss"] = True

    def headers_received(self, headers: Any, body_length: int, request: Request) -> None:
        """The body of what is no page, or says that it is too large, is not fetched.

        But its beginning is waited for: only then does Scrapy know the IP address that the answer came from.
        """
        request.meta[RECEIVED] = 0
        request.meta[REFUSED] = False
        if TARGET not in request.meta:
            return
        content_type = headers.get(b"Content-Type")
        if content_type and not is_html_type(content_type.decode("latin-1")):
            request.meta[REFUSED] = True
        elif isinstance(body_length, int) and body_length > self._limit:  # else the server did not say
            request.meta[REFUSED] = True
            request.meta[RECEIVED] = body_length
        if request.meta[REFUSED] and request.meta.get("retry_times"):
            raise StopDownload(fail=False)  # its body may be one that never begins, as of a stream of events

    def bytes_received(self, data: bytes, request: Request) -> None:
        """Stops a download that becomes too large."""
        if request.meta[REFUSED]:
            raise StopDownload(fail=False)
        request.meta[RECEIVED] += len(data)
        if request.meta[RECEIVED] > (self._limit if TARGET in request.meta else ROBOTS_BYTES):
            raise StopDownload(fail=False)

    def process_response(self, request: Request, response: Response) -> Response:
        """Writes the exchange; the spider gets the answer as it came."""
        crawl = spider_of(self._crawler)
        target = request.meta.get(TARGET)
        head = _head(response)
        response, truncated, too_large = self._cut(request, response)
        exchange = Exchange(
            target.url if target is not None else request.url,
            _request(request),
            head,
            response.body,
            str(response.ip_address) if response.ip_address else None,
            datetime.now(UTC),
            truncated,
            self._limit if too_large else None,
            robots=target is None,
        )
        try:
            crawl.writer.write(exchange)
        except OSError as error:
            crawl.end("output", error)
            raise IgnoreRequest("output") from error
        self._wait(request, response)
        request.meta[HEAD] = head
        # Not decoded by later middlewares: a resumed crawl reads these bytes from the file.
        plain = response.copy()
        plain.headers.pop(b"Content-Encoding", None)
        return plain

    def _wait(self, request: Request, response: Response) -> None:
        """Gives the host the time it asks for; answers that were on their way do not end that."""
        host, now = _netloc(request), time.monotonic()
        asked = spider_of(self._crawler).delays.get(host, 0.0)
        after = _retry_after(response) if response.status in PASSING else None
        if after is not None:
            self._quiet[host] = now + min(after, MAX_DELAY)
            set_delay(self._crawler, request, max(after, asked))
        elif TARGET in request.meta and now >= self._quiet.get(host, 0.0):
            set_delay(self._crawler, request, asked)

    def _cut(self, request: Request, response: Response) -> tuple[Response, str | None, bool]:
        """The answer without what is not wanted of it, why it is not whole, and whether it is too large."""
        truncated = next((_FLAGS[flag] for flag in response.flags if flag in _FLAGS), None)
        received = request.meta.get(RECEIVED, 0)
        if TARGET not in request.meta:
            if received <= ROBOTS_BYTES:
                return response, truncated, False
            return response.replace(body=response.body[:ROBOTS_BYTES]), "length", False
        too_large = received > self._limit
        if too_large or request.meta.get(REFUSED):
            response = response.replace(body=b"")
        return response, truncated, too_large


def _retry_after(response: Response) -> float | None:
    """Seconds that the server asks for, as a number or by the date at which they are over."""
    value = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
    if value.isascii() and value.isdigit():
        return float(value[:6])
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0.0, (when - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def _head(response: Response) -> bytes:
    version = (
        response.protocol if response.protocol and response.protocol.startswith("HTTP/1") else "HTTP/1.1"
    )
    lines = [f"{version} {response.status} {responses.get(response.status, '')}".encode()]
    lines += [
        name + b": " + value.replace(b"\r", b" ").replace(b"\n", b" ")
        for name, values in response.headers.items()
        for value in values
        # The body comes without it.
        if name.lower() != b"transfer-encoding"
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _request(request: Request) -> bytes:
    url = url_of(request)
    target = (url.path or "/") + ("" if url.query is None else f"?{url.query}")
    lines = [f"{request.method} {target} HTTP/1.1".encode(), b"Host: " + url.netloc.encode()]
    lines += [name + b": " + value for name, values in request.headers.items() for value in values]
    return b"\r\n".join(lines) + b"\r\n\r\n"
