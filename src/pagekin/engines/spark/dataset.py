"""What verbs take and give on Spark.

A dataset is a list of parts. A part is what Spark hands to a worker (rows, packed blocks, or the number of a
task that reads files) and the kernels that the worker then applies, all in one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from pagekin.engines.base import Kernel
from pagekin.engines.spark.pieces import Pieces
from pagekin.engines.spark.reading import Share
from pagekin.engines.spark.workers import Chain
from pagekin.params import ReadParams


@dataclass(frozen=True)
class Part:
    """What Spark hands to workers, what they make of it, and roughly how many bytes come in."""

    frame: DataFrame
    chain: Chain
    size: int


@dataclass(frozen=True)
class SparkDataset:
    """A dataset: parts of one schema."""

    parts: tuple[Part, ...]

    @property
    def schema(self) -> pa.Schema:
        return self.parts[0].chain.schema

    @property
    def size(self) -> int:
        return sum(part.size for part in self.parts)

    @property
    def stored(self) -> tuple[Pieces, ...] | None:
        """The files of a dataset that is nothing but files."""
        sources = tuple(p.chain.source for p in self.parts if not p.chain.kernels)
        pieces = tuple(source for source in sources if isinstance(source, Pieces))
        return pieces if len(pieces) == len(self.parts) else None


@dataclass(frozen=True)
class Crawl:
    """The records of a crawl, not read yet: a worker reads, sketches and writes them in one go."""

    tasks: tuple[tuple[Share, ...], ...]
    read: ReadParams
    kernels: tuple[Kernel, ...] = ()
