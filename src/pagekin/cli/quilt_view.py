"""A quilt on the terminal: its patches numbered and coloured by source."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pagekin.query.quilt_view import Quilt

COLOURS = ("cyan", "yellow", "green", "magenta", "blue", "red")
"""In turn; the numbers tell sources of one colour apart."""


def print_quilt(quilt: Quilt) -> None:
    """Prints the text with each patch between brackets after its source's number, then the sources.

    On a terminal lines break between words; into a file or a pipe they go whole.
    """
    from rich.text import Text

    from pagekin.cli.color import console as console_on
    from pagekin.cli.layout import GAP, cell_width
    from pagekin.cli.tables import clean
    from pagekin.look.words import plural

    whole = not sys.stdout.isatty()
    console = console_on(sys.stdout, 200 if whole else None)
    row = quilt.row
    console.print(Text(clean(row["url"]), style="bold"), soft_wrap=True)
    console.print(
        f"{row['covered_fraction']:.1%} of it ({row['covered_grams']:,} of {row['grams']:,} grams) is on "
        f"{plural(row['sources'], 'source page')}, {row['foreign_sources']:,} of them on other domains; "
        f"{row['uncovered']:,} more grams are on other pages\n"
    )
    body = Text()
    for piece, patch in quilt.pieces():
        shown = "\n".join(clean(line) for line in piece.split("\n"))
        if patch is None:
            body.append(shown)
        else:
            body.append(f"[{patch.rank}:", style="bold " + colour(patch.rank))
            body.append(shown, style=colour(patch.rank))
            body.append("]", style="bold " + colour(patch.rank))
    console.print(body, soft_wrap=whole)
    console.print()
    for source in quilt.sources:
        said = {True: "attributed", False: "not attributed", None: ""}[source["attributed"]]
        first = {"source": "source first", "quilt": "quilt first", None: ""}[source["first"]]
        facts = [f"{source['share']:6.1%}", "foreign" if source["foreign"] else "own domain", said, first]
        line = Text(f"[{source['rank']}] ", style="bold " + colour(source["rank"]))
        line.append(", ".join(fact for fact in facts if fact), style="not bold default")
        url = clean(source["source_url"])
        fits = whole or cell_width(line.plain) + len(GAP) + cell_width(url) <= console.width
        line.append((GAP if fits else "\n      ") + url, style="not bold default")
        console.print(line, soft_wrap=True)


def colour(rank: int) -> str:
    return COLOURS[(rank - 1) % len(COLOURS)]
