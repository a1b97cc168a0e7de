"""Quilts by covered share, sources that came before, and all pages that share enough."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.errors import ParamsError


def words(letter: str, count: int, start: int = 0) -> str:
    return " ".join(f"{letter}{n}" for n in range(start, start + count))


PARENT = {"url": "http://parent.example/", "text": words("p", 60), "date": "2001-01-01"}
COPY = {"url": "http://copy.example/", "text": words("p", 50) + " " + words("c", 60), "date": "2009-01-01"}
OTHERS = [{"url": f"http://{c}.example/", "text": words(c, 60), "date": "2000-01-01"} for c in "xyz"]
QUILT = {
    "url": "http://quilt.example/",
    "text": " ".join([words("p", 30), *(words(c, 20) for c in "xyz")]),
    "date": "2005-01-01",
}


def scan(folder: Path, pages: list[dict[str, Any]], profile: str = "default", **params: Any) -> pagekin.Run:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    settings = pagekin.Params.of(profile).replace("quilts", **params)
    return pagekin.scan(folder / "crawl.jsonl", folder / "run", only=["quilts"], params=settings)


def sources(run: pagekin.Run) -> set[str]:
    rows = run.table("quilt_sources").to_pylist()
    return {row["source_url"] for row in rows if row["url"] == QUILT["url"]}


def test_earlier_only(tmp_path: Path) -> None:
    """A copy that came later hides the parent, unless later pages are no sources."""
    pages = [COPY, PARENT, *OTHERS, QUILT]
    assert COPY["url"] in sources(scan(tmp_path / "any", pages)), "of equal pages the first one"
    run = scan(tmp_path / "earlier", pages, earlier_only=True)
    assert sources(run) == {PARENT["url"], *(page["url"] for page in OTHERS)}
    undated = [{key: page[key] for key in ("url", "text")} for page in pages]
    assert COPY["url"] in sources(scan(tmp_path / "undated", undated, earlier_only=True))
    dates = tmp_path / "dates.txt"
    dates.write_text(
        f"# when they were written\n\n{COPY['url']} 2009-01-01\n{QUILT['url']}  20050101000000\n"
    )
    run = scan(tmp_path / "file", undated, earlier_only=True, dates=str(dates))
    assert COPY["url"] not in sources(run)


def test_dates_that_are_said_count_more_than_the_crawls(tmp_path: Path) -> None:
    """For the sources, for who was first, and in the list of all sources."""
    dates = tmp_path / "dates.txt"
    dates.write_text(f"{COPY['url']} 1999-01-01\n")
    run = scan(tmp_path, [COPY, PARENT, *OTHERS, QUILT], earlier_only=True, dates=str(dates), min_shared=0.2)
    (row,) = [row for row in run.table("quilt_sources").to_pylist() if row["source_url"] == COPY["url"]]
    assert (row["url"], row["first"]) == (QUILT["url"], "source"), "the crawl fetched the quilt first"
    years = {row["source_url"]: row["date"].year for row in run.table("all_sources").to_pylist()}
    assert years == {COPY["url"]: 1999, PARENT["url"]: 2001}


def as_manifest(folder: Path, pages: list[dict[str, Any]]) -> Path:
    """A folder of HTML files whose manifest says when they were fetched."""
    folder.mkdir()
    lines = ["path,url,date"]
    for number, page in enumerate(pages):
        (folder / f"{number}.html").write_text(f"<p>{page['text']}</p>")
        lines.append(f"{number}.html,{page['url']},{page['date']}")
    (folder / "manifest.csv").write_text("\n".join(lines))
    return folder


def as_warc(folder: Path, pages: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    with (folder / "crawl.warc").open("wb") as out:
        for page in pages:
            body = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{page['text']}</p>".encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page['url']}\r\n"
                f"WARC-Date: {page['date']}T00:00:00Z\r\nContent-Type: application/http\r\n"
                f"Content-Length: {len(body)}\r\n\r\n"
            )
            out.write(head.encode() + body + b"\r\n\r\n")
    return folder / "crawl.warc"


@pytest.mark.parametrize("write", [as_manifest, as_warc])
def test_dates_of_other_inputs(tmp_path: Path, write: Callable[[Path, list[dict[str, Any]]], Path]) -> None:
    crawl = write(tmp_path / "crawl", [COPY, PARENT, *OTHERS, QUILT])
    for earlier_only, first in ((False, COPY), (True, PARENT)):
        params = pagekin.Params().replace("quilts", earlier_only=earlier_only)
        run = pagekin.scan(crawl, tmp_path / f"run-{earlier_only}", only=["quilts"], params=params)
        assert sources(run) == {first["url"], *(page["url"] for page in OTHERS)}


def test_all_sources(tmp_path: Path) -> None:
    """The parent adds nothing to its copy, but it is listed, with its date."""
    run = scan(tmp_path, [COPY, PARENT, *OTHERS, QUILT], min_shared=0.2)
    rows = [row for row in run.table("all_sources").to_pylist() if row["url"] == QUILT["url"]]
    assert [row["source_url"] for row in rows] == [COPY["url"], PARENT["url"]]
    assert [row["rank"] for row in rows] == [1, 2]
    assert [row["cover_rank"] for row in rows] == [1, None]
    (quilt,) = [row for row in run.table("quilts").to_pylist() if row["url"] == QUILT["url"]]
    assert {row["shared_grams"] for row in rows} == {26}
    assert rows[0]["shared_fraction"] == pytest.approx(26 / quilt["grams"])
    assert rows[1]["date"].year == 2001
    assert (
        len(scan(tmp_path / "more", [COPY, PARENT, *OTHERS, QUILT], min_shared=0.01).table("all_sources")) > 4
    )


def test_what_a_site_shares_with_itself_does_not_count(tmp_path: Path) -> None:
    """Half of the page is the site's own frame; a few foreign grams do not make it a quilt."""
    own = [
        {"url": f"http://site.example/{n}", "text": words("f", 80) + " " + words(f"n{n}x", 60)}
        for n in range(4)
    ]
    few = [{"url": f"http://{c}.example/", "text": words(c, 60)} for c in "wxyz"]
    own[0]["text"] += " " + " ".join(words(c, 6) for c in "wxyz")
    assert scan(tmp_path / "paper", [*own, *few], "paper").table("quilts").num_rows == 1
    assert scan(tmp_path / "default", [*own, *few]).table("quilts").num_rows == 0
    for profile in ("paper", "default"):
        run = scan(tmp_path / f"none-{profile}", [*own, *few], profile, foreign="none", c=2)
        assert all(
            row["covered_fraction"] == row["patch_fraction"] for row in run.table("quilts").to_pylist()
        )


def test_quilts_come_by_covered_share(tmp_path: Path) -> None:
    taken = " ".join([words("p", 25, 32), *(words(c, 20, 30) for c in "xyz")])
    part = {"url": "http://part.example/", "text": f"{taken} {words('own', 40)}"}
    rows = scan(tmp_path, [*OTHERS, PARENT, part, QUILT]).table("quilts").to_pylist()
    shares = [row["covered_fraction"] for row in rows]
    assert len(rows) == 2
    assert shares == sorted(shares, reverse=True)
    assert all(row["covered_grams"] == row["patch_grams"] - row["uncovered"] for row in rows)


@pytest.mark.parametrize(
    "line", ["http://a.example/", "http://a.example/ soon", "http://a.example/ 2001-13-01"]
)
def test_wrong_dates(tmp_path: Path, line: str) -> None:
    (tmp_path / "dates.txt").write_text(line)
    with pytest.raises(ParamsError, match="line 1: not a URL and a date"):
        scan(tmp_path, [QUILT], earlier_only=True, dates=str(tmp_path / "dates.txt"))


def test_dates_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ParamsError, match="cannot read the dates"):
        scan(tmp_path, [QUILT], earlier_only=True, dates=str(tmp_path / "nosuch.txt"))
    with pytest.raises(ParamsError, match="only earlier_only asks for"):
        pagekin.Params().replace("quilts", dates="dates.txt")
