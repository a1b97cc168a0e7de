"""Fuzzy duplicates: the flow by verbs is the flow in one process; every engine writes the same table."""

from __future__ import annotations

import hashlib
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from flows import check_classes_on_scatter
from hypothesis import given, settings
from hypothesis import strategies as st
from scatter import ScatterEngine

from pagekin import _core
from pagekin.detect.fuzzy.flow import FIRSTS, MAX_HOLDERS, MEMBERS, SKETCHES, TEXTS, WORDLESS, FuzzyMembers
from pagekin.engines.base import Engine, Resources
from pagekin.engines.local import LocalEngine
from pagekin.params import FuzzyParams, ShingleParams

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def inputs(seed: int, families: int, frame: int) -> dict[str, pa.Table]:
    """Digests under one frame, some with long repeats; equal texts have equal digests; any texts."""
    rng = random.Random(seed)

    def characters(count: int) -> list[str]:
        return rng.choices(ALPHABET, k=count)

    shared = characters(frame)
    rows = []
    for family in range(families):
        own, words = characters(60 - frame), [f"w{rng.randrange(50)}" for _ in range(30)]
        for _ in range(rng.randrange(1, 5)):
            text, story = list(own), list(words)
            for _ in range(rng.randrange(5)):
                text[rng.randrange(len(text))] = rng.choice(ALPHABET)
                story[rng.randrange(30)] = f"x{family}"
            if rng.random() < 0.2:
                text[3:6] = ["z"] * rng.randrange(3, 7)
            signature = "".join(shared + text)[: rng.choice([64, 64, 64, 12, 8])]
            digest = f"{rng.choice([96, 96, 192])}:{signature}:{signature[:20]}"
            rows += [(" ".join(story), digest)] * rng.choice([1, 1, 2])
    known = dict(rows)
    rng.shuffle(rows)
    pages = sorted(rng.sample(range(1 << 42), len(rows)))
    texts = [text for text, _ in rows]
    md5 = [hashlib.md5(text.encode()).hexdigest() for text in texts]
    digests = [None if rng.random() < 0.02 else known[text] for text in texts]
    return {
        "wordless": pa.table([rng.sample(pages, len(pages) // 20)], schema=WORDLESS),
        "sketches": pa.table([pages, md5, digests], schema=SKETCHES),
        "texts": pa.table([pages, texts], schema=TEXTS),
    }


def rows(table: pa.Table) -> list[dict[str, Any]]:
    assert table.schema == MEMBERS
    found: list[dict[str, Any]] = table.to_pylist()
    return sorted(found, key=lambda row: (row["label"], row["page"]))


def whole(flow: FuzzyMembers, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        reducer = flow.whole(Resources(2, 10**9, Path(folder)))
        for name, table in tables.items():
            for batch in table.to_batches(max_chunksize=7):
                reducer.push(name, batch)
        return rows(pa.Table.from_batches(reducer.finish(), MEMBERS))


def steps(flow: FuzzyMembers, engine: Engine, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    found = flow.steps(engine, **{name: engine.table(table) for name, table in tables.items()})
    return rows(engine.collect(found))


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    families=st.integers(1, 25),
    frame=st.sampled_from([0, 20, 45]),
    threshold=st.sampled_from([40, 75, 90]),
    max_holders=st.sampled_from([12, MAX_HOLDERS]),
    verify=st.booleans(),
)
def test_steps_are_the_whole(
    seed: int, families: int, frame: int, threshold: int, max_holders: int, verify: bool
) -> None:
    """With a frame that all share, and n-grams that are hot from 13 holders on."""
    tables = inputs(seed, families, frame)
    if not verify:
        tables.pop("texts")
    params = FuzzyParams(threshold=threshold, similarity=0.5 if verify else 0.0)
    flow = FuzzyMembers(params, ShingleParams(), max_holders)
    assert steps(flow, ScatterEngine(seed), tables) == whole(flow, tables)


@pytest.mark.parametrize("verify", [True, False])
def test_steps_on_the_local_engine(verify: bool) -> None:
    tables = inputs(5, 25, 45)
    if not verify:
        tables.pop("texts")
    params = FuzzyParams(threshold=60, similarity=0.4 if verify else 0.0)
    flow = FuzzyMembers(params, ShingleParams(), 12)
    found = steps(flow, LocalEngine(2), tables)
    assert found == whole(flow, tables)
    assert len(found) > 10


@pytest.mark.parametrize("engine", [LocalEngine(2), ScatterEngine(4)], ids=["local", "scatter"])
@pytest.mark.parametrize("frame", [0, 45])
def test_hot_ngrams_of_each_page(engine: Engine, frame: int) -> None:
    """Those of its own that more than so many digests hold, and the rows say which they are."""
    tables = inputs(5, 25, frame)
    sketches = tables["sketches"].filter(pc.is_valid(tables["sketches"]["ssdeep"]))
    first_of = dict(zip(sketches["ssdeep"].to_pylist(), sketches["page"].to_pylist(), strict=True))
    firsts = pa.table([list(first_of.values()), list(first_of)], schema=FIRSTS).combine_chunks()
    keys = _core.ngram_keys(firsts.to_batches()[0]).to_pylist()
    holders = Counter(row["key"] for row in keys)
    hot: dict[int, list[int]] = {page: [] for page in first_of.values()}
    for row in keys:
        if holders[row["key"]] > 12:
            hot[row["page"]].append(row["key"])
    assert any(hot.values()) == (frame > 0)

    flow = FuzzyMembers(FuzzyParams(threshold=60), ShingleParams(), 12)
    marked = engine.collect(flow._marked(engine, engine.table(firsts))).combine_chunks()
    if not frame:
        assert marked.schema == FIRSTS
        return
    assert {row["page"]: row["hot"] or [] for row in marked.to_pylist()} == {
        page: sorted(own) for page, own in hot.items()
    }
    rows = _core.ngram_rows(marked.to_batches()[0], 60).to_pylist()
    assert {row["key"] for row in rows if row["hot"]} <= {key for own in hot.values() for key in own}
    assert not {row["key"] for row in rows if not row["hot"]} & {key for own in hot.values() for key in own}
    assert any(row["hot"] for row in rows)


@pytest.mark.parametrize("names", [("wordless", "sketches"), ("wordless", "sketches", "texts")])
def test_nothing_comes_of_nothing(names: tuple[str, ...]) -> None:
    empty = {name: table.slice(0, 0) for name, table in inputs(1, 2, 0).items() if name in names}
    flow = FuzzyMembers(FuzzyParams(similarity=0.8 if "texts" in names else 0.0), ShingleParams())
    assert steps(flow, ScatterEngine(1), empty) == whole(flow, empty) == []


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_the_detector_on_scatter(profile: str, tmp_path: Path) -> None:
    """All rows in order, for a crawl and for another one against it."""
    check_classes_on_scatter("fuzzy", profile, tmp_path)
