"""Are the findings true? On real pages, with what they declare of themselves and what was planted.

    python benches/truth.py [--part test|train] [--packages FILE] [--profile default|paper]...

Fetches packages with apt on the first call. Defaults are chosen on the part `train` and reported on `test`.
With names of other packages in a file, one a line, it measures on pages that nobody looked at before.
"""

from __future__ import annotations

import argparse
import dataclasses
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import truth_rank as rank_of
import truth_styles as styles
import truth_texts as texts_of
import truth_types as types_of
from harness import Row, costs_of, publish
from truth_corpus import Corpus, Page, corpus, write
from truth_packages import packages_of

import pagekin
from pagekin.params import PROFILES, Params
from pagekin.params.styles import RANKS

SIMILAR = 0.8
LENGTHS = (
    (", below 500 characters", 0, 500),
    (", 500 to 2,000 characters", 500, 2000),
    (", 2,000 characters and more", 2000, math.inf),
)
LOWEST = {
    "purity": 0.999,
    "micro": 0.82,
    "macro": 0.62,
    "quilts": 0.9,
    "planted": 1.0,
    "edits": 0.995,
    "precision": 1.0,
    "fuzzy": 0.9,
    "names": 27.0,
}
"""What the defaults must reach on the part `test`; the papers' values are there to be compared with."""


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the findings with what is true.")
    parser.add_argument("--part", choices=("test", "train"), default="test")
    parser.add_argument("--packages", type=Path, help="measure on the packages that this file names instead")
    parser.add_argument("--profile", choices=PROFILES, action="append")
    options = parser.parse_args()
    part, packages = options.part, packages_of(options.part)
    if options.packages:
        part, packages = options.packages.stem, options.packages.read_text(encoding="utf-8").split()
    made = corpus(packages, part)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        for profile in options.profile or PROFILES:
            rows += measure(made, profile, Path(folder) / profile)
    publish("truth" if part == "test" else f"truth-{part}", rows)


def measure(made: Corpus, profile: str, folder: Path) -> Iterator[Row]:
    folder.mkdir()
    params = Params.of(profile)
    goals = LOWEST if profile == "default" else {}

    def row(what: str, value: float, unit: str, goal: str = "") -> Row:
        return Row(f"{profile}: {what}", value, unit, at_least=goals.get(goal))

    warc = write(made.pages, folder / "pages.warc.gz")
    command = [str(Path(sys.executable).with_name("pagekin")), "scan", str(warc), "-o", str(folder / "run")]
    command += ["--profile", profile, "--only", "duplicates,styles,quilts,fuzzy", "--threads", "2", "--quiet"]
    _, worked, peak = costs_of(command)
    run = pagekin.Run(folder / "run")
    real = made.of_kind("real")
    cluster = styles.clusters_of(run)
    recalls = styles.recalls(real, cluster)
    yield row("pages", run.info["counts"]["pages"], "pages")
    yield row("sites", len({page.site for page in real}), "packages")
    yield row("the whole command, processor time", worked, "s")
    yield row("its peak memory", peak / 1e6, "MB")
    yield row("styles, purity by generator", styles.purity(real, cluster), "share", "purity")
    yield row("styles, pages with kin on other sites that meet it", styles.micro(recalls), "share", "micro")
    yield row("the same, mean over generators", styles.macro(recalls), "share", "macro")
    yield row(
        "styles, pages that meet their generator's on their own site", styles.within(real, cluster), "share"
    )
    yield row("styles, pairs across sites together", styles.pair_recall(real, cluster), "share")
    yield row(
        "styles, pages in their generator's largest cluster", styles.completeness(real, cluster), "share"
    )
    library = write(made.libraries, folder / "library.warc.gz")
    apart = pagekin.scan(library, folder / "library", only=["styles"], params=params)
    for kind, shared in (("library", "a script library"), ("icons", "an icon set")):
        pages = [page for page in made.libraries if page.kind == kind]
        joined = styles.joined_by_library(pages, styles.clusters_of(apart))
        label = f"{profile}: pages of unlike make joined by {shared}"
        yield Row(label, joined, "pages", at_most=0 if profile == "default" else None)
    texts = texts_of.Texts(run)
    if profile == "default":
        yield from scores(run, texts, real, params.fuzzy.threshold, row)
        yield from page_types(made, params, folder, row)
        yield from ranks(made, params, folder, row)
    right, empty, wrong = styles.names_right(run, real)
    print("\n".join(f"  {profile}, wrong name of cluster {line}" for line in wrong))
    yield row(f"top {styles.TOP} clusters with the right name or none", right + empty, "clusters", "names")
    yield row("of these without a name", empty, "clusters")
    honest, reported = texts_of.honest_quilts(run, texts)
    yield row("quilts reported", reported, "pages")
    yield row("quilts with half their text on other sites", honest / max(reported, 1), "share", "quilts")
    found, due = texts_of.planted_quilts(run, made.of_kind("quilt"))
    yield row("planted quilts found with their sources", found / max(due, 1), "share", "planted")
    yield from borrowings(made, params, folder, row)
    edits = made.of_kind("edit")
    for low, high, goal in ((SIMILAR, 1.0, "edits"), (0.8, 0.85, ""), (0.85, 0.9, ""), (0.9, 0.95, "")):
        met, due = texts_of.planted_edits(run, edits, low, high)
        what = f"planted copies found, similarity {low:g} to {high:g}"
        yield row(what, met / max(due, 1), "share", goal)
    met, due = texts_of.found_duplicates(run, texts, SIMILAR)
    yield row(f"all pairs {SIMILAR:g} alike", due, "pairs")
    yield row("of these in one class", met / max(due, 1), "share", "edits")
    good, total = texts_of.true_duplicates(run, texts, SIMILAR)
    yield row(f"duplicates with a page {SIMILAR:g} alike", good / max(total, 1), "share", "precision")
    good, total = texts_of.true_fuzzy(run, texts, SIMILAR)
    yield row("near pages in fuzzy classes", total, "pages")
    yield row(f"fuzzy, text {SIMILAR:g} alike", good / max(total, 1), "share", "fuzzy")


def scores(
    run: pagekin.Run,
    texts: texts_of.Texts,
    real: Sequence[Page],
    min_score: int,
    row: Callable[[str, float, str], Row],
) -> Iterator[Row]:
    """What a high score of digests says of the texts, by their length in characters."""
    pairs = texts_of.scored_pairs(run, texts, real, min_score)
    for what, shortest, longest in (("", 0, math.inf), *LENGTHS):
        alike = [pair.similarity >= SIMILAR for pair in pairs if shortest <= pair.length < longest]
        yield row(f"pairs with a score of {min_score} or more{what}", len(alike), "pairs")
        yield row(f"of these, text {SIMILAR:g} alike{what}", sum(alike) / max(len(alike), 1), "share")
    together = [pair.together for pair in pairs if pair.similarity >= SIMILAR]
    yield row("pairs that are, in one fuzzy class", sum(together) / max(len(together), 1), "share")


def page_types(
    made: Corpus, params: Params, folder: Path, row: Callable[[str, float, str], Row]
) -> Iterator[Row]:
    """Pages of one site by their types, as they are clustered and with --within-site."""
    types = types_of.typed_pages(made.packages)
    warc = write(list(types), folder / "types.warc.gz")
    yield row("pages of known type", len(types), "pages")
    for option, style in (("", params.style), (" with --within-site", params.style.within_site())):
        given = dataclasses.replace(params, style=style)
        run = pagekin.scan(warc, folder / f"types{option[:2]}", only=["styles"], params=given)
        pure, whole = types_of.pairs_of_types(types, styles.clusters_of(run))
        yield row(f"pairs of a site together that are of one type{option}", pure, "share")
        yield row(f"pairs of one type together{option}", whole, "share")


def ranks(made: Corpus, params: Params, folder: Path, row: Callable[[str, float, str], Row]) -> Iterator[Row]:
    """Crawls of three sites: whether their main templates come first, by our rank and by the paper's."""
    met: Counter[str] = Counter()
    due = 0
    for number, pages in enumerate(rank_of.small_crawls(made.packages)):
        warc = write(pages, folder / f"small{number}.warc.gz")
        run = pagekin.scan(warc, folder / f"small{number}", only=["styles"], params=params)
        for by in RANKS:
            first, main = rank_of.main_templates_first(run, pages, by)
            met[by] += first
        due += main
    yield row("main templates of crawls of three sites", due, "clusters")
    for by in RANKS:
        yield row(f"of these first by {by}", met[by] / max(due, 1), "share")


def borrowings(
    made: Corpus, params: Params, folder: Path, row: Callable[[str, float, str, str], Row]
) -> Iterator[Row]:
    """Sources that later pages copied too, with and without dates; and negatives."""
    warc = write([*made.of_kind("real"), *made.borrowings], folder / "borrowings.warc.gz")
    params = params.replace("quilts", min_shared=0.05)
    found: dict[bool, pagekin.Run] = {}
    for earlier in (False, True):
        given = params.replace("quilts", earlier_only=earlier)
        found[earlier] = pagekin.scan(warc, folder / f"earlier-{earlier}", only=["quilts"], params=given)
    texts = texts_of.Texts(found[False])
    for what, earlier, table, goal in (
        ("parents behind later copies that are named sources", False, "quilt_sources", ""),
        ("parents among all sources", False, "all_sources", "planted"),
        ("parents that are named sources with --earlier-only", True, "quilt_sources", "planted"),
    ):
        met, due = texts_of.parents(found[earlier], texts, table, made.borrowings)
        yield row(what, met / max(due, 1), "share", goal)
    called = texts_of.framed_quilts(found[False], made.borrowings)
    max_called = 0 if params.profile == "default" else None
    label = f"{params.profile}: pages with the boilerplate of their own site called quilts"
    yield Row(label, called, "pages", at_most=max_called)


if __name__ == "__main__":
    main()
