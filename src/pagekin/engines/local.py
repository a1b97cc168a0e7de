"""The embedded engine: threads in this process, batches that flow, nothing collected.

Reading, the kernel and writing overlap in three threads joined by short queues, so that at any time a
handful of batches is in memory whatever the size of the crawl. What is written is cut into parts at places
that depend on the input alone. A finished part is marked, and a resumed run goes on behind the last one
marked.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Advance, Batch, Engine, Exchange, Kernel, Output, Progress, Resources, Silent
from pagekin.engines.parts import Mark, PartWriter, finished_parts, write_table
from pagekin.params import ReadParams
from pagekin.readers import Input, Position, batches, read_input
from pagekin.readers.base import RECORD_BITS
from pagekin.run import Run
from pagekin.tables import RECORDS, Table

T = TypeVar("T")


@dataclass(frozen=True)
class Stream:
    """A dataset: opens as an iterator of batches, anew or, when it comes from inputs, behind a mark."""

    open: Callable[[Mark | None], Iterator[Batch]]
    schema: pa.Schema
    inputs: Sequence[Input] = ()
    spill: Path | None = None
    """Where what does not fit in memory may go."""


class LocalEngine(Engine):
    """Runs everything in this process."""

    name = "local"

    def __init__(
        self, threads: int | None = None, progress: Progress | None = None, memory: int = 4 * 10**9
    ) -> None:
        self.threads = threads or len(os.sched_getaffinity(0))
        # A batch is in memory about ten times over while it is read, sketched and written.
        self.batch_bytes = min(16 << 20, max(1, memory // 32))
        self.memory = memory
        self.progress = progress or Silent()
        self.metrics = {}

    def read(self, inputs: Sequence[Input], params: ReadParams) -> Stream:
        def records(mark: Mark | None) -> Iterator[Batch]:
            for source in inputs:
                after = None
                if mark is not None:
                    done = mark.page >> RECORD_BITS
                    if source.ordinal < done or (source.ordinal == done and mark.last):
                        continue
                    if source.ordinal == done:
                        after = Position(mark.page & ((1 << RECORD_BITS) - 1), mark.offset)
                yield from batches(read_input(source, params, after), self.batch_bytes)

        return Stream(records, RECORDS.schema, inputs)

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> Stream:
        """The batches of a stored table, one file after the other."""
        data = run.dataset(table)
        names = list(columns) if columns is not None else data.schema.names
        schema = pa.schema([data.schema.field(name) for name in names])

        def stored(_: Mark | None) -> Iterator[Batch]:
            with run.reading(table):
                total = max(data.count_rows(), 1)
            done = 0
            for batch in run.batches(table, names):
                yield batch
                done += batch.num_rows
                self.progress.advance(Advance(batch.num_rows, done / total))

        return Stream(stored, schema, spill=run.spill)

    def concat(self, *data: Stream) -> Stream:
        def joined(_: Mark | None) -> Iterator[Batch]:
            for part in data:
                yield from part.open(None)

        spill = next((part.spill for part in data if part.spill is not None), None)
        return Stream(joined, data[0].schema, spill=spill)

    def map(self, data: Stream, kernel: Kernel) -> Stream:
        def mapped(mark: Mark | None) -> Iterator[Batch]:
            function = kernel.open(self.threads)
            with quick_handover(), Prefetch(data.open(mark)) as source:
                for batch in source:
                    yield function(batch)

        return replace(data, open=mapped, schema=kernel.schema)

    def exchange(self, data: Stream, kernel: Exchange) -> Stream:
        def reduced(_: Mark | None) -> Iterator[Batch]:
            if data.spill is not None:
                data.spill.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(dir=data.spill) as folder:
                resources = Resources(
                    self.threads,
                    self.memory,
                    Path(folder),
                    advance=lambda done: self.progress.advance(Advance(0, done)),
                    note=self.metrics.__setitem__,
                )
                reducer = kernel.open(resources)
                with Prefetch(data.open(None)) as source:
                    for batch in source:
                        reducer.push(batch)
                yield from reducer.finish()

        return replace(data, open=reduced, schema=kernel.schema)

    def collect(self, data: Stream) -> pa.Table:
        return pa.Table.from_batches(data.open(None), data.schema)

    def publish(self, run: Run, step: str, tables: Mapping[Table, Stream | pa.Table]) -> None:
        if not run.is_staged(step):
            run.clear_work(step)
            for table, data in tables.items():
                batches = data.to_batches() if isinstance(data, pa.Table) else data.open(None)
                write_table(run.work(step), table, batches)
            run.stage(step)
        run.publish(step, list(tables))

    def save(self, data: Stream, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Writes the stream part by part, then publishes the tables."""
        work = run.work(step)
        if run.is_staged(step):
            return run.publish(step, [output.table for output in outputs])
        done = finished_parts(work)
        if not done:
            run.clear_work(step)
            work = run.work(step)
        mark = done[-1] if done else None
        meter = Meter(data.inputs, self.progress)
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


BYTE_OFFSETS = ("arc", "cdx", "jsonl", "warc", "wet")


class Meter:
    """Turns page ids and offsets into a share of the whole input."""

    def __init__(self, inputs: Sequence[Input], progress: Progress) -> None:
        self.progress = progress
        self.inputs = {source.ordinal: source for source in inputs}
        self.begins: dict[int, int] = {}
        total = 0
        for source in inputs:
            self.begins[source.ordinal] = total
            total += _size(source.path)
        self.total = max(total, 1)

    def advance(
        self, page: int, offset: int, *, rows: int, records: int = 0, size: int = 0, earlier: bool = False
    ) -> None:
        """The last record that was read is `page` at `offset`; the rest as in `Advance`."""
        ordinal = page >> RECORD_BITS
        source = self.inputs[ordinal]
        # Where offsets are bytes of the file as it lies on the disk, or (if it is compressed) more than that.
        inside = min(offset, _size(source.path)) if source.format in BYTE_OFFSETS else 0
        done = (self.begins[ordinal] + inside) / self.total
        self.progress.advance(Advance(rows, done, source.path, records, size, earlier))


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


@contextmanager
def quick_handover() -> Iterator[None]:
    """Lets the thread that feeds the kernel have the interpreter within half a millisecond.

    By default it would wait for five, ten times that for each batch, while the reader decompresses and the
    kernel's cores idle: a fifth of the whole time (docs/benchmarks.md).
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.0005)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


class Prefetch(Iterator[T]):
    """Runs an iterator in a thread of its own, one item ahead and one at hand.

    No more than that: a single batch may hold pages of 64 MB.
    """

    DEPTH = 1
    PATIENCE = 2.0
    """Seconds that the thread gets to end when its items are no longer wanted."""

    def __init__(self, source: Iterator[T]) -> None:
        self._source = source
        self._queue: queue.Queue[tuple[bool, T | BaseException | None]] = queue.Queue(self.DEPTH)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        end: BaseException | None = None
        try:
            for item in self._source:
                self._put((True, item))
                if self._stop.is_set():
                    break
        except BaseException as error:
            end = error
        finally:
            close = getattr(self._source, "close", None)
            if close is not None:
                close()
        self._put((False, end))

    def _put(self, entry: tuple[bool, T | BaseException | None]) -> None:
        # With a timeout: a consumer that went away must not leave this thread waiting for ever.
        while not self._stop.is_set():
            with suppress(queue.Full):
                self._queue.put(entry, timeout=0.1)
                break

    def __next__(self) -> T:
        more, item = self._queue.get()
        if more:
            return item  # type: ignore[return-value]
        self._stop.set()
        if item is not None:
            raise item  # type: ignore[misc]
        raise StopIteration

    def __enter__(self) -> Prefetch[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._stop.set()
        # A thread that waits for an idle pipe cannot be woken: after an error or Ctrl-C it is left behind.
        self._thread.join(None if kind is None else self.PATIENCE)
