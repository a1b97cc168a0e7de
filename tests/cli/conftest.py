"""What the tests of the command share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.command import run

import pagekin

HOSTILE = [
    {"url": "http://formula.example/", "html": "<title>=HYPERLINK(1)</title><p>plain words here"},
    {"url": "http://script.example/", "html": "<title>&lt;script>alert(1)&lt;/script></title><p>two words"},
    {"url": "http://red.example/\x1b[31m", "html": "<title>&#27;[31mred \x1b]0;owned\x07</title><p>red"},
    {"url": "http://turned.example/", "html": "<title>\u202eabc \u009b31m</title><p>bidi"},
    {"url": "x-y://a\"'&b/", "html": "<title>&amp;lt;b></title><p>a host with quotes"},
    {"url": "http://cells.example/", "html": "<title>@sum, \"quoted\"\n,line</title><p>+1 -1"},
]  # fmt: skip
"""Pages that would like to act where their titles and URLs are shown."""


@pytest.fixture(scope="session")
def scanned(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the small web. Not to be written to."""
    folder = tmp_path_factory.mktemp("scanned") / "run"
    run("scan", small_web, "-o", folder)
    return folder


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of hostile pages. Its own name is hostile too."""
    folder = tmp_path_factory.mktemp("hostile")
    crawl = folder / "crawl.jsonl"
    crawl.write_text("".join(json.dumps(page) + "\n" for page in HOSTILE))
    run("scan", crawl, "-o", folder / "<img src=x onerror=alert(2)>")
    return folder / "<img src=x onerror=alert(2)>"


MANY = 120_000
"""Records: several parts, and a few seconds of work."""


@pytest.fixture(scope="session")
def many_pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of very many tiny pages, a few of them no pages."""
    path = tmp_path_factory.mktemp("many") / "many.warc"
    path.write_bytes(b"".join(map(_tiny, range(MANY))))
    return path


def _tiny(number: int) -> bytes:
    status = 404 if number % 1000 == 7 else 200
    html = b"<title>%d</title><p>page %d has <a href=/%d>words</a>" % (number, number, number * 7)
    block = b"HTTP/1.1 %d OK\r\nContent-Type: text/html\r\n\r\n%s" % (status, html)
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://s%d.example/%d\r\n" % (
        number % 50,
        number,
    )
    return b"%sContent-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" % (
        head,
        len(block),
        block,
    )


@pytest.fixture(scope="module")
def page(scanned: Path, small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of the run as a file: one of a template."""
    wanted = pagekin.Run(scanned).table("style_members")["url"][0].as_py()
    html = next(page.html for page in pagekin.read(small_web) if page.url == wanted)
    path = tmp_path_factory.mktemp("page") / "a.html"
    path.write_bytes(html or b"")
    return path


@pytest.fixture(scope="module")
def results(scanned: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = pagekin.Run(scanned).table("texts").to_pylist()[:8]
    path = tmp_path_factory.mktemp("results") / "results.jsonl"
    lines = [
        json.dumps({"query": "q", "rank": n, "url": row["url"], "text": row["text"]})
        for n, row in enumerate(texts, 1)
    ]
    path.write_text("\n".join(lines))
    return path
