"""HTTP bodies: encodings, and headers that lie about them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import warcs
from warcs import brotli, gz, http, record, zst

from pagekin.readers import Input, ReadParams, Record, read_input

HTML = b"<!doctype html><p>" + b" ".join(b"word%d" % number for number in range(300))


def read(folder: Path, block: bytes, params: ReadParams | None = None) -> Record:
    """The row of a response, which must not disturb the one that follows."""
    path = warcs.write(folder, "a.warc", [record("response", block), warcs.page(7)])
    first, second = read_input(Input(0, str(path), "warc"), params or ReadParams())
    assert second.html == warcs.html(7)
    return first


def deflate(data: bytes) -> bytes:
    return zlib.compress(data)


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def chunked(data: bytes, size: int = 100, extension: bytes = b"", end: bytes = b"\r\n") -> bytes:
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    body = b"".join(b"%x%s%s%s%s" % (len(piece), extension, end, piece, end) for piece in pieces)
    return body + b"0" + end + end


ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gz,
    "x-gzip": gz,
    "GZIP": gz,
    "deflate": deflate,
    "br": brotli,
    "zstd": zst,
}


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_content_encodings(tmp_path: Path, encoding: str) -> None:
    row = read(tmp_path, http(ENCODINGS[encoding](HTML), Content_Encoding=encoding))
    assert (row.reason, row.html) == (None, HTML)


def test_deflate_without_its_header(tmp_path: Path) -> None:
    assert read(tmp_path, http(raw_deflate(HTML), Content_Encoding="deflate")).html == HTML


def test_several_encodings(tmp_path: Path) -> None:
    assert read(tmp_path, http(gz(deflate(HTML)), Content_Encoding="deflate, gzip")).html == HTML
    assert read(tmp_path, http(gz(HTML[:500]) + gz(HTML[500:]), Content_Encoding="gzip")).html == HTML


@pytest.mark.parametrize("encoding", [*ENCODINGS, "identity", "none", "utf-8", "compress", ""])
@pytest.mark.parametrize("body", [HTML, b"", b"just words, no markup", "Grüße".encode()])
def test_bodies_that_were_already_decoded(tmp_path: Path, encoding: str, body: bytes) -> None:
    row = read(tmp_path, http(body, Content_Encoding=encoding))
    assert (row.reason, row.html) == (None, body)


def test_crawlers_renamed_headers(tmp_path: Path) -> None:
    block = http(HTML, X_Crawler_Content_Encoding="gzip", X_Crawler_Transfer_Encoding="chunked")
    assert read(tmp_path, block).html == HTML


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_broken_content_encoding(tmp_path: Path, encoding: str) -> None:
    packed = ENCODINGS[encoding](HTML * 20)
    for broken in (packed[:-12], packed[: len(packed) // 2], packed[:40] + b"\0" * 40 + packed[80:]):
        row = read(tmp_path, http(broken, Content_Encoding=encoding))
        assert (row.reason, row.html) == ("bad-encoding", None)
        assert row.detail
        assert row.url


def test_data_after_a_gzipped_body_is_left_out(tmp_path: Path) -> None:
    assert read(tmp_path, http(gz(HTML) + b"\r\n<!-- -->", Content_Encoding="gzip")).html == HTML


@pytest.mark.parametrize("size", [1, 7, 100, 100_000])
@pytest.mark.parametrize("extension", [b"", b";name=value", b"  "])
def test_chunked(tmp_path: Path, size: int, extension: bytes) -> None:
    block = http(chunked(HTML, size, extension), Transfer_Encoding="chunked")
    assert read(tmp_path, block).html == HTML


def test_chunked_and_gzipped(tmp_path: Path) -> None:
    block = http(chunked(gz(HTML)), Transfer_Encoding="chunked", Content_Encoding="gzip")
    assert read(tmp_path, block).html == HTML


def test_chunks_with_bare_line_feeds_and_trailers(tmp_path: Path) -> None:
    assert read(tmp_path, http(chunked(HTML, 50, end=b"\n"), Transfer_Encoding="Chunked")).html == HTML
    trailer = chunked(HTML)[:-2] + b"Expires: never\r\n\r\n"
    assert read(tmp_path, http(trailer, Transfer_Encoding="chunked")).html == HTML


@pytest.mark.parametrize("body", [HTML, b"", b"bad words", b"<p>a</p>"])
def test_not_chunked_though_it_says_so(tmp_path: Path, body: bytes) -> None:
    assert read(tmp_path, http(body, Transfer_Encoding="chunked")).html == body


def test_broken_chunks(tmp_path: Path) -> None:
    whole = chunked(HTML)
    for body in (whole[:-300], whole[:500] + b"garbage" + whole[500:]):
        row = read(tmp_path, http(body, Transfer_Encoding="chunked"))
        assert (row.reason, row.html) == ("bad-encoding", None)


@pytest.mark.parametrize("length", ["0", "5", "100000", "-1", "x"])
def test_content_length_of_http_is_not_believed(tmp_path: Path, length: str) -> None:
    assert read(tmp_path, http(HTML, Content_Length=length)).html == HTML
    assert read(tmp_path, http(gz(HTML), Content_Length=length, Content_Encoding="gzip")).html == HTML


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_size_counts_after_decoding(tmp_path: Path, encoding: str) -> None:
    body = http(ENCODINGS[encoding](b"x" * 5000), Content_Encoding=encoding)
    assert read(tmp_path, body, ReadParams(max_page_bytes=5000)).html == b"x" * 5000
    row = read(tmp_path, body, ReadParams(max_page_bytes=4999))
    assert (row.reason, row.html) == ("too-large", None)


@pytest.mark.parametrize(
    ("charset", "letter"), [("windows-874", b"\xa1"), ("shift_jis", b"\xb1"), ("utf-8", b"\xff")]
)
def test_size_counts_as_utf8(tmp_path: Path, charset: str, letter: bytes) -> None:
    """Each of these bytes is a character of three, and most are words: 60 MB of Thai took 3.6 GB."""
    body = http(letter * 2000, content_type=f"text/html; charset={charset}")
    assert read(tmp_path, body, ReadParams(max_page_bytes=6000)).html == letter * 2000
    row = read(tmp_path, body, ReadParams(max_page_bytes=5999))
    assert (row.reason, row.detail, row.html) == ("too-large", "6000 bytes as UTF-8", None)
    assert row.url is not None


def test_zstd_window_is_bounded(tmp_path: Path) -> None:
    huge_window = b"\x28\xb5\x2f\xfd\x00\xa8" + bytes(20)  # 2 GiB
    row = read(tmp_path, http(huge_window, Content_Encoding="zstd"))
    assert (row.reason, row.detail) == ("bad-encoding", "zstd: the window is too large")


def test_type_is_seen_in_the_decoded_body(tmp_path: Path) -> None:
    assert read(tmp_path, http(gz(HTML), content_type=None, Content_Encoding="gzip")).html == HTML
    row = read(tmp_path, http(gz(b"words"), content_type=None, Content_Encoding="gzip"))
    assert row.reason == "not-html"


def test_headers_of_any_length(tmp_path: Path) -> None:
    assert read(tmp_path, http(HTML, X_Filler="y" * 60_000)).html == HTML
    assert read(tmp_path, http(HTML, X_Filler="y" * 70_000)).reason == "bad-http"
    for size in range(0, 700, 13):  # wherever the headers end in what was read ahead
        assert read(tmp_path, http(HTML, X_Filler="y" * size)).html == HTML
