"""Duplicates: the flow by verbs is the flow in one process, and every engine writes the same table."""

from __future__ import annotations

import hashlib
import random
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from flows import check_classes_on_scatter
from hypothesis import given, settings
from hypothesis import strategies as st
from scatter import ScatterEngine

from pagekin.detect.duplicates import compare
from pagekin.detect.duplicates.banding import Banding, choose_banding
from pagekin.detect.duplicates.flow import MEMBERS, SKETCHES, TEXTS, DuplicateMembers
from pagekin.detect.sketch import shingler
from pagekin.engines.base import EDGES, Engine, Resources
from pagekin.engines.local import LocalEngine
from pagekin.params import ShingleParams

SHINGLES = ShingleParams()


def inputs(seed: int, hot: int) -> dict[str, pa.Table]:
    """Families of copies of all degrees in any order, pages without words, `hot` pages that are alike."""
    rng = random.Random(seed)
    texts = ["", "...", "word", "word"]
    for size, edits in [(rng.choice([4, 20, 90]), rng.choice([0, 1, 4, 9])) for _ in range(5)] + [(60, 6)]:
        base = [f"w{rng.randrange(10**6)}" for _ in range(size)]
        for _ in range(hot if edits == 6 else rng.randrange(1, 7)):
            words = list(base)
            for _ in range(rng.randrange(edits + 1)):
                words[rng.randrange(size)] = f"x{rng.randrange(9)}"
            texts.append(" ".join(words))
    rng.shuffle(texts)
    pages = sorted(rng.sample(range(1 << 42), len(texts)))
    kernel = shingler(SHINGLES)
    found = [kernel.shingles(text) for text in texts]
    shingles = [None if one is None else b"".join(n.to_bytes(8, "little") for n in one) for one in found]
    md5 = [hashlib.md5(text.encode()).hexdigest() for text in texts]
    old = pages[: len(pages) // 2]
    # A class goes by its first page, which is in no other class.
    joined = {at for at in range(1, len(old)) if rng.random() < 0.3}
    firsts = [at for at in range(len(old)) if at not in joined]
    known = [(old[at], old[rng.choice([first for first in firsts if first < at])]) for at in sorted(joined)]
    return {
        "known": pa.table([[k[0] for k in known], [k[1] for k in known]], schema=EDGES),
        "sketches": pa.table([pages, shingles, md5], schema=SKETCHES),
        "texts": pa.table([pages, texts], schema=TEXTS),
    }


def whole(flow: DuplicateMembers, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        reducer = flow.whole(Resources(2, 10**9, Path(folder)))
        for name, table in tables.items():
            for batch in table.to_batches(max_chunksize=7):
                reducer.push(name, batch)
        rows = pa.Table.from_batches(reducer.finish(), MEMBERS).to_pylist()
    return sorted(rows, key=lambda row: (row["label"], row["page"]))


def steps(flow: DuplicateMembers, engine: Engine, tables: dict[str, pa.Table]) -> list[dict[str, Any]]:
    found = flow.steps(engine, **{name: engine.table(table) for name, table in tables.items()})
    return sorted(engine.collect(found).to_pylist(), key=lambda row: (row["label"], row["page"]))


@settings(max_examples=12)
@given(
    seed=st.integers(0, 10**6),
    similarity=st.sampled_from([0.0, 0.7, 0.8, 1.0]),
    hot=st.sampled_from([0, 3, 70]),
    known=st.booleans(),
    wrap=st.booleans(),
)
def test_steps_are_the_whole(seed: int, similarity: float, hot: int, known: bool, wrap: bool) -> None:
    """Groups above the number of pages in which all are paired; arbitrary known classes; odd pages."""
    tables = inputs(seed, hot)
    first_new = tables["sketches"]["page"][tables["sketches"].num_rows // 2].as_py() if known else 0
    if not known:
        tables["known"] = EDGES.empty_table()
    banding = choose_banding(similarity, SHINGLES.m) if similarity else Banding(6, 14)
    flow = DuplicateMembers(banding, first_new, SHINGLES, wrap)
    expected = whole(flow, tables)
    assert steps(flow, ScatterEngine(seed), tables) == expected
    if not similarity:
        tables.pop("texts")  # the paper's rule needs none; they only give the coefficient
        unchecked = steps(flow, ScatterEngine(seed + 1), tables)
        assert unchecked == whole(flow, tables)
        assert [row["page"] for row in unchecked] == [row["page"] for row in expected]


@pytest.mark.parametrize("similarity", [0.0, 0.8])
def test_steps_on_the_local_engine(similarity: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """With small chunks: many pages are compared with one."""
    monkeypatch.setattr(compare, "CHUNK", 4)
    tables = inputs(3, 70) | {"known": EDGES.empty_table()}
    banding = choose_banding(similarity, SHINGLES.m) if similarity else Banding(6, 14)
    flow = DuplicateMembers(banding, 0, SHINGLES, wrap=False)
    found = steps(flow, LocalEngine(2), tables)
    assert found == whole(flow, tables)
    assert len(found) > 15


def test_nothing_comes_of_nothing() -> None:
    empty = {"known": EDGES.empty_table(), "sketches": SKETCHES.empty_table(), "texts": TEXTS.empty_table()}
    for banding in (Banding(6, 14), choose_banding(0.8, SHINGLES.m)):
        flow = DuplicateMembers(banding, 0, SHINGLES, wrap=False)
        assert steps(flow, ScatterEngine(1), empty) == whole(flow, empty) == []


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_the_detector_on_scatter(profile: str, tmp_path: Path) -> None:
    """All rows in order, for a crawl and for another one against it."""
    check_classes_on_scatter("duplicates", profile, tmp_path)
