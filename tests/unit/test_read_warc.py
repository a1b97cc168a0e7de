"""WARC and WET: what becomes a page, what does not and why, and what is known of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
import warcs
from warcs import http, page, record

from pagekin.readers import (
    INPUT_FAILURES,
    READ_REASONS,
    Input,
    ReadParams,
    Record,
    expand,
    read_input,
    read_pages,
)

SUFFIXES = [".warc", ".warc.gz", ".warc.zst", ".warc.lz4"]


def read(path: Path, params: ReadParams | None = None, ordinal: int = 0) -> list[Record]:
    (source,) = expand([str(path)], ordinal)
    return list(read_input(source, params or ReadParams()))


def read_one(folder: Path, data: bytes, params: ReadParams | None = None) -> Record:
    """The record of a file that holds just this one."""
    (found,) = read(warcs.write(folder, "one.warc", [data]), params)
    return found


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_record_has_a_row(tmp_path: Path, suffix: str) -> None:
    records = [warcs.warcinfo(), warcs.request(1), page(1), page(2, 3000), page(3)]
    path = warcs.write(tmp_path, "a" + suffix, records)
    rows = read(path, ordinal=5)
    assert [row.reason for row in rows] == ["not-a-page", "not-a-page", None, None, None]
    assert [row.detail for row in rows] == ["warcinfo", "request", None, None, None]
    assert [row.page for row in rows] == [5 << 40 | number for number in range(5)]
    assert [row.url for row in rows] == [None, None, warcs.url(1), warcs.url(2), warcs.url(3)]
    assert [row.html for row in rows] == [None, None, warcs.html(1), warcs.html(2, 3000), warcs.html(3)]
    compress = warcs.CODECS.get(Path(suffix).suffix, warcs.plain)
    sizes = [len(compress(data)) for data in records]
    assert [row.offset for row in rows] == [sum(sizes[:number]) for number in range(5)]
    assert {row.input for row in rows} == {str(path)}


def test_what_is_kept_of_a_page(tmp_path: Path) -> None:
    row = read_one(
        tmp_path, record("response", http(b"<p>x", content_type="text/html; charset=koi8-r"), "http://a/")
    )
    assert row == Record(
        page=0,
        url="http://a/",
        html=b"<p>x",
        text=None,
        content_type="text/html; charset=koi8-r",
        ip=warcs.IP,
        status=200,
        date=datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC),
        input=str(tmp_path / "one.warc"),
        offset=0,
    )


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2024-05-06T07:08:09Z", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09.123456789Z", datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)),
        ("2024-05-06T07:08:09.5Z", datetime(2024, 5, 6, 7, 8, 9, 500000, tzinfo=UTC)),
        ("2024-05-06T09:08:09+02:00", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06T07:08:09", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("2024-05-06", datetime(2024, 5, 6, tzinfo=UTC)),
        ("2024-05", datetime(2024, 5, 1, tzinfo=UTC)),
        ("2024", datetime(2024, 1, 1, tzinfo=UTC)),
        ("20240506070809", datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("2024-13-01T00:00:00Z", None),
        ("20241301000000", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_dates(tmp_path: Path, text: str, date: datetime | None) -> None:
    assert read_one(tmp_path, page(1, date=text)).date == date


def test_what_may_be_missing(tmp_path: Path) -> None:
    row = read_one(tmp_path, page(1, date=None, ip=None, content_type=None))
    assert (row.reason, row.date, row.ip) == (None, None, None)


@pytest.mark.parametrize("version", ["1.0", "1.1", "0.18"])
def test_versions(tmp_path: Path, version: str) -> None:
    rows = read(warcs.write(tmp_path, "v.warc", [page(1, version=version), page(2, version=version)]))
    assert [row.url for row in rows] == [warcs.url(1), warcs.url(2)]


def test_header_names_in_any_case(tmp_path: Path) -> None:
    head, separator, block = page(1).partition(b"\r\n\r\n")
    row = read_one(
        tmp_path, head.upper().replace(b"HTTP://SITE1.EXAMPLE/PAGE/1", b"http://x/") + separator + block
    )
    assert (row.url, row.html, row.ip) == ("http://x/", warcs.html(1), warcs.IP)


def test_url_in_angle_brackets_and_not_ascii(tmp_path: Path) -> None:
    assert read_one(tmp_path, record("response", http(), "<http://a.example/b>")).url == "http://a.example/b"
    assert (
        read_one(tmp_path, record("response", http(), "http://bücher.example/é")).url
        == "http://bücher.example/é"
    )
    bad = record("response", http(), "http://a/@").replace(b"@", b"\xff")
    assert read_one(tmp_path, bad).url == "http://a/\ufffd"


@pytest.mark.parametrize(
    ("data", "reason", "detail"),
    [
        (record("metadata", b"x", content_type="application/warc-fields"), "not-a-page", "metadata"),
        (record("continuation", b"x"), "not-a-page", "continuation"),
        (record("", b"x"), "not-a-page", None),
        (record("revisit", http(b"")), "revisit", None),
        (record("revisit", b"", WARC_Refers_To_Target_URI="http://old/"), "revisit", "http://old/"),
        (record("response", http(status=404)), "status", "404"),
        (record("response", http(status=301, content_type=None)), "status", "301"),
        (record("response", http(status=302, location="/new?a=1")), "status", "302 /new?a=1"),
        (record("response", http(status=307, location="x" * 5000)), "status", "307 " + "x" * 2000),
        (record("response", http(status=404, location="/new")), "status", "404"),
        (record("response", http(b"\x89PNG", content_type="image/png")), "not-html", "image/png"),
        (record("response", http(b"plain", content_type=None)), "not-html", "no Content-Type"),
        (record("response", b"2024 dns", "dns:a.example", content_type="text/dns"), "not-html", "text/dns"),
        (record("response", http(), None), "no-url", None),
        (record("response", http(), ""), "no-url", None),
        (record("response", b""), "bad-http", None),
        (record("response", b"HTTP/1.1"), "bad-http", None),
        (record("response", b"<html>no headers</html>"), "bad-http", None),
        (record("response", b"HTTP/1.1 abc\r\n\r\nx"), "bad-http", None),
        (record("resource", b"{}", content_type="application/json"), "not-html", "application/json"),
        (record("resource", b"hello", content_type=None), "not-html", "no Content-Type"),
        (record("resource", b"<p>", None, content_type="text/html"), "no-url", None),
        (record("conversion", b"%PDF", content_type="application/pdf"), "not-html", "application/pdf"),
        (record("conversion", b"hello", None, content_type="text/plain"), "no-url", None),
        (record("response", http(b"x" * 1001)), "too-large", "more than 1000 bytes"),
        (record("resource", b"x" * 1001, content_type="text/html"), "too-large", "1001 bytes"),
        (record("conversion", b"x" * 1001, content_type="text/plain"), "too-large", "1001 bytes"),
    ],
)
def test_why_not_a_page(tmp_path: Path, data: bytes, reason: str, detail: str | None) -> None:
    row = read_one(tmp_path, data, ReadParams(max_page_bytes=1000))
    assert (row.reason, row.detail) == (reason, detail)
    assert row.html is None
    assert row.text is None
    assert (row.url is None) == (reason in ("not-a-page", "no-url"))
    assert reason in READ_REASONS
    assert reason not in INPUT_FAILURES


@pytest.mark.parametrize(
    ("data", "html"),
    [
        (record("response", http(b"x" * 1000)), b"x" * 1000),
        (record("response", http(b"")), b""),
        (record("response", b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n"), b""),
        (record("response", b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n"), b""),
        (record("response", b"HTTP/2 200\r\ncontent-type:text/html\r\n\r\n<p>"), b"<p>"),
        (record("response", b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n<p>\r\n\r\n"), b"<p>\r\n\r\n"),
        (record("response", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\n\n<p>\r\n\r\n"), b"<p>\r\n\r\n"),
        (record("response", http(b"<p>", content_type="TEXT/HTML;Charset=x")), b"<p>"),
        (record("response", http(b"<p>", content_type="application/xhtml+xml")), b"<p>"),
        (record("response", http(b" \n<!-- c --><HTML x>", content_type=None)), b" \n<!-- c --><HTML x>"),
        (record("response", http(b"<!doctype  html>", content_type="")), b"<!doctype  html>"),
        (record("response", http(b"\xff\xfe<\0p\0>\0", content_type=None)), b"\xff\xfe<\0p\0>\0"),
        (record("response", http(b"a\0b\0\0")), b"a\0b\0\0"),
        (record("resource", b"<p>x", content_type="text/html"), b"<p>x"),
        (record("resource", b"<html>x", content_type=None), b"<html>x"),
        (record("conversion", b"<p>x", content_type="text/html"), b"<p>x"),
    ],
)
def test_pages(tmp_path: Path, data: bytes, html: bytes) -> None:
    row = read_one(tmp_path, data, ReadParams(max_page_bytes=1000))
    assert (row.reason, row.html, row.text) == (None, html, None)


def test_content_type_is_not_looked_for_in_the_body(tmp_path: Path) -> None:
    row = read_one(
        tmp_path, record("response", http(b"<p>\r\nContent-Type: image/png\r\n", content_type=None))
    )
    assert (row.reason, row.content_type) == (None, None)


def test_many_comments_before_markup_take_no_time(tmp_path: Path) -> None:
    row = read_one(tmp_path, record("response", http(b"<!---->" * 70 + b"x", content_type=None)))
    assert row.reason == "not-html"


def test_wet_gives_text(tmp_path: Path) -> None:
    path = warcs.write(
        tmp_path, "a.warc.wet.gz", [warcs.warcinfo(), warcs.wet(1, "Grüße\n東京"), warcs.wet(2, "")]
    )
    (source,) = expand([str(path)])
    rows = list(read_input(source))
    assert source.format == "wet"
    assert [(row.url, row.html, row.text) for row in rows[1:]] == [
        (warcs.url(1), None, "Grüße\n東京"),
        (warcs.url(2), None, ""),
    ]
    bad = warcs.record("conversion", b"a\xffb", content_type="text/plain")
    assert read_one(tmp_path, bad).text == "a\ufffdb"


def test_keep_errors(tmp_path: Path) -> None:
    rows = read(
        warcs.write(
            tmp_path, "a.warc", [record("response", http(status=404)), record("response", http(status=503))]
        ),
        ReadParams(keep_errors=True),
    )
    assert [(row.reason, row.status) for row in rows] == [(None, 404), (None, 503)]


@pytest.mark.parametrize("end", [b"", b"\r\n", b"\n\n", b"\r\n" * 5, b"\r\n" * 700])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_records_may_end_otherwise(tmp_path: Path, end: bytes, suffix: str) -> None:
    rows = read(warcs.write(tmp_path, "a" + suffix, [page(number, end=end) for number in range(3)]))
    assert [(row.reason, row.html) for row in rows] == [(None, warcs.html(number)) for number in range(3)]


def test_bare_line_feeds_in_headers(tmp_path: Path) -> None:
    head, _, block = page(1).partition(b"\r\n\r\n")
    odd = head.replace(b"\r\n", b"\n") + b"\n\n" + block
    rows = read(warcs.write(tmp_path, "a.warc", [odd, page(2), odd]))
    assert [row.url for row in rows] == [warcs.url(1), warcs.url(2), warcs.url(1)]
    assert rows[2].html == warcs.html(1)


@pytest.mark.parametrize("packed", [False, True])
def test_zstd_dictionary(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "d.warc.zst"
    path.write_bytes(warcs.zst_with_dictionary([page(1), page(2), page(3)], packed))
    rows = read(path)
    assert [row.html for row in rows] == [warcs.html(1), warcs.html(2), warcs.html(3)]
    (source,) = expand([str(path)])
    for row in rows:
        assert list(read_input(source, after=row.position)) == rows[row.position.record + 1 :]


@pytest.mark.parametrize("suffix", SUFFIXES[1:])
def test_one_frame_for_all_records(tmp_path: Path, suffix: str) -> None:
    path = warcs.write(tmp_path, "a" + suffix, [page(1) + page(2, 100_000) + page(3)])
    assert [row.html for row in read(path)] == [warcs.html(1), warcs.html(2, 100_000), warcs.html(3)]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("size", [300_000, 600_000, 3_000_000])
def test_large_pages_and_large_others(tmp_path: Path, suffix: str, size: int) -> None:
    video = record("response", http(bytes(size), content_type="video/mp4"))
    big = record("response", http(warcs.html(1, size)), warcs.url(1))
    path = warcs.write(tmp_path, "a" + suffix, [video, big, video, page(2)])
    rows = read(path)
    assert [row.reason for row in rows] == ["not-html", None, "not-html", None]
    assert [row.html for row in rows] == [None, warcs.html(1, size), None, warcs.html(2)]
    rows = read(path, ReadParams(max_page_bytes=100_000))
    assert [row.reason for row in rows] == ["not-html", "too-large", "not-html", None]


def test_read_pages(tmp_path: Path) -> None:
    warcs.write(tmp_path, "b.warc", [warcs.warcinfo(), page(2)])
    warcs.write(tmp_path, "a.warc.gz", [page(1), record("response", http(status=404))])
    assert [row.url for row in read_pages(tmp_path)] == [warcs.url(1), warcs.url(2)]
    assert [row.url for row in read_pages([tmp_path / "b.warc", str(tmp_path / "a.warc.gz")])] == [
        warcs.url(2),
        warcs.url(1),
    ]
    assert len(list(read_pages(tmp_path, ReadParams(keep_errors=True)))) == 3


def test_every_reason_has_a_sentence() -> None:
    assert set(READ_REASONS) >= INPUT_FAILURES
    assert list(READ_REASONS) == sorted(READ_REASONS)
    assert Input(0, "a", "warc") == Input(0, "a", "warc")
