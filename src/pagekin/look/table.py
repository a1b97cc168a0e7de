"""Tables as people read them: headers in words, numbers on the right, URLs cut in the middle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pagekin.look.cells import csv_line, guarded
from pagekin.look.drawings import gauge
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import FORMS, NUMBERS, UNKNOWN, plain, short


@dataclass(frozen=True)
class ShownColumn:
    words: str
    """the header"""
    form: str = "text"
    """how its values are written: a name in `words.FORMS`, `tag`, or `html` for markup made by us"""
    name: str = ""
    """what it is called in the run's table: shown in the tooltip, used in CSV"""
    hint: str = ""
    """what it means, where the words do not say it: shown in the tooltip"""
    width: int = 0
    """longest text that is shown whole; 0 for any"""
    bar: bool = False
    """a share is drawn as a small bar too"""

    @property
    def numeric(self) -> bool:
        """Its values stand on the right."""
        return self.form in NUMBERS

    @property
    def key(self) -> str:
        """Its name in CSV."""
        return self.name or self.words.replace(" ", "_")


TONES: dict[str, str] = {
    "link farm": "bad", "mirror": "warn", "copy/paste": "warn", "template": "plain",
    "stock page": "plain",
    "exact": "warn", "near": "plain", "spam": "bad", "borderline": "warn", "not spam": "good",
    "cannot judge": "plain", "never matters": "warn", "always matters": "good",
}  # fmt: skip
"""The tone of a tag, by what it says."""


FEW = 6


@dataclass(frozen=True)
class ShownTable:
    """Rows to look at, of those there are."""

    columns: Sequence[ShownColumn]
    rows: Sequence[Sequence[Any]]
    total: int | None = None
    """how many rows there are in all; those shown if not given"""
    noun: str = "rows"
    """what the rows are"""
    rest: str = ""
    """the command that shows them all"""
    sorted_by: str = ""
    """words of the column by which the rows are in order, highest first"""
    label: str = ""
    """what the table is, for those who hear it"""
    key: str = ""
    """its id in the page, and the name of its CSV file"""
    links: dict[int, str] = field(default_factory=dict)
    """rows whose first cell leads to another place, by row number"""

    def html(self) -> Html:
        """The table in a box of its own, with how many rows there are below it."""
        head = tag("tr", *(self._header(column) for column in self.columns))
        body = join((self._row(number, row) for number, row in enumerate(self.rows)), "\n")
        table = tag("table", tag("thead", head), tag("tbody", body), class_="sortable", id=self.key or None)
        # A box that scrolls must be reachable by keyboard.
        box = tag(
            "div", table, class_="scroll", tabindex="0", role="region", aria_label=self.label or self.noun
        )
        return join([box, self._rest()])

    def csv(self) -> str:
        """The rows as CSV, values as they are stored."""
        return as_csv([column.key for column in self.columns], self.rows)

    def _header(self, column: ShownColumn) -> Html:
        tip = " · ".join(part for part in (column.hint, column.name and f"column: {column.name}") if part)
        ordered = "descending" if column.words == self.sorted_by else None
        return tag(
            "th", column.words, class_="n" if column.numeric else None, scope="col", title=tip or None,
            aria_sort=ordered, data_key=column.key,
        )  # fmt: skip

    def _row(self, number: int, row: Sequence[Any]) -> Html:
        cells = [cell(column, value) for column, value in zip(self.columns, row, strict=True)]
        where = self.links.get(number)
        return tag("tr", *cells, id=None if where is None else where)

    def _rest(self) -> Html:
        total = len(self.rows) if self.total is None else self.total
        if total <= len(self.rows):
            # A few rows need not be counted for the reader.
            return tag("p", tag("span", f"All {total:,} {self.noun}.") if total >= FEW else "", class_="rest")
        shown: list[object] = [f"{len(self.rows):,} of {total:,} {self.noun}."]
        shown += [" The rest: ", tag("code", self.rest)] if self.rest else []
        return tag("p", tag("span", *shown), class_="rest")


def cell(column: ShownColumn, value: Any) -> Html:
    """One cell: shown as people read it, sorted and saved as it is stored."""
    if value is None:
        return tag("td", UNKNOWN, class_="n none" if column.numeric else "none", data_v="")
    if column.form == "html":
        return tag("td", value)
    if column.form == "url":
        return tag("td", copied(str(value)), class_="url", data_v=plain(value))
    if column.form == "tag":
        tone = TONES.get(str(value), "plain")
        return tag("td", tag("span", plain(value), class_=f"tag {tone}"))
    shown = FORMS[column.form](value)
    if column.width and len(shown) > column.width:
        return tag("td", short(shown, column.width), title=shown, data_v=shown)
    # Only numbers are stored otherwise than they look.
    stored = _stored(value) if column.numeric or column.form == "id" else shown
    drawn = gauge(value) if column.bar else ""
    return tag(
        "td", shown, drawn, class_="n" if column.numeric else None, data_v=None if stored == shown else stored
    )


def copied(url: str) -> Html:
    """A URL cut in the middle, whole in the tooltip; a click copies it.

    It is no link: what was crawled may be hostile, and a report should not lead there by accident.
    """
    whole = plain(url)
    return tag("button", FORMS["url"](url), type="button", class_="copy", title=whole, data_copy=whole)


def as_csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV. Text that a spreadsheet would take for a formula is marked as text."""
    cells = (["" if value is None else _cell(value) for value in row] for row in rows)
    return "".join(map(csv_line, [names, *cells]))


def _stored(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else plain(value)


def _cell(value: Any) -> str:
    return guarded(_stored(value)) if isinstance(value, str) else _stored(value)
