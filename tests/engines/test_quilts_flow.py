"""Quilts in shared memory and by rows that an engine moves: the same rows, the same tables."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quilt_webs import Web, webs
from scatter import ScatterEngine

import pagekin
from pagekin.detect.quilts.find import find_quilts
from pagekin.detect.quilts.flow import QuiltCoverFlow
from pagekin.detect.quilts.inputs import COPIES, DATES
from pagekin.detect.quilts.verify import verify
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.errors import ParamsError, RunError, UsageError
from pagekin.params import QuiltParams
from pagekin.run import Run
from pagekin.synth import write_web
from pagekin.tables import ALL_SOURCES, ORIGINALITY, QUILT_SOURCES, QUILTS, SITES

TEXTS = pa.schema([("page", pa.int64()), ("text", pa.string())])
NAMES = pa.schema([("page", pa.int64())] + [(name, pa.string()) for name in ("url", "host", "domain", "ip")])


class Stepwise(LocalEngine):
    """The local engine without its short cuts."""

    def flow(self, flow: Any, **inputs: Any) -> Any:
        return flow.steps(self, **inputs)


def rows_of(engine: Engine, web: Web, params: QuiltParams, first: int) -> list[dict[str, Any]]:
    sites = [
        {"page": page, "url": None} | dict(zip(NAMES.names[2:], web.sites[page], strict=True))
        for page in web.sites
    ]
    tables = {
        "sites": pa.Table.from_pylist(sites, NAMES),
        "dates": pa.Table.from_pylist([{"page": p, "date": d} for p, d in web.dates.items()], DATES),
        "copies": pa.Table.from_pylist(
            [{"page": page, "representative": of} for page, of in web.copies.items()], COPIES
        ),
        "texts": pa.Table.from_pylist([{"page": p, "text": t} for p, t in web.texts.items()], TEXTS),
    }
    inputs = {name: engine.table(table) for name, table in tables.items()}
    found = engine.collect(engine.flow(QuiltCoverFlow(params, first), **inputs))
    return sorted(found.to_pylist(), key=lambda row: row["page"])


@settings(max_examples=25, deadline=None)
@given(
    webs(max_pages=12),
    st.integers(1, 3),
    st.integers(1, 6),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.25, 0.75]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(["none", "host", "domain", "ip"]),
    st.sampled_from(["covered", "patch"]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.integers(0, 2**16),
    st.booleans(),
)
def test_whole_is_steps(
    web: Web,
    k: int,
    m: int,
    c: int,
    theta: float,
    min_share: float,
    foreign: str,
    share: str,
    min_shared: float,
    seed: int,
    known: bool,
) -> None:
    """Also with grams of every page, copies, dates, pages without words, and pages of earlier runs."""
    params = QuiltParams()
    values = {"k": k, "m": m, "c": c, "theta": theta, "min_share": min_share, "foreign": foreign}
    for name, value in (values | {"share": share, "min_shared": min_shared}).items():
        object.__setattr__(params, name, value)  # some are out of the range that users may give
    first = sorted(web.texts)[len(web.texts) // 2] if known else 0
    local = LocalEngine(1)
    whole = rows_of(local, web, params, first)
    assert [row["page"] for row in whole] == [page for page in sorted(web.texts) if page >= first]
    scatter = ScatterEngine(seed)
    assert rows_of(scatter, web, params, first) == whole
    for name in ("pairs", "shared_pairs", "shared_grams"):
        assert scatter.metrics[name] == local.metrics[name]


def test_no_pages_at_all() -> None:
    for engine in (LocalEngine(1), Stepwise(1), ScatterEngine()):
        assert rows_of(engine, Web({}, {}, {}), QuiltParams(), 0) == []


def test_a_gram_of_every_page_and_a_class_of_many() -> None:
    """Sources are named the same whether a class has three members or three hundred."""
    stock = {c: " ".join(f"{c}{n}" for n in range(30)) for c in "abcde"}
    texts = {n: f"every page has these words {stock[c]}" for n, c in enumerate("abcde")}
    texts |= dict.fromkeys(range(100, 400), f"every page has these words {stock['a']}")
    texts[1000] = " ".join([*stock.values(), "every page has these words"])
    site: dict[int, tuple[str | None, str | None, str | None]] = {
        page: (f"h{page}.d{page % 7}.com", f"d{page % 7}.com", None) for page in texts
    }
    web = Web(
        texts,
        site,
        dict.fromkeys(range(100, 400), 0),
        {page: -page for page in range(100, 390)} | {1000: -200},
    )
    for foreign in ("host", "domain"):
        params = QuiltParams(c=2, foreign=foreign, m=4)
        whole = rows_of(LocalEngine(1), web, params, 0)
        assert [row["page"] for row in whole if row["quilt"]] == [1000]
        for engine in (Stepwise(2), ScatterEngine(3)):
            assert rows_of(engine, web, params, 0) == whole


@pytest.fixture(scope="module")
def webs_of_two(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("webs")
    for number, pages in enumerate((300, 120)):
        write_web(folder / f"{number}.warc.gz", pages=pages, seed=4)
    return [folder / "0.warc.gz", folder / "1.warc.gz"]


TABLES = (QUILTS, QUILT_SOURCES, ALL_SOURCES, ORIGINALITY, SITES)


def check_again(run: Run, engine: Engine, folder: Path) -> None:
    """Another engine on a copy of the run, without the tables."""
    shutil.copytree(run.path, folder)
    for table in TABLES[:-1]:
        shutil.rmtree(folder / f"{table.name}.parquet")
    again = Run(folder)
    find_quilts(again, engine, run.params)
    for table in TABLES:
        assert again.table(table.name).equals(run.table(table.name)), table.name
    counted = {name: value for name, value in run.info["quilts"].items() if name != "spilled_pairs"}
    assert again.info["quilts"] == counted


@pytest.mark.parametrize("profile", ["default", "paper"])
def test_the_detector_on_a_scattered_engine(webs_of_two: list[Path], tmp_path: Path, profile: str) -> None:
    params = pagekin.Params.of(profile).replace("quilts", verify=True)
    old = pagekin.scan(webs_of_two[0], tmp_path / "old", only=["phrases", "quilts"], params=params)
    assert len(old.table("quilts")) > 3
    check_again(old, ScatterEngine(1), tmp_path / "old-again")
    new = pagekin.scan(
        webs_of_two[1], tmp_path / "new", only=["phrases", "quilts"], params=params, against=old.path
    )
    check_again(new, ScatterEngine(2), tmp_path / "new-again")


def test_an_index_is_of_the_local_engine(webs_of_two: list[Path], tmp_path: Path) -> None:
    """Another engine says so before anything is read; by `steps` it cannot be done anywhere."""
    params = pagekin.Params().replace("quilts", keep_grams=True)
    with pytest.raises(UsageError, match=r"keep_grams=True .* take the local engine, not scatter"):
        pagekin.scan(webs_of_two[1], tmp_path / "run", params=params, engine=ScatterEngine())
    assert not (tmp_path / "run").exists()
    assert QuiltCoverFlow(QuiltParams(), index="grams.index").held_bytes(10**15) == 0
    with pytest.raises(ParamsError, match="--keep-grams needs --engine local"):
        QuiltCoverFlow(QuiltParams(), index="grams.index").steps(
            ScatterEngine(), sites=0, dates=0, copies=0, texts=0
        )


def test_verify_finds_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = pa.Table.from_pylist([{"page": n, "text": f"a b c d e f{n}"} for n in range(5)], TEXTS)
    for engine in (LocalEngine(1), ScatterEngine(5)):
        assert verify(engine, engine.table(texts), QuiltParams(k=5)) == 4
    words = pagekin._core.gram_words

    def all_alike(batch: pa.RecordBatch, k: int, seed: int) -> pa.RecordBatch:
        rows = words(batch, k, seed)
        return rows.set_column(0, "gram", pa.array([7] * len(rows), pa.int64()))

    monkeypatch.setattr(pagekin._core, "gram_words", all_alike)
    with pytest.raises(RunError, match="grams have the hash"):
        verify(LocalEngine(1), LocalEngine(1).table(texts), QuiltParams(k=5))
