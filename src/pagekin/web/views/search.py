"""Search: by URL, host, domain, or words of the text; which of them is asked shows by how it looks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pagekin import _core
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import plain
from pagekin.web.context import Context

LISTED = 50
AROUND = 90
TITLES = 20


@dataclass(frozen=True)
class SearchResult:
    said: str
    rows: list[dict[str, Any]]
    """page, url, title, and `snippet` where words were sought"""
    exact: str = ""
    """the one place that was meant"""


def search(context: Context, asked: str) -> SearchResult:
    """Pages for a query."""
    if asked.startswith(("http://", "https://")):
        page = context.catalog.page_of_url(asked)
        if page is not None:
            return SearchResult("", [], f"/pages/{page}")
        return _urls(context, asked)
    if re.fullmatch(r"[\w-]+(\.[\w-]+)+", asked):
        name = asked.lower()
        site = context.catalog.one(
            "SELECT page FROM site_pages WHERE domain = ? AND (domain = ? OR host = ?) LIMIT 1",
            [_core.domain(name), name, name],
        )
        if site is not None:
            return SearchResult("", [], f"/sites/{quote(name, safe='')}")
    if " " not in asked and ("/" in asked or "." in asked):
        return _urls(context, asked)
    return _texts(context, asked)


def _urls(context: Context, asked: str) -> SearchResult:
    rows: list[dict[str, Any]] = []
    for url, piece in (("url", "?"), ("lower(url)", "lower(?)")):
        # As it is written first: most URLs are in small letters, and to fold a million takes its time.
        if len(rows) <= LISTED:
            rows = context.catalog.rows(
                f"SELECT page, url, title, NULL AS snippet FROM pages "
                f"WHERE contains({url}, {piece}) LIMIT {LISTED + 1}",
                [asked],
            )
    more = len(rows) > LISTED
    said = f"{'More than ' if more else ''}{min(len(rows), LISTED):,} URLs hold “{plain(asked)}”"
    return SearchResult(said, rows[:LISTED])


def _texts(context: Context, asked: str) -> SearchResult:
    words = _core.words(asked)
    pages, total = context.words.pages(words, LISTED)
    rows = list(context.catalog.pages(pages).values())
    texts = context.texts.get(pages[:TITLES])
    for row in rows:
        row["snippet"] = snippet(texts.get(row["page"], ""), words)
    shown = f"; the first {LISTED} of them" if total > LISTED else ""
    plural = "page holds" if total == 1 else "pages hold"
    sought = "“" + "” and “".join(words) + "”"
    return SearchResult(f"{total:,} {plural} {sought}{shown}" if words else "No words to seek", rows)


def snippet(text: str, words: list[str]) -> Html:
    """Where the first of the words stands, with the words around it."""
    wanted = set(words)
    spans = _core.word_spans(text)
    folded = _core.words(text)
    place = next((n for n, word in enumerate(folded) if word in wanted), None)
    if place is None or place >= len(spans):
        return Html()
    low, high = spans[place]
    before, after = text[max(0, low - AROUND) : low], text[high : high + AROUND]
    return join(
        ["…" if low > AROUND else "", plain(before), tag("b", plain(text[low:high])), plain(after), "…"]
    )
