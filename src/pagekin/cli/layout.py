"""Tables in as many columns as a terminal has: numbers stay whole, URLs and names give way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

GAP = "  "
MIN_WIDTH = 14
"""A text that gives way keeps so much room, or goes altogether."""
EASE = 26
"""Where a text has less room than this, headers are shortened first."""

SHORT = {
    "similarity": "sim.",
    "fraction": "frac.",
    "representative": "repr.",
    "originality": "orig.",
    "attributed": "attr.",
    "parameter": "param.",
    "duplicates": "dupl.",
    "popular": "pop.",
}
"""Words of a header that may be shortened where there is little room."""


@dataclass(frozen=True)
class TextColumn:
    """A column as text: what stands in it, whether it is a number, and whether it may be cut."""

    name: str
    cells: Sequence[str]
    number: bool = False
    gives: bool = False

    @property
    def width(self) -> int:
        return max(map(cell_width, self.cells), default=0)


def cell_width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def headers(name: str) -> list[list[str]]:
    """A header in its forms, from the widest to the narrowest: whole, in lines, in lines of short words."""
    words = name.split("_")
    return [[name], _lines(words), _lines([SHORT.get(word, word) for word in words])]


def _lines(words: Sequence[str]) -> list[str]:
    return [f"{word}_" for word in words[:-1]] + [words[-1]]


def widths_of(columns: Sequence[TextColumn], room: int) -> tuple[list[int], int] | None:
    """The width of each column and the form of the headers; None if the columns do not fit."""
    gaps = len(GAP) * (len(columns) - 1)
    for width_kept, form in ((EASE, 0), (EASE, 1), (EASE, 2), (MIN_WIDTH, 2)):
        heads = [max(map(cell_width, headers(column.name)[form])) for column in columns]
        whole = [max(column.width, head) for column, head in zip(columns, heads, strict=True)]
        needed = [
            max(min(width, width_kept), head) if column.gives else width
            for column, width, head in zip(columns, whole, heads, strict=True)
        ]
        spare = room - gaps - sum(needed)
        if spare >= 0:
            return _shared(needed, whole, spare), form
    return None


def _shared(needed: list[int], whole: Sequence[int], spare: int) -> list[int]:
    """What is left goes to the columns that want more, to the narrowest first."""
    while spare:
        hungry = [n for n, width in enumerate(needed) if width < whole[n]]
        if not hungry:
            break
        needed[min(hungry, key=lambda n: (needed[n], n))] += 1
        spare -= 1
    return needed


def table_lines(columns: Sequence[TextColumn], room: int) -> tuple[list[str], int, list[str]]:
    """The lines of a table, how many of them are its head, and the columns for which there is no room.

    If not even the numbers fit, each row is a list of names and values, and nothing is left out.
    """
    kept = list(columns)
    left_out: list[str] = []
    while (found := widths_of(kept, room)) is None:
        yielding = [column for column in kept if column.gives]
        if not yielding:
            return _records(columns, room), 0, []
        left_out.insert(0, yielding[-1].name)
        kept.remove(yielding[-1])
    widths, form = found
    heads = [headers(column.name)[form] if _narrow(column, width) else [column.name]
             for column, width in zip(kept, widths, strict=True)]  # fmt: skip
    height = max(map(len, heads))
    lines = []
    for number in range(height):
        words = [head[number - height + len(head)] if number >= height - len(head) else "" for head in heads]
        lines.append(_line(kept, words, widths))
    lines.append(GAP.join("─" * width for width in widths))
    rows = max((len(column.cells) for column in kept), default=0)
    lines += [_line(kept, [column.cells[row] for column in kept], widths) for row in range(rows)]
    return lines, height + 1, left_out


def _narrow(column: TextColumn, width: int) -> bool:
    return cell_width(column.name) > width


def _line(columns: Sequence[TextColumn], cells: Sequence[str], widths: Sequence[int]) -> str:
    parts = []
    for column, cell, width in zip(columns, cells, widths, strict=True):
        text = shortened(cell, width)
        space = " " * (width - cell_width(text))
        parts.append(space + text if column.number else text + space)
    return GAP.join(parts).rstrip()


def _records(columns: Sequence[TextColumn], room: int) -> list[str]:
    name = max((cell_width(column.name) for column in columns), default=0)
    lines: list[str] = []
    for row in range(len(columns[0].cells) if columns else 0):
        lines += [""] if row else []
        for column in columns:
            text = column.cells[row]
            shown = shortened(text, max(room - name - len(GAP), MIN_WIDTH)) if column.gives else text
            lines.append(f"{column.name:<{name}}{GAP}{shown}".rstrip())
    return lines


def shortened(text: str, width: int) -> str:
    """A text in so many columns. A URL loses its scheme, then its middle; other texts lose their end.

    Examples:
        >>> shortened("http://www.example.org/a/long/path.html", 24)
        'www.example.or…path.html'
        >>> shortened("plain words go on", 12)
        'plain words…'
    """
    if cell_width(text) <= width:
        return text
    scheme, mark, rest = text.partition("://")
    if mark and scheme.isalnum():
        text = rest
        if cell_width(text) <= width:
            return text
    elif "/" not in text or " " in text:
        return _cut(text, width - 1) + "…"
    tail = (width - 1) * 2 // 5
    return _cut(text, width - 1 - tail) + "…" + _cut(text[::-1], tail)[::-1]


def _cut(text: str, width: int) -> str:
    text = text[: max(width, 0)].rstrip()
    while cell_width(text) > width:
        text = text[:-1]
    return text
