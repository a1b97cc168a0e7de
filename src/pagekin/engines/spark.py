"""PySpark: the same kernels, single-threaded inside each Python worker.

The run folder and the inputs must be on a file system that driver and workers share. One input is one
partition, in order, so that the tables come out in page order without a sort. Reading and the kernels run
fused in one worker call: a page's HTML never passes through the JVM.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from pagekin.engines.base import Batch, Engine, Exchange, Kernel, Output
from pagekin.engines.local import LocalEngine, Stream
from pagekin.errors import EngineError, MissingExtraError, UsageError
from pagekin.params import ReadParams
from pagekin.readers import Input, batches, read_input
from pagekin.run import Run
from pagekin.tables import Table

try:
    from pyspark import StorageLevel
    from pyspark.errors import PySparkException
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema
except ImportError:
    raise MissingExtraError("the spark engine", "spark") from None

SOURCE = "ordinal long, path string, format string, name string"


@dataclass(frozen=True)
class SparkDataset:
    """A dataset: Spark rows, and what each worker does to the batches it makes of them."""

    frame: DataFrame
    read: ReadParams
    kernels: tuple[Kernel, ...] = ()

    def worker(self) -> Callable[[Iterator[Batch]], Iterator[Batch]]:
        """The whole chain as one function, without the frame: only that travels to the workers."""
        read, kernels = self.read, self.kernels

        def work(sources: Iterator[Batch]) -> Iterator[Batch]:
            functions = [kernel.open(1) for kernel in kernels]
            for row in (row for batch in sources for row in batch.to_pylist()):
                name = row.pop("name")
                for batch in batches(read_input(Input(**row), read)):
                    batch = _named(batch, name)
                    for function in functions:
                        batch = function(batch)
                    yield batch

        return work


class SparkEngine(Engine):
    """Runs kernels on a Spark cluster."""

    name = "spark"

    def __init__(
        self, master: str = "local[*]", config: dict[str, str] | None = None, memory: int = 4 * 10**9
    ) -> None:
        self.driver = LocalEngine(memory=memory)
        self.metrics = self.driver.metrics
        # Workers must run the Python that has pagekin; Spark's own guess is whatever is on their PATH.
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        if master.startswith("local"):
            # Executors on this machine: nothing needs to be reachable from elsewhere.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = SparkSession.builder.appName("pagekin").master(master)
        settings = {
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "ERROR",
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
            "spark.sql.parquet.compression.codec": "zstd",
            # A row may hold a whole page's text: few rows a batch.
            "spark.sql.execution.arrow.maxRecordsPerBatch": "512",
        }
        for key, value in (settings | (config or {})).items():
            builder = builder.config(key, value)
        try:
            self.spark = builder.getOrCreate()
        except (PySparkException, RuntimeError, OSError) as error:
            first = str(error).strip().splitlines()[0]
            raise EngineError(
                f"Spark did not start ({first}); it needs Java 17 or newer on the PATH"
            ) from error

    def read(self, inputs: Sequence[Input], params: ReadParams) -> SparkDataset:
        """The records of a crawl: one partition per input."""
        if any(source.path == "-" for source in inputs):
            raise UsageError("the spark engine cannot read stdin; give it a file that its workers can open")
        rows = [(source.ordinal, _absolute(source.path), source.format, source.path) for source in inputs]
        frame = self.spark.createDataFrame(self.spark.sparkContext.parallelize(rows, len(rows)), SOURCE)
        # Workers run in another folder.
        return SparkDataset(frame, replace(params, base=_absolute(params.base)) if params.base else params)

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> Stream:
        """A stored table. So far the driver does what follows from one, with the local engine's verbs."""
        return self.driver.load(run, table, columns)

    def concat(self, *data: Stream) -> Stream:
        return self.driver.concat(*data)

    def exchange(self, data: Stream, kernel: Exchange) -> Stream:
        return self.driver.exchange(data, kernel)

    def collect(self, data: Stream) -> pa.Table:
        return self.driver.collect(data)

    def publish(self, run: Run, step: str, tables: Mapping[Table, Stream | pa.Table]) -> None:
        self.driver.publish(run, step, tables)

    def map(self, data: SparkDataset | Stream, kernel: Kernel) -> SparkDataset | Stream:
        if isinstance(data, Stream):
            return self.driver.map(data, kernel)
        return replace(data, kernels=(*data.kernels, kernel))

    def save(self, data: SparkDataset, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Computes the dataset once, and writes each table from it."""
        tables = [output.table for output in outputs]
        if not run.is_staged(step):
            # What another engine left behind would be taken for ours.
            run.clear_work(step)
            schema = data.kernels[-1].schema
            frame = data.frame.mapInArrow(data.worker(), from_arrow_schema(schema))
            frame = frame.persist(StorageLevel.DISK_ONLY)
            try:
                for output in outputs:
                    self._write(frame, schema, output, run.work(step) / f"{output.table.name}.parquet")
            except PySparkException as error:
                raise EngineError(f"Spark failed in step {step}: {_cause(error)}") from error
            finally:
                frame.unpersist()
            run.stage(step)
        run.publish(step, tables)

    def _write(self, frame: DataFrame, schema: pa.Schema, output: Output, path: Path) -> None:
        project = output.project

        def rows(source: Iterator[Batch]) -> Iterator[Batch]:
            for batch in source:
                # Spark sends its own flavour of the schema (nullability, time zones).
                yield project(batch.cast(schema))

        selected = frame.mapInArrow(rows, from_arrow_schema(output.table.schema))
        selected.write.mode("overwrite").parquet(path.absolute().as_uri())
        _tidy(path)

    def close(self) -> None:
        self.spark.stop()


def _absolute(path: str) -> str:
    """The same path for workers that run in another folder."""
    return path if "://" in path else str(Path(path).absolute())


def _named(batch: Batch, name: str) -> Batch:
    """The batch with its input named as the user named it."""
    place = batch.schema.get_field_index("input")
    return batch.set_column(place, batch.schema.field(place), pa.array([name] * batch.num_rows, pa.string()))


def _tidy(path: Path) -> None:
    """Leaves the part files alone, under the names that the local engine gives them."""
    parts = sorted(path.glob("part-*.parquet"), key=lambda part: int(part.name.split("-")[1]))
    for number, part in enumerate(parts):
        part.rename(path / f"part-{number:06d}.parquet")
    for file in path.iterdir():
        if not file.name.endswith(".parquet") or file.name.startswith("."):
            file.unlink()


def _cause(error: Any) -> str:
    """The line of a Spark failure that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = [line for line in lines if "Error" in line or "Exception" in line]
    return (telling or lines or ["unknown"])[-1]
