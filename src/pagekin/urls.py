"""URLs taken apart; the pattern of a URL, which is its path shape and query keys; hashes of names."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from pagekin import _core


class UrlParts(NamedTuple):
    """The parts of a URL as written, but for scheme and host in lower case and without a default port."""

    scheme: str
    userinfo: str | None
    host: str
    port: str | None
    path: str
    query: str | None
    fragment: str | None

    @property
    def netloc(self) -> str:
        """Host and port, without user name and password."""
        return self.host if self.port is None else f"{self.host}:{self.port}"


class ParsedUrl(NamedTuple):
    scheme: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    """Keys and values in order of the keys; `;jsessionid=…` in the path counts as one."""


def split_url(url: str) -> UrlParts | None:
    """The parts of a URL; None for what names no host: `mailto:`, relative references.

    Examples:
        >>> split_url("HTTPS://user@A.example:8443/b?c").netloc
        'a.example:8443'
    """
    found = _core.split_url(url)
    return None if found is None else UrlParts(*found)


def parse_url(url: str) -> ParsedUrl:
    """Takes a URL apart. Never fails: what names no host is all path.

    Examples:
        >>> parse_url("http://a.example/b;jsessionid=1F?z=2&y=1#top").query
        (('jsessionid', '1F'), ('y', '1'), ('z', '2'))
    """
    scheme, host, path, query = _core.parse_url(url)
    return ParsedUrl(scheme, host, path, tuple(query))


def absolute(href: str, base: str | None = None) -> str | None:
    """The URL that a reference means on a page, spelled as those of links are; None if it leads nowhere.

    Examples:
        >>> absolute("../b?x#top", "http://a.example/c/d")
        'http://a.example/b?x'
        >>> absolute("http://bücher.example:80/a/../b")
        'http://xn--bcher-kva.example/b'
    """
    return _core.resolve_url(base, href)


def url_pattern(url: ParsedUrl) -> str:
    """Host, path shape and query keys.

    Folders are kept as they are while they are plain words: they tell sections of a site apart. The last
    segment is always a shape, since it tells pages apart.

    Examples:
        >>> url_pattern(parse_url("http://a.example/news/2019/blue-shoes.html?id=7&view=print"))
        'a.example/news/{date}/{s}.html?id&view=print'
    """
    return _core.url_pattern(url.host, url.path, list(url.query))


def name_hash(*parts: str) -> int:
    """64 bits, signed, that stand for names: the same in every process, unlike Python's own hash."""
    data = "\0".join(parts).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
