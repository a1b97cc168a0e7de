"""URLs taken apart; the pattern of a URL, which is its path shape and query keys; hashes of names."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import NamedTuple

from pagekin import _core

ROUTES = frozenset(
    [
        "act",
        "action",
        "cmd",
        "do",
        "format",
        "layout",
        "mod",
        "mode",
        "module",
        "op",
        "option",
        "route",
        "task",
        "tmpl",
        "type",
        "view",
    ]
)
"""Query keys with which software chooses what to show, not of what: their values stay in patterns."""

_WORD = re.compile(r"[^\W\d_]{1,24}")
_NUMBER = re.compile(r"\d+")
_DATE = re.compile(r"(?:19|20)\d\d(?:-?[01]\d(?:-?[0-3]\d)?)?")
_ID = re.compile(r"(?=.*\d)[0-9a-fA-F-]{8,}|(?=.*\d)(?=.*[A-Za-z])[0-9A-Za-z]{16,}")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_IN_PATH = re.compile(r";([A-Za-z_]+)=([^/;]*)")


class ParsedUrl(NamedTuple):
    scheme: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    """Keys and values in order of the keys; `;jsessionid=…` in the path counts as one."""


def parse_url(url: str) -> ParsedUrl:
    """Takes a URL apart. Whatever comes in, something comes out.

    Examples:
        >>> parse_url("http://a.example/b;jsessionid=1F?z=2&y=1#top").query
        (('jsessionid', '1F'), ('y', '1'), ('z', '2'))
    """
    scheme, host, path, query = "", "", url, None
    if parts := _core.split_url(url):
        scheme, user, host, port, path, query, _ = parts
        # User and port tell sites apart too.
        if user is not None:
            host = f"{user.lower()}@{host}"
        if port is not None:
            host = f"{host}:{port}"
    pairs: list[tuple[str, str]] = []
    for part in (query or "").split("&"):
        if part:
            key, _, value = part.partition("=")
            pairs.append((key, value))
    if ";" in path:
        pairs += _IN_PATH.findall(path)
        path = _IN_PATH.sub("", path)
    return ParsedUrl(scheme, host, path or "/", tuple(sorted(pairs)))


def absolute(href: str, base: str | None = None) -> str | None:
    """The URL that a reference means on a page, spelled as those of links are; None if it leads nowhere.

    Examples:
        >>> absolute("../b?x#top", "http://a.example/c/d")
        'http://a.example/b?x'
        >>> absolute("http://bücher.example:80/a/../b")
        'http://xn--bcher-kva.example/b'
    """
    return _core.resolve_url(base, href)


def segment_shape(segment: str) -> str:
    """What a path segment looks like.

    Examples:
        >>> [segment_shape(s) for s in ("2019", "17", "blue-shoes.html", "shoes", "9f86d081884c7d65")]
        ['{date}', '{n}', '{s}.html', '{w}', '{id}']
    """
    extension = _EXTENSION.search(segment)
    end = extension[0].lower() if extension else ""
    stem = segment[: extension.start()] if extension else segment
    for pattern, name in ((_DATE, "{date}"), (_NUMBER, "{n}"), (_ID, "{id}"), (_WORD, "{w}")):
        if pattern.fullmatch(stem):
            return name + end
    return ("{s}" if stem else "") + end


def url_pattern(url: ParsedUrl) -> str:
    """Host, path shape and query keys.

    Folders are kept as they are while they are plain words: they tell sections of a site apart. The last
    segment is always a shape, since it tells pages apart.

    Examples:
        >>> url_pattern(parse_url("http://a.example/news/2019/blue-shoes.html?id=7&view=print"))
        'a.example/news/{date}/{s}.html?id&view=print'
    """
    *folders, last = url.path.split("/")[1:] or [""]
    kept = [s if _WORD.fullmatch(s) else segment_shape(s) for s in folders]
    path = "/".join(("", *kept, segment_shape(last)))
    keys = dict.fromkeys(f"{k}={v}" if k in ROUTES and _WORD.fullmatch(v) else k for k, v in url.query)
    return url.host + path + ("?" + "&".join(keys) if keys else "")


def name_hash(*parts: str) -> int:
    """64 bits, signed, that stand for names: the same in every process, unlike Python's own hash."""
    data = "\0".join(parts).encode("utf-8", "replace")
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little", signed=True)
