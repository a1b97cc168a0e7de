"""Duplicate curves and a saturation stop for any Scrapy spider.

    ADDONS = {"pagekin.crawl.extension.PagekinAddon": 500}

turns it on. Settings, with their defaults:

    PAGEKIN_ENABLED      True        off without taking it out
    PAGEKIN_THRESHOLD    90          ssdeep score from which a page is a near duplicate
    PAGEKIN_SATURATION   "advise"    off, advise or stop; stop closes the spider with `pagekin_saturated`
    PAGEKIN_WORTH        0.08        new unique pages per fetch below which a crawl is saturated
    PAGEKIN_ORDER        None        fetch URLs that differ in one part from one met before last;
                                     None: if PAGEKIN_SATURATION is stop
    PAGEKIN_DROP         "none"      none, exact or all: drop the items of such duplicates
    PAGEKIN_FIELD        "pagekin"   the field of items that says what the page was
    PAGEKIN_CURVE        None        a .parquet file for the growth curve

Every response carries the verdict in `response.meta["pagekin"]`: `kind` (unique, exact, near), `url` of the
page that it repeats, `score`. Items from it carry the same in their field. Stats: `pagekin/unique`,
`pagekin/dup_exact`, `pagekin/dup_near`, `pagekin/untagged`, `pagekin/dropped`, `pagekin/saturated_at`.

`extension_downloads` follows the requests.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from itemadapter import ItemAdapter
from scrapy import Request, Spider, signals
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from pagekin import _core
from pagekin.crawl.answer import PASSING
from pagekin.crawl.extension_downloads import InFlightRequests, take_arms
from pagekin.crawl.saturation import ADVISE, MODES, OFF, SATURATED, STOP, WORTH
from pagekin.crawl.seen import EXACT, UNIQUE
from pagekin.crawl.series import ENTRY, LinkPath
from pagekin.crawl.state import CrawlState
from pagekin.crawl.yields import Yields
from pagekin.errors import ParamsError
from pagekin.readers.base import is_html_type, looks_like_html

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

META = "pagekin"
SERIES = "pagekin_series"
"""Where a response and the requests made from it carry the way to it, and whether it was idle."""
DROPS = {"none": (), "exact": (EXACT,), "all": (EXACT, "near")}
_STATS = {"unique": "unique", "exact": "dup_exact", "near": "dup_near"}

T = TypeVar("T")


class PagekinAddon:
    """Turns on the extension and both middlewares."""

    def update_settings(self, settings: BaseSettings) -> None:
        """Called by Scrapy before anything else is made."""
        for name, part, place in (
            ("EXTENSIONS", PagekinExtension, 450),
            ("SPIDER_MIDDLEWARES", PagekinMiddleware, 40),  # sees errors too: HttpErrorMiddleware is at 50
            (
                "DOWNLOADER_MIDDLEWARES",
                PagekinDownloads,
                0,
            ),  # sees all requests: who refuses some comes later
        ):
            # As an add-on's own setting it would lose against a project that has a dictionary of its own.
            settings.setdefault_in_component_priority_dict(name, part, place)


class Options(NamedTuple):
    threshold: int
    saturation: str
    worth: float
    order: bool
    drop: tuple[str, ...]
    field: str
    curve: Path | None

    @classmethod
    def of(cls, settings: BaseSettings) -> Options:
        """Reads them; a wrong one is an error at once."""
        saturation = settings.get("PAGEKIN_SATURATION", ADVISE)
        drop = settings.get("PAGEKIN_DROP", "none")
        for name, value, known in (
            ("PAGEKIN_SATURATION", saturation, MODES),
            ("PAGEKIN_DROP", drop, tuple(DROPS)),
        ):
            if value not in known:
                raise ParamsError(f"{name} must be one of {', '.join(known)}, not {value}")
        threshold = _read(settings, "PAGEKIN_THRESHOLD", settings.getint, 90)
        worth = _read(settings, "PAGEKIN_WORTH", settings.getfloat, WORTH)
        order = _read(settings, "PAGEKIN_ORDER", settings.getbool, saturation == STOP)
        if not 1 <= threshold <= 100:
            raise ParamsError(f"PAGEKIN_THRESHOLD must be from 1 to 100, not {threshold}")
        if not 0 < worth <= 1:
            raise ParamsError(f"PAGEKIN_WORTH must be above 0 and at most 1, not {worth}")
        curve = settings.get("PAGEKIN_CURVE")
        field = settings.get("PAGEKIN_FIELD", META)
        return cls(threshold, saturation, worth, order, DROPS[drop], field, Path(curve) if curve else None)


def _read(settings: BaseSettings, name: str, get: Callable[[str], T], default: T) -> T:
    if settings.get(name) is None:
        return default
    try:
        return get(name)
    except (TypeError, ValueError) as error:
        kind = "yes or no (True or False)" if isinstance(default, bool) else "a number"
        raise ParamsError(f"{name} must be {kind}, not {settings.get(name)!r}") from error


def _enabled(crawler: Crawler) -> bool:
    return _read(crawler.settings, "PAGEKIN_ENABLED", crawler.settings.getbool, True)


class PagekinExtension:
    """Follows the spider's requests, judges its pages, and decides when to stop."""

    def __init__(self, crawler: Crawler) -> None:
        if not _enabled(crawler):
            raise NotConfigured
        self.options = Options.of(crawler.settings)
        self.state = CrawlState(Yields(), self.options.threshold, self.options.worth)
        self.starting = False
        """Whether the spider still yields start requests, of which nothing is known yet."""
        self._crawler = crawler
        self._urls: list[str] = []
        self._saturated = False
        self.in_flight = InFlightRequests(crawler, self.state.yields, order=self.options.order)
        for handler, signal in (
            (self.spider_opened, signals.spider_opened),
            (self.in_flight.schedule, signals.request_scheduled),
            (self.in_flight.drop, signals.request_dropped),
            (self.in_flight.start, signals.request_reached_downloader),
            (self.spider_closed, signals.spider_closed),
        ):
            crawler.signals.connect(handler, signal)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PagekinExtension:
        return cls(crawler)

    def spider_opened(self, spider: Spider) -> None:
        """Warns if a part is not turned on."""
        for missing, without in (
            (
                self._crawler.get_spider_middleware(PagekinMiddleware) is None,
                "PagekinMiddleware: no page is judged",
            ),
            (
                self._crawler.get_downloader_middleware(PagekinDownloads) is None,
                "PagekinDownloads: requests that are refused before they are fetched hold up saturation",
            ),
        ):
            if missing:
                spider.logger.warning("pagekin runs without %s. PagekinAddon in ADDONS turns it on.", without)

    def judge(self, response: Response) -> dict[str, Any] | None:
        """The verdict on a response; None for what is no page."""
        arms = take_arms(response.meta)
        arm = arms[0] if arms else None
        path, idle = response.meta.pop(SERIES, (ENTRY, False))
        if arm is not None:
            path = LinkPath(*path).on(arm.pattern, idle)
        idle = False
        content_type = (response.headers.get(b"Content-Type") or b"").decode("latin-1") or None
        is_page = is_html_type(content_type) if content_type else looks_like_html(response.body)
        verdict: dict[str, Any] | None = None
        new = False
        if response.status == 200 and is_page:
            text = _core.extract(_core.decode(response.body, content_type)[0], response.url)[0]
            (kind, of, score), idle = self.state.judge(text, None if arm is None else arm.pattern, path)
            self._urls.append(response.url)
            verdict = {"kind": kind, "url": None if of is None else self._urls[of], "score": score}
            self._count(_STATS[kind])
            new = kind == UNIQUE and not idle
        if arm is not None:
            response.meta[SERIES] = tuple(path), idle
        if response.status not in PASSING:  # a failing server says nothing about its pages
            for learned in dict.fromkeys(arms):
                self.state.yields.learn(learned, new, new)
        self.in_flight.update()
        self.state.curve.add(verdict["kind"] if verdict else "other", self.state.yields.queued.total())
        self._check()
        return verdict

    def tagged(self, item: Any, verdict: dict[str, Any]) -> Any:
        """The item with its verdict, or None if it is to be dropped."""
        if verdict["kind"] in self.options.drop:
            self._count("dropped")
            return None
        try:
            ItemAdapter(item)[self.options.field] = dict(verdict)
        except (KeyError, TypeError, AttributeError, ValueError):
            self._count("untagged")  # a class of items without such a field
        return item

    def spider_closed(self, spider: Spider, reason: str) -> None:
        if self.options.curve is not None:
            self.options.curve.parent.mkdir(parents=True, exist_ok=True)
            self.state.curve.save(self.options.curve)

    def _check(self) -> None:
        if self._saturated or self.starting or self.options.saturation == OFF:
            return
        if not self.state.saturation.reached():
            return
        self._saturated = True
        assert self._crawler.stats is not None
        self._crawler.stats.set_value("pagekin/saturated_at", self.state.curve.fetched)
        spider, engine = self._crawler.spider, self._crawler.engine
        assert spider is not None
        assert engine is not None
        forecast = self.state.saturation.forecast()
        spider.logger.info(
            "pagekin: saturated after %d fetches, %d unique pages; at most %.1f%% of the next would be new",
            self.state.curve.fetched, self.state.curve.counts[UNIQUE], 100 * forecast.best,
        )  # fmt: skip
        if self.options.saturation == STOP:
            self._closing = asyncio.ensure_future(engine.close_spider_async(reason=SATURATED))

    def _count(self, name: str) -> None:
        assert self._crawler.stats is not None
        self._crawler.stats.inc_value(f"pagekin/{name}")


class PagekinMiddleware:
    """Judges every response before the spider sees it, and tags what the spider makes of it."""

    def __init__(self, extension: PagekinExtension) -> None:
        self._extension = extension

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PagekinMiddleware:
        """Made by Scrapy; nothing without the extension."""
        return cls(_extension(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Passes on what the spider begins with, and notes whether there is more."""
        self._extension.starting = True
        try:
            async for thing in start:
                yield thing
        finally:
            self._extension.starting = False

    def process_start_requests(self, start: Iterable[Any], spider: Spider) -> Iterable[Any]:
        """The same for projects with middlewares that still have `process_start_requests`."""
        self._extension.starting = True
        try:
            yield from start
        finally:
            self._extension.starting = False

    def process_spider_input(self, response: Response) -> None:
        """The verdict is in `response.meta` when the spider is called."""
        verdict = self._extension.judge(response)
        if verdict is not None:
            response.meta[META] = verdict

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterable[Any]:
        """Items get their tag; requests go on without the verdict of the page they stand on."""
        for thing in result:
            kept = self._out(response, thing)
            if kept is not None:
                yield kept

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        async for thing in result:
            kept = self._out(response, thing)
            if kept is not None:
                yield kept

    def _out(self, response: Response, thing: Any) -> Any:
        verdict = response.meta.get(META)
        if isinstance(thing, Request):
            if thing.meta.get(META) is verdict:
                thing.meta.pop(META, None)  # spiders like to pass on all of a response's meta
            thing.meta[SERIES] = response.meta.get(SERIES, (tuple(ENTRY), False))
            return thing
        return thing if verdict is None else self._extension.tagged(thing, verdict)


class PagekinDownloads:
    """Sees every request when its turn has come, before anybody can refuse or answer it."""

    def __init__(self, extension: PagekinExtension) -> None:
        self._extension = extension

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> PagekinDownloads:
        """Made by Scrapy; nothing without the extension."""
        return cls(_extension(crawler))

    def process_request(self, request: Request) -> None:
        self._extension.in_flight.start(request)

    def process_exception(self, request: Request, exception: Exception) -> None:
        """A refused request counts as a fetch without a page; a failed connection does not count."""
        if isinstance(exception, IgnoreRequest):
            self._extension.in_flight.refused(request)


def _extension(crawler: Crawler) -> PagekinExtension:
    extension = crawler.get_extension(PagekinExtension)
    if extension is None and _enabled(crawler):
        raise NotConfigured("PagekinExtension is not on; PagekinAddon in ADDONS turns it on")
    if extension is None:
        raise NotConfigured
    return extension
