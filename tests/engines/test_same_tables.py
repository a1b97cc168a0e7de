"""Both engines write the same tables; so do any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import pagekin
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.run import Run
from pagekin.synth import write_web
from pagekin.tables import TABLES


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three inputs of two formats, one of them damaged."""
    folder = tmp_path_factory.mktemp("crawl")
    for seed in (1, 2):
        write_web(folder / f"{seed}.warc.gz", pages=300, seed=seed)
    whole = (folder / "2.warc.gz").read_bytes()
    (folder / "2.warc.gz").write_bytes(whole[: len(whole) * 2 // 3])
    (folder / "3.jsonl").write_text('{"url": "http://a.example/", "text": "only text"}\nnot json\n')
    return [folder / "1.warc.gz", folder / "2.warc.gz", folder / "3.jsonl"]


@pytest.fixture(scope="module")
def alone(crawl: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    """What one thread of the local engine makes of it."""
    return pagekin.scan(crawl, tmp_path_factory.mktemp("alone") / "run", engine=LocalEngine(1))


def on_spark() -> Engine:
    """Real executor processes: two workers of one core each."""
    pytest.importorskip("pyspark")
    from pagekin.engines.spark import SparkEngine

    return SparkEngine("local-cluster[2,1,2048]")


@pytest.mark.parametrize(
    ("make", "only"),
    [
        pytest.param(lambda: LocalEngine(3), None, id="threads"),
        pytest.param(on_spark, [], id="spark reads", marks=pytest.mark.spark),
        pytest.param(on_spark, None, id="spark", marks=[pytest.mark.spark, pytest.mark.slow]),
    ],
)
def test_same_tables(
    crawl: list[Path], alone: Run, make: Callable[[], Engine], only: list[str] | None, tmp_path: Path
) -> None:
    with closing(make()) as engine:
        run = pagekin.scan(crawl, tmp_path / "run", engine=engine, only=only)
    assert alone.tables == list(TABLES)
    assert run.tables == (
        alone.tables if only is None else ["pages", "texts", "links", "sketches", "skipped"]
    )
    for name in run.tables:
        ours, theirs = alone.table(name), run.table(name)
        assert ours.schema == theirs.schema
        assert ours.num_rows == theirs.num_rows
        assert ours.equals(theirs), name
    for key in ("counts", "skipped", "inputs", "params"):
        assert run.info[key] == alone.info[key]
    assert not (tmp_path / "run" / ".work").exists()
