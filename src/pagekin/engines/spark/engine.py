"""The verbs of an engine on Spark."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col
from pyspark.sql.pandas.types import from_arrow_schema

from pagekin.engines.base import Engine, Kernel, Output
from pagekin.engines.components import rounds
from pagekin.engines.parts import write_table
from pagekin.engines.spark.session import Session
from pagekin.engines.spark.workers import BLOCKS, WRITTEN, Chain, Cut, Group, Read, Write
from pagekin.errors import UsageError
from pagekin.fs import peak_memory
from pagekin.params import ReadParams
from pagekin.readers import Input
from pagekin.run import Run
from pagekin.tables import Table

SOURCE = "task int, ordinal long, path string, format string, name string"

PARTITION_BYTES = 48 << 20
"""About what a task sorts and groups at a time."""

TASK_BYTES = 32 << 20
"""Inputs are put together until a task has this much to read."""


@dataclass(frozen=True)
class SparkDataset:
    """A dataset: Spark rows, and the kernels that are still to be applied to them, in one worker call."""

    frame: DataFrame
    chain: Chain
    size: int
    """Bytes, roughly: how many partitions it is worth."""

    @property
    def schema(self) -> pa.Schema:
        return self.chain.result

    def rows(self) -> DataFrame:
        """The rows with all kernels applied."""
        if not self.chain.kernels:
            return self.frame
        return self.frame.mapInArrow(self.chain, from_arrow_schema(self.schema))


@dataclass(frozen=True)
class Crawl:
    """The records of a crawl, not read yet: a worker reads, sketches and writes them in one go."""

    sources: list[tuple[int, int, str, str, str]]
    read: ReadParams
    kernels: tuple[Kernel, ...] = ()


class SparkEngine(Engine):
    """Runs kernels on a Spark cluster."""

    name = "spark"

    def __init__(
        self,
        master: str | SparkSession | None = "local[*]",
        config: dict[str, str] | None = None,
    ) -> None:
        """With a master's URL, or with a session that exists, which is never stopped."""
        given = master if isinstance(master, SparkSession) else None
        self.session = Session(master if isinstance(master, str) else None, config or {}, given)
        self.spark = self.session.spark
        self.metrics = {}
        self._kept: list[DataFrame] = []

    @property
    def _cores(self) -> int:
        return max(self.spark.sparkContext.defaultParallelism, 2)

    def _targets(self, size: int) -> int:
        return max(self._cores, -(-size // PARTITION_BYTES))

    def read(self, inputs: Sequence[Input], params: ReadParams) -> Crawl:
        """Inputs in order; small ones that follow each other are one task."""
        if any(source.path == "-" for source in inputs):
            raise UsageError("the spark engine cannot read stdin; give it a file that its workers can open")
        task, held = 0, 0
        rows = []
        for source in inputs:
            size = _size(source.path)
            if held and held + size > TASK_BYTES:
                task, held = task + 1, 0
            held += size
            rows.append((task, source.ordinal, _absolute(source.path), source.format, source.path))
        # Workers run in another folder.
        return Crawl(rows, replace(params, base=_absolute(params.base)) if params.base else params)

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> SparkDataset:
        data = run.dataset(table)
        names = list(columns) if columns is not None else data.schema.names
        schema = pa.schema([data.schema.field(name) for name in names])
        files = [Path(file).absolute() for file in data.files]
        size = sum(_stored_bytes(file, set(names)) for file in files)
        wanted = from_arrow_schema(data.schema)
        frame = self.spark.read.schema(wanted).parquet(*[file.as_uri() for file in files]).select(*names)
        return SparkDataset(frame, Chain(schema), size)

    def table(self, rows: pa.Table) -> SparkDataset:
        frame = self.spark.createDataFrame(rows, from_arrow_schema(rows.schema))
        return SparkDataset(frame, Chain(rows.schema), rows.nbytes)

    def concat(self, *data: SparkDataset) -> SparkDataset:
        frame = data[0].rows()
        for other in data[1:]:
            frame = frame.union(other.rows())
        return SparkDataset(frame, Chain(data[0].schema), sum(one.size for one in data))

    def map(self, data: Any, kernel: Kernel) -> Any:
        if isinstance(data, Crawl):
            return replace(data, kernels=(*data.kernels, kernel))
        chain = replace(data.chain, kernels=(*data.chain.kernels, kernel))
        return replace(data, chain=chain, size=int(data.size * getattr(kernel, "growth", 1)))

    def exchange(
        self,
        data: SparkDataset,
        by: str,
        kernel: Kernel,
        order: Sequence[str] = (),
        combine: Kernel | None = None,
    ) -> SparkDataset:
        targets = self._targets(data.size)
        cut = Cut(data.chain, by, tuple(order), targets, combine)
        blocks = data.frame.mapInArrow(cut, from_arrow_schema(BLOCKS)).repartitionById(targets, col("target"))
        group = Group(data.schema, by, tuple(order), kernel)
        frame = blocks.mapInArrow(group, from_arrow_schema(kernel.schema))
        return SparkDataset(frame, Chain(kernel.schema), data.size)

    def sql(self, query: str, schema: pa.Schema, **data: SparkDataset) -> SparkDataset:
        for name, one in data.items():
            one.rows().createOrReplaceTempView(name)
        with self.session.doing("a query"):
            found = self.spark.sql(query)
        types = from_arrow_schema(schema)
        frame = found.select(*[col(field.name).cast(field.dataType) for field in types.fields])
        return SparkDataset(frame, Chain(schema), max((one.size for one in data.values()), default=0))

    def components(self, edges: SparkDataset) -> Any:
        return rounds(self, edges, lambda done: self.metrics.update(component_rounds=done))

    def keep(self, data: SparkDataset) -> SparkDataset:
        frame = data.rows().persist(StorageLevel.DISK_ONLY)
        self._kept.append(frame)
        return SparkDataset(frame, Chain(data.schema), data.size)

    def collect(self, data: SparkDataset) -> pa.Table:
        with self.session.doing("collecting rows"):
            return data.rows().toArrow().cast(data.schema)

    def publish(self, run: Run, step: str, tables: Mapping[Table, SparkDataset]) -> None:
        if not run.is_staged(step):
            run.clear_work(step)
            for table, data in tables.items():
                # Spark looks at the rows twice to sort them: once for where the ranges begin.
                rows = self.keep(data).rows()
                keys = [
                    col(name).desc_nulls_last() if way == "descending" else col(name).asc_nulls_last()
                    for name, way in table.keys
                ]
                write = Write(Chain(table.schema), table, str(_folder(run, step, [table])))
                self._write(rows.select(*table.names).orderBy(*keys), write, run, step, [table])
            run.stage(step)
        run.publish(step, list(tables))
        for frame in self._kept:
            frame.unpersist()
        self._kept.clear()
        self.metrics["driver_peak_bytes"] = peak_memory()

    def save(self, data: Crawl, run: Run, step: str, outputs: Sequence[Output]) -> None:
        tables = [output.table for output in outputs]
        if not run.is_staged(step):
            # What another engine left behind would be taken for ours.
            run.clear_work(step)
            folder = str(_folder(run, step, tables))
            tasks = 1 + max((row[0] for row in data.sources), default=0)
            frame = self.spark.createDataFrame(data.sources, SOURCE).repartitionById(tasks, col("task"))
            write = Read(data.read, data.kernels, tuple(outputs), folder)
            self._write(frame.sortWithinPartitions("ordinal"), write, run, step, tables)
            run.stage(step)
        run.publish(step, tables)

    def _write(
        self, frame: DataFrame, write: Write | Read, run: Run, step: str, tables: Sequence[Table]
    ) -> None:
        """Lets the workers write files, and names those that hold rows in order."""
        with self.session.doing(f"step {step}"):
            written = frame.mapInArrow(write, from_arrow_schema(WRITTEN)).toArrow()
        peak = max(written["peak"].to_pylist(), default=0)
        self.metrics["worker_peak_bytes"] = max(self.metrics.get("worker_peak_bytes", 0), peak)
        for table in tables:
            folder = run.work(step) / f"{table.name}.parquet"
            rows = {row["part"]: row["rows"] for row in written.to_pylist() if row["name"] == table.name}
            full = sorted(part for part, count in rows.items() if count) or sorted(rows)[:1]
            if not full:  # Spark ran no task at all for a table without a row
                shutil.rmtree(folder)
                write_table(run.work(step), table, [])
            for number, part in enumerate(full):
                (folder / f"task-{part:06d}").rename(folder / f"part-{number:06d}.parquet")
            for file in folder.iterdir():
                if file.suffix != ".parquet":
                    file.unlink()

    def close(self) -> None:
        self.session.stop()


def _folder(run: Run, step: str, tables: Sequence[Table]) -> Path:
    work = run.work(step).absolute()
    for table in tables:
        (work / f"{table.name}.parquet").mkdir(parents=True, exist_ok=True)
    return work


def _stored_bytes(file: Path, names: set[str]) -> int:
    """What these columns of a Parquet file take in memory, roughly."""
    metadata = pq.read_metadata(file)
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    columns = (group.column(number) for group in groups for number in range(group.num_columns))
    return sum(
        column.total_uncompressed_size for column in columns if column.path_in_schema.split(".")[0] in names
    )


def _absolute(path: str) -> str:
    """The same path for workers that run in another folder."""
    return path if "://" in path else str(Path(path).absolute())


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return TASK_BYTES
