"""What users name, and what they are told when it cannot be read."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import warcs
from warcs import CODECS, page

from pagekin.errors import InputError, MissingExtraError
from pagekin.readers import Input, expand, read_input

LINE = b'{"url": "http://a/", "text": "x"}\n'


def names(inputs: list[Input], folder: Path) -> list[tuple[str, str]]:
    return [(source.path.removeprefix(str(folder)), source.format) for source in inputs]


def make_crawl(folder: Path) -> Path:
    files = {
        "b.warc.gz": warcs.gz(page(1)),
        "a/z.warc": page(1),
        "a-b/x.jsonl.zst": warcs.zst(LINE),
        "a/b.ndjson": LINE,
        "a/CC.warc.wet.gz": warcs.gz(warcs.wet(1, "x")),
        "B.WARC.ZST": warcs.zst(page(1)),
        "c.warc.lz4": warcs.lz4(page(1)),
        "notes.txt": b"x",
        "crawl.log.gz": warcs.gz(b"x"),
        "h/i.htm": b"<p>",
        "h/j.png": b"",
    }
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    pq.write_table(pa.table({"url": ["x"], "text": ["y"]}), folder / "t.parquet")
    warcs.write_zip(folder / "p.zip", {"h/a.html": b"<p>"})
    warcs.write_wacz(folder / "w.wacz", {"a.warc": page(1)})
    return folder


def test_folder(tmp_path: Path) -> None:
    found = expand([str(make_crawl(tmp_path))], 7)
    assert names(found, tmp_path) == [
        ("/B.WARC.ZST", "warc"),
        ("/a-b/x.jsonl.zst", "jsonl"),
        ("/a/CC.warc.wet.gz", "wet"),
        ("/a/b.ndjson", "jsonl"),
        ("/a/z.warc", "warc"),
        ("/b.warc.gz", "warc"),
        ("/c.warc.lz4", "warc"),
        ("/p.zip", "zip"),
        ("/t.parquet", "parquet"),
        ("/w.wacz", "wacz"),
        ("", "html"),
    ]
    assert [source.ordinal for source in found] == list(range(7, 18))
    assert expand([f"{tmp_path}/"], 7) == found
    assert all(row.reason is None for source in found[:-1] for row in read_input(source))


def test_relative_names_stay_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_crawl(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert [source.path for source in expand(["a", "./b.warc.gz", "a/../c.warc.lz4"])] == [
        "a/CC.warc.wet.gz",
        "a/b.ndjson",
        "a/z.warc",
        "./b.warc.gz",
        "a/../c.warc.lz4",
    ]
    assert [source.path for source in expand(["."])][:2] == ["./B.WARC.ZST", "./a-b/x.jsonl.zst"]


def test_names_keep_their_order_and_may_come_twice(tmp_path: Path) -> None:
    make_crawl(tmp_path)
    given = [str(tmp_path / "b.warc.gz"), "-", str(tmp_path / "a/z.warc"), str(tmp_path / "b.warc.gz")]
    found = expand(given)
    assert [source.path for source in found] == given
    assert [source.format for source in found] == ["warc", "stream", "warc", "warc"]
    assert [source.ordinal for source in found] == [0, 1, 2, 3]


def test_globs(tmp_path: Path) -> None:
    make_crawl(tmp_path)
    assert names(expand([f"{tmp_path}/*.warc*"]), tmp_path) == [
        ("/b.warc.gz", "warc"),
        ("/c.warc.lz4", "warc"),
    ]
    assert names(expand([f"{tmp_path}/**/*.ndjson"]), tmp_path) == [("/a/b.ndjson", "jsonl")]
    assert names(expand([f"{tmp_path}/a*"]), tmp_path) == [
        ("/a/CC.warc.wet.gz", "wet"),
        ("/a/b.ndjson", "jsonl"),
        ("/a/z.warc", "warc"),
        ("/a-b/x.jsonl.zst", "jsonl"),
    ]
    odd = tmp_path / "odd[1]*.warc"
    odd.write_bytes(page(1))
    assert names(expand([str(odd)]), tmp_path) == [("/odd[1]*.warc", "warc")]


@pytest.mark.parametrize("suffix", ["", ".gz", ".zst", ".lz4", ".dat"])
@pytest.mark.parametrize("compress", CODECS)
def test_sniffing(tmp_path: Path, suffix: str, compress: str) -> None:
    kinds = {page(1): "warc", b"\r\n" + page(1): "warc", LINE: "jsonl", b"\xef\xbb\xbf \n" + LINE: "jsonl"}
    for data, form in kinds.items():
        path = tmp_path / f"file{suffix}"
        path.write_bytes(CODECS[compress](data))
        (source,) = expand([str(path)])
        assert source.format == form
        assert [row.reason for row in read_input(source)] == [None]


def test_sniffing_containers(tmp_path: Path) -> None:
    warcs.write_zip(tmp_path / "one", {"h/a.html": b"<p>"})
    warcs.write_wacz(tmp_path / "two", {"a.warc": page(1)})
    pq.write_table(pa.table({"url": ["x"], "html": ["<p>"]}), tmp_path / "three")
    found = expand([str(tmp_path / name) for name in ("one", "two", "three")])
    assert [source.format for source in found] == ["zip", "wacz", "parquet"]
    assert [row.reason for source in found for row in read_input(source)] == [None, None, None]


def test_an_empty_file_of_a_known_kind_is_an_input(tmp_path: Path) -> None:
    for name in ("a.warc", "a.warc.gz", "a.jsonl", "a.jsonl.zst"):
        (tmp_path / name).write_bytes(b"")
        (source,) = expand([str(tmp_path / name)])
        assert list(read_input(source)) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("missing.warc", "no such file or folder; check the path"),
        ("no*such", "the pattern matches nothing; check it"),
        ("empty", "the folder holds no file that pagekin reads; it needs WARC, WET"),
        ("text.txt", "not a format that pagekin reads; give WARC, WET"),
        ("odd.gz", "not a format that pagekin reads; give WARC, WET"),
        ("cut.gz", "not a format that pagekin reads; give WARC, WET"),
        ("nothing", "the file is empty"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "x.txt").write_bytes(b"x")
    (tmp_path / "text.txt").write_bytes(b"hello")
    (tmp_path / "odd.gz").write_bytes(warcs.gz(b"hello"))
    (tmp_path / "cut.gz").write_bytes(warcs.gz(b"hello")[:9])
    (tmp_path / "nothing").write_bytes(b"")
    with pytest.raises(InputError) as caught:
        expand([str(tmp_path / name)])
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / name}: ")
    assert message in text
    assert "\n" not in text


def test_no_input_at_all() -> None:
    with pytest.raises(InputError, match="no input was given; name a crawl file"):
        expand([])


def test_files_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(page(1))
    path.chmod(0)
    if os.access(path, os.R_OK):  # root may read all
        real = Path.open

        def refuse(self: Path, *args: object, **options: object) -> object:
            if self.name == "a.warc":
                raise PermissionError(13, "Permission denied", str(self))
            return real(self, *args, **options)  # type: ignore[call-overload]

        monkeypatch.setattr(Path, "open", refuse)
    for name in (path, tmp_path):
        with pytest.raises(InputError, match="cannot be read: Permission denied"):
            expand([str(name)])
    (row,) = read_input(Input(0, str(path), "warc"))
    assert (row.reason, row.page) == ("unreadable", 0)
    assert "Permission denied" in (row.detail or "")


@pytest.mark.parametrize("form", ["warc", "wet", "wacz", "zip", "jsonl", "parquet"])
def test_inputs_that_are_gone_or_folders(tmp_path: Path, form: str) -> None:
    for path in (tmp_path / "gone", tmp_path):
        (row,) = read_input(Input(2, str(path), form))
        assert (row.reason, row.page) == ("unreadable", 2 << 40)
        assert row.detail


def test_remote_paths_need_fsspec(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"remote paths needs .* `remote`: pip install 'fsspec"):
        expand(["s3://bucket/a.warc.gz"])


def test_a_foreign_parquet_file_in_a_folder_is_passed_over(tmp_path: Path) -> None:
    pq.write_table(pa.table({"url": ["http://a.example/"], "score": [1]}), tmp_path / "other.parquet")
    with pytest.raises(InputError, match="needs the columns"):
        expand([str(tmp_path)])
    (tmp_path / "page.jsonl").write_text('{"url": "http://a.example/", "text": "x"}\n')
    assert [source.path for source in expand([str(tmp_path)])] == [f"{tmp_path}/page.jsonl"]
    with pytest.raises(InputError, match="needs the columns"):
        expand([str(tmp_path / "other.parquet")])
