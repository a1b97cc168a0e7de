"""What several pages have in common, read from their texts: the part that a template wrote."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_

import pyarrow.dataset as ds

from pagekin.look.markup import Html, join, tag
from pagekin.look.words import plain
from pagekin.run import Run

RUN = 3
"""Words in a row that all pages must share."""
SHOWN = 160
"""Words that are shown at most."""
READ = 3000
"""Words of a page that are looked at."""


def constant_text(run: Run, groups: dict[int, Sequence[int]]) -> dict[int, Html]:
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
    common = set.intersection(*({tuple(words[n : n + RUN]) for n in range(len(words))} for words in others))
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
