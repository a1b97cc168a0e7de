"""Style clusters by steps: the same rows as in one memory, on an engine that scatters everything."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scatter import ScatterEngine

import pagekin
from pagekin.detect.styles import kernels
from pagekin.detect.styles.clusters import KEYED, KNOWN_PRINTS, PRINTS, Cluster
from pagekin.detect.styles.find import find_styles
from pagekin.detect.styles.kernels import StyleStep
from pagekin.detect.styles.leaders import BUCKETS
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.params import Params, StyleParams
from pagekin.run import Run
from pagekin.synth import write_web
from pagekin.tables import DUPLICATES

M = 24
SMALL: dict[str, Any] = {"m": M, "p": 6, "t": 7, "structure_t": 9, "k": 1}


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clusters and buckets of a few dozen lie in several chunks."""
    monkeypatch.setattr(kernels, "CHUNK", 8)


def stored(values: list[int] | None) -> bytes | None:
    return None if values is None else b"".join(value.to_bytes(2, "little") for value in values)


def family(rng: random.Random, pages: int) -> list[list[int] | None]:
    """Fingerprints near a few others: equal, half empty, missing; most pages have one minimum in common."""
    bases = [[rng.randrange(1, 65536) for _ in range(M)] for _ in range(rng.randrange(1, 5))]
    found: list[list[int] | None] = []
    for _ in range(pages):
        one, other, kept = rng.choice(bases), rng.choice(bases), rng.random()
        print_ = [
            rng.choice((one, one, other))[i] if rng.random() < kept else rng.randrange(65536)
            for i in range(M)
        ]
        if rng.random() < 0.7:
            print_[3] = 77
        if rng.random() < 0.1:
            print_ = [value if rng.random() < 0.4 else 0 for value in print_]
        chance = rng.random()
        found.append(None if chance < 0.1 else found[0] if found and chance < 0.25 else print_)
    return found


def prints(seed: int, pages: int) -> pa.Table:
    """Pages with random ids and both kinds of fingerprints."""
    rng = random.Random(seed)
    ids = rng.sample(range(10**6), pages)
    styles, structures = ([stored(one) for one in family(rng, pages)] for _ in range(2))
    return pa.table([pa.array(ids, pa.int64()), styles, structures], schema=PRINTS)


def rows(found: pa.Table) -> list[dict[str, Any]]:
    return sorted(found.to_pylist(), key=lambda row: (row["cluster"], row["page"]))


def both(params: StyleParams, known: pa.Table, new: pa.Table, seed: int) -> list[dict[str, Any]]:
    """The members, which are the same by steps; and so is what is said of large buckets."""
    engines: list[Engine] = [LocalEngine(2), ScatterEngine(seed)]
    found = []
    for engine in engines:
        data = engine.flow(Cluster(params), known=engine.table(known), prints=engine.table(new))
        found.append(rows(engine.collect(data)))
    assert found[1] == found[0]
    assert engines[1].metrics["big_buckets"] == engines[0].metrics["big_buckets"]
    return found[0]


NOBODY = KNOWN_PRINTS.empty_table()


@settings(max_examples=5, deadline=None)
@given(
    seed=st.integers(0, 10**9),
    pages=st.integers(0, 60),
    k=st.sampled_from([1, 2, 4]),
    structure=st.booleans(),
    split=st.booleans(),
    budget=st.sampled_from([2, 5, 2048]),
    over_m=st.booleans(),
)
def test_steps_are_whole(
    seed: int, pages: int, k: int, structure: bool, split: bool, budget: int, over_m: bool
) -> None:
    """With buckets beyond the budget, equal fingerprints, pages without any, none at all."""
    style = SMALL | {"k": k, "p": 6 * k, "budget": budget, "split_worms": split, "seed": seed}
    style["over_m"] = over_m
    both(StyleParams(**style | ({} if structure else {"structure_t": 0})), NOBODY, prints(seed, pages), seed)


@settings(max_examples=3, deadline=None)
@given(seed=st.integers(0, 10**9), cut=st.integers(0, 40), clusters=st.sampled_from([1, 5, 1000]))
def test_known_pages(seed: int, cut: int, clusters: int) -> None:
    """Whatever they were joined to before; clusters of nothing else are left out."""
    everybody = prints(seed, 50)
    known, new = everybody.slice(0, cut), everybody.slice(cut)
    rng = random.Random(seed)
    labels = [page if clusters == 1000 else rng.randrange(clusters) for page in known["page"].to_pylist()]
    known = known.append_column("known", pa.array(labels, pa.int64())).cast(KNOWN_PRINTS)
    found = both(StyleParams(**SMALL), known, new, seed)
    fresh = set(new["page"].to_pylist())
    touched = {row["cluster"] for row in found if row["page"] in fresh}
    assert {row["cluster"] for row in found} == touched


def test_one_hot_cluster() -> None:
    """More members than the sample, in many chunks; one bucket that leaders have to do for holds all."""
    rng = random.Random(1)
    base = [rng.randrange(1, 65536) for _ in range(M)]
    made = [[value if rng.random() < 0.8 else rng.randrange(1, 65536) for value in base] for _ in range(400)]
    styles = [stored(one) for one in made]
    new = pa.table([pa.array(range(400), pa.int64()), styles, [None] * 400], schema=PRINTS)
    found = both(StyleParams(**SMALL | {"structure_t": 0, "budget": 50}), NOBODY, new, 3)
    assert len(found) > 390
    assert len({row["cluster"] for row in found}) == 1


def test_worms_are_cut() -> None:
    """Bunches on a chain of bridges: cut where it is asked for."""
    rng = random.Random(2)
    bunches = [[rng.randrange(1, 65536) for _ in range(M)] for _ in range(4)]
    made = []
    for one, other in pairwise(bunches):
        made += [one[:16] + [rng.randrange(1, 65536) for _ in range(8)] for _ in range(12)]
        made.append(one[:8] + other[8:])
    styles = [stored(print_) for print_ in made]
    new = pa.table([pa.array(range(len(made)), pa.int64()), styles, [None] * len(made)], schema=PRINTS)
    style = SMALL | {"structure_t": 0, "p": M}
    whole = both(StyleParams(**style), NOBODY, new, 4)
    assert any(row["worm"] for row in whole)
    parts = both(StyleParams(**style | {"split_worms": True}), NOBODY, new, 5)
    assert len({row["cluster"] for row in parts}) > len({row["cluster"] for row in whole})


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("styles")
    crawls = [folder / f"{seed}.warc.gz" for seed in (1, 2)]
    for seed, crawl in zip((1, 2), crawls, strict=True):
        write_web(crawl, pages=150, seed=seed)
    return crawls


def with_copies(run: Run, engine: Engine) -> Run:
    """Adds duplicates: pages of the same text."""
    first: dict[str, int] = {}
    made = []
    for row in run.table("sketches", ["page", "md5"]).to_pylist():
        made.append({"page": row["page"], "class": first.setdefault(row["md5"], row["page"])})
    engine.publish(
        run, "duplicates", {DUPLICATES: engine.table(pa.Table.from_pylist(made, DUPLICATES.schema))}
    )
    return run


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_same_tables(crawls: list[Path], tmp_path: Path, profile: str) -> None:
    """Both tables, row by row and in order: of a run, and of one against it, with kinds and names."""
    params = Params.of(profile)
    old = with_copies(pagekin.scan(crawls[0], tmp_path / "old", params=params, only=[]), LocalEngine(1))
    find_styles(old, LocalEngine(2), params)
    scattered = with_copies(
        pagekin.scan(crawls[0], tmp_path / "other", params=params, only=[]), LocalEngine(1)
    )
    find_styles(scattered, ScatterEngine(1), params)
    assert_same(old, scattered)
    kinds = set(old.table("style_clusters")["kind"].to_pylist())
    assert len(kinds - {None}) > 1
    assert None not in kinds
    assert old.table("style_clusters")["name"].null_count < old.table("style_clusters").num_rows

    new = pagekin.scan(crawls[1], tmp_path / "new", params=params, only=[], against=tmp_path / "old")
    with_copies(new, LocalEngine(1))
    copy = Run(shutil.copytree(new.path, tmp_path / "copy"))
    find_styles(new, LocalEngine(2), params)
    find_styles(copy, ScatterEngine(2), params)
    assert_same(new, copy)
    assert any(row["known_pages"] for row in new.table("style_clusters").to_pylist())


def assert_same(one: Run, other: Run) -> None:
    for name in ("style_clusters", "style_members"):
        assert one.table(name).num_rows > 10
        assert other.table(name).equals(one.table(name))


@given(seed=st.integers(0, 10**9), structure=st.booleans())
def test_keys_of_buckets(seed: int, structure: bool) -> None:
    """What is counted are the keys of the rows that travel."""
    params = StyleParams(**SMALL | {"seed": seed} | ({} if structure else {"structure_t": 0}))
    engine = LocalEngine(1)
    keyed = engine.map(engine.table(prints(seed, 30)), StyleStep(params, "prints", KEYED))
    rows = engine.collect(engine.map(keyed, StyleStep(params, "buckets", BUCKETS)))
    keys = engine.collect(engine.map(keyed, StyleStep(params, "bucket_keys", pa.schema([BUCKETS.field(0)]))))
    assert keys["key"].to_pylist() == rows["key"].to_pylist()
