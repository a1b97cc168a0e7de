"""Quilts and who owns pages: server maps, and links to copies of a source."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.errors import InputError
from pagekin.query.check import KnownGrams
from pagekin.studies.sweep import Grid, sweep

LETTERS = "abcde"


def words(letter: str, count: int, start: int = 0) -> str:
    return " ".join(f"{letter}{n}" for n in range(start, start + count))


STITCHED = " ".join(words(c, 12, 5) for c in LETTERS)


def scan(
    folder: Path, pages: Sequence[dict[str, Any]], *steps: str, server_map: str = "", **params: Any
) -> pagekin.Run:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    settings = pagekin.Params().replace("quilts", **params)
    if server_map:
        (folder / "map").write_text(server_map)
        settings = settings.replace("servers", map=str(folder / "map"))
    only = [*steps, "quilts"]
    return pagekin.scan(folder / "crawl.jsonl", folder / "run", only=only, params=settings)


def web(links: str = "") -> list[dict[str, Any]]:
    pages = [
        {"url": f"http://www.{c}.example/", "ip": f"10.0.0.{n}", "html": f"<p>{words(c, 40)}"}
        for n, c in enumerate(LETTERS)
    ]
    stitched = f"<p>{links}</p><p>{STITCHED}"
    return [*pages, {"url": "http://q.example/", "ip": "10.0.1.1", "html": stitched}]


def source_hosts(run: pagekin.Run) -> list[str]:
    return [row["source_url"][7:].rstrip("/") for row in run.table("quilt_sources").to_pylist()]


@pytest.mark.parametrize("foreign", ["host", "domain", "ip"])
def test_a_server_map_joins_sites(tmp_path: Path, foreign: str) -> None:
    """The quilt's owner has two of the sources: one is mapped by its host, one by its domain."""
    server_map = "q.example Q & Co\na.example Q & Co  # a domain\nwww.b.example Q & Co\nc.example Other\n"
    run = scan(
        tmp_path / "mapped",
        web(),
        server_map=server_map,
        foreign=foreign,
        c=2,
        keep_grams=True,
        share="patch",
    )
    assert source_hosts(run) == ["www.c.example", "www.d.example", "www.e.example"]
    (row,) = run.table("quilts").to_pylist()
    assert (row["foreign_sources"], row["uncovered"], row["patch_grams"]) == (3, 16, 40)
    assert len(source_hosts(scan(tmp_path / "plain", web(), foreign=foreign, c=2, share="patch"))) == 5
    # What looks at the run later knows the map too.
    answer = KnownGrams(run).check(STITCHED, "http://q.example/", "10.0.1.1")
    assert [s["source_url"][11] for s in answer.sources] == ["c", "d", "e"]
    points = sweep(run, Grid(run.params.quilts, k=[5], c=[3, 4], m=[], theta=[]))
    assert points["quilted"].to_pylist() == [1, 1, 0]  # c = 2, 3, 4


def test_without_a_rule_a_server_map_says_what_is_foreign(tmp_path: Path) -> None:
    run = scan(tmp_path, web(), server_map="q.example Q\na.example Q\n", foreign="none")
    (row,) = run.table("quilts").to_pylist()
    assert (row["sources"], row["foreign_sources"], row["uncovered"]) == (5, 4, 0)


def test_a_missing_server_map(tmp_path: Path) -> None:
    settings = pagekin.Params().replace("servers", map=str(tmp_path / "none"))
    (tmp_path / "crawl.jsonl").write_text(json.dumps(web()[0]))
    with pytest.raises(InputError, match="server map"):
        pagekin.scan(tmp_path / "crawl.jsonl", tmp_path / "run", only=["quilts"], params=settings)


def attributed(run: pagekin.Run) -> dict[str, bool]:
    rows = run.table("quilt_sources").to_pylist()
    return {row["source_url"][11]: row["attributed"] for row in rows}


def test_a_link_to_any_domain_of_a_site_attributes(tmp_path: Path) -> None:
    links = '<a href="http://blog.a-news.example/1">a</a> <a href="http://me@b-news.example:8080/?x">b</a>'
    plain = attributed(scan(tmp_path / "plain", web(links)))
    assert plain == dict.fromkeys(LETTERS, False)
    server_map = "a.example A\na-news.example A\nb.example B\nb-news.example B\n"
    mapped = attributed(scan(tmp_path / "mapped", web(links), server_map=server_map))
    assert mapped == plain | {"a": True, "b": True}


def test_a_link_to_a_copy_attributes(tmp_path: Path) -> None:
    """Copies of a, b and c: linked by URL, by site, and by the quilt's own site, which says nothing."""
    links = '<a href="http://q.example/a">a</a> <a href="http://mirror.example/">b</a>'
    copies = [
        {"url": url, "ip": "10.0.2.1", "html": f"<p>{words(c, 40)}"}
        for c, url in (
            ("a", "http://q.example/a"),
            ("b", "http://mirror.example/b"),
            ("c", "http://q.example/c"),
        )
    ]
    pages = [*web(links), *copies]
    run = scan(tmp_path / "classes", pages, "duplicates")
    assert len(run.copies()) == 3
    found = attributed(run)
    assert found == dict.fromkeys(LETTERS, False) | {"a": True, "b": True}
    kept = scan(tmp_path / "kept", pages, "duplicates", keep_duplicates=True)
    assert attributed(kept)["a"] is False, "without classes a link to a copy is no link to the source"


def test_a_source_with_many_mirrors(tmp_path: Path) -> None:
    """What more than m pages hold is no patch gram; by default a class of copies counts as one page."""
    mirrors = [{"url": f"http://m{n}.example/", "html": f"<p>{words('a', 40)}"} for n in range(50)]
    pages = [*web(), *mirrors]
    assert len(source_hosts(scan(tmp_path / "default", pages, "duplicates"))) == 5
    kept = scan(tmp_path / "kept", pages, "duplicates", keep_duplicates=True)
    assert source_hosts(kept) == [f"www.{c}.example" for c in "bcde"]


def test_links_to_sites_attribute_each_source(tmp_path: Path) -> None:
    links = " ".join(f'<a href="http://{c}.example/x">x</a>' for c in "ace")
    found = attributed(scan(tmp_path, web(links)))
    assert found == {"a": True, "b": False, "c": True, "d": False, "e": True}
