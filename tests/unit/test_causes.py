"""Where duplicates come from: on a site whose duplicates are known."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagekin
from pagekin.addresses import parse, pattern_of
from pagekin.detect import causes
from pagekin.detect.reasons import reason


def text(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(300))


def crawl(folder: Path) -> Path:
    pages = []
    for article in range(4):
        base = f"http://www.cms.example/article/{article}"
        pages.append((base, text(article)))
        pages += [(f"{base}?sid={sid}{article}", text(article)) for sid in "ab"]
        pages.append((f"{base}?view=print", text(article)))
        pages.append((f"http://cms.example/article/{article}", text(article)))
        pages.append((f"http://www.cms.example/list?id={article}", text(100 + article)))
        pages.append((f"http://other.example/post/{article}", text(200 + article)))
    pages += [("http://www.cms.example/blank?z=1", ""), ("http://www.cms.example/blank?z=2", "")]
    path = folder / "crawl.jsonl"
    path.write_text("".join(json.dumps({"url": url, "text": text}) + "\n" for url, text in pages))
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    folder = tmp_path_factory.mktemp("causes")
    return pagekin.scan(crawl(folder), folder / "run", only=["causes"])


def test_rates(run: pagekin.Run) -> None:
    rows = {row["pattern"]: row for row in run.table("duplicate_rates").to_pylist()}
    assert sum(row["pages"] for row in rows.values()) == 30
    assert sum(row["exact"] for row in rows.values()) == 16
    found = {
        pattern: (row["pages"], row["exact"], row["cause"], row["detail"]) for pattern, row in rows.items()
    }
    assert found == {
        "www.cms.example/article/{n}?sid": (8, 8, "session id", "sid"),
        "www.cms.example/article/{n}?view=print": (4, 4, "print view", "view"),
        "cms.example/article/{n}": (4, 4, "host alias", "www."),
        "www.cms.example/article/{n}": (4, 0, None, None),
        "www.cms.example/{w}?id": (4, 0, None, None),
        "www.cms.example/{w}?z": (2, 0, None, None),
        "other.example/post/{n}": (4, 0, None, None),
    }
    row = rows["www.cms.example/article/{n}?sid"]
    assert (row["site"], row["rate"], row["caused"], row["cluster"]) == ("cms.example", 1.0, 8, None)
    assert row["url"].split("?")[0] == row["of_url"]


def test_parameters(run: pagekin.Run) -> None:
    rows = {row["parameter"]: row for row in run.table("url_parameters").to_pylist()}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "sid": "never matters",
        "view": "never matters",
        "id": "always matters",
    }
    sid = rows["sid"]
    assert (sid["host"], sid["role"]) == ("www.cms.example", "session id")
    assert (sid["addresses"], sid["pages"], sid["contents"]) == (4, 12, 4)


def test_style_clusters(run: pagekin.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a run has styles, the rates are told apart by them."""
    assert causes.style_clusters(run) == {}
    members = pa.table({"page": [3, 5], "cluster": [3, 3]})
    monkeypatch.setattr(pagekin.Run, "tables", ["style_members"])
    monkeypatch.setattr(pagekin.Run, "table", lambda *_: members)
    assert causes.style_clusters(run) == {3: 3, 5: 3}


@pytest.mark.parametrize(
    ("a", "b", "cause"),
    [
        ("http://a.example/x", "https://a.example/x", "scheme"),
        ("http://a.example/x", "http://b.example/x", "mirror"),
        ("http://a.example/x/", "http://a.example/x", "spelling of the path"),
        ("http://a.example/x/", "http://a.example/x/index.html", "spelling of the path"),
        ("http://a.example/X%41", "http://a.example/xa", "spelling of the path"),
        ("http://a.example/x;jsessionid=1", "http://a.example/x", "session id"),
        ("http://a.example/x.html", "http://a.example/x-print.html", "print view"),
        ("http://a.example/x?a=1&sort=b", "http://a.example/x?a=1&sort=c", "sort order"),
        ("http://a.example/x?a=1", "http://a.example/x?a=2", "parameter"),
        ("http://a.example/x", "http://a.example/y", None),
        ("http://a.example/x", "http://b.example/y", None),
    ],
)
def test_reasons(a: str, b: str, cause: str | None) -> None:
    found = reason(parse(a), parse(b), False, False)
    assert (found and found.cause) == cause


@given(st.text(), st.text())
def test_any_address(a: str, b: str) -> None:
    one, other = parse(a), parse(b)
    assert isinstance(pattern_of(one), str)
    forth, back = reason(one, other, True, True), reason(other, one, True, True)
    assert (forth and forth.cause) == (back and back.cause)
