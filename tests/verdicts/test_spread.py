"""Spreading, the allow-list, later runs, block lists: the many at once against one by one."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest

import pagekin
from pagekin.errors import UsageError
from pagekin.index.catalog import Catalog
from pagekin.query.checker import Asked, Checker, kinship
from pagekin.run import Run
from pagekin.verdicts.blocklist import FORMATS, Thresholds, block_list, written
from pagekin.verdicts.effective import carried
from pagekin.verdicts.files import import_rows
from pagekin.verdicts.files import written as lines_of
from pagekin.verdicts.labels import ALLOW, ALLOWED, LABELS, SPAM, SPREAD
from pagekin.verdicts.spread import preview, spread
from pagekin.verdicts.state import State


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run, and the crawl it is of."""
    from pagekin.synth import write_web

    folder = tmp_path_factory.mktemp("spread")
    write_web(folder / "web.warc.gz", pages=400, seed=3)
    pagekin.scan(folder / "web.warc.gz", folder / "run")
    return folder / "run", folder / "web.warc.gz"


@pytest.fixture
def opened(made: tuple[Path, Path], tmp_path: Path) -> tuple[Catalog, State]:
    import shutil

    run = Run(shutil.copytree(made[0], tmp_path / "run"))
    return Catalog(run), State(run)


def test_a_preview_counts_what_a_spread_does(opened: tuple[Catalog, State]) -> None:
    catalog, state = opened
    cluster = catalog.one("SELECT cluster FROM clusters ORDER BY domains DESC LIMIT 1")
    members = catalog.rows("SELECT page, domain FROM members WHERE cluster = ?", [cluster])
    for row in members[:3]:
        state.store.judge("ann", "page", row["page"], "not spam")
    seen = preview(catalog, state, "cluster", str(cluster), "spam")
    assert seen.adds == len(members) - 3
    assert seen.by_hand == {"not spam": 3}
    assert seen.domains == len({row["domain"] for row in members[3:]})
    assert str(seen).startswith(f"Adds {len(members) - 3} pages on {seen.domains} domains; 3 of the")
    made = spread(catalog, state, "ann", seen)
    labels = Counter(_label(catalog, state, row["page"]) for row in members)
    assert labels == {"spam": len(members) - 3, "not spam": 3}
    assert preview(catalog, state, "cluster", str(cluster), "spam").adds == 0
    state.store.undo("bob", made)
    state.refresh()
    assert Counter(_label(catalog, state, row["page"]) for row in members) == {
        None: len(members) - 3,
        "not spam": 3,
    }


def _label(catalog: Catalog, state: State, page: int) -> str | None:
    row = catalog.page(page)
    assert row is not None
    found = state.of_page(kinship(row))
    return None if found is None else found.label


@pytest.mark.parametrize("seed", range(4))
def test_many_at_once_is_one_by_one(opened: tuple[Catalog, State], seed: int) -> None:
    """The query over all pages says what `State.of_page` says of each."""
    catalog, state = opened
    rng = random.Random(seed)
    clusters = [str(row["cluster"]) for row in catalog.rows("SELECT cluster FROM clusters")]
    classes = [str(row["class"]) for row in catalog.rows('SELECT "class" FROM classes')]
    sites = [row["domain"] for row in catalog.rows("SELECT domain FROM domains")]
    hosts = [row["host"] for row in catalog.rows("SELECT DISTINCT host FROM pages")]
    software = [
        row["name"] for row in catalog.rows("SELECT DISTINCT name FROM clusters WHERE name IS NOT NULL")
    ]
    pages = [row["page"] for row in catalog.rows("SELECT page FROM pages")]
    for _ in range(60):
        kind, targets = rng.choice(
            [("cluster", clusters), ("class", classes), ("site", sites), ("site", hosts)]
        )
        label = rng.choice([*LABELS, None])
        state.store.judge("ann", kind, rng.choice(targets), label, scope=SPREAD)
    for page in rng.sample(pages, 40):
        state.store.judge(rng.choice(["ann", "bob"]), "page", page, rng.choice(LABELS))
    for kind, targets in (("cluster", clusters), ("site", sites), ("site", hosts), ("software", software)):
        for target in rng.sample(targets, min(3, len(targets))):
            state.store.judge("ann", kind, target, ALLOWED, scope=ALLOW)
    state.refresh()
    together = carried(catalog, state, "SELECT page, label FROM carried").to_pylist()
    assert {row["page"]: row["label"] for row in together} == {p: _label(catalog, state, p) for p in pages}


def test_the_allow_list(opened: tuple[Catalog, State]) -> None:
    catalog, state = opened
    row = catalog.row("SELECT cluster, name FROM clusters WHERE name IS NOT NULL LIMIT 1")
    assert row is not None
    state.store.judge("ann", "software", row["name"], ALLOWED, scope=ALLOW)
    seen = preview(catalog, state, "cluster", str(row["cluster"]), "spam")
    assert "allow-list" in str(seen)
    with pytest.raises(UsageError, match="allow-list"):
        spread(catalog, state, "ann", seen)


@pytest.mark.parametrize("target", ["999999", "x", "1; DROP TABLE pages", ""])
def test_what_is_not_there_cannot_be_spread(opened: tuple[Catalog, State], target: str) -> None:
    for kind in ("cluster", "class", "site", "page"):
        with pytest.raises(UsageError):
            preview(*opened, kind, target, "spam")


def test_block_lists(opened: tuple[Catalog, State]) -> None:
    catalog, state = opened
    row = catalog.row("SELECT domain, pages FROM domains WHERE pages >= 6 ORDER BY pages DESC LIMIT 1")
    assert row is not None
    domain = row["domain"]
    limits = Thresholds(5, 0.8)
    assert [line for form in FORMATS for line in block_list(catalog, state, form, limits)] == []
    seen = preview(catalog, state, "site", domain, "spam")
    spread(catalog, state, "ann", seen, why="a farm")
    found = list(block_list(catalog, state, "domains", limits))
    assert [line.name for line in found] == [domain]
    assert found[0].evidence[0]["why"] == "a farm"
    assert found[0].evidence[0]["through"] == f"site {domain}"
    assert f"||{domain}^" in written(found, "adblock")
    assert json.loads(next(iter(written(found, "jsonl"))))["spam"] == row["pages"]
    urls = list(written(block_list(catalog, state, "urls", limits), "urls"))
    assert len(urls) == row["pages"]
    assert not any(" " in url for url in urls)
    assert all(
        line.startswith(("#", "0.0.0.0 "))
        for line in written(block_list(catalog, state, "hosts", limits), "hosts")
    )
    # Fewer than 80% spam: not blocked.
    pages = catalog.rows("SELECT page FROM site_pages WHERE domain = ?", [domain])
    for page in pages[: len(pages) // 4 + 1]:
        state.store.judge("ann", "page", page["page"], "not spam")
    assert list(block_list(catalog, state, "domains", limits)) == []
    assert [line.name for line in block_list(catalog, state, "domains", Thresholds(1, 0.5))] == [domain]
    state.store.judge("ann", "site", domain, ALLOWED, scope=ALLOW)
    assert [line for form in FORMATS for line in block_list(catalog, state, form, Thresholds(1, 0))] == []


@pytest.mark.parametrize("form", ["urls", "hosts"])
def test_a_list_costs_its_lines(
    opened: tuple[Catalog, State], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All verdicts are gone through once, not once for each line."""
    catalog, state = opened
    for row in catalog.rows("SELECT page, url FROM pages LIMIT 50"):
        state.store.judge("ann", "page", row["page"], SPAM, url=row["url"])
    rows = Mock(wraps=state.rows)
    monkeypatch.setattr(state, "rows", rows)
    assert len(list(block_list(catalog, state, form, Thresholds(1, 0)))) > 10
    assert rows.call_count == 1


def test_verdicts_follow_into_later_runs(made: tuple[Path, Path], tmp_path: Path) -> None:
    """Pages that join a known cluster later carry what was spread over it; new verdicts count at once."""
    from pagekin.readers import read_pages

    half = [page for page in read_pages(made[1]) if page.html is not None]
    for name, part in (("old", half[::2]), ("new", half[1::2])):
        rows = [{"url": page.url, "html": (page.html or b"").decode("utf-8", "replace")} for page in part]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    old = pagekin.scan(tmp_path / "old.jsonl", tmp_path / "old")
    cluster = Catalog(old).one("SELECT cluster FROM clusters ORDER BY pages DESC LIMIT 1")
    State(old).store.judge("ann", "cluster", cluster, "spam", scope=SPREAD)
    new = pagekin.scan(tmp_path / "new.jsonl", tmp_path / "new", against=old.path)
    catalog, state = Catalog(new), State(new)
    grown = catalog.rows("SELECT page FROM members WHERE cluster = ?", [cluster])
    later = [row["page"] for row in grown if row["page"] >= new.first_page]
    assert later
    assert len(later) < len(grown)
    assert {_label(catalog, state, row["page"]) for row in grown} == {"spam"}
    # Taking it back in the new run does not write into the old one.
    state.store.judge("bob", "cluster", cluster, None, scope=SPREAD)
    state.refresh()
    assert {_label(catalog, state, row["page"]) for row in grown} == {None}
    assert [row.label for row in State(old).rows()] == ["spam"]


def test_files_carry_verdicts_over(
    opened: tuple[Catalog, State], made: tuple[Path, Path], tmp_path: Path
) -> None:
    catalog, state = opened
    page = catalog.row("SELECT page, url, cluster FROM pages WHERE cluster IS NOT NULL LIMIT 1")
    assert page is not None
    state.store.judge("ann", "page", page["page"], "spam", url=page["url"], why='=1+1, "quoted"\nline')
    state.store.judge("ann", "cluster", page["cluster"], "not spam", url=page["url"])
    state.store.judge("ann", "site", "site.example", "borderline")
    state.refresh()
    # Another run, in which everything has other numbers.
    (tmp_path / "more.jsonl").write_text(
        json.dumps({"url": "http://first.example/", "html": "<p>hello"}) + "\n"
    )
    other = pagekin.scan([tmp_path / "more.jsonl", made[1]], tmp_path / "other")
    for form in ("csv", "jsonl"):
        file = tmp_path / f"verdicts.{form}"
        file.write_text("".join(lines_of(state.rows(), form)))
        target = State(other)
        done = import_rows(target.store, Catalog(other), file)
        target.refresh()
        assert (done.added, done.known) == ((3, 0) if form == "csv" else (0, 3))
    moved = target.by_judge("page", Catalog(other).page_of_url(page["url"]) or -1)["ann"]
    assert (moved.label, moved.why, moved.at) == ("spam", state.rows()[0].why, state.rows()[0].at)
    (tmp_path / "bad.csv").write_text("kind,label\npage,ham\n")
    with pytest.raises(pagekin.PagekinError, match="line 2: a verdict needs a target or a url"):
        import_rows(target.store, Catalog(other), tmp_path / "bad.csv")


def test_check_says_what_people_said(opened: tuple[Catalog, State], made: tuple[Path, Path]) -> None:
    catalog, state = opened
    pages = [page for page in pagekin.read(made[1]) if page.html is not None]
    checker = Checker(catalog.run, catalog=catalog, state=state)
    row = catalog.row("SELECT cluster FROM clusters ORDER BY pages DESC LIMIT 1")
    assert row is not None
    member = catalog.row("SELECT url FROM members WHERE cluster = ? LIMIT 1", [row["cluster"]])
    assert member is not None
    html = next(page.html for page in pages if page.url == member["url"])
    asked = [Asked(html=html, url="http://new.example/"), Asked(text="two words"), Asked(html=b"<p>hi")]
    first, text, small = checker.check(asked)
    assert first.verdict is None
    assert first.style is not None
    assert text.style is not None
    assert small.style is not None
    assert first.style["clusters"][0]["cluster"] == row["cluster"]
    assert text.style["why"] == "no HTML was given"
    assert "too small to judge" in small.style["why"]
    state.store.judge("ann", "cluster", row["cluster"], "spam", scope=SPREAD)  # counts at once
    verdict = checker.check(asked)[0].verdict
    assert verdict is not None
    assert verdict["label"] == "spam"
    state.store.judge("ann", "cluster", row["cluster"], ALLOWED, scope=ALLOW)
    assert checker.check(asked[:1])[0].style["clusters"][0]["allowed"] is True  # type: ignore[index]


def test_every_page_finds_its_cluster_and_its_copies(
    opened: tuple[Catalog, State], made: tuple[Path, Path]
) -> None:
    """By lookups, against the tables of the scan, which compared the pages themselves."""
    catalog, state = opened
    checker = Checker(catalog.run, catalog=catalog, state=state)
    pages = [page for page in pagekin.read(made[1]) if page.html is not None]
    rows = {row["url"]: row for row in catalog.rows("SELECT * FROM pages")}
    missed = 0
    for page, answer in zip(
        pages, checker.check([Asked(html=p.html, url=p.url) for p in pages]), strict=True
    ):
        row = rows[page.url]
        assert answer.style is not None
        assert answer.text is not None
        found = [cluster["cluster"] for cluster in answer.style["clusters"]]
        missed += row["cluster"] is not None and row["cluster"] not in found
        exact = {
            row["page"]
            for row in catalog.rows('SELECT page FROM copies WHERE "class" = ?', [row["class"] or -1])
        }
        if row["copy"] == "exact" and len(exact) > 1:
            assert answer.text["exact"] or answer.text["near"]
    assert missed <= 0.01 * len(pages)
