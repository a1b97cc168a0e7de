"""Popular phrases, the covers of pages made of them, and sites that live off them (Fetterly et al. 2005)."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.joins import lookup, representatives, tuples
from pagekin.detect.phrases.kinds import kind
from pagekin.detect.phrases.sites import site_pages, site_rows, with_originality
from pagekin.detect.sketch import shingler
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.params import Params, PhraseParams, ShingleParams
from pagekin.run import BATCH_ROWS, Run
from pagekin.tables import COVERS, PHRASES, POPULAR, SITES
from pagekin.tables.lookup import TableLookup
from pagekin.tables.phrases import DONOR

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
CHOSEN = pa.list_(pa.struct([field for field in DONOR if field.name != "url"]))
COVERED = pa.schema(
    [("page", pa.int64()), ("popular", pa.int64()), ("cover", pa.int64()), ("foreign", pa.int64()),
     ("donors", CHOSEN)]
)  # fmt: skip

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
    """Shingles that enough pages hold, with pages that hold them (crates/core/src/phrases/popular.rs)."""

    sites: pa.RecordBatch
    params: PhraseParams
    by: str = "fingerprint"
    schema: pa.Schema = POSTINGS

    def open(self, resources: Resources) -> _core.PopularPhrases:
        params, threads, memory = self.params, resources.threads, resources.memory
        return _core.PopularPhrases(
            self.sites, params.popular, params.holders, threads, memory, str(resources.spill)
        )


@dataclass(frozen=True)
class Count:
    """How many of a page's shingles are popular (crates/core/src/phrases/covers.rs)."""

    sites: pa.RecordBatch
    popular: pa.Table
    schema: pa.Schema = COUNTS

    def open(self, threads: int) -> BatchFunction:
        return _core.PhraseCovers(self.sites, self.popular.to_batches(), threads).count


@dataclass(frozen=True)
class Cover:
    """The pages that together hold a page's popular shingles (crates/core/src/phrases/covers.rs)."""

    sites: pa.RecordBatch
    popular: pa.Table
    params: PhraseParams
    schema: pa.Schema = COVERED

    def open(self, threads: int) -> BatchFunction:
        donors = _core.PhraseCovers(self.sites, self.popular.to_batches(), threads)
        params = self.params
        return lambda batch: donors.cover(batch, params.min_popular, params.prune).cast(COVERED)


@dataclass(frozen=True)
class NamePages:
    """Adds the URLs of pages and of their donors."""

    urls: pa.Table
    schema: pa.Schema = COVERS.schema

    def open(self, threads: int) -> BatchFunction:
        known = TableLookup(self.urls)

        def named(batch: Batch) -> Batch:
            lists = batch.column("donors")
            donors = {field.name: lists.flatten().field(field.name) for field in CHOSEN.value_type}
            donors["url"] = known.column("url", donors["page"])
            values = pa.StructArray.from_arrays([donors[field.name] for field in DONOR], fields=list(DONOR))
            counts = pc.cumulative_sum(pc.list_value_length(lists))
            offsets = pa.concat_arrays([pa.array([0], pa.int32()), counts])
            added = {
                "url": known.column("url", batch.column("page")),
                "donors": pa.ListArray.from_arrays(offsets, values),
            }
            columns = [added[name] if name in added else batch.column(name) for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return named


@dataclass(frozen=True)
class Quote:
    """The text of phrases, from pages that they were found on (crates/core/src/phrases/quotes.rs)."""

    wanted: pa.RecordBatch
    shingles: ShingleParams
    schema: pa.Schema = QUOTES

    def open(self, threads: int) -> BatchFunction:
        return _core.Quoter(self.wanted, shingler(self.shingles), threads).quote


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
    urls = pages.select(["page", "url"])
    if "originality" in run.tables:
        sites = with_originality(sites, pages, run.table("originality"), params)
    engine.publish(
        run,
        "phrases",
        {
            PHRASES: phrase_rows(popular, quotes, pages),
            POPULAR: counts.append_column("url", lookup(counts["page"], urls, "page", "url")).select(
                POPULAR.names
            ),
            COVERS: engine.map(covers, NamePages(urls)),
            SITES: sites,
        },
    )


def site_numbers(pages: pa.Table) -> pa.RecordBatch:
    """Host, server and IP address of each page as numbers."""

    def numbers(name: str) -> pa.Array:
        encoded = pages[name].combine_chunks().dictionary_encode()
        return encoded.indices.cast(pa.int32())

    columns = [pages["page"].combine_chunks(), numbers("host"), numbers("server"), numbers("ip")]
    return pa.RecordBatch.from_arrays(columns, names=["page", "host", "server", "ip"])


def phrase_rows(popular: pa.Table, quotes: pa.Table, pages: pa.Table) -> pa.Table:
    """One row a phrase, from one row for each function under which it is popular."""
    keys = ["fingerprint", "pages", "hosts", "servers", "example"]
    rows = popular.group_by(keys, use_threads=False).aggregate([("function", "count")])
    phrase = lookup(rows["fingerprint"], quotes, "fingerprint", "phrase")
    spread = pa.table({"phrase": phrase, "pages": rows["pages"], "servers": rows["servers"]})
    # Some at a time: as Python's strings, all of them would take several times their memory.
    kinds = [
        pa.array([kind(text or "", n, servers) for text, n, servers in tuples(batch)], pa.string())
        for batch in spread.to_batches(max_chunksize=BATCH_ROWS)
    ]
    table = pa.table(
        {
            "phrase": phrase,
            "pages": rows["pages"],
            "hosts": rows["hosts"],
            "domains": rows["servers"],
            "kind": pa.chunked_array(kinds, pa.string()),
            "functions": rows["function_count"],
            "example_url": lookup(rows["example"], pages, "page", "url"),
            "fingerprint": rows["fingerprint"],
        },
        schema=PHRASES.schema,
    )
    order = [("pages", "descending"), ("phrase", "ascending"), ("fingerprint", "ascending")]
    return table.sort_by(order)
