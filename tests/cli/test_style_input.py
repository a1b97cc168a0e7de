"""Bad input to styles, on the real command: a clear result or a clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import warcs
from cli.command import one_line, run

import pagekin


def scan(folder: Path, pages: list[str], *args: str) -> pagekin.Run:
    """A run over these pages, each on a host of its own."""
    rows = [{"url": f"http://h{number}.example/", "html": html} for number, html in enumerate(pages)]
    (folder / "pages.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("scan", folder / "pages.jsonl", "-o", folder / "run", "--only", "styles", *args)
    return pagekin.Run(folder / "run")


def page(number: int, rows: int = 120) -> str:
    """Markup of its own: nothing but punctuation, by a number."""
    signs = "<>/=.,;:!?-+*()[]{}"
    state = number + 1
    out = []
    for _ in range(rows * 8):
        state = state * 6364136223846793005 + 1442695040888963407 & (1 << 64) - 1
        out.append(signs[(state >> 33) % len(signs)])
    return "".join(out)


def test_pages_without_a_fingerprint(tmp_path: Path) -> None:
    """Empty pages, one character, fewer than n characters of noise."""
    found = scan(tmp_path, ["", "x", "<", "<p>words</p>", "<" * 11, "", "<" * 11])
    assert found.table("sketches")["style"].to_pylist() == [None] * 7
    assert found.table("style_clusters").num_rows == found.table("style_members").num_rows == 0
    message = one_line(run("like", tmp_path / "run", "http://h3.example/", code=1))
    assert "too little markup" in message
    (tmp_path / "small.html").write_text("<p>small</p>")
    assert "too small to judge" in run("check", tmp_path / "run", tmp_path / "small.html").stdout


def test_too_few_dimensions_for_a_link(tmp_path: Path) -> None:
    """A page that fills fewer than t dimensions is linked to nobody, not even to its copy."""
    found = scan(tmp_path, ["<" * 40, "<" * 40, page(1), page(1)])
    assert [row["pages"] for row in found.table("style_clusters").to_pylist()] == [2]
    assert found.table("style_members")["page"].to_pylist() == [2, 3]


def test_all_markup(tmp_path: Path) -> None:
    """Ten megabytes of markup, twice."""
    html = "<div><i></i></div>\n" * (10_000_000 // 19)
    mixed = html + page(7)
    found = scan(tmp_path, [mixed, mixed, page(8)])
    (cluster,) = found.table("style_clusters").to_pylist()
    assert (cluster["pages"], cluster["mean_similarity"], cluster["cohesion"]) == (2, 1.0, 1.0)


def test_a_hundred_thousand_identical_pages(tmp_path: Path) -> None:
    found = scan(tmp_path, [page(3, 40)] * 100_000)
    (cluster,) = found.table("style_clusters").to_pylist()
    assert (cluster["pages"], cluster["domains"], cluster["mean_similarity"]) == (100_000, 100_000, 1.0)
    assert (cluster["centroid"], cluster["cluster"], cluster["worm"]) == (0, 0, False)
    assert found.info["steps"]["styles"]["big_buckets"]["count"] == 0


def test_all_pages_distinct(tmp_path: Path) -> None:
    found = scan(tmp_path, [page(number) for number in range(2000)])
    assert found.table("style_clusters").num_rows == 0
    for table in ("style_clusters", "style_members"):
        run("show", tmp_path / "run", table)
    assert "there are 0" in one_line(run("show", tmp_path / "run", "style_members", "--rank", "1", code=2))


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (["--style-n", "0"], "style.n must be from 1 to 64, not 0"),
        (["--style-n", "1000000"], "style.n must be from 1 to 64"),
        (["--style-m", "0"], "style.m must be from 1 to 4096, not 0"),
        (["--style-m", "99999999999"], "style.m must be from 1 to 4096"),
        (["--style-t", "129"], "style.t must be from 1 to 128, not 129"),
        (["--style-t", "0"], "style.t must be from 1 to 128"),
        (["--style-p", "0"], "style.p must be from 1 to 128"),
        (["--style-p", "129"], "style.p must be from 1 to 128"),
        (["--style-k", "9"], "style.k must be from 1 to 8"),
        (["--style-miss", "1"], "style.miss must be from 0 to below 1"),
        (["--style-miss", "1e-300", "--style-k", "8", "--style-t", "8"], "needs more than 4096 probes"),
    ],
)
def test_parameters(tmp_path: Path, flags: list[str], says: str) -> None:
    warc = warcs.write(tmp_path, "crawl.warc", [warcs.page(1)])
    message = one_line(run("scan", warc, "-o", tmp_path / "run", *flags, code=2))
    assert says in message
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--style-m", "1", "--style-t", "1", "--style-structure-t", "1", "--style-p", "1"], {0, 1, 2}),
        (["--style-n", "1"], {0, 1, 2}),
        (["--style-miss", "0.01"], {0, 1}),
        (["--style-k", "2", "--style-p", "60"], {0, 1}),
        (["--split-worms"], {0, 1}),
    ],
)
def test_unusual_parameters(tmp_path: Path, flags: list[str], expected: set[int]) -> None:
    """They give what they say: a copy is always found, a stranger only when next to nothing is asked."""
    found = scan(tmp_path, [page(1), page(1), page(2)], *flags)
    members: list[dict[str, Any]] = found.table("style_members").to_pylist()
    assert {row["page"] for row in members} <= expected
    assert {0, 1} <= {row["page"] for row in members} or "1" in flags


def test_unknown_page_and_cluster(tmp_path: Path) -> None:
    scan(tmp_path, [page(1), page(1)])
    folder = tmp_path / "run"
    assert "neither a page" in one_line(run("like", folder, "http://nowhere.example/", code=1))
    assert "no style cluster of rank 2" in one_line(
        run("show", folder, "style_members", "--rank", "2", code=2)
    )
    assert "--rank and --sample" in one_line(run("show", folder, "pages", "--rank", "1", code=2))
    assert "give a name that ends with" in one_line(
        run("like", folder, "http://h0.example/", "--plot", tmp_path / "x.gif", code=2)
    )
