"""One page: what it is, and its kin in every sense, with the evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pagekin.look.words import percent, plain, plural, similarity
from pagekin.web.context import Context

LISTED = 12
TEXT = 20_000


@dataclass(frozen=True)
class KinBlock:
    """Pages that are kin in one sense."""

    title: str
    """the finding"""
    why: str
    """the evidence, or why there is none"""
    rows: list[dict[str, Any]]
    """page, url, and `note` for what they share"""
    link: str = ""
    """where they all are"""


@dataclass(frozen=True)
class PageView:
    """Everything on a page's card."""

    row: dict[str, Any]
    title: str
    kin: list[KinBlock]
    text: str
    cut: bool


def page_view(context: Context, page: int) -> PageView | None:
    """The card of a page; None if there is none of that number."""
    row = context.catalog.page(page)
    if row is None:
        return None
    text = context.text(page)
    kin = [
        _template(context, row),
        _copies(context, row),
        _fuzzy(context, row),
        _quilt(context, row),
        _taken(context, row),
        _donors(context, row),
    ]
    kin.sort(key=lambda one: not one.rows)  # what there is comes first
    return PageView(row, plain(row["title"] or "no title"), kin, text[:TEXT], len(text) > TEXT)


def _template(context: Context, row: dict[str, Any]) -> KinBlock:
    style, structure = (
        store.get([row["page"]]).get(row["page"]) for store in (context.styles, context.structures)
    )
    if style is None:
        return KinBlock(
            "No template", "The page has too little HTML to judge its style, or only its text is known.", []
        )
    found = context.checker.known.like_style(style, structure)[: LISTED + 1]
    rows = []
    for one in found:
        other = context.checker.known.row(one.row)
        if other["page"] != row["page"]:
            rows.append(other | {"note": similarity(one.similarity)})
    if row["cluster"] is None:
        return KinBlock("Its template is its own", "No other page matches it in enough dimensions.", rows)
    size = context.catalog.row("SELECT pages, domains FROM clusters WHERE cluster = ?", [row["cluster"]])
    pages, domains = (size["pages"], size["domains"]) if size else (0, 0)
    name = f" ({plain(row['software'])})" if row["software"] else ""
    return KinBlock(
        f"One of {plural(pages, 'page')} on {plural(domains, 'domain')} with its template{name}",
        f"{similarity(row['similarity'])} similar to the most typical of them. The closest, and how similar "
        "they are to this page:",
        rows[:LISTED],
        f"/clusters/{row['cluster']}",
    )


def _copies(context: Context, row: dict[str, Any]) -> KinBlock:
    if row["class"] is None:
        return KinBlock("No copy by shingles", "No other page shares enough of its phrases.", [])
    total = context.catalog.one('SELECT pages FROM classes WHERE "class" = ?', [row["class"]])
    rows = context.catalog.rows(
        f'SELECT page, url, kind, jaccard FROM copies WHERE "class" = ? AND page <> ? '
        f"ORDER BY page LIMIT {LISTED}",
        [row["class"], row["page"]],
    )
    for one in rows:
        one["note"] = one["kind"] + (
            "" if one["jaccard"] is None else f", {percent(one['jaccard'])} of the phrases"
        )
    title = f"One of {plural(total or 0, 'copy', 'copies')} by shingles: the same text, or almost"
    return KinBlock(title, "Phrases in common with the first of the class:", rows, f"/copies/{row['class']}")


def _fuzzy(context: Context, row: dict[str, Any]) -> KinBlock:
    if row["fuzzy"] is None:
        return KinBlock("No copy by ssdeep", "No other page has a digest that scores high enough.", [])
    rows = context.catalog.rows(
        f"SELECT page, url, kind, score FROM fuzzy_copies WHERE fuzzy = ? AND page <> ? "
        f"ORDER BY page LIMIT {LISTED}",
        [row["fuzzy"], row["page"]],
    )
    for one in rows:
        one["note"] = f"{one['kind']}, score {one['score']}"
    return KinBlock("Copies by ssdeep", "Digests of the whole text that score high:", rows)


def _quilt(context: Context, row: dict[str, Any]) -> KinBlock:
    if row["covered_fraction"] is None:
        return KinBlock("Not a quilt", "Too little of its text is on other sites' pages.", [])
    rows = context.catalog.rows(
        "SELECT source AS page, source_url AS url, share FROM quilt_sources WHERE page = ? "
        f"ORDER BY rank LIMIT {LISTED}",
        [row["page"]],
    )
    for one in rows:
        one["note"] = percent(one["share"])
    title = f"A quilt: {percent(row['covered_fraction'])} of its text is on other pages"
    return KinBlock(
        title,
        f"{plural(row['sources'], 'source')}, and how much of the shared text each has:",
        rows,
        f"/quilts/{row['page']}",
    )


def _taken(context: Context, row: dict[str, Any]) -> KinBlock:
    rows = context.catalog.rows(
        f"SELECT page, url, share FROM quilted_from WHERE source = ? ORDER BY share DESC LIMIT {LISTED}",
        [row["page"]],
    )
    for one in rows:
        one["note"] = percent(one["share"])
    if not rows:
        return KinBlock("In no quilt", "No quilt has text of this page.", [])
    return KinBlock(
        "Quilts that have text of this page", "How much of the text that each shares is of this page:", rows
    )


def _donors(context: Context, row: dict[str, Any]) -> KinBlock:
    cover = context.catalog.row("SELECT popular, cover, donors FROM covers WHERE page = ?", [row["page"]])
    if cover is None:
        return KinBlock("Few popular phrases", "The page does not live off phrases that many pages have.", [])
    donors = cover["donors"][:LISTED]
    pages = context.catalog.pages([donor["page"] for donor in donors])
    rows = [
        pages[donor["page"]] | {"note": plural(donor["shingles"], "phrase")}
        for donor in donors
        if donor["page"] in pages
    ]
    title = f"{plural(cover['popular'], 'popular phrase')} of {context.run.params.shingles.m} sampled"
    return KinBlock(title, f"{plural(cover['cover'], 'page')} hold them all:", rows)
