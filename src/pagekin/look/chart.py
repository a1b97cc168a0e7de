"""Charts as SVG: curves, points and columns on two axes.

Colours, fonts and dashes are classes that `look.css` knows, so that a chart follows dark mode and a policy
that allows no style attributes. Sizes are attributes. What carries a title shows it on hover.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pagekin.look.markup import Html, join, tag
from pagekin.look.scales import Axis

WIDTH, HEIGHT = 640, 350
LETTER = 10.5
"""Width of a letter on a small screen, where text is larger in relation to the drawing."""
WIDE_LETTER = 7.5
"""Width of a letter on a wide screen."""
LINE = 24
"""Height of a line of text there."""
SERIES = 8
"""Colours that there are; series beyond them begin again."""

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""left, right, top, bottom"""


@dataclass(frozen=True)
class Mark:
    x: float
    y: float
    title: str = ""
    radius: float = 3.5
    series: int = 1
    hot: bool = False
    """it stands out"""
    label: str = ""
    """written beside it, on wide screens"""
    inner: float = 0.0
    """radius of a filled disc inside"""
    spread: float = 0.0
    """half the length of a bar through the point, along the x axis"""


class Chart:
    """Two axes, and what is drawn between them, in order.

    Examples:
        >>> chart = Chart(Axis("pages", 1, 100, log=True), Axis("share", 0, 1), legend=["unique"])
        >>> chart.line([(1, 0.2), (100, 0.9)])
        >>> chart.svg("Unique pages grow.").startswith("<svg")
        True
    """

    def __init__(
        self, x: Axis, y: Axis, *, legend: Sequence[str] = (), swatch: str = "line", height: int = HEIGHT
    ) -> None:
        """Begins a chart.

        Args:
            x: The axis below.
            y: The axis on the left; its label stands above it.
            legend: What series 1, 2, ... are.
            swatch: How the legend shows them: `line`, `dot` or `box`.
            height: Of the drawing, which is `WIDTH` wide.
        """
        self.x, self.y, self.height = x, y, height
        rows = legend_rows(legend)
        self.left = 16 + LETTER * max((len(label) for _, label in y.ticks()), default=1)
        last = x.ticks()[-1][1] if x.ticks() else ""
        self.right = WIDTH - max(22.0, LETTER * len(last) / 2 + 8)
        self.top = 38.0 + LINE * len(rows)
        self.bottom = height - 2.0 * LINE - 4
        self._drawn = [self._axes(), *legend_lines(rows, swatch, 42)]

    def line(
        self, points: Sequence[Point], *, series: int = 1, step: bool = False, dots: bool = False
    ) -> None:
        """A curve; with `step` a value holds from the point before up to its own."""
        places = [self._at(x, y) for x, y in points if self.x.fits(x) and self.y.fits(y)]
        if not places:
            return
        path = f"M{_n(places[0][0])} {_n(places[0][1])}"
        for x, y in places[1:]:
            path += f"V{_n(y)}H{_n(x)}" if step else f"L{_n(x)} {_n(y)}"
        self._drawn.append(tag("path", class_=f"line {_series(series)}", d=path))
        if dots:
            self._drawn += [
                tag("circle", class_=f"dot {_series(series)}", cx=x, cy=y, r=2.5) for x, y in places
            ]

    def points(self, marks: Sequence[Mark]) -> None:
        """Points or discs. Those that stand out are drawn last, so that nothing hides them."""
        held = [mark for mark in marks if self.x.fits(mark.x) and self.y.fits(mark.y)]
        self._drawn += [self._mark(mark) for mark in sorted(held, key=lambda mark: mark.hot)]
        self._drawn += self._labels(held)

    def columns(self, bars: Sequence[tuple[float, float, float, str]], *, series: int = 1) -> None:
        """A column for each (from, to, height, title)."""
        for low, high, value, title in bars:
            if value <= 0 or not self.y.fits(value):
                continue
            x, y = self._at(max(low, self.x.low), value)
            end = self._at(min(high, self.x.high), value)[0]
            self._drawn.append(
                tag(
                    "rect",
                    _title(title),
                    class_=f"column {_series(series)}",
                    x=x + 0.5,
                    y=y,
                    width=max(end - x - 1, 1.0),
                    height=max(self.bottom - y, 0.5),
                )
            )

    def rule(self, text: str, *, x: float | None = None, y: float | None = None, start: bool = False) -> None:
        """A line across at one value, and what it means, written at its end or at its start."""
        if x is not None and self.x.fits(x):
            at = self._at(x, self.y.low)[0]
            near_end = at > (self.left + self.right) / 2
            label = tag(
                "text", text, class_="label", x=at + (-5 if near_end else 5), y=self.top + 8,
                text_anchor="end" if near_end else None,
            )  # fmt: skip
            self._drawn += [tag("line", class_="rule", x1=at, x2=at, y1=self.top, y2=self.bottom), label]
        if y is not None and self.y.fits(y):
            at = self._at(self.x.low, y)[1]
            label = tag(
                "text", text, class_="label", x=self.left + 5 if start else self.right, y=at - 5,
                text_anchor=None if start else "end",
            )  # fmt: skip
            self._drawn += [tag("line", class_="rule", x1=self.left, x2=self.right, y1=at, y2=at), label]

    def bands(self, titles: Sequence[tuple[float, str]]) -> None:
        """What to show over each stretch of the x axis: places in order, each with its text."""
        held = [(self._at(x, self.y.low)[0], title) for x, title in titles if self.x.fits(x)]
        for number, (at, title) in enumerate(held):
            low = (held[number - 1][0] + at) / 2 if number else self.left
            high = (held[number + 1][0] + at) / 2 if number + 1 < len(held) else self.right
            self._drawn.append(
                tag(
                    "rect", _title(title), class_="band", x=low, y=self.top,
                    width=max(high - low, 0.1), height=self.bottom - self.top,
                )
            )  # fmt: skip

    def svg(self, alt: str) -> Html:
        """The drawing; `alt` says what a blind reader would want to know."""
        return drawing(join(self._drawn), WIDTH, self.height, alt)

    def _at(self, x: float, y: float) -> Point:
        return (
            self.left + self.x.place(x) * (self.right - self.left),
            self.bottom - self.y.place(y) * (self.bottom - self.top),
        )

    def _axes(self) -> Html:
        parts = [tag("text", self.y.label, class_="axis-label", x=2, y=16)]
        for value, label in self.y.ticks():
            y = self._at(self.x.low, value)[1]
            parts.append(tag("line", class_="grid", x1=self.left, x2=self.right, y1=y, y2=y))
            parts.append(tag("text", label, class_="tick", x=self.left - 7, y=y + 4.5, text_anchor="end"))
        for value, label in self.x.ticks():
            x = self._at(value, self.y.low)[0]
            parts.append(tag("line", class_="axis", x1=x, x2=x, y1=self.bottom, y2=self.bottom + 5))
            parts.append(
                tag("text", label, class_="tick", x=x, y=self.bottom + LINE - 2, text_anchor="middle")
            )
        middle = (self.left + self.right) / 2
        parts.append(
            tag("text", self.x.label, class_="axis-label", x=middle, y=self.height - 6, text_anchor="middle")
        )
        parts.append(tag("line", class_="axis", x1=self.left, x2=self.right, y1=self.bottom, y2=self.bottom))
        return tag("g", *parts, aria_hidden="true")

    def _mark(self, mark: Mark) -> Html:
        x, y = self._at(mark.x, mark.y)
        parts = []
        if mark.spread:
            ends = [
                self._at(min(max(end, self.x.low), self.x.high), mark.y)[0]
                for end in (mark.x - mark.spread, mark.x + mark.spread)
            ]
            parts.append(tag("line", class_="spread", x1=ends[0], x2=ends[1], y1=y, y2=y))
        kind = f"mark {_series(mark.series)}{' hot' if mark.hot else ''}"
        parts.append(tag("circle", _title(mark.title), class_=kind, cx=x, cy=y, r=mark.radius))
        if mark.inner:
            parts.append(tag("circle", class_=f"inner {_series(mark.series)}", cx=x, cy=y, r=mark.inner))
        return join(parts)

    def _labels(self, marks: Sequence[Mark]) -> list[Html]:
        """What is written beside marks, in their order: where no disc and no other label is, else nowhere."""
        discs = [(*self._at(mark.x, mark.y), mark.radius) for mark in marks]
        taken = [(x - r, x + r, y - r, y + r) for x, y, r in discs]
        parts = []
        for mark, (x, y, r) in zip(marks, discs, strict=True):
            wide = WIDE_LETTER * len(mark.label)
            middle = min(x - wide / 2, WIDTH - wide)
            # Beside the disc, else below or above it.
            for begin, anchor, base in (
                (x + r + 5, "start", y),
                (x - r - 5 - wide, "end", y),
                (middle, "middle", y + r + 11),
                (middle, "middle", y - r - 11),
            ):
                box = (begin, begin + wide, base - 8, base + 8)
                if not mark.label or begin < self.left or begin + wide > WIDTH or _meets(box, taken):
                    continue
                taken.append(box)
                at = begin + {"start": 0.0, "middle": wide / 2, "end": wide}[anchor]
                parts.append(tag("text", mark.label, class_="label", x=at, y=base + 4, text_anchor=anchor))
                break
        return parts


def _meets(box: Box, others: Sequence[Box]) -> bool:
    """Whether a box lies over one of the others."""
    left, right, top, bottom = box
    return any(left < b and a < right and top < d and c < bottom for a, b, c, d in others)


def drawing(inside: Html, width: int, height: float, alt: str) -> Html:
    """The `svg` element around what was drawn."""
    box = f"0 0 {width} {_n(height)}"
    return tag("svg", inside, class_="chart", viewBox=box, role="img", aria_label=alt)


def legend_rows(names: Sequence[str]) -> list[list[tuple[int, str, float]]]:
    """Series, name and place of each entry, in rows that fit the width on every screen."""
    widths = [34 + LETTER * len(name) + 18 for name in names]
    if sum(widths) <= WIDTH:
        return [[(n + 1, name, 2.0 + sum(widths[:n])) for n, name in enumerate(names)]] if names else []
    # In columns: entries that begin anywhere are hard to read.
    wide = max(widths)
    across = max(1, int(WIDTH // wide))
    entries = [(n + 1, name, 2.0 + wide * (n % across)) for n, name in enumerate(names)]
    return [entries[at : at + across] for at in range(0, len(entries), across)]


def legend_lines(rows: Sequence[Sequence[tuple[int, str, float]]], swatch: str, top: float) -> list[Html]:
    """The legend's rows, the first at this height."""
    parts = []
    for number, row in enumerate(rows):
        y = top + LINE * number
        for series, name, x in row:
            kind = _series(series)
            shape = {
                "line": lambda: tag("line", class_=f"line {kind}", x1=x, x2=x + 26, y1=y - 5, y2=y - 5),  # noqa: B023
                "dot": lambda: shape_at(x + 13, y - 5, 5.0, series),  # noqa: B023
                "box": lambda: tag("rect", class_=f"column {kind}", x=x + 6, y=y - 11, width=14, height=12),  # noqa: B023
            }[swatch]()
            parts.append(join([shape, tag("text", name, class_="legend", x=x + 33, y=y)]))
    return parts


def shape_at(x: float, y: float, r: float, series: int, title: str = "") -> Html:
    """A point whose shape says its series as its colour does: disc, square, diamond, triangle."""
    kind = f"mark {_series(series)}"
    form = ((series - 1) // 2) % 4 if series > 0 else 0
    if form == 0:
        return tag("circle", _title(title), class_=kind, cx=x, cy=y, r=r)
    corners = {
        1: [(-r, -r), (r, -r), (r, r), (-r, r)],
        2: [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
        3: [(0, -1.2 * r), (1.1 * r, r), (-1.1 * r, r)],
    }[form]
    path = "M" + "L".join(f"{_n(x + dx)} {_n(y + dy)}" for dx, dy in corners) + "Z"
    return tag("path", _title(title), class_=kind, d=path)


def _series(number: int) -> str:
    """The class of a series; 0 is what has no colour of its own."""
    return "c0" if number == 0 else f"c{(number - 1) % SERIES + 1}"


def _title(text: str) -> Html:
    return tag("title", text) if text else Html()


def _n(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")
