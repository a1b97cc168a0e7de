"""Which URLs belong to a crawl, and which lead nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pagekin import _core
from pagekin.errors import UsageError
from pagekin.urls import UrlParts, absolute, split_url

HOST, DOMAIN, PREFIX = "host", "domain", "prefix"
SCOPES = (HOST, DOMAIN, PREFIX)

MAX_URL = 2000
MAX_SEGMENTS = 24
MAX_REPEATS = 3
"""A path that repeats a segment more often is the work of relative links that pile up."""
MAX_PAIRS = 16
"""A query with more keys and values is taken for one that grows from link to link."""

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

_OTHER = re.compile(r"[a-z][a-z0-9+-]*:(?!\d)", re.IGNORECASE)  # mailto:…, but not localhost:8000


class Scope:
    """The hosts, domains or prefixes of the seeds."""

    def __init__(self, seeds: Sequence[str], kind: str = HOST) -> None:
        self.seeds = [normal_seed(url) for url in seeds]
        self.kind = kind
        self._allowed = {self._key(parts) for seed in self.seeds if (parts := split_url(seed))}

    def refuses(self, url: str) -> str | None:
        """Why a URL is not fetched; None if it may be."""
        parts = split_url(url)
        if parts is None or not _is_http(parts):
            return "not-http"
        if parts.userinfo is not None:
            return "userinfo"
        if not self._inside(parts):
            return "outside"
        return "too-long" if len(url) > MAX_URL else _trap(parts)

    def admit(self, seed: str, location: str) -> None:
        """A seed that redirects within its domain takes the crawl along: example.org to www.example.org."""
        old, new = split_url(seed), split_url(location)
        if self.kind == HOST and old and new and _is_http(new) and _domain(old) == _domain(new):
            self._allowed.add(self._key(new))

    def _inside(self, url: UrlParts) -> bool:
        if self.kind == PREFIX:
            return any((url.netloc + url.path).startswith(prefix) for prefix in self._allowed)
        return self._key(url) in self._allowed

    def _key(self, url: UrlParts) -> str:
        if self.kind == HOST:
            return url.netloc
        if self.kind == DOMAIN:
            return _domain(url)
        return url.netloc + url.path.rpartition("/")[0] + "/"


def normal_seed(url: str) -> str:
    """A URL to begin with, written as links to it are."""
    url = url.strip()
    if "://" not in url and not _OTHER.match(url):
        url = f"http://{url}"
    parts = split_url(url)
    if parts is not None and parts.userinfo is not None:
        raise UsageError(
            f"{parts.netloc} is given with a user name or password, which a crawl would send and store; "
            "leave out what comes before the @"
        )
    seed = absolute(url) if parts is not None and _is_http(parts) else None
    if seed is None:
        raise UsageError(f"{url!r} is not a URL to crawl; give for instance https://www.example.org/")
    return seed


def _is_http(url: UrlParts) -> bool:
    return url.scheme in ("http", "https") and bool(url.host)


def _domain(url: UrlParts) -> str:
    return _core.domain(url.host)


def _trap(url: UrlParts) -> str | None:
    query, segments = url.query or "", url.path.split("/")[1:]
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
