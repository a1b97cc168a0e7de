"""What kind of address a URL is: its path shape, its query keys, and what made it new.

    https://shop.example/list/shoes?sort=price&sid=8f3a…   →  pattern   shop.example/list/{w}?sid&sort
                                                              again     sid, if /list/shoes?sort=price was
                                                                        met before with another sid or none

A *pattern* says where pages of one kind live. *Again* names the parts of an address (query keys, the host
name) without which it was met before: pages that differ in `sid` alone tend to be the same, pages that differ
in `id` alone do not. A pattern and one such part are an *arm*: the unit by which the crawler learns where new
pages are.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

MAX_KEYS = 8
"""Addresses with more query keys than this are told apart by their pattern only."""

HOST = "(host)"
"""Stands for host name and scheme: but for it http://example.org/a is https://www.example.org/a again."""

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

_URL = re.compile(r"([a-z][a-z0-9+.-]*)://([^/?#]*)([^?#]*)(?:\?([^#]*))?", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{1,24}")
_NUMBER = re.compile(r"\d+")
_DATE = re.compile(r"(?:19|20)\d\d(?:-?[01]\d(?:-?[0-3]\d)?)?")
_ID = re.compile(r"(?=.*\d)[0-9a-fA-F-]{8,}|(?=.*\d)(?=.*[A-Za-z])[0-9A-Za-z]{16,}")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_IN_PATH = re.compile(r";([A-Za-z_]+)=([^/;]*)")


class Address(NamedTuple):
    """A URL taken apart."""

    scheme: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    """Keys and values in order of the keys; `;jsessionid=…` in the path counts as one."""


class Arm(NamedTuple):
    """A pattern, and the part of the address without which it was met before, if there is one."""

    host: str
    pattern: str
    again: str = ""

    def __str__(self) -> str:
        return self.pattern + (f" (again but for {self.again})" if self.again else "")


def parse(url: str) -> Address:
    """Takes a URL apart. Whatever comes in, something comes out.

    Examples:
        >>> parse("http://a.example/b;jsessionid=1F?z=2&y=1#top").query
        (('jsessionid', '1F'), ('y', '1'), ('z', '2'))
    """
    match = _URL.match(url)
    scheme, host, path, query = match.groups() if match else ("", "", url, None)
    pairs: list[tuple[str, str]] = []
    for part in (query or "").split("&"):
        if part:
            key, _, value = part.partition("=")
            pairs.append((key, value))
    if ";" in path:
        pairs += _IN_PATH.findall(path)
        path = _IN_PATH.sub("", path)
    return Address(scheme.lower(), host.lower(), path or "/", tuple(sorted(pairs)))


def shape(segment: str) -> str:
    """What a path segment looks like.

    Examples:
        >>> [shape(s) for s in ("2019", "17", "blue-shoes.html", "shoes", "9f86d081884c7d65")]
        ['{date}', '{n}', '{s}.html', '{w}', '{id}']
    """
    extension = _EXTENSION.search(segment)
    end = extension[0].lower() if extension else ""
    stem = segment[: extension.start()] if extension else segment
    for pattern, name in ((_DATE, "{date}"), (_NUMBER, "{n}"), (_ID, "{id}"), (_WORD, "{w}")):
        if pattern.fullmatch(stem):
            return name + end
    return ("{s}" if stem else "") + end


def pattern_of(address: Address) -> str:
    """Host, path shape and query keys.

    Folders are kept as they are while they are plain words: they tell sections of a site apart. The last
    segment is always a shape, since it tells pages apart.

    Examples:
        >>> pattern_of(parse("http://a.example/news/2019/blue-shoes.html?id=7&view=print"))
        'a.example/news/{date}/{s}.html?id&view=print'
    """
    *folders, last = address.path.split("/")[1:] or [""]
    kept = [s if _WORD.fullmatch(s) else shape(s) for s in folders]
    path = "/".join(("", *kept, shape(last)))
    keys = dict.fromkeys(f"{k}={v}" if k in ROUTES and _WORD.fullmatch(v) else k for k, v in address.query)
    return address.host + path + ("?" + "&".join(keys) if keys else "")


class Met(NamedTuple):
    """An address that was not met before: its host, its pattern, and the parts without which it was."""

    host: str
    pattern: str
    again: tuple[str, ...]


class Addresses:
    """Every address met so far, and the same without each of its parts: a number for each in a set."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._without: set[int] = set()

    def meet(self, url: str) -> Met | None:
        """What is new about an address; None if nothing is."""
        address = parse(url)
        scheme, host, path, query = address
        pairs = [f"{key}={value}" for key, value in query]
        itself = _hash(scheme, host, path, *pairs)
        if itself in self._met:
            return None
        # Without its host it is told by path and query; without a key by the rest, and by which key that is.
        without = {HOST: _hash(path, *pairs)}
        again = [HOST] if without[HOST] in self._without else []
        keys = dict.fromkeys([key for key, _ in query])
        if len(keys) <= MAX_KEYS:
            for key in keys:
                rest = _hash(scheme, host, path, *[f"{k}={v}" for k, v in query if k != key])
                without[key] = rest ^ _key(key)
                if rest in self._met or without[key] in self._without:
                    again.append(key)
        self._met.add(itself)
        self._without.update(without.values())
        return Met(host, pattern_of(address), tuple(again))


@lru_cache(maxsize=4096)
def _key(key: str) -> int:
    return _hash(key)


def _hash(*parts: str) -> int:
    return int.from_bytes(
        blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=8).digest(), "little"
    )
