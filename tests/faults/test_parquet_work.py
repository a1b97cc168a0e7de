"""Parquet files made to hurt a reader: a few stored bytes stand for much, in each way that there is."""

from __future__ import annotations

import random
import tracemalloc
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.readers import Input, ReadParams, Record, read_input
from pagekin.readers import parquet as parquet_module
from pagekin.readers.parquet_pages import Chunk, StoredPage, stored_pages

MIB = 1 << 20
SMALL = ReadParams(max_page_bytes=MIB)


def read(path: Path, params: ReadParams = SMALL) -> tuple[list[Record], int]:
    """The records, without what they hold, and how much Arrow held at once."""
    before, most, rows = pa.total_allocated_bytes(), 0, []
    for row in read_input(Input(0, str(path), "parquet"), params):
        most = max(most, pa.total_allocated_bytes() - before)
        row.html = row.text = None
        rows.append(row)
    return rows, most


def urls(count: int) -> list[str]:
    return [f"http://a.example/{number}" for number in range(count)]


@pytest.mark.parametrize("name", ["html", "id", "text"])
def test_one_piece_of_many_megabytes(tmp_path: Path, name: str) -> None:
    """Nothing of it can be read without all of it: 26 KB took 5 GB with --memory 512MiB."""
    table = pa.table({"url": urls(2), "html": ["<p>"] * 2} | {name: ["x" * (60 * MIB), "<p>"]})
    pq.write_table(table, tmp_path / "a.parquet", compression="zstd", use_dictionary=False)
    assert (tmp_path / "a.parquet").stat().st_size < 10_000
    rows, most = read(tmp_path / "a.parquet")
    assert [row.reason for row in rows] == ["unreadable"]
    assert (rows[0].detail or "").startswith("rows 0 to 1: a column is stored in pieces of 62914")
    assert (rows[0].detail or "").endswith("give more --memory")
    assert most < 8 * MIB


def test_large_pages_among_small_ones(tmp_path: Path) -> None:
    """The rows of a batch are as few as the largest allow, not as rows are on average."""
    large, small = "x" * (4 * MIB), "<p>small"
    table = pa.table({"url": urls(5_060), "html": [small] * 5_000 + [large] * 60})
    path = tmp_path / "a.parquet"
    pq.write_table(table, path, compression="zstd", use_dictionary=False, write_batch_size=1)
    rows, most = read(path)
    assert [row.reason for row in rows] == [None] * 5_000 + ["too-large"] * 60
    assert most < 40 * MIB


@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary()], ids=str)
def test_one_name_for_all_rows(tmp_path: Path, kind: pa.DataType) -> None:
    """A name is stored once, and named by number in each row: other columns than html do that too."""
    value = pa.array([b"x" * (8 * MIB)]).cast(kind)
    names = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), value)
    table = pa.table({"url": urls(1000), "html": ["<p>"] * 1000, "id": names})
    pq.write_table(table, tmp_path / "a.parquet", store_schema=False)  # else Arrow knows that it was one
    rows, most = read(tmp_path / "a.parquet")
    assert {(row.reason, row.detail) for row in rows} == {("too-large", "id has more than 65536 characters")}
    assert most < 60 * MIB


def test_values_of_one_large_size(tmp_path: Path) -> None:
    """Arrow writes these out for each row, whatever is stored."""
    value = pa.array([b"x" * MIB], pa.binary(MIB))
    names = pa.DictionaryArray.from_arrays(pa.array([0] * 1000, pa.int32()), value)
    pq.write_table(pa.table({"url": urls(1000), "html": ["<p>"] * 1000, "id": names}), tmp_path / "a.parquet")
    rows, most = read(tmp_path / "a.parquet")
    assert [(row.reason, row.detail) for row in rows] == [
        ("unreadable", "rows 0 to 999: a column has values of 1048576 bytes each, more than 65536")
    ]
    assert most < MIB


@pytest.mark.parametrize("name", ["status", "id", "date"])
def test_lists_are_left_alone(tmp_path: Path, name: str) -> None:
    """A thousand bytes are a list of a million numbers, which say nothing of a page."""
    column = pa.array([[0] * 1_000_000], pa.list_(pa.int8()))
    pq.write_table(pa.table({"url": urls(1), "html": ["<p>"], name: column}), tmp_path / "a.parquet")
    tracemalloc.start()
    try:
        rows, _ = read(tmp_path / "a.parquet")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [(row.reason, row.status, row.id, row.date) for row in rows] == [(None, None, None, None)]
    assert peak < 2 * MIB


def test_row_groups_that_share_their_bytes(tmp_path: Path) -> None:
    """A footer can name the same bytes a thousand times."""
    path, page = tmp_path / "a.parquet", "x" * 40_000
    with pq.ParquetWriter(path, pa.schema({"url": pa.string(), "html": pa.string()})) as writer:
        for _ in range(3):
            writer.write_table(pa.table({"url": urls(5), "html": [page] * 5}))
    chunks: dict[int, list[Chunk]] = parquet_module._layout(pq.ParquetFile(path))[1]
    assert not any(chunk.shared for group in chunks.values() for chunk in group)
    data = path.read_bytes()
    second, first = (
        pq.ParquetFile(path).metadata.row_group(group).column(1).dictionary_page_offset for group in (1, 0)
    )
    old, new = _offset(second), _offset(first)
    assert len(old) == len(new)
    assert old in data
    path.write_bytes(data.replace(old, new))
    rows, _ = read(path)
    assert [row.reason for row in rows] == [None] * 5 + ["unreadable"] + [None] * 5
    assert rows[5].detail == "rows 5 to 9: they share their bytes with other rows"


def _offset(value: int) -> bytes:
    """A number as a footer has it."""
    left, out = value * 2, bytearray()
    while left > 127:
        out.append(left & 127 | 128)
        left >>= 7
    return bytes([*out, left])


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_pieces_as_arrow_writes_them(tmp_path: Path, version: str, dictionary: bool) -> None:
    rng, path = random.Random(1), tmp_path / "a.parquet"
    pages = [rng.randbytes(rng.randrange(3000)) for _ in range(3000)]
    table = pa.table({"url": [f"u{number % 9}" for number in range(3000)], "html": pages})
    options = {"use_dictionary": dictionary, "data_page_version": version, "write_page_checksum": True}
    pq.write_table(table, path, row_group_size=1000, data_page_size=10_000, **options)
    data = path.read_bytes()
    metadata = pq.ParquetFile(path).metadata
    for group in range(3):
        for number in range(2):
            column = metadata.row_group(group).column(number)
            begin = column.dictionary_page_offset or column.data_page_offset
            found = list(stored_pages(BytesIO(data), Chunk(begin, column.total_compressed_size)))
            values = sum(page.values for page in found) - (found[0].values if dictionary else 0)
            assert values == column.num_values
            headers = column.total_uncompressed_size - sum(page.size for page in found)
            assert 0 < headers < 7000 * len(found)  # they hold the least and the largest value


def test_headers_that_are_none() -> None:
    rng = random.Random(2)
    assert list(stored_pages(BytesIO(b"\x15\x00\x15\x14\x15\x06\x00abc"), Chunk(0, 11))) == [
        StoredPage(10, 0)
    ]
    for _ in range(2000):
        data = rng.randbytes(rng.randrange(200))
        assert len(list(stored_pages(BytesIO(data), Chunk(0, 500)))) <= len(data)
    assert list(stored_pages(BytesIO(b"\x1c" * 5000), Chunk(0, 5000))) == []
    assert list(stored_pages(BytesIO(b"\x19\xff" * 5000), Chunk(0, 5000))) == []
