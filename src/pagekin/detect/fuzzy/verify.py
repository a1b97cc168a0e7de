"""Fuzzy classes checked on the texts: on templated pages, digests that are alike say little.

Every member is compared with its representative, phrase by phrase. Those that are not similar enough form a
class of their own and are compared with its first page, `ROUNDS` times in all. What is left is in no class.
So no page is in a class only because of others in between.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.duplicates.find import EDGES, MEMBERS, SAME, MakeClasses, Members
from pagekin.detect.joins import lookup
from pagekin.engines.base import Engine
from pagekin.params import Params
from pagekin.run import Run

ROUNDS = 4
CANDIDATE = 2
"""The kind of an edge that holds only if the texts say so."""

VERIFIED = pa.schema(
    [
        ("class", pa.int64()),
        ("page", pa.int64()),
        ("exact", pa.bool_()),
        ("score", pa.int32()),
        ("similarity", pa.float64()),
    ]
)


def verified(run: Run, engine: Engine, params: Params, members: pa.Table) -> pa.Table:
    """The members whose texts are similar enough to that of their (perhaps new) representative."""
    kept = [VERIFIED.empty_table()]
    left = members
    for _ in range(ROUNDS):
        edges = _edges(left)
        if not edges.num_rows:
            break
        found = _checked(run, engine, params, edges)
        kept.append(_scored(run, found, left))
        left = _regrouped(run, left, found)
    rows = pa.concat_tables(kept)
    return rows.sort_by([("class", "ascending"), ("page", "ascending")])


def _edges(members: pa.Table) -> pa.Table:
    """From every member to its representative."""
    rows = members.filter(pc.not_equal(members["page"], members["class"]))
    kind = pc.cast(pc.if_else(rows["exact"], SAME, CANDIDATE), pa.int8())
    return pa.table([rows["page"], rows["class"], kind], schema=EDGES)


def _checked(run: Run, engine: Engine, params: Params, edges: pa.Table) -> pa.Table:
    texts = engine.concat(*(engine.load(known, "texts", MEMBERS.names) for known in run.lineage))
    classes = MakeClasses(edges, params.fuzzy.similarity, 0, params.shingles, wrap=False)
    return engine.collect(engine.exchange(engine.map(texts, Members(edges, texts=True)), classes))


def _scored(run: Run, found: pa.Table, members: pa.Table) -> pa.Table:
    """The classes that were found, with scores: as they are known, or to a new representative."""
    columns = {
        "class": found["class"],
        "page": found["page"],
        "exact": pc.equal(found["kind"], "exact"),
        "score": lookup(found["page"], members, "page", "score"),
        "similarity": found["jaccard"],
    }
    return pa.table([columns[name] for name in VERIFIED.names], schema=VERIFIED)


def _regrouped(run: Run, members: pa.Table, found: pa.Table) -> pa.Table:
    """Those that are not like their representative, in classes of their own."""
    rest = members.filter(pc.invert(pc.is_in(members["page"], value_set=found["page"].combine_chunks())))
    # A representative that nobody is like is done with.
    rest = rest.filter(pc.not_equal(rest["page"], rest["class"]))
    firsts = rest.group_by("class", use_threads=False).aggregate([("page", "min")])
    first = lookup(rest["class"], firsts, "class", "page_min")
    own, theirs = (run.page_columns("sketches", ["md5", "ssdeep"], pages) for pages in (rest["page"], first))
    digests = zip(own["ssdeep"].to_pylist(), theirs["ssdeep"].to_pylist(), strict=True)
    exact = pc.equal(own["md5"], theirs["md5"])
    scores = pa.array([_core.ssdeep_score(a, b) for a, b in digests], pa.int32())
    columns = {
        "class": first,
        "page": rest["page"],
        "exact": exact,
        "score": pc.if_else(exact, pa.scalar(100, pa.int32()), scores),
    }
    return pa.table({name: columns[name] for name in members.column_names})
