"""Why two URLs lead to the same page, as far as the URLs tell (crates/core/src/causes/reasons.rs)."""

from __future__ import annotations

from typing import NamedTuple

from pagekin import _core


class Reason(NamedTuple):
    """A cause, and what it is about."""

    rank: int
    """the smaller, the less the URLs differ"""
    cause: str
    detail: str = ""


def role(parameter: str, value: str = "") -> str:
    """What a query parameter seems to be for.

    Examples:
        >>> [role(name) for name in ("PHPSESSID", "sort", "utm_source", "id")]
        ['session id', 'sort order', 'tracking', 'parameter']
        >>> role("view", "print")
        'print view'
    """
    return _core.parameter_role(parameter, value)


def reason(a: str, b: str, same_domain: bool, same_ip: bool) -> Reason | None:
    """Why `b` repeats `a`; None where the URLs have too little in common.

    Examples:
        >>> reason("http://a.example/x", "http://www.a.example/x", True, False)
        Reason(rank=1, cause='host alias', detail='www.')
        >>> reason("http://a.example/x?id=1", "http://a.example/x?id=1&sid=7", True, False)
        Reason(rank=2, cause='session id', detail='sid')
    """
    found = _core.url_reason(a, b, same_domain, same_ip)
    return None if found is None else Reason(*found)
