"""How much of each site's text is its own: pages are counted with quilts, sites with phrases."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.params import Params
from pagekin.run import Run
from pagekin.sites import read_map, servers
from pagekin.tables import SITES


def site_pages(run: Run, params: Params) -> pa.Table:
    """Pages that are no copies of another, with the server that each belongs to."""
    pages = run.representatives("pages", ["page", "url", "host", "domain", "ip"])
    return pages.append_column("server", servers(pages, read_map(params.servers.map)))


def sites_of(pages: pa.Table, params: Params) -> pa.ChunkedArray:
    """The site of each page, as `--site` says; null where nobody knows it."""
    return pages[{"host": "host", "domain": "server", "ip": "ip"}[params.phrases.site]]


def with_originality(sites: pa.Table, pages: pa.Table, grams: pa.Table, params: Params) -> pa.Table:
    """The table `sites` with the share of each site's grams that no other page has.

    From the counts of its pages (`grams` is the table `originality`), added up as integers; copies of other
    pages are left out, as they are from everything in `sites`. A gram on two pages of a site counts twice.
    """
    rows = pa.table({"page": pages["page"], "site": sites_of(pages, params)})
    rows = rows.filter(pc.is_valid(rows["site"]))
    place = pc.index_in(rows["page"], value_set=grams["page"].combine_chunks()).combine_chunks()
    for name in ("grams", "own_grams"):
        rows = rows.append_column(name, grams[name].combine_chunks().take(place))
    sums = rows.group_by("site", use_threads=False).aggregate([("grams", "sum"), ("own_grams", "sum")])
    whole = sums["grams_sum"]
    whole = pc.if_else(pc.equal(whole, 0), None, whole).cast(pa.float64())
    share = pc.divide(sums["own_grams_sum"].cast(pa.float64()), whole).combine_chunks()
    place = pc.index_in(sites["site"], value_set=sums["site"].combine_chunks()).combine_chunks()
    column = SITES.names.index("originality")
    return sites.set_column(column, SITES.schema.field(column), share.take(place))
