"""What several pages have in common, in their texts and in their markup: the part that a template wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_

import pyarrow.dataset as ds

from pagekin.index.reread import offsets_before, read_again
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import plain
from pagekin.report.story import Data
from pagekin.run import Run

RUN = 3
"""Words, or pieces of markup, in a row that all pages must share: `<p>` is three pieces."""
SHOWN = 160
"""Words that are shown at most."""
READ = 3000
"""Words of a page that are looked at."""

MARKUP_READ = 12_000
"""Pieces of a page's markup that are looked at."""
MARKUP_SHOWN = 2_400
"""Characters of markup that are shown."""

_PIECES = re.compile(r"\w+|\s+|[^\w\s]")


def constant_markup(pages: Sequence[str]) -> str:
    """The markup of the first page that all others have too; … stands for what differs.

    Examples:
        >>> constant_markup(["<ul><li>one</li></ul>", "<ul><li>two</li></ul>"])
        '<ul><li>…</li></ul>'
    """
    pieces = [_PIECES.findall(" ".join(html.split()))[:MARKUP_READ] for html in pages]
    shared = shared_words(pieces) if len(pieces) > 1 else []
    parts: list[str] = []
    for piece, same in zip(pieces[0] if pieces else (), shared, strict=False):
        if same:
            parts.append(piece)
        elif not parts or parts[-1] != "…":
            parts.append("…")
    text = plain("".join(parts))
    if not any(shared):
        return ""
    return text[:MARKUP_SHOWN] + (" (and more)" if len(text) > MARKUP_SHOWN else "")


def markup_of(data: Data, groups: Mapping[int, Sequence[int]]) -> dict[int, str]:
    """What the pages of each group share in their markup, as far as their inputs are there and soon read."""
    pages = {page for own in groups.values() for page in own}
    if not pages or not data.has("pages", "skipped"):
        return {}
    markup = read_again(data.run, pages, dict(data.rows(offsets_before(pages))))
    found = {}
    for group, own in groups.items():
        read = [markup[page] for page in dict.fromkeys(own) if page in markup]
        if len(read) == len(set(own)) > 1 and (shared := constant_markup(read)):
            found[group] = shared
    return found


def constant_text(run: Run, groups: Mapping[int, Sequence[int]]) -> dict[int, Html]:
    """For each group of pages, the words that all of them share, in the order of the first page."""
    wanted = [page for pages in groups.values() for page in pages]
    if "texts" not in run.tables or not wanted:
        return {}
    # Equalities, so that Arrow skips the row groups without these pages.
    chosen = reduce(or_, (ds.field("page") == page for page in wanted))
    with run.reading("texts"):
        rows = run.dataset("texts").to_table(columns=["page", "text"], filter=chosen)
    texts = dict(zip(rows["page"].to_pylist(), rows["text"].to_pylist(), strict=True))
    found = {}
    for group, pages in groups.items():
        words = [texts[page].split()[:READ] for page in dict.fromkeys(pages) if texts.get(page)]
        shared = shared_words(words) if len(words) > 1 else []
        if any(shared):
            found[group] = _shown(words[0], shared)
    return found


def shared_words(pages: Sequence[Sequence[str]]) -> list[bool]:
    """Which words of the first page stand in a run of `RUN` words that every other page has too.

    Examples:
        >>> shared_words(["a b c x".split(), "y a b c".split()])
        [True, True, True, False]
    """
    first, *others = pages
    common = set.intersection(*(set(zip(*(words[n:] for n in range(RUN)), strict=False)) for words in others))
    marks = [False] * len(first)
    for at in range(len(first) - RUN + 1):
        if tuple(first[at : at + RUN]) in common:
            marks[at : at + RUN] = [True] * RUN
    return marks


def _shown(words: Sequence[str], shared: Sequence[bool]) -> Html:
    parts: list[object] = []
    shown = 0
    for at, (word, same) in enumerate(zip(words, shared, strict=True)):
        if same:
            parts.append(f"{plain(word)} ")
            shown += 1
        elif at == 0 or shared[at - 1]:
            parts.append(tag("span", "… ", class_="gap"))
        if shown == SHOWN:
            parts.append(tag("span", "(and more)", class_="gap"))
            break
    return tag("p", join(parts), class_="skeleton")
