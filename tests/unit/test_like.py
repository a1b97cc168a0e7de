"""One to all: the threshold that is suggested."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pagekin
from pagekin.params import Params

UNLIKE = (
    "<ul>" + "<li class='a'><b>x</b>, y;</li>" * 9 + "</ul>",
    "<table>" + "<tr data-n=1><td>(x)<td>[y]</tr>" * 9 + "</table>",
)


@pytest.mark.parametrize(("profile", "threshold"), [("default", 50 / 128), ("paper", 20 / 128)])
def test_without_a_gap(tmp_path: Path, profile: str, threshold: float) -> None:
    """Strangers by the default's noise are as alike as the paper's detector wants its kin to be."""
    rows = [{"url": f"http://site{n}.example/", "html": html} for n, html in enumerate(UNLIKE)]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = pagekin.scan(tmp_path / "crawl.jsonl", tmp_path / "run", only=[], params=Params.of(profile))
    found = run.like(rows[0]["url"])
    assert (found.gaps, found.threshold, found.pages) == ([], threshold, 0)


def test_in_the_widest_gap(tmp_path: Path) -> None:
    rows = [{"url": f"http://site{n}.example/", "html": UNLIKE[n > 3] + "<p>" * (n % 4)} for n in range(6)]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = pagekin.scan(tmp_path / "crawl.jsonl", tmp_path / "run", only=[]).like(rows[0]["url"])
    widest = max(found.gaps, key=lambda gap: gap.upper - gap.lower)
    assert (found.pages, found.domains) == (3, 3)
    assert widest.lower < found.threshold < widest.upper
