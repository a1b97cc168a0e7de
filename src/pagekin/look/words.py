"""Numbers and URLs as people read them: one form for the report, the review app and the terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import datetime
from typing import Any

UNKNOWN = "–"
"""What stands where a table holds nothing."""

NO_SITE = "no site"
"""What stands for the site of a page whose URL names none."""

URL_WIDTH = 56
"""Characters of a URL that are shown."""


def plain(value: object) -> str:
    """A text of a page in one line, without characters that steer a screen or turn the writing around.

    Examples:
        >>> plain("a\\x1b[31m\\u202eb\\nc")
        'a [31m b c'
    """
    return "".join(c if unicodedata.category(c)[0] != "C" else " " for c in str(value))


def count(number: float) -> str:
    """A count with separators; a mean keeps one decimal.

    Examples:
        >>> count(37332), count(9.04)
        ('37,332', '9.0')
    """
    return f"{number:,}" if isinstance(number, int) else f"{number:,.1f}"


def percent(share: float) -> str:
    """A share as a percentage. What is there but would round to nothing, or to all, says so.

    Examples:
        >>> percent(0.0716), percent(0), percent(0.00001), percent(0.99999), percent(1)
        ('7.2%', '0%', '< 0.1%', '> 99.9%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if 0 < share < 0.0005:
        return "< 0.1%"
    if 0.9995 <= share < 1:
        return "> 99.9%"
    return f"{share:.1%}"


def similarity(value: float) -> str:
    """A similarity with two digits.

    Examples:
        >>> similarity(0.9375)
        '0.94'
    """
    return f"{value:.2f}"


def megabytes(size: float) -> str:
    """A size in bytes, as MB.

    Examples:
        >>> megabytes(568_000_000), megabytes(12_300)
        ('568 MB', '0.01 MB')
    """
    mb = size / 1e6
    return f"{mb:,.0f} MB" if mb >= 10 else f"{mb:.1f} MB" if mb >= 0.1 else f"{mb:.2f} MB"


def seconds(value: float) -> str:
    """A duration.

    Examples:
        >>> seconds(0.04), seconds(75), seconds(7300)
        ('0.0 s', '1 min 15 s', '2 h 1 min')
    """
    if value < 60:
        return f"{value:.1f} s"
    whole = int(value)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def plural(number: int, one: str, many: str | None = None) -> str:
    """A count and its noun.

    Examples:
        >>> plural(1, "page"), plural(1200, "page"), plural(2, "copy", "copies")
        ('1 page', '1,200 pages', '2 copies')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def short_url(url: str, width: int = URL_WIDTH) -> str:
    """A URL cut in the middle: where it is and how it ends say the most.

    Examples:
        >>> short_url("https://www.example.org/a/very/long/path/to/some/page.html?id=1", 40)
        'www.example.org/a/very…me/page.html?id=1'
        >>> short_url("http://a.example/")
        'a.example/'
    """
    shown = plain(url)
    for scheme in ("https://", "http://"):
        shown = shown.removeprefix(scheme)
    if len(shown) <= width:
        return shown
    tail = (width - 1) * 9 // 20
    return f"{shown[: width - 1 - tail]}…{shown[-tail:]}"


def short(text: str, width: int) -> str:
    shown = plain(text)
    return shown if len(shown) <= width else shown[: width - 1].rstrip() + "…"


def scaled(value: float) -> str:
    """A number on an axis: 1, 10, 100, 1k, 10k, 1M.

    Examples:
        >>> [scaled(n) for n in (0, 0.01, 0.5, 20, 1000, 2500, 10**6, 3 * 10**9)]
        ['0', '0.01', '0.5', '20', '1k', '2.5k', '1M', '3G']
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def day(value: datetime) -> str:
    """A date.

    Examples:
        >>> day(datetime(2026, 11, 6))
        '6 November 2026'
    """
    return f"{value.day} {value:%B %Y}"


FORMS: dict[str, Callable[[Any], str]] = {
    "text": plain,
    "id": str,
    "count": count,
    "percent": percent,
    "similarity": similarity,
    "megabytes": megabytes,
    "seconds": seconds,
    "url": short_url,
    "scaled": scaled,
}
"""How a column is written, by name."""

NUMBERS = frozenset({"count", "percent", "similarity", "megabytes", "seconds", "scaled"})
"""Forms of numbers: they stand on the right."""
