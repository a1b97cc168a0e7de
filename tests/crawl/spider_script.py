"""Somebody's spider with pagekin's add-on, run by itself: prints items, stats and the reason as JSON."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.http import Response


@dataclasses.dataclass
class Fixed:
    """An item without a field for us."""

    url: str


ITEMS: list[Any] = []


class Collect:
    """A pipeline."""

    def process_item(self, item: Any) -> Any:
        ITEMS.append(item if isinstance(item, dict) else {"url": item.url})
        return item


class Theirs(scrapy.Spider):
    name = "theirs"
    reason = ""
    seen: list[Any] = []  # noqa: RUF012

    async def start(self) -> Any:
        yield scrapy.Request(self.url)  # type: ignore[attr-defined]

    def parse(self, response: Response) -> Iterator[Any]:
        self.seen.append(response.meta.get("pagekin"))
        yield Fixed(response.url) if self.fixed else {"url": response.url}  # type: ignore[attr-defined]
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, meta=response.meta)

    def closed(self, reason: str) -> None:
        type(self).reason = reason


def main() -> None:
    given = json.loads(sys.argv[1])
    fixed = given.pop("fixed", False)
    url = given.pop("url")
    settings = {
        "ADDONS": {"pagekin.crawl.extension.PagekinAddon": 500},
        "ITEM_PIPELINES": {Collect: 1},
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        "CLOSESPIDER_PAGECOUNT": 700,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        **given,
    }
    process = AsyncCrawlerProcess(settings)
    crawler = process.create_crawler(Theirs)
    done = process.crawl(crawler, url=url, fixed=fixed)
    process.start()
    done.result()
    assert crawler.stats is not None
    stats = {name: value for name, value in crawler.stats.get_stats().items() if name.startswith("pagekin")}
    errors = crawler.stats.get_value("spider_exceptions/count", 0)
    out = {"items": ITEMS, "stats": stats, "reason": Theirs.reason, "seen": Theirs.seen, "errors": errors}
    print(json.dumps(out))


if __name__ == "__main__":
    main()
