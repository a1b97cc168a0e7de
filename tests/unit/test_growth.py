"""The growth curve of a run, against counting by hand."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pagekin
from pagekin.look.markup import Html
from pagekin.report.growth import POINTS, growth, growth_figure, growth_of
from pagekin.report.story import Data

TEXTS = ["one page", "another page", "one page", "", "a third page", "another page", "", "one page"]


def test_exact_duplicates_in_order(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl.jsonl"
    rows = [{"url": f"http://a.example/{n}", "text": text or " "} for n, text in enumerate(TEXTS)]
    crawl.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data = Data(pagekin.scan(crawl, tmp_path / "run", only=[]))
    curve = growth_of(data)
    seen: set[str] = set()
    expected: list[dict[str, int]] = []
    for text in filter(None, TEXTS):
        last = dict(expected[-1]) if expected else {"fetched": 0, "unique": 0, "exact": 0, "near": 0}
        last["fetched"] += 1
        last["exact" if text in seen else "unique"] += 1
        seen.add(text)
        expected.append(last)
    assert curve == expected
    section = growth(data)
    assert [figure.rows[-1] for figure in section.figures()] == [[6, 3, 3, 0]]
    assert any("without fuzzy" in block for block in section.blocks if isinstance(block, Html))


def test_long_runs_are_thinned_and_keep_their_end(small_web: Path, tmp_path: Path) -> None:
    run = pagekin.scan(small_web, tmp_path / "run", only=["fuzzy"])
    curve = growth_of(Data(run))
    last = curve[-1]
    assert len(curve) <= POINTS
    assert last["fetched"] == last["unique"] + last["exact"] + last["near"]
    texts = _texts(run)
    assert (last["fetched"], last["exact"]) == (len(texts), len(texts) - len(set(texts)))
    copies = run.table("fuzzy").to_pylist()
    assert last["near"] == sum(row["kind"] == "near" for row in copies if row["page"] != row["class"])
    for before, after in pairwise(curve):
        assert all(before[kind] <= after[kind] for kind in before)


def test_drawings_are_thinned() -> None:
    curve = [{"fetched": n, "unique": n, "exact": 0, "near": 0} for n in range(1, 5001)]
    figure = growth_figure(curve, "It grows")
    assert len(figure.rows) == POINTS
    assert figure.rows[-1] == [5000, 5000, 0, 0]
    assert "200 of 5,000 points" in figure.note


def _texts(run: pagekin.Run) -> list[str]:
    words = run.table("pages", ["words"])["words"].to_pylist()
    texts = run.table("texts", ["text"])["text"].to_pylist()
    return [text for text, count in zip(texts, words, strict=True) if count]
