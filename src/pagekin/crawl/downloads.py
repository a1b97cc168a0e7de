"""Scrapy's downloads, but for headers without an end: Twisted would hold them until the time is up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MAX_HEAD = 256 << 10
"""Bytes of status lines and headers before a body; browsers take as many."""


class BoundedDownloads(HTTP11DownloadHandler):
    """Drops the connection to a server whose headers are too long, as if it had closed it."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        plain: Any = self._pool._factory

        class Factory(plain):  # type: ignore[misc]
            def buildProtocol(self, addr: Any) -> Any:  # noqa: N802
                protocol = super().buildProtocol(addr)
                _bound(protocol)
                return protocol

        self._pool._factory = Factory


def _bound(protocol: Any) -> None:
    """What comes before a body counts, also answers that only announce another (100, 103)."""
    receive, size = protocol.dataReceived, 0

    def received(data: bytes) -> None:
        nonlocal size
        receive(data)
        parser = protocol._parser
        size = size + len(data) if parser is not None and parser.state in ("STATUS", "HEADER") else 0
        if size > MAX_HEAD:
            protocol.transport.abortConnection()

    protocol.dataReceived = received
