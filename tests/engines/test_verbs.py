"""The verbs that detectors are written with, on every engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scatter import ScatterEngine, is_plain

import pagekin
from pagekin.engines.base import EDGES, Batch, BatchFunction, Engine, Resources
from pagekin.engines.components import rounds
from pagekin.engines.local import LocalEngine
from pagekin.run import Identity, Run
from pagekin.tables import PAGES, TEXTS

ROWS = pa.schema([("key", pa.int64()), ("value", pa.int64())])
FIRSTS = pa.schema([("key", pa.int64()), ("first", pa.int64()), ("rows", pa.int64())])


@dataclass(frozen=True)
class Firsts:
    """The first value of each group, and its rows; fails on groups that are cut or not in order."""

    schema: pa.Schema = FIRSTS

    def open(self, threads: int) -> BatchFunction:
        seen: set[int | None] = set()

        def firsts(batch: Batch) -> Batch:
            keys, values = (batch.column(name).to_pylist() for name in ROWS.names)
            found: dict[int, list[int]] = {}
            for key, value in zip(keys, values, strict=True):
                found.setdefault(key, []).append(value)
            assert not seen & found.keys(), "a group came in two batches"
            seen.update(found)
            assert keys == sorted(keys)
            assert all(group == sorted(group) for group in found.values())
            rows = [(key, group[0], len(group)) for key, group in found.items()]
            return pa.RecordBatch.from_pylist(
                [dict(zip(FIRSTS.names, row, strict=True)) for row in rows], schema=FIRSTS
            )

        return firsts


@dataclass(frozen=True)
class Doubled:
    schema: pa.Schema = ROWS

    def open(self, threads: int) -> BatchFunction:
        return lambda rows: rows.set_column(1, ROWS.field(1), pc.multiply(rows.column("value"), 2))


ENGINES: list[Callable[[], Engine]] = [
    lambda: LocalEngine(1),
    lambda: LocalEngine(3, memory=1),
    lambda: ScatterEngine(1),
    lambda: ScatterEngine(2),
]


@pytest.fixture(
    params=[*ENGINES, pytest.param("spark", marks=pytest.mark.spark)],
    ids=["one thread", "three threads that spill", "scatter", "scatter again", "spark"],
)
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        on_spark: Engine = request.getfixturevalue("spark")
        return on_spark
    make: Callable[[], Engine] = request.param
    return make()


def rows_of(engine: Engine, data: Any) -> list[tuple[Any, ...]]:
    table = engine.collect(data)
    return sorted(zip(*(column.to_pylist() for column in table.columns), strict=True))


def numbers(rows: list[tuple[int, int]], schema: pa.Schema = ROWS) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [(), ()]
    return pa.table([pa.array(column, pa.int64()) for column in columns], schema=schema)


def test_map_and_exchange(engine: Engine) -> None:
    rows = [(key % 17, (key * 7919) % 1000) for key in range(2000)]
    data = engine.map(engine.table(numbers(rows)), Doubled())
    found = engine.exchange(data, "key", Firsts(), order=("value",))
    groups: dict[int, list[int]] = {}
    for key, value in rows:
        groups.setdefault(key, []).append(2 * value)
    assert rows_of(engine, found) == sorted((key, min(of), len(of)) for key, of in groups.items())


@dataclass(frozen=True)
class HoldsRun:
    """A kernel that could read what it likes. It pickles."""

    run: Run
    schema: pa.Schema = ROWS

    def open(self, threads: int) -> BatchFunction:
        return lambda batch: batch


def test_a_kernel_is_parameters_and_no_more(run: Run, tmp_path: Path) -> None:
    """As the scatter engine sees to for the kernels of all detectors."""
    scatter = ScatterEngine(1)
    with pytest.raises(AssertionError, match="more than parameters"):
        scatter.map(scatter.table(numbers([])), HoldsRun(run))
    with (tmp_path / "file").open("w") as file:
        assert not any(map(is_plain, (run, ScatterEngine, scatter, print, [file], {"run": run})))
    assert is_plain((run.params, EDGES, {"k": [1.5, None]}))


def test_a_detector_collects_no_rows() -> None:
    """As the scatter engine sees to: a driver has no room for what grows with the crawl."""
    detector: dict[str, Any] = {"__name__": "pagekin.detect.some"}
    exec("def collected(engine, data): return engine.collect(data)", detector)
    scatter = ScatterEngine(1)
    for rows in (100, 101):
        data = scatter.table(numbers([(row, row) for row in range(rows)]))
        if rows == 100:
            assert detector["collected"](scatter, data).num_rows == rows
        else:
            with pytest.raises(AssertionError, match="collects rows"):
                detector["collected"](scatter, data)


def test_sql_joins_and_counts(engine: Engine) -> None:
    rows = engine.table(numbers([(key % 5, key) for key in range(100)]))
    names = engine.keep(engine.map(engine.table(numbers([(1, 10), (2, 20)])), Doubled()))
    query = """
        SELECT names.value AS "key", count(*) AS "value" FROM rows JOIN names ON rows."key" = names."key"
        GROUP BY names.value
    """.replace('"', "")
    assert rows_of(engine, engine.sql(query, ROWS, rows=rows, names=names)) == [(20, 20), (40, 20)]


def obvious_labels(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    labels = {page: page for edge in edges for page in edge}
    changed = True
    while changed:
        changed = False
        for one, other in edges:
            least = min(labels[one], labels[other])
            changed |= labels[one] != least or labels[other] != least
            labels[one] = labels[other] = least
    return sorted(labels.items())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 25), st.integers(0, 25)), max_size=40), st.integers(0, 99))
def test_components(edges: list[tuple[int, int]], seed: int) -> None:
    engines: list[Engine] = [LocalEngine(1), ScatterEngine(seed)]
    for engine in engines:
        found = engine.components(engine.table(numbers(edges, EDGES)))
        assert rows_of(engine, found) == obvious_labels(edges)


@pytest.mark.parametrize("shape", ["chain", "star", "pairs"])
def test_rounds_grow_with_the_logarithm(shape: str) -> None:
    n = 4096
    edges = {
        "chain": [(page, page + 1) for page in range(n)],
        "star": [(n, page) for page in range(n)],
        "pairs": [(page, page + n) for page in range(n)],
    }[shape]
    engine = ScatterEngine(3)
    taken: list[int] = []
    found = rounds(engine, engine.table(numbers(edges, EDGES)), taken.append, one_place=0)
    labels = dict(rows_of(engine, found))
    assert 1 <= taken[-1] <= 14
    assert labels == {page: page % n if shape == "pairs" else 0 for edge in edges for page in edge}


@pytest.fixture(scope="module")
def run(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("verbs") / "run", only=[])


def test_publish_sorts_and_is_all_or_nothing(run: Run, engine: Engine, tmp_path: Path) -> None:
    @dataclass(frozen=True)
    class Broken:
        schema: pa.Schema = TEXTS.schema

        def open(self, threads: int) -> BatchFunction:
            def fail(batch: Batch) -> Batch:
                raise OSError("the disk is full")

            return fail

    pages = run.table("pages")
    backwards = pages.take(pa.array(range(len(pages) - 1, -1, -1), pa.int64()))
    with Run.create(tmp_path / "copy", Identity.of([], run.params), resume=False) as copy:
        texts = engine.load(run, "texts")
        if engine.name == "local":
            with pytest.raises(OSError, match="full"):
                engine.publish(
                    copy, "step", {PAGES: engine.table(backwards), TEXTS: engine.map(texts, Broken())}
                )
            assert copy.tables == []
        engine.publish(copy, "step", {PAGES: engine.table(backwards), TEXTS: texts})
        assert copy.table("pages").equals(pages)
        assert copy.table("texts").equals(run.table("texts"))


@dataclass(frozen=True)
class Summed:
    """A flow: the rows of each key, by steps and at once."""

    schema: pa.Schema = FIRSTS

    def steps(self, engine: Engine, **inputs: Any) -> Any:
        return engine.exchange(inputs["rows"], "key", Firsts(), order=("value",))

    def held_bytes(self, size: int) -> int:
        return size

    def whole(self, resources: Resources) -> WholeSum:
        return WholeSum(resources, [])


@dataclass
class WholeSum:
    resources: Resources
    rows: list[Batch]

    def push(self, name: str, batch: Batch) -> None:
        assert name == "rows"
        (self.resources.spill / str(len(self.rows))).write_bytes(b"spilled")
        self.rows.append(batch)

    def finish(self) -> Iterator[Batch]:
        table = pa.Table.from_batches(self.rows, ROWS).sort_by([("key", "ascending"), ("value", "ascending")])
        yield from map(Firsts().open(1), table.combine_chunks().to_batches())


def test_both_ways_of_a_flow(engine: Engine) -> None:
    rows = engine.table(numbers([(key % 7, -key) for key in range(300)]))
    whole = rows_of(engine, engine.flow(Summed(), rows=rows))
    assert whole == rows_of(engine, Summed().steps(engine, rows=rows))
    assert [row[2] for row in whole] == [43] * 6 + [42]


def test_spill_folder_goes(run: Run, tmp_path: Path) -> None:
    engine = LocalEngine(1, memory=1)
    with Run.create(tmp_path / "run", Identity.of([], run.params), resume=False) as copy:
        engine.publish(copy, "step", {PAGES: engine.load(run, "pages")})
        pages = engine.load(copy, "pages", ["page", "words"])
        rows = engine.sql("SELECT page AS key, words AS value FROM pages", ROWS, pages=pages)
        engine.collect(engine.exchange(engine.keep(rows), "key", Firsts()))
        assert copy.spill is not None
        del pages, rows
        assert list(copy.spill.iterdir()) == []
        (copy.spill / "left by a kill").write_bytes(b"")
        copy.finish_step("step")
    assert sorted(path.name for path in copy.path.iterdir()) == [".lock", "pages.parquet", "run.json"]


def test_wide_rows_come_in_small_batches() -> None:
    """However wide rows are, a batch of an answer keeps to the memory; narrow ones come many at a time."""
    text = pa.schema([("text", pa.string())])
    query = "SELECT repeat('x', {}) || value AS text FROM numbers"
    numbers = pa.table([pa.array(range(100_000), pa.int64())], names=["value"])

    def sizes(memory: int, width: int) -> list[int]:
        engine = LocalEngine(1, memory=memory)
        found = engine.sql(query.format(width), text, numbers=engine.table(numbers)).open(None)
        return [batch.num_rows for batch in found]

    wide, narrow = sizes(64 * 10**6, 1000), sizes(64 * 10**6, 1)
    assert sum(wide) == sum(narrow) == 100_000
    assert max(wide) * 1000 < 3 * (64 * 10**6 // 32)
    assert max(narrow) > 10 * max(wide)
