"""Sites: how many popular phrases their pages have, and how much of their text is their own."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.joins import lookup
from pagekin.params import Params
from pagekin.run import Run
from pagekin.sites import read_server_map, server_names
from pagekin.tables import SITES


def site_pages(run: Run, params: Params) -> pa.Table:
    """Pages that are no copies of another, with the server that each belongs to."""
    pages = run.representatives("pages", ["page", "url", "host", "domain", "ip"])
    return pages.append_column("server", server_names(pages, read_server_map(params.servers.map)))


def sites_of(pages: pa.Table, params: Params) -> pa.ChunkedArray:
    """The site of each page, as `--site` says; null where it is unknown."""
    return pages[{"host": "host", "domain": "server", "ip": "ip"}[params.phrases.site]]


def site_rows(counts: pa.Table, pages: pa.Table, params: Params) -> pa.Table:
    """Mean and deviation by site, from integer sums, and the ranking that found the paper's farm."""
    wanted = params.phrases
    known = pa.table({"page": pages["page"], "site": sites_of(pages, params)})
    site = lookup(counts["page"], known, "page", "site")
    popular = counts["popular"]
    rows = pa.table({"site": site, "popular": popular, "square": pc.multiply(popular, popular)})
    rows = rows.filter(pc.is_valid(rows["site"]))
    sums = rows.group_by("site", use_threads=False).aggregate(
        [("popular", "count"), ("popular", "sum"), ("square", "sum")]
    )
    n, total, squares = (sums[name] for name in ("popular_count", "popular_sum", "square_sum"))
    spread = pc.subtract(pc.multiply(n, squares), pc.multiply(total, total))
    pages_of = n.cast(pa.float64())
    mean = pc.divide(total.cast(pa.float64()), pages_of)
    deviation = pc.divide(pc.sqrt(spread.cast(pa.float64())), pages_of)
    table = pa.table(
        {
            "site": sums["site"],
            "pages": n,
            "mean_popular": mean,
            "std_popular": deviation,
            "originality": pa.nulls(len(n), pa.float64()),
            "rank": pa.nulls(len(n), pa.int64()),
        },
        schema=SITES.schema,
    ).sort_by([("pages", "descending"), ("site", "ascending")])
    many = pc.greater_equal(table["pages"], wanted.site_pages)
    full = pc.greater_equal(table["mean_popular"], wanted.site_mean)
    even = pc.less(table["std_popular"], wanted.site_deviation)
    listed = pc.and_(pc.and_(many, full), even).combine_chunks()
    ranks = pc.if_else(listed, pc.cumulative_sum(listed.cast(pa.int64())), None)
    return table.set_column(5, "rank", ranks)
