"""Inputs that workers read through fsspec: the tables of the same files on the disk."""

from __future__ import annotations

import functools
import gzip
import random
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import warcs

import pagekin
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.params import ReadParams
from pagekin.readers import expand
from pagekin.synth import write_web

pytest.importorskip("pyspark")
pytest.importorskip("aiohttp")
pytestmark = pytest.mark.spark

PAGES = 288
PADDING = b"<!--" + b"x" * 250_000 + b"-->"
"""So large are its pages that the second file is divided among tasks."""


def large(folder: Path) -> None:
    rng = random.Random(7)
    with (folder / "large.warc.gz").open("wb") as file:
        for number in range(PAGES):
            text = " ".join(f"word{rng.randrange(40)}" for _ in range(30)).encode()
            page = warcs.http(b"<p>" + text + PADDING)
            record = warcs.record("response", page, f"http://a.example/{number}")
            file.write(gzip.compress(record, 0, mtime=0))


PIECE = 1 << 16


class Ranges(SimpleHTTPRequestHandler):
    """Files of a folder, or the parts of them that are asked for."""

    asked: list[str]

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            self.send_error(404)
            return
        size = path.stat().st_size
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, last = (int(wanted[1]), int(wanted[2] or size - 1)) if wanted else (0, size - 1)
        last = min(last, size - 1)
        self.asked.append(self.headers.get("Range", ""))
        self.send_response(206 if wanted else 200)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(last - first + 1))
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        with path.open("rb") as file, suppress(ConnectionError):  # who asked may have enough
            file.seek(first)
            for begin in range(first, last + 1, PIECE):
                self.wfile.write(file.read(min(PIECE, last + 1 - begin)))

    def end_headers(self) -> None:
        if self.command == "HEAD":
            self.send_header("Accept-Ranges", "bytes")
        super().end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        pass


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    write_web(folder / "web.warc.gz", pages=150, seed=9)
    large(folder)
    return folder


@pytest.fixture(scope="module")
def alone(crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    inputs = [crawl / "web.warc.gz", crawl / "large.warc.gz"]
    return pagekin.scan(
        inputs, tmp_path_factory.mktemp("alone") / "run", only=["duplicates"], engine=LocalEngine(2)
    )


@pytest.fixture
def served(crawl: Path) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = functools.partial(type("Served", (Ranges,), {"asked": asked}), directory=str(crawl))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()


def same_rows(spark: Engine, base: str, alone: pagekin.Run, run: Path) -> None:
    """But for the names of inputs, which are those that were given."""
    names = [f"{base}/web.warc.gz", f"{base}/large.warc.gz"]
    found = pagekin.scan(names, run, only=["duplicates"], engine=spark)
    assert found.info["counts"] == alone.info["counts"]
    assert found.info["counts"]["pages"] > PAGES
    assert set(found.table("pages")["input"].to_pylist()) == set(names)
    for name in alone.tables:
        ours, theirs = found.table(name), alone.table(name)
        if "input" in ours.schema.names:
            assert set(ours["input"].to_pylist()) <= set(names)
            ours, theirs = ours.drop_columns("input"), theirs.drop_columns("input")
        assert ours.equals(theirs), name


def is_divided(spark: Any, name: str) -> bool:
    return len(spark.read(expand([name]), ReadParams()).tasks) > 1


def test_by_http(
    spark: Engine, crawl: Path, alone: pagekin.Run, served: tuple[str, list[str]], tmp_path: Path
) -> None:
    base, asked = served
    assert is_divided(spark, f"{base}/large.warc.gz")
    same_rows(spark, base, alone, tmp_path / "run")
    # Whoever begins within a file does not read what comes before.
    assert any(int(first[1]) > 10**7 for text in asked if (first := re.match(r"bytes=(\d+)-", text)))


@pytest.mark.parametrize("scheme", ["file", "local"])
def test_by_file_urls(spark: Engine, crawl: Path, alone: pagekin.Run, tmp_path: Path, scheme: str) -> None:
    base = f"{scheme}://{crawl}"
    assert is_divided(spark, f"{base}/large.warc.gz")
    same_rows(spark, base, alone, tmp_path / "run")
