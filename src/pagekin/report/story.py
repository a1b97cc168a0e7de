"""What a report is made of: findings, and sections of text, figures and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from shlex import quote

from pagekin.look.figure import Figure
from pagekin.look.markup import Html, join, tag
from pagekin.look.table import ShownTable
from pagekin.look.words import plain
from pagekin.query.sql import Sql

TOP = 20
"""Rows of a table."""
FEW = 5
"""A figure of fewer things says less than the table beside it."""
MARKS = 600
"""Marks of a figure at most: more would be a smear, and a large file."""


class Data(Sql):
    """A run to report on."""

    @cached_property
    def pages(self) -> int:
        """Pages that were read."""
        count: int = self.run.info["counts"]["pages"]
        return count

    def has(self, *tables: str) -> bool:
        """All these tables are there."""
        return self.tables.issuperset(tables)

    def command(self, name: str, rest: str) -> str:
        """A command on this run, to be pasted into a shell."""
        return f"pagekin {name} {quote(plain(self.run.path.name))} {rest}"

    def show(self, table: str, more: str = "") -> str:
        """The command that shows a table whole."""
        return self.command("show", f"{table} {more}".strip())


@dataclass(frozen=True)
class SideBySide:
    """Figures side by side, where there is room."""

    figures: Sequence[Figure]

    def html(self) -> Html:
        """Both figures in a grid."""
        return tag("div", *(figure.html() for figure in self.figures), class_="figures")


Block = Html | Figure | ShownTable | SideBySide


@dataclass(frozen=True)
class Finding:
    """A number, and what it means."""

    number: str
    says: str


@dataclass
class Section:
    """A chapter: its title says what was found."""

    key: str
    name: str
    """what it is called where one chooses"""
    title: str
    blocks: list[Block] = field(default_factory=list)
    finding: Finding | None = None
    """for the first screen"""

    def html(self) -> Html:
        parts = (block if isinstance(block, Html) else block.html() for block in self.blocks)
        return tag("section", tag("h2", self.title, id=self.key), *parts)

    def figures(self) -> Iterator[Figure]:
        for block in self.blocks:
            if isinstance(block, Figure):
                yield block
            elif isinstance(block, SideBySide):
                yield from block.figures

    def tables(self) -> Iterator[ShownTable]:
        return (block for block in self.blocks if isinstance(block, ShownTable))


def paragraph(*parts: object, lead: bool = False) -> Html:
    return tag("p", *parts, class_="lead" if lead else None)


def heading(text: str, key: str | None = None) -> Html:
    return tag("h3", text, id=key)


def term(word: str, meaning: str) -> Html:
    """One of our words where it first appears, with what it means."""
    return join([tag("dfn", word), f" ({meaning})"])


def empty(text: str) -> Html:
    """A paragraph that says what was not found."""
    return tag("p", text, class_="empty")


def facts(rows: Sequence[tuple[str, str]]) -> Html:
    """Names and values in a grid."""
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in rows), class_="facts")


def not_run(key: str, name: str, detector: str) -> Section:
    """A chapter for a detector that did not run."""
    title = f"{name}: not looked for"
    says = f"{name} were not looked for."
    hint = f"The scan ran without {detector}; scan again with `--only {detector}`, or without `--only`."
    return Section(key, name, title, [empty(hint)], Finding("–", says))
