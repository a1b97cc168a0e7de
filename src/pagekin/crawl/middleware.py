"""Between Scrapy and the wire: every answer is written as it came, and servers that ask for time get it."""

from __future__ import annotations

from datetime import UTC, datetime
from http.client import responses
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, signals
from scrapy.downloadermiddlewares.robotstxt import RobotsTxtMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import Response
from scrapy.utils.httpobj import urlparse_cached

from pagekin.crawl.answer import PASSING
from pagekin.crawl.scheduler import TARGET
from pagekin.crawl.warc import Exchange
from pagekin.readers.base import is_html_type

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from pagekin.crawl.spider import CrawlSpider

MAX_DELAY = 60.0
"""Seconds: no server can make a crawl wait longer between two requests."""

HEAD = "pagekin_head"
"""Where a request carries the status line and headers of its answer."""

RECEIVED = "pagekin_received"
"""Where a request counts the bytes of its answer's body."""

_FLAGS = {"dataloss": "disconnect", "partial": "disconnect", "download_stopped": "unspecified"}


def set_delay(crawler: Crawler, request: Request, seconds: float) -> None:
    """Waits so long between requests to the request's host from now on, and never less than we were told."""
    downloader: Any = crawler.engine.downloader
    slot = downloader.slots.get(downloader.get_slot_key(request))
    if slot is not None:
        slot.delay = max(crawler.settings.getfloat("DOWNLOAD_DELAY"), min(seconds, MAX_DELAY))


def _spider(crawler: Crawler) -> CrawlSpider:
    return cast("CrawlSpider", crawler.spider)


def _netloc(request: Request) -> str:
    return urlparse_cached(request).netloc


class Recorder:
    """Writes each exchange before anything else sees the answer."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._limit = crawler.settings.getint("DOWNLOAD_MAXSIZE")
        crawler.signals.connect(self.headers_received, signals.headers_received)
        crawler.signals.connect(self.bytes_received, signals.bytes_received)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Recorder:
        """Made by Scrapy."""
        return cls(crawler)

    def headers_received(self, headers: Any, body_length: int, request: Request) -> None:
        """The body of what is no page, or says that it is too large, is not fetched."""
        if TARGET not in request.meta:
            return
        request.meta[RECEIVED] = 0
        content_type = headers.get(b"Content-Type")
        if content_type and not is_html_type(content_type.decode("latin-1")):
            raise StopDownload(fail=False)
        if isinstance(body_length, int):  # else the server did not say
            self._count(request, body_length)
            request.meta[RECEIVED] = 0

    def bytes_received(self, data: bytes, request: Request) -> None:
        """A body without end is left where it becomes too large."""
        if TARGET in request.meta:
            self._count(request, len(data))

    def _count(self, request: Request, size: int) -> None:
        request.meta[RECEIVED] += size
        if request.meta[RECEIVED] > self._limit:
            raise StopDownload(fail=False)

    def process_response(self, request: Request, response: Response, spider: Any = None) -> Response:
        """Writes the exchange; the spider gets the answer as it came."""
        crawl = _spider(self._crawler)
        target = request.meta.get(TARGET)
        head = _head(response)
        too_large = request.meta.get(RECEIVED, 0) > self._limit
        if too_large:
            response = response.replace(body=b"")
        truncated = next((_FLAGS[flag] for flag in response.flags if flag in _FLAGS), None)
        exchange = Exchange(
            target.url if target is not None else request.url,
            _request(request),
            head,
            response.body,
            str(response.ip_address) if response.ip_address else None,
            datetime.now(UTC),
            truncated,
            self._limit if too_large else None,
        )
        try:
            crawl.writer.write(exchange)
        except OSError as error:
            crawl.end("output", error)
            raise IgnoreRequest("output") from error
        after = (response.headers.get(b"Retry-After") or b"").decode("latin-1").strip()
        if response.status in PASSING and after.isascii() and after.isdigit():
            set_delay(self._crawler, request, float(after[:6]))
        elif target is not None:
            set_delay(self._crawler, request, _spider(self._crawler).delays.get(_netloc(request), 0.0))
        if target is None:
            return response
        request.meta[HEAD] = head
        # Nobody after us shall decode it: resuming reads the bytes from the file, and must find the same.
        plain = response.copy()
        plain.headers.pop(b"Content-Encoding", None)
        return plain


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
    _, _, rest = request.url.partition("://")
    host, slash, path = rest.partition("/")
    lines = [f"{request.method} {slash or '/'}{path} HTTP/1.1".encode(), b"Host: " + host.encode()]
    lines += [name + b": " + value for name, values in request.headers.items() for value in values]
    return b"\r\n".join(lines) + b"\r\n\r\n"


class Robots(RobotsTxtMiddleware):
    """Scrapy's robots.txt, and the Crawl-delay in it."""

    async def robot_parser(self, request: Request) -> Any:
        """The rules for the request's host.

        While robots.txt is on its way, Scrapy lets many requests wait for one result, which only the first of
        them gets; the others would go unchecked. So we look where the rules are kept, after the wait.
        """
        await super().robot_parser(request)
        return self._parsers[_netloc(request)]

    def process_request_2(self, rp: Any, request: Request) -> None:
        """Raises for what is forbidden; waits as long as the file asks."""
        super().process_request_2(rp, request)
        delay = rp.rp.crawl_delay(self._default_useragent) if rp is not None and hasattr(rp, "rp") else None
        delays = _spider(self.crawler).delays
        if delay and _netloc(request) not in delays:
            delays[_netloc(request)] = float(delay)
            set_delay(self.crawler, request, float(delay))
