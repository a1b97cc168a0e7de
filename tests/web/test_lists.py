"""Lists sort, filter and page; search finds."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from web.serving import Served, opened

from pagekin.web.lists import WHERE

FALLING = {
    "quilts": "sources",
    "clusters": "domains",
    "copies": "domains",
    "phrases": "domains",
    "sites": "quilts",
}


@pytest.mark.parametrize("name", FALLING)
def test_lists_sort(looked_at: Served, chromium: Browser, name: str) -> None:
    column = FALLING[name]
    words = next(c.words for c in WHERE[name].columns if c.name == column)
    with opened(chromium, looked_at, f"/{name}") as seen:
        for order, sign in (("descending", -1), ("ascending", 1)):
            seen.page.locator(f"th >> text='{words}'").click()
            head = seen.page.locator(f"th[aria-sort={order}]")
            expect(head).to_contain_text(words)
            place = head.evaluate("cell => cell.cellIndex")
            cells = seen.page.locator(f"#rows tbody td:nth-child({place + 1})")
            values = [int(text.replace(",", "")) for text in cells.all_inner_texts()]
            assert len(values) > 1
            assert values == sorted(values, key=lambda value: sign * value)
        assert not seen.did_harm


def test_filters(looked_at: Served, chromium: Browser) -> None:
    with opened(chromium, looked_at, "/clusters") as seen:
        seen.page.get_by_label("domains at least").fill("10")
        seen.page.get_by_role("button", name="Filter").click()
        place = seen.page.locator("th", has_text="domains").evaluate("cell => cell.cellIndex")
        shown = seen.page.locator(f"#rows tbody td:nth-child({place + 1})").all_inner_texts()
        wanted = looked_at.context.catalog.one("SELECT count(*) AS n FROM clusters WHERE domains >= 10")
        assert 0 < len(shown) == wanted
        drawn = seen.page.locator("#similarities tbody td:last-child").all_text_contents()
        assert sum(int(text) for text in drawn) == wanted  # the histogram is of what the filter lets through
        assert all(int(text) >= 10 for text in shown)
        seen.page.get_by_label("verdict").select_option("spam")
        seen.page.get_by_role("button", name="Filter").click()
        expect(seen.page.locator(".empty")).to_contain_text("None of the")


def test_pages_of_a_list(looked_at: Served, chromium: Browser) -> None:
    with opened(chromium, looked_at, "/sites") as seen:
        first = seen.page.locator("#rows tbody tr").first.inner_text()
        seen.page.get_by_role("link", name="Next").click()
        expect(seen.page.locator(".rest")).to_contain_text("51 to ")
        assert seen.page.locator("#rows tbody tr").first.inner_text() != first


def test_filter_by_verdict(app: Served, chromium: Browser) -> None:
    cluster = app.context.catalog.one("SELECT cluster FROM clusters ORDER BY rank LIMIT 1")
    app.context.state.store.judge("ann", "cluster", cluster, "spam")
    with opened(chromium, app, "/clusters?verdict=spam") as seen:
        expect(seen.page.locator("#rows tbody tr")).to_have_count(1)
        expect(seen.page.locator("#rows tbody td:first-child")).to_have_text("spam")


def test_search(looked_at: Served, chromium: Browser) -> None:
    row = looked_at.context.catalog.row("SELECT page, url, host, domain FROM pages WHERE words > 200 LIMIT 1")
    assert row is not None
    text = looked_at.context.text(row["page"])
    long = max(text.split()[20:60], key=len).strip(".,;:!?")
    with opened(chromium, looked_at, "/") as seen:

        def ask(words: str) -> None:
            seen.page.keyboard.press("/")
            seen.page.locator("#q").fill(words)
            seen.page.keyboard.press("Enter")

        ask(row["url"])
        expect(seen.page).to_have_url(f"{looked_at.url}/pages/{row['page']}")
        ask(row["domain"])
        expect(seen.page.locator("h1")).to_contain_text(row["domain"])
        ask(f"{row['host']}/")
        expect(seen.page.locator(f".hits a[href='/pages/{row['page']}']")).to_be_visible()
        ask(long.upper())
        expect(seen.page.locator(f".hits a[href='/pages/{row['page']}']")).to_be_visible()
        ask("qqxxqq zzyyzz")
        expect(seen.page.locator(".empty")).to_have_text("Nothing found.")


def test_urls_are_cut_in_the_middle_to_fit(looked_at: Served, chromium: Browser) -> None:
    """How a URL ends says the most: it is what stays, and the whole is one press away."""
    with opened(chromium, looked_at, "/clusters") as seen:
        urls = seen.page.locator("#rows td.url .copy")
        cut = [text for text in urls.all_inner_texts() if "…" in text]
        assert cut
        ends = """buttons => buttons.map(
            b => [b.textContent.split('…').at(-1), b.dataset.copy, b.scrollWidth - b.clientWidth])"""
        for end, whole, over in urls.evaluate_all(ends):
            assert whole.endswith(end)
            assert over <= 0, whole
        seen.page.get_by_role("button", name="Whole URLs").click()
        assert not any("…" in text for text in urls.all_inner_texts())
        with seen.page.expect_download() as saved:
            seen.page.get_by_role("button", name="CSV of these rows").click()
        assert "centroid_url" in saved.value.path().read_text().splitlines()[0]


def test_titles_say_what_was_found(looked_at: Served, chromium: Browser) -> None:
    total = looked_at.context.counts["clusters"]
    wide = looked_at.context.catalog.one("SELECT count(*) AS n FROM clusters WHERE domains >= 10")
    with opened(chromium, looked_at, "/clusters") as seen:
        expect(seen.page.locator("h1")).to_have_text(f"{total:,} templates: groups of pages written alike")
        seen.page.goto(f"{looked_at.url}/clusters?domains=10")
        expect(seen.page.locator("h1")).to_contain_text(f"{wide:,} of {total:,} templates")


def test_equal_texts_have_no_marks(looked_at: Served, chromium: Browser) -> None:
    """Not even texts that are shorter than the runs of words by which others are compared."""
    catalog = looked_at.context.catalog
    rows = catalog.rows('SELECT "class", url FROM classes WHERE near = 0 ORDER BY pages DESC LIMIT 20')
    for row in rows:
        with opened(chromium, looked_at, f"/copies/{row['class']}") as seen:
            expect(seen.page.locator("header")).to_contain_text("the same, byte for byte")
            assert seen.page.locator(".panes mark").count() == 0, row
