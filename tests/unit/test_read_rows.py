"""JSONL and Parquet: rows to records."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import warcs
from warcs import CODECS

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, Record, expand, read_input

UTF8 = "text/html; charset=utf-8"


def read_lines(folder: Path, data: bytes, suffix: str = "", params: ReadParams | None = None) -> list[Record]:
    path = folder / f"a.jsonl{suffix}"
    path.write_bytes(data)
    return list(read_input(Input(0, str(path), "jsonl"), params or ReadParams()))


def read_row(folder: Path, row: dict[str, Any], params: ReadParams | None = None) -> Record:
    (found,) = read_lines(folder, json.dumps(row).encode(), params=params)
    return found


def read_table(folder: Path, columns: dict[str, Any], **options: Any) -> list[Record]:
    pq.write_table(pa.table(columns), folder / "a.parquet", **options)
    return list(read_input(Input(0, str(folder / "a.parquet"), "parquet")))


def test_all_columns(tmp_path: Path) -> None:
    row = read_row(
        tmp_path,
        {
            "url": " http://a/ ",
            "html": "<p>é",
            "text": "not used",
            "ip": "192.0.2.1",
            "status": 200,
            "date": "2024-05-06T07:08:09Z",
            "content_type": "text/html; charset=iso-8859-1",
            "more": [1],
        },
    )
    assert row == Record(
        page=0,
        url="http://a/",
        html="<p>é".encode(),
        text=None,
        content_type=UTF8,
        ip="192.0.2.1",
        status=200,
        date=datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC),
        input=str(tmp_path / "a.jsonl"),
        offset=0,
    )


def test_text_only(tmp_path: Path) -> None:
    row = read_row(tmp_path, {"url": "http://a/", "html": None, "text": "Grüße"})
    assert (row.reason, row.html, row.text, row.content_type) == (None, None, "Grüße", None)
    row = read_row(tmp_path, {"url": "http://a/", "html": "", "text": "words"})
    assert (row.html, row.text) == (None, "words")
    assert read_row(tmp_path, {"url": "http://a/", "html": ""}).html == b""
    assert read_row(tmp_path, {"url": "http://a/", "text": ""}).text == ""


def test_a_string_is_utf8_whatever_the_page_declares(tmp_path: Path) -> None:
    row = read_row(tmp_path, {"url": "http://a/", "html": '<meta charset="koi8-r">я'})
    assert row.html == '<meta charset="koi8-r">я'.encode()
    assert row.content_type == UTF8
    row = read_row(tmp_path, {"url": "http://a/", "html": "<p>", "content_type": "application/xhtml+xml"})
    assert row.content_type == "application/xhtml+xml; charset=utf-8"


@pytest.mark.parametrize(
    ("row", "reason", "detail"),
    [
        ({"url": "http://a/"}, "no-content", None),
        ({"url": "http://a/", "html": 5}, "no-content", "html is int, not a string"),
        ({"url": "http://a/", "text": ["x"]}, "no-content", "text is list, not a string"),
        ({"html": "<p>"}, "no-url", None),
        ({"html": "<p>", "id": True}, "no-url", None),
        ({"url": "  ", "html": "<p>"}, "no-url", None),
        ({"url": 7, "html": "<p>"}, "no-url", None),
        ({"url": "http://a/", "html": "<p>", "status": 404}, "status", "404"),
        ({"url": "http://a/", "html": "<p>", "status": "500"}, "status", "500"),
        (
            {"url": "http://a/", "html": "%PDF", "content_type": "application/pdf"},
            "not-html",
            "application/pdf",
        ),
        ({"url": "http://a/", "html": "x" * 101}, "too-large", "101 bytes"),
        ({"url": "http://a/", "text": "x" * 101}, "too-large", "101 bytes"),
        ({"url": "http://a/", "text": "é" * 51}, "too-large", "102 bytes"),
    ],
)
def test_why_not_a_page(tmp_path: Path, row: dict[str, Any], reason: str, detail: str | None) -> None:
    found = read_row(tmp_path, row, ReadParams(max_page_bytes=100))
    assert (found.reason, found.detail, found.html, found.text) == (reason, detail, None, None)


@pytest.mark.parametrize("status", [None, 200, "200", 99, 10**30, "x", 2.5, float("inf"), True, [], {}])
def test_odd_statuses_are_no_status(tmp_path: Path, status: object) -> None:
    row = read_row(tmp_path, {"url": "http://a/", "html": "<p>", "status": status})
    assert (row.reason, row.status) == (None, 200 if status in (200, "200") else None)


def test_keep_errors(tmp_path: Path) -> None:
    row = read_row(tmp_path, {"url": "http://a/", "html": "<p>", "status": 404}, ReadParams(keep_errors=True))
    assert (row.reason, row.status) == (None, 404)


@pytest.mark.parametrize(
    "line", [b"{", b"[1]", b"5", b"null", b'"x"', b"\xff\xfe", b"[" * 100_000, b"{'url': 1}"]
)
def test_bad_json(tmp_path: Path, line: bytes) -> None:
    good = json.dumps({"url": "http://a/", "text": "x"}).encode()
    rows = read_lines(tmp_path, line + b"\n" + good + b"\n")
    assert [row.reason for row in rows] == ["bad-json", None]
    assert rows[0].detail


def test_lone_surrogates(tmp_path: Path) -> None:
    (row,) = read_lines(tmp_path, b'{"url": "http://a/", "html": "<p>\\ud800"}')
    assert row.html == b"<p>?"
    (row,) = read_lines(tmp_path, b'{"url": "http://\\udfff/", "text": "x\\ud800"}')
    assert f"{row.url} {row.text}".encode()


@pytest.mark.parametrize("suffix", CODECS)
def test_lines_and_offsets(tmp_path: Path, suffix: str) -> None:
    lines = [json.dumps({"url": f"http://a/{number}", "text": "x" * number}) for number in (3, 5000, 10)]
    data = "\ufeff" + lines[0] + "\r\n\n \n" + lines[1] + "\n" + lines[2]
    rows = read_lines(tmp_path, CODECS[suffix](data.encode()), suffix)
    assert [row.url for row in rows] == ["http://a/3", "http://a/5000", "http://a/10"]
    assert [row.page for row in rows] == [0, 1, 2]
    places = [0, *(data.encode().index(line.encode()) for line in lines[1:])]
    assert [row.offset for row in rows] == places


@pytest.mark.parametrize("suffix", [".gz", ".zst", ".lz4"])
def test_cut_and_damaged_files(tmp_path: Path, suffix: str) -> None:
    lines = [
        json.dumps({"url": f"http://a/{number}", "text": warcs.html(number).decode()})
        for number in range(300)
    ]
    packed = CODECS[suffix]("\n".join(lines).encode())
    found = set()
    for data in (
        packed[:-200],
        packed[:-3],
        packed[: len(packed) // 2],
        packed[:-2000] + b"\0" * 2000,
        packed + b"x" * 50,
    ):
        rows = read_lines(tmp_path, data, suffix)
        urls = [row.url for row in rows[:-1]]
        assert urls == [f"http://a/{number}" for number in range(len(urls))]
        found.add(rows[-1].reason)
    assert found <= {"truncated", "corrupt", None}
    assert "truncated" in found
    assert read_lines(tmp_path, packed + packed, suffix)[-1].reason is None


def test_gzip_with_padding(tmp_path: Path) -> None:
    line = json.dumps({"url": "http://a/", "text": "x"}).encode() + b"\n"
    data = warcs.gz(line) + warcs.gz(line) + b"\0" * 100_000
    assert [row.reason for row in read_lines(tmp_path, data, ".gz")] == [None, None]


def test_a_last_line_that_was_being_written(tmp_path: Path) -> None:
    good = json.dumps({"url": "http://a/", "text": "x"}).encode()
    assert [row.reason for row in read_lines(tmp_path, good + b"\n" + good[:-4])] == [None, "truncated"]
    assert [row.reason for row in read_lines(tmp_path, good + b"\n" + good)] == [None, None]


@pytest.mark.parametrize("suffix", CODECS)
def test_long_lines_are_not_held(tmp_path: Path, suffix: str) -> None:
    good = json.dumps({"url": "http://a/", "text": "x"}).encode() + b"\n"
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(
        CODECS[suffix](good + b'{"url": "http://b/", "html": "' + b"y" * (50 << 20) + b'"}\n' + good)
    )
    tracemalloc.start()
    try:
        rows = list(read_input(Input(0, str(path), "jsonl"), ReadParams(max_page_bytes=1 << 20)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [row.reason for row in rows] == [None, "too-large", None]
    assert peak < 16 << 20


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string())],
)
def test_parquet_types(tmp_path: Path, kind: pa.DataType) -> None:
    html = pa.array([b"<p>1", None, b"<p>3"], pa.binary()).cast(pa.string())
    rows = read_table(
        tmp_path,
        {
            "html": html.dictionary_encode() if pa.types.is_dictionary(kind) else html.cast(kind),
            "url": ["http://a/1", "http://a/2", "http://a/3"],
            "status": [200, 200, 404],
            "more": [1, 2, 3],
        },
    )
    assert [row.reason for row in rows] == [None, "no-content", "status"]
    assert rows[0].html == b"<p>1"
    assert rows[0].content_type == (
        None if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) else UTF8
    )
    assert [row.offset for row in rows] == [0, 1, 2]


@pytest.mark.parametrize(
    ("dates", "wanted"),
    [
        (pa.array([datetime(2024, 5, 6, 7)], pa.timestamp("ns")), datetime(2024, 5, 6, 7, tzinfo=UTC)),
        (
            pa.array([1715000000123456789], pa.timestamp("ns", "Asia/Tokyo")),
            datetime(2024, 5, 6, 12, 53, 20, 123456, UTC),
        ),
        (pa.array([date(2024, 5, 6)]), datetime(2024, 5, 6, tzinfo=UTC)),
        (pa.array(["2024-05-06T07:08:09Z"]), datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        (pa.array([2**62], pa.timestamp("us")), None),
        (pa.array([20240506]), None),
        (pa.array([None], pa.timestamp("us")), None),
    ],
)
def test_parquet_dates(tmp_path: Path, dates: Any, wanted: datetime | None) -> None:
    (row,) = read_table(tmp_path, {"url": ["http://a/"], "text": ["x"], "date": dates})
    assert (row.reason, row.date, row.text) == (None, wanted, "x")


def test_parquet_strings_that_are_not_utf8(tmp_path: Path) -> None:
    bad = pa.array([b"\xff\xfe<p>"], pa.binary()).view(pa.string())
    (row,) = read_table(tmp_path, {"url": bad, "html": bad, "text": bad})
    assert (row.url, row.html) == ("\ufffd\ufffd<p>", b"\xff\xfe<p>")


@pytest.mark.parametrize("name", ["status", "date", "ip", "content_type", "id"])
@pytest.mark.parametrize(
    "odd",
    [
        pa.array([2**62], pa.duration("s")),
        pa.array([[2**62]], pa.list_(pa.timestamp("us"))),
        pa.array([[b"\xff"]], pa.list_(pa.binary())).view(pa.list_(pa.string())),
    ],
    ids=["duration", "dates", "strings"],
)
def test_parquet_values_that_python_cannot_hold(tmp_path: Path, name: str, odd: pa.Array) -> None:
    both = pa.chunked_array([odd, pa.array([None], odd.type)])
    rows = read_table(tmp_path, {"url": ["http://a/", "http://b/"], "html": ["<p>a", "<p>b"], name: both})
    assert [row.html for row in rows] == [b"<p>a", b"<p>b"]


@pytest.mark.parametrize(
    ("row", "url", "name"),
    [
        ({"id": "d-1", "url": "http://a/"}, "http://a/", "d-1"),
        ({"id": " d-1 "}, "d-1", "d-1"),
        ({"id": 17}, "17", "17"),
        ({"url": "http://a/", "id": [1]}, "http://a/", None),
    ],
)
def test_rows_may_have_ids(row: dict[str, Any], url: str, name: str | None, tmp_path: Path) -> None:
    """A row without a URL goes by its id."""
    found = read_row(tmp_path, {**row, "text": "x"})
    assert (found.reason, found.url, found.id) == (None, url, name)


def test_parquet_ids(tmp_path: Path) -> None:
    bad = pa.array([b"\xff"], pa.binary()).view(pa.string())
    for ids, name in ((["d-1"], "d-1"), ([5], "5"), (bad, "\ufffd"), ([{"a": 1}], None)):
        (row,) = read_table(tmp_path, {"url": ["http://a/"], "text": ["x"], "id": ids})
        assert (row.url, row.id) == ("http://a/", name)


def test_parquet_needs_its_columns(tmp_path: Path) -> None:
    for columns, message in (
        (
            {"uri": ["x"], "html": ["y"]},
            "url and html .or text., or filename and offset for an index; rename them, it has: uri, html",
        ),
        ({"url": ["x"], "body": ["y"]}, "it has: url, body"),
        ({"url": ["x"], "html": [5]}, "the column html must hold strings, not int64"),
    ):
        with pytest.raises(InputError, match=message):
            read_table(tmp_path, columns)
        with pytest.raises(InputError, match=message):
            expand([str(tmp_path / "a.parquet")])


def test_damaged_parquet(tmp_path: Path) -> None:
    """A broken row group costs its rows; a broken file is unreadable."""
    columns = {
        "url": [f"http://a/{number}" for number in range(9)],
        "text": [str(number) * 1000 for number in range(9)],
    }
    assert len(read_table(tmp_path, columns, row_group_size=3, compression="zstd", use_dictionary=False)) == 9
    path = tmp_path / "a.parquet"
    data = path.read_bytes()
    group = pq.ParquetFile(path).metadata.row_group(1)
    start = group.column(1).data_page_offset
    path.write_bytes(data[:start] + b"\xff" * 40 + data[start + 40 :])
    rows = list(read_input(Input(0, str(path), "parquet")))
    assert [row.reason for row in rows] == [None] * 3 + ["unreadable"] + [None] * 3
    assert [row.offset for row in rows] == [0, 1, 2, 3, 6, 7, 8]
    assert [row.page for row in rows] == list(range(7))
    assert (rows[3].detail or "").startswith("rows 3 to 5: ")
    for row in rows:
        assert list(read_input(Input(0, str(path), "parquet"), after=row.position)) == rows[row.page + 1 :]
    path.write_bytes(data[:-20])
    assert [row.reason for row in read_input(Input(0, str(path), "parquet"))] == ["unreadable"]
    assert [source.format for source in expand([str(path)])] == ["parquet"]


def test_a_parquet_file_that_is_cut_while_it_is_read(tmp_path: Path) -> None:
    """Arrow gives fewer rows than there are, and no error: all that came after was lost without a word."""
    path = tmp_path / "a.parquet"
    table = pa.table(
        {"url": [f"http://a.example/{n}" for n in range(2000)], "html": [b"<p>%d" % n for n in range(2000)]}
    )
    pq.write_table(table, path, row_group_size=50, compression="none", use_dictionary=False)
    reading = read_input(Input(0, str(path), "parquet"))
    rows = [next(reading)]
    os.truncate(path, path.stat().st_size // 2)
    rows += reading
    assert rows[-1].reason == "unreadable"
    assert (rows[-1].detail or "").startswith("rows 1950 to 1999: ")
    lost = [row for row in rows if row.reason]
    assert len(rows) - len(lost) + sum(_span(row.detail or "") for row in lost) == 2000
    assert any((row.detail or "").endswith("the file ends before them") for row in lost)


def _span(detail: str) -> int:
    """How many rows `rows A to B: ...` are."""
    first, last = detail.removeprefix("rows ").partition(":")[0].split(" to ")
    return int(last) - int(first) + 1


@pytest.mark.parametrize("form", ["parquet", "parquet-index"])
def test_a_file_that_is_no_parquet_has_one_row(tmp_path: Path, form: str) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing else")
    source = Input(0, str(tmp_path / "a.parquet"), form)
    (row,) = read_input(source)
    assert row.reason == "unreadable"
    assert list(read_input(source, ReadParams(), row.position)) == []


@pytest.mark.parametrize(("name", "which"), [(b"h\xffml", 1), (b"h\xffml", -1), (b"othe", 1)])
def test_damaged_names_of_columns(tmp_path: Path, name: bytes, which: int) -> None:
    """A Parquet file has its names several times: in the schema, and with each column's data."""
    out = pa.BufferOutputStream()
    pq.write_table(pa.table({"url": ["http://a/"] * 9, "html": [b"<p>x"] * 9}), out, store_schema=False)
    parts = out.getvalue().to_pybytes().split(b"html")
    assert len(parts) > 2
    damaged = b"html".join(parts[:which]) + name + b"html".join(parts[which:])
    (tmp_path / "a.parquet").write_bytes(damaged)
    (row,) = read_input(Input(0, str(tmp_path / "a.parquet"), "parquet"))
    assert row.reason == "unreadable"


def test_columns_that_contradict_their_counts(tmp_path: Path) -> None:
    """A column that may not be null, with a count of nulls: pyarrow ends the process when asked about it."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"url": ["http://a.example/"] * 9, "html": [b"<p>x"] * 9}), path)
    nullable, required = b"\x25\x02\x18\x03url", b"\x25\x00\x18\x03url"
    data = path.read_bytes()
    assert nullable in data
    path.write_bytes(data.replace(nullable, required))
    code = """if True:
        import sys
        from pagekin.readers import Input, ReadParams, read_input
        for row in read_input(Input(0, sys.argv[1], "parquet"), ReadParams()):
            print(row.reason)
    """
    found = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout == "unreadable\n"
