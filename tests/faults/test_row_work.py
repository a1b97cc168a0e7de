"""JSONL, zips and Parquet made to hurt a reader: the work grows with their size, not faster."""

from __future__ import annotations

import gzip
import json
import struct
import zlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import warcs
from faults.growth import MIB, grows, liar, work_of
from warcs import page

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, batches, expand, read_input
from pagekin.readers.rows import MAX_NAME


def test_gzip_members_of_jsonl(tmp_path: Path) -> None:
    def make(count: int) -> bytes:
        row = gzip.compress(b'{"url": "http://a.example/", "html": "<p>"}\n', mtime=0)
        return row + gzip.compress(b"", mtime=0) * count + row

    rows = grows(tmp_path, "a.jsonl.gz", make, 5000, 100)
    assert [row.reason for row in rows] == [None, None]


@pytest.mark.parametrize("unit", [b"[],", b"{},", b'"ab",', b"1.5,"])
def test_lines_of_many_values(tmp_path: Path, unit: bytes) -> None:
    """They would need 20 times their size in memory."""
    path = tmp_path / "a.jsonl"
    line = b'{"url": "http://a.example/", "html": "<p>", "x": [' + unit * 1_100_000 + b"0]}\n"
    fine = b'{"url": "http://a.example/", "html": "' + b"[{,},]," * 400_000 + b'"}\n'
    path.write_bytes(line + fine)
    rows = list(read_input(Input(0, str(path), "jsonl"), ReadParams()))
    assert [(row.reason, row.detail) for row in rows] == [
        ("bad-json", "more than 1,000,000 values"),
        (None, None),
    ]


@pytest.mark.parametrize("name", ["url", "ip", "date", "content_type", "id"])
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_names_are_not_as_long_as_pages(tmp_path: Path, form: str, name: str) -> None:
    """Hundreds of rows are held at once: 40 URLs of 30 MB took 5 GB."""
    row = {"url": "http://a.example/", "html": "<p>", "content_type": "text/html"}
    rows = [row | {name: "x" * (MAX_NAME + 1)}, row]
    path = tmp_path / f"a.{form}"
    if form == "jsonl":
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    found = list(read_input(Input(0, str(path), form), ReadParams()))
    assert [(one.reason, one.detail) for one in found] == [
        ("too-large", f"{name} has more than 65536 characters"),
        (None, None),
    ]
    assert found[0].url is None


def test_long_names_make_small_batches(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    row = {"html": "<p>", "id": "i" * MAX_NAME, "ip": "1" * MAX_NAME, "content_type": "text/html"}
    with path.open("w") as file:
        for number in range(300):
            file.write(json.dumps(row | {"url": f"http://a.example/{number:065000}"}) + "\n")
    made = list(batches(read_input(Input(0, str(path), "jsonl"), ReadParams()), max_bytes=MIB))
    assert sum(batch.num_rows for batch in made) == 300
    assert max(batch.nbytes for batch in made) < 2 * MIB


def test_deep_and_strange_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    deep = b'{"url": "http://a.example/", "html": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    digits = b'{"url": "http://a.example/", "html": "<p>", "status": ' + b"9" * 1_000_000 + b"}\n"
    path.write_bytes(deep + digits)
    rows = list(read_input(Input(0, str(path), "jsonl"), ReadParams()))
    assert [row.reason for row in rows] == ["bad-json", "bad-json"]


def test_deflated_members_of_a_wacz_are_read_once(tmp_path: Path) -> None:
    works = []
    for count in (500, 2000):
        liars = b"".join(liar(number, 100_000) for number in range(count)) + b"\0" * MIB
        path = warcs.write_wacz(tmp_path / "a.wacz", {"a.warc": liars}, compress=True)
        works.append(work_of(path, "wacz")[0])
    assert works[1] < works[0] * 4.5


@pytest.mark.parametrize("form", ["zip", "wacz"])
def test_zip_members_that_share_their_bytes(tmp_path: Path, form: str) -> None:
    """One member's bytes under a thousand names unpack to a thousand times their size."""
    data = bytearray()
    content = page(1) if form == "wacz" else warcs.html(1)
    packed = zlib.compress(content, 9)[2:-4]
    name = b"archive/0000.warc" if form == "wacz" else b"0000.html"
    method = 0 if form == "wacz" else 8
    stored = content if form == "wacz" else packed
    fixed = struct.pack(
        "<HHHHHIIIHH", 20, 0, method, 0, 33, zlib.crc32(content), len(stored), len(content), len(name), 0
    )
    data += b"PK\3\4" + fixed + name + stored
    begin = len(data)
    for number in range(1000):
        other = name.replace(b"0000", b"%04d" % number)
        data += b"PK\1\2" + struct.pack("<H", 20) + fixed + struct.pack("<HHHII", 0, 0, 0, 0, 0) + other
    data += b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1000, 1000, len(data) - begin, begin, 0)
    path = tmp_path / f"a.{form}"
    path.write_bytes(data)
    rows = list(read_input(Input(0, str(path), form), ReadParams()))
    assert len(rows) == 1000
    assert {row.reason for row in rows} == {"unreadable"}
    assert rows[1].detail is not None
    assert rows[1].detail.endswith("the member shares its bytes with another one")


def test_one_page_stored_once_and_named_often(tmp_path: Path) -> None:
    """Parquet can store a value once for all rows: it is held once, however many rows have it."""
    rows, size = 500, 4 * MIB
    page_of_all = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([b"x" * size]))
    table = pa.table({"url": [f"http://a.example/{row}" for row in range(rows)], "html": page_of_all})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, compression="zstd")
    assert path.stat().st_size < 100_000
    before, most = pa.total_allocated_bytes(), 0
    for row in read_input(Input(0, str(path), "parquet"), ReadParams()):
        assert row.html is not None
        assert len(row.html) == size
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < 20 * size


@pytest.mark.parametrize("names", [["url", "url", "html"], ["filename", "url", "offset", "url"]])
def test_columns_that_come_twice(tmp_path: Path, names: list[str]) -> None:
    table = pa.Table.from_arrays([pa.array(["a"])] * len(names), names=names)
    pq.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(InputError, match="the column url is there more than once"):
        expand([str(tmp_path / "a.parquet")])
