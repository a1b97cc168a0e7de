"""Which query parameters change what a page says."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.causes.reasons import role
from pagekin.tables import URL_PARAMETERS
from pagekin.urls import ParsedUrl, name_hash

MAX_KEYS = 8
"""URLs with more query keys than this are left out."""

FEW = 3
"""Pages that repeat a URL but for the parameter, from which on we say whether it matters."""


class Parameters:
    """URLs grouped by what they are without one parameter; one without it belongs to the group too.

    A URL that was fetched more than once counts once. If its content changed meanwhile, that of others
    tells nothing about their parameters, and it does not count.
    """

    def __init__(self) -> None:
        self._keys: dict[tuple[str, str], int] = {}
        # Eight bytes a number, where Python's own take five times that.
        self._rows = array("q"), array("q"), array("q")
        self._contents = array("q"), array("q")

    def add(self, url: ParsedUrl, content: int) -> None:
        """One more page; equal contents have equal numbers."""
        pairs = [f"{key}={value}" for key, value in url.query]
        itself = name_hash(url.host, url.path, *pairs)
        self._contents[0].append(itself)
        self._contents[1].append(content)
        keys = {key for key, _ in url.query}
        if len(keys) > MAX_KEYS:
            return
        for key in keys:
            rest = [pair for pair, (own, _) in zip(pairs, url.query, strict=True) if own != key]
            number = self._keys.setdefault((url.host, key), len(self._keys))
            for column, value in zip(
                self._rows, (number, name_hash(url.host, url.path, *rest), itself), strict=True
            ):
                column.append(value)

    def table(self) -> pa.Table:
        with_key = _distinct(dict(zip(("key", "group", "url"), map(_column, self._rows), strict=True)))
        without = _distinct({name: with_key[name] for name in ("key", "group")})
        without = without.append_column("url", without["group"])
        contents = _distinct(dict(zip(("url", "content"), map(_column, self._contents), strict=True)))
        changes = contents.group_by("url").aggregate([("content", "count"), ("content", "min")])
        steady = changes.filter(pc.equal(changes["content_count"], 1))
        groups = (
            pa.concat_tables([with_key, without])
            .join(steady.select(["url", "content_min"]), "url", join_type="inner")
            .group_by(["key", "group"])
            .aggregate([("content_min", "count"), ("content_min", "count_distinct")])
        )
        groups = groups.filter(pc.greater(groups["content_min_count"], 1))
        sums = groups.group_by("key").aggregate(
            [("group", "count"), ("content_min_count", "sum"), ("content_min_count_distinct", "sum")]
        )
        names = list(self._keys)
        columns = ("group_count", "content_min_count_sum", "content_min_count_distinct_sum")
        rows = [
            _row(names[key][0], names[key][1], Counts(*counts))
            for key, *counts in zip(*(sums[name].to_pylist() for name in ("key", *columns)), strict=True)
        ]
        table = pa.Table.from_pylist(rows, schema=URL_PARAMETERS.schema)
        order = [("repeats", "descending"), ("host", "ascending"), ("parameter", "ascending")]
        return table.sort_by(order)


class Counts(NamedTuple):
    """What was met of a parameter on a host."""

    addresses: int
    pages: int
    contents: int

    @property
    def verdict(self) -> str:
        """Whether the parameter changes what a page says."""
        if self.pages - self.addresses < FEW:
            return "too few to say"
        if self.contents == self.addresses:
            return "never matters"
        return "always matters" if self.contents == self.pages else "sometimes matters"


def _row(host: str, parameter: str, counts: Counts) -> dict[str, str | int]:
    return {
        "host": host,
        "parameter": parameter,
        "role": role(parameter),
        **counts._asdict(),
        "repeats": counts.pages - counts.contents,
        "verdict": counts.verdict,
    }


def _distinct(columns: dict[str, pa.Array]) -> pa.Table:
    return pa.table(columns).group_by(list(columns)).aggregate([])


def _column(values: array[int]) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
