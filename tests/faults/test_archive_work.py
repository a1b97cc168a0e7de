"""ARC files and indexes made to hurt their readers: the work grows with what is stored, not faster."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import warcs
from faults.growth import MIB, grows, liar, one_frame, plain, work_of
from warcs import http, page, record

from pagekin.readers import Input, ReadParams, read_input


def arc_line(number: int, length: int, name: str = "http://a.example/") -> bytes:
    return f"{name}{number} 192.0.2.1 20040506070809 text/html {length}\n".encode()


def arc_liar(number: int, length: int) -> bytes:
    return arc_line(number, length) + http(b"<p>%d</p>" % number) + b"\n"


ARCS: dict[str, Callable[[int], bytes]] = {
    "lengths that reach into others": lambda count: b"".join(arc_liar(n, 3 * MIB) for n in range(count)),
    "lengths beyond the file": lambda count: b"".join(arc_liar(n, 10**12) for n in range(count)),
    "lines of fields": lambda count: (b"a:" + b" 11 11111111" * 680 + b"\n") * (count // 20),
    "lines without an end": lambda count: b"a:b c " * (20 * count),
    "lines that begin often": lambda count: b"a:\n" * (20 * count),
}


@pytest.mark.parametrize(("suffix", "pack"), [("", plain), (".gz", one_frame)])
@pytest.mark.parametrize("kind", ARCS)
def test_arc_files(tmp_path: Path, kind: str, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    start = b"filedesc://a.arc 0.0.0.0 20040506070809 text/plain 5\n1 0 X\n\n"

    def make(count: int) -> bytes:
        return start + ARCS[kind](count) + b"\n" + arc_line(1, 5) + b"words\n"

    rows = grows(tmp_path, f"a.arc{suffix}", make, 300, 60, pack)
    assert rows[-1].url == "http://a.example/1"


@pytest.mark.parametrize(("suffix", "pack"), [("", plain), (".gz", one_frame)])
def test_arc_lengths_of_many_megabytes(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    """So much is held for each of many records, and must not be copied for each."""

    def make(count: int) -> bytes:
        return (arc_line(1, 8 * MIB) + b"x" * 4000 + b"\n") * count + b"\0" * (8 * MIB)

    rows = grows(tmp_path, f"a.arc{suffix}", make, 1000, 15, pack)
    assert {row.reason for row in rows} == {"bad-length"}


def test_damaged_arc_members(tmp_path: Path) -> None:
    def members(count: int) -> bytes:
        return b"".join(one_frame(arc_liar(number, 200_000)) for number in range(count))

    grows(tmp_path, "a.arc.gz", members, 300, 400)
    start = one_frame(arc_liar(1, 100))[:-9]
    grows(tmp_path, "a.arc.gz", lambda count: start + b"\x1f\x8b\x08\x08aaaaaa" * count, 10_000, 300)
    grows(tmp_path, "a.arc.gz", lambda count: one_frame(b"") * count + start, 3000, 100)


def test_an_arc_line_without_a_type(tmp_path: Path) -> None:
    (tmp_path / "a.arc").write_bytes(b"http://a.example/ 192.0.2.1 20040506070809   5\nwords\n")
    assert [row.url for row in work_of(tmp_path / "a.arc", "arc")[1]] == ["http://a.example/"]


@pytest.mark.parametrize("length", ["", ', "length": 60000000'])
@pytest.mark.parametrize("content", ["one record", "no record", "records in records"])
def test_an_index_costs_its_files(tmp_path: Path, length: str, content: str) -> None:
    """Each of many short lines names all that there is of a large file."""
    size = 16 * MIB
    match content:
        case "one record":
            data = record("response", http(b"<p>" + b"x" * size), warcs.url(1))
        case "no record":
            data = b"\0" * size
        case _:
            data = b"".join(liar(number, size // 2) for number in range(1000)) + b"\0" * size
    (tmp_path / "a.warc").write_bytes(data)
    works = []
    for count in (20, 80):
        line = f'{{"filename": "a.warc", "offset": 0{length}}}\n'
        (tmp_path / "a.cdxj").write_text(line * count)
        work, rows = work_of(tmp_path / "a.cdxj", "cdx")
        works.append(work)
        assert len(rows) == count
        rest = list(read_input(Input(0, str(tmp_path / "a.cdxj"), "cdx"), ReadParams(), rows[15].position))
        assert rest == rows[16:]
    assert works[1] < works[0] + 60 * 2 * MIB
    if content == "one record":
        assert rows[0].reason is None
        assert (rows[-1].reason, rows[-1].detail) == (
            "bad-index",
            "a.warc: the index names more of it than there is",
        )


def test_an_index_of_records_one_by_one(tmp_path: Path) -> None:
    """Without lengths too, every record of a file may be named, and twice."""
    lines, data = [], b""
    for number in range(500):
        lines.append(json.dumps({"filename": "a.warc", "offset": len(data), "url": warcs.url(number)}))
        data += page(number)
    (tmp_path / "a.warc").write_bytes(data)
    (tmp_path / "a.cdxj").write_text("\n".join(lines * 2))
    rows = work_of(tmp_path / "a.cdxj", "cdx")[1]
    assert [row.reason for row in rows] == [None] * 1000
