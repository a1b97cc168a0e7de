"""Style clusters against the oracle: the kernel on made-up fingerprints, and whole scans."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import clusters as oracle

import pagekin
from pagekin import _core
from pagekin.engines.local import LocalEngine
from pagekin.params import Params
from pagekin.run import Run
from pagekin.synth import write_web

Prints = dict[int, oracle.Layers]
DEFAULTS: dict[str, Any] = {
    "m": 24,
    "k": 1,
    "p": 8,
    "t": 7,
    "structure_t": 0,
    "seed": 0,
    "over_m": False,
    "split_worms": False,
}


def families(seed: int, pages: int, m: int, layers: int = 1) -> Prints:
    """Fingerprints of a few families, some close to each other, with empty dimensions and repetitions."""
    made = [family_prints(seed + 10**9 * layer, pages, m) for layer in range(layers)]
    return dict(zip(made[0], zip(*(one.values() for one in made), strict=True), strict=True))


def family_prints(seed: int, pages: int, m: int) -> dict[int, oracle.Print]:
    """One layer of them."""
    rng = random.Random(seed)
    bases = [[rng.randrange(1, 65536) for _ in range(m)] for _ in range(rng.randrange(1, 6))]
    found: dict[int, oracle.Print] = {}
    for page in rng.sample(range(10**6), pages):
        first, second, kept = rng.choice(bases), rng.choice(bases), rng.random()
        mixed = [
            rng.choice((first, first, second))[i] if rng.random() < kept else rng.randrange(65536)
            for i in range(m)
        ]
        small = rng.random() < 0.2
        found[page] = tuple(0 if small and rng.random() < 0.7 else value for value in mixed)
        if rng.random() < 0.1:
            found[page] = found[next(iter(found))]
    return dict(sorted(found.items()))


def batch(prints: Prints) -> pa.RecordBatch:
    columns: dict[str, pa.Array] = {"page": pa.array(prints, pa.int64())}
    for layer, name in enumerate(("style", "structure")):
        found = [layers[layer] if layer < len(layers) else () for layers in prints.values()]
        stored = [b"".join(value.to_bytes(2, "little") for value in one) for one in found]
        columns[name] = pa.array(stored, pa.binary())
    return pa.record_batch(columns)


def members(
    batches: list[pa.RecordBatch], style: dict[str, Any], threads: int = 1, budget: int = 2048
) -> list[dict[str, Any]]:
    return members_and_big(batches, style, threads, budget)[0]


def members_and_big(
    batches: list[pa.RecordBatch], style: dict[str, Any], threads: int = 1, budget: int = 2048
) -> tuple[list[dict[str, Any]], list[tuple[list[int], list[int], int]]]:
    """The members, and the buckets that leaders had to do for."""
    native = _core.StyleClusters(
        threads,
        style["m"],
        style["k"],
        style["p"],
        style["t"],
        style["structure_t"],
        budget,
        style["seed"],
        style["over_m"],
        style["split_worms"],
    )
    for pushed in batches:
        native.push(pushed)
    for probe in range(style["p"] * (2 if style["structure_t"] else 1)):
        native.probe(probe)
    rows: list[dict[str, Any]] = native.members().to_pylist()
    return rows, native.big_buckets()


def expected(prints: Prints, style: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [
        {
            "cluster": shape.members[0],
            "page": page,
            "similarity": shape.similarity[page],
            "centroid": shape.centroid,
            "cohesion": shape.cohesion,
            "worm": shape.worm,
        }
        for shape in oracle.shapes(prints, style)
        for page in shape.members
    ]
    return sorted(rows, key=lambda row: (row["cluster"], row["page"]))


@given(
    seed=st.integers(0, 10**9),
    pages=st.integers(1, 40),
    m=st.integers(4, 40),
    k=st.integers(1, 3),
    split=st.booleans(),
    structure=st.booleans(),
    over_m=st.booleans(),
)
def test_kernel(seed: int, pages: int, m: int, k: int, split: bool, structure: bool, over_m: bool) -> None:
    """Members, centroids, similarities, cohesion and worms, to the last bit; by noise, or by either."""
    style = DEFAULTS | {"m": m, "k": k, "p": 1 + m // 3, "t": 1 + m // 4, "seed": seed, "split_worms": split}
    style["over_m"] = over_m
    style["structure_t"] = 1 + m // 3 if structure else 0
    prints = families(seed, pages, m, 2 if structure else 1)
    assert members([batch(prints)], style) == expected(prints, style)


@given(seed=st.integers(0, 10**9), budget=st.integers(2, 20))
def test_order_and_threads_change_nothing(seed: int, budget: int) -> None:
    """Nor with buckets beyond the budget: rows come in any batches and order, to any number of threads."""
    prints = families(seed, 40, 24)
    rng = random.Random(seed)
    shuffled = list(prints.items())
    rng.shuffle(shuffled)
    parts = [batch(dict(shuffled[:13])), batch({}), batch(dict(shuffled[13:]))]
    found = members([batch(prints)], DEFAULTS, 1, budget)
    assert members(parts, DEFAULTS, 3, budget) == found


@pytest.mark.parametrize("split", [False, True])
def test_sampled_in_large_clusters(split: bool) -> None:
    """Beyond 256 members, those whose page ids have the smallest hashes speak for all."""
    rng = random.Random(4)
    base = [rng.randrange(1, 65536) for _ in range(24)]
    prints: Prints = {
        page: (tuple(value if rng.random() < 0.7 else rng.randrange(1, 65536) for value in base),)
        for page in range(400)
    }
    style = DEFAULTS | {"split_worms": split}
    rows = members([batch(prints)], style)
    assert rows == expected(prints, style)
    assert len({row["cluster"] for row in rows}) == 1
    assert len(rows) > 380


def clustered(crawl: Path | list[Path], folder: Path, threads: int = 2, **style: Any) -> Run:
    params = Params().replace("style", **style)
    return pagekin.scan(crawl, folder, only=["styles"], params=params, engine=LocalEngine(threads))


def without_figures(run: Run) -> list[dict[str, Any]]:
    """What the oracle knows of style_clusters."""
    extra = {"kind", "name", "mirrored", "inner_links", "link_density", "skeleton_similarity"}
    rows = run.table("style_clusters").to_pylist()
    return [{key: value for key, value in row.items() if key not in extra} for row in rows]


@pytest.mark.parametrize(
    "style",
    [
        {},
        {"n": 32, "t": 35, "structure_t": 0, "content": True, "over_m": True},
        {"k": 2, "p": 60, "t": 30},
        {"seed": 5, "m": 64, "t": 12, "structure_t": 20, "n": 16},
        {"t": 12, "split_worms": True},
    ],
    ids=str,
)
def test_scan(small_web: Path, tmp_path: Path, style: dict[str, Any]) -> None:
    """Both tables, row for row: members, centroids, means, cohesion, ranks."""
    run = clustered(small_web, tmp_path / "run", **style)
    clusters, rows = oracle.ranked(run)
    assert len(clusters) > 10
    assert without_figures(run) == clusters
    assert run.table("style_members").to_pylist() == rows
    # Nothing is known of copies, so nothing is said of kinds.
    assert set(run.table("style_clusters")["kind"].to_pylist()) == {None}


def test_threads(small_web: Path, tmp_path: Path) -> None:
    """With a budget so small that leaders are needed."""
    one, three = (clustered(small_web, tmp_path / str(n), n, budget=4) for n in (1, 3))
    for name in ("style_clusters", "style_members"):
        assert one.table(name).equals(three.table(name))
    assert one.info["steps"]["styles"]["big_buckets"] == three.info["steps"]["styles"]["big_buckets"]
    assert one.info["steps"]["styles"]["big_buckets"]["count"] > 0


def crowded(pages: int, m: int, seed: int) -> npt.NDArray[np.uint16]:
    """Fingerprints of many families that share popular minima, so that some buckets are big and mixed."""
    rng = np.random.default_rng(seed)
    popular = rng.integers(1, 65536, m, dtype=np.uint16)

    def own(rows: int) -> npt.NDArray[np.uint16]:
        shared = rng.random((rows, m)) < 0.35
        return np.where(shared, popular, rng.integers(1, 65536, (rows, m), dtype=np.uint16))

    # Sizes by a power law; the first family is of pages that are alone.
    weights = 1 / np.arange(1, 201) ** 0.9
    family = rng.choice(200, pages, p=weights / weights.sum())
    templates, kept = own(200), rng.uniform(0.55, 1, 200)
    kept[0] = 0
    return np.where(rng.random((pages, m)) < kept[family, None], templates[family], own(pages))


@pytest.mark.parametrize("p", [2, 4, 20])
@pytest.mark.parametrize("seed", range(2))
def test_what_leaders_miss(seed: int, p: int) -> None:
    """Less than one in a thousand of the links that all comparisons find, and nothing is added.

    With few probes, what the leaders of one bucket miss no other bucket makes good.
    """
    t = 35
    style = DEFAULTS | {"m": 128, "p": p, "t": t}
    prints = crowded(3000, 128, seed)
    pushed = [batch({page: (tuple(map(int, row)),) for page, row in enumerate(prints)})]
    whole = {row["page"]: row["cluster"] for row in members(pushed, style, 2, budget=3000)}
    rows, big = members_and_big(pushed, style, budget=100)
    led = {row["page"]: row["cluster"] for row in rows}
    assert sum(size for _, _, size in big) > 700 * p, "many pages were in a bucket that leaders had to do for"
    links = missed = 0
    for page, cluster in whole.items():
        others = np.array([other for other in whole if other < page and whole[other] == cluster], int)
        linked = others[(prints[others] == prints[page]).sum(axis=1) >= t]
        links += len(linked)
        missed += sum(led.get(page, page) != led.get(int(other), other) for other in linked)
    assert links > 20_000
    assert missed < links / 1000
    # What leaders join, all pairs join.
    assert len({(whole[page], cluster) for page, cluster in led.items()}) == len(set(led.values()))


class TestAgainst:
    def scans(self, folder: Path, seeds: list[int], **style: Any) -> tuple[Run, Run]:
        """New pages against known ones, and both in one scan."""
        crawls = [folder / f"{seed}.warc.gz" for seed in seeds]
        for seed, crawl in zip(seeds, crawls, strict=True):
            if not crawl.exists():
                write_web(crawl, pages=300, seed=seed)
        params = Params().replace("style", **style)
        known: Run | None = None
        for number, crawl in enumerate(crawls):
            known = pagekin.scan(
                crawl,
                folder / f"run{number}",
                params=params,
                only=["duplicates", "styles"],
                against=None if known is None else known.path,
            )
        assert known is not None
        return known, pagekin.scan(crawls, folder / "whole", params=params, only=["duplicates", "styles"])

    @pytest.mark.parametrize("seeds", [[1, 2], [1, 2, 7]], ids=str)
    def test_as_in_one_scan(self, tmp_path: Path, seeds: list[int]) -> None:
        """The clusters that new pages are in are those of a scan of all pages, with all their figures."""
        new, whole = self.scans(tmp_path, seeds)
        first = (len(seeds) - 1) << 40
        rows = [row for row in whole.table("style_members").to_pylist() if row["page"] >= first]
        listed = {row["cluster"] for row in rows}
        assert len(listed) > 5
        assert {row["cluster"] for row in rows if row["cluster"] < first}, "some join known pages"

        def key(row: dict[str, Any]) -> int:
            return int(row["page"])

        mine = [{**row, "rank": 0} for row in sorted(new.table("style_members").to_pylist(), key=key)]
        assert mine == [{**row, "rank": 0} for row in sorted(rows, key=key)]
        own = {row["cluster"]: row for row in new.table("style_clusters").to_pylist()}
        assert own.keys() == listed
        for row in whole.table("style_clusters").to_pylist():
            if row["cluster"] in listed:
                known = own[row["cluster"]].pop("known_pages")
                assert 0 <= known < row["pages"]
                same = {key: value for key, value in row.items() if key not in ("rank", "known_pages")}
                assert {key: own[row["cluster"]][key] for key in same} == same

    @settings(max_examples=30)
    @given(seed=st.integers(0, 10**9), cut=st.integers(0, 40))
    def test_kernel(self, seed: int, cut: int) -> None:
        """Known pages are joined as they were; new ones as if all came at once."""
        prints = families(seed, 40, 24)
        pages = list(prints)[:cut]
        old = {page: prints[page] for page in pages}
        cluster = {row["page"]: row["cluster"] for row in members([batch(old)], DEFAULTS)}
        marked = batch(old).append_column(
            "known", pa.array([cluster.get(page, page) for page in pages], pa.int64())
        )
        fresh = {page: found for page, found in prints.items() if page not in old}
        rows = members([marked, batch(fresh)], DEFAULTS)
        touched = {row["cluster"] for row in expected(prints, DEFAULTS) if row["page"] in fresh}
        assert rows == [row for row in expected(prints, DEFAULTS) if row["cluster"] in touched]


def test_the_paper_divides_by_all_dimensions_wherever_pages_are_compared(
    small_web: Path, tmp_path: Path
) -> None:
    """Clusters, one to all, and the check of a page agree, also on pages that do not fill all dimensions."""
    params = Params.of("paper")
    run = pagekin.scan(small_web, tmp_path / "run", only=["styles"], params=params)
    none = bytes(2 * params.style.m)
    sketches = run.table("sketches", ["page", "style"]).to_pylist()
    fewest = min(
        (np.count_nonzero(np.frombuffer(row["style"] or none, np.uint16)), row["page"])
        for row in sketches
        if row["page"] in set(run.table("style_members")["page"].to_pylist())
    )
    assert params.style.t <= fewest[0] < params.style.m
    url = run.page_columns("pages", ["url"], [fewest[1]])["url"][0].as_py()
    alike = run.like(url).table.to_pylist()
    assert [row["similarity"] for row in alike] == [
        pytest.approx(row["matching"] / params.style.m, abs=6e-7) for row in alike
    ]
    by_page = {row["page"]: row["similarity"] for row in alike}
    style = run.check(url).style
    assert style is not None
    nearest = style["nearest"]
    assert nearest
    assert all(by_page[one["page"]] == one["similarity"] for one in nearest)
