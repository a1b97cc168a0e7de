"""The sections of the report, in order. A section whose tables are missing is left out."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.readers import READ_REASONS
from pagekin.report.blocks import Bars, Facts, Grid, Section
from pagekin.report.duplicates import duplicates
from pagekin.report.fuzzy import causes, fuzzy
from pagekin.report.growth import growth
from pagekin.report.phrases import covers, phrases, popular_sites
from pagekin.report.quilts import originality, quilts
from pagekin.report.styles import styles
from pagekin.run import Run

TOP = 20


def crawl(run: Run) -> Section:
    """What was read."""
    counts = run.info["counts"]
    facts = Facts(
        [
            ("pages", counts["pages"]),
            ("words", counts["words"]),
            ("bytes of HTML", counts["html_bytes"]),
            ("pages with malformed characters", counts["lossy"]),
            ("inputs", len(run.inputs)),
            ("pagekin", run.info["pagekin"]),
        ]
    )
    skipped = Bars([(f"{READ_REASONS.get(r, r)} ({r})", n) for r, n in run.info["skipped"].items()])
    steps = Grid(
        ["step", "engine", "seconds", "peak memory (MB)"],
        [
            [name, facts["engine"], facts["seconds"], round(facts["peak_memory_bytes"] / 1e6)]
            for name, facts in run.info["steps"].items()
        ],
    )
    return Section("The crawl", "What was read, and which records were not pages.", [facts, skipped, steps])


def sites(run: Run) -> Section:
    """Which domains the pages come from."""
    pages = run.table("pages", ["domain", "host", "words"])
    by_domain = pages.group_by("domain").aggregate(
        [("host", "count_distinct"), ("words", "sum"), ("domain", "count")]
    )
    table = pa.table(
        {
            "domain": by_domain["domain"],
            "pages": by_domain["domain_count"],
            "hosts": by_domain["host_count_distinct"],
            "words": by_domain["words_sum"],
        }
    ).sort_by([("pages", "descending"), ("domain", "ascending")])
    note = f"{table.num_rows:,} domains; the {min(TOP, table.num_rows)} with the most pages."
    return Section("Domains", note, [Grid.of(table.slice(0, TOP))])


def charsets(run: Run) -> Section:
    """How the pages were encoded."""
    counts = pc.value_counts(run.table("pages", ["charset"])["charset"].combine_chunks()).to_pylist()
    rows = [(entry["values"] or "text only", entry["counts"]) for entry in counts]
    return Section(
        "Encodings",
        "How the pages' bytes were read.",
        [Bars(sorted(rows, key=lambda row: (-row[1], row[0])))],
    )


def lengths(run: Run) -> Section:
    """How long the pages are."""
    words = run.table("pages", ["words"])["words"]
    edges = [0, 1, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000]
    rows = []
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        inside = pc.greater_equal(words, low)
        if high is not None:
            inside = pc.and_(inside, pc.less(words, high))
        label = f"{low:,} or more" if high is None else "0" if high == 1 else f"{low:,} to {high - 1:,}"
        rows.append((label, pc.sum(inside).as_py() or 0))
    return Section("Page lengths", "Pages by their number of words.", [Bars(rows)])


SECTIONS: list[tuple[tuple[str, ...], Callable[[Run], Section]]] = [
    ((), crawl),
    (("pages",), sites),
    (("pages",), charsets),
    (("pages",), lengths),
    (("quilts", "quilt_sources"), quilts),
    (("originality",), originality),
    (("duplicates",), duplicates),
    (("phrases", "popular"), phrases),
    (("covers", "pages"), covers),
    (("sites",), popular_sites),
    (("fuzzy",), fuzzy),
    (("duplicate_rates", "url_parameters"), causes),
    (("pages", "sketches"), growth),
    (("style_clusters", "style_members", "sketches", "pages"), styles),
]
"""The tables a section needs, and what makes it."""
