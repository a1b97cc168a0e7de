"""Quilts: pages made of other pages' text, and their sources (Najork 2012)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.phrases.sites import site_pages, with_originality
from pagekin.detect.quilts.all_sources import all_sources
from pagekin.detect.quilts.attribution import attribute
from pagekin.detect.quilts.dates import dated, read_dates
from pagekin.engines.base import Batch, Engine, Resources
from pagekin.errors import ParamsError, RunError
from pagekin.fs import TEMP_SUFFIX
from pagekin.params import Params, QuiltParams
from pagekin.run import Run
from pagekin.sites import apply_server_map, read_server_map
from pagekin.tables import ALL_SOURCES, ORIGINALITY, QUILT_SOURCES, QUILTS, SITES

SOURCE = pa.struct(
    [
        ("source", pa.int64()),
        ("new_grams", pa.int64()),
        ("shared_grams", pa.int64()),
        ("foreign", pa.bool_()),
    ]
)
COVERED = pa.schema(
    [
        ("page", pa.int64()),
        ("grams", pa.int64()),
        ("own_grams", pa.int64()),
        ("patch_grams", pa.int64()),
        ("quilt", pa.bool_()),
        ("uncovered", pa.int64()),
        ("sources", pa.list_(SOURCE)),
        ("holders", pa.list_(SOURCE)),
    ]
)
"""What comes of each page: its grams, and its sources if it has patch grams enough."""


class QuiltReducer:
    """Texts in, covered pages out (crates/core/src/quilts/collection.rs)."""

    def __init__(
        self,
        run: Run,
        params: QuiltParams,
        resources: Resources,
        server_map: dict[str, str],
        metrics: dict[str, Any] | None = None,
    ) -> None:
        self.run = run
        self.params = params
        self.metrics = {} if metrics is None else metrics
        # The rest is for texts on their way in and rows on their way out.
        self.quilter = _core.GramCollection(
            resources.threads, resources.memory // 2, str(resources.spill), params.k, params.seed
        )
        dates = read_dates(params.dates)
        for known in run.lineage:
            for batch in known.batches("pages", ["page", "url", "host", "domain", "ip"]):
                self.quilter.push_sites(apply_server_map(batch, server_map))
            if params.earlier_only:
                for batch in known.batches("pages", ["page", "url", "date"]):
                    self.quilter.push_dates(dated(batch, dates))
            if "duplicates" in known.tables and not params.keep_duplicates:
                for batch in known.batches("duplicates", ["page", "representative", "jaccard"]):
                    self.quilter.push_copies(copies(batch, params.copies))
        self.push = self.quilter.push

    def count(self, m: int) -> _core.CountedGrams:
        """Counts the grams, once all texts are there."""
        params = self.params
        path = gram_index_path(self.run)
        unfinished = path.with_name(f".{path.name}{TEMP_SUFFIX}")
        index = str(unfinished) if params.keep_grams else None
        counted = self.quilter.count(m, params.foreign, index, params.verify)
        if params.keep_grams:
            unfinished.replace(path)
        self.metrics.update(counted.metrics())
        if params.verify:
            self.metrics["verified"] = verify(self.run, counted)
        return counted

    def finish(self) -> Iterator[Batch]:
        """One row for each page of the run."""
        params = self.params
        covers = self.count(params.m).covers(
            params.m, params.c, params.theta, params.min_share, params.share == "covered", params.min_shared
        )
        yield from own_rows(self.run, covers)


def copies(duplicates: Batch, similarity: float) -> Batch:
    """The pages that are so much like their representative that they take no part; without figures, all."""
    alike = pc.fill_null(pc.greater_equal(duplicates["jaccard"], similarity), True)
    return duplicates.filter(alike).select(["page", "representative"])


def own_rows(run: Run, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Only the rows of the run's own pages."""
    first = run.first_page
    for batch in batches:
        yield (
            batch
            if batch.num_rows and batch["page"][0].as_py() >= first
            else batch.filter(pc.greater_equal(batch["page"], first))
        )


def gram_index_path(run: Run) -> Path:
    """Where a run keeps the index of all its grams, if it does."""
    return run.path / "grams.index"


def verify(run: Run, counted: _core.CountedGrams) -> int:
    """Compares the words of all grams that share a hash; returns how many were compared."""
    total = 0
    for verifier in counted.verifiers():
        for known in run.lineage:
            for batch in known.batches("texts", ["text"]):
                verifier.push(batch)
        compared, collisions = verifier.finish()
        if collisions:
            raise RunError(
                f"{collisions:,} grams have the hash of a gram of other words; "
                "scan again with another [quilts] seed in a parameter file"
            )
        total += compared
    return total


@dataclass(frozen=True)
class Covered:
    """The exchange behind quilts. Every gram may join any two pages, so all rows meet."""

    run: Run
    params: QuiltParams
    server_map: dict[str, str]
    metrics: dict[str, Any] = field(default_factory=dict)
    """What was counted, once it is."""
    by: str = ""
    schema: pa.Schema = COVERED

    def open(self, resources: Resources) -> QuiltReducer:
        return QuiltReducer(self.run, self.params, resources, self.server_map, self.metrics)


def find_quilts(run: Run, engine: Engine, params: Params) -> None:
    """Texts → grams → patches → covers → quilts, quilt_sources, all_sources, originality.

    With `scan --against` the texts of the known runs take part, and the rows are those of the new pages.
    """
    check_sites(run, params.quilts)
    texts = engine.concat(*(engine.load(known, "texts", ["page", "text"]) for known in run.lineage))
    server_map = read_server_map(params.servers.map)
    exchange = Covered(run, params.quilts, server_map)
    covered = engine.collect(engine.exchange(texts, exchange))
    found = covered.filter(covered["quilt"])
    classes = not params.quilts.keep_duplicates
    sources, quilts = attribute(run, source_rows(found), quilt_rows(found), server_map, classes)
    dates = read_dates(params.quilts.dates)
    everyone = all_sources(run, listed(found, "holders"), found, sources, dates)
    own = originality(run, covered)
    tables = {QUILTS: quilts, QUILT_SOURCES: sources, ALL_SOURCES: everyone, ORIGINALITY: own}
    if run.is_done("phrases"):  # they left the column `originality` empty
        # A stopped attempt may have left no `sites` in place; what it staged is complete.
        sites = SITES.schema.empty_table() if run.is_staged("quilts") else run.table(SITES.name)
        tables[SITES] = with_originality(sites, site_pages(run, params), own, params)
    engine.publish(run, "quilts", tables)
    run.update(quilts=exchange.metrics)


def check_sites(run: Run, params: QuiltParams) -> None:
    """Fails when no page has the IP address by which foreign pages are to be told."""
    if params.foreign == "ip" and not any(
        len(batch) > batch["ip"].null_count for batch in run.batches("pages", ["ip"])
    ):
        raise ParamsError("foreign = ip: the crawl recorded no IP address of any page; take host or domain")


def source_rows(found: pa.Table) -> pa.Table:
    """One row for each source of the covered pages, without what other tables know of it."""
    rows = listed(found, "sources")
    patch = found["patch_grams"].take(pc.index_in(rows["page"], found["page"].combine_chunks()))
    return rows.append_column("share", ratio(rows["new_grams"], patch))


def listed(found: pa.Table, column: str) -> pa.Table:
    """The pages listed for each page, with their ranks in its list."""
    lists = found[column].combine_chunks()
    parents = pc.list_parent_indices(lists)
    starts = pc.take(lists.offsets, parents)
    flat = pc.list_flatten(lists)
    rank = pc.subtract(pa.array(range(len(parents)), pa.int64()), pc.subtract(starts, lists.offsets[0]))
    rows = pa.table({field.name: column for field, column in zip(SOURCE, flat.flatten(), strict=True)})
    rows = rows.add_column(0, "page", found["page"].take(parents))
    return rows.append_column("rank", pc.add(rank, 1))


def quilt_rows(found: pa.Table) -> pa.Table:
    """One row for each quilt, without what other tables know of it."""
    rows = found.select(["page", "grams", "patch_grams", "uncovered"])
    rows = rows.append_column("patch_fraction", ratio(rows["patch_grams"], rows["grams"]))
    rows = rows.append_column("covered_grams", pc.subtract(rows["patch_grams"], rows["uncovered"]))
    rows = rows.append_column("covered_fraction", ratio(rows["covered_grams"], rows["grams"]))
    return rows.append_column("sources", pc.cast(pc.list_value_length(found["sources"]), pa.int64()))


def ratio(part: pa.ChunkedArray, whole: pa.ChunkedArray) -> pa.ChunkedArray:
    """A fraction; null where the whole is nothing."""
    whole = pc.if_else(pc.equal(whole, 0), None, whole)
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(whole, pa.float64()))


def originality(run: Run, covered: pa.Table) -> pa.Table:
    """How much of each page is its own. Rows are those of `pages`, in the same order."""
    urls = run.table("pages", ["page", "url"])
    rows = covered.select(["page", "grams", "own_grams"]).add_column(1, "url", urls["url"])
    return rows.append_column("originality", ratio(rows["own_grams"], rows["grams"]))
