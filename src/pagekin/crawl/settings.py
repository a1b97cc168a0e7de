"""Scrapy's settings for a crawl."""

from __future__ import annotations

from typing import Any

from pagekin.crawl.params import CrawlParams
from pagekin.crawl.resolver import ALLOW_PRIVATE, SEEDS
from pagekin.crawl.scope import Scope


def settings(params: CrawlParams) -> dict[str, Any]:
    """A polite crawl that sees every answer as it came."""
    return {
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "SCHEDULER": "pagekin.crawl.scheduler.FrontierScheduler",
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "pagekin.crawl.downloads.BoundedDownloads"),
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
            "pagekin.crawl.robots.Robots": 100,
            "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
            "pagekin.crawl.middleware.Recorder": 950,
        },
        "SPIDER_MIDDLEWARES": {
            "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
            "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
            "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
        },
        "DNS_RESOLVER": "pagekin.crawl.resolver.Resolver",
        SEEDS: Scope(params.seeds).seeds,
        ALLOW_PRIVATE: params.allow_private,
        "USER_AGENT": params.user_agent,
        "DOWNLOAD_DELAY": params.delay,
        "RANDOMIZE_DOWNLOAD_DELAY": False,
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_TIMEOUT": params.timeout,
        "DOWNLOAD_MAXSIZE": params.max_page_bytes,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_FAIL_ON_DATALOSS": False,
        "RETRY_TIMES": 1,
        # Of robots.txt: those of pages are ours to follow.
        "REDIRECT_MAX_TIMES": 5,
        # Without cookies no server can show us other pages than it shows to others.
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_ENABLED": False,
        "LOG_INSTALL_ROOT_HANDLER": False,
        "STATS_DUMP": False,
        "EXTENSIONS": {"scrapy.extensions.logstats.LogStats": None},
    }
