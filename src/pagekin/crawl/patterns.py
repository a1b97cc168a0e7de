"""What made a URL new: its pattern, and the parts without which it was met before.

    https://shop.example/list/shoes?sort=price&sid=8f3a…   →  pattern   shop.example/list/{w}?sid&sort
                                                              again     sid, if /list/shoes?sort=price was
                                                                        met before with another sid or none

A *pattern* says where pages of one kind live. *Again* names the parts of a URL (query keys, the host
name) without which it was met before: pages that differ in `sid` alone tend to be the same, pages that differ
in `id` alone do not. A pattern and one such part are an *arm*: the unit by which the crawler learns where new
pages are.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from pagekin.urls import name_hash, parse_url, url_pattern

MAX_KEYS = 8
"""URLs with more query keys than this are told apart by their pattern only."""

HOST = "(host)"
"""Stands for host name and scheme: but for it http://example.org/a is https://www.example.org/a again."""


class Arm(NamedTuple):
    """A pattern, and the part of the URL without which it was met before, if there is one."""

    host: str
    pattern: str
    again: str = ""

    def __str__(self) -> str:
        return self.pattern + (f" (again but for {self.again})" if self.again else "")


@lru_cache(maxsize=1 << 16)
def general(pattern: str) -> str:
    """The pattern without the names of its folders: what `/users/ann/…` and `/users/bob/…` have in common.

    Several names in a row are as one: filters are often folders, in any number.

    Examples:
        >>> general("a.example/users/ann/{n}/{w}.html?id")
        'a.example/{w}/{n}/{w}.html?id'
    """
    path, mark, query = pattern.partition("?")
    host, *folders = path.split("/")
    named = [folder if not folder or "{" in folder else "{w}" for folder in folders[:-1]]
    kept = [
        name for name, before in zip(named, ["", *named], strict=False) if name != "{w}" or before != name
    ]
    return "/".join([host, *kept, *folders[-1:]]) + mark + query


class NewUrl(NamedTuple):
    """A URL that was not met before: its host, its pattern, and the parts without which it was."""

    host: str
    pattern: str
    again: tuple[str, ...]


class SeenUrls:
    """Every URL met so far, and the same without each of its parts: a number for each in a set."""

    def __init__(self) -> None:
        self._met: set[int] = set()
        self._without: set[int] = set()

    def add(self, url: str) -> NewUrl | None:
        """What is new about a URL; None if nothing is."""
        parsed = parse_url(url)
        scheme, host, path, query = parsed
        pairs = [f"{key}={value}" for key, value in query]
        itself = name_hash(scheme, host, path, *pairs)
        if itself in self._met:
            return None
        # Without its host it is told by path and query; without a key by the rest, and by which key that is.
        without = {HOST: name_hash(path, *pairs)}
        again = [HOST] if without[HOST] in self._without else []
        keys = dict.fromkeys([key for key, _ in query])
        if len(keys) <= MAX_KEYS:
            for key in keys:
                rest = name_hash(scheme, host, path, *[f"{k}={v}" for k, v in query if k != key])
                without[key] = rest ^ _key(key)
                if rest in self._met or without[key] in self._without:
                    again.append(key)
        self._met.add(itself)
        self._without.update(without.values())
        return NewUrl(host, url_pattern(parsed), tuple(again))


@lru_cache(maxsize=4096)
def _key(key: str) -> int:
    return name_hash(key)
