"""The verbs of an engine on Spark.

What is kept is written to files in the run folder: later verbs begin there, so that no query grows with the
steps before it, and a lost executor costs its own tasks.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import broadcast, col, lit
from pyspark.sql.pandas.types import from_arrow_schema

from pagekin.engines.base import Engine, Flow, Kernel, Output
from pagekin.engines.components import rounds
from pagekin.engines.groups import growth
from pagekin.engines.parts import kept_writer, write_table
from pagekin.engines.relational import BATCH_BYTES
from pagekin.engines.spark.dataset import Crawl, Part, SparkDataset
from pagekin.engines.spark.pieces import Pieces, piece_tasks, pieces_of
from pagekin.engines.spark.reading import POINTS, Read, Share, Split, absolute, shares_of, tasks_of
from pagekin.engines.spark.session import Session
from pagekin.engines.spark.workers import (
    BLOCKS,
    HELD_BYTES,
    Blocks,
    Chain,
    Cut,
    Groups,
    Rows,
    RowSource,
    SqlQuery,
    Together,
    Whole,
)
from pagekin.engines.spark.writers import WRITTEN, Keep, Write
from pagekin.errors import UsageError
from pagekin.fs import peak_memory
from pagekin.params import ReadParams
from pagekin.readers import Input, Position
from pagekin.run import Run
from pagekin.tables import Table

TASK_MEMORY = 512 << 20
"""What a task may use before it spills, unless the user says otherwise."""

PARTITION_BYTES = 48 << 20
"""About what a task sorts and groups at a time, if its memory is eight times that."""

SMALL_PARTITION_BYTES = 2 << 20
"""Less than this is not worth another task, even if a core is idle or memory is little."""

BROADCAST_BYTES = 4 << 20
"""What is no larger is sent to where it is joined."""

WHOLE_BYTES = 2 << 30
"""What is no larger takes one task less time than it takes many to move it."""

ONE_PLACE_BYTES = 24 << 20
"""What is no larger is grouped or joined by one task: to move it would take longer."""


class SparkEngine(Engine):
    """Runs kernels on a Spark cluster."""

    name = "spark"

    def __init__(
        self,
        master: str | SparkSession | None = "local[*]",
        config: dict[str, str] | None = None,
        one_place: int = ONE_PLACE_BYTES,
        whole: int = WHOLE_BYTES,
        memory: int = TASK_MEMORY,
    ) -> None:
        """With a master's URL, or with a session that exists, which is never stopped.

        What takes no more than `one_place` bytes is grouped or joined by one task. A flow whose inputs take
        no more than `whole` bytes is carried out by one task, as on one machine. With 0 all rows are divided.
        A task, which is a Python process beside the executor, may use `memory` bytes before it spills; with
        less, rows are divided among more tasks.
        """
        self.memory = memory
        self._one_place = min(one_place, memory // 16)
        self._partition = max(min(PARTITION_BYTES, memory // 8), SMALL_PARTITION_BYTES)
        self._batch = min(BATCH_BYTES, max(1, memory // 32))
        self._whole = whole
        given = master if isinstance(master, SparkSession) else None
        self.session = Session(master if isinstance(master, str) else None, config or {}, given)
        self.spark = self.session.spark
        self.metrics = {}
        self._shared: Path | None = None
        """A folder that workers see too: that of the run that is being written."""
        self._kept: list[Path] = []

    def read(self, inputs: Sequence[Input], params: ReadParams) -> Crawl:
        """Inputs in order; small ones that follow each other are one task."""
        if any(source.path == "-" for source in inputs):
            raise UsageError("the spark engine cannot read stdin; give it a file that its workers can open")
        read = replace(params, base=absolute(params.base)) if params.base else params
        return Crawl(self._shares(shares_of(inputs), read), read)

    def _shares(self, shares: Sequence[Share], params: ReadParams) -> tuple[tuple[Share, ...], ...]:
        """What each task reads. Large files are divided if cores would be idle otherwise."""
        tasks = tasks_of(shares)
        large = tuple(share for share in shares if share.splits)
        if not large or len(tasks) >= 2 * self.session.cores:
            return tasks
        split = Split(large, params)
        frame = self.spark.range(0, len(large), 1, len(large))
        with self.session.doing("looking for records in large files"):
            rows = self._mapped(frame, split, POINTS).toArrow().to_pylist()
        points: dict[Share, list[Position]] = {share: [] for share in large}
        for row in sorted(rows, key=lambda row: (row["number"], row["record"])):
            points[large[row["number"]]].append(Position(row["record"], row["offset"]))
        return tasks_of([part for share in shares for part in share.divided(points.get(share, []))])

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> SparkDataset:
        if run.spill is not None:
            self._shared = run.spill.absolute()
        data = run.dataset(table)
        names = list(columns) if columns is not None else data.schema.names
        schema = pa.schema([data.schema.field(name) for name in names])
        return self._files([str(Path(file).absolute()) for file in data.files], schema)

    def table(self, rows: pa.Table) -> SparkDataset:
        path = self._folder() / "rows"
        with kept_writer(path, rows.schema) as writer:
            writer.write_table(rows)
        return self._files([str(path)], rows.schema)

    def concat(self, *data: SparkDataset) -> SparkDataset:
        return SparkDataset(tuple(part for one in data for part in one.parts))

    def map(self, data: Any, kernel: Kernel) -> Any:
        if isinstance(data, Crawl):
            return replace(data, kernels=(*data.kernels, kernel))
        parts = (
            Part(p.frame, replace(p.chain, kernels=(*p.chain.kernels, kernel)), int(p.size * growth(kernel)))
            for p in data.parts
        )
        return SparkDataset(tuple(parts))

    def exchange(
        self,
        data: SparkDataset,
        by: str,
        kernel: Kernel,
        order: Sequence[str] = (),
        combine: Kernel | None = None,
    ) -> SparkDataset:
        if (alone := self._alone(data)) is not None:
            return self._in_one_place(Groups(Together((alone,)), by, tuple(order), kernel), data.size)
        targets = self._targets(data.size)
        held = min(HELD_BYTES, self.memory // 8)

        def cut(part: Part) -> DataFrame:
            return self._mapped(part.frame, Cut(part.chain, by, tuple(order), targets, combine, held), BLOCKS)

        blocks = reduce(DataFrame.union, map(cut, data.parts)).repartitionById(targets, col("target"))
        groups = Groups(Blocks(data.schema), by, tuple(order), kernel)
        return SparkDataset((Part(blocks, Chain(groups), data.size),))

    def sql(self, query: str, schema: pa.Schema, **data: SparkDataset) -> SparkDataset:
        total = sum(one.size for one in data.values())
        chains = {name: self._alone(one) for name, one in data.items()}
        alone = tuple((name, chain) for name, chain in chains.items() if chain is not None)
        if total <= self._one_place and len(alone) == len(data):
            return self._in_one_place(SqlQuery(query, schema, alone, self.memory, self._batch), total)
        for name, one in data.items():
            twice = len(re.findall(rf"\b(?:FROM|JOIN)\s+{name}\b", query)) > 1
            one = self.keep(one) if twice else one
            rows = self._rows(one)
            everywhere = one.stored is not None and one.size <= BROADCAST_BYTES
            (broadcast(rows) if everywhere else rows).createOrReplaceTempView(name)
        with self.session.doing("a query"):
            found = self.spark.sql(query)
        types = from_arrow_schema(schema)
        frame = found.select(*[col(field.name).cast(field.dataType) for field in types.fields])
        size = max((one.size for one in data.values()), default=0)
        return SparkDataset((Part(frame, Chain(Rows(schema)), size),))

    def components(self, edges: SparkDataset) -> Any:
        return rounds(self, edges, lambda done: self.metrics.update(component_rounds=done))

    def keep(self, data: SparkDataset) -> SparkDataset:
        if data.stored is not None:
            return data
        folder = self._folder()
        written = self._written(data, lambda part: Keep(part.chain, str(folder)), "keeping rows")
        return self._files([row["file"] for row in written if row["rows"]], data.schema)

    def flow(self, flow: Flow, **inputs: SparkDataset) -> Any:
        size = sum(one.size for one in inputs.values())
        if size > self._whole or flow.held_bytes(size) > self.memory:
            return flow.steps(self, **inputs)
        # All that an input needs is its files: the task reads them one after the other.
        stored = ((name, self._alone(self.keep(one), self._whole)) for name, one in inputs.items())
        chains = tuple((name, chain) for name, chain in stored if chain is not None)
        return self._in_one_place(Whole(flow, chains, self.memory, self.session.notes), size)

    def collect(self, data: SparkDataset) -> pa.Table:
        stored = self.keep(data).stored or ()
        return pa.concat_tables(
            [
                data.schema.empty_table(),
                *(
                    pa.Table.from_batches(piece.read(pieces.schema), pieces.schema)
                    for pieces in stored
                    for task in pieces.tasks
                    for piece in task
                ),
            ]
        )

    def publish(self, run: Run, step: str, tables: Mapping[Table, SparkDataset]) -> None:
        if not run.is_staged(step):
            run.clear_work(step)
            for table, data in tables.items():
                self._publish(run, step, table, data)
            run.stage(step)
        run.publish(step, list(tables))
        self._forget()

    def _publish(self, run: Run, step: str, table: Table, data: SparkDataset) -> None:
        """Writes a table in its order: in one place if it is small, else divided by ranges of its keys."""
        folder = str(_work_folder(run, step, [table]))
        alone = self._alone(data, self._partition)
        if alone is not None:
            part = self._in_one_place(Together((alone,)), data.size).parts[0]
            write = Write(part.chain, table, folder, sort=True)
        else:
            keys = [
                col(name).desc_nulls_last() if way == "descending" else col(name).asc_nulls_last()
                for name, way in table.keys
            ]
            # Spark looks at the rows twice to sort them: once for where the ranges begin.
            rows = self._rows(self.keep(data)).select(*table.names).orderBy(*keys)
            part = Part(rows, Chain(Rows(table.schema)), data.size)
            write = Write(part.chain, table, folder, sort=False)
        written = self._written(SparkDataset((part,)), lambda _: write, f"step {step}")
        _name_parts(run.work(step), [table], written)

    def save(self, data: Crawl, run: Run, step: str, outputs: Sequence[Output]) -> None:
        tables = [output.table for output in outputs]
        if not run.is_staged(step):
            # What another engine left behind would be taken for ours.
            run.clear_work(step)
            folder = str(_work_folder(run, step, tables))
            read = Read(data.tasks, data.read, data.kernels, tuple(outputs), folder, self._batch)
            count = len(data.tasks)
            part = Part(self.spark.range(0, count, 1, count), Chain(Rows(WRITTEN)), 0)
            _name_parts(
                run.work(step), tables, self._written(SparkDataset((part,)), lambda _: read, f"step {step}")
            )
            run.stage(step)
        run.publish(step, tables)
        self._forget()

    def running(self, step: str) -> AbstractContextManager[None]:
        return self.session.doing(f"step {step}")

    def close(self) -> None:
        self._remove_kept()
        self.session.stop()

    def _alone(self, data: SparkDataset, max_bytes: int | None = None) -> Chain | None:
        """The dataset as what one task can make by itself, if it is small."""
        if data.size > (self._one_place if max_bytes is None else max_bytes):
            return None
        chains = tuple(part.chain for part in data.parts)
        sources = [chain.source for chain in chains]
        rows = [source.rows if isinstance(source, Groups) else source for source in sources]
        if any(isinstance(source, Rows | Blocks) for source in rows):
            return None
        return chains[0] if len(chains) == 1 else Chain(Together(chains))

    def _in_one_place(self, source: RowSource, size: int) -> SparkDataset:
        return SparkDataset((Part(self.spark.range(0, 1, 1, 1), Chain(source), size),))

    def _files(self, paths: Sequence[str], schema: pa.Schema) -> SparkDataset:
        """A dataset of rows that lie in files."""
        pieces = [piece for path in paths for piece in pieces_of(path, schema.names)]
        source = Pieces(schema, piece_tasks(pieces, self.session.cores))
        count = len(source.tasks)
        return SparkDataset((Part(self.spark.range(0, count, 1, max(count, 1)), Chain(source), source.size),))

    def _rows(self, data: SparkDataset) -> DataFrame:
        """The dataset as rows of Spark."""
        return reduce(DataFrame.union, (self._rows_of(part) for part in data.parts))

    def _rows_of(self, part: Part) -> DataFrame:
        source, schema = part.chain.source, part.chain.schema
        if part.chain.kernels or not isinstance(source, Rows | Pieces):
            return self._mapped(part.frame, part.chain, schema)
        if isinstance(source, Pieces):
            wanted = from_arrow_schema(schema)
            if not source.tasks:
                # createDataFrame would make ours the active session, also for whoever gave us theirs.
                nothing = self.spark.range(1).where("false")
                return nothing.select(*[lit(None).cast(f.dataType).alias(f.name) for f in wanted.fields])
            return self.spark.read.schema(wanted).parquet(*[Path(path).as_uri() for path in source.paths])
        return part.frame

    def _mapped(self, frame: DataFrame, function: Callable[..., Any], schema: pa.Schema) -> DataFrame:
        return frame.mapInArrow(self.session.measured(function), from_arrow_schema(schema))

    def _written(
        self, data: SparkDataset, write: Callable[[Part], Keep | Write | Read], what: str
    ) -> list[dict[str, Any]]:
        """Lets the workers write files, and returns what they say of them."""
        with self.session.doing(what):
            # Spark joins partitions that turn out to be small, and divides none that are large.
            self.session.set_shuffle_partitions(-(-data.size // PARTITION_BYTES))
            frames = (self._mapped(part.frame, write(part), WRITTEN) for part in data.parts)
            rows: list[dict[str, Any]] = reduce(DataFrame.union, frames).toArrow().to_pylist()
        self.metrics.update(self.session.notes.taken.value)
        # The order in which they came is that of chance.
        return sorted(rows, key=lambda row: row["part"])

    def _targets(self, size: int) -> int:
        """How many partitions so many bytes are worth."""
        return max(-(-size // self._partition), min(self.session.cores, 1 + size // SMALL_PARTITION_BYTES))

    def _folder(self) -> Path:
        """A folder for files that are wanted until the step ends."""
        if self._shared is not None:
            self._shared.mkdir(parents=True, exist_ok=True)
        self._kept.append(Path(tempfile.mkdtemp(dir=self._shared)))
        return self._kept[-1]

    def _forget(self) -> None:
        """The step has ended: what was kept goes, and its figures are noted."""
        self._remove_kept()
        self.metrics.update(self.session.figures(), driver_peak_bytes=peak_memory())

    def _remove_kept(self) -> None:
        for folder in self._kept:
            shutil.rmtree(folder, ignore_errors=True)
        self._kept.clear()


def _work_folder(run: Run, step: str, tables: Sequence[Table]) -> Path:
    work = run.work(step).absolute()
    for table in tables:
        (work / f"{table.name}.parquet").mkdir(parents=True, exist_ok=True)
    return work


def _name_parts(work: Path, tables: Sequence[Table], written: Sequence[dict[str, Any]]) -> None:
    """Names the files that hold rows, in order; others go."""
    for table in tables:
        folder = work / f"{table.name}.parquet"
        rows = [row for row in written if row["name"] == table.name]
        full = [row["file"] for row in rows if row["rows"]] or [row["file"] for row in rows[:1]]
        if not full:  # Spark ran no task at all for a table without a row
            shutil.rmtree(folder)
            write_table(work, table, [])
        for number, file in enumerate(full):
            Path(file).rename(folder / f"part-{number:06d}.parquet")
        for rest in folder.iterdir():
            if rest.suffix != ".parquet":
                rest.unlink()
