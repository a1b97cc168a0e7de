"""HTML folders, zips and single files; WACZ."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
import warcs
from warcs import gz, html, page

from pagekin.errors import InputError
from pagekin.readers import Input, ReadParams, Record, expand, read_input

HTML = b"<!doctype html><p>x</p>"


def write_files(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def read_both(folder: Path, files: dict[str, bytes], params: ReadParams | None = None) -> list[Record]:
    """The records of files in a folder, which must be those of the same files in a zip."""
    root = write_files(folder / "root", files)
    packed = warcs.write_zip(folder / "root.zip", dict(reversed(files.items())))
    rows, others = (
        list(read_input(Input(0, str(path), form), params or ReadParams()))
        for path, form in ((root, "html"), (packed, "zip"))
    )
    for row, other in zip(rows, others, strict=True):
        row.input = other.input
        assert row == other
    return rows


def test_byte_order_and_urls_from_paths(tmp_path: Path) -> None:
    files = {
        "a.example/index.html": html(1),
        "a.example/b/c d%?x=1#2.htm": html(2),
        "a.example/é.xhtml": html(3),
        "a-b.example/q.HTML": html(4),
        "b.example:8080/x.html.gz": gz(html(5)),
        "top.html": html(6),
        "Z.example/x.html": html(7),
        "a.example/page.html?id=3&x=y": html(8),
    }
    rows = read_both(tmp_path, files)
    assert [row.url for row in rows] == [
        "http://Z.example/x.html",
        "http://a-b.example/q.HTML",
        "http://a.example/b/c%20d%25?x=1%232.htm",
        "http://a.example/index.html",
        "http://a.example/page.html?id=3&x=y",
        "http://a.example/%C3%A9.xhtml",
        "http://b.example:8080/x.html",
        "http://root/top.html",
    ]
    assert [row.html for row in rows] == [html(number) for number in (7, 4, 2, 1, 8, 3, 5, 6)]
    assert [row.offset for row in rows] == [row.page for row in rows] == list(range(8))
    assert {(row.reason, row.status, row.date, row.ip, row.content_type) for row in rows} == {(None,) * 5}


def test_what_is_not_html(tmp_path: Path) -> None:
    rows = read_both(
        tmp_path,
        {
            "h/a.css": b"x",
            "h/b.txt": HTML,
            "h/c": HTML,
            "h/d": b"plain",
            "h/e.html": b"no markup, but named so",
            "h/f.html": b"",
            "h/g.html": b"x" * 1001,
            "h/h.html.gz": gz(b"x" * 1001),
            "h/i.html.gz": gz(HTML)[:-9],
            "h/j.html.gz": b"not gzip",
        },
        ReadParams(max_page_bytes=1000),
    )
    assert [(row.reason, row.detail) for row in rows[:8]] == [
        ("not-html", ".css"),
        ("not-html", ".txt"),
        (None, None),
        ("not-html", "by its beginning"),
        (None, None),
        (None, None),
        ("too-large", "more than 1000 bytes"),
        ("too-large", "more than 1000 bytes"),
    ]
    assert [row.reason for row in rows[8:]] == ["corrupt", "corrupt"]
    assert all(row.url for row in rows)


MANIFEST_JSONL = b"\xef\xbb\xbf" + b"\n".join(
    [
        b'{"path": "a.html", "url": "http://x.example/", "ip": "192.0.2.1", "date": "2024-05-06",'
        b' "status": 200, "content_type": "text/html; charset=koi8-r"}',
        b"",
        b'{"path": "./b.bin", "url": "http://y.example/"}',
        b'{"path": "c.html", "url": "http://c/", "status": 404}',
        b'{"path": "d.html", "url": "http://d/", "content_type": "image/gif"}',
        b'{"path": "gone.html", "url": "http://gone/"}',
    ]
)
MANIFEST_CSV = (
    b"path,url,ip,date,status,content_type\r\n"
    b"a.html,http://x.example/,192.0.2.1,2024-05-06,200,text/html; charset=koi8-r\r\n"
    b"b.bin,http://y.example/,,,,\r\n"
    b"c.html,http://c/,,,404,\r\n"
    b"d.html,http://d/,,,,image/gif\r\n"
)


@pytest.mark.parametrize(
    ("name", "manifest"), [("manifest.jsonl", MANIFEST_JSONL), ("manifest.csv", MANIFEST_CSV)]
)
def test_manifest(tmp_path: Path, name: str, manifest: bytes) -> None:
    files = {"a.html": HTML, "b.bin": HTML, "c.html": HTML, "d.html": HTML, "e.html": HTML, name: manifest}
    rows = read_both(tmp_path, files)
    assert [source.format for source in expand([str(tmp_path / "root")])] == ["html"]
    assert [(row.url, row.reason, row.detail) for row in rows] == [
        ("http://x.example/", None, None),
        ("http://y.example/", None, None),
        ("http://c/", "status", "404"),
        ("http://d/", "not-html", "image/gif"),
        ("http://root/e.html", None, None),
    ]
    assert (rows[0].ip, rows[0].status, rows[0].content_type) == (
        "192.0.2.1",
        200,
        "text/html; charset=koi8-r",
    )
    assert rows[0].date == datetime(2024, 5, 6, tzinfo=UTC)
    kept = read_both(tmp_path, files, ReadParams(keep_errors=True))
    assert (kept[2].reason, kept[2].status) == (None, 404)


@pytest.mark.parametrize(
    ("name", "manifest", "message"),
    [
        (
            "manifest.jsonl",
            b'{"path": "a.html", "url": "x"}\n{"path": 1\n',
            "manifest.jsonl, line 2: each line must be",
        ),
        (
            "manifest.jsonl",
            b'{"path": "a.html"}\n',
            "line 1: each line must be a JSON object with path and url",
        ),
        ("manifest.csv", b"file,address\na,b\n", "needs the columns path and url; it has: file, address"),
        ("manifest.csv", b"", "it has: none"),
    ],
)
def test_bad_manifest(tmp_path: Path, name: str, manifest: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_both(tmp_path, {"a.html": HTML, name: manifest})


def test_single_file(tmp_path: Path) -> None:
    write_files(tmp_path / "site.example", {"a.html": html(1), "b.htm.gz": gz(html(2))})
    sources = expand([str(tmp_path / "site.example" / "*")])
    assert [source.format for source in sources] == ["html", "html"]
    rows = [row for source in sources for row in read_input(source)]
    assert [(row.url, row.html) for row in rows] == [
        ("http://site.example/a.html", html(1)),
        ("http://site.example/b.htm", html(2)),
    ]


def test_crawl_files_in_a_folder_are_inputs_of_their_own(tmp_path: Path) -> None:
    write_files(tmp_path, {"h/a.html": html(1), "h/b.warc": page(2), "h/c.png": b"\x89PNG"})
    crawl, folder = expand([str(tmp_path)])
    assert (crawl.format, folder.format) == ("warc", "html")
    assert [row.url for row in read_input(crawl)] == [warcs.url(2)]
    assert [(row.url, row.reason) for row in read_input(folder)] == [
        ("http://h/a.html", None),
        ("http://h/c.png", "not-html"),
    ]


def test_a_file_that_vanishes_costs_that_file(tmp_path: Path) -> None:
    write_files(tmp_path, {f"h/{number}.html": html(number) for number in range(3)})
    rows = read_input(Input(0, str(tmp_path), "html"))
    first = next(rows)
    (tmp_path / "h/1.html").unlink()
    rest = list(rows)
    assert [row.reason for row in (first, *rest)] == [None, "unreadable", None]
    assert "No such file" in (rest[0].detail or "")


def test_links_in_circles(tmp_path: Path) -> None:
    write_files(tmp_path / "a", {"h/x.html": html(1)})
    (tmp_path / "a" / "h" / "loop").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "other").symlink_to(tmp_path / "b")
    write_files(tmp_path / "b", {"y.html": html(2)})
    rows = list(read_input(Input(0, str(tmp_path / "a"), "html"), ReadParams(follow_links=True)))
    assert [row.url for row in rows] == ["http://h/x.html", "http://other/y.html"]


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/h\xff"
    os.mkdir(folder)  # noqa: PTH102
    Path(os.fsdecode(folder + b"/\xe9.html")).write_bytes(html(1))
    (row,) = read_input(Input(0, str(tmp_path), "html"))
    assert row.url == "http://h%FF/%E9.html"


def test_damaged_zip(tmp_path: Path) -> None:
    path = warcs.write_zip(
        tmp_path / "a.zip", {f"h/{number}.html": html(number, 3000) for number in range(3)}
    )
    data = path.read_bytes()
    second = data.index(b"h/1.html") + 100
    path.write_bytes(data[:second] + b"\xff" * 20 + data[second + 20 :])
    rows = list(read_input(Input(0, str(path), "zip")))
    assert [row.reason for row in rows] == [None, "unreadable", None]
    path.write_bytes(data[:-40])
    assert [row.reason for row in read_input(Input(0, str(path), "zip"))] == ["unreadable"]


def test_a_zip_member_without_a_name(tmp_path: Path) -> None:
    path = warcs.write_zip(tmp_path / "a.zip", {"@": html(1), "h/2.html": html(2)})
    path.write_bytes(path.read_bytes().replace(b"@", b"\0"))
    assert [row.html for row in read_input(Input(0, str(path), "zip"))] == [html(1), html(2)]


@pytest.mark.parametrize("head", ["path,url," + "x" * 200_000, '"' + "x" * 200_000])
def test_a_manifest_whose_first_line_is_too_long(tmp_path: Path, head: str) -> None:
    (tmp_path / "a.html").write_bytes(html(1))
    (tmp_path / "manifest.csv").write_text(head + "\n")
    with pytest.raises(InputError, match="larger than field limit"):
        list(read_input(Input(0, str(tmp_path), "html")))


def test_zip_bomb(tmp_path: Path) -> None:
    path = warcs.write_zip(tmp_path / "a.zip", {"h/a.html": bytes(1 << 27), "h/b.html": HTML})
    rows = list(read_input(Input(0, str(path), "zip"), ReadParams(max_page_bytes=1 << 20)))
    assert [row.reason for row in rows] == ["too-large", None]


@pytest.mark.parametrize("compress", [False, True])
def test_wacz(tmp_path: Path, compress: bool) -> None:
    first, second = [page(1), page(2, 80_000)], [page(3), page(4)]
    path = warcs.write_wacz(
        tmp_path / "a.wacz",
        {
            "b.warc": b"".join(second),
            "a.warc.gz": b"".join(map(gz, first)),
            "c.txt": b"x",
            "d.warc.zst": warcs.zst(page(5)),
        },
        compress,
    )
    (source,) = expand([str(path)])
    assert source.format == "wacz"
    rows = list(read_input(source))
    assert [row.html for row in rows] == [html(1), html(2, 80_000), html(3), html(4), html(5)]
    assert [row.page for row in rows] == list(range(5))
    assert [row.offset for row in rows] == [0, len(gz(page(1))), 0, len(page(3)), 0]


@pytest.mark.parametrize("compress", [False, True])
def test_damage_in_a_wacz(tmp_path: Path, compress: bool) -> None:
    """As bad as in a file of its own, and no worse for the next one."""
    broken = gz(page(1)) + b"garbage" * 9 + gz(page(2)) + gz(page(3))[:-40]
    path = warcs.write_wacz(tmp_path / "a.wacz", {"a.warc.gz": broken, "b.warc.gz": gz(page(4))}, compress)
    rows = list(read_input(Input(0, str(path), "wacz")))
    assert [row.reason for row in rows] == [None, "garbage", None, None, None]
    assert [row.truncated for row in rows] == [None, None, None, "end", None]
    data = path.read_bytes()
    path.write_bytes(data.replace(b"PK\x03\x04", b"PK\0\0", 2).replace(b"PK\0\0", b"PK\x03\x04", 1))
    rows = list(read_input(Input(0, str(path), "wacz")))
    assert [row.reason for row in rows] == ["unreadable", None]
    assert (rows[0].detail or "").startswith("archive/a.warc.gz: ")


def test_wacz_named_zip(tmp_path: Path) -> None:
    path = warcs.write_wacz(tmp_path / "a.zip", {"a.warc": page(1)})
    assert expand([str(path)])[0].format == "wacz"
