"""Why two URLs lead to the same page, as far as the URLs tell (docs/decisions/0044-causes.md)."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from pagekin.urls import ParsedUrl, parse_url

ROLES = {
    "session id": r"(php|j|asp|osc|sc|zen)?[-_]?sess(ion)?([-_]?(id|key|hash|token))?|"
    r"aspsessionid\w*|s_?id|oscsid|zenid|cfid|cftoken",
    "print view": r"print(able|er|ing)?([-_]?(view|friendly|version|page|mode|ready|layout))?|pf|pdf|plain",
    "sort order": r"sort(ed|ing)?([-_]?(by|on|order|dir(ection)?|col(umn)?|field|key|type))?|"
    r"order(ed|ing)?([-_]?(by|dir(ection)?))?|dir|asc|desc|o",
    "calendar": r"date|day|month|year|week|cal(endar)?([-_]?(view|date|day|month|year))?",
    "paging": r"page(d|s)?([-_]?(no|num(ber)?|index|size|start))?|p|pg|start|offset|limit|per_?page|begin",
    "tracking": r"utm_.*|gclid|fbclid|ref|referrer|referer|source|campaign|from",
}
"""What the name of a query parameter suggests."""

_ROLES = {role: re.compile(names, re.IGNORECASE) for role, names in ROLES.items()}
_PRINT = re.compile(r"print(able|er|view|[-_]?version|er[-_]?friendly)?|pf", re.IGNORECASE)
_PRINTED = re.compile(rf"[-_.](?:{_PRINT.pattern})(?=\.|$)|^(?:{_PRINT.pattern})[-_.](?=.)", re.IGNORECASE)
_SORTED = re.compile(
    r"/(?:sort(?:ed|ing)?(?:[-_]?by)?|order[-_]?by)(?:/|[-_:=])[^/]+(?:/(?:asc|desc))?(?=/|$)", re.IGNORECASE
)
_INDEX = re.compile(r"/(index|default)\.\w{2,5}$", re.IGNORECASE)


class Reason(NamedTuple):
    """A cause, and what it is about."""

    rank: int
    """the smaller, the less the URLs differ"""
    cause: str
    detail: str = ""


def role(parameter: str, value: str = "") -> str:
    """What a query parameter seems to be for."""
    if _PRINT.fullmatch(value):
        return "print view"
    return next((found for found, names in _ROLES.items() if names.fullmatch(parameter)), "parameter")


def reason(one: str, other: str, same_domain: bool, same_ip: bool) -> Reason | None:
    """Why `other` repeats `one`; None where the URLs have too little in common."""
    a, b = parse_url(one), parse_url(other)
    if (a.path, a.query) == (b.path, b.query):
        return _host(a, b, same_domain, same_ip)
    if a.host.removeprefix("www.") != b.host.removeprefix("www."):
        return None
    if a.path == b.path:
        return _parameters(a, b)
    if a.query == b.query and _spelling(a.path) == _spelling(b.path):
        return Reason(3, "spelling of the path")
    if a.query == b.query:
        return _path(a.path, b.path)
    return None


def _path(a: str, b: str) -> Reason | None:
    """Views that have a folder or a file of their own."""
    if _spelling(_SORTED.sub("", a)) == _spelling(_SORTED.sub("", b)):
        return Reason(4, "sort order")
    if _spelling(_unprinted(a)) == _spelling(_unprinted(b)):
        return Reason(4, "print view")
    # One part instead of another: /print/7 for /node/7, /print.php?id=7 for /article.php?id=7.
    parts, others = a.split("/"), b.split("/")
    if len(parts) == len(others):
        different = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
        if len(different) == 1 and any(_PRINT.fullmatch(part.partition(".")[0]) for part in different[0]):
            return Reason(5, "print view")
    return None


def _unprinted(path: str) -> str:
    """The path without the parts that ask for a print view."""
    parts = [part for part in path.split("/") if not _PRINT.fullmatch(part)]
    return "/".join(_PRINTED.sub("", part) for part in parts)


def _host(a: ParsedUrl, b: ParsedUrl, same_domain: bool, same_ip: bool) -> Reason:
    if a.host == b.host:
        same = a.scheme == b.scheme
        return Reason(0, "fetched again") if same else Reason(0, "scheme", f"{a.scheme} and {b.scheme}")
    if a.host.removeprefix("www.") == b.host.removeprefix("www."):
        return Reason(1, "host alias", "www.")
    if same_ip:
        return Reason(1, "host alias", f"one address: {a.host}")
    return Reason(5, "host alias" if same_domain else "mirror", a.host)


def _parameters(a: ParsedUrl, b: ParsedUrl) -> Reason | None:
    different = set(a.query) ^ set(b.query)
    keys = sorted({key for key, _ in different})
    if not keys:
        # The same parameters, one of them twice.
        return Reason(3, "spelling of the query")
    roles = {role(key, value) for key, value in different} - {"parameter"}
    cause = roles.pop() if len(roles) == 1 else "parameter"
    return Reason(1 + len(keys), cause, "&".join(keys))


def _spelling(path: str) -> str:
    path = _INDEX.sub("/", re.sub("/+", "/", unquote(path)))
    return path.rstrip("/").casefold()
