"""Judging by keyboard, undo, spreading in two steps and back; two judges at once."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

from playwright.sync_api import Browser, Page, expect
from web.serving import Served, opened

from pagekin.verdicts.labels import HAND, SPREAD
from pagekin.verdicts.samples import Sample

KEYS = {"s": "spam", "n": "not spam", "b": "borderline", "?": "cannot judge"}


def press(page: Page, key: str) -> None:
    """A key that leads to another screen."""
    with page.expect_navigation():
        page.keyboard.press(key)


def place(page: Page) -> int:
    """The number of the thing in the queue."""
    found = re.search(r"/(\d+)$", page.url)
    assert found, page.url
    return int(found[1])


def test_ten_quilts_by_keyboard_alone(app: Served, chromium: Browser) -> None:
    sample = Sample("quilts", "random", 10, 3)
    targets = sample.targets(app.context.catalog)
    with opened(chromium, app, "/") as seen:
        page = seen.page
        page.goto(f"{app.url}/judge/{sample}")
        given = []
        for number, key in enumerate("snb?snsnnn", 1):
            assert place(page) == number
            expect(page.locator("h1")).to_contain_text("of this page is copied from")
            page.keyboard.press("j")  # a patch, on both sides
            expect(page.locator("mark[aria-current]").first).to_be_visible()
            assert page.locator("mark[aria-current]").count() == 2
            given.append(KEYS[key])
            press(page, key)
        expect(page.locator("h1")).to_contain_text("All 10 judged")
        assert not seen.did_harm, (seen.left, seen.dialogs, seen.errors)
    said = [app.context.state.current(HAND, "page", target) for target in targets]
    assert [row.label for row in said if row] == given
    assert all(row and row.who == "ann" and row.sample == str(sample) and row.url for row in said)


def test_undo_brings_the_last_one_back(app: Served, chromium: Browser) -> None:
    sample = Sample("quilts", "random", 10, 0)
    first, second = sample.targets(app.context.catalog)[:2]
    with opened(chromium, app, f"/judge/{sample}") as seen:
        page = seen.page
        press(page, "s")
        press(page, "n")
        assert place(page) == 3
        press(page, "u")
        assert place(page) == 2
        assert app.context.state.current(HAND, "page", second) is None
        # The last decisions stand below, each a way back to it.
        page.locator(".recent a").first.click()
        assert place(page) == 1
        expect(page.locator(".label[aria-pressed=true]")).to_contain_text("spam")
        press(page, "b")
    found = app.context.state.current(HAND, "page", first)
    assert found is not None
    assert found.label == "borderline"
    # Nothing was overwritten: four decisions and one that takes one back.
    assert [row.label for row in app.context.state.rows()] == ["spam", "not spam", None, "borderline"]


def test_spread_and_take_it_back(app: Served, chromium: Browser) -> None:
    catalog, state = app.context.catalog, app.context.state
    row = catalog.row("SELECT cluster, pages, domains FROM clusters ORDER BY domains DESC LIMIT 1")
    assert row is not None
    cluster, pages = row["cluster"], row["pages"]
    spared = catalog.one("SELECT page FROM members WHERE cluster = ? LIMIT 1", [cluster])
    state.store.judge("ann", "page", spared, "not spam")
    with opened(chromium, app, f"/clusters/{cluster}") as seen:
        page = seen.page
        page.get_by_role("button", name="Preview").press("Enter")
        expect(page.locator("h1")).to_contain_text(f"Adds {pages - 1:,} pages on ")
        expect(page.locator("h1")).to_contain_text("marked not spam by hand and stay so")
        typical = catalog.one("SELECT centroid_url FROM clusters WHERE cluster = ?", [cluster])
        expect(page.locator("header .copy")).to_have_attribute("data-copy", typical)  # a page, no bare number
        assert state.current(SPREAD, "cluster", cluster) is None  # a preview changes nothing
        page.locator("#confirm").press("Enter")
        expect(page.locator(".standing")).to_contain_text("is spread over all its pages by ann")
        other = catalog.one("SELECT page FROM members WHERE cluster = ? AND page <> ?", [cluster, spared])
        page.goto(f"{app.url}/pages/{other}")
        expect(page.locator("header")).to_contain_text("It carries spam through its template")
        page.goto(f"{app.url}/pages/{spared}")
        expect(page.locator("header")).to_contain_text("not spam by ann")
        page.goto(f"{app.url}/clusters/{cluster}")
        page.get_by_role("button", name="Take the spread back").press("Enter")
        expect(page.get_by_role("button", name="Preview")).to_be_visible()
        page.goto(f"{app.url}/pages/{other}")
        assert "It carries" not in page.inner_text("header")
        assert not seen.did_harm, (seen.left, seen.dialogs, seen.errors)


def test_the_allow_list_stops_a_spread(app: Served, chromium: Browser) -> None:
    cluster = app.context.catalog.one("SELECT cluster FROM clusters ORDER BY rank LIMIT 1")
    with opened(chromium, app, f"/clusters/{cluster}") as seen:
        seen.page.get_by_role("button", name="Put this template on the allow-list").click()
        expect(seen.page.locator("header .tag.good")).to_have_text("on the allow-list")
        assert seen.page.get_by_role("button", name="Preview").count() == 0
        seen.page.get_by_role("button", name="Take this template from the allow-list").click()
        expect(seen.page.get_by_role("button", name="Preview")).to_be_visible()


def test_every_queue_can_be_judged(app: Served, chromium: Browser) -> None:
    for queue, kind in (("clusters", "cluster"), ("classes", "class"), ("sites", "site")):
        sample = Sample(queue, "rank", 3, 0)
        with opened(chromium, app, f"/judge/{sample}") as seen:
            for key in "sn?":
                press(seen.page, key)
            expect(seen.page.locator("h1")).to_contain_text("All 3 judged")
        labels = [app.context.state.current(HAND, kind, t) for t in sample.targets(app.context.catalog)]
        assert [row.label for row in labels if row] == ["spam", "not spam", "cannot judge"]


def test_a_second_judge_is_blind(app: Served, chromium: Browser) -> None:
    sample = Sample("quilts", "random", 4, 0)
    for target in sample.targets(app.context.catalog):
        app.context.state.store.judge(
            "Quentin", "page", target, "spam", why="because of Quentin", sample=str(sample)
        )
    with opened(chromium, app, f"/judge/{sample}") as seen:
        assert place(seen.page) == 1  # not judged by this judge
        assert "Quentin" not in seen.page.inner_text("body")
        assert seen.page.locator(".label[aria-pressed=true]").count() == 0
        expect(seen.page.locator(".progress")).to_contain_text("not judged yet")  # no share of Quentin's
        seen.page.get_by_role("link", name="all its kin").click()
        expect(seen.page.locator(".standing summary")).to_have_text(
            "Judged by Quentin. Decide first, then look."
        )
        expect(seen.page.locator(".standing", has_text="because of Quentin").locator("p")).to_be_hidden()
        seen.page.goto(f"{app.url}/judge/{sample}")
        for key in "ssnn":
            press(seen.page, key)
        seen.page.goto(f"{app.url}/pages/{sample.targets(app.context.catalog)[0]}")
        assert seen.page.locator(".standing summary").count() == 0  # who has decided may see
        seen.page.goto(f"{app.url}/precision")
        expect(seen.page.locator("body")).to_contain_text("Quentin and ann: 50.0% of 4 things, kappa 0.00")
        shares = seen.page.locator("#precision tbody td:nth-child(2)").all_inner_texts()
        assert shares == ["50.0%", "100%", "50.0%"]  # the last word, Quentin's, ann's


def test_the_name_of_the_judge_changes(app: Served, chromium: Browser) -> None:
    with opened(chromium, app, "/help") as seen:
        seen.page.get_by_label("You judge as").fill("Zoë <b>")
        seen.page.get_by_role("button", name="Change").click()
        expect(seen.page.locator(".who")).to_have_text("Zoë <b>")
        seen.page.goto(f"{app.url}/judge/quilts/random/5/0")
        press(seen.page, "s")
    assert app.context.state.judges() == ["Zoë <b>"]


def test_two_judges_at_once(app: Served) -> None:
    """Each verdict of each stands, whoever was first."""
    targets = Sample("quilts", "random", 20, 0).targets(app.context.catalog)

    def judge(who: str) -> None:
        for target in targets:
            app.context.state.store.judge(who, "page", target, "spam" if who == "ann" else "not spam")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(judge, ["ann", "Quentin"]))
    app.context.state.refresh()
    for target in targets:
        assert {who: row.label for who, row in app.context.state.by_judge("page", target).items()} == {
            "ann": "spam",
            "Quentin": "not spam",
        }
