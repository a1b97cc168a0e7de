"""The rows of the search of quilts, and the small kernels between its exchanges."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.engines.base import Batch, BatchFunction

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


def _schema(integers: str, **others: pa.DataType) -> pa.Schema:
    """Columns of integers by their names, then others."""
    return pa.schema([(name, pa.int64()) for name in integers.split()] + list(others.items()))


MARKED = _schema("page", text=pa.string(), copy=pa.bool_())
GRAMS = _schema("gram page")
PATCHES = pa.schema(
    [
        ("page", pa.int64()),
        ("posting", pa.int64()),
        ("holders", pa.binary()),
        ("grams", pa.int64()),
        ("shared", pa.int64()),
        ("patch", pa.int64()),
    ]
)
"""Counts of a page, or a posting and how many grams have it, or how many grams are shared."""
COUNTS = _schema("page grams shared patch", copy=pa.bool_())
WANTED = _schema("page grams shared patch")
HELD = _schema("page posting")
LISTS = pa.schema([("page", pa.int64()), ("holders", pa.binary()), ("grams", pa.int64())])
PAIRS = _schema("page holder")
SITES = _schema("page host domain ip")
MEMBERS = _schema("holder member host domain ip date")
ASKED = _schema("page holder member host domain ip date page_host page_domain page_ip page_date")
ALLOWED = _schema("page holder member", foreign=pa.bool_())
COVER = _schema("page grams shared patch holder member", holders=pa.binary(), foreign=pa.bool_())
"""Counts of a page, or holders of its grams, or a holder that may be a source."""


@dataclass(frozen=True)
class Padded:
    """The rows with columns of nulls where they have none, so that rows of several kinds travel together."""

    schema: pa.Schema = COVER

    def open(self, threads: int) -> BatchFunction:
        def padded(batch: Batch) -> Batch:
            columns = [
                batch[field.name] if field.name in batch.schema.names else pa.nulls(len(batch), field.type)
                for field in self.schema
            ]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return padded


@dataclass(frozen=True)
class Candidates:
    """The pages that may be quilts, by their counts."""

    c: int
    theta: float
    schema: pa.Schema = WANTED

    def open(self, threads: int) -> BatchFunction:
        def wanted(batch: Batch) -> Batch:
            return batch.filter(_core.quilt_candidates(batch, self.c, self.theta)).select(self.schema.names)

        return wanted


@dataclass(frozen=True)
class Others:
    """The pages that cannot be quilts, as covered pages without sources."""

    c: int
    theta: float
    schema: pa.Schema = COVERED

    def open(self, threads: int) -> BatchFunction:
        def others(batch: Batch) -> Batch:
            rows = batch.filter(pc.invert(_core.quilt_candidates(batch, self.c, self.theta)))
            no_list = pa.ListArray.from_arrays(
                pa.array([0] * (len(rows) + 1), pa.int32()), pa.array([], SOURCE)
            )
            columns = {
                "page": rows["page"],
                "grams": rows["grams"],
                "own_grams": pc.subtract(rows["grams"], rows["shared"]),
                "patch_grams": pc.if_else(rows["copy"], None, rows["patch"]),
                "quilt": pa.array([False] * len(rows), pa.bool_()),
                "uncovered": pa.nulls(len(rows), pa.int64()),
                "sources": no_list,
                "holders": no_list,
            }
            return pa.record_batch(columns, schema=self.schema)

        return others


FOUND = _schema("page grams patch_grams covered_grams sources uncovered")


@dataclass(frozen=True)
class Quilts:
    """The quilts among covered pages."""

    schema: pa.Schema = FOUND

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: quilt_rows(batch.filter(batch["quilt"]))


def quilt_rows(found: Batch) -> Batch:
    """One row for each quilt, without what other tables know of it."""
    columns = {
        "page": found["page"],
        "grams": found["grams"],
        "patch_grams": found["patch_grams"],
        "covered_grams": pc.subtract(found["patch_grams"], found["uncovered"]),
        "sources": pc.cast(pc.list_value_length(found["sources"]), pa.int64()),
        "uncovered": found["uncovered"],
    }
    return pa.record_batch(columns, schema=FOUND)


LISTED = _schema("page grams patch_grams source rank new_grams shared_grams", foreign=pa.bool_())


@dataclass(frozen=True)
class Listed:
    """The pages listed for each quilt, with their ranks in its list."""

    column: str
    schema: pa.Schema = LISTED

    def open(self, threads: int) -> BatchFunction:
        def listed(batch: Batch) -> Batch:
            found = batch.filter(batch["quilt"])
            lists = found[self.column]
            parents = pc.list_parent_indices(lists)
            starts = pc.subtract(pc.take(lists.offsets, parents), lists.offsets[0])
            flat = dict(zip((field.name for field in SOURCE), pc.list_flatten(lists).flatten(), strict=True))
            columns = {name: found[name].take(parents) for name in ("page", "grams", "patch_grams")}
            columns |= flat | {
                "rank": pc.add(pc.subtract(pa.array(range(len(parents)), pa.int64()), starts), 1)
            }
            return pa.record_batch([columns[name] for name in self.schema.names], schema=self.schema)

        return listed


def ratio(part: pa.Array, whole: pa.Array) -> pa.Array:
    """A fraction; null where the whole is nothing."""
    whole = pc.if_else(pc.equal(whole, 0), None, whole)
    return pc.divide(pc.cast(part, pa.float64()), pc.cast(whole, pa.float64()))


@dataclass(frozen=True)
class Fractions:
    """Rows with columns that are one of their columns divided by another, in the order of a table."""

    fractions: tuple[tuple[str, str, str], ...]
    """Name, part and whole."""
    schema: pa.Schema

    def open(self, threads: int) -> BatchFunction:
        def divided(batch: Batch) -> Batch:
            made = {name: ratio(batch[part], batch[whole]) for name, part, whole in self.fractions}
            columns = [made[name] if name in made else batch[name] for name in self.schema.names]
            return pa.RecordBatch.from_arrays(columns, schema=self.schema)

        return divided
