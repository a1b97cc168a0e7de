"""Popular phrases, covers and sites against the oracle."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import phrases as oracle
from oracles.shingles import fingerprint
from oracles.shingles import phrases as all_phrases

import pagekin
from pagekin.detect.phrases.find import advised_popular
from pagekin.engines.local import LocalEngine
from pagekin.errors import InputError, ParamsError
from pagekin.params import Params
from pagekin.run import Run

M = 12
"""Few functions: small covers, which an exhaustive search can check."""


def stitched(seed: int, pages: int) -> list[dict[str, str]]:
    """Pages of sentences from a small stock, on a few domains, some on addresses of others."""
    rng = random.Random(seed)
    stock = [" ".join(f"w{rng.randrange(500)}" for _ in range(8)) for _ in range(12)]
    rows = []
    for i in range(pages):
        host = f"{rng.choice('xyz')}.{rng.choice(['a', 'b', 'c'])}.example"
        own = " ".join(f"p{i}q{j}" for j in range(rng.randrange(12)))
        text = " ".join([*rng.sample(stock, rng.randrange(1, 5)), own])
        rows.append({"url": f"http://{host}/{i}", "text": text})
    return rows


def scan(folder: Path, rows: list[dict[str, str]], name: str = "run", **values: Any) -> Run:
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    options = {key: values.pop(key) for key in ("engine", "threads") if key in values}
    params = Params.from_dict(
        {
            "shingles": {"m": M},
            "duplicates": {"bands": 2, "length": 6},
            "servers": {"map": values.pop("map", "")},
            "phrases": {"popular": 3, "min_popular": 1} | values,
        }
    )
    return pagekin.scan(path, folder / name, only=["phrases"], params=params, **options)


def shingles(run: Run) -> oracle.Shingles:
    rows = run.representatives("sketches", ["page", "shingles"]).to_pylist()
    return {r["page"]: np.frombuffer(r["shingles"], "<u8").tolist() for r in rows if r["shingles"]}


@settings(max_examples=20)
@given(seed=st.integers(0, 10**6), pages=st.integers(2, 14), holders=st.sampled_from([64, 3]))
def test_phrases_and_covers(
    tmp_path_factory: pytest.TempPathFactory, seed: int, pages: int, holders: int
) -> None:
    run = scan(tmp_path_factory.mktemp("phrases"), stitched(seed, pages), holders=holders)
    held = shingles(run)
    where = {row["page"]: row for row in run.table("pages").to_pylist()}
    texts = dict(zip(*(run.table("texts")[name].to_pylist() for name in ("page", "text")), strict=True))
    popular = oracle.popular(held, 3)
    for row in run.table("phrases").to_pylist():
        value = row["fingerprint"] % 2**64
        owners = [page for page, chosen in held.items() if value in chosen]
        assert fingerprint(tuple(row["phrase"].split()), 0) == value
        assert tuple(row["phrase"].split()) in all_phrases(texts[owners[0]], 5)
        assert row["pages"] == len(owners) >= 3
        assert row["hosts"] == len({where[page]["host"] for page in owners})
        assert row["domains"] == len({where[page]["domain"] for page in owners})
        assert row["example_url"] == where[owners[0]]["url"]
        assert row["functions"] == sum(phrase == value for _, phrase in popular)
    assert {row["fingerprint"] % 2**64 for row in run.table("phrases").to_pylist()} == {
        phrase for _, phrase in popular
    }
    covers = {row["page"]: row for row in run.table("covers").to_pylist()}
    counts = dict(zip(*(run.table("popular")[name].to_pylist() for name in ("page", "popular")), strict=True))
    for page in held:
        wanted = oracle.needs(held, page, 3)
        assert counts[page] == len(wanted)
        assert (page in covers) == bool(wanted)
        if not wanted:
            continue
        row = covers[page]
        own = {p for p in held if where[p]["domain"] == where[page]["domain"]}
        donors = [(donor["page"], donor["shingles"]) for donor in row["donors"]]
        # Whoever is offered, everything is covered, and every donor adds something.
        assert sum(n for _, n in donors) == row["popular"] == len(wanted)
        assert all(n > 0 and donor != page for donor, n in donors)
        assert row["cover"] == len(donors)
        assert [donor["foreign"] for donor in row["donors"]] == [donor not in own for donor, _ in donors]
        assert row["foreign"] == sum(n for donor, n in donors if donor not in own)
        if holders == 64:
            assert donors == oracle.greedy(held, page, 3, own)


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6))
def test_greedy_is_within_its_bound(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Against the smallest cover of all, with no site to prefer: at most 1 + ln(shingles) times as many."""
    rows = [row | {"url": f"http://d{i}.example/"} for i, row in enumerate(stitched(seed, 10))]
    folder = tmp_path_factory.mktemp("bound")
    run, pruned = scan(folder, rows), scan(folder, rows, "pruned", prune=True)
    held = shingles(run)
    sizes = {}
    for row in run.table("covers").to_pylist():
        least = oracle.smallest(held, row["page"], 3)
        assert least <= row["cover"] <= least * (1 + math.log(row["popular"]))
        sizes[row["page"]] = (least, row["cover"])
    for row in pruned.table("covers").to_pylist():
        least, whole = sizes[row["page"]]
        assert least <= row["cover"] <= whole
        assert sum(donor["shingles"] for donor in row["donors"]) == row["popular"]


def test_own_site_is_domain_address_or_map(tmp_path: Path) -> None:
    text = " ".join(f"w{i}" for i in range(6))
    rows = [{"url": f"http://{c}.example/", "text": f"{text} {c}{c} {c}"} for c in "abcd"]
    plain = scan(tmp_path, rows).table("covers").to_pylist()
    assert all(row["foreign"] == row["popular"] > 0 for row in plain)
    together = tmp_path / "map"
    together.write_text("# all one\n" + "".join(f"{c}.example  The Firm\n" for c in "abcd"))
    for row in scan(tmp_path, rows, "mapped", map=str(together)).table("covers").to_pylist():
        assert row["foreign"] == 0 < row["cover"]
    sites = scan(tmp_path, rows, "sites", map=str(together), site="domain").table("sites").to_pylist()
    assert [(site["site"], site["pages"]) for site in sites] == [("The Firm", 4)]


def test_addresses(small_web: Path, tmp_path: Path) -> None:
    """A donor served from an address of the page's host is of the own site, whatever its domain."""
    params = Params().replace("phrases", popular=2, min_popular=1)
    run = pagekin.scan(small_web, tmp_path / "run", only=["phrases"], params=params)
    where = {row["page"]: row for row in run.table("pages").to_pylist()}
    seen: dict[str, set[str]] = {}
    for row in where.values():
        seen.setdefault(row["host"], set()).add(row["ip"])
    donors = [(row["page"], donor) for row in run.table("covers").to_pylist() for donor in row["donors"]]
    assert donors
    by_address = 0
    for page, donor in donors:
        same = where[page]["domain"] == where[donor["page"]]["domain"]
        near = where[donor["page"]]["ip"] in seen[where[page]["host"]]
        assert donor["foreign"] == (not same and not near)
        by_address += near and not same
    assert by_address, "the web has no two domains on one address: this test shows nothing"


def test_sites(tmp_path: Path) -> None:
    run = scan(tmp_path, stitched(4, 60), site_pages=2, site_mean=1.0, site_deviation=4.0)
    hosts = dict(zip(*(run.table("pages")[name].to_pylist() for name in ("page", "host")), strict=True))
    counts: dict[str, list[int]] = {}
    for row in run.table("popular").to_pylist():
        counts.setdefault(hosts[row["page"]], []).append(row["popular"])
    rows = run.table("sites").to_pylist()
    assert [row["site"] for row in rows] == sorted(counts, key=lambda site: (-len(counts[site]), site))
    rank = 0
    for row in rows:
        values = counts[row["site"]]
        assert row["pages"] == len(values)
        assert row["mean_popular"] == pytest.approx(np.mean(values))
        assert row["std_popular"] == pytest.approx(np.std(values))
        assert row["originality"] is None
        listed = row["pages"] >= 2 and row["mean_popular"] >= 1 and row["std_popular"] < 4
        rank += listed
        assert row["rank"] == (rank if listed else None)
    assert rank


def test_threads_and_memory_change_nothing(tmp_path: Path) -> None:
    rows = stitched(8, 200)
    runs = [
        scan(tmp_path, rows, "one", threads=1, holders=5),
        scan(tmp_path, rows, "three", threads=3, holders=5),
        scan(tmp_path, rows, "tight", engine=LocalEngine(2, memory=20_000), holders=5),
    ]
    for name in ("phrases", "popular", "covers", "sites"):
        assert runs[0].table(name).num_rows
        assert all(run.table(name).equals(runs[0].table(name)) for run in runs[1:])


class TestOddPages:
    def test_nothing_is_popular(self, tmp_path: Path) -> None:
        rows = [{"url": f"http://a.example/{i}", "text": f"x{i} y{i}" if i else ""} for i in range(4)]
        run = scan(tmp_path, rows)
        assert [run.table(name).num_rows for name in ("phrases", "covers")] == [0, 0]
        assert run.table("popular")["popular"].to_pylist() == [0, 0, 0, 0]

    def test_a_phrase_on_every_page(self, tmp_path: Path) -> None:
        """Offers as many donors as any other phrase: no page pays for its holders."""
        rows = [
            {
                "url": f"http://d{i % 50}.example/{i}",
                "text": f"the very same words everywhere a{i} b{i} c{i} d{i}",
            }
            for i in range(2000)
        ]
        run = scan(tmp_path, rows)
        # Each page samples some of its nine phrases; the common one is sampled by very many.
        top = run.table("phrases").to_pylist()[0]
        assert top["phrase"] == "the very same words everywhere"
        assert top["pages"] > 1000
        assert run.table("covers").num_rows == top["pages"]
        # One donor, or one for each function under which the offered pages differ.
        assert max(run.table("covers")["cover"].to_pylist()) <= top["functions"]

    def test_pages_without_a_host(self, tmp_path: Path) -> None:
        run = scan(tmp_path, [{"url": f"no address {i}", "text": f"a b c d e f {i}"} for i in range(5)])
        assert run.table("sites").num_rows == 0
        assert run.table("phrases").num_rows > 0


@pytest.mark.parametrize(
    "bad", [{"popular": 1}, {"min_popular": 0}, {"holders": 1}, {"site": "x"}, {"site_pages": 0}]
)
def test_params_out_of_range(bad: dict[str, Any]) -> None:
    with pytest.raises(ParamsError, match="phrases"):
        Params().replace("phrases", **bad)


def test_bad_server_map(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="server map"):
        scan(tmp_path, stitched(1, 3), map=str(tmp_path / "missing"))
    (tmp_path / "map").write_text("example.com\n")
    with pytest.raises(ParamsError, match="line 1"):
        scan(tmp_path, stitched(1, 3), "other", map=str(tmp_path / "map"))


def test_advice_grows_with_the_corpus() -> None:
    sizes = [1, 10**6, 150 * 10**6, 151 * 10**6, 10**9, 10**10]
    advice = [advised_popular(size) for size in sizes]
    assert advice[:3] == [5, 5, 5]
    assert advice == sorted(advice)
    assert advice[-1] > 100
