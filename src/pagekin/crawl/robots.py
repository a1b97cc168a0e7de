"""robots.txt by RFC 9309: what it forbids is not asked for; while it cannot be read, nothing is."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK
from scrapy.robotstxt import ProtegoRobotParser

from pagekin.crawl.failures import why_failed
from pagekin.crawl.middleware import HEAD, ROBOTS_BYTES, set_delay, spider_of, url_of
from pagekin.crawl.robots_groups import own_groups
from pagekin.crawl.scheduler import TARGET
from pagekin.readers.http import BadEncodingError, TooLargeError, decode_body, parse_head

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MAX_UNPACKED = 16 << 20
"""A robots.txt that unpacks to more bytes than these is a bomb."""

PRIORITY = 1000
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


class UnreachableError(IgnoreRequest):
    """A robots.txt cannot be read for now; the crawl's record of failures gets `why`."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Rules:
    """What the robots.txt of a host says: rules, or nothing (all is allowed), or why it cannot be read."""

    parser: ProtegoRobotParser | None = None
    why: str | None = None


class Robots:
    """Asks for the robots.txt of a host before anything else, and lets pass what it allows."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._agent: str = crawler.settings["USER_AGENT"]
        self._sites: dict[str, asyncio.Future[Rules]] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Robots:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Raises for what must not be asked for; waits as long as the file asks."""
        if TARGET not in request.meta:
            return  # it is robots.txt itself
        url = url_of(request)
        site = f"{url.scheme}://{url.netloc}"
        if site not in self._sites:
            self._sites[site] = asyncio.ensure_future(self._fetch(f"{site}/robots.txt"))
        # Many wait for one file: none of them may take it along when it is cancelled.
        rules = await asyncio.shield(self._sites[site])
        if rules.why is not None:
            raise UnreachableError(rules.why)
        if rules.parser is None:
            return
        if not rules.parser.allowed(request.url, self._agent):
            raise IgnoreRequest("robots")
        delay = rules.parser.crawl_delay(self._agent)
        delays = spider_of(self._crawler).delays
        if delay and url.netloc not in delays:
            delays[url.netloc] = delay
            set_delay(self._crawler, request, delay)

    async def _fetch(self, url: str) -> Rules:
        engine = self._crawler.engine
        assert engine is not None
        try:
            response = await engine.download_async(Request(url, priority=PRIORITY, callback=NO_CALLBACK))
            assert response.request is not None
            text = rules_in(response.request.meta[HEAD], response.body)
        except UnreachableError as error:
            return Rules(why=error.why)
        except IgnoreRequest as error:
            # Either it redirects in a circle, which is as good as no file; or the disk is full.
            return Rules(why=str(error)) if spider_of(self._crawler).ending else Rules()
        except Exception as error:
            return Rules(why=why_failed(error))
        if not text:
            return Rules()
        own = own_groups(text.decode("utf-8", "ignore"), self._agent).encode()
        return Rules(ProtegoRobotParser.from_crawler(self._crawler, own))


def rules_in(head: bytes, body: bytes) -> bytes:
    """The rules in the answer to a request for robots.txt, still encoded as it came.

    There are none if there is no such file, whatever the server sends in its place. Raises if the server
    cannot say now.
    """
    http = parse_head(head, b"")
    if http is None:
        raise UnreachableError("robots-bad-http")
    if 300 <= http.status < 500 and http.status != 429:
        return b""
    if not 200 <= http.status < 300:
        raise UnreachableError(f"robots-{http.status}")
    try:
        text = decode_body(http, body, MAX_UNPACKED)
    except TooLargeError:
        raise UnreachableError("robots-too-large") from None
    except BadEncodingError:
        raise UnreachableError("robots-bad-encoding") from None
    if b"\r\ncontent-encoding:" in http.low and _CONTROL.search(text, 0, 1024):
        raise UnreachableError("robots-bad-encoding")
    if len(text) < ROBOTS_BYTES:
        return text
    # What is left of a line that was cut may forbid less, or more, than the line did.
    text = text[:ROBOTS_BYTES]
    return text[: max(text.rfind(b"\n"), text.rfind(b"\r")) + 1]
