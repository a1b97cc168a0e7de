"""CDX, CDXJ and Parquet indexes: the records that they name, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import warcs
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from warcs import CODECS, gz, html, page, url

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, Record, expand, read_input

HEADER = " CDX N b a m s k r M S V g"


def warc(folder: Path, name: str = "a.warc.gz", numbers: range = range(6)) -> list[dict[str, Any]]:
    """A file of pages, and what an index says of them."""
    folder.mkdir(exist_ok=True)
    pack = CODECS[Path(name).suffix if Path(name).suffix in CODECS else ""]
    entries, data = [], b""
    for number in numbers:
        packed = pack(page(number))
        entries.append({"url": url(number), "filename": name, "offset": len(data), "length": len(packed)})
        data += packed
    (folder / name).write_bytes(data)
    return entries


def cdx(entry: dict[str, Any], mime: str = "text/html", status: str = "200") -> str:
    return (
        f"com,example)/ 20240506070809 {entry['url']} {mime} {status} DIGEST - - {entry['length']} "
        f"{entry['offset']} {entry['filename']}"
    )


def cdxj(entry: dict[str, Any], **more: Any) -> str:
    return f"com,example)/ 20240506070809 {json.dumps(entry | more)}"


def write(folder: Path, name: str, lines: list[str]) -> Path:
    path = folder / name
    data = "\n".join(lines).encode() + b"\n"
    path.write_bytes(gz(data) if name.endswith(".gz") else data)
    return path


def read(path: Path, **params: Any) -> list[Record]:
    (source,) = expand([str(path)])
    rows = list(read_input(source, ReadParams(**params)))
    assert [row.page for row in rows] == list(range(len(rows)))
    for number, row in enumerate(rows):
        assert list(read_input(source, ReadParams(**params), row.position)) == rows[number + 1 :]
    return rows


@pytest.mark.parametrize("name", ["a.cdx", "a.cdx.gz", "a.cdxj", "a.cdxj.gz", "a.parquet", "any", "other"])
def test_only_what_is_named_is_read(tmp_path: Path, name: str) -> None:
    entries = [entry for number, entry in enumerate(warc(tmp_path)) if number in (4, 1, 5)]
    if name == "a.parquet":
        pq.write_table(pa.Table.from_pylist(entries), tmp_path / name, row_group_size=2)
    elif "cdxj" in name or name == "other":
        write(tmp_path, name, ["!meta {}", *map(cdxj, entries)][name == "other" :])
    else:
        write(tmp_path, name, [HEADER, *map(cdx, entries)])
    rows = read(tmp_path / name)
    assert [(row.url, row.html) for row in rows] == [(url(n), html(n)) for n in (1, 4, 5)]
    assert {row.input for row in rows} == {str(tmp_path / name)}


@pytest.mark.parametrize("suffix", CODECS)
def test_every_kind_of_file(tmp_path: Path, suffix: str) -> None:
    entries = warc(tmp_path, f"a.warc{suffix}")
    for length in (True, False):
        chosen = [entry | ({} if length else {"length": None}) for entry in entries[2:4]]
        rows = read(write(tmp_path, "a.cdxj", list(map(cdxj, chosen))))
        assert [row.html for row in rows] == [html(2), html(3)]


def test_zstd_with_a_dictionary(tmp_path: Path) -> None:
    data = warcs.zst_with_dictionary([page(1)])
    (tmp_path / "a.warc.zst").write_bytes(data)
    begin = 8 + int.from_bytes(data[4:8], "little")
    entry = {"url": url(1), "filename": "a.warc.zst", "offset": begin, "length": len(data) - begin}
    assert [row.html for row in read(write(tmp_path, "a.cdxj", [cdxj(entry)]))] == [html(1)]


def test_arc_files(tmp_path: Path) -> None:
    block = warcs.http(html(1))
    record = f"{url(1)} 192.0.2.7 20080430204825 text/html {len(block)}\n".encode() + block + b"\n"
    (tmp_path / "a.arc.gz").write_bytes(gz(b"x") + gz(record))
    entry = {"url": url(1), "filename": "a.arc.gz", "offset": len(gz(b"x")), "length": len(gz(record))}
    assert [row.html for row in read(write(tmp_path, "a.cdx", [cdx(entry)]))] == [html(1)]


def test_what_the_index_rules_out_is_not_read(tmp_path: Path) -> None:
    """There is no such file, and nobody notices."""
    entry = {"url": url(1), "filename": "none.warc.gz", "offset": 0, "length": 500}
    lines = [
        cdx(entry, mime="image/png"),
        cdx(entry, status="404"),
        cdx(entry, mime="warc/revisit", status="-"),
        cdx(entry | {"length": 10**12}),
        cdx(entry, mime="-"),
    ]
    rows = read(write(tmp_path, "a.cdx", lines))
    assert [row.reason for row in rows] == ["not-html", "status", "revisit", "too-large", "unreadable"]
    assert {row.url for row in rows} == {url(1)}
    assert "none.warc.gz: No such file" in (rows[4].detail or "")


def test_lines_that_name_nothing(tmp_path: Path) -> None:
    (entry, *_) = warc(tmp_path)
    lines = [
        HEADER,
        "too few fields",
        cdx(entry | {"offset": "x"}),
        cdx(entry | {"offset": 10**9}),
        cdxj({"url": url(1)}),
        "com,example)/ 20240506070809 {not json}",
        "",
        cdx(entry),
    ]
    rows = read(write(tmp_path, "a.cdx", lines))
    assert [row.reason for row in rows] == [
        "bad-index",
        "bad-index",
        "truncated",
        "bad-index",
        "bad-index",
        None,
    ]


@pytest.mark.parametrize("form", ["cdx", "parquet-index"])
@pytest.mark.parametrize("name", ["filename", "url", "mime"])
def test_names_without_end(tmp_path: Path, form: str, name: str) -> None:
    """Hundreds of lines are held at once: their names may not be as long as pages."""
    row = {"filename": "a.warc", "offset": 0, "url": "http://a/", "mime": "text/html"}
    rows = [row | {name: "x" * 70_000}, row]
    path = tmp_path / "a.index"
    if form == "cdx":
        path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), path)
    (tmp_path / "a.warc").write_bytes(page(1))
    found = list(read_input(Input(0, str(path), form)))
    assert [(one.reason, one.detail) for one in found] == [
        ("bad-index", "a name has more than 65536 characters"),
        (None, None),
    ]


def test_names_that_are_no_text(tmp_path: Path) -> None:
    (entry,) = warc(tmp_path, numbers=range(1))
    odd = {"filename": "\ud800"}, {"filename": "\0"}, {"filename": "a" * 10_000}, {"url": "\ud800"}
    rows = read(write(tmp_path, "a.cdxj", [cdxj(entry, **more) for more in (*odd, {})]))
    assert [row.reason for row in rows[3:]] == [None, None]
    assert {row.reason for row in rows[:3]} <= {"bad-index", "unreadable"}


@pytest.mark.parametrize(
    "name",
    [
        "/etc/hostname",
        "../a.warc.gz",
        "x/../../a.warc.gz",
        "file:///etc/hostname",
        "x::file:///etc/hostname",
        "a\0",
    ],
)
def test_nothing_outside_the_base_is_read(tmp_path: Path, name: str) -> None:
    entry = {"url": url(1), "filename": name, "offset": 0, "length": 5}
    (tmp_path / "inner").mkdir()
    warc(tmp_path)
    (row,) = read(write(tmp_path / "inner", "a.cdxj", [cdxj(entry)]))
    assert row.reason == "bad-index"
    assert "is not below the folder of the index; see --base" in (row.detail or "")


@pytest.mark.parametrize("follow_links", [False, True])
def test_links_that_lead_out_are_left_out(tmp_path: Path, follow_links: bool) -> None:
    entries = warc(tmp_path / "secret")
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "b.warc.gz").symlink_to(tmp_path / "secret" / "a.warc.gz")
    index = folder / "i.cdxj"
    index.write_text("".join(json.dumps(entry | {"filename": "b.warc.gz"}) + "\n" for entry in entries))
    rows = list(read_input(Input(0, str(index), "cdx"), ReadParams(follow_links=follow_links)))
    if follow_links:
        assert [row.url for row in rows if row.reason is None] == [url(number) for number in range(6)]
    else:
        assert {row.reason for row in rows} == {"bad-index"}
        assert rows[0].detail == "b.warc.gz: leads out of the folder; --follow-links reads it"


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.warc")
    index = tmp_path / "i.cdxj"
    index.write_text(
        '{"filename": "a.warc", "offset": 0, "length": 9}\n{"filename": "a.warc", "offset": 0}\n'
    )
    rows = list(read_input(Input(0, str(index), "cdx"), ReadParams()))
    assert [row.reason for row in rows] == ["unreadable"] * 2


def test_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    entries = warc(tmp_path / "crawl")
    whole = [entry | {"filename": str(tmp_path / "crawl" / "a.warc.gz")} for entry in entries[:2]]
    path = write(tmp_path, "a.cdxj", list(map(cdxj, entries[2:4])) + list(map(cdxj, whole)))
    rows = read(path, base=str(tmp_path / "crawl"))
    assert [row.html for row in rows] == [html(n) for n in (2, 3, 0, 1)]
    assert [row.reason for row in read(path, base="crawl/")] == [None, None, "bad-index", "bad-index"]


@pytest.fixture
def memory() -> Iterator[Any]:
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/", recursive=True)


def test_ranges_of_remote_files(tmp_path: Path, memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a remote file, the bytes of the records are fetched and no others."""
    entries = warc(tmp_path)
    memory.pipe("/crawl/a.warc.gz", (tmp_path / "a.warc.gz").read_bytes())
    fetched = []
    cat_file = type(memory).cat_file

    def noted(self: Any, path: str, start: int, end: int, **options: Any) -> Any:
        fetched.append((start, end))
        return cat_file(self, path, start=start, end=end, **options)

    monkeypatch.setattr(type(memory), "cat_file", noted)
    monkeypatch.setattr(type(memory), "open", None)
    (source,) = expand([str(write(tmp_path, "a.cdxj", [cdxj(entries[3]), cdxj(entries[1])]))])
    rows = list(read_input(source, ReadParams(base="memory://crawl")))
    assert [row.html for row in rows] == [html(3), html(1)]
    assert fetched == [
        (entry["offset"], entry["offset"] + entry["length"]) for entry in (entries[3], entries[1])
    ]


def test_remote_failures_cost_their_records(tmp_path: Path, memory: Any) -> None:
    entries = warc(tmp_path)
    memory.pipe("/crawl/a.warc.gz", (tmp_path / "a.warc.gz").read_bytes())
    missing = entries[0] | {"filename": "b.warc.gz"}
    path = write(tmp_path, "a.cdxj", list(map(cdxj, [missing, entries[1]])))
    rows = read(path, base="memory://crawl/")
    assert [row.reason for row in rows] == ["unreadable", None]


def test_a_remote_index_names_files_beside_it(tmp_path: Path, memory: Any) -> None:
    entries = warc(tmp_path)
    memory.pipe("/crawl/a.warc.gz", (tmp_path / "a.warc.gz").read_bytes())
    memory.pipe("/crawl/a.cdxj", "\n".join(map(cdxj, entries)).encode())
    (source,) = expand(["memory://crawl/a.cdxj"])
    assert [row.html for row in read_input(source)] == [html(number) for number in range(6)]


def test_an_index_in_a_folder_is_left_alone(tmp_path: Path) -> None:
    """Its records are in the files beside it, which are read."""
    entries = warc(tmp_path / "crawl")
    write(tmp_path / "crawl", "a.cdx", list(map(cdx, entries)))
    pq.write_table(pa.Table.from_pylist(entries), tmp_path / "crawl" / "a.parquet")
    assert [Path(source.path).name for source in expand([str(tmp_path / "crawl")])] == ["a.warc.gz"]


def test_parquet_with_neither(tmp_path: Path) -> None:
    pq.write_table(pa.table({"url": ["x"], "filename": ["y"]}), tmp_path / "a.parquet")
    with pytest.raises(
        InputError, match="or filename and offset for an index; rename them, it has: url, filename"
    ):
        expand([str(tmp_path / "a.parquet")])


def test_the_columns_of_common_crawls_index(tmp_path: Path) -> None:
    entries = warc(tmp_path)
    table = pa.table(
        {
            "url": [entry["url"] for entry in entries],
            "fetch_status": pa.array([200, 200, 404, 200, 200, 200], pa.int16()),
            "content_mime_type": ["text/html", "application/pdf", None, None, "text/html", "text/html"],
            "warc_filename": [entry["filename"] for entry in entries],
            "warc_record_offset": pa.array([entry["offset"] for entry in entries], pa.int32()),
            "warc_record_length": pa.array([entry["length"] for entry in entries], pa.int32()),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=4)
    rows = read(tmp_path / "a.parquet")
    assert [row.reason for row in rows] == [None, "not-html", "status", None, None, None]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=300), field=st.text(max_size=20), number=st.integers())
def test_any_index(tmp_path: Path, data: bytes, field: str, number: int) -> None:
    """Whatever an index says, each line has a row."""
    warc(tmp_path)
    path = tmp_path / "a.cdxj"
    entry = {"url": field, "filename": "a.warc.gz", "offset": number, "length": number % 600}
    path.write_bytes(data + b"\n" + cdxj(entry).encode() + b"\n" + cdxj(entry | {"filename": field}).encode())
    rows = list(read_input(Input(0, str(path), "cdx")))
    assert rows
    assert [row.page for row in rows] == list(range(len(rows)))
