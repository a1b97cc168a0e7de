"""A duplicate class: two of its texts side by side, what differs marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pagekin import _core
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import plural
from pagekin.web.context import Context

LISTED = 200
GRAM = 3
"""Words in a row that must agree to count as the same."""
LONG = 30_000


@dataclass(frozen=True)
class CopiesView:
    """Everything on the page of a class."""

    number: int
    row: dict[str, Any]
    headline: str
    members: list[dict[str, Any]]
    first: dict[str, Any]
    other: dict[str, Any]
    first_text: Html
    other_text: Html
    said: str
    url: str


def copies_view(context: Context, number: int, other: int | None) -> CopiesView | None:
    """The page of a class, its first page beside another; by default the one least like it."""
    row = context.catalog.row('SELECT * FROM classes WHERE "class" = ?', [number])
    if row is None:
        return None
    members = context.catalog.rows(
        f'SELECT page, url, domain, kind, jaccard FROM copies WHERE "class" = ? ORDER BY page LIMIT {LISTED}',
        [number],
    )
    first = next((one for one in members if one["page"] == number), members[0])
    rest = [one for one in members if one["page"] != first["page"]] or [first]
    farthest = min(rest, key=lambda one: (1.0 if one["jaccard"] is None else one["jaccard"], one["page"]))
    chosen = next((one for one in rest if one["page"] == other), farthest)
    texts = context.texts.get([first["page"], chosen["page"]])
    mine, theirs = (texts.get(one["page"], "")[:LONG] for one in (first, chosen))
    same = mine == theirs
    return CopiesView(
        number=number,
        row=row,
        headline=_headline(row),
        members=members,
        first=first,
        other=chosen,
        first_text=join([mine]) if same else join(_marked(mine, theirs)),
        other_text=join([theirs]) if same else join(_marked(theirs, mine)),
        said="The two texts are the same, byte for byte."
        if same
        else "What only one of the two has is marked.",
        url=row["url"],
    )


def _headline(row: dict[str, Any]) -> str:
    where = f" on {plural(row['domains'], 'domain')}"
    exact = row["exact"] - 1  # the first page is the same as itself
    parts = []
    if exact > 0:
        parts.append(f"{exact:,} exactly" if row["near"] else "all exactly")
    if row["near"]:
        parts.append(f"{row['near']:,} almost")
    return f"{plural(row['pages'], 'page')}{where} have the same text: {', '.join(parts) or 'almost'}"


def _marked(text: str, other: str) -> Iterator[Html]:
    """A text with the words marked that the other does not have in the same order."""
    spans = _core.word_spans(text)
    shared = [False] * len(spans)
    for _, start, _, words in _core.patches(text, [other], GRAM):
        shared[start : start + words] = [True] * words
    at = 0
    for low, high in _stretches(shared):
        begin, end = spans[low][0], spans[high - 1][1]
        yield join([text[at:begin], tag("mark", text[begin:end], class_="c2")])
        at = end
    yield join([text[at:]])


def _stretches(shared: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Stretches that are not shared."""
    start = None
    for place, one in enumerate([*shared, True]):
        if not one and start is None:
            start = place
        if one and start is not None:
            yield start, place
            start = None
