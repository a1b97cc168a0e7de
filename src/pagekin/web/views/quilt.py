"""A quilt beside its sources: who has which words, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pagekin import _core
from pagekin.detect.sketch import shingler
from pagekin.look.drawings import barcode
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import NO_SITE, percent, plain, plural, short
from pagekin.query.quilt_view import Patch, Quilt, stitched
from pagekin.web.context import Context

SOURCES = 40
"""Sources whose text is shown."""
LONG = 20_000
"""Characters from which on a source shows its passages only, with some words around them."""
AROUND = 300


@dataclass(frozen=True)
class ShownSource:
    """A source as the screen shows it."""

    rank: int
    page: int
    url: str
    domain: str
    share: float
    """of the quilt's grams"""
    colour: str
    linked: bool
    first: bool
    """it was fetched before the quilt"""
    foreign: bool
    text: Html


@dataclass(frozen=True)
class QuiltView:
    """Everything on the judging screen of a quilt."""

    page: int
    url: str
    title: str
    headline: str
    facts: str
    barcode: Html
    text: Html
    sources: list[ShownSource]
    more: int
    """sources that are not shown"""
    patches: int
    common: bool
    """some text is too common to say whose it is"""
    limit: int
    """a patch gram is on at most so many pages"""


def quilt_view(context: Context, page: int) -> QuiltView | None:
    """The view of a quilt; None if the page is none."""
    row = context.catalog.row("SELECT * FROM quilts WHERE page = ?", [page])
    if row is None:
        return None
    sources = context.catalog.rows(
        f"SELECT * FROM quilt_sources WHERE page = ? ORDER BY rank LIMIT {SOURCES}", [page]
    )
    ids = [source["source"] for source in sources]
    texts = {page: ""} | context.texts.get([page, *ids])
    found = stitched(row, sources, texts, context.run.params.quilts.k)
    pages = context.catalog.pages(ids)
    common = list(_common(context, found.text))
    own = {patch: number for number, patch in enumerate(_visible(found), 1)}
    return QuiltView(
        page=page,
        url=row["url"],
        title=plain(row["title"] or ""),
        headline=headline(row, sources, pages),
        facts=_facts(row, sources),
        barcode=_barcode(found, pages),
        text=join(_pieces(found, own, common)),
        sources=[_source(row, source, pages, texts, own) for source in sources],
        more=row["sources"] - len(sources),
        patches=len(own),
        common=bool(common),
        limit=context.run.params.quilts.m,
    )


def headline(row: dict[str, Any], sources: Sequence[dict[str, Any]], pages: dict[int, dict[str, Any]]) -> str:
    """The finding in words: 71% copied from 9 pages on 6 domains, 2 of them linked."""
    covered = (row["patch_grams"] - row["uncovered"]) / max(row["grams"], 1)
    domains = {pages[s["source"]]["domain"] for s in sources if s["source"] in pages}
    where = plural(len(domains), "domain") if row["sources"] <= len(sources) else f"{len(domains):,}+ domains"
    text = f"{covered:.0%} of this page is copied from {plural(row['sources'], 'page')} on {where}"
    told = [s["attributed"] for s in sources if s["attributed"] is not None]
    if told:
        linked = sum(told)
        text += "; it links to none of them" if not linked else f"; it links to {linked:,} of them"
    return text


def _facts(row: dict[str, Any], sources: Sequence[dict[str, Any]]) -> str:
    parts = [plural(row["words"] or 0, "word")]
    earlier = sum(source["first"] == "source" for source in sources)
    later = sum(source["first"] == "quilt" for source in sources)
    if earlier or later:
        parts.append(f"{earlier:,} of the sources were fetched before it, {later:,} after")
    if row["uncovered"]:
        share = percent(row["uncovered"] / max(row["grams"], 1))
        parts.append(f"another {share} is on pages that are not named here")
    return " · ".join(parts)


def _visible(quilt: Quilt) -> Iterator[Patch]:
    """The patches that have words of their own on the screen."""
    seen: set[Patch] = set()
    for _, patch in quilt.pieces():
        if patch is not None and patch not in seen:
            seen.add(patch)
            yield patch


def colour(rank: int) -> str:
    """The class of a source's colour."""
    return f"c{(rank - 1) % 8 + 1}"


def _pieces(quilt: Quilt, own: dict[Patch, int], common: Sequence[tuple[int, int]]) -> Iterator[Html]:
    at = 0
    for text, patch in quilt.pieces():
        if patch is None:
            yield from _plain_or_common(text, at, common)
        else:
            number = own[patch]
            yield tag(
                "mark", tag("b", patch.rank, class_="no"), text, class_=colour(patch.rank),
                id=f"patch-{number}", data_patch=number, data_source=patch.rank, tabindex="0",
            )  # fmt: skip
        at += len(text)


def _plain_or_common(text: str, at: int, common: Sequence[tuple[int, int]]) -> Iterator[Html]:
    end = at + len(text)
    place = at
    for low, high in common:
        low, high = max(low, place), min(high, end)
        if low >= high:
            continue
        yield join([text[place - at : low - at], tag("span", text[low - at : high - at], class_="common")])
        place = high
    yield join([text[place - at :]])


def _common(context: Context, text: str) -> Iterator[tuple[int, int]]:
    """Stretches of the text that are phrases of more pages than a patch may be on, in characters.

    Which phrases those are the table `phrases` knows, as far as pages sampled them.
    """
    if not context.counts.get("phrases"):
        return
    limit = context.run.params.quilts.m
    often = context.keep(
        ("common phrases", limit),
        lambda: {
            row["fingerprint"]
            for row in context.catalog.rows("SELECT fingerprint FROM phrases WHERE pages > ?", [limit])
        },
    )
    spans = _core.word_spans(text)
    size = context.run.params.shingles.k
    low = high = -1
    for start, phrase in enumerate(shingler(context.run.params.shingles).phrases(text) if often else []):
        if start + size > len(spans):
            break
        if (phrase - (1 << 64) if phrase >= 1 << 63 else phrase) in often:
            if start > high:
                if low >= 0:
                    yield spans[low][0], spans[high - 1][1]
                low = start
            high = start + size
    if low >= 0:
        yield spans[low][0], spans[high - 1][1]


def _barcode(quilt: Quilt, pages: dict[int, dict[str, Any]]) -> Html:
    names = {s["rank"]: pages.get(s["source"], {}).get("domain") or NO_SITE for s in quilt.sources}
    spans = [
        (p.start, p.start + p.words, p.rank, f"{p.rank}: {plural(p.words, 'word')} of {names[p.rank]}")
        for p in quilt.patches
    ]
    return barcode(len(_core.word_spans(quilt.text)), spans, "Where each source sits in the page")


def _source(
    row: dict[str, Any],
    source: dict[str, Any],
    pages: dict[int, dict[str, Any]],
    texts: dict[int, str],
    own: dict[Patch, int],
) -> ShownSource:
    rank = source["rank"]
    mine = sorted((p for p in own if p.rank == rank), key=lambda p: p.source_start)
    page = pages.get(source["source"], {})
    return ShownSource(
        rank=rank,
        page=source["source"],
        url=source["source_url"],
        domain=short(page.get("domain") or "", 32),
        share=source["new_grams"] / max(row["grams"], 1),
        colour=colour(rank),
        linked=bool(source["attributed"]),
        first=source["first"] == "source",
        foreign=bool(source["foreign"]),
        text=join(_passages(texts.get(source["source"], ""), mine, own)),
    )


def _passages(text: str, patches: Sequence[Patch], own: dict[Patch, int]) -> Iterator[Html]:
    """A source's text with what the quilt took marked; of a long one only what is near."""
    spans = _core.word_spans(text)
    at = 0
    for patch in patches:
        end = min(patch.source_start + patch.words, len(spans))
        if end <= patch.source_start:
            continue
        low, high = max(spans[patch.source_start][0], at), spans[end - 1][1]
        if high <= low:
            continue
        yield _between(text, at, low, first=at == 0)
        yield tag("mark", text[low:high], data_patch=own[patch], class_=colour(patch.rank))
        at = high
    rest = text[at:]
    if len(text) > LONG and len(rest) > AROUND:
        rest = rest[:AROUND] + " …"
    yield join([rest])


def _between(text: str, low: int, high: int, *, first: bool) -> Html:
    if len(text) <= LONG or high - low <= 2 * AROUND:
        return join([text[low:high]])
    before = "" if first else text[low : low + AROUND]
    return join([before, " … ", text[high - AROUND : high]])
