"""The guide "Find the spam farms in a crawl, judge a hundred, block a thousand", executed.

The commands are the guide's own. The judge knows the truth about the made-up web and does with browser and
keyboard what the guide says.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from docs.blocks import ROOT, blocks
from playwright.sync_api import Browser, Page, expect
from web.serving import Served, opened, served

GUIDE = ROOT / "docs" / "guide" / "reviewing.md"
SPAM = ("farm", "slice_dice", "quilt")


def run(command: str, folder: Path) -> str:
    """Runs the guide's line that begins so; gives what it writes to stdout."""
    lines = [line for block in blocks("sh") if block.file == GUIDE for line in block.lines]
    line = next(line for line in lines if line.startswith(command))
    words = shlex.split(line)[1:]
    code = "from pagekin.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the first step was done."""
    folder = tmp_path_factory.mktemp("guide")
    run("pagekin synth", folder)
    run("pagekin scan", folder)
    return folder


def judge_a_hundred(page: Page, spam: set[str]) -> None:
    page.get_by_role("link", name="Judge 100 at random").first.click()
    for number in range(1, 101):
        expect(page.locator(".progress")).to_contain_text(f"{number} of 100")
        url = page.locator(".page-url .copy").first.get_attribute("data-copy")
        with page.expect_navigation():
            page.keyboard.press("s" if url in spam else "n")
    expect(page.locator("h1")).to_contain_text("All 100 judged")


def spread_over_farms(page: Page, app: Served, spam: set[str]) -> int:
    """Opens each template of the first screen; spreads where all pages side by side are spam."""
    page.goto(f"{app.url}/clusters")
    places = [a.get_attribute("href") for a in page.locator("#rows a", has_text="open").all()]
    count = 0
    for place in places:
        page.goto(f"{app.url}{place}")
        shown = [one.get_attribute("data-copy") for one in page.locator(".card .copy").all()]
        if shown and spam.issuperset(shown):
            page.get_by_role("button", name="Preview").click()
            expect(page.locator("h1")).to_contain_text("Adds ")
            page.locator("#confirm").click()
            expect(page.locator(".standing")).to_contain_text("is spread over all its pages")
            count += 1
    return count


def test_the_guide(crawl: Path, chromium: Browser) -> None:
    truth = pq.read_table(crawl / "crawl.truth.parquet", columns=["url", "kind", "domain"]).to_pylist()
    spam = {row["url"] for row in truth if row["kind"] in SPAM}
    good_domains = {row["domain"] for row in truth} - {row["domain"] for row in truth if row["kind"] in SPAM}
    with served(crawl / "run", judge="ann") as app, opened(chromium, app, "/") as seen:
        judge_a_hundred(seen.page, spam)
        seen.page.goto(f"{app.url}/precision")
        expect(seen.page.locator("h1")).to_contain_text("of the quilts judged are spam")
        quilts = [row["url"] for row in app.context.catalog.rows("SELECT url FROM quilts")]
        assert spread_over_farms(seen.page, app, spam) >= 2
        assert not seen.did_harm, (seen.left, seen.dialogs, seen.errors)
    # The interval holds the share of all quilts, which nobody judged.
    judged = next(
        line for line in run("pagekin verdicts", crawl).splitlines() if line.startswith("quilts/ra")
    )
    low, high = (float(number) / 100 for number in re.findall(r"([\d.]+)%", judged)[-2:])
    assert low <= len(spam.intersection(quilts)) / len(quilts) <= high
    # No site that is none of the farms' is blocked; a thousand pages are.
    domains = [line for line in run("pagekin export run --blocklist --format domains", crawl).splitlines()
               if not line.startswith("#")]  # fmt: skip
    assert len(domains) > 200
    assert not good_domains.intersection(domains)
    run("pagekin export run --blocklist --format urls", crawl)
    blocked = (crawl / "spam-urls.txt").read_text().splitlines()
    assert len(blocked) >= 1_000
    assert len(spam.intersection(blocked)) >= 0.99 * len(blocked)
    run("pagekin export run --blocklist --format adblock", crawl)
    rules = [line for line in (crawl / "spam.txt").read_text().splitlines() if line.startswith("||")]
    reasons = [json.loads(line) for line in (crawl / "why.jsonl").read_text().splitlines()]
    assert rules == [f"||{reason['domain']}^" for reason in reasons]
    assert all(reason["evidence"][0]["who"] == "ann" for reason in reasons)
