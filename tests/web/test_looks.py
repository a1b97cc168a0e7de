"""Every screen, drawn: nothing scrolls sideways, nothing is faint, everything has a name and is in reach.

With `--pictures FOLDER` the pictures of the documentation are taken on the way.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from browser import SCHEMES, WIDTHS, watched, wrong
from playwright.sync_api import Browser
from web.serving import Served

from pagekin.verdicts.samples import Sample

SHOWN = {
    ("home", 1280, "light"), ("cluster", 1280, "light"), ("judge-quilt", 1280, "light"),
    ("judge-quilt", 390, "dark"), ("spread", 1280, "light"), ("precision", 1280, "dark"),
}  # fmt: skip
"""Pictures of the documentation: screen, width, scheme."""

NAMES = (
    "home", "quilts", "clusters", "copies", "phrases", "sites", "precision", "verdicts", "quilt", "cluster",
    "class", "site", "page", "rendered", "search", "judge-quilt", "judge-template", "judge-copies",
    "judge-site", "spread", "help", "api",
)  # fmt: skip


LISTS = ("quilts", "clusters", "copies", "phrases", "sites", "precision")


@pytest.fixture(scope="module")
def places(looked_at: Served) -> dict[str, str]:
    """Where each screen is, in a run in which two people judged something."""
    catalog, store = looked_at.context.catalog, looked_at.context.state.store
    sample = Sample("quilts", "random", 100, 0)
    targets = sample.targets(catalog)
    for number, target in enumerate(targets[:14]):
        label = ("spam", "not spam", "spam", "borderline")[number % 4]
        store.judge("ann", "page", target, label, sample=str(sample), url=catalog.page(int(target))["url"])  # type: ignore[index]
        if number % 2:
            store.judge("bob", "page", target, "spam" if number == 3 else label, sample=str(sample))
    cluster = catalog.one("SELECT cluster FROM clusters ORDER BY rank LIMIT 1")
    number = catalog.one('SELECT "class" FROM classes WHERE near > 0 ORDER BY pages DESC LIMIT 1')
    quilt = catalog.one("SELECT page FROM quilts ORDER BY sources DESC, page LIMIT 1")
    site = catalog.one("SELECT domain FROM domains WHERE quilts > 0 ORDER BY pages DESC LIMIT 1")
    paths = {name: f"/{name}" for name in NAMES[1:8]} | {
        "home": "/",
        "quilt": f"/quilts/{quilt}",
        "cluster": f"/clusters/{cluster}",
        "class": f"/copies/{number}",
        "site": f"/sites/{site}",
        "page": f"/pages/{quilt}",
        "rendered": f"/pages/{quilt}?view=rendered",
        "search": "/search?q=example/index",
        "judge-quilt": f"/judge/{sample}/15",
        "judge-template": "/judge/clusters/rank/50/0/2",
        "judge-copies": "/judge/classes/rank/50/0/1",
        "judge-site": "/judge/sites/rank/50/0/1",
        "spread": f"/clusters/{cluster}",
        "help": "/help",
        "api": "/api/docs",
    }
    return {name: looked_at.url + path for name, path in paths.items()}


@pytest.mark.parametrize("name", NAMES)
def test_screens(
    places: dict[str, str], chromium: Browser, name: str, request: pytest.FixtureRequest
) -> None:
    pictures = request.config.getoption("--pictures")
    for width, scheme in product(WIDTHS, SCHEMES):
        with watched(chromium, places[name], width=width, scheme=scheme) as seen:
            if name == "spread":
                seen.page.get_by_role("button", name="Preview").click()
            if name in ("quilt", "judge-quilt"):
                seen.page.keyboard.press("j")
            seen.page.wait_for_timeout(50)
            where = (name, width, scheme)
            for check in ("scrolls", "unnamed", "overlaps", "brokenWords", "faint"):
                assert not wrong(seen.page, check), (where, check, wrong(seen.page, check)[:5])
            if width == 1280 and name in LISTS:
                boxes = seen.page.locator(".scroll").all()
                wide = [box.evaluate("e => e.scrollWidth > e.clientWidth") for box in boxes]
                assert not any(wide), f"{where}: numbers are out of sight"
            errors = [e for e in seen.errors if "Content Security Policy" not in e and "sandboxed" not in e]
            assert not errors, (where, errors)
            assert not seen.dialogs, where
            if pictures and where in SHOWN:
                seen.page.wait_for_timeout(600)
                dark = "-dark" if scheme == "dark" else ""
                seen.page.screenshot(path=Path(pictures) / f"app-{name}-{width}{dark}.png")


def test_the_keyboard_reaches_everything(places: dict[str, str], chromium: Browser) -> None:
    """From the first link to the last button by Tab alone, and what has the focus shows it."""
    with watched(chromium, places["judge-quilt"]) as seen:
        met = set()
        for _ in range(120):
            seen.page.keyboard.press("Tab")
            met.add(seen.page.evaluate("document.activeElement.dataset.key ?? document.activeElement.id"))
            ring = seen.page.evaluate(
                "document.activeElement === document.body || "
                "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            )
            assert ring, seen.page.evaluate("document.activeElement.outerHTML.slice(0, 100)")
        assert {"s", "n", "b", "?", "u", "h", "q", "patch-1"} <= met
