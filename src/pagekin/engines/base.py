"""What an engine can do, and what a kernel is to it.

Detectors are written against these classes alone. An engine may run a kernel in any number of threads,
processes or machines: a kernel is a pure function of its batch, so the tables come out the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
class Output:
    """One table made from a dataset: which rows and columns of each batch belong to it."""

    table: Table
    project: BatchFunction


class Progress(Protocol):
    """Hears how the work goes on."""

    def step(self, name: str) -> None:
        """A new step begins."""

    def advance(self, pages: int, done: float) -> None:
        """So many pages more; `done` is the finished share of the step, from 0 to 1."""


class Silent:
    """A `Progress` that says nothing."""

    def step(self, name: str) -> None:
        """Says nothing."""

    def advance(self, pages: int, done: float) -> None:
        """Says nothing."""


class Engine(ABC):
    """Moves rows between kernels. A dataset is whatever the engine makes of one; detectors pass it on."""

    name: str

    @abstractmethod
    def read(self, inputs: Sequence[Input], params: ReadParams) -> Any:
        """The records of a crawl, as a dataset of `tables.RECORDS` in page order."""

    @abstractmethod
    def map(self, data: Any, kernel: Kernel) -> Any:
        """The dataset with the kernel applied to each batch."""

    @abstractmethod
    def save(self, data: Any, run: Run, step: str, outputs: Sequence[Output]) -> None:
        """Writes the tables of one step into the run folder, all at once or not at all."""

    def close(self) -> None:  # noqa: B027 - most engines hold nothing
        """Gives back what the engine holds."""
