"""Quilts against the definition, and the paper's theorems."""

from __future__ import annotations

import dataclasses
import random
import tempfile
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracles.quilts import Collection, Gram, Row, Source
from quilt_webs import Web, batch, webs

from pagekin import _core

THETAS = [0.0, 0.25, 0.5, 0.75, 1.0]


def counted(
    web: Web, k: int, m: int, foreign: str = "none", *, memory: int = 10**8, threads: int = 1, seed: int = 0
) -> Any:
    """What the kernel counts, given the pages in any order in several batches."""
    pages = list(web.texts)
    random.Random(seed).shuffle(pages)
    with tempfile.TemporaryDirectory() as folder:
        quilter = _core.GramCollection(threads, memory, folder, k, seed)
        host, domain, ip = zip(*(web.sites[page] for page in pages), strict=True)
        quilter.push_sites(batch(page=pages, url=[None] * len(pages), host=host, domain=domain, ip=ip))
        quilter.push_copies(batch(page=list(web.copies), representative=list(web.copies.values())))
        if web.dates:
            quilter.push_dates(batch(page=pages, date=[web.dates.get(page) for page in pages]))
        for part in (pages[::2], pages[1::2]):
            quilter.push(batch(page=part, text=[web.texts[page] for page in part]))
        return quilter.count(m, foreign)


def rows(
    found: Any,
    m: int,
    c: int,
    theta: float,
    min_share: float = 0.0,
    covered: bool = False,
    shared: float = 1.0,
) -> list[dict[str, Any]]:
    table = pa.Table.from_batches(found.covers(m, c, theta, min_share, covered, shared))
    return list(table.to_pylist())


def quilted(found: Any, m: int, c: int, theta: float, covered: bool = False) -> set[int]:
    return {row["page"] for row in rows(found, m, c, theta, covered=covered) if row["quilt"]}


foreigns = st.sampled_from(["none", "host", "domain", "ip"])


@given(
    webs(),
    st.integers(1, 6),
    st.integers(1, 6),
    st.integers(0, 3),
    st.sampled_from(THETAS),
    st.sampled_from([0.0, 0.2, 0.5]),
    foreigns,
    st.sampled_from([0, 100, 2000, 10**8]),
    st.integers(1, 2),
    st.integers(0, 2**64 - 1),
    st.booleans(),
    st.sampled_from([0.0, 0.3, 1.0]),
)
def test_is_the_definition(
    web: Web,
    k: int,
    m: int,
    c: int,
    theta: float,
    min_share: float,
    foreign: str,
    memory: int,
    threads: int,
    seed: int,
    covered: bool,
    min_shared: float,
) -> None:
    """Any order of pages, any memory, any number of threads, any seed."""
    oracle = Collection(web.texts, k, web.copies)

    def allows(page: int, other: int) -> bool:
        return web.allows(foreign, page, other)

    expected = oracle.rows(m, c, theta, allows, min_share, covered)
    found = counted(web, k, m, foreign, memory=memory, threads=threads, seed=seed)
    table = rows(found, m, c, theta, min_share, covered, min_shared)
    assert [row["page"] for row in table] == sorted(web.texts)
    for row in table:
        check(row, expected[row["page"]], web, foreign)
        check_holders(row, oracle.candidates(row["page"], m, allows), min_shared, web, foreign)
    assert found.metrics()["shared_grams"] == sum(len(pages) > 1 for pages in oracle.holders.values())
    assert found.metrics()["pairs"] == sum(map(len, oracle.grams.values()))


def check(row: Mapping[str, Any], truth: Row, web: Web, foreign: str) -> None:
    page = row["page"]
    assert row["grams"] == truth.grams
    assert row["own_grams"] == truth.own_grams
    assert row["patch_grams"] == truth.patch_grams
    assert row["quilt"] == truth.quilt
    if not truth.quilt:
        return
    assert row["uncovered"] == truth.uncovered
    named = [(*web.named(foreign, page, s.page), s.new_grams, s.shared_grams) for s in truth.sources]
    assert [(s["source"], s["foreign"], s["new_grams"], s["shared_grams"]) for s in row["sources"]] == named


def check_holders(
    row: Mapping[str, Any], held: Mapping[int, set[Gram]], min_shared: float, web: Web, foreign: str
) -> None:
    """Everybody who holds enough, whether the cover needs them or not."""
    if not row["quilt"]:
        assert row["holders"] == []
        return
    enough = {page: len(grams) for page, grams in held.items() if len(grams) >= min_shared * row["grams"]}
    ordered = sorted(enough, key=lambda page: (-enough[page], page))
    named = [(*web.named(foreign, row["page"], page), enough[page]) for page in ordered]
    assert [(h["source"], h["foreign"], h["shared_grams"]) for h in row["holders"]] == named
    chosen = {source["source"]: source["new_grams"] for source in row["sources"]}
    assert all(h["new_grams"] == chosen.get(h["source"], 0) for h in row["holders"])


@given(webs(), st.integers(1, 4), st.integers(1, 6), st.integers(0, 4), st.sampled_from(THETAS))
def test_both_shares_agree_without_a_rule(web: Web, k: int, m: int, c: int, theta: float) -> None:
    """Where every page may be a source, every patch gram is covered."""
    found = counted(dataclasses.replace(web, dates={}), k, m, "none")
    assert quilted(found, m, c, theta, covered=True) == quilted(found, m, c, theta)


@given(webs(), st.integers(1, 4), st.integers(1, 6), st.integers(0, 4), foreigns, st.booleans())
def test_theorem_1_fewer_with_larger_theta(
    web: Web, k: int, m: int, c: int, foreign: str, covered: bool
) -> None:
    found = counted(web, k, m, foreign)
    sets = [quilted(found, m, c, theta, covered) for theta in THETAS]
    assert all(more >= less for more, less in pairwise(sets))


@given(webs(), st.integers(1, 4), st.integers(1, 6), st.sampled_from(THETAS), foreigns, st.booleans())
def test_theorem_2_fewer_with_larger_c(
    web: Web, k: int, m: int, theta: float, foreign: str, covered: bool
) -> None:
    found = counted(web, k, m, foreign)
    sets = [quilted(found, m, c, theta, covered) for c in range(6)]
    assert all(more >= less for more, less in pairwise(sets))


@given(webs(max_pages=7), st.integers(1, 4), st.integers(1, 6), foreigns)
def test_theorem_3_more_with_larger_m(web: Web, k: int, m: int, foreign: str) -> None:
    """With covers of least size; and the kernel's patch grams, on which it rests, grow with m."""
    oracle = Collection(web.texts, k, web.copies)
    found = counted(web, k, m + 2, foreign)
    before = {row["page"]: row["patch_grams"] for row in rows(found, m, 0, 0.0)}
    for row in rows(found, m + 2, 0, 0.0):
        if row["patch_grams"] is None:
            continue
        assert row["patch_grams"] >= before[row["page"]]
        sizes = [
            oracle.smallest_cover(row["page"], most, lambda a, b: web.allows(foreign, a, b))
            for most in (m, m + 2)
        ]
        assert sizes[0] <= sizes[1]
        # The greedy cover is never smaller.
        assert sizes[1] <= len(row["sources"])


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_theorem_3_mostly_holds_with_greedy_covers(seed: int) -> None:
    """On pages stitched from a stock of sentences, of the quilts at m at least 9 in 10 are quilts at 2m."""
    rng = random.Random(seed)
    stock = [" ".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(60)]
    texts = {page: " ".join(rng.sample(stock, 8)) for page in range(80)}
    sites: dict[int, tuple[str | None, str | None, str | None]] = dict.fromkeys(texts, (None, None, None))
    found = counted(Web(texts, sites, {}), 4, 24)
    few = quilted(found, 12, 4, 0.5)
    assume(few)
    assert len(few & quilted(found, 24, 4, 0.5)) >= 0.9 * len(few)


def test_theorem_3_fails_with_a_minimum_share() -> None:
    """More patch grams make each source's share of them smaller: what was a quilt no longer is one."""
    texts = {0: "a b c d e f g h", 1: "a b", 2: "c d", 3: "e f g h", 4: "e f g h", 5: "e f g h"}
    sites: dict[int, tuple[str | None, str | None, str | None]] = dict.fromkeys(texts, (None, None, None))
    found = counted(Web(texts, sites, {}), 2, 4)
    assert [r["page"] for r in rows(found, 2, 2, 0.2, 0.3) if r["quilt"]] == [0]
    assert [r["page"] for r in rows(found, 4, 2, 0.2, 0.3) if r["quilt"]] == []


def test_the_oracle_counts_as_one_would_by_hand() -> None:
    oracle = Collection({1: "a b c d", 2: "x a b", 3: "b c d y", 4: "z"}, 2)
    assert oracle.rows(50, 2, 0.5)[1] == Row(3, 0, 3, [Source(3, 2, 2), Source(2, 1, 1)], 0, True)
    assert oracle.rows(50, 2, 0.5)[2] == Row(2, 1, 1, [Source(1, 1, 1)], 0, False)
    assert oracle.rows(50, 0, 0.0)[4] == Row(0, 0, 0)
    assert oracle.smallest_cover(1, 50, lambda page, other: True) == 2
