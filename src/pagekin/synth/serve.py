"""A CMS-like site on loopback, for crawlers to be tried on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import lru_cache
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import TypeVar

from pagekin.synth.cms_site import CmsSite, View
from pagekin.synth.prose import Document, document
from pagekin.synth.rand import rng_for
from pagekin.synth.vocabulary import vocabulary

S = TypeVar("S", bound=BaseServer)

LANGUAGE = "qaa-Latn"
WORDS = 220
AROUND = 10


@lru_cache(maxsize=4096)
def _document(seed: int, number: int | str, words: int = WORDS) -> Document:
    return document(rng_for(seed, "served", number), vocabulary(LANGUAGE, seed), words)


def html_of(site: CmsSite, view: View) -> str:
    """The page that shows a view."""
    parts = [f"<title>{escape(view.title)}</title>"]
    around = " ".join(_document(site.seed, "around", AROUND).paragraphs[0])
    parts.append(f"<header>{around}</header>")
    parts.append(f"<h1>{escape(view.title)}</h1>")
    if view.note:
        parts.append(f"<p>{escape(view.note)}</p>")
    for number in view.documents:
        paragraphs = _document(site.seed, number).paragraphs
        if view.whole:
            parts += [f"<p>{' '.join(paragraph)}</p>" for paragraph in paragraphs]
        else:
            parts.append(f"<li>{escape(site.title(number))}: {' '.join(paragraphs[0][:20])}")
    if view.content == "empty month":
        body = _document(site.seed, "empty", WORDS)
        parts += [f"<p>{' '.join(paragraph)}</p>" for paragraph in body.paragraphs]
    # What is written on links is part of the text, and would tell views apart that show the same.
    parts += [f'<a href="{escape(link)}"><img alt=""></a>' for link, _ in view.links]
    if not view.bare:
        parts.append(f"<footer>{around}</footer>")
    return "<!doctype html><html><head>" + parts[0] + "</head><body>" + "".join(parts[1:]) + "</body></html>"


class SiteServer(ThreadingHTTPServer):
    """Counts what is asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, site: CmsSite) -> None:
        self.site = site
        self.requests: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        """Where the site begins."""
        return f"http://127.0.0.1:{self.server_address[1]}/"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SiteServer

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
            self._send(404, "", "text/plain")
            return
        self.server.requests.append(self.path)
        view = self.server.site.view(self.path)
        self._send(
            404 if view.content is None else 200, html_of(self.server.site, view), "text/html; charset=utf-8"
        )

    def _send(self, status: int, text: str, content_type: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def serving(server: S) -> Iterator[S]:
    """A server while it answers, in a thread of its own."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def served(site: CmsSite) -> AbstractContextManager[SiteServer]:
    """The site while it answers, on a port of 127.0.0.1 that was free."""
    return serving(SiteServer(site))
