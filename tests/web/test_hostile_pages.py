"""Crawled pages are enemies: whatever they hold, every screen shows it and nothing happens."""

from __future__ import annotations

import contextlib

from browser import Watched
from playwright.sync_api import Browser, Error, expect
from web.hostile import ELSEWHERE
from web.serving import Served, opened


def screens(app: Served) -> list[str]:
    """Every screen on which something of these pages stands."""
    catalog = app.context.catalog
    page = catalog.one("SELECT page FROM quilts LIMIT 1")
    cluster = catalog.one("SELECT cluster FROM clusters LIMIT 1")
    number = catalog.one('SELECT "class" FROM classes LIMIT 1')
    assert page is not None
    assert cluster is not None
    assert number is not None
    return [
        "/", "/quilts", "/clusters", "/copies", "/phrases", "/sites", "/precision", "/verdicts",
        f"/quilts/{page}",
        f"/clusters/{cluster}", f"/copies/{number}", "/sites/quilt.example", f"/pages/{page}",
        f"/pages/{page}?view=rendered", "/search?q=alert", "/search?q=<script>",
        "/search?q=script.example/%22",
        "/judge/quilts/random/5/0/1", "/judge/clusters/rank/5/0/1", "/judge/classes/rank/5/0/1",
        "/judge/sites/rank/5/0/1", "/judge/classes/rank/1/0", "/help", "/api/docs",
        "/nowhere/<script>alert(1)", "/quilts?site=%22><img src=x onerror=alert(9)>",
        "/clusters?name=<svg onload=alert(1)>",
    ]  # fmt: skip


def harmless(seen: Watched, app: Served, path: str) -> bool:
    """Asserts that nothing happened; says whether something of the pages was there to be obeyed."""
    seen.page.wait_for_timeout(400 if "rendered" in path else 30)
    assert not seen.left, (path, seen.left)
    assert not seen.dialogs, (path, seen.dialogs)
    assert seen.page.url.startswith(app.url), path
    acting = "document.querySelectorAll('[onerror], [onload], base, object, embed').length"
    assert seen.page.evaluate(acting) == 0, path
    return "alert" in seen.page.inner_text("body")


def test_every_screen_is_harmless(enemies: Served, chromium: Browser) -> None:
    catalog, store = enemies.context.catalog, enemies.context.state.store
    page = catalog.one("SELECT page FROM quilts LIMIT 1")
    store.judge("<script>alert('who')</script>", "page", page, "spam", why='"><img onerror=alert(8)>')
    number = catalog.one('SELECT "class" FROM classes ORDER BY domains DESC, pages DESC LIMIT 1')
    store.judge("ann", "class", number, "spam", why="<svg onload=alert(10)>", sample="classes/rank/1/0")
    shown = 0
    for path in screens(enemies):
        with opened(chromium, enemies, path) as seen:
            shown += harmless(seen, enemies, path)
    assert shown > 15
    cluster = catalog.one("SELECT cluster FROM clusters LIMIT 1")
    with opened(chromium, enemies, f"/clusters/{cluster}") as seen:
        assert "alert" in seen.page.inner_text(".forms"), "the software it claims to be made with"
        seen.page.get_by_role("button", name="Preview").click()
        harmless(seen, enemies, "the preview of a spread")
        seen.page.locator("#confirm").click()
        seen.page.get_by_role("button", name="Put “").click()
        assert harmless(seen, enemies, "a spread")
        seen.page.goto(f"{enemies.url}/verdicts")
        assert harmless(seen, enemies, "the allow-list")


def test_the_rendered_page_has_no_way_out(enemies: Served, chromium: Browser) -> None:
    page = enemies.context.catalog.one("SELECT page FROM quilts LIMIT 1")
    with opened(chromium, enemies, f"/pages/{page}?view=rendered#text") as seen:
        seen.page.locator("iframe").scroll_into_view_if_needed()
        frame = seen.page.frames[-1]
        assert frame.url.endswith(f"/render/{page}")
        frame.wait_for_selector("#lure")
        # What a judge may do by accident: click into it, tab into it, press Enter.
        box = seen.page.locator(".frame").bounding_box()
        assert box is not None
        for step in range(10):
            seen.page.mouse.click(box["x"] + 40, box["y"] + 20 + 30 * step)
            seen.page.keyboard.press("Tab")
            seen.page.keyboard.press("Enter")
            seen.page.go_back() if not seen.page.url.endswith("#text") else None
        # And what the frame itself may try, were it to come alive.
        with contextlib.suppress(Error):  # no script runs in it
            frame.evaluate(f"location.href = '{ELSEWHERE}/escape'")
        seen.page.wait_for_timeout(300)
        assert not seen.left
        assert not seen.dialogs


def test_the_frame_is_not_a_page_of_its_own(enemies: Served, chromium: Browser) -> None:
    page = enemies.context.catalog.one("SELECT page FROM quilts LIMIT 1")
    with opened(chromium, enemies, f"/render/{page}") as seen:
        expect(seen.page.locator("body")).to_contain_text("shown in its frame only")
