"""The verbs that detectors are written with, on every engine: load, map, exchange, collect, publish."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import pagekin
from pagekin.engines.base import Batch, BatchFunction, Engine, Resources
from pagekin.engines.local import LocalEngine
from pagekin.run import Identity, Run
from pagekin.tables import PAGES, TEXTS

COUNTS = pa.schema([("domain", pa.string()), ("words", pa.int64())])


@dataclass
class Adder:
    """Sums words by domain; writes each batch to the spill folder to prove that there is one."""

    resources: Resources
    rows: list[Batch] = field(default_factory=list)

    def push(self, batch: Batch) -> None:
        (self.resources.spill / str(len(self.rows))).write_bytes(b"spilled")
        self.rows.append(batch)

    def finish(self) -> Iterator[Batch]:
        table = pa.Table.from_batches(self.rows).group_by("domain").aggregate([("words", "sum")])
        table = table.select(["domain", "words_sum"]).rename_columns(COUNTS.names).sort_by("domain")
        yield from table.cast(COUNTS).to_batches()


@dataclass(frozen=True)
class WordsByDomain:
    by: str = "domain"
    schema: pa.Schema = COUNTS

    def open(self, resources: Resources) -> Adder:
        return Adder(resources)


@dataclass(frozen=True)
class Doubled:
    schema: pa.Schema = COUNTS

    def open(self, threads: int) -> BatchFunction:
        assert threads >= 1
        return lambda rows: rows.set_column(1, COUNTS.field(1), pc.multiply(rows.column("words"), 2))


@pytest.fixture(scope="module")
def run(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("exchange") / "run", only=[])


@pytest.mark.parametrize("engine", [LocalEngine(1), LocalEngine(3)], ids=["one thread", "three threads"])
def test_map_and_exchange(run: Run, engine: Engine) -> None:
    pages = engine.load(run, "pages", ["domain", "words"])
    found = engine.collect(engine.exchange(engine.map(pages, Doubled()), WordsByDomain()))
    expected: dict[str, int] = {}
    for row in run.table("pages").to_pylist():
        expected[row["domain"]] = expected.get(row["domain"], 0) + 2 * row["words"]
    assert dict(zip(found["domain"].to_pylist(), found["words"].to_pylist(), strict=True)) == expected


def test_publish_all_or_nothing(run: Run, tmp_path: Path) -> None:
    engine = LocalEngine(1)
    copy = Run.create(tmp_path / "copy", Identity.of([], run.params), resume=False)

    def failing() -> Iterator[Batch]:
        raise OSError("the disk is full")
        yield  # pragma: no cover

    with copy:
        pages = run.table("pages")
        broken = pa.RecordBatchReader.from_batches(TEXTS.schema, failing())
        stream = engine.load(run, "texts")
        bad = type(stream)(lambda _: iter(broken), TEXTS.schema)
        with pytest.raises(OSError, match="full"):
            engine.publish(copy, "step", {PAGES: pages, TEXTS: bad})
        assert copy.tables == []
        engine.publish(copy, "step", {PAGES: pages, TEXTS: stream})
        assert copy.tables == ["pages", "texts"]
        assert copy.table("pages").equals(pages)
        assert copy.table("texts").equals(run.table("texts"))


def test_spill_folder_goes(run: Run, tmp_path: Path) -> None:
    engine = LocalEngine(1)
    with Run.create(tmp_path / "run", Identity.of([], run.params), resume=False) as copy:
        engine.publish(copy, "step", {PAGES: run.table("pages")})
        engine.collect(engine.exchange(engine.load(copy, "pages", ["domain", "words"]), WordsByDomain()))
        assert copy.spill is not None
        assert list(copy.spill.iterdir()) == []
        (copy.spill / "left by a kill").write_bytes(b"")
        copy.finish_step("step")
    assert sorted(path.name for path in copy.path.iterdir()) == [".lock", "pages.parquet", "run.json"]
