"""The report's sections on duplicates and phrases: every figure is drawn, and says what the tables say."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import pagekin
from pagekin.params import Params
from pagekin.report.blocks import Facts, Grid, Picture
from pagekin.report.duplicates import duplicates
from pagekin.report.phrases import covers, phrases, popular_sites
from pagekin.run import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
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


def test_duplicates(run: Run) -> None:
    section = duplicates(run)
    facts = section.blocks[0]
    assert isinstance(facts, Facts)
    assert dict(facts.rows)["classes"] == 1
    assert dict(facts.rows)["of these exact"] == 1


def test_figures(run: Run) -> None:
    made = [phrases(run), covers(run), popular_sites(run)]
    assert [sum(isinstance(block, Picture) for block in section.blocks) for section in made] == [3, 2, 1]
    ranked = made[2].blocks[0]
    assert isinstance(ranked, Grid)
    assert [row[1] for row in ranked.rows] == ["a.example", "b.example"]


def test_without_findings(tmp_path: Path) -> None:
    (tmp_path / "one.jsonl").write_text(json.dumps({"url": "http://a.example/", "text": "a page"}))
    alone = pagekin.scan(tmp_path / "one.jsonl", tmp_path / "run")
    for make in (duplicates, phrases, covers, popular_sites):
        assert make(alone).blocks
