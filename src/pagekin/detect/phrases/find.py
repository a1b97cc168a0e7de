"""Popular phrases, the covers of pages made of them, and sites that live off them (Fetterly et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.phrases.kinds import kind
from pagekin.detect.phrases.sites import site_pages, sites_of, with_originality
from pagekin.detect.representatives import representatives
from pagekin.detect.rows import looked_up, tuples
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.params import Params, PhraseParams, ShingleParams
from pagekin.run import PIECE, Run
from pagekin.tables import COVERS, PHRASES, POPULAR, SITES

POSTINGS = pa.schema(
    [
        *(
            (name, pa.int64())
            for name in ("fingerprint", "function", "pages", "hosts", "servers", "example", "held")
        ),
        ("holders", pa.list_(pa.int64())),
    ]
)
QUOTES = pa.schema([("fingerprint", pa.int64()), ("phrase", pa.string())])
COUNTS = pa.schema([("page", pa.int64()), ("popular", pa.int64())])
COVERED = pa.schema([COVERS.schema.field(name) for name in COVERS.names if name != "url"])

PAPERS_PAGES = 150_000_000
"""The paper asked for five pages in collections of this size."""


def advised_popular(pages: int) -> int:
    """How many pages should hold a phrase in a corpus of so many: what chance repeats grows with the corpus.

    Examples:
        >>> advised_popular(20_000), advised_popular(600_000_000)
        (5, 20)
    """
    return max(5, -(-5 * pages // PAPERS_PAGES))


@dataclass(frozen=True)
class Popular:
    """Shingles that enough pages hold, with pages that hold them (crates/core/src/popular.rs)."""

    sites: pa.RecordBatch
    params: PhraseParams
    by: str = "fingerprint"
    schema: pa.Schema = POSTINGS

    def open(self, resources: Resources) -> _core.FindPopular:
        """Collects shingles."""
        params, threads, memory = self.params, resources.threads, resources.memory
        return _core.FindPopular(
            self.sites, params.popular, params.holders, threads, memory, str(resources.spill)
        )


@dataclass(frozen=True)
class Count:
    """How many of a page's shingles are popular (crates/core/src/donors.rs)."""

    sites: pa.RecordBatch
    popular: pa.Table
    schema: pa.Schema = COUNTS

    def open(self, threads: int) -> BatchFunction:
        """Sketches in, counts out."""
        return _core.Donors(self.sites, self.popular.to_batches(), threads).count


@dataclass(frozen=True)
class Cover:
    """The pages that together hold a page's popular shingles (crates/core/src/donors.rs)."""

    sites: pa.RecordBatch
    popular: pa.Table
    params: PhraseParams
    schema: pa.Schema = COVERED

    def open(self, threads: int) -> BatchFunction:
        """Sketches in, covers out."""
        donors = _core.Donors(self.sites, self.popular.to_batches(), threads)
        params = self.params
        return lambda batch: donors.cover(batch, params.min_popular, params.prune).cast(COVERED)


@dataclass(frozen=True)
class Quote:
    """What phrases read like on the pages that they were found on (crates/core/src/passages.rs)."""

    wanted: pa.RecordBatch
    shingles: ShingleParams
    schema: pa.Schema = QUOTES

    def open(self, threads: int) -> BatchFunction:
        """Texts in, phrases out."""
        return _core.Quoter(self.wanted, shingler(self.shingles), threads).quote


@dataclass(frozen=True)
class Named:
    """Puts the URLs of pages in."""

    pages: pa.Table
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        """Adds the column."""
        page, url = (self.pages[name].combine_chunks() for name in ("page", "url"))
        places = _core.Places(page)

        def named(batch: Batch) -> Batch:
            urls = url.take(places.of(batch.column("page")))
            columns = [urls if name == "url" else batch.column(name) for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return named


def find_phrases(run: Run, engine: Engine, params: Params) -> None:
    """Shingles of representatives → popular phrases → covers → phrases, popular, covers, sites."""
    wanted = params.phrases
    pages = site_pages(run, params)
    where = site_numbers(pages)
    sketches = representatives(run, engine, "sketches", ["page", "shingles"])
    popular = engine.collect(engine.exchange(sketches, Popular(where, wanted)))
    counts = engine.collect(engine.map(sketches, Count(where, popular)))
    first = popular.group_by("fingerprint", use_threads=False).aggregate([("example", "min")])
    examples = pa.RecordBatch.from_arrays(
        [first["example_min"].combine_chunks(), first["fingerprint"].combine_chunks()],
        names=["page", "fingerprint"],
    )
    texts = representatives(run, engine, "texts", ["page", "text"])
    quotes = engine.collect(engine.map(texts, Quote(examples, params.shingles)))
    covers = engine.map(sketches, Cover(where, popular, wanted))
    sites = site_rows(counts, pages, params)
    if "originality" in run.tables:
        sites = with_originality(sites, pages, run.table("originality"), params)
    engine.publish(
        run,
        "phrases",
        {
            PHRASES: phrase_rows(popular, quotes, pages),
            POPULAR: _named(counts, pages),
            COVERS: engine.map(covers, Named(pages, COVERS.schema)),
            SITES: sites,
        },
    )


def site_numbers(pages: pa.Table) -> pa.RecordBatch:
    """Host, server and address of each page as numbers."""

    def numbers(name: str) -> pa.Array:
        encoded = pages[name].combine_chunks().dictionary_encode()
        return encoded.indices.cast(pa.int32())

    columns = [pages["page"].combine_chunks(), numbers("host"), numbers("server"), numbers("ip")]
    return pa.RecordBatch.from_arrays(columns, names=["page", "host", "server", "ip"])


def _named(counts: pa.Table, pages: pa.Table) -> pa.Table:
    named = Named(pages, POPULAR.schema).open(1)
    return pa.Table.from_batches(map(named, counts.to_batches()), POPULAR.schema)


def phrase_rows(popular: pa.Table, quotes: pa.Table, pages: pa.Table) -> pa.Table:
    """One row a phrase, from one row for each function under which it is popular."""
    keys = ["fingerprint", "pages", "hosts", "servers", "example"]
    rows = popular.group_by(keys, use_threads=False).aggregate([("function", "count")])
    phrase = looked_up(rows["fingerprint"], quotes, "fingerprint", "phrase")
    spread = pa.table({"phrase": phrase, "pages": rows["pages"], "servers": rows["servers"]})
    # Some at a time: as Python's strings, all of them would take several times their memory.
    kinds = [
        pa.array([kind(text or "", n, servers) for text, n, servers in tuples(batch)], pa.string())
        for batch in spread.to_batches(max_chunksize=PIECE)
    ]
    table = pa.table(
        {
            "phrase": phrase,
            "pages": rows["pages"],
            "hosts": rows["hosts"],
            "domains": rows["servers"],
            "kind": pa.chunked_array(kinds, pa.string()),
            "functions": rows["function_count"],
            "example_url": looked_up(rows["example"], pages, "page", "url"),
            "fingerprint": rows["fingerprint"],
        },
        schema=PHRASES.schema,
    )
    order = [("pages", "descending"), ("phrase", "ascending"), ("fingerprint", "ascending")]
    return table.sort_by(order)


def site_rows(counts: pa.Table, pages: pa.Table, params: Params) -> pa.Table:
    """Mean and deviation by site, from integer sums, and the ranking that found the paper's farm."""
    wanted = params.phrases
    place = pc.index_in(counts["page"], value_set=pages["page"].combine_chunks())
    site = sites_of(pages, params).combine_chunks().take(place.combine_chunks())
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
