"""The report says what the tables say: its numbers against sums over rows, and what it says of nothing."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.errors import RunError
from pagekin.look.figure import Figure
from pagekin.look.markup import Html
from pagekin.look.table import ShownTable
from pagekin.params import PROFILES, Params
from pagekin.report.build import CHAPTERS, chapters, rendered
from pagekin.report.causes import causes
from pagekin.report.duplicates import duplicates
from pagekin.report.phrases import phrases
from pagekin.report.quilts import quilts
from pagekin.report.skeleton import constant_markup, shared_words
from pagekin.report.story import Data, Section
from pagekin.report.styles import styles
from pagekin.run import Run
from pagekin.studies.kept import SWEEP, keep, kept


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two sites whose pages are made of the same fifteen sentences."""
    rng = random.Random(1)
    stock = [" ".join(f"w{rng.randrange(900)}" for _ in range(9)) for _ in range(15)]
    folder = tmp_path_factory.mktemp("report")
    rows = [
        {"url": f"http://{'ab'[i % 2]}.example/{i}", "text": ". ".join(rng.sample(stock, 6))}
        for i in range(80)
    ]
    rows += [rows[3] | {"url": "http://c.example/copy"}, {"url": "http://c.example/", "text": "$x$ <b>"}]
    (folder / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return pagekin.scan(folder / "pages.jsonl", folder / "run", params=Params())


@pytest.fixture(scope="module")
def web(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("web") / "run")


def figure(section: Section, key: str) -> Figure:
    (found,) = [one for one in section.figures() if one.key == key]
    return found


def table(section: Section, key: str) -> list[dict[str, Any]]:
    (found,) = [one for one in section.tables() if one.key == key]
    return [dict(zip([c.key for c in found.columns], row, strict=True)) for row in found.rows]


def test_copies_by_both_methods(web: Run) -> None:
    section = duplicates(Data(web))
    rows = {row["in_the_run's_table"]: row for row in table(section, "duplicate-methods")}
    found = {}
    for name in ("duplicates", "fuzzy"):
        copies = [row for row in web.table(name).to_pylist() if row["page"] != row["representative"]]
        found[name] = {row["page"] for row in copies}
        kinds = Counter(row["kind"] for row in copies)
        assert rows[name]["copies"] == len(copies)
        assert (rows[name]["kind = 'exact'"], rows[name]["kind = 'near'"]) == (kinds["exact"], kinds["near"])
        assert rows[name]["class"] == len({row["class"] for row in copies})
    a, b = found["duplicates"], found["fuzzy"]
    drawn = [row[1] for row in figure(section, "duplicate-methods-figure").rows]
    assert drawn == [len(a & b), len(a - b), len(b - a)]
    assert f"({len(a):,})" in section.title
    sizes = Counter(row["class"] for row in web.table("duplicates").to_pylist())
    largest = table(section, "duplicate-classes")
    assert [row["pages"] for row in largest] == sorted(sizes.values(), reverse=True)[:20]
    assert sum(row[2] for row in figure(section, "duplicate-class-sizes").rows) == len(sizes)


def test_clusters(web: Run) -> None:
    section = styles(Data(web))
    rows = web.table("style_clusters").to_pylist()
    shown = table(section, "style-clusters")
    assert [row["centroid_url"] for row in shown] == [row["centroid_url"] for row in rows[:20]]
    assert sum(row[2] for row in figure(section, "clusters-reach").rows) == len(rows)
    assert sum(row[3] for row in figure(section, "clusters-reach").rows) == sum(r["pages"] for r in rows)
    assert sum(row[2] for row in figure(section, "cluster-sizes").rows) == len(rows)
    kinds = Counter(row["kind"] for row in rows)
    assert {row[0]: row[1] for row in figure(section, "cluster-kinds").rows} == kinds
    assert section.finding is not None
    assert section.finding.number == str(sum(row["domains"] > 1 for row in rows))


def test_clusters_show_their_skeleton(web: Run, small_web: Path, tmp_path: Path) -> None:
    """The markup that all pages of a cluster have, read again; without the input the rest is said."""
    html = str(styles(Data(web)).html())
    assert html.count("common skeleton") == 5
    assert "&lt;/title&gt;" in html
    moved = tmp_path / small_web.name
    shutil.copy(small_web, moved)
    run = pagekin.scan(moved, tmp_path / "run")
    moved.unlink()
    assert "common skeleton" not in styles(Data(run)).html()


def test_pages_in_a_stream_that_cannot_be_sought(tmp_path: Path) -> None:
    """Input without places is read once, and gives the same skeleton."""
    nav = "".join(f'<li class="item{n}"><a href="/x{n}">part {n}</a></li>' for n in range(60))
    rows = [
        {
            "url": f"http://s{n}.example/",
            "html": f"<title>t{n}</title><ul>{nav}</ul><p>own{n} words{n} here{n}",
        }
        for n in range(6)
    ]
    with gzip.open(tmp_path / "pages.jsonl.gz", "wt") as file:
        file.write("\n".join(map(json.dumps, rows)))
    html = styles(Data(pagekin.scan(tmp_path / "pages.jsonl.gz", tmp_path / "run"))).html()
    assert "&lt;title&gt;…&lt;/title&gt;&lt;ul&gt;&lt;li class=&quot;item0&quot;&gt;" in html


def test_a_figure_of_two_things_is_not_drawn(tmp_path: Path) -> None:
    words = [" ".join(f"w{n}x{i}" for i in range(80)) for n in range(4)]
    rows = [{"url": f"http://s{n}.example/", "text": text} for n, text in enumerate([*words, words[0]])]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, rows)))
    section = duplicates(Data(pagekin.scan(tmp_path / "pages.jsonl", tmp_path / "run")))
    assert section.title == "20.0% of the pages (1) are copies of another page"
    assert list(section.figures()) == []
    assert len(table(section, "duplicate-classes")) == 1


@pytest.mark.parametrize("profile", PROFILES)
def test_clusters_are_ranked_by_what_the_report_says(small_web: Path, tmp_path: Path, profile: str) -> None:
    run = pagekin.scan(small_web, tmp_path / "run", only=["styles"], params=Params.of(profile))
    section = styles(Data(run))
    (ranking,) = [one for one in section.tables() if one.key == "style-clusters"]
    formula = ranking.columns[0].hint.removeprefix("by ")
    said = "".join(str(block) for block in section.blocks if isinstance(block, Html))
    assert formula in said
    assert ("structure" in said) == (profile == "default")
    code = formula.replace("×", "*")
    values = [
        eval(code, {"log2": log2, "similarity": r["mean_similarity"], "sites": r["domains"], **r})
        for r in run.table("style_clusters").to_pylist()
    ]
    assert len(values) > 5
    assert all(more >= less - 1e-12 for more, less in pairwise(values))


def test_quilts(web: Run) -> None:
    section = quilts(Data(web))
    rows = web.table("quilts").to_pylist()
    assert rows
    assert sum(row[2] for row in figure(section, "quilt-shares").rows) == len(rows)
    assert sum(row[2] for row in figure(section, "quilt-cloud").rows) == len(rows)
    assert [row[1] for row in figure(section, "quilt-sources").rows] == sorted(
        (r["sources"] for r in rows), reverse=True
    )
    own = [row["originality"] for row in web.table("originality").to_pylist()]
    assert sum(row[2] for row in figure(section, "originality").rows) == sum(x is not None for x in own)
    named = Counter(_domain(web)[row["source"]] for row in web.table("quilt_sources").to_pylist())
    assert {
        row["domain"]: row["times_named_as_source"] for row in table(section, "quilt-sites")
    }.items() <= named.items()


def _domain(run: Run) -> dict[int, str]:
    pages = run.table("pages", ["page", "domain"])
    return dict(zip(pages["page"].to_pylist(), pages["domain"].to_pylist(), strict=True))


def test_phrases_and_sites(run: Run) -> None:
    section = phrases(Data(run))
    keys = [one.key for one in section.figures()]
    assert keys == [
        "sites-popular", "phrase-ranks", "phrase-frequencies", "popular-per-page", "covers", "covers-host",
    ]  # fmt: skip
    assert [row["site"] for row in table(section, "popular-sites")] == ["a.example", "b.example"]
    held = sorted(run.table("phrases")["pages"].to_pylist(), reverse=True)
    drawn = figure(section, "phrase-ranks").rows
    assert all(held[rank - 1] == pages for rank, pages in drawn)
    assert {row[0]: row[1] for row in figure(section, "phrase-frequencies").rows} == Counter(map(float, held))
    popular = Counter(run.table("popular")["popular"].to_pylist())
    assert {row[0]: row[1] for row in figure(section, "popular-per-page").rows} == popular
    covers = Counter((row["popular"], row["cover"]) for row in run.table("covers").to_pylist())
    assert {(row[0], row[1]): row[2] for row in figure(section, "covers").rows} == covers


def test_causes(web: Run) -> None:
    section = causes(Data(web))
    rows = web.table("duplicate_rates").to_pylist()
    caused: Counter[str] = Counter()
    for row in rows:
        if row["cause"]:
            caused[row["cause"]] += row["caused"]
    drawn = {row[0]: row[1] for row in figure(section, "causes-figure").rows}
    assert drawn.pop("not known") == sum(row["duplicates"] for row in rows) - caused.total()
    assert drawn == caused


@pytest.mark.parametrize("make", CHAPTERS)
def test_nothing_found_is_said(make: Callable[[Data], Section], tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(json.dumps({"url": "http://a.example/", "text": "a page"}))
    section = make(Data(pagekin.scan(tmp_path / "one.jsonl", tmp_path / "run")))
    assert section.finding is not None
    assert section.finding.says
    for block in section.blocks:
        assert not isinstance(block, ShownTable) or block.rows, "no empty table"


@pytest.mark.parametrize("make", CHAPTERS[:-1])
def test_what_did_not_run_is_said(make: Callable[[Data], Section], small_web: Path, tmp_path: Path) -> None:
    section = make(Data(pagekin.scan(small_web, tmp_path / "run", only=[])))
    assert section.finding is not None
    assert "not looked for" in section.finding.says
    assert any("scan ran without" in block for block in section.blocks if isinstance(block, Html))


def test_pages_without_hosts_dates_or_words(tmp_path: Path) -> None:
    rows = [{"url": "urn:x", "text": "?"}, {"url": "", "text": ""}, {"text": "no URL"}]
    (tmp_path / "odd.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = Data(pagekin.scan(tmp_path / "odd.jsonl", tmp_path / "run"))
    assert "<h1>" in rendered(data, chapters(data))


def test_the_same_run_gives_the_same_report(web: Run) -> None:
    first, second = (rendered(Data(web), chapters(Data(web), [1])) for _ in range(2))
    assert first == second


def test_constant_markup_leaves_out_what_differs() -> None:
    pages = [f'<div class="box"><a href="/{n}">word{n}</a></div>' for n in range(3)]
    assert constant_markup(pages) == '<div class="box"><a href="/…</a></div>'
    assert constant_markup(["<p>one</p>"]) == ""
    assert constant_markup(["<p>one</p>", "two three"]) == ""


def test_shared_words() -> None:
    pages = [
        ["x", "home", "about", "contact", "y", "z"],
        ["home", "about", "contact", "q"],
        ["a", "home", "about", "contact"],
    ]
    assert shared_words(pages) == [False, True, True, True, False, False]
    assert shared_words([["a"], ["a"]]) == [False]


def test_studies_are_kept(web: Run, tmp_path: Path) -> None:
    alone = tmp_path / "run"
    alone.mkdir()
    (alone / "run.json").write_bytes((web.path / "run.json").read_bytes())
    opened = Run(alone)
    assert kept(opened, SWEEP) is None
    assert keep(opened, SWEEP, {"points": []})
    assert keep(opened, SWEEP, {"points": [1]})
    assert kept(opened, SWEEP) == {"points": [1]}
    (alone / "studies" / "sweep.json").write_text("{")
    with pytest.raises(RunError, match=r"sweep\.json"):
        kept(opened, SWEEP)


def test_a_damaged_study_is_named(web: Run) -> None:
    keep(web, SWEEP, {"points": 3})
    try:
        with pytest.raises(RunError, match="measure again"):
            chapters(Data(web))
    finally:
        (web.path / "studies" / "sweep.json").unlink()
