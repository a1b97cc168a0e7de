"""Small parts of the crawler: scope, the curve, its drawing, parameters."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.crawl.answer import parse_answer
from pagekin.crawl.curve import POINTS, Curve
from pagekin.crawl.draw import braille
from pagekin.crawl.params import CrawlParams
from pagekin.crawl.scope import DOMAIN, HOST, PREFIX, Scope
from pagekin.crawl.seen import EXACT, NEAR, UNIQUE, SeenPages
from pagekin.errors import ParamsError, UsageError


@pytest.mark.parametrize(
    ("kind", "url", "why"),
    [
        (HOST, "https://www.a.co.uk/x", None),
        (HOST, "http://a.co.uk/x", "outside"),
        (HOST, "http://www.a.co.uk:8080/x", "outside"),
        (DOMAIN, "http://shop.a.co.uk/x", None),
        (DOMAIN, "http://b.co.uk/x", "outside"),
        (PREFIX, "https://www.a.co.uk/docs/x/y", None),
        (PREFIX, "https://www.a.co.uk/docs", "outside"),
        (PREFIX, "https://www.a.co.uk/blog/", "outside"),
        (HOST, "ftp://www.a.co.uk/x", "not-http"),
        (HOST, "http://www.a.co.uk/x.JPG", "no-page"),
        (HOST, "http://www.a.co.uk/x.jpg?size=3", None),
        (HOST, "http://www.a.co.uk/" + "a/b/" * 5, "trap"),
        (HOST, "http://www.a.co.uk/?" + "&".join("k=1" for _ in range(20)), "trap"),
        (HOST, "http://www.a.co.uk/" + "x" * 2000, "too-long"),
    ],
)
def test_scope(kind: str, url: str, why: str | None) -> None:
    assert Scope(["https://www.a.co.uk/docs/index.html"], kind).refuses(url) == why


def test_seeds() -> None:
    scope = Scope(["a.example", "localhost:8000/x#y", "HTTP://B.example"])
    assert scope.seeds == ["http://a.example/", "http://localhost:8000/x", "http://b.example/"]
    for wrong in ("mailto:x@y.example", "ftp://a.example/", "http://", "", "javascript:alert(1)"):
        with pytest.raises(UsageError):
            Scope([wrong])


def test_a_seed_that_moves_takes_the_crawl_along() -> None:
    scope = Scope(["http://a.example/"])
    scope.admit("http://a.example/", "https://www.a.example/")
    scope.admit("http://a.example/", "https://b.example/")
    assert scope.refuses("https://www.a.example/x") is None
    assert scope.refuses("https://b.example/x") == "outside"


@given(st.text(max_size=80))
def test_scope_takes_any_text(url: str) -> None:
    for kind in (HOST, DOMAIN, PREFIX):
        Scope(["http://a.example/"], kind).refuses(url)


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", "http://a.example/b"),
        ("c?x=1&y=2", "http://a.example/d/c?x=1&y=2"),
        ("//b.example", "http://b.example/"),
        ('"><script>', "http://a.example/d/%22%3E%3Cscript%3E"),
    ],
)
def test_redirects(location: str, target: str) -> None:
    head = f"HTTP/1.1 301 Moved\r\nLocation: {location}\r\n\r\n".encode()
    assert parse_answer("http://a.example/d/", head, b"", 100).location == target


def test_verdicts() -> None:
    known = SeenPages()
    words = [
        "the",
        "quick",
        "brown",
        "fox",
        "jumps",
        "over",
        "the",
        "lazy",
        "dog",
        "and",
        "runs",
        "away",
        "from",
        "every",
        "hound",
    ]
    text = " ".join(words * 20)
    assert known.see(text) == (UNIQUE, None, None)
    assert known.see("something else entirely, and rather short") == (UNIQUE, None, None)
    assert known.see(text) == (EXACT, 0, 100)
    assert known.see("short rather and, entirely else something") == (NEAR, 1, None)
    long = " ".join(f"word{n * n % 7919}" for n in range(600))
    assert known.see(long).kind == UNIQUE
    near = known.see(long.replace("word2500 ", "changed "))
    assert near.kind == NEAR
    assert near.of == 4
    assert near.score is not None
    assert 90 <= near.score < 100
    assert len(known) == 6


def test_curve_is_thinned_and_keeps_its_end(tmp_path: Path) -> None:
    curve = Curve()
    count = 5 * POINTS + 3
    for n in range(count):
        curve.add("unique" if n % 3 else "exact", n)
    assert len(curve.points) <= 2 * POINTS
    curve.save(tmp_path / "curve.parquet")
    rows = pq.read_table(tmp_path / "curve.parquet").to_pylist()
    assert [row["fetched"] for row in rows] == sorted({row["fetched"] for row in rows})
    for row in rows:
        assert row["exact"] == -(-row["fetched"] // 3)
        assert row["unique"] == row["fetched"] - row["exact"]
    assert rows[-1]["fetched"] == count
    assert [path.name for path in tmp_path.iterdir()] == ["curve.parquet"]


def test_empty_curve(tmp_path: Path) -> None:
    Curve().save(tmp_path / "curve.parquet")
    assert pq.read_table(tmp_path / "curve.parquet").num_rows == 0


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=30), max_size=3),
    st.integers(1, 40),
    st.integers(1, 10),
)
def test_drawing_has_its_size(series: list[list[tuple[int, int]]], width: int, height: int) -> None:
    rows = braille([sorted(line) for line in series], width, height)
    assert [len(row) for row in rows] == [width] * height
    assert all(0x2800 <= cell >> 8 <= 0x28FF for row in rows for cell in row)


def test_drawing_rises() -> None:
    rows = braille([[(0, 0), (100, 100)]], 20, 5)
    lit = [[cell >> 8 != 0x2800 for cell in row] for row in rows]
    assert lit[0][-1]
    assert lit[-1][0]
    assert not lit[0][0]
    assert not lit[-1][-1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"scope": "planet"},
        {"order": "best"},
        {"saturation": "yes"},
        {"threshold": 0},
        {"delay": -1},
        {"worth": 2},
    ],
)
def test_parameters_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ParamsError):
        CrawlParams(["http://a.example/"], **wrong)  # type: ignore[arg-type]


def test_links_have_a_limit() -> None:
    body = b"".join(b"<a href=/%d>x</a>" % n for n in range(20_000))
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    assert len(parse_answer("http://a.example/", head, body, 1 << 24).links) == 10_000
