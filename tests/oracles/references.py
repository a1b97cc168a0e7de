"""Character references: what `&amp;` and `&#38;` stand for, by the HTML standard."""

from __future__ import annotations

from html.entities import html5
from string import ascii_letters, digits, hexdigits

# Sets, not strings: `"" in "abc"` is true, and "" is what stands for the end of the page.
ALPHANUMERICS = frozenset(ascii_letters + digits)
DECIMAL = frozenset(digits)
HEXADECIMAL = frozenset(hexdigits)
LONGEST_NAME = max(map(len, html5))


def reference(html: str, at: int, *, in_attribute: bool) -> tuple[str, int]:
    """What an `&` that ends at `at` stands for, and where its reference ends. "&" when it begins none."""
    if html[at : at + 1] == "#":
        return _number(html, at)
    for length in range(LONGEST_NAME, 0, -1):
        name = html[at : at + length]
        if name in html5:
            following = html[at + len(name) : at + len(name) + 1]
            if in_attribute and name[-1] != ";" and (following == "=" or following in ALPHANUMERICS):
                return "&", at
            return html5[name], at + len(name)
    return "&", at


def _number(html: str, before: int) -> tuple[str, int]:
    at = before + 1
    base, allowed = 10, DECIMAL
    if html[at : at + 1] in {"x", "X"}:
        at += 1
        base, allowed = 16, HEXADECIMAL
    start, code = at, 0
    while html[at : at + 1] in allowed:
        code = min(code * base + int(html[at], base), 0x110000)
        at += 1
    if at == start:
        return "&", before
    return numeric_reference(code), at + 1 if html[at : at + 1] == ";" else at


def numeric_reference(code: int) -> str:
    if code == 0 or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if 0x80 <= code <= 0x9F:
        # Five of these 32 bytes are nothing in windows-1252; they stay the control characters they are.
        return bytes([code]).decode("cp1252", errors="ignore") or chr(code)
    return chr(code)
