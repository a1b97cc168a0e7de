"""Bad input that must be survived, through the whole scan.

Damage to the crawl file costs what it destroyed, is counted by reason and gives exit code 3. A page may be as
bad as it likes: it costs neither the run, nor its neighbours, nor more memory than it is entitled to.
"""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
import warcs
from cli.command import run, tables

import pagekin
from pagekin import _core

MB = 1 << 20
GOOD = [warcs.page(1), warcs.page(2)]


def scan(folder: Path, name: str, content: bytes, code: int) -> tuple[list[str], dict[str, int]]:
    """The URLs of the pages found, and the skipped records by reason."""
    (folder / name).write_bytes(content)
    run("scan", folder / name, "-o", folder / "run", code=code)
    found = tables(folder / "run")
    reasons = found["skipped"]["reason"].to_pylist()
    return found["pages"]["url"].to_pylist(), {reason: reasons.count(reason) for reason in set(reasons)}


def peak_memory(folder: Path) -> int:
    steps: dict[str, Any] = pagekin.Run(folder / "run").info["steps"]
    peak: int = steps["sketch"]["peak_memory_bytes"]
    return peak


# The crawl file


def test_truncated_gzip(tmp_path: Path) -> None:
    whole = b"".join(warcs.gz(warcs.page(number, size=5000)) for number in range(4))
    last = len(warcs.gz(warcs.page(3, size=5000)))
    urls, skipped = scan(tmp_path, "crawl.warc.gz", whole[: -last // 2], 3)
    assert urls == [warcs.url(0), warcs.url(1), warcs.url(2), warcs.url(3)]
    assert skipped == {}
    assert tables(tmp_path / "run")["pages"]["truncated"].to_pylist() == [None, None, None, "end"]


def test_damaged_gzip(tmp_path: Path) -> None:
    pieces = [bytearray(warcs.gz(warcs.page(number, size=5000))) for number in range(4)]
    pieces[1][40:60] = bytes(20)
    urls, skipped = scan(tmp_path, "crawl.warc.gz", b"".join(pieces), 3)
    assert urls == [warcs.url(0), warcs.url(2), warcs.url(3)]
    assert skipped == {"corrupt": 1}


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_garbage_between_records(tmp_path: Path, suffix: str) -> None:
    pack = warcs.CODECS[suffix]
    content = pack(GOOD[0]) + b"\x00\xff garbage \r\n\r\n" * 50 + pack(GOOD[1])
    urls, skipped = scan(tmp_path, f"crawl.warc{suffix}", content, 3)
    assert urls == [warcs.url(1), warcs.url(2)]
    assert set(skipped) <= {"garbage", "corrupt"}


def test_wrong_content_length(tmp_path: Path) -> None:
    """A file for each lie; the record after it is found again."""
    lies: list[int | str] = [0, 5, 100_000, 10**30, -5, "", "many"]
    for number, lie in enumerate(lies):
        wrong = warcs.record("response", warcs.http(), "http://wrong.example/", length=lie)
        warcs.write(tmp_path / "crawl", f"{number}.warc", [GOOD[0], wrong, GOOD[1]])
    run("scan", tmp_path / "crawl", "-o", tmp_path / "run", code=3)
    found = tables(tmp_path / "run")
    for number, lie in enumerate(lies):
        urls = [row["url"] for row in found["pages"].to_pylist() if row["page"] >> 40 == number]
        reasons = {row["reason"] for row in found["skipped"].to_pylist() if row["page"] >> 40 == number}
        assert (urls[0], urls[-1]) == (warcs.url(1), warcs.url(2)), lie
        assert reasons & {"bad-length", "garbage", "bad-http", "truncated"}, lie


def test_missing_url(tmp_path: Path) -> None:
    urls, skipped = scan(tmp_path, "crawl.warc", GOOD[0] + warcs.record("response", warcs.http(), None), 0)
    assert urls == [warcs.url(1)]
    assert skipped == {"no-url": 1}


# Pages that are too large


def bomb(size: int, layers: int) -> bytes:
    """So many zero bytes, compressed so many times."""
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    data = b"".join(packer.compress(bytes(MB)) for _ in range(size // MB)) + packer.flush()
    for _ in range(layers - 1):
        data = gzip.compress(data, 9, mtime=0)
    return data


@pytest.mark.parametrize("layers", [1, 2])
def test_gzip_bomb_page(tmp_path: Path, layers: int) -> None:
    block = warcs.http(bomb(300 * MB, layers), Content_Encoding=", ".join(["gzip"] * layers))
    content = GOOD[0] + warcs.record("response", block, "http://bomb.example/") + GOOD[1]
    urls, skipped = scan(tmp_path, "crawl.warc", content, 0)
    assert urls == [warcs.url(1), warcs.url(2)]
    assert skipped == {"too-large": 1}
    assert peak_memory(tmp_path) < 400 * MB


def test_gzip_bomb_record(tmp_path: Path) -> None:
    """The record itself is the bomb, in a .warc.gz of a megabyte or so."""
    head = warcs.record("response", warcs.http(b"<p>"), "http://bomb.example/", length=300 * MB, end=b"")
    front = head + b"x" * 100
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    size = 300 * MB - len(warcs.http(b"<p>")) - 100
    pieces = [packer.compress(front)]
    pieces += [packer.compress(bytes(min(MB, size - at))) for at in range(0, size, MB)]
    pieces += [packer.compress(b"\r\n\r\n"), packer.flush()]
    content = warcs.gz(GOOD[0]) + b"".join(pieces) + warcs.gz(GOOD[1])
    urls, skipped = scan(tmp_path, "crawl.warc.gz", content, 0)
    assert urls == [warcs.url(1), warcs.url(2)]
    assert skipped == {"too-large": 1}
    assert peak_memory(tmp_path) < 400 * MB


def test_page_of_50_mb(tmp_path: Path) -> None:
    words = b"seven small words are in this line\n"
    html = b"<title>big</title><pre>" + words * (50 * MB // len(words))
    block = warcs.http(html, charset="utf-8")
    content = GOOD[0] + warcs.record("response", block, "http://big.example/") + GOOD[1]
    urls, skipped = scan(tmp_path, "crawl.warc", content, 0)
    assert urls == [warcs.url(1), "http://big.example/", warcs.url(2)]
    assert skipped == {}
    page = tables(tmp_path / "run")["pages"].to_pylist()[1]
    assert page["html_bytes"] == len(html)
    assert page["words"] == 7 * (50 * MB // len(words))
    # A page of this size is in memory as bytes, as text, as noise, as words, and in what is written.
    assert peak_memory(tmp_path) < 900 * MB


def test_links_do_not_multiply_a_page(tmp_path: Path) -> None:
    """A long base and many short links: a megabyte must not become hundreds."""
    anchors = b"".join(b"<a href=%x>" % number for number in range(80_000))
    html = b"<base href=http://a.example/" + b"x" * 4000 + b"/><p>words" + anchors
    content = warcs.record("response", warcs.http(html), "http://links.example/")
    scan(tmp_path, "crawl.warc", content, 0)
    assert peak_memory(tmp_path) < 600 * MB


# Pages that are bad

BAD: dict[str, tuple[bytes, str | None]] = {
    "empty": (b"", ""),
    "one zero byte": (b"\0", None),
    "zero bytes in text and tags": (b"<p\0 a=\0>a\0b<\0p>\0", None),
    "zero bytes between words": (b"<p>one\0two</p>", "one two"),
    "UTF-16 with a mark, little": ("\ufeff<p>zwei Wörter".encode("utf-16-le"), "zwei Wörter"),
    "UTF-16 with a mark, big": ("\ufeff<p>zwei Wörter".encode("utf-16-be"), "zwei Wörter"),
    "UTF-16 without a mark": ("<!doctype html><p>zwei Wörter".encode("utf-16-le"), "zwei Wörter"),
    "UTF-16 cut in a character": ("\ufeff<p>zwei".encode("utf-16-le")[:-1], None),
    "UTF-16 with half a pair": ("\ufeff<p>a\ud800b".encode("utf-16-le", "surrogatepass"), "a\ufffdb"),
    "invalid UTF-8": (b"<meta charset=utf-8><p>good \xff\xfe\xc3( \xed\xa0\x80 good", None),
    "every byte": (bytes(range(256)) * 100, None),
    "a million nested tags": (b"<div>" * 1_000_000 + b"deep", "deep"),
    "a million nested tags, closed": (b"<b>" * 1_000_000 + b"deep" + b"</b>" * 1_000_000, "deep"),
    "a million attributes": (b"<p " + b" ".join(b"a%d=1" % n for n in range(1_000_000)) + b">text", "text"),
    "a million attributes, open": (b"before<p " + b"a=1 " * 1_000_000, "before"),
    "a megabyte of an attribute": (b'<a href="' + b"x" * MB + b'">text', "text"),
    "a megabyte of a tag's name": (b"<" + b"x" * MB + b">text", "text"),
    "a megabyte of <": (b"<" * MB, "<" * MB),
    "a megabyte of <!": (b"<!" * (MB // 2), ""),
    "a megabyte of </": (b"</" * (MB // 2), ""),
    "a megabyte of &": (b"&" * MB, "&" * MB),
    "a megabyte of open comments": (b"<!--" * (MB // 4), ""),
    "a megabyte of open scripts": (b"<script>" * (MB // 8), ""),
    "a megabyte of script comments": (b"<script>" + b"<!--<script>" * (MB // 12), ""),
    "a megabyte of titles": (b"<title>a" * (MB // 8) + b"</title>text", "text"),
    "unclosed script": (b"<p>before<script>var a = '<p>after'; // </scrip", "before"),
    "unclosed style": (b"<p>before<style>p { }", "before"),
    "unclosed comment": (b"<p>before<!-- <p>after --", "before"),
    "unclosed CDATA": (b"<p>before<![CDATA[ after", "before"),
    "unclosed title": (b"<p>before<title>after", "before"),
    "unclosed textarea": (b"<p>before<textarea>after<p>x", "before after<p>x"),
    "unclosed attribute": (b"<p>before<p a='after", "before"),
    "a reference beyond Unicode": (b"<p>&#99999999999;&#xd800;&#0;", "\ufffd" * 3),
}


@pytest.fixture(scope="module")
def bad_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """One scan of them all; each page by its name, with its text."""
    folder = tmp_path_factory.mktemp("bad")
    records = [
        warcs.record("response", warcs.http(html), f"http://bad.example/{number}")
        for number, (html, _) in enumerate(BAD.values())
    ]
    path = warcs.write(folder, "bad.warc.gz", [*records, GOOD[0]])
    run("scan", path, "-o", folder / "run")
    assert peak_memory(folder) < 600 * MB
    found = tables(folder / "run")
    assert found["skipped"].num_rows == 0
    rows = [
        page | {"text": text}
        for page, text in zip(found["pages"].to_pylist(), found["texts"]["text"].to_pylist(), strict=True)
    ]
    assert rows[-1]["url"] == warcs.url(1)
    return dict(zip(BAD, rows, strict=False))


@pytest.mark.parametrize("name", BAD)
def test_bad_page(bad_pages: dict[str, dict[str, Any]], name: str) -> None:
    html, text = BAD[name]
    page = bad_pages[name]
    assert page["html_bytes"] == len(html)
    if text is not None:
        assert page["text"] == text
    # What the native pass wrote for the batch is what it says of the page alone.
    assert page["text"] == pagekin.text(html)
    assert page["words"] == len(pagekin.words(page["text"]))
    assert page["noise_chars"] == len(_core.noise(_core.decode(html)[0], content=False))


def test_malformed_characters_are_counted(bad_pages: dict[str, dict[str, Any]]) -> None:
    assert bad_pages["invalid UTF-8"]["lossy"]
    assert bad_pages["UTF-16 with half a pair"]["lossy"]
    assert not bad_pages["UTF-16 without a mark"]["lossy"]
    assert bad_pages["UTF-16 without a mark"]["charset"] == "UTF-16LE"


def test_bad_json_lines(tmp_path: Path) -> None:
    good = {"url": "http://a.example/", "html": "<p>good words"}
    lines = [
        json.dumps(good).encode(),
        b"\xff\xfe\x00",
        b"[" * 100_000,
        b'{"url": "http://n.example/", "html": ' + b"9" * 10_000 + b"}",
        b'{"url": null, "html": "<p>no URL"}',
        b'{"url": "http://s.example/", "html": "\\ud800 lone <p>\\u0000"}',
        b'{"url": "http://l.example/\\ud800", "text": "\\udfff"}',
        json.dumps(good | {"html": 5}).encode(),
        json.dumps(good | {"url": ["x"]}).encode(),
        json.dumps(good).encode(),
    ]
    urls, skipped = scan(tmp_path, "pages.jsonl", b"\n".join(lines) + b"\n", 0)
    assert urls[0] == urls[-1] == "http://a.example/"
    assert len(urls) + sum(skipped.values()) == len(lines), "every line is a page or is counted"
