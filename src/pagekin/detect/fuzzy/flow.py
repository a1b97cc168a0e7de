"""From digests and texts to the members of fuzzy classes.

    sketches ─→ digests ─┬─ same md5, same digest ─────────────────────────────┐
                         ├─→ (n-gram) ─counted→ hot n-grams ─join→ of each page│
                         └─→ (n-gram, page, signature) ─by n-gram→ near copies ┴─components→ (class, page)
                                                                                                 │
    ROUNDS times: texts of (page, first of its class) ─compared→ members; the rest are new classes

Digests that score high share seven characters of a signature. An n-gram of these that more than `MAX_HOLDERS`
signatures hold is hot: its holders are compared only with their neighbours in the order of signatures
(crates/core/src/ssdeep/hot_ngrams.rs).

On templated pages, digests that are alike say little. So every member is compared with its representative,
phrase by phrase. Those that are not similar enough form a class of their own and are compared with its first
page. What is left in the end is in no class, and no page is in a class only because of others in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.detect.duplicates.compare import compared
from pagekin.detect.lists import GroupLists
from pagekin.detect.native import NativeKernel
from pagekin.detect.sketch import shingler
from pagekin.engines.base import EDGES, Batch, BatchFunction, Engine, Reducer, Resources
from pagekin.params import FuzzyParams, ShingleParams

SKETCHES = pa.schema([("page", pa.int64()), ("md5", pa.string()), ("ssdeep", pa.string())])
TEXTS = pa.schema([("page", pa.int64()), ("text", pa.string())])
WORDLESS = pa.schema([("page", pa.int64())])
DIGESTS = pa.schema(
    [("page", pa.int64()), ("md5", pa.string()), ("digest", pa.string()), ("long", pa.bool_())]
)
FIRSTS = pa.schema([("page", pa.int64()), ("digest", pa.string())])
COUNTS = pa.schema([("key", pa.int64()), ("holders", pa.int64())])
HELD = pa.schema([("key", pa.int64()), ("page", pa.int64())])
HOT = pa.schema([("page", pa.int64()), ("hot", pa.list_(pa.int64()))])
MARKED = pa.schema([*FIRSTS, HOT.field("hot")])
HOLDERS = pa.schema(
    [
        ("key", pa.int64()),
        ("page", pa.int64()),
        ("second", pa.int64()),
        ("level", pa.int64()),
        ("before", pa.int64()),
        ("hot", pa.bool_()),
        ("signature", pa.binary()),
    ]
)
PAIRS = pa.schema(
    [
        ("label", pa.int64()),
        ("page", pa.int64()),
        ("exact", pa.bool_()),
        ("digest", pa.string()),
        ("other_digest", pa.string()),
    ]
)
SCORED = pa.schema(
    [("label", pa.int64()), ("page", pa.int64()), ("exact", pa.bool_()), ("score", pa.int32())]
)
MEMBERS = SCORED.append(pa.field("similarity", pa.float64()))
"""The members of classes: a class is labelled by its first page."""
ANY = pa.schema([("pages", pa.int64())])

ROUNDS = 4
"""As in crates/core/src/ssdeep/verified.rs."""
MAX_HOLDERS = 4096
"""Signatures that may hold an n-gram before it is hot."""
POSTINGS_SHARE = 4
"""The part of the memory that n-grams may take at a time; digests need room too."""


@dataclass(frozen=True)
class CountHolders:
    """How many signatures hold an n-gram, if they are more than so many."""

    more_than: int
    schema: pa.Schema = COUNTS

    def open(self, threads: int) -> BatchFunction:
        def counted(batch: Batch) -> Batch:
            rows = pa.table(batch).group_by("key", use_threads=False).aggregate([("holders", "sum")])
            rows = rows.rename_columns({"holders_sum": "holders"}).select(COUNTS.names)
            rows = rows.filter(pc.greater(rows["holders"], self.more_than)).cast(COUNTS).combine_chunks()
            return (rows.to_batches() or [pa.RecordBatch.from_pylist([], schema=COUNTS)])[0]

        return counted


@dataclass(frozen=True)
class Scores:
    """The score of each member to the first page of its class."""

    schema: pa.Schema = SCORED

    def open(self, threads: int) -> BatchFunction:
        def scored(batch: Batch) -> Batch:
            columns = [batch.column(name) for name in ("label", "page", "exact")]
            return pa.RecordBatch.from_arrays([*columns, _core.pair_scores(batch)], schema=SCORED)

        return scored


@dataclass(frozen=True)
class FuzzyMembers:
    """The flow. Inputs: `wordless` (pages that join no class), `sketches`, and `texts` to verify classes."""

    params: FuzzyParams
    shingles: ShingleParams
    max_holders: int = MAX_HOLDERS
    schema: pa.Schema = MEMBERS

    def held_bytes(self, size: int) -> int:
        return size // 8  # all digests

    def whole(self, resources: Resources) -> Reducer:
        return WholeFuzzy(self, resources)

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        sketches, wordless = inputs["sketches"], inputs["wordless"]
        worded = engine.sql(WORDED, SKETCHES, sketches=sketches, wordless=wordless)
        digests = engine.keep(
            engine.map(worded, NativeKernel("comparable_digests", DIGESTS, (self.params.min_length,)))
        )
        firsts = engine.keep(engine.sql(FIRST_OF_DIGEST, FIRSTS, digests=digests))
        # A digest has about a hundred n-grams, and is in the row of each.
        rows = NativeKernel("ngram_rows", HOLDERS, (self.params.threshold,), growth=100)
        near = engine.exchange(
            engine.map(self._marked(engine, firsts), rows),
            "key",
            NativeKernel("ngram_edges", EDGES, (self.params.threshold,)),
            order=("page", "second"),
        )
        same = (engine.sql(query, EDGES, digests=digests) for query in (SAME_TEXT, SAME_DIGEST))
        labels = engine.components(engine.concat(*same, near))
        left = self._scored(engine, engine.sql(CLASSES, EDGES, labels=labels), digests)
        if not self.params.similarity:
            return engine.sql(UNVERIFIED, MEMBERS, members=left)
        return self._verified(engine, left, digests, inputs["texts"])

    def _marked(self, engine: Engine, firsts: Any) -> Any:
        """The digests, each with those of its n-grams that are hot. No place holds all hot n-grams."""
        ngrams = NativeKernel("ngram_keys", COUNTS, growth=16)
        some, many = CountHolders(0), CountHolders(self.max_holders)
        hot = engine.keep(engine.exchange(engine.map(firsts, ngrams), "key", many, combine=some))
        # One number: most crawls have none, and the joins would be for nothing.
        count = engine.sql("SELECT count(*) AS pages FROM hot", ANY, hot=hot)
        if not engine.collect(count)["pages"][0].as_py():
            return firsts
        held = engine.map(firsts, NativeKernel("ngram_keys", HELD, growth=16))
        of_pages = engine.sql(HELD_HOT, HELD, held=held, hot=hot)
        lists = engine.exchange(of_pages, "page", GroupLists(HOT, ("key",)), order=("key",))
        return engine.sql(WITH_HOT, MARKED, firsts=firsts, lists=lists)

    def _scored(self, engine: Engine, classes: Any, digests: Any) -> Any:
        pairs = engine.sql(WITH_DIGESTS, PAIRS, classes=classes, digests=digests)
        return engine.keep(engine.map(pairs, Scores()))

    def _verified(self, engine: Engine, left: Any, digests: Any, texts: Any) -> Any:
        """The members whose texts are similar enough to that of their (perhaps new) representative."""
        kept = [engine.table(MEMBERS.empty_table())]
        for _ in range(ROUNDS):
            pairs = engine.keep(engine.sql(NEAR_PAIRS, EDGES, members=left))
            # One number: whether there is anything left to compare or to list.
            query = "SELECT count(*) AS pages FROM members WHERE page <> label"
            if not engine.collect(engine.sql(query, ANY, members=left))["pages"][0].as_py():
                break
            similar = compared(
                engine, pairs, texts, self.shingles, wrap=False, similarity=self.params.similarity
            )
            found = engine.keep(engine.sql(FOUND, MEMBERS, members=left, pairs=engine.keep(similar)))
            kept.append(found)
            left = self._scored(engine, engine.sql(REGROUPED, EDGES, members=left, found=found), digests)
        return engine.concat(*kept)


WORDED = """
    SELECT sketches.page, sketches.md5, sketches.ssdeep
    FROM sketches LEFT JOIN wordless ON sketches.page = wordless.page
    WHERE wordless.page IS NULL AND sketches.ssdeep IS NOT NULL
"""

FIRST_OF_DIGEST = "SELECT min(page) AS page, digest FROM digests WHERE long GROUP BY digest"

HELD_HOT = "SELECT held.key, held.page FROM held JOIN hot ON held.key = hot.key"

WITH_HOT = """
    SELECT firsts.page, firsts.digest, lists.hot FROM firsts LEFT JOIN lists ON firsts.page = lists.page
"""

SAME_TEXT = """
    SELECT digests.page, firsts.page AS other
    FROM digests
    JOIN (SELECT md5, min(page) AS page FROM digests GROUP BY md5) firsts ON digests.md5 = firsts.md5
    WHERE digests.page <> firsts.page
"""

SAME_DIGEST = """
    SELECT digests.page, firsts.page AS other
    FROM digests JOIN (
        SELECT digest, min(page) AS page FROM digests WHERE long GROUP BY digest
    ) firsts ON digests.digest = firsts.digest
    WHERE digests.long AND digests.page <> firsts.page
"""

CLASSES = "SELECT page, label AS other FROM labels"

WITH_DIGESTS = """
    SELECT classes.other AS label, classes.page, own.md5 = head.md5 AS exact, own.digest,
        head.digest AS other_digest
    FROM classes
    JOIN digests own ON classes.page = own.page
    JOIN digests head ON classes.other = head.page
"""

UNVERIFIED = "SELECT label, page, exact, score, CAST(NULL AS DOUBLE) AS similarity FROM members"

NEAR_PAIRS = "SELECT page, label AS other FROM members WHERE NOT exact"

FOUND = """
    WITH likened AS (
        SELECT members.label, members.page, members.exact, members.score,
            CASE WHEN members.exact THEN CAST(1.0 AS DOUBLE) ELSE pairs.jaccard END AS similarity
        FROM members LEFT JOIN pairs ON members.page = pairs.page
        WHERE members.page <> members.label AND (members.exact OR pairs.alike)
    )
    SELECT label, page, exact, score, similarity FROM likened
    UNION ALL
    SELECT members.label, members.page, members.exact, members.score, CAST(1.0 AS DOUBLE) AS similarity
    FROM members JOIN (SELECT DISTINCT label FROM likened) classes ON members.page = classes.label
"""
"""Those who are like the first of their class, and that one if there are any."""

REGROUPED = """
    WITH rest AS (
        SELECT members.label, members.page FROM members LEFT JOIN found ON members.page = found.page
        WHERE found.page IS NULL AND members.page <> members.label
    )
    SELECT rest.page, firsts.page AS other
    FROM rest
    JOIN (SELECT label, min(page) AS page FROM rest GROUP BY label) firsts ON rest.label = firsts.label
"""
"""The others, in classes of their own. A first page that no other is like needs no further round."""


class WholeFuzzy:
    """All rows in one process (crates/core/src/ssdeep/classes.rs, verified.rs)."""

    def __init__(self, flow: FuzzyMembers, resources: Resources) -> None:
        self._flow = flow
        self._resources = resources
        params = flow.params
        self._classes = _core.FuzzyClassBuilder(
            resources.threads,
            resources.memory // POSTINGS_SHARE,
            params.threshold,
            params.min_length,
            flow.max_holders,
        )
        self._verifier: _core.FuzzyVerifier | None = None

    def push(self, name: str, batch: Batch) -> None:
        if name == "wordless":
            self._classes.exclude(batch)
        elif name == "sketches":
            self._classes.push(batch)
        else:
            self._verifying().push(batch)

    def finish(self) -> Iterator[Batch]:
        if self._flow.params.similarity:
            yield self._verifying().finish()
            return
        rows = self._classes.finish()
        yield rows.append_column(MEMBERS.field("similarity"), pa.nulls(len(rows), pa.float64()))

    def _verifying(self) -> _core.FuzzyVerifier:
        """The classes, once all digests are known."""
        if self._verifier is None:
            flow, resources = self._flow, self._resources
            kernel, spill = shingler(flow.shingles), str(resources.spill)
            self._verifier = self._classes.verifier(
                flow.params.similarity, kernel, False, resources.threads, resources.memory // 2, spill
            )
        return self._verifier
