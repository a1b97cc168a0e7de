"""The growth curve of a run, against counting by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pagekin
from pagekin.report.figures import svg
from pagekin.report.growth import draw_curve, growth, growth_of

TEXTS = ["one page", "another page", "one page", "", "a third page", "another page", "", "one page"]


def test_exact_duplicates_in_order(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl.jsonl"
    rows = [{"url": f"http://a.example/{n}", "text": text or " "} for n, text in enumerate(TEXTS)]
    crawl.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = pagekin.scan(crawl, tmp_path / "run", only=[])
    curve = growth_of(run).to_pylist()
    seen: set[str] = set()
    expected: list[dict[str, int]] = []
    for text in filter(None, TEXTS):
        last = dict(expected[-1]) if expected else {"fetched": 0, "unique": 0, "exact": 0, "near": 0}
        last["fetched"] += 1
        last["exact" if text in seen else "unique"] += 1
        seen.add(text)
        expected.append(last)
    assert curve == expected
    section = growth(run)
    assert [block.kind for block in section.blocks] == ["facts", "picture"]
    assert "fuzzy" in section.note


def test_long_runs_are_thinned_and_keep_their_end(small_web: Path, tmp_path: Path) -> None:
    run = pagekin.scan(small_web, tmp_path / "run", only=[])
    curve = growth_of(run)
    last = curve.slice(curve.num_rows - 1).to_pylist()[0]
    assert last["fetched"] == last["unique"] + last["exact"] + last["near"]
    assert last["unique"] == len(set(_texts(run)))
    assert svg(draw_curve(curve)).startswith(b"<?xml")


def _texts(run: pagekin.Run) -> list[str]:
    words = run.table("pages", ["words"])["words"].to_pylist()
    texts = run.table("texts", ["text"])["text"].to_pylist()
    return [text for text, count in zip(texts, words, strict=True) if count]
