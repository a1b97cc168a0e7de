"""Standard input, pipes, remote files, and what fails while being read."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pytest
import warcs
from warcs import CODECS, html, page, url

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, Record, expand, read_input
from pagekin.readers import source as source_module

LINE = b'{"url": "http://a/", "text": "x"}\n'


def read_stdin(data: bytes, monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    (source,) = expand(["-"])
    assert source == Input(0, "-", "stream")
    return list(read_input(source))


@pytest.mark.parametrize("suffix", CODECS)
def test_stdin(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = CODECS[suffix]
    rows = read_stdin(pack(page(1)) + pack(page(2, 200_000)), monkeypatch)
    assert [(row.url, row.html, row.input) for row in rows] == [
        (url(1), html(1), "-"),
        (url(2), html(2, 200_000), "-"),
    ]
    assert [row.offset for row in rows] == [0, len(pack(page(1)))]
    assert [row.text for row in read_stdin(pack(LINE + LINE), monkeypatch)] == ["x", "x"]


@pytest.mark.parametrize("suffix", CODECS)
def test_damage_in_a_stream(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be mended without going far back is, as in a file."""
    pack = CODECS[suffix]
    bad = warcs.record("response", warcs.http(html(5)), "http://bad/", length=600)
    data = pack(page(1)) + b"garbage" * 50 + pack(page(2)) + pack(bad) + pack(page(3)) + pack(page(4))[:-60]
    rows = read_stdin(data, monkeypatch)
    assert [row.reason or row.url for row in rows[:-1]] == [url(1), "garbage", url(2), "bad-length", url(3)]
    if suffix in ("", ".gz"):
        assert (rows[-1].url, rows[-1].truncated) == (url(4), "end")
        assert html(4).startswith(rows[-1].html or b"?")
    else:
        assert rows[-1].reason == "truncated"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "-: the file is empty"),
        (b"hello", "-: not a format"),
        (b"PAR1....", "must be WARC, ARC or JSONL; save parquet"),
    ],
)
def test_stdin_that_cannot_be_read(data: bytes, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=message):
        read_stdin(data, monkeypatch)


def test_stdin_of_a_process() -> None:
    code = (
        "from pagekin.readers import expand, read_input\nprint([r.url for r in read_input(expand(['-'])[0])])"
    )
    data = b"".join(warcs.gz(page(number, 20_000)) for number in range(50))
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        out, _ = process.communicate(data)
    assert out.decode().strip() == str([url(number) for number in range(50)])


def test_stdin_stays_open(monkeypatch: pytest.MonkeyPatch) -> None:
    read_stdin(page(1), monkeypatch)
    assert not sys.stdin.closed
    assert not sys.stdin.buffer.closed


def test_named_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (source,) = expand([str(pipe)])
    assert source.format == "stream"
    writer = threading.Thread(target=pipe.write_bytes, args=(warcs.gz(page(1)) + warcs.gz(page(2, 300_000)),))
    writer.start()
    rows = list(read_input(source))
    writer.join()
    assert [row.html for row in rows] == [html(1), html(2, 300_000)]


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.store.clear()
    system.pseudo_dirs[:] = [""]


def test_remote_files(tmp_path: Path, memory: Any) -> None:
    path = warcs.write(tmp_path, "a.warc.gz", [page(1), page(2)])
    local = list(read_input(expand([str(path)])[0]))
    memory.pipe("/crawl/a.warc.gz", path.read_bytes())
    for name in (f"file://{path}", "memory://crawl/a.warc.gz"):
        (source,) = expand([name])
        rows = list(read_input(source))
        assert [(row.url, row.html, row.offset) for row in rows] == [
            (row.url, row.html, row.offset) for row in local
        ]
        assert {row.input for row in rows} == {name}
        assert list(read_input(source, after=rows[0].position)) == rows[1:]


def test_remote_folders_and_globs(tmp_path: Path, memory: Any) -> None:
    warcs.write_zip(tmp_path / "p.zip", {"h/a.html": html(5)})
    files = {
        "/crawl/b.warc": page(1),
        "/crawl/a/x.jsonl": LINE,
        "/crawl/h/p.html": html(3),
        "/crawl/p.zip": (tmp_path / "p.zip").read_bytes(),
        "/crawl/sniff": page(4),
    }
    for name, data in files.items():
        memory.pipe(name, data)
    found = expand(["memory://crawl"])
    assert [(source.path, source.format) for source in found] == [
        ("memory://crawl/a/x.jsonl", "jsonl"),
        ("memory://crawl/b.warc", "warc"),
        ("memory://crawl/p.zip", "zip"),
        ("memory://crawl", "html"),
    ]
    rows = [row for source in found for row in read_input(source) if row.reason is None]
    assert [row.url for row in rows] == [
        "http://a/",
        url(1),
        "http://h/a.html",
        "http://h/p.html",
        "http://crawl/sniff",
    ][:4]
    assert [source.format for source in expand(["memory://crawl/b*", "memory://crawl/sniff"])] == [
        "warc",
        "warc",
    ]


@pytest.mark.parametrize(
    "name", ["memory://nothing/a.warc", "memory://nothing/*.warc", "nosuchscheme://a/b.warc"]
)
def test_remote_paths_that_are_not_there(name: str, memory: Any) -> None:
    with pytest.raises(InputError, match=name.partition("*")[0]):
        expand([name])


class Failing(io.BytesIO):
    """A file on a disk that gives up."""

    def __init__(self, data: bytes, good: int, error: BaseException) -> None:
        super().__init__(data)
        self._good = good
        self._error = error

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._good - self.tell()
        if left <= 0:
            raise self._error
        return super().read(left if size is None or size < 0 else min(size, left))


@pytest.mark.parametrize("error", [OSError(5, "Input/output error"), ValueError("the network is down")])
@pytest.mark.parametrize(
    ("suffix", "form"), [*((f".warc{suffix}", "warc") for suffix in CODECS), (".jsonl", "jsonl")]
)
def test_errors_while_reading(
    suffix: str, form: str, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack = CODECS.get(Path(suffix).suffix, warcs.plain)
    parts = [LINE] * 30_000 if form == "jsonl" else [pack(page(number, 20_000)) for number in range(200)]
    data = b"".join(parts)
    good = len(data) // 2
    monkeypatch.setattr(source_module, "open_file", lambda path: Failing(data, good, error))
    rows = list(read_input(Input(1, f"a{suffix}", form)))
    assert [row.reason for row in rows[:-1]] == [None] * (len(rows) - 1)
    assert len(rows) > 5
    assert rows[-1].reason == "unreadable"
    assert str(error) in (rows[-1].detail or "")
    assert [row.page for row in rows] == [1 << 40 | number for number in range(len(rows))]


@pytest.mark.parametrize("suffix", CODECS)
def test_interrupts_pass(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"".join(CODECS[suffix](page(number)) for number in range(900))
    monkeypatch.setattr(
        source_module, "open_file", lambda path: Failing(data, len(data) // 2, KeyboardInterrupt())
    )
    with pytest.raises(KeyboardInterrupt):
        list(read_input(Input(0, f"a.warc{suffix}", "warc"), ReadParams()))


def test_a_reader_may_be_left_before_its_end(tmp_path: Path) -> None:
    for suffix in CODECS:
        path = warcs.write(tmp_path, f"a.warc{suffix}", [page(number) for number in range(20)])
        records = read_input(Input(0, str(path), "warc"))
        assert next(records).url == url(0)
        records.close()  # type: ignore[attr-defined]
