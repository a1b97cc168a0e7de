"""Text of unknown origin on a terminal."""

from __future__ import annotations

import json
import textwrap
import unicodedata
from functools import partial
from shutil import get_terminal_size
from typing import IO, Any

_OBEYED = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def escaped(text: str) -> str:
    """The same text with what a terminal would obey (cursor, colours, direction) written as in JSON."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(c) if unicodedata.category(c) in _OBEYED else c for c in text)


def fit_for(out: IO[Any], text: str) -> str:
    """Lines as they may go to a stream: escaped if it is a terminal. Files and pipes get them as they are."""
    return "\n".join(map(escaped, text.split("\n"))) if out.isatty() else text


def folded(out: IO[Any], text: str) -> str:
    """Lines for a stream. A terminal that is too narrow would break words; here lines end between them."""
    if not out.isatty():
        return text
    room = max(get_terminal_size().columns, 20)
    fold = partial(
        textwrap.fill, width=room, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(map(fold, text.split("\n")))


def _escape(character: str) -> str:
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]
