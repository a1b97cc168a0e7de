"""The report as a browser draws it: at two widths, light and dark, with pages that would like to do harm.

With `--pictures FOLDER` the pictures for the documentation are taken on the way.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from browser import SCHEMES, WIDTHS, Watched, needs_browser, watched, wrong
from playwright.sync_api import Browser

import pagekin
from pagekin.report import write_report
from pagekin.run import Run
from pagekin.synth import write_web

pytestmark = needs_browser

LEAK = "http://leak.example"
TRICKS = [
    "<script>alert(1)</script>",
    f"<img src={LEAK}/img onerror=alert(2)>",
    "<svg onload=alert(3)><a href=javascript:alert(4)>",
    f'<meta http-equiv="refresh" content="0;url={LEAK}/meta">',
    f'<style>@import "{LEAK}/css";</style><link rel=stylesheet href={LEAK}/link>',
    f"<form action={LEAK}/form><input autofocus onfocus=alert(5)>",
    f"<base href={LEAK}/base/>",
    f"</title></table></style></script><iframe src={LEAK}/frame></iframe>",
    "\"'><b onmouseover=alert(6)>",
]


@pytest.fixture(scope="module")
def report(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on the small web with everything that it may hold."""
    from pagekin.studies.calibrate import calibrate
    from pagekin.studies.kept import AUDIT, CALIBRATION, SWEEP, keep
    from pagekin.studies.sweep import Grid, sweep

    folder = tmp_path_factory.mktemp("report")
    run = pagekin.scan(small_web, folder / "run")
    pivot = {"k": 5, "m": 50, "c": 4, "theta": 0.5}
    points = sweep(run, Grid(k=[3, 5], c=[2, 4], m=[50], theta=[0.5, 0.9])).to_pylist()
    assert keep(run, SWEEP, {"pivot": pivot, "points": points})
    assert keep(run, CALIBRATION, calibrate(run, 0.8, 20).measured(0.8))
    curve = [
        {"rank": n, "unique": 0.8 * n, "exact": 0.1 * n, "near": 0.1 * n, "missing": 0} for n in range(1, 9)
    ]
    counts = {"unique": 8, "exact": 1, "near": 1, "missing": 0}
    assert keep(run, AUDIT, {"queries": 1, "counts": counts, "curve": curve})
    url = run.table("style_members")["url"][0].as_py()
    write_report(run, folder / "report.html", clusters=[1, 2], like=[url])
    return folder / "report.html"


FRAME = "".join(f"<i title='{'-' * (n % 13)}{'.' * (n % 7)}'></i>" for n in range(60))
"""Enough markup of one kind to be a style."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on pages that put markup wherever they are shown; the run's own name does too."""
    folder = tmp_path_factory.mktemp("hostile")
    rows = []
    for number in range(60):
        trick = TRICKS[number % len(TRICKS)]
        shown = trick.replace("<", "&lt;")
        own = " ".join(f"w{number}x{n}" for n in range(20)) if number % 3 else ""
        shared = (
            f"{shown} stock phrases that all of these pages share with one another, again and again {shown}"
        )
        html = (
            f"<title>{shown}</title><meta name=generator content='{shown} 1.0'><p>{shared} {own}<p>{shared}"
            + FRAME
        )
        rows.append(
            {"url": f"http://e{number % 7}.example/{number % 20}?q={trick}&sid={number}", "html": html}
        )
    rows += [
        {
            "url": f"javascript:alert({n})",
            "html": f"<title>js</title><p>{TRICKS[0].replace('<', '&lt;')} words {n}",
        }
        for n in range(3)
    ]
    crawl = folder / "crawl.jsonl"
    crawl.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = pagekin.scan(crawl, folder / "<img src=x onerror=alert(7)>")
    assert run.table("phrases").num_rows, "hostile phrases are popular"
    assert run.table("duplicates").num_rows
    assert run.table("style_clusters").num_rows
    first = run.table("pages")["url"][0].as_py()
    write_report(Run(run.path), folder / "report.html", clusters=[1], like=[first])
    return folder / "report.html"


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_it_reads_well(chromium: Browser, report: Path, width: int, scheme: str) -> None:
    with watched(chromium, report.as_uri(), width=width, scheme=scheme) as seen:
        for details in seen.page.locator("details").all():
            details.evaluate("element => { element.open = true }")
        for check in ("scrolls", "overlaps", "brokenWords", "faint", "unnamed"):
            assert wrong(seen.page, check) == [], check
        assert "mathdefault" not in seen.page.content()
        assert seen.page.locator("figure").count() >= 20
        assert not seen.did_harm


@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_pages_do_nothing(chromium: Browser, hostile: Path, width: int) -> None:
    with watched(chromium, hostile.as_uri(), width=width) as seen:
        page = seen.page
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true })")
        names = page.evaluate("[...new Set([...document.querySelectorAll('*')].map(e => e.localName))]")
        assert not set(names) & {
            "img",
            "iframe",
            "form",
            "input",
            "base",
            "link",
            "object",
            "embed",
            "b onmouseover",
        }
        assert page.locator("script").count() == 1, "ours"
        assert page.locator("meta[http-equiv=refresh]").count() == 0
        assert page.evaluate(
            "[...document.querySelectorAll('a')].every(a => a.getAttribute('href').startsWith('#'))"
        )
        assert "alert(1)" in page.content(), "it is shown, as text"
        _press_everything(seen)
        assert wrong(page, "scrolls") == []
        assert not seen.did_harm, (seen.left, seen.dialogs, seen.errors)


def _press_everything(seen: Watched) -> None:
    """Sort, copy, whole URLs, marks: whatever brings text of pages into the page once more."""
    seen.page.evaluate(
        "document.querySelectorAll('th button, .copy, .rest button').forEach(b => "
        "b.textContent.startsWith('CSV') || b.click())"
    )
    for figure in seen.page.locator("svg.chart").all():
        figure.focus()
        seen.page.keyboard.press("ArrowRight")
    seen.page.wait_for_timeout(200)


def test_the_policy_holds(chromium: Browser, report: Path) -> None:
    """What the file itself did not bring cannot run or load, even if it got into the page."""
    with watched(chromium, report.as_uri()) as seen:
        seen.page.evaluate(
            """leak => {
              const add = (name, set) =>
                document.body.append(Object.assign(document.createElement(name), set));
              add("script", { textContent: "window.harmed = 1" });
              add("img", { src: `${leak}/img` });
              add("style", { textContent: "body { outline: 7px solid red }" });
            }""",
            LEAK,
        )
        seen.page.wait_for_timeout(200)
        assert seen.page.evaluate("window.harmed") is None
        assert seen.page.evaluate("getComputedStyle(document.body).outlineWidth") != "7px"
        assert seen.blocked == seen.left == [f"{LEAK}/img"]


def test_tables_sort(chromium: Browser, report: Path) -> None:
    with watched(chromium, report.as_uri()) as seen:
        table = seen.page.locator("#style-clusters")
        pages = (
            "[...document.querySelectorAll('#style-clusters tbody tr')].map(r => "
            "+(r.cells[1].dataset.v ?? r.cells[1].textContent))"
        )
        header = table.locator("th", has_text="pages").locator("button")
        header.focus()
        seen.page.keyboard.press("Enter")
        numbers = seen.page.evaluate(pages)
        assert numbers == sorted(numbers, reverse=True)
        seen.page.keyboard.press("Enter")
        assert seen.page.evaluate(pages) == sorted(numbers)
        assert table.locator("th[aria-sort=ascending]").count() == 1


def test_urls_copy_and_show_whole(chromium: Browser, report: Path) -> None:
    with watched(chromium, report.as_uri()) as seen:
        seen.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        short = seen.page.locator("table.sortable .copy", has_text="…").first
        whole = short.get_attribute("data-copy")
        assert whole is not None
        assert short.get_attribute("title") == whole
        short.click()
        assert seen.page.evaluate("navigator.clipboard.readText()") == whole
        assert seen.page.locator("#tip").inner_text() == "Copied"
        seen.page.locator(".rest button", has_text="Whole URLs").first.click()
        assert seen.page.locator(".copy", has_text=whole).count() >= 1
        assert wrong(seen.page, "scrolls") == []


def test_figures_explain_themselves(chromium: Browser, report: Path) -> None:
    with watched(chromium, report.as_uri()) as seen:
        drawing = seen.page.locator("#clusters-reach svg.chart")
        assert "similarity" in (drawing.get_attribute("aria-label") or "")
        drawing.focus()
        seen.page.keyboard.press("ArrowRight")
        first = seen.page.locator("#tip").inner_text()
        seen.page.keyboard.press("ArrowRight")
        assert seen.page.locator("#tip").inner_text() != first
        seen.page.keyboard.press("Escape")
        assert seen.page.locator("#tip").is_hidden()


@pytest.mark.parametrize(("name", "start"), [("CSV", b"domains,"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_figures_download(chromium: Browser, report: Path, name: str, start: bytes) -> None:
    with watched(chromium, report.as_uri(), scheme="dark") as seen:
        with seen.page.expect_download() as waited:
            seen.page.locator("#clusters-reach .tools button", has_text=name).click()
        data = Path(waited.value.path()).read_bytes()
        assert data.startswith(start)
        assert waited.value.suggested_filename == f"clusters-reach.{name.lower()}"
        assert len(data) > 400
        assert b"var(" not in data


def test_findings_lead_to_their_chapters(chromium: Browser, report: Path) -> None:
    with watched(chromium, report.as_uri()) as seen:
        cards = seen.page.locator(".findings li")
        assert cards.count() == 5
        box = cards.nth(4).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] < 900, "all five are on the first screen"
        for link in seen.page.locator(".findings a, nav.contents a, header a").all():
            target = (link.get_attribute("href") or "")[1:]
            assert seen.page.locator(f"[id='{target}']").count() == 1, target
        ids = seen.page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))


def test_paper(chromium: Browser, report: Path) -> None:
    """In print nothing is cut: tables are whole, URLs spelled out, buttons gone."""
    with watched(chromium, report.as_uri()) as seen:
        seen.page.emulate_media(media="print")
        assert seen.page.locator(".scroll").first.evaluate("e => getComputedStyle(e).overflow") == "visible"
        assert not seen.page.locator(".tools").first.is_visible()
        spelled = seen.page.locator("td .copy").first.evaluate("e => getComputedStyle(e, '::before').content")
        assert "http" in spelled


def test_pictures(chromium: Browser, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """Takes the pictures of the documentation, if asked to: of the web that `pagekin demo` makes."""
    wanted = request.config.getoption("--pictures")
    if wanted is None:
        pytest.skip("run with --pictures FOLDER, or `make pictures`")
    folder = Path(wanted)
    folder.mkdir(parents=True, exist_ok=True)
    write_web(tmp_path / "web.warc.gz", pages=2000, seed=1)
    path = tmp_path / "report.html"
    write_report(pagekin.scan(tmp_path / "web.warc.gz", tmp_path / "run"), path)
    for name, width, height, scheme, where in (
        ("report", 1280, 1000, "light", None),
        ("report-dark", 1280, 1000, "dark", "#quilts"),
        ("report-phone", 390, 1000, "light", "#style-clusters"),
    ):
        with watched(chromium, path.as_uri(), width=width, scheme=scheme) as seen:
            seen.page.set_viewport_size({"width": width, "height": height})
            if where:
                seen.page.evaluate("where => document.querySelector(where).scrollIntoView()", where)
                seen.page.evaluate("scrollBy(0, -20)")
            seen.page.screenshot(path=folder / f"{name}.png")
    with watched(chromium, path.as_uri()) as seen:
        for key in ("clusters-reach", "growth-curve"):
            seen.page.locator(f"#{key}").screenshot(path=folder / f"figure-{key}.png")
