"""What an engine can do, and what a kernel is to it.

Detectors are written against these classes alone. An engine may run a kernel in any number of threads,
processes or machines: a kernel is a pure function of its batch, so the tables come out the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
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


class Kernel(Protocol):
    """A pure function from batch to batch. Must pickle: Spark sends it to its workers."""

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
    """Takes all rows of some groups, then gives the result."""

    def push(self, batch: Batch) -> None:
        """More rows, in any order."""

    def finish(self) -> Iterable[Batch]:
        """The result, once, when no more rows come."""


class Exchange(Protocol):
    """A pure function of all the rows that have a key in common. Must pickle.

    A reducer sees complete groups: the local engine gives it all rows, another engine those of some keys.
    What comes out may depend neither on which groups it sees together nor on the order of the rows.
    """

    @property
    def by(self) -> str:
        """The column whose equal values meet."""

    @property
    def schema(self) -> pa.Schema:
        """The schema of what comes out."""

    def open(self, resources: Resources) -> Reducer:
        """A reducer for one set of groups."""


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
    """Moves rows between kernels. A dataset is whatever the engine makes of one; detectors pass it on."""

    name: str
    metrics: dict[str, Any]
    """What reducers noted since this was last emptied."""

    @abstractmethod
    def read(self, inputs: Sequence[Input], params: ReadParams) -> Any:
        """The records of a crawl, as a dataset of `tables.RECORDS` in page order."""

    @abstractmethod
    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> Any:
        """A table of the run folder as a dataset, in the table's order."""

    @abstractmethod
    def concat(self, *data: Any) -> Any:
        """Stored datasets of one schema as one, one behind the other."""

    @abstractmethod
    def map(self, data: Any, kernel: Kernel) -> Any:
        """The dataset with the kernel applied to each batch."""

    @abstractmethod
    def exchange(self, data: Any, kernel: Exchange) -> Any:
        """The dataset that comes out when all rows of equal key meet."""

    @abstractmethod
    def collect(self, data: Any) -> pa.Table:
        """The whole dataset in memory: for what is small by nature."""

    @abstractmethod
    def publish(self, run: Run, step: str, tables: Mapping[Table, Any]) -> None:
        """Writes the tables of one step, each from a dataset or Arrow table, all at once or not at all."""

    @abstractmethod
    def save(self, data: Any, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Writes the tables that come out of reading, all at once or not at all."""

    def close(self) -> None:  # noqa: B027 - most engines hold nothing
        """Gives back what the engine holds."""
