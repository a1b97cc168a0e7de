"""The embedded engine: threads in this process, batches that flow, nothing collected.

Reading, the kernel and writing overlap in three threads joined by short queues, so that at any time a
handful of batches is in memory whatever the size of the crawl. What is written is cut into parts at places
that depend on the input alone. A finished part is marked, and a resumed run goes on behind the last one
marked.
"""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir, mkdtemp
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pagekin import _core
from pagekin.engines.base import (
    LABELS,
    Advance,
    Batch,
    Engine,
    Flow,
    Kernel,
    Output,
    Progress,
    Resources,
    Silent,
)
from pagekin.engines.freed import FreedMemory
from pagekin.engines.groups import PORTION_BYTES, SMALL_PORTION_BYTES, Partitions, applied, growth
from pagekin.engines.meter import ReadMeter
from pagekin.engines.parts import PartMark, PartWriter, column_bytes, finished_parts, kept_writer, write_table
from pagekin.engines.prefetch import Prefetch, quick_handover
from pagekin.engines.relational import answer, database
from pagekin.params import ReadParams
from pagekin.readers import Input, Position, batches, read_input
from pagekin.readers.base import RECORD_BITS
from pagekin.run import Run
from pagekin.tables import RECORDS, Table

KEPT_ROWS = 16_384
"""Rows of a kept file that are read at a time."""


@dataclass(frozen=True)
class LocalDataset:
    """A dataset: opens as an iterator of batches, anew or, when it comes from inputs, behind a mark."""

    open: Callable[[PartMark | None], Iterator[Batch]]
    schema: pa.Schema
    inputs: Sequence[Input] = ()
    scan: Callable[[], Any] | None = None
    """What DuckDB reads instead, where the rows lie somewhere."""
    files: Callable[[], list[str]] | None = None
    """The same for stored tables: their Parquet files."""
    size: int = 0
    """Bytes in memory, roughly."""


class Kept:
    """The rows of a stream in a file, written when they are first wanted and gone with this object."""

    def __init__(self, data: LocalDataset, folder: Callable[[], Path]) -> None:
        self._data = data
        self._folder = folder
        self._file: Path | None = None

    def files(self) -> list[str]:
        if self._file is None:
            folder = self._folder()
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            path = folder / "rows"
            with kept_writer(path, self._data.schema, "none") as writer:
                for batch in self._data.open(None):
                    if batch.num_rows:
                        writer.write_batch(batch)
            self._file = path
        return [str(self._file)]

    def batches(self, _: PartMark | None) -> Iterator[Batch]:
        for path in self.files():
            # Buffered ahead, all that was read stays in memory until the end.
            with pq.ParquetFile(path, pre_buffer=False) as file:
                yield from (batch.cast(self._data.schema) for batch in file.iter_batches(KEPT_ROWS))


class LocalEngine(Engine):
    """Runs everything in this process."""

    name = "local"
    one_machine = True

    def __init__(
        self, threads: int | None = None, progress: Progress | None = None, memory: int = 4 * 10**9
    ) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))
        # A batch is in memory about ten times over while it is read, sketched and written.
        self.batch_bytes = min(16 << 20, max(1, memory // 32))
        self.memory = memory
        self._portion = min(PORTION_BYTES, max(SMALL_PORTION_BYTES, memory // 8))
        self._freed = FreedMemory(memory)
        self.progress = progress or Silent()
        self.metrics = {}
        self._spill: Path | None = None
        """Where what does not fit in memory may go: a folder of the run that is being written."""
        self._database: Any = None

    def read(self, inputs: Sequence[Input], params: ReadParams) -> LocalDataset:
        def records(mark: PartMark | None) -> Iterator[Batch]:
            for source in inputs:
                after = None
                if mark is not None:
                    done = mark.page >> RECORD_BITS
                    if source.ordinal < done or (source.ordinal == done and mark.last):
                        continue
                    if source.ordinal == done:
                        after = Position(mark.page & ((1 << RECORD_BITS) - 1), mark.offset)
                yield from batches(read_input(source, params, after), self.batch_bytes)

        return LocalDataset(records, RECORDS.schema, inputs)

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> LocalDataset:
        """The batches of a stored table, one file after the other."""
        data = run.dataset(table)
        names = list(columns) if columns is not None else data.schema.names
        schema = pa.schema([data.schema.field(name) for name in names])
        self._write_to(run)

        def stored(_: PartMark | None) -> Iterator[Batch]:
            with run.reading(table):
                total = max(data.count_rows(), 1)
            done = 0
            for batch in self._freed.behind(run.batches(table, names)):
                yield batch
                done += batch.num_rows
                self.progress.advance(Advance(batch.num_rows, done / total))

        size = sum(_stored_bytes(file, names) for file in data.files)
        return LocalDataset(stored, schema, scan=lambda: data.files, files=lambda: data.files, size=size)

    def table(self, rows: pa.Table) -> LocalDataset:
        return LocalDataset(
            lambda _: iter(rows.to_batches()), rows.schema, scan=lambda: rows, size=rows.nbytes
        )

    def concat(self, *data: LocalDataset) -> LocalDataset:
        def joined(_: PartMark | None) -> Iterator[Batch]:
            for part in data:
                yield from part.open(None)

        def scan() -> Any:
            return [file for part in data if part.files is not None for file in part.files()]

        if len(data) == 1:
            return data[0]
        files = scan if all(part.files is not None for part in data) else None
        size = sum(part.size for part in data)
        return LocalDataset(joined, data[0].schema, scan=files, files=files, size=size)

    def map(self, data: LocalDataset, kernel: Kernel) -> LocalDataset:
        def mapped(mark: PartMark | None) -> Iterator[Batch]:
            function = kernel.open(self.threads)
            with quick_handover(), Prefetch(data.open(mark)) as source:
                for batch in source:
                    # Kernels may make much of little.
                    made = applied(function, growth(kernel), batch, self._portion)
                    yield from self._freed.behind(made)

        return LocalDataset(mapped, kernel.schema, data.inputs, size=int(data.size * growth(kernel)))

    def exchange(
        self,
        data: LocalDataset,
        by: str,
        kernel: Kernel,
        order: Sequence[str] = (),
        combine: Kernel | None = None,
    ) -> LocalDataset:
        """Groups are divided over partitions that spill. Nothing travels, so nothing is combined."""

        def grouped(_: PartMark | None) -> Iterator[Batch]:
            function = kernel.open(self.threads)
            with self._folder() as folder:
                rows = Partitions(data.schema, by, self.memory // 4, folder, data.size)
                with Prefetch(data.open(None)) as source:
                    for batch in source:
                        rows.push(batch)
                for part in self._freed.behind(rows.sorted(order)):
                    yield function(part)

        return LocalDataset(grouped, kernel.schema, size=data.size)

    def sql(self, query: str, schema: pa.Schema, **data: LocalDataset) -> LocalDataset:
        size = max((one.size for one in data.values()), default=0)
        return LocalDataset(lambda _: self._answered(query, schema, data), schema, size=size)

    def _answered(
        self,
        query: str,
        schema: pa.Schema,
        data: Mapping[str, LocalDataset],
        keys: Sequence[tuple[str, str]] = (),
    ) -> Iterator[Batch]:
        # What does not lie anywhere is put down first: DuckDB may read it more than once.
        sources = {name: self.keep(stream) for name, stream in data.items()}
        scans = {name: stream.scan() for name, stream in sources.items() if stream.scan}
        if self._database is None:
            self._database = database(
                threads=self.threads, memory=self.memory // 2, spill=self._spill or Path(gettempdir())
            )
        rows = answer(self._database, query, schema, scans, keys, self.batch_bytes)
        yield from self._freed.behind(rows)

    def components(self, edges: LocalDataset) -> LocalDataset:
        def joined(_: PartMark | None) -> Iterator[Batch]:
            yield _core.components(list(edges.open(None))).cast(LABELS)

        return LocalDataset(joined, LABELS)

    def keep(self, data: LocalDataset) -> LocalDataset:
        if data.scan is not None:
            return data
        kept = Kept(data, self._new_folder)
        return LocalDataset(
            lambda mark: self._freed.behind(kept.batches(mark)), data.schema, scan=kept.files, size=data.size
        )

    def flow(self, flow: Flow, **inputs: LocalDataset) -> Any:
        size = sum(data.size for data in inputs.values())
        if flow.held_bytes(size) > self.memory:
            return flow.steps(self, **inputs)

        def reduced(_: PartMark | None) -> Iterator[Batch]:
            with self._folder() as folder:
                resources = Resources(
                    self.threads,
                    self.memory,
                    folder,
                    advance=lambda done: self.progress.advance(Advance(0, done)),
                    note=self.metrics.__setitem__,
                )
                reducer = flow.whole(resources)
                for name, data in inputs.items():
                    with Prefetch(data.open(None)) as source:
                        for batch in source:
                            reducer.push(name, batch)
                yield from reducer.finish()

        return LocalDataset(reduced, flow.schema, size=size)

    def collect(self, data: LocalDataset) -> pa.Table:
        return pa.Table.from_batches(data.open(None), data.schema)

    def publish(self, run: Run, step: str, tables: Mapping[Table, LocalDataset]) -> None:
        self._write_to(run)
        if not run.is_staged(step):
            run.clear_work(step)
            for table, data in tables.items():
                rows = self._answered("FROM data", table.schema, {"data": data}, table.keys)
                write_table(run.work(step), table, rows)
            run.stage(step)
        run.publish(step, list(tables))

    def _write_to(self, run: Run) -> None:
        """From now on, what does not fit in memory goes to the run that is being written."""
        if run.spill is not None and run.spill != self._spill:
            self.close()
            self._spill = run.spill

    def running(self, step: str) -> AbstractContextManager[None]:
        # A database keeps memory of its own, and opening one takes milliseconds.
        return self._freed.step(self.close)

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _new_folder(self) -> Path:
        """A folder for what does not fit in memory."""
        if self._spill is not None:
            self._spill.mkdir(parents=True, exist_ok=True)
        return Path(mkdtemp(dir=self._spill))

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """The same, until the work in it is done."""
        folder = self._new_folder()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def save(self, data: LocalDataset, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Writes the stream part by part, then publishes the tables."""
        work = run.work(step)
        if run.is_staged(step):
            return run.publish(step, [output.table for output in outputs])
        done = finished_parts(work)
        if not done:
            run.clear_work(step)
            work = run.work(step)
        mark = done[-1] if done else None
        meter = ReadMeter(data.inputs, self.progress)
        for part in done:
            meter.advance(part.page, part.offset, rows=part.pages, earlier=True)
        writer = PartWriter(work, outputs, done)
        try:
            with Prefetch(data.open(mark)) as source:
                for batch in source:
                    page, offset = writer.write(batch)
                    meter.advance(
                        page,
                        offset,
                        rows=batch.column("reason").null_count,
                        records=batch.num_rows,
                        size=pc.sum(batch.column("html_bytes")).as_py() or 0,
                    )
            writer.finish()
        finally:
            writer.close()
        run.stage(step)
        return run.publish(step, [output.table for output in outputs])


def _stored_bytes(file: str, names: Sequence[str]) -> int:
    """What these columns of a Parquet file take in memory, roughly. Of a damaged file, nothing."""
    try:
        metadata = pq.read_metadata(file)
    except (pa.ArrowException, OSError):
        return 0
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    return sum(column_bytes(group, names) for group in groups)
