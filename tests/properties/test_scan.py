"""What must hold of any scan: it ends, whatever the pages; stops and threads change nothing."""

from __future__ import annotations

import base64
import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import warcs
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import content_types, html_bytes, html_soup, page_urls
from strategies import texts as any_text

import pagekin
from pagekin import pipeline
from pagekin.engines import local, parts
from pagekin.engines.local import LocalEngine
from pagekin.errors import NoPagesError

# A scan is some hundred times the work of one kernel call.
FEWER = settings(max_examples=settings().max_examples // 5)


@contextmanager
def folder() -> Iterator[Path]:
    """Hypothesis calls a test many times, so that `tmp_path` will not do."""
    with tempfile.TemporaryDirectory(prefix="pagekin-test-") as name:
        yield Path(name)


@dataclass
class Scanned:
    """What a scan leaves behind."""

    tables: dict[str, pa.Table]
    info: dict[str, Any]


def scan(path: Path | list[Path], output: Path, **options: Any) -> Scanned:
    """Runs a scan, also one that finds no page."""
    with suppress(NoPagesError):
        pagekin.scan(path, output, only=[], **options)
    run = pagekin.Run(output)
    kept = {key: run.info[key] for key in ("counts", "skipped", "state")}
    return Scanned({name: run.table(name) for name in run.tables}, kept)


def assert_same(ours: Scanned, theirs: Scanned) -> None:
    assert ours.info == theirs.info
    assert ours.tables.keys() == theirs.tables.keys()
    for name, table in ours.tables.items():
        assert table.equals(theirs.tables[name]), name


# Crawls of any bytes


@st.composite
def warc_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A WARC file of pages that may be anything, in records that may be damaged."""
    records = []
    for html in draw(st.lists(html_bytes(), max_size=6)):
        content_type = draw(content_types())
        block = warcs.http(html, content_type=None)
        if content_type is not None:
            # Not through `http`, which takes only what a header may hold.
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\n\r\n"
            block = head.encode("utf-8", "replace") + html
        record = warcs.record("response", block, draw(page_urls()))
        if draw(st.booleans()) and draw(st.booleans()):
            at = draw(st.integers(0, len(record)))
            record = record[:at] + draw(st.binary(max_size=20)) + record[at:]
        records.append(record)
    suffix = draw(st.sampled_from(["", ".gz", ".zst", ".lz4"]))
    return f"crawl.warc{suffix}", b"".join(map(warcs.CODECS[suffix], records))


@st.composite
def jsonl_files(draw: st.DrawFn) -> tuple[str, bytes]:
    lines = []
    for _ in range(draw(st.integers(0, 6))):
        url = draw(st.one_of(page_urls(), st.text(max_size=20), st.integers()))
        content = draw(st.one_of(html_soup(), any_text(), st.none(), st.integers(), st.text(max_size=20)))
        row = {"url": url, draw(st.sampled_from(["html", "text", "both", "html"])): content}
        line = json.dumps(row, ensure_ascii=draw(st.booleans())).encode("utf-8", "surrogatepass")
        lines.append(draw(st.sampled_from([line, line, line, line[:-2], draw(st.binary(max_size=30))])))
    return "crawl.jsonl", b"\n".join(lines)


def any_files() -> st.SearchStrategy[tuple[str, bytes]]:
    names = [
        "a.warc",
        "a.warc.gz",
        "a.warc.zst",
        "a.wet.gz",
        "a.jsonl",
        "a.jsonl.gz",
        "a.html",
        "a.zip",
        "a.wacz",
    ]
    return st.tuples(st.sampled_from(names), st.binary(max_size=400))


@FEWER
@given(st.one_of(warc_files(), warc_files(), jsonl_files(), any_files()))
def test_any_bytes_are_survived(file: tuple[str, bytes]) -> None:
    """Every record is a page or is counted with a reason, with one thread and with two."""
    name, data = file
    with folder() as here:
        (here / name).write_bytes(data)
        alone = scan(here / name, here / "alone", engine=LocalEngine(1))
        assert_same(alone, scan(here / name, here / "both", engine=LocalEngine(2)))
    pages, skipped = alone.tables["pages"], alone.tables["skipped"]
    assert alone.info["state"] == ("done" if pages.num_rows else "failed")
    ids = sorted(pages["page"].to_pylist() + skipped["page"].to_pylist())
    assert ids == list(range(len(ids))), "no record is lost or counted twice"
    assert alone.info["counts"]["pages"] == pages.num_rows
    assert sum(alone.info["skipped"].values()) == skipped.num_rows
    texts = alone.tables["texts"]["text"].to_pylist()
    assert [len(pagekin.words(text)) for text in texts] == pages["words"].to_pylist()


# Stops


class StoppedError(BaseException):
    """Like Ctrl-C: nobody may catch it and go on."""


class Countdown:
    """Stops the work at its n-th tick."""

    def __init__(self) -> None:
        self.left: int | None = None
        self.ticks = 0

    def tick(self) -> None:
        self.ticks += 1
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise StoppedError

    def before(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            self.tick()
            return function(*args, **kwargs)

        return wrapped

    def along(self, function: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Iterator[Any]:
            for item in function(*args, **kwargs):
                self.tick()
                yield item

        return wrapped


@pytest.fixture(scope="module")
def countdown() -> Iterator[Countdown]:
    """Small parts and batches, and a tick at everything that could be the last thing a process does."""
    count = Countdown()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts, "PART_RECORDS", 40)
        patch.setattr(local, "batches", functools.partial(local.batches, max_records=15))
        patch.setattr(local, "read_input", count.along(local.read_input))
        patch.setattr(parts.PartWriter, "write", count.before(parts.PartWriter.write))
        patch.setattr(parts.PartWriter, "_begin_part", count.before(parts.PartWriter._begin_part))
        patch.setattr(parts, "write_atomically", count.before(parts.write_atomically))
        patch.setattr("pagekin.run.folder.write_atomically", count.before(parts.write_atomically))
        patch.setattr(Path, "rename", count.before(Path.rename))
        patch.setattr(Path, "replace", count.before(Path.replace))
        patch.setattr(shutil, "rmtree", count.before(shutil.rmtree))
        patch.setattr(os, "fsync", count.before(lambda _: None))
        patch.setattr(pipeline, "_counts", count.before(pipeline._counts))
        yield count


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Inputs of several formats and sizes, one without a page, one damaged: parts end everywhere."""
    here = tmp_path_factory.mktemp("crawl")
    rows = [{"url": warcs.url(n), "html": base64.b16encode(b"%d" % n).decode()} for n in range(45)]
    (here / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "not json\n")
    records = [warcs.page(number) for number in range(100)]
    cut = b"".join(map(warcs.gz, records[:50]))
    (here / "d.warc.gz").write_bytes(cut[:-99])
    return [
        warcs.write(here, "a.warc.gz", [warcs.warcinfo(), *records]),
        here / "b.jsonl",
        warcs.write(here, "c.warc", [warcs.request(), warcs.request()]),
        here / "d.warc.gz",
        warcs.write(here, "e.warc.zst", records[:40]),
    ]


@pytest.fixture(scope="module")
def uninterrupted(
    crawl: list[Path], countdown: Countdown, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Scanned, int]:
    countdown.left, countdown.ticks = None, 0
    found = scan(crawl, tmp_path_factory.mktemp("whole") / "run", threads=1)
    assert found.tables["pages"].num_rows > 200
    return found, countdown.ticks


@FEWER
@given(data=st.data())
def test_resumed_is_uninterrupted(
    data: st.DataObject, crawl: list[Path], countdown: Countdown, uninterrupted: tuple[Scanned, int]
) -> None:
    """Stopped anywhere, any number of times, then let run: the same tables, and nothing left over."""
    expected, ticks = uninterrupted
    with folder() as here:
        for _ in range(data.draw(st.integers(1, 4), label="stops")):
            countdown.left = data.draw(st.integers(0, ticks), label="stop at tick")
            with suppress(StoppedError):
                pagekin.scan(crawl, here / "run", only=[], threads=1, resume=True)
            countdown.left = None
            # A reader meets whole tables or none.
            if (here / "run" / "run.json").exists():
                run = pagekin.Run(here / "run")
                for name in run.tables:
                    assert run.table(name).equals(expected.tables[name])
        assert_same(scan(crawl, here / "run", threads=2, resume=True), expected)
        names = {path.name for path in (here / "run").iterdir()}
        assert names == {"run.json", ".lock", *(f"{name}.parquet" for name in expected.tables)}
