"""Zips and manifests made to hurt a reader: what they take is bounded by what is there, or by a page."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import pytest
import warcs

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, Record, read_input
from pagekin.readers import zips as zips_module
from pagekin.readers.rows import MAX_NAME

MIB = 1 << 20


def read(path: Path, params: ReadParams | None = None) -> list[Record]:
    return list(read_input(Input(0, str(path), "zip"), params or ReadParams()))


MANIFESTS = {
    "many rows": ("manifest.jsonl", b'{"path": "", "url": ""}\n' * 200_000),
    "short rows": ("manifest.csv", b"path,url\n" + b"".join(b"%x,\n" % number for number in range(400_000))),
    "many columns": (
        "manifest.csv",
        b"path,url" + b"".join(b",%d" % number for number in range(3000)) + b"\n" + b"a,b\n" * 3000,
    ),
    "long rows": ("manifest.csv", b"path,url\n" + (b"," * 50_000 + b"\n") * 40),
}


@pytest.mark.parametrize("kind", MANIFESTS)
def test_manifests_of_what_is_not_there(tmp_path: Path, kind: str) -> None:
    """Rows were kept for files that nobody has, each with all columns: 150 KB took 1.3 GB."""
    name, manifest = MANIFESTS[kind]
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": warcs.html(1), name: manifest})
    tracemalloc.start()
    try:
        rows = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert [row.url for row in rows] == ["http://h/a.html"]
    assert peak < 8 * MIB + 6 * len(manifest)


def test_a_manifest_larger_than_pages(tmp_path: Path) -> None:
    manifest = b"path,url\n" + b"h/a.html,http://b.example/\n" * 200
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": b"<p>x", "manifest.csv": manifest})
    with pytest.raises(InputError, match=r"manifest.csv is larger than 4096 bytes; .* give more --memory"):
        read(path, ReadParams(max_page_bytes=1024))


def test_a_line_of_a_manifest_with_many_values(tmp_path: Path) -> None:
    manifest = b'{"path": "a", "url": "b", "x": [' + b"[]," * 1_100_000 + b"0]}\n"
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": b"<p>x", "manifest.jsonl": manifest})
    with pytest.raises(InputError, match="line 1: each line must be a JSON object"):
        read(path)


def test_a_manifest_that_cannot_be_unpacked_costs_its_zip(tmp_path: Path) -> None:
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": b"<p>x", "manifest.csv": b"path,url\n"})
    data = path.read_bytes()
    # The flag of an encrypted member, in the directory and before its bytes.
    for magic, flags in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        at = data.rindex(magic) + flags
        data = data[:at] + b"\1" + data[at + 1 :]
    path.write_bytes(data)
    rows = read(path)
    assert [row.reason for row in rows] == ["unreadable"]
    assert "manifest.csv" in (rows[0].detail or "")


def test_a_directory_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of a directory takes 13 times its size in memory."""
    path = warcs.write_zip(tmp_path / "a.zip", {f"h/{number}.html": b"<p>x" for number in range(100)})
    monkeypatch.setattr(zips_module, "_ANY_DIRECTORY", 1 << 10)
    rows = read(path, ReadParams(max_page_bytes=1 << 10))
    assert [row.reason for row in rows] == ["unreadable"]
    assert rows[0].detail == "the directory has more than 3072 bytes; divide the zip, or give more --memory"
    assert len(read(path, ReadParams(max_page_bytes=1 << 12))) == 100


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, 93])
@pytest.mark.parametrize("form", ["zip", "wacz"])
def test_members_that_may_take_any_memory(tmp_path: Path, form: str, method: int) -> None:
    """An LZMA member names the memory that its decoder takes, up to 4 GB. Of bzip2, Python unpacks 4 KB at
    once, which were 2 GB; so it does with zstd, where it knows that."""
    name = "archive/a.warc" if form == "wacz" else "h/a.html"
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", min(method, zipfile.ZIP_LZMA)) as archive:
        archive.writestr(name, warcs.page(1) if form == "wacz" else warcs.html(1))
    packed = bytearray(data.getvalue())
    for magic, at in ((b"PK\1\2", 10), (b"PK\3\4", 8)):
        packed[packed.index(magic) + at] = method
    (tmp_path / f"a.{form}").write_bytes(packed)
    (row,) = read_input(Input(0, str(tmp_path / f"a.{form}"), form))
    assert row.reason == "unreadable"
    assert (row.detail or "").endswith("which may take gigabytes of memory; pack it with deflate")


@pytest.mark.parametrize("field", ["url", "date", "ip", "content_type"])
def test_names_in_a_manifest_are_not_as_long_as_pages(tmp_path: Path, field: str) -> None:
    """Hundreds of pages are held at once, each with its URL."""
    entry = {"path": "h/a.html", "url": "http://b.example/", field: "x" * (MAX_NAME + 1)}
    manifest = json.dumps(entry).encode()
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": warcs.html(1), "manifest.jsonl": manifest})
    (row,) = read(path)
    assert (row.reason, row.url) == ("too-large", None)
    assert row.detail == f"{field} has more than {MAX_NAME} characters"


def test_names_of_members_are_not_as_long_as_pages(tmp_path: Path) -> None:
    """As a URL they are three times as long."""
    path = warcs.write_zip(tmp_path / "a.zip", {f"h/{'%' * 30_000}.html": warcs.html(1), "h/b.html": b"<p>x"})
    assert [row.reason for row in read(path)] == ["too-large", None]
