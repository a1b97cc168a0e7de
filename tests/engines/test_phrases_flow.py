"""Phrases on every engine: `whole` against `steps`, and the tables of the detector."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from flows import add, classes_by_text, found, jsonl, sketched
from hypothesis import given, settings
from hypothesis import strategies as st
from scatter import ScatterEngine

from pagekin.detect.phrases.covers import PhraseCoverFlow
from pagekin.detect.phrases.find import find_phrases
from pagekin.detect.phrases.popular import SHINGLES, SITES, Popular
from pagekin.engines.base import Engine, Flow
from pagekin.engines.local import LocalEngine
from pagekin.params import Params, PhraseParams
from pagekin.run import Run
from pagekin.synth import write_web
from pagekin.tables import DUPLICATES, ORIGINALITY

TABLES = ("phrases", "popular", "covers", "sites")

FUNCTIONS = 4
# Few phrases, so that they meet; the first is on most pages.
PHRASES = st.integers(0, 9).map(lambda n: max(n - 3, 0) * 0x1234_5678_9ABC_DEF1 % 2**64)
PAGES = st.lists(
    st.tuples(
        st.none() | st.lists(PHRASES, min_size=FUNCTIONS, max_size=FUNCTIONS), *([st.integers(0, 3)] * 3)
    ),
    max_size=24,
)
PARAMS = st.builds(
    PhraseParams,
    popular=st.integers(2, 4),
    min_popular=st.integers(1, 3),
    holders=st.integers(2, 5),
    prune=st.booleans(),
)
Page = tuple[list[int] | None, int, int, int]


def rows(engine: Engine, data: Any) -> list[str]:
    return sorted(map(repr, engine.collect(data).to_pylist()))


def tables(pages: list[Page]) -> tuple[pa.Table, pa.Table]:
    ids = [place << 40 | place for place in range(len(pages))]
    packed = [
        None if chosen is None else b"".join(one.to_bytes(8, "little") for one in chosen)
        for chosen, *_ in pages
    ]
    sites = [ids, *([page[column] for page in pages] for column in (1, 2, 3))]
    return (
        pa.Table.from_arrays([pa.array(column, pa.int64()) for column in sites], schema=SITES),
        pa.Table.from_arrays([pa.array(ids, pa.int64()), pa.array(packed, pa.binary())], schema=SHINGLES),
    )


def ways(flow: Flow, **inputs: pa.Table) -> list[list[str]]:
    """What comes of a flow in one memory, by steps, and scattered."""
    local = LocalEngine(2)
    data = {name: local.table(table) for name, table in inputs.items()}
    results = [rows(local, local.flow(flow, **data)), rows(local, flow.steps(local, **data))]
    for seed in (1, 2):
        engine = ScatterEngine(seed)
        results.append(rows(engine, engine.flow(flow, **{n: engine.table(t) for n, t in inputs.items()})))
    return results


@settings(max_examples=10)
@given(PAGES, PARAMS)
def test_whole_is_steps(pages: list[Page], params: PhraseParams) -> None:
    sites, sketches = tables(pages)
    first, *others = ways(Popular(params), sites=sites, sketches=sketches)
    assert all(other == first for other in others)
    local = LocalEngine(1)
    flow = local.flow(Popular(params), sites=local.table(sites), sketches=local.table(sketches))
    popular = local.collect(flow)
    first, *others = ways(PhraseCoverFlow(params), sites=sites, popular=popular, sketches=sketches)
    assert all(other == first for other in others)
    assert len(first) == len(pages)


def test_a_phrase_on_every_page() -> None:
    """What it offers does not grow, and comes from as many servers as there are."""
    pages: list[Page] = [([7, 7, n + 100, 8], n % 50, n % 9, n % 3) for n in range(600)]
    sites, sketches = tables(pages)
    params = PhraseParams(popular=2, min_popular=1, holders=9)
    first, *others = ways(Popular(params), sites=sites, sketches=sketches)
    assert all(other == first for other in others)
    local = LocalEngine(1)
    flow = local.flow(Popular(params), sites=local.table(sites), sketches=local.table(sketches))
    for row in local.collect(flow).to_pylist():
        assert (row["pages"], row["hosts"], row["servers"], row["held"]) == (600, 50, 9, 600)
        assert len(row["holders"]) == 9
        assert len(set(row["holder_servers"])) == 9


def with_classes(run: Run) -> Run:
    rows = [
        {"class": first, "page": page, "representative": first, "kind": "exact"}
        for first, pages in classes_by_text(run).items()
        for page in pages
        if page >= run.first_page or page == first
    ]
    add(run, "duplicates", {DUPLICATES: rows})
    return run


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    write_web(path, pages=300, seed=5)
    return path


@pytest.mark.parametrize(
    "params",
    [
        Params(),
        Params.of("paper"),
        Params(phrases=PhraseParams(popular=2, min_popular=2, holders=3, prune=True, site="domain")),
        Params(phrases=PhraseParams(site="ip", site_pages=2, site_mean=1.0)),
    ],
    ids=["default", "paper", "many", "ip"],
)
def test_all_engines_agree(web: Path, tmp_path: Path, params: Params) -> None:
    run = with_classes(sketched(web, tmp_path / "run", params))
    if params.phrases.site == "domain":
        counts = [
            {"page": p, "grams": p % 50, "own_grams": p % 7} for p in run.table("pages")["page"].to_pylist()
        ]
        add(run, "quilts", {ORIGINALITY: counts})
    local = found(run, find_phrases, LocalEngine(2), TABLES)
    assert local == found(run, find_phrases, ScatterEngine(4), TABLES)
    assert len(local["popular"]) > 200
    assert local["phrases"]
    assert local["sites"]


def test_known_pages(tmp_path: Path) -> None:
    """Only new pages count; a copy of a known page is no page of its own."""
    text = "one two three four five six seven eight nine ten eleven twelve"
    pages = [
        {"url": f"http://h{n % 4}.example/{n}", "text": f"{text} {n % 8} and more {n}"} for n in range(24)
    ]
    first = sketched(jsonl(tmp_path / "one.jsonl", pages[:8]), tmp_path / "one")
    params = Params(phrases=PhraseParams(popular=2, min_popular=2, site_pages=1))
    again = sketched(jsonl(tmp_path / "two.jsonl", pages[4:]), tmp_path / "two", params, against=first.path)
    run = with_classes(again)
    local = found(run, find_phrases, LocalEngine(2), TABLES)
    assert local == found(run, find_phrases, ScatterEngine(7), TABLES)
    assert len(local["popular"]) == 16
    assert local["covers"]


def test_nothing(tmp_path: Path) -> None:
    run = with_classes(sketched(jsonl(tmp_path / "one.jsonl", [{"url": "u", "text": ""}]), tmp_path / "run"))
    local = found(run, find_phrases, LocalEngine(1), TABLES)
    assert local == found(run, find_phrases, ScatterEngine(1), TABLES)
    assert (local["phrases"], local["covers"]) == ([], [])
