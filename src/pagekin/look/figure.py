"""A figure: a drawing, the finding it shows, and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pagekin.errors import MissingExtraError
from pagekin.look.assets import print_style
from pagekin.look.markup import Html, join, tag
from pagekin.look.table import ShownColumn, as_csv, cell

PIXELS = 1280
"""Width of a PNG."""


@dataclass(frozen=True)
class Figure:
    """A drawing with its title, which says the finding, and its data, which is all that was drawn."""

    key: str
    """its id in a page, and the name of its files"""
    title: str
    svg: Html
    columns: Sequence[ShownColumn]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    """what a mark is, and what was left out or put together"""
    paper: str = ""
    """the figure of a paper that this is"""

    def html(self) -> Html:
        """The figure for a page: title, drawing, and its data behind a click."""
        note = tag("small", self.note) if self.note else ""
        names = tag(
            "tr",
            *(tag("th", c.words, class_="n" if c.numeric else None, data_key=c.key) for c in self.columns),
        )
        body = join((tag("tr", *map(cell, self.columns, row)) for row in self.rows), "\n")
        data = tag(
            "details",
            tag("summary", "Data"),
            tag("div", tag("table", tag("thead", names), tag("tbody", body)), class_="scroll", tabindex="0",
                role="region", aria_label=f"Data of: {self.title}"),
            class_="data",
        )  # fmt: skip
        return tag(
            "figure",
            tag("figcaption", self.title, note),
            self.svg,
            tag("div", data, class_="tools"),
            id=self.key,
        )

    def csv(self) -> str:
        """The data, values as they are stored."""
        return as_csv([column.key for column in self.columns], self.rows)

    def standalone(self) -> str:
        """The drawing as an SVG file that needs no stylesheet, for paper."""
        opening, rest = self.svg.split(">", 1)
        head = join([tag("title", self.title), tag("style", Html(print_style()))])
        return f'{opening} xmlns="http://www.w3.org/2000/svg" width="640">{head}{rest}\n'

    def png(self) -> bytes:
        """The drawing as pixels on white."""
        if not can_png():
            raise MissingExtraError("a figure as PNG", "report")
        from resvg_py import svg_to_bytes

        return bytes(svg_to_bytes(svg_string=self.standalone(), width=PIXELS, background="#ffffff"))


def can_png() -> bool:
    """What makes PNG files is installed."""
    try:
        import resvg_py  # noqa: F401
    except ImportError:
        return False
    return True
