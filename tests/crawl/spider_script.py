"""Somebody's spider with pagekin's add-on, run by itself: prints items, stats and the reason as JSON.

Beside settings it can be given:

    url         where it begins
    fixed       its items have no field for us
    slow        its callback is asynchronous
    copies      its requests get all of the response's meta, also what Scrapy has in there
    extra       links that it follows from every page; {n} in them is a new number each time
    allowed     its `allowed_domains`
    custom      its `custom_settings`
    posts       so many forms are posted after 80 views of one page
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from collections.abc import AsyncIterator, Iterator
from itertools import count
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response


@dataclasses.dataclass
class Fixed:
    """An item without a field for us."""

    url: str


ITEMS: list[Any] = []
NUMBERS = count(1)


class Collect:
    def process_item(self, item: Any) -> Any:
        ITEMS.append(item if isinstance(item, dict) else {"url": item.url})
        return item


class Theirs(scrapy.Spider):
    name = "theirs"
    reason = ""
    seen: list[Any] = []  # noqa: RUF012
    url = ""
    fixed = False
    copies = False
    extra: list[str] = []  # noqa: RUF012
    posts = 0

    async def start(self) -> Any:
        if self.posts:
            for number in range(80):
                yield scrapy.Request(f"{self.url}?sid={number}", self.leaf, priority=10)
            for number in range(self.posts):
                yield scrapy.FormRequest(f"{self.url}form", self.leaf, formdata={"page": str(number)})
        else:
            yield scrapy.Request(self.url)

    def leaf(self, response: Response) -> Iterator[Any]:
        yield {"url": response.url}

    def parse(self, response: Response, **_: Any) -> Any:
        self.seen.append(response.meta.get("pagekin"))
        yield Fixed(response.url) if self.fixed else {"url": response.url}
        links = response.css("a::attr(href)").getall()
        for link in links + [link.format(n=next(NUMBERS)) for link in self.extra]:
            yield response.follow(link, meta=response.meta if self.copies else None)

    def closed(self, reason: str) -> None:
        type(self).reason = reason


class Slow(Theirs):
    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        for thing in super().parse(response):
            await asyncio.sleep(0)
            yield thing


def main() -> None:
    given = json.loads(sys.argv[1])
    spider: type[Theirs] = Slow if given.pop("slow", False) else Theirs
    for name, attribute in (("allowed", "allowed_domains"), ("custom", "custom_settings")):
        if name in given:
            setattr(spider, attribute, given.pop(name))
    own = {name: given.pop(name) for name in ("url", "fixed", "copies", "extra", "posts") if name in given}
    settings = {
        "ADDONS": {"pagekin.crawl.extension.PagekinAddon": 500},
        "ITEM_PIPELINES": {Collect: 1},
        "LOG_LEVEL": "WARNING",
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CLOSESPIDER_PAGECOUNT": 700,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        **given,
    }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(spider)
    done = process.crawl(crawler, **own)
    process.start()
    done.result()
    assert crawler.stats is not None
    stats = crawler.stats.get_stats()
    print(
        json.dumps(
            {
                "items": ITEMS,
                "stats": {name: value for name, value in stats.items() if name.startswith("pagekin")},
                "theirs": {name: value for name, value in stats.items() if isinstance(value, int)},
                "reason": spider.reason,
                "seen": Theirs.seen,
                "errors": stats.get("spider_exceptions/count", 0),
            }
        )
    )


if __name__ == "__main__":
    main()
