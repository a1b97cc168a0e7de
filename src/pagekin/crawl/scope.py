"""Which addresses belong to a crawl, and which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.urls import absolute

HOST, DOMAIN, PREFIX = "host", "domain", "prefix"
SCOPES = (HOST, DOMAIN, PREFIX)

MAX_URL = 2000
MAX_SEGMENTS = 24
MAX_REPEATS = 3
"""A path that repeats a segment more often is the work of relative links that pile up."""
MAX_PAIRS = 16
"""A query with more keys and values is one that pages add to."""

NO_PAGES = frozenset(
    [
        "7z",
        "aac",
        "apk",
        "avi",
        "bin",
        "bmp",
        "bz2",
        "css",
        "csv",
        "deb",
        "dmg",
        "doc",
        "docx",
        "epub",
        "exe",
        "flac",
        "gif",
        "gz",
        "ico",
        "iso",
        "jar",
        "jpeg",
        "jpg",
        "js",
        "json",
        "m4a",
        "m4v",
        "mid",
        "mkv",
        "mov",
        "mp3",
        "mp4",
        "mpeg",
        "mpg",
        "msi",
        "odp",
        "ods",
        "odt",
        "ogg",
        "ogv",
        "otf",
        "pdf",
        "png",
        "ppt",
        "pptx",
        "ps",
        "rar",
        "rpm",
        "rss",
        "rtf",
        "svg",
        "swf",
        "tar",
        "tgz",
        "tif",
        "tiff",
        "ttf",
        "wasm",
        "wav",
        "webm",
        "webp",
        "wmv",
        "woff",
        "woff2",
        "xls",
        "xlsx",
        "xml",
        "xz",
        "zip",
        "zst",
    ]
)
"""File name endings of what is no page."""

_SCHEME = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)
_NETLOC = re.compile(r"[a-z]+://([^/?#]*)", re.IGNORECASE)
_OTHER = re.compile(r"[a-z][a-z0-9+-]*:(?!\d)", re.IGNORECASE)  # mailto:…, but not localhost:8000


class Scope:
    """The hosts, domains or prefixes of the seeds."""

    def __init__(self, seeds: Sequence[str], kind: str = HOST) -> None:
        self.seeds = [normal_seed(url) for url in seeds]
        self.kind = kind
        self._allowed = {self._key(url) for url in self.seeds}

    def refuses(self, url: str) -> str | None:
        """Why an address is not fetched; None if it may be."""
        if not _SCHEME.match(url):
            return "not-http"
        if _has_userinfo(url):
            return "userinfo"
        if not self._inside(url):
            return "outside"
        return _trap(url)

    def admit(self, seed: str, location: str) -> None:
        """A seed that redirects within its domain takes the crawl along: example.org to www.example.org."""
        if self.kind == HOST and _domain(seed) == _domain(location) and _SCHEME.match(location):
            self._allowed.add(self._key(location))

    def _inside(self, url: str) -> bool:
        if self.kind == PREFIX:
            return any(_without_scheme(url).startswith(prefix) for prefix in self._allowed)
        return self._key(url) in self._allowed

    def _key(self, url: str) -> str:
        if self.kind == HOST:
            return _netloc(url)
        if self.kind == DOMAIN:
            return _domain(url)
        return _without_scheme(url).partition("?")[0].rpartition("/")[0] + "/"


def normal_seed(url: str) -> str:
    """An address to begin with, written as links to it are."""
    url = url.strip()
    if "://" not in url and not _OTHER.match(url):
        url = f"http://{url}"
    if _has_userinfo(url):
        raise UsageError(
            f"{_netloc(url)} is given with a user name or password, which a crawl would send and store; "
            "leave out what comes before the @"
        )
    seed = absolute(url) if _SCHEME.match(url) else None
    if seed is None:
        raise UsageError(f"{url!r} is not an address to crawl; give for instance https://www.example.org/")
    return seed


def _has_userinfo(url: str) -> bool:
    match = _NETLOC.match(url)
    return match is not None and "@" in match[1]


def _without_scheme(url: str) -> str:
    _, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return host.lower() + slash + path


def _netloc(url: str) -> str:
    match = _NETLOC.match(url)
    return match[1].rpartition("@")[2].lower() if match else ""


def _domain(url: str) -> str:
    host = _core.host(url)
    return _core.domain(host) if host else ""


def _trap(url: str) -> str | None:
    if len(url) > MAX_URL:
        return "too-long"
    path, _, query = url.partition("#")[0].partition("?")
    segments = path.split("/")[3:]
    if len(segments) > MAX_SEGMENTS or query.count("&") >= MAX_PAIRS:
        return "trap"
    named = [segment for segment in segments if segment]
    if len(named) > MAX_REPEATS and max(map(named.count, set(named))) > MAX_REPEATS:
        return "trap"
    if not query and segments:
        stem, dot, ending = segments[-1].rpartition(".")
        if dot and stem and ending.lower() in NO_PAGES:
            return "no-page"
    return None
