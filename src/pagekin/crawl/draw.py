"""The growth curve in a terminal: dots of braille, one line of them for each kind."""

from __future__ import annotations

from collections.abc import Sequence

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a braille character by row and column."""


def braille(series: Sequence[Sequence[tuple[float, float]]], width: int, height: int) -> list[list[int]]:
    """For each line of the drawing, its characters: (code point << 8 | number of the series on top).

    Examples:
        >>> rows = braille([[(0, 0), (10, 10)]], 2, 1)
        >>> "".join(chr(cell >> 8) for cell in rows[0])
        '⡠⠊'
    """
    right = max((x for line in series for x, _ in line), default=0) or 1
    top = max((y for line in series for _, y in line), default=0) or 1
    columns, rows = 2 * width, 4 * height
    bits = [[0] * width for _ in range(height)]
    owner = [[0] * width for _ in range(height)]
    for number, line in enumerate(series):
        for column, value in enumerate(_sampled(line, columns, right)):
            if value is None:
                continue
            row = rows - 1 - round(value / top * (rows - 1))
            bits[row // 4][column // 2] |= _DOTS[row % 4][column % 2]
            owner[row // 4][column // 2] = number
    return [
        [(0x2800 + dots) << 8 | number for dots, number in zip(*pair, strict=True)]
        for pair in zip(bits, owner, strict=True)
    ]


def _sampled(line: Sequence[tuple[float, float]], columns: int, right: float) -> list[float | None]:
    """The line's height at each column; None before it begins."""
    heights: list[float | None] = []
    place = 0
    for column in range(columns):
        x = right * column / (columns - 1)
        while place + 1 < len(line) and line[place + 1][0] <= x:
            place += 1
        if not line or line[0][0] > x:
            heights.append(None)
            continue
        (x0, y0), (x1, y1) = line[place], line[min(place + 1, len(line) - 1)]
        heights.append(y0 + (y1 - y0) * (x - x0) / (x1 - x0) if x1 > x0 else y0)
    return heights
