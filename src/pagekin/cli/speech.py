"""Errors speak Python; on the command line the same things are flags."""

from __future__ import annotations

import re

_RULES = (
    (re.compile(r"\b([a-z_]+)=True\b"), lambda match: "--" + match[1].replace("_", "-")),
    (re.compile(r"\b([a-z_]+)=\.\.\."), lambda match: "--" + match[1].replace("_", "-")),
    (re.compile(r'\bonly=\["(\w+)"\]'), lambda match: f"--only {match[1]}"),
    (re.compile(r"`pagekin\.(\w+)`"), lambda match: f"`pagekin {match[1]}`"),
)


def as_flags(message: str) -> str:
    """A message of the library in the words of the command line.

    Examples:
        >>> as_flags("add resume=True to go on")
        'add --resume to go on'
    """
    for pattern, said in _RULES:
        message = pattern.sub(said, message)
    return message
