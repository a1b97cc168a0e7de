"""Styles on real and made-up pages: the kernel's speed, what clusters hold, and the paper's site detector."""

from __future__ import annotations

import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

import pandas as pd
import pyarrow.parquet as pq
from corpus import corpus
from corpus_apt import evenly
from corpus_packages import PACKAGES as OF_CORPUS
from harness import Row, best_of, cache_folder, publish
from linear import SMALL, web

import pagekin
from pagekin import _core
from pagekin.params import PROFILES, Params, StyleParams

SAMPLE = 2000
PACKAGES, PAGES_EACH = 20, 200
DETECTORS = {"paper": 20 / 128, "default": StyleParams().t / StyleParams().m}
"""From which similarity to one page on others are its kin: the paper's site detector, and as a scan links."""


def main() -> None:
    rows = [*kernel()]
    with tempfile.TemporaryDirectory() as folder:
        for profile in PROFILES:
            rows += real(Path(folder), profile)
        rows += made_up(Path(folder))
        for profile in PROFILES:
            rows += detector(Path(folder), profile)
    publish("styles", rows)


def kernel() -> Iterable[Row]:
    """Decoded HTML to fingerprint on one core, beside one look at each byte."""
    pages = [page.html for page in pagekin.read(corpus().warc) if page.html is not None]
    html = [_core.decode(page)[0] for page in pages[:: max(1, len(pages) // SAMPLE)]]
    # A byte that does not occur: `count` reads them all.
    raw = [page.encode() for page in html]
    size = sum(map(len, raw)) / 1e9
    ours = StyleParams()
    best = best_of(
        {
            "paper": lambda: [_core.fingerprint(page) for page in html],
            "default": lambda: [_core.fingerprint(page, ours.n, ours.m, 0, ours.content) for page in html],
            "walk": lambda: [_core.structure(page, ours.m) for page in html],
            "read": lambda: [page.count(b"\x01") for page in raw],
        },
        repeat=7,
        clock=time.process_time,
    )
    yield Row("decoded HTML to fingerprint, one core", size / best["paper"], "GB/s", at_least=0.8)
    yield Row("without content, which needs a walk over the markup", size / best["default"], "GB/s")
    yield Row("fingerprint of structure, with that walk", size / best["walk"], "GB/s")
    yield Row("one look at each byte", size / best["read"], "GB/s", best["paper"] / best["read"])


def real(folder: Path, profile: str) -> Iterable[Row]:
    """Do the pages of a cluster come from one documentation generator?"""
    run = pagekin.scan(corpus().warc, folder / f"real-{profile}", only=["styles"], params=Params.of(profile))
    labels = pq.read_table(corpus().labels, columns=["url", "generator"]).to_pandas()
    members = run.table("style_members").to_pandas().merge(labels, on="url")
    known = members[members.generator.notna()]
    counts = known.groupby(["cluster", "generator"]).size()
    pure = counts.groupby("cluster").max().sum() / len(known)
    whole = counts.groupby("generator").max().sum() / labels.generator.notna().sum()
    least = 0.999 if profile == "default" else None
    yield Row(f"{profile}: clusters of the real corpus", run.table("style_clusters").num_rows, "clusters")
    yield Row(f"{profile}: purity by generator", pure, "share", at_least=least)
    yield Row(f"{profile}: completeness, a generator's pages in its largest cluster", whole, "share")
    stored = sum(path.stat().st_size for path in (run.path / "sketches.parquet").glob("*.parquet"))
    style = sum(
        pq.ParquetFile(path).metadata.row_group(group).column(1).total_compressed_size
        for path in (run.path / "sketches.parquet").glob("*.parquet")
        for group in range(pq.ParquetFile(path).metadata.num_row_groups)
    )
    pages = run.info["counts"]["pages"]
    yield Row(f"{profile}: a fingerprint of noise on disk", style / pages, "bytes", at_most=256)
    yield Row(f"{profile}: all sketches of a page on disk", stored / pages, "bytes")


def made_up(folder: Path) -> Iterable[Row]:
    """Template families found, farms and mirrors named."""
    warc = web(SMALL)
    run = pagekin.scan(warc, folder / "made-up", only=["duplicates", "styles"])
    truth = _truth(warc)
    members = run.table("style_members").to_pandas()
    kinds = run.table("style_clusters", ["cluster", "kind"]).to_pandas()
    found = truth.merge(members[["url", "cluster"]], on="url", how="left").merge(
        kinds, on="cluster", how="left"
    )
    family = found[found.template.notna()]
    joined = family.dropna(subset="cluster")
    together = _pairs(joined.groupby(["template", "cluster"]).size())
    f1 = 2 * together / (_pairs(family.groupby("template").size()) + _pairs(joined.groupby("cluster").size()))
    yield Row("F1 over pairs of a template family", f1, "share", at_least=0.98)
    for truly, kind in (("farm", "link farm"), ("mirror", "mirror")):
        pages = found[found.kind_x == truly]
        yield Row(f"pages of a {kind} named so", (pages.kind_y == kind).mean(), "share", at_least=0.95)


def _truth(warc: Path) -> pd.DataFrame:
    beside = warc.with_name(warc.name.removesuffix(".warc.gz") + ".truth.parquet")
    if not beside.exists():
        # Where an older bench left it.
        beside = warc.with_name(f"unfinished-{beside.name}")
    return pq.read_table(beside, columns=["url", "kind", "template"]).to_pandas()


def _pairs(sizes: pd.Series) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def detector(folder: Path, profile: str) -> Iterable[Row]:
    """The paper's site detector: does similarity to one page find the rest of its package?"""
    pool = cache_folder() / "pool"
    paths = [pool / f"{package}.zip" for package in sorted(OF_CORPUS)]
    large = [path for path in paths if path.exists() and _pages(path) >= PAGES_EACH]
    chosen = [Path(path) for path in evenly([str(path) for path in large], PACKAGES)]
    params = Params.of(profile)
    run = pagekin.scan([corpus().warc, *chosen], folder / f"pool-{profile}", only=[], params=params)
    pages = run.table("pages", ["page", "url", "input"]).to_pandas()
    pages = pages.merge(pq.read_table(corpus().labels, columns=["url", "package"]).to_pandas(), how="left")
    # The corpus holds some pages of these packages too.
    pages["package"] = pages.input.map({str(path): path.stem for path in chosen}).fillna(pages.package)
    precisions, recalls = [], []
    for path in chosen:
        own = pages[pages.input == str(path)]
        page = Random(path.stem).choice(list(own.url))
        found = run.like(page).table.to_pandas()
        hits = found[found.similarity >= DETECTORS[profile]].merge(pages[["page", "package"]], on="page")
        right = (hits.package == path.stem).sum()
        everyone = (pages.package == path.stem).sum() - 1
        precisions.append(right / max(len(hits), 1))
        recalls.append(right / max(everyone, 1))
        figures = f"precision {precisions[-1]:.3f}  recall {recalls[-1]:.3f}"
        print(f"{profile:<8} {path.stem:<30} {figures}  {_others(hits, path.stem)}")
    precision, recall = pd.Series(precisions).median(), pd.Series(recalls).median()
    yield Row(f"{profile}: site detector, median precision over packages", precision, "share")
    yield Row(f"{profile}: site detector, median recall over packages", recall, "share")


def _pages(path: Path) -> int:
    with zipfile.ZipFile(path) as archive:
        return len(archive.namelist())


def _others(hits: pd.DataFrame, own: str) -> str:
    other: Sequence[tuple[str, int]] = Counter(hits.package[hits.package != own]).most_common(2)
    return ", ".join(f"{name} {count}" for name, count in other)


if __name__ == "__main__":
    main()
