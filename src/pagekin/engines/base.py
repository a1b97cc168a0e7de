"""What an engine can do, and what a kernel is to it.

A detector is a data flow written with the verbs of `Engine`, and nothing else. A kernel is a pure function of
its rows: no run folder, no files, no callbacks; what it counts comes out as rows. An engine may run kernels
in any number of threads, processes or machines, on any division of the rows: the tables come out the same.

    load, table     rows from a run folder; a few rows of the driver's own
    map             a kernel on each batch
    exchange        a kernel on complete groups: all rows of equal key, in a stated order
    sql             joins, semi-joins and integer aggregates, in SQL that DuckDB and Spark both run
    components      edges to (page, smallest page it is joined to)
    keep            computed once, however often it is read
    flow            a part of a flow for which one machine has a quicker way in shared memory
    publish         tables of the run folder, sorted by their keys, all at once or not at all
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import pyarrow as pa

from pagekin.params import ReadParams
from pagekin.tables import Table

if TYPE_CHECKING:
    from pagekin.readers import Input
    from pagekin.run import Run

Batch: TypeAlias = pa.RecordBatch
BatchFunction: TypeAlias = Callable[[Batch], Batch]

EDGES = pa.schema([("page", pa.int64()), ("other", pa.int64())])
LABELS = pa.schema([("page", pa.int64()), ("label", pa.int64())])


class Kernel(Protocol):
    """A pure function from batch to batch. Must pickle: engines send it to other processes.

    A kernel that makes many bytes of few says so by an attribute `growth`: how many for each that comes in,
    roughly. It gets batches in portions, and more places to send its rows to.
    """

    @property
    def schema(self) -> pa.Schema:
        """The schema of what comes out."""

    def open(self, threads: int) -> BatchFunction:
        """The function itself, for a process that may use so many threads."""


@dataclass(frozen=True)
class Resources:
    """What a reducer may use."""

    threads: int
    memory: int
    """Bytes; what needs more goes to the spill folder."""
    spill: Path
    """A folder for its files alone, removed afterwards."""
    advance: Callable[[float], None] = lambda done: None
    """Is told which share of `finish` is done."""
    note: Callable[[str, Any], None] = lambda name, value: None
    """Puts a figure about the work into `run.json`."""


class Reducer(Protocol):
    """Takes all rows of a flow's inputs, then gives the result."""

    def push(self, name: str, batch: Batch) -> None:
        """More rows of the input of this name. Inputs come one after the other, in the order of the call."""

    def finish(self) -> Iterable[Batch]:
        """The result, once, when no more rows come."""


class Flow(Protocol):
    """A part of a data flow that can be carried out in two ways, to the same rows in any order.

    `steps` says it in verbs, for every engine. `whole` is an optimisation for what one process can do: all
    rows in its memory (and what does not fit, in its spill folder). A property test holds the two equal.
    """

    @property
    def schema(self) -> pa.Schema:
        """The schema of what comes out."""

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        """The dataset, by the verbs of the engine."""

    def whole(self, resources: Resources) -> Reducer:
        """A reducer for all rows."""

    def held_bytes(self, size: int) -> int:
        """What `whole` holds of inputs of this size, in bytes, however little memory it is given."""


@dataclass(frozen=True)
class Output:
    """One table made from a dataset: which rows and columns of each batch belong to it."""

    table: Table
    project: BatchFunction


@dataclass(frozen=True, slots=True)
class Advance:
    """How far a step has come since it was last said."""

    rows: int
    """So many more: pages while a crawl is read, else rows of a table."""
    done: float
    """The finished share, from 0 to 1. A step may have several parts; each begins again at 0."""
    file: str | None = None
    """The input that is being read."""
    records: int = 0
    """So many more records of it, pages or not."""
    size: int = 0
    """So many more bytes of HTML."""
    earlier: bool = False
    """A run that was stopped did this: it took no time now."""


class Progress(Protocol):
    """Is told how the work goes on."""

    def step(self, name: str) -> None:
        """A new step begins."""

    def advance(self, more: Advance) -> None:
        """The step has come further."""


class Silent:
    """A `Progress` that says nothing."""

    def step(self, name: str) -> None:
        pass

    def advance(self, more: Advance) -> None:
        pass


class Engine(ABC):
    """Moves rows between kernels. A dataset is whatever the engine makes of one, with a `schema`."""

    name: str
    memory: int = 0
    """Bytes that it, or one of its tasks, may use before it spills; 0 if there is no bound."""
    metrics: dict[str, Any]
    """Figures about the step under way, for `run.json`."""
    one_machine: bool = False
    """Whether flows have all rows and the run folder at hand, so that `whole` may leave a file there."""

    @abstractmethod
    def read(self, inputs: Sequence[Input], params: ReadParams) -> Any:
        """The records of a crawl, as a dataset of `tables.RECORDS` in page order."""

    @abstractmethod
    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> Any:
        """A table of the run folder as a dataset."""

    @abstractmethod
    def table(self, rows: pa.Table) -> Any:
        """A dataset of the driver's own rows: for what is small by nature."""

    @abstractmethod
    def concat(self, *data: Any) -> Any:
        """Datasets of one schema as one."""

    @abstractmethod
    def map(self, data: Any, kernel: Kernel) -> Any:
        """The dataset with the kernel applied to each batch. How rows are cut into batches may not matter."""

    @abstractmethod
    def exchange(
        self,
        data: Any,
        by: str,
        kernel: Kernel,
        order: Sequence[str] = (),
        combine: Kernel | None = None,
    ) -> Any:
        """The kernel applied to complete groups.

        A batch that the kernel gets holds all rows of some values of the column `by`, an int64, sorted by it
        and within a group by the int64 columns `order`. Which groups are in one batch may not matter. With
        `combine`, parts of a group are made smaller before they travel: from the same kind of batch to rows
        of the same schema.
        """

    @abstractmethod
    def sql(self, query: str, schema: pa.Schema, **data: Any) -> Any:
        """The answer to a query over datasets, which it calls by the names of the arguments."""

    @abstractmethod
    def components(self, edges: Any) -> Any:
        """From `EDGES` to `LABELS`: every page of an edge with the smallest page that edges join it to."""

    @abstractmethod
    def keep(self, data: Any) -> Any:
        """The same dataset, computed once until the step ends."""

    def flow(self, flow: Flow, **inputs: Any) -> Any:
        """What comes of a flow, by the way that suits the engine."""
        return flow.steps(self, **inputs)

    @abstractmethod
    def collect(self, data: Any) -> pa.Table:
        """The whole dataset in memory: for what is small by nature."""

    @abstractmethod
    def publish(self, run: Run, step: str, tables: Mapping[Table, Any]) -> None:
        """Writes the tables of one step, sorted by their keys, all at once or not at all."""

    @abstractmethod
    def save(self, data: Any, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Writes the tables that come out of reading, all at once or not at all."""

    def running(self, step: str) -> AbstractContextManager[None]:
        """Around a step: what the engine's own machinery says of a failure becomes an `EngineError`."""
        return nullcontext()

    def close(self) -> None:  # noqa: B027 - most engines hold nothing
        """Gives back what the engine holds."""
