"""What a scan found: a line for each finding with its first example, and what to type next."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pagekin.cli.layout import shortened
from pagekin.look.words import plural

if TYPE_CHECKING:
    from pagekin.query.sql import Sql
    from pagekin.run import Run

URL = 60
"""Columns of a URL in a line."""


def findings(run: Run) -> Iterator[tuple[str, str]]:
    """The table of each finding, and a line on it."""
    from pagekin.query.sql import Sql

    data = Sql(run)
    pages = max(run.info["counts"]["pages"], 1)
    for table, tell in TELL.items():
        if table in data.tables:
            yield table, tell(data, pages)


def _clusters(data: Sql, _: int) -> str:
    found = data.value("SELECT count(*) FROM style_clusters")
    if not found:
        return "no two pages share a template"
    rank = "SELECT pages, domains, coalesce(name, kind, 'template'), centroid_url FROM style_clusters"
    members, domains, what, url = data.row(f"{rank} ORDER BY rank LIMIT 1")
    return (
        f"{plural(found, 'style cluster')}; first: {what}, {plural(members, 'page')} "
        f"on {plural(domains, 'domain')}, such as {_short(url)}"
    )


def _copies(data: Sql, pages: int) -> str:
    found = data.value("SELECT count(*) FROM duplicates WHERE page <> representative")
    if not found:
        return "no page is a copy of another"
    copies, url = data.row(
        "SELECT count(*) - 1 AS copies, any_value(representative_url) FROM duplicates "
        "GROUP BY class ORDER BY copies DESC, class LIMIT 1"
    )
    said = f"{plural(found, 'page')} ({found / pages:.1%}) repeat another; most copied: "
    return said + f"{_short(url)}, {plural(copies, 'time')}"


def _fuzzy(data: Sql, pages: int) -> str:
    found = data.value("SELECT count(*) FROM fuzzy WHERE page <> representative")
    if not found:
        return "no page is a copy of another by ssdeep digests"
    return f"{plural(found, 'page')} ({found / pages:.1%}) repeat another by ssdeep digests"


def _quilts(data: Sql, pages: int) -> str:
    found = data.value("SELECT count(*) FROM quilts")
    if not found:
        return "no page is stitched together from other sites' text"
    share, sources, url = data.row(
        "SELECT covered_fraction, sources, url FROM quilts ORDER BY covered_fraction DESC, page LIMIT 1"
    )
    return (
        f"{plural(found, 'quilt')} ({found / pages:.1%}), pages stitched together from other pages' text; "
        f"first: {_short(url)}, {share:.0%} of it from {plural(sources, 'page')}"
    )


def _sites(data: Sql, _: int) -> str:
    found = data.value("SELECT count(*) FROM sites WHERE rank IS NOT NULL")
    if not found:
        return "no site lives off popular phrases"
    site, pages = data.row("SELECT site, pages FROM sites WHERE rank IS NOT NULL ORDER BY rank LIMIT 1")
    many = f"{found:,} sites live" if found > 1 else "1 site lives"
    return f"{many} off popular phrases; first: {_short(site)}, {plural(pages, 'page')}"


TELL = {
    "style_clusters": _clusters,
    "duplicates": _copies,
    "fuzzy": _fuzzy,
    "quilts": _quilts,
    "sites": _sites,
}


def _short(url: str | None) -> str:
    from pagekin.cli.tables import clean

    return shortened(clean(url), URL)
