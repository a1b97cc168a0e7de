"""Popular phrases, covers and sites in the report: the paper's Figures 1 to 9."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.phrases.find import advised_popular
from pagekin.report.blocks import Block, Facts, Grid, Picture, Section
from pagekin.report.figures import svg
from pagekin.run import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 25
INK, SOFT = "#1f4e79", "#c9d8e8"


def phrases(run: Run) -> Section:
    """What is popular, how often, and on how many of each page's shingles."""
    rows = run.table("phrases")
    wanted, pages = run.params.phrases.popular, run.table("popular", ["popular"]).num_rows
    advice = advised_popular(pages)
    facts = Facts(
        [
            ("popular phrases", rows.num_rows),
            ("pages that must hold a phrase", wanted),
            ("advised for a corpus of this size", advice),
        ]
    )
    blocks: list[Block] = [facts, Grid.of(rows.select(["phrase", "pages", "domains", "kind"]).slice(0, TOP))]
    if rows.num_rows:
        held: list[int] = sorted(rows["pages"].to_pylist(), reverse=True)
        blocks.append(Picture(svg(lambda axes: _ranks(axes, held)), "Phrases by rank and by pages, log-log"))
        blocks.append(
            Picture(
                svg(lambda axes: _frequencies(axes, held)), "How many phrases are on so many pages, log-log"
            )
        )
    counts: list[int] = run.table("popular", ["popular"])["popular"].to_pylist()
    if counts:
        blocks.append(
            Picture(
                svg(lambda axes: _per_page(axes, counts, run.params.shingles.m)),
                "Share of pages by popular shingles",
            )
        )
    return Section(
        "Popular phrases",
        "Phrases that one function chose on enough pages, with a hint of what they are. The figures: pages "
        "of each phrase by its rank; phrases by their pages; pages by their popular shingles.",
        blocks,
    )


def _ranks(axes: Axes, held: list[int]) -> None:
    axes.loglog(range(1, len(held) + 1), held, ".", color=INK, markersize=3)
    axes.set_xlabel("rank of the phrase")
    axes.set_ylabel("pages that hold it")


def _frequencies(axes: Axes, held: list[int]) -> None:
    phrases = Counter(held)
    axes.loglog(list(phrases), list(phrases.values()), ".", color=INK, markersize=3)
    axes.set_xlabel("pages")
    axes.set_ylabel("phrases on so many pages")


def _per_page(axes: Axes, counts: list[int], m: int) -> None:
    pages = Counter(counts)
    shares = [pages[n] / len(counts) if n in pages else float("nan") for n in range(m + 1)]
    axes.semilogy(range(m + 1), shares, ".-", color=INK, markersize=3)
    axes.set_xlabel("popular shingles of a page")
    axes.set_ylabel("share of pages")


def covers(run: Run) -> Section:
    """Covers against popular shingles: disc area is pages, inner disc the foreign share."""
    rows = run.table("covers", ["page", "url", "popular", "cover", "foreign"])
    top = rows.sort_by([("popular", "descending"), ("cover", "descending"), ("page", "ascending")])
    blocks: list[Block] = [
        Facts(
            [
                ("pages with a cover", rows.num_rows),
                ("popular shingles that such a page has at least", run.params.phrases.min_popular),
            ]
        ),
        Grid.of(top.select(["url", "popular", "cover", "foreign"]).slice(0, TOP)),
    ]
    if rows.num_rows:
        blocks.append(
            Picture(svg(lambda axes: _bubbles(axes, rows)), "Covers against popular shingles, all pages")
        )
        crowded = _most_covered_site(run, rows)
        if crowded is not None:
            site, own = crowded
            blocks.append(
                Picture(svg(lambda axes: _bubbles(axes, own, site)), "The same for the host with most covers")
            )
    return Section(
        "Covers",
        "Pages made of popular phrases and how few other pages hold those. A disc's area is the number of "
        "pages, its inner disc the share that pages of other sites supply; first all pages, then the host "
        "with the most.",
        blocks,
    )


def _most_covered_site(run: Run, rows: pa.Table) -> tuple[str, pa.Table] | None:
    pages = run.table("pages", ["page", "host"])
    place = pc.index_in(rows["page"], value_set=pages["page"].combine_chunks())
    host = pages["host"].combine_chunks().take(place.combine_chunks())
    counts = sorted(pc.value_counts(host.drop_null()).to_pylist(), key=lambda c: (-c["counts"], c["values"]))
    if not counts:
        return None
    site = counts[0]["values"]
    return site, rows.filter(pc.fill_null(pc.equal(host, site), False))


def _bubbles(axes: Axes, rows: pa.Table, title: str = "") -> None:
    points = rows.group_by(["popular", "cover"], use_threads=False).aggregate(
        [("page", "count"), ("foreign", "sum")]
    )
    popular, cover, pages, foreign = (
        points[name].to_pylist() for name in ("popular", "cover", "page_count", "foreign_sum")
    )
    area = [400 * n / max(pages) + 3 for n in pages]
    inner = [a * f / (p * n) for a, f, p, n in zip(area, foreign, popular, pages, strict=True)]
    axes.scatter(popular, cover, s=area, color=SOFT, linewidths=0)
    axes.scatter(popular, cover, s=inner, color=INK, linewidths=0)
    axes.set_xlabel("popular shingles of a page")
    axes.set_ylabel("donors in its cover")
    if title:
        axes.set_title(title)


def popular_sites(run: Run) -> Section:
    """Sites by the mean and deviation of their pages' popular shingles."""
    rows, wanted = run.table("sites"), run.params.phrases
    ranked = rows.filter(pc.is_valid(rows["rank"])).sort_by("rank")
    shown = rows.filter(
        pc.and_(
            pc.greater_equal(rows["pages"], wanted.site_pages),
            pc.greater_equal(rows["mean_popular"], wanted.site_mean),
        )
    )
    blocks: list[Block] = [
        Grid.of(ranked.select(["rank", "site", "pages", "mean_popular", "std_popular"]).slice(0, TOP))
    ]
    if shown.num_rows:
        blocks.append(
            Picture(svg(lambda axes: _scatter(axes, shown)), "Sites by mean popular shingles and pages")
        )
    return Section(
        "Sites that live off popular phrases",
        f"Sites of at least {wanted.site_pages} pages with {wanted.site_mean:g} popular shingles on average; "
        f"ranked by pages are those that deviate by less than {wanted.site_deviation:g}. "
        "Bars are one deviation.",
        blocks,
    )


def _scatter(axes: Axes, rows: pa.Table) -> None:
    mean, deviation, pages = (rows[name].to_pylist() for name in ("mean_popular", "std_popular", "pages"))
    axes.errorbar(mean, pages, xerr=deviation, fmt=".", color=INK, ecolor=SOFT, elinewidth=1, markersize=4)
    axes.set_yscale("log")
    axes.set_xlabel("popular shingles a page, mean and deviation")
    axes.set_ylabel("pages of the site")
