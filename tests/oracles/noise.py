"""Noise: a page's HTML without its alphanumeric characters."""

from __future__ import annotations

import regex

_ALPHANUMERIC = regex.compile(r"[\p{Alphabetic}\p{Nd}\p{Nl}\p{No}]")


def is_alphanumeric(char: str) -> bool:
    """Alphabetic by the Unicode property, or a number of any kind (Nd, Nl, No)."""
    return _ALPHANUMERIC.fullmatch(char) is not None


def noise(html: str) -> str:
    """Everything but the alphanumeric characters, white space included.

    >>> noise('<p class="a1">Höhe 3 m²</p>')
    '< ="">  </>'
    """
    return "".join(char for char in html if not is_alphanumeric(char))


def edges(text: str) -> str:
    """What a text has before its first and behind its last alphanumeric character.

    >>> edges(" (one, two.) ")
    ' (.) '
    """
    alphanumeric = [at for at, char in enumerate(text) if is_alphanumeric(char)]
    return text[: alphanumeric[0]] + text[alphanumeric[-1] + 1 :] if alphanumeric else text
