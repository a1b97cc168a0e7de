"""Causes on every engine, and copies against the obvious way to find their reasons."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from flows import add, classes_by_text, found, jsonl, sketched
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.causes import Reason, reason
from scatter import ScatterEngine
from warcs import http, record

from pagekin.detect.causes.copies import CHUNK, LOOK_BACK, find_copies
from pagekin.detect.causes.find import find_causes
from pagekin.detect.causes.redirects import JOINS
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.run import Run
from pagekin.tables import FUZZY, STYLE_CLUSTERS, STYLE_MEMBERS

TABLES = ("duplicate_rates", "url_parameters")


def with_classes(run: Run) -> Run:
    """Adds `fuzzy`: pages of equal text, with the first of each class whatever run it is of."""
    urls = {
        row["page"]: row["url"]
        for known in run.lineage
        for row in known.table("pages", ["page", "url"]).to_pylist()
    }
    rows = [
        {"class": first, "page": page, "url": urls[page], "kind": "near" if page % 3 == 1 else "exact"}
        for first, pages in classes_by_text(run).items()
        if pages[-1] >= run.first_page
        for page in pages
        if page >= run.first_page or page == first
    ]
    add(run, "fuzzy", {FUZZY: rows})
    return run


def shop(n: int) -> list[dict[str, Any]]:
    """Pages of a site with session ids, print views, aliases, mirrors and pages fetched again."""
    pages = []
    for item in range(n):
        url, text = f"http://www.shop.example/item/{item}", f"item number {item} " * 9
        host = "mirror" if item % 2 else "shop"
        urls = [url, f"{url}?sid={item}", f"{url}?sid={item}b&page=2", f"{url}/print", url]
        urls += [f"http://{host}.example/item/{item}", f"http://cdn{item % 3}.test/item/{item}?a=1&b=2"]
        pages += [{"url": u, "text": text, "ip": f"192.0.2.{item % 3}"} for u in urls]
        pages.append({"url": f"http://list.example/?page={item}&sort=up", "text": f"list {item % 4} " * 9})
    return [
        *pages,
        {"url": "http://blank.example/?q=1", "text": ""},
        {"url": "no url", "text": "item number 0 " * 9},
    ]


def copies_of(run: Run, engine: Engine) -> list[dict[str, Any]]:
    return sorted(engine.collect(find_copies(run, engine)).to_pylist(), key=lambda row: row["page"])


def expected_copies(run: Run) -> list[dict[str, Any]]:
    """Every page compared with the first of its class, one after the other; no redirects."""
    where = {
        row["page"]: (row["domain"], row["ip"])
        for known in run.lineage
        for row in known.table("pages", ["page", "domain", "ip"]).to_pylist()
    }
    members: dict[int, list[tuple[int, str, str]]] = {}
    for row in run.table("fuzzy").to_pylist():
        members.setdefault(row["class"], []).append((row["page"], row["url"], row["kind"]))
    rows = []
    for content, pages in members.items():
        for place, (page, url, kind) in enumerate(pages[1:], 1):
            best: tuple[Reason, str] | None = None
            for other, of_url, _ in pages[: min(place, LOOK_BACK)]:
                (domain, ip), (own_domain, own_ip) = where[other], where[page]
                why = reason(of_url, url, domain == own_domain, ip is not None and ip == own_ip)
                if why is not None and (best is None or why.rank < best[0].rank):
                    best = why, of_url
            cause, detail = (best[0].cause, best[0].detail) if best else (None, None)
            of = best[1] if best else pages[0][1]
            row = {"page": page, "kind": kind, "content": content, "cause": cause, "detail": detail}
            rows.append(row | {"of_url": of})
    return sorted(rows, key=lambda row: row["page"])


@pytest.mark.parametrize("seed", range(3))
def test_all_engines_agree(tmp_path: Path, seed: int) -> None:
    run = with_classes(sketched(jsonl(tmp_path / "crawl.jsonl", shop(30)), tmp_path / "run"))
    pages = run.table("pages", ["page"])["page"].to_pylist()
    members = [{"cluster": page % 2, "page": page} for page in pages if page % 5]
    clusters: list[dict[str, Any]] = [{"rank": 1, "cluster": 0, "name": "Shop"}, {"rank": 2, "cluster": 1}]
    if seed:
        add(run, "styles", {STYLE_MEMBERS: members, STYLE_CLUSTERS: clusters})
    local = found(run, find_causes, LocalEngine(2), TABLES)
    assert local == found(run, find_causes, ScatterEngine(seed), TABLES)
    assert len(local["duplicate_rates"]) > 9
    assert [row["parameter"] for row in local["url_parameters"]] == ["sid", "page"]
    assert copies_of(run, LocalEngine(1)) == copies_of(run, ScatterEngine(seed)) == expected_copies(run)


def test_known_pages(tmp_path: Path) -> None:
    first = sketched(jsonl(tmp_path / "one.jsonl", shop(9)), tmp_path / "one")
    again = sketched(jsonl(tmp_path / "two.jsonl", shop(12)[20:]), tmp_path / "two", against=first.path)
    run = with_classes(again)
    assert found(run, find_causes, LocalEngine(2), TABLES) == found(
        run, find_causes, ScatterEngine(5), TABLES
    )
    copies = copies_of(run, LocalEngine(1))
    assert copies == copies_of(run, ScatterEngine(6)) == expected_copies(run)
    assert min(row["content"] for row in copies) < run.first_page


def test_nothing(tmp_path: Path) -> None:
    run = with_classes(sketched(jsonl(tmp_path / "crawl.jsonl", shop(1)[-2:]), tmp_path / "run"))
    assert found(run, find_causes, LocalEngine(1), TABLES) == found(
        run, find_causes, ScatterEngine(1), TABLES
    )
    assert copies_of(run, LocalEngine(1)) == []


def test_one_class_of_very_many(tmp_path: Path) -> None:
    """It is cut into chunks; all of its pages are compared with the first all the same."""
    pages = [
        {"url": f"http://{'a' if n % 5 else f'h{n}'}.example/gone{n % 70}?sid={n}", "text": "not found " * 9}
        for n in range(2 * CHUNK + 100)
    ]
    run = with_classes(sketched(jsonl(tmp_path / "crawl.jsonl", pages), tmp_path / "run"))
    local = copies_of(run, LocalEngine(2))
    assert len(local) == len(pages) - 1
    assert local == expected_copies(run)
    assert found(run, find_causes, LocalEngine(2), TABLES) == found(
        run, find_causes, ScatterEngine(3), TABLES
    )


def test_redirects(tmp_path: Path) -> None:
    """Redirects to itself, in a row, from one URL to several, and into a ring."""
    site = "http://r.example"
    moves = [(f"/p{n}", f"/p{n + 1}") for n in range(12)]
    moves += [
        ("/fork", "/left"),
        ("/fork", "/right"),
        ("/ring", "/gnir"),
        ("/gnir", "/ring"),
        ("/self", "/self"),
    ]
    blocks = [record("response", http(status=302, location=to), f"{site}{path}") for path, to in moves]
    pages = ["/p0", "/p3", "/p12", "/left", "/right", "/gnir", "/ring", "/self", "/self", "/other"]
    blocks += [
        record("response", http(b"<p>the same words on all of them"), f"{site}{path}") for path in pages
    ]
    (tmp_path / "crawl.warc").write_bytes(b"".join(blocks))
    run = with_classes(sketched(tmp_path / "crawl.warc", tmp_path / "run"))
    copies = copies_of(run, LocalEngine(1))
    assert copies == copies_of(run, ScatterEngine(2))
    found_by = [(row["cause"], row["of_url"].removeprefix(site)) for row in copies]
    assert found_by == [
        ("redirect", "/p0"), ("redirect", "/p3"), (None, "/p0"), ("redirect", "/left"), (None, "/p0"),
        ("redirect", "/gnir"), (None, "/p0"), ("redirect", "/self"), (None, "/p0"),
    ]  # fmt: skip


NODES = st.integers(0, 12)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(NODES, NODES), max_size=14),
    st.lists(st.tuples(st.integers(0, 1), NODES, st.booleans()), max_size=9),
)
def test_joined_by_redirects(edges: list[tuple[int, int]], members: list[tuple[int, int, bool]]) -> None:
    """Against joins by paths of all lengths up to ten, one hop after the other."""
    rows = [(0, 0, 0, 0, a, b) for a, b in edges]
    rows += [(0, 1, content, page, key, int(head)) for page, (content, key, head) in enumerate(members, 1)]
    names = ("component", "member", "class_", "page", "key", "other")
    columns = list(zip(*sorted(rows, key=lambda row: row[:4]), strict=True)) or [()] * 6
    arrays = [pa.array(column, pa.int64()) for column in columns]
    kernel = JOINS.open(1)
    joined = kernel(pa.RecordBatch.from_arrays(arrays, names=list(names))).to_pylist()

    def reached(start: int) -> set[int]:
        at, seen = {start}, set[int]()
        for _ in range(10):
            at = {b for a, b in edges if a in at}
            seen |= at
        return seen

    forks = [{b for a, b in edges if a == node} for node in range(13)]
    several = [reached(node) for node in range(13) if len(forks[node]) > 1]

    def join(one: int, other: int) -> bool:
        if one == other:
            return any(b == one for _, b in edges)
        both = any({one, other} <= ends for ends in several)
        return other in reached(one) or one in reached(other) or both

    expected = []
    for page, (content, key, _) in enumerate(members, 1):
        before = [
            place
            for place, (other, its_key, head) in enumerate(members[: page - 1], 1)
            if other == content and head and join(its_key, key)
        ]
        expected += [{"page": page, "redirect": before[0]}] if before else []
    assert sorted(joined, key=lambda row: row["page"]) == expected
    assert all(one["page"] < other["page"] for one, other in pairwise(expected))
