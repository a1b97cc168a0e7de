"""A site: a registered domain or one of its hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pagekin import _core
from pagekin.look.words import plain, plural
from pagekin.web.context import Context

LISTED = 100
EXCERPTS = 3
EXCERPT = 420


@dataclass(frozen=True)
class SiteView:
    """Everything on the page of a site."""

    name: str
    headline: str
    row: dict[str, Any]
    pages: list[dict[str, Any]]
    clusters: list[dict[str, Any]]
    excerpts: list[tuple[dict[str, Any], str]]
    url: str


def site_view(context: Context, name: str) -> SiteView | None:
    """The page of a site; None if the run has no page of it."""
    domain = _core.domain(name)
    where, values = "domain = ? AND (domain = ? OR host = ?)", [domain, name, name]
    row = context.catalog.row(
        f"""SELECT count(*) AS pages, count(DISTINCT host) AS hosts, count(DISTINCT cluster) AS clusters,
        count(*) FILTER (covered_fraction IS NOT NULL) AS quilts,
        count(*) FILTER ("class" IS NOT NULL AND "class" <> page) AS copies FROM site_pages WHERE {where}""",
        values,
    )
    if row is None or not row["pages"]:
        return None
    popular = context.catalog.row("SELECT mean_popular, rank, originality FROM sites WHERE site = ?", [name])
    pages = context.catalog.rows(
        f"""SELECT page, url, title, words, cluster, "class", covered_fraction FROM site_pages WHERE {where}
        ORDER BY covered_fraction DESC NULLS LAST, page LIMIT {LISTED}""",
        values,
    )
    clusters = context.catalog.rows(
        f"""SELECT s.cluster, count(*) AS here, any_value(c.pages) AS pages, any_value(c.domains) AS domains,
        any_value(c.kind) AS kind, any_value(c.name) AS name,
        any_value(c.centroid_url) AS url
        FROM site_pages s JOIN clusters c USING (cluster) WHERE {where}
        GROUP BY s.cluster ORDER BY here DESC, s.cluster LIMIT 20""",
        values,
    )
    shown = pages[:EXCERPTS]
    texts = context.texts.get([page["page"] for page in shown])
    return SiteView(
        name=name,
        headline=_headline(name, row),
        row=row | {"popular": popular},
        pages=pages,
        clusters=clusters,
        excerpts=[(page, plain(" ".join(texts.get(page["page"], "").split())[:EXCERPT])) for page in shown],
        url=pages[0]["url"],
    )


def _headline(name: str, row: dict[str, Any]) -> str:
    parts = []
    if row["quilts"]:
        parts.append(f"{row['quilts']:,} of them quilts")
    if row["copies"]:
        parts.append(f"{row['copies']:,} repeat an earlier page")
    if row["clusters"]:
        parts.append(f"made with {plural(row['clusters'], 'template')}")
    return f"{name}: {plural(row['pages'], 'page')}" + (f"; {', '.join(parts)}" if parts else "")
