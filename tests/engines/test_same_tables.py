"""All engines write the same tables, row by row and in order; so do any number of threads."""

from __future__ import annotations

import importlib
import json
import pydoc
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scatter import ScatterEngine

import pagekin
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.run import Run
from pagekin.synth import write_web
from pagekin.tables import TABLES

WORDS = [f"word{number}" for number in range(15)]
EDGES = [
    {"url": "http://a.example/", "text": "only text"},
    {"url": "http://a.example/empty", "text": ""},
    {"url": "http://a.example/word", "text": "word"},
    {"url": "http://b.example/word", "text": "word"},
    {"url": "http://a.example/nothing", "html": ""},
    {"url": "http://a.example/bare", "html": "<p>" * 2000},
    {"url": "no URL at all", "html": "<p>a page without a host"},
    {"url": "http://a.example/again", "html": "<p>" + "again and " * 500},
    {"url": "http://[::1]:80/\u2028", "html": "<title>=1+1\r\n</title>" + " ".join(WORDS)},
    *(
        {"url": f"http://copy{n}.example/?id={n}", "html": f"<b>{' '.join(WORDS[n:] * 40)}</b>"}
        for n in range(6)
    ),
]
"""Pages that have nothing, or too much of one thing."""


MODULES = ("argparse", "collections", "email.message", "http.client", "http.server", "json", "unittest.case")


def documentation(folder: Path) -> list[Path]:
    """Some pages of the Rust documentation, or else of Python's: pages that we did not make."""
    for number, page in enumerate(rust_pages()):
        (folder / str(number % 3)).mkdir(parents=True, exist_ok=True)
        shutil.copy(page, folder / str(number % 3) / f"{page.parent.name}.{page.name}")
    if not folder.exists():
        folder.mkdir()
        for name in MODULES:
            written = pydoc.html.document(importlib.import_module(name), name)
            (folder / f"{name}.html").write_text(pydoc.html.page(name, written), encoding="utf-8")
    return [folder]


def rust_pages() -> list[Path]:
    rustc = shutil.which("rustc")
    if rustc is None:
        return []
    root = subprocess.run([rustc, "--print", "sysroot"], capture_output=True, text=True, check=True)
    source = Path(root.stdout.strip()) / "share/doc/rust/html/std"
    names = ("collections", "fmt", "io")
    return [page for name in names for page in sorted((source / name).glob("*.html"))[:30]]


def test_documentation_is_there_without_rust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    (folder,) = documentation(tmp_path / "docs")
    pages = list(folder.iterdir())
    assert len(pages) == len(MODULES)
    assert min(page.stat().st_size for page in pages) > 10_000


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> list[list[Path]]:
    """Three crawls, each to be scanned against the one before. They share some pages."""
    folder = tmp_path_factory.mktemp("crawl")
    for seed in (1, 2, 3, 4):
        write_web(folder / f"{seed}.warc.gz", pages=300, seed=seed)
    whole = (folder / "2.warc.gz").read_bytes()
    (folder / "2.warc.gz").write_bytes(whole[: len(whole) * 2 // 3])
    edges = folder / "edges.jsonl"
    edges.write_text("".join(json.dumps(page) + "\n" for page in EDGES) + "not json\n")
    first = [folder / "1.warc.gz", folder / "2.warc.gz", edges, *documentation(folder / "docs")]
    third = [folder / "4.warc.gz", folder / "1.warc.gz"]
    return [first, [folder / "3.warc.gz", folder / "2.warc.gz", edges], third]


@pytest.fixture(scope="module")
def alone(crawls: list[list[Path]], tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """What one thread of the local engine makes of them."""
    folder = tmp_path_factory.mktemp("alone")
    runs: list[Run] = []
    for number, crawl in enumerate(crawls):
        known = runs[-1].path if runs else None
        runs.append(pagekin.scan(crawl, folder / str(number), engine=LocalEngine(1), against=known))
    return runs


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda _: LocalEngine(3), id="threads"),
        pytest.param(lambda _: LocalEngine(2, memory=1), id="no memory"),
        pytest.param(lambda _: ScatterEngine(5), id="scatter"),
        pytest.param(lambda request: request.getfixturevalue("spark"), id="spark", marks=pytest.mark.spark),
    ],
)
def test_same_tables(
    crawls: list[list[Path]],
    alone: list[Run],
    make: Callable[[pytest.FixtureRequest], Engine],
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    engine = make(request)
    # Spark takes long. The last crawl is scanned against a run that was scanned against another.
    for number in (0, 2) if engine.name == "spark" else (0, 1, 2):
        # The same known run for all, so that what they say of it is the same.
        known = alone[number - 1].path if number else None
        run = pagekin.scan(crawls[number], tmp_path / str(number), engine=engine, against=known)
        same(run, alone[number])
        assert not (run.path / ".work").exists()


@pytest.mark.spark
def test_spark_as_it_comes(crawls: list[list[Path]], alone: list[Run], spark: Engine, tmp_path: Path) -> None:
    """What is small is done in one place; and a session that we did not start goes on."""
    from pyspark.sql import SparkSession

    from pagekin.engines.spark import SparkEngine

    session = SparkSession.getActiveSession()
    assert session is not None
    settings = session.conf.getAll
    engine = SparkEngine(session)
    run = pagekin.scan(crawls[0], tmp_path / "run", engine=engine)
    engine.close()
    assert session.range(3).count() == 3
    assert SparkSession.getActiveSession() is session
    assert session.conf.getAll == settings
    assert not session.catalog.listTables()
    same(run, alone[0])
    for step in run.info["steps"].values():
        assert step["engine"] == "spark"
        assert step["stages"] >= 1
        assert step["tasks"] >= step["stages"]
        assert step["shuffled_bytes"] >= 0
        assert step["worker_cpu_seconds"] > 0
        assert step["jvm_cpu_seconds"] > 0
        assert step["worker_peak_bytes"] > 10**7
        assert step["driver_peak_bytes"] > 10**7


@pytest.mark.spark
def test_spark_with_little_memory(
    crawls: list[list[Path]], alone: list[Run], spark: Engine, tmp_path: Path
) -> None:
    """Whole parts of detectors in one task each, which spill."""
    from pyspark.sql import SparkSession

    from pagekin.engines.spark import SparkEngine

    engine = SparkEngine(SparkSession.getActiveSession(), memory=1 << 20)
    run = pagekin.scan(crawls[0], tmp_path / "run", engine=engine)
    same(run, alone[0])
    assert {step["memory_bytes"] for step in run.info["steps"].values()} == {1 << 20}
    assert run.info["quilts"]["spilled_pairs"] > 0


def same(ours: Run, theirs: Run) -> None:
    assert ours.tables == theirs.tables == list(TABLES)
    for name in ours.tables:
        one, other = ours.table(name), theirs.table(name)
        assert one.schema == other.schema, name
        assert one.num_rows == other.num_rows, name
        assert one.equals(other), name
    for key in ("counts", "skipped", "inputs", "params"):
        assert ours.info[key] == theirs.info[key]
