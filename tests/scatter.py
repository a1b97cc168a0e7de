"""An engine for tests: random sets of groups, shuffled rows, everything pickled.

What a detector cannot do here, it can do on no cluster.
"""

from __future__ import annotations

import pickle
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from pagekin.engines.base import Batch, Engine, Kernel, Output
from pagekin.engines.components import rounds
from pagekin.engines.groups import divide, in_order
from pagekin.engines.local import LocalEngine
from pagekin.engines.parts import write_table
from pagekin.engines.relational import answer, database
from pagekin.params import ReadParams
from pagekin.readers import Input
from pagekin.run import Run
from pagekin.tables import Table

MAX_COLLECTED = 100
"""So many rows a detector may collect: figures, and examples of which it says how many there are at most."""


@dataclass(frozen=True)
class Scattered:
    """A dataset: pickled batches in no order."""

    batches: list[bytes]
    schema: pa.Schema


class ScatterEngine(Engine):
    """Carries out the verbs one after the other, in the most inconvenient order."""

    name = "scatter"

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.metrics = {}
        self.reader = LocalEngine(1)
        self.database = database(threads=1, memory=10**9, spill=Path(tempfile.gettempdir()))

    def read(self, inputs: Sequence[Input], params: ReadParams) -> Any:
        return self.reader.read(inputs, params)

    def save(self, data: Any, run: Run, step: str, outputs: Sequence[Output]) -> None:
        self.reader.save(data, run, step, outputs)

    def load(self, run: Run, table: str, columns: Sequence[str] | None = None) -> Scattered:
        rows = run.table(table, columns)
        return self.table(rows)

    def table(self, rows: pa.Table) -> Scattered:
        return self._scattered(rows.to_batches(), rows.schema)

    def concat(self, *data: Scattered) -> Scattered:
        return Scattered([batch for one in data for batch in one.batches], data[0].schema)

    def map(self, data: Any, kernel: Kernel) -> Any:
        if not isinstance(data, Scattered):
            return self.reader.map(data, kernel)  # reading a crawl
        function = _sent(kernel).open(1)
        return self._scattered([function(batch) for batch in _opened(data)], kernel.schema)

    def exchange(
        self,
        data: Scattered,
        by: str,
        kernel: Kernel,
        order: Sequence[str] = (),
        combine: Kernel | None = None,
    ) -> Scattered:
        parts = self.random.randint(1, 5)
        divided: list[list[Batch]] = [[] for _ in range(parts)]
        for batch in _opened(data):
            for part, rows in divide(batch, by, parts):
                if combine is not None and self.random.random() < 0.5:
                    rows = _sent(combine).open(1)(in_order([rows], data.schema, by, order))
                divided[part].append(rows)
        found = []
        for rows in divided:
            if rows:
                self.random.shuffle(rows)
                found.append(_sent(kernel).open(1)(in_order(rows, data.schema, by, order)))
        return self._scattered(found, kernel.schema)

    def sql(self, query: str, schema: pa.Schema, **data: Scattered) -> Scattered:
        tables = {name: _rows(one) for name, one in data.items()}
        return self._scattered(list(answer(self.database, query, schema, tables)), schema)

    def components(self, edges: Scattered) -> Scattered:
        labels: Scattered = rounds(self, edges, one_place=self.random.choice([0, 100]))
        return labels

    def keep(self, data: Scattered) -> Scattered:
        return data

    def collect(self, data: Scattered) -> pa.Table:
        found = _rows(data)
        asks = sys._getframe(1).f_globals["__name__"]
        # Tests may have all rows. What a detector collects is in the driver's memory, whatever the crawl.
        assert not asks.startswith("pagekin.") or found.num_rows <= MAX_COLLECTED, f"{asks} collects rows"
        return found

    def publish(self, run: Run, step: str, tables: Mapping[Table, Scattered]) -> None:
        run.clear_work(step)
        for table, data in tables.items():
            ordered = answer(self.database, "FROM data", table.schema, {"data": _rows(data)}, table.keys)
            write_table(run.work(step), table, ordered)
        run.stage(step)
        run.publish(step, list(tables))

    def _scattered(self, batches: Sequence[Batch], schema: pa.Schema) -> Scattered:
        """Rows in another order, cut elsewhere."""
        table = pa.Table.from_batches(batches, schema)
        places = list(range(table.num_rows))
        self.random.shuffle(places)
        table = table.take(pa.array(places, pa.int64())).combine_chunks()
        size = self.random.choice([1 + table.num_rows // 7, 1 + table.num_rows])
        return Scattered([pickle.dumps(batch) for batch in table.to_batches(max_chunksize=size)], schema)


def _sent(kernel: Kernel) -> Kernel:
    """The kernel as another process has it."""
    assert is_plain(kernel), f"{kernel} holds more than parameters"
    sent: Kernel = pickle.loads(pickle.dumps(kernel))
    return sent


def is_plain(value: Any) -> bool:
    """Whether it is parameters and nothing else: no run, no file, no function. Pickle would take a run."""
    if is_dataclass(value) and not isinstance(value, type | Engine):
        return all(is_plain(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple | list):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, [*value, *value.values()]))
    return value is None or isinstance(value, str | bytes | int | float | pa.Schema | Table)


def _rows(data: Scattered) -> pa.Table:
    return pa.Table.from_batches(_opened(data), data.schema)


def _opened(data: Scattered) -> Iterator[Batch]:
    return (pickle.loads(batch) for batch in data.batches)
