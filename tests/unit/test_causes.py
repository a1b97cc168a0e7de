"""Where duplicates come from: on a site whose duplicates are known."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import causes
from warcs import http, record

import pagekin
from pagekin import _core
from pagekin.tables.fuzzy import DUPLICATE_RATES
from pagekin.urls import parse_url, url_pattern


def text(number: int) -> str:
    return " ".join(f"word{number}x{place}" for place in range(300))


def crawl(folder: Path) -> Path:
    pages = []
    for article in range(4):
        base = f"http://www.cms.example/article/{article}"
        pages.append((base, text(article)))
        pages += [(f"{base}?sid={sid}{article}", text(article)) for sid in "ab"]
        pages.append((f"{base}?view=print", text(article)))
        pages.append((f"http://cms.example/article/{article}", text(article)))
        pages.append((f"http://www.cms.example/list?id={article}", text(100 + article)))
        pages.append((f"http://www.cms.example/list?id={article}&sort=date", text(100 + article)))
        pages.append((f"http://other.example/post/{article}", text(200 + article)))
    pages += [("http://www.cms.example/blank?z=1", ""), ("http://www.cms.example/blank?z=2", "")]
    path = folder / "crawl.jsonl"
    path.write_text("".join(json.dumps({"url": url, "text": text}) + "\n" for url, text in pages))
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    folder = tmp_path_factory.mktemp("causes")
    return pagekin.scan(crawl(folder), folder / "run", only=["causes"])


def test_the_screen_shows_in_what_rows_differ() -> None:
    """A pattern begins with its site."""
    assert {"pattern", "cluster"} <= set(DUPLICATE_RATES.brief)


def test_rates(run: pagekin.Run) -> None:
    rows = {row["pattern"]: row for row in run.table("duplicate_rates").to_pylist()}
    assert sum(row["pages"] for row in rows.values()) == 34
    assert sum(row["exact"] for row in rows.values()) == 20
    found = {
        pattern: (row["pages"], row["exact"], row["cause"], row["detail"]) for pattern, row in rows.items()
    }
    assert found == {
        "www.cms.example/article/{n}?sid": (8, 8, "session id", "sid"),
        "www.cms.example/article/{n}?view=print": (4, 4, "print view", "view"),
        "cms.example/article/{n}": (4, 4, "host alias", "www."),
        "www.cms.example/article/{n}": (4, 0, None, None),
        "www.cms.example/{w}?id": (4, 0, None, None),
        "www.cms.example/{w}?id&sort": (4, 4, "sort order", "sort"),
        "www.cms.example/{w}?z": (2, 0, None, None),
        "other.example/post/{n}": (4, 0, None, None),
    }
    row = rows["www.cms.example/article/{n}?sid"]
    assert (row["site"], row["rate"], row["caused"], row["cluster"]) == ("cms.example", 1.0, 8, None)
    assert row["url"].split("?")[0] == row["of_url"]


def test_parameters(run: pagekin.Run) -> None:
    rows = {row["parameter"]: row for row in run.table("url_parameters").to_pylist()}
    assert {name: row["verdict"] for name, row in rows.items()} == {
        "sid": "never matters",
        "view": "never matters",
        "sort": "never matters",
        "id": "always matters",
    }
    sid = rows["sid"]
    assert (sid["host"], sid["role"]) == ("www.cms.example", "session id")
    assert (sid["urls"], sid["pages"], sid["contents"]) == (4, 12, 4)


def parameters(folder: Path, pages: list[tuple[str, str]]) -> dict[str, tuple[int, int, int, str]]:
    """Of pages with URL and text: URLs, pages, contents and verdict of each parameter."""
    path = folder / "crawl.jsonl"
    path.write_text("".join(json.dumps({"url": url, "text": text}) + "\n" for url, text in pages))
    run = pagekin.scan(path, folder / "run", only=["causes"])
    names = ("urls", "pages", "contents", "verdict")
    rows = run.table("url_parameters").to_pylist()
    return {row["parameter"]: tuple(row[name] for name in names) for row in rows}


def test_a_url_counts_once(tmp_path: Path) -> None:
    """However often it was fetched, by whatever scheme, and with whatever fragment."""
    once = [(f"http://a.example/p?id={n}", text(n)) for n in range(6)]
    again = [(url.replace("http", "https") + "#top", words) for url, words in once]
    (tmp_path / "many").mkdir()
    assert parameters(tmp_path / "many", [*once, *again, *once]) == {"id": (1, 6, 6, "always matters")}
    (tmp_path / "one").mkdir()
    assert parameters(tmp_path / "one", [once[0]] * 5) == {}


def test_a_url_that_changes_tells_nothing(tmp_path: Path) -> None:
    pages = [(f"http://a.example/p?sid={n}", text(1)) for n in range(5)]
    assert parameters(tmp_path, [*pages, ("http://a.example/p?sid=0", text(2))]) == {
        "sid": (1, 4, 1, "never matters")
    }


def test_redirects(tmp_path: Path) -> None:
    """One URL leads to the other, both are led to from one, or a redirect leads to one that was had."""
    site = "http://r.example"
    moves = {
        "/front": "/start?from=front",
        "/apart/1": "/login",
        "/apart/2": "/login",
        "/case/upper": "HTTP://R.example:80/case/lower",
        "/old/7": "/new/7?x=1#top",
        "/hop": f"{site}/old/8",
        "/old/8": "new/8",
    }
    told = [
        ("/enter", "/in?key=1"),
        ("/enter", "/in?key=2"),
        ("/bad", "http://["),
        ("/a", "/again/twice"),
        ("/none", ""),
    ]
    blocks = [
        record("response", http(status=302, location=target), f"{site}{path}")
        for path, target in [*moves.items(), *told]
    ]
    pages = {
        "/new/7?x=1": 1, "/old/7": 1, "/old/new/8": 2, "/hop": 2, "/in?key=1": 3, "/in?key=2": 3,
        "/apart/1": 4, "/apart/2": 4, "/again/twice": 5,
        "/case/upper": 7, "/case/lower": 7,
    }  # fmt: skip
    listed = [*pages.items(), ("/again/twice", 5), ("/twice/once", 6), ("/twice/once", 6)]
    blocks += [
        record("response", http(f"<p>{text(number)}".encode()), f"{site}{path}") for path, number in listed
    ]
    (tmp_path / "crawl.warc").write_bytes(b"".join(blocks))
    run = pagekin.scan(tmp_path / "crawl.warc", tmp_path / "run", only=["causes"])
    rows = run.table("duplicate_rates").to_pylist()
    found = {(row["url"], row["of_url"]): (row["cause"], row["detail"]) for row in rows if row["cause"]}
    assert found == {
        (f"{site}/old/7", f"{site}/new/7?x=1"): ("redirect", None),
        (f"{site}/hop", f"{site}/old/new/8"): ("redirect", None),
        (f"{site}/in?key=2", f"{site}/in?key=1"): ("redirect", "key"),
        (f"{site}/again/twice", f"{site}/again/twice"): ("redirect", "fetched again"),
        (f"{site}/case/lower", f"{site}/case/upper"): ("redirect", None),
        (f"{site}/twice/once", f"{site}/twice/once"): ("fetched again", None),
    }
    assert sum(row["duplicates"] for row in rows) == 7


def test_one_address_for_several_hosts(tmp_path: Path) -> None:
    rows = [
        {"url": f"http://{host}/a/{n}", "text": text(n), "ip": ip}
        for n in range(3)
        for host, ip in (("one.example", "192.0.2.1"), ("two.test", "192.0.2.1"), ("three.test", "192.0.2.3"))
    ]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = pagekin.scan(tmp_path / "crawl.jsonl", tmp_path / "run", only=["causes"])
    found = {
        row["pattern"]: (row["cause"], row["detail"]) for row in run.table("duplicate_rates").to_pylist()
    }
    assert found == {
        "one.example/a/{n}": (None, None),
        "two.test/a/{n}": ("host alias", "one address: one.example"),
        "three.test/a/{n}": ("mirror", "one.example"),
    }


def test_style_clusters(small_web: Path, tmp_path: Path) -> None:
    """Where a run has styles, the rates are told apart by them: a cross table of software and duplicates."""
    run = pagekin.scan(small_web, tmp_path / "run", only=["causes", "styles"])
    assert list(run.info["steps"]) == ["sketch", "styles", "fuzzy", "causes"]
    cluster = dict(zip(*run.table("style_members", ["page", "cluster"]).to_pydict().values(), strict=True))
    fuzzy = run.table("fuzzy", ["page", "class"]).to_pylist()
    copies = Counter(cluster.get(row["page"]) for row in fuzzy if row["page"] != row["class"])
    pages = Counter(cluster.get(page) for page in run.table("pages", ["page"])["page"].to_pylist())
    names = dict(zip(*run.table("style_clusters", ["cluster", "name"]).to_pydict().values(), strict=True))
    assert any(row["software"] for row in run.table("duplicate_rates").to_pylist())
    found: dict[int | None, list[int]] = defaultdict(lambda: [0, 0])
    for row in run.table("duplicate_rates").to_pylist():
        assert row["software"] == names.get(row["cluster"])
        found[row["cluster"]][0] += row["pages"]
        found[row["cluster"]][1] += row["duplicates"]
    assert found == {name: [pages[name], copies[name]] for name in pages}
    assert len({name for name, (_, n) in found.items() if n and name is not None}) > 1
    assert len(pages) > 3


@pytest.mark.parametrize(
    ("a", "b", "cause"),
    [
        ("http://a.example/x", "https://a.example/x", "scheme"),
        ("http://a.example/x?a=1&b=2", "http://A.example/x?b=2&a=1#top", "fetched again"),
        ("http://a.example/x", "http://b.example/x", "mirror"),
        ("http://a.example/x/", "http://a.example/x", "spelling of the path"),
        ("http://a.example/x/", "http://a.example/x/index.html", "spelling of the path"),
        ("http://a.example/X%41", "http://a.example/xa", "spelling of the path"),
        ("http://a.example/x;jsessionid=1", "http://a.example/x", "session id"),
        ("http://a.example/x.html", "http://a.example/x-print.html", "print view"),
        ("http://a.example/x.html", "http://a.example/x.print.html", "print view"),
        ("http://a.example/x.html", "http://a.example/print_x.html", "print view"),
        ("http://a.example/x/1", "http://a.example/x/1/print", "print view"),
        ("http://a.example/x/1", "http://a.example/x/1/printable/", "print view"),
        ("http://a.example/x/1", "http://a.example/print/x/1", "print view"),
        ("http://a.example/node/1", "http://a.example/print/1", "print view"),
        ("http://a.example/x.php?id=1", "http://a.example/print.php?id=1", "print view"),
        ("http://a.example/x?id=1", "http://a.example/print?id=2", None),
        ("http://a.example/blueprint", "http://a.example/blue", None),
        ("http://a.example/l/1", "http://a.example/l/1/sort/price", "sort order"),
        ("http://a.example/l/1/sort/date", "http://a.example/l/1/sort/price/desc", "sort order"),
        ("http://a.example/l/1", "http://a.example/l/1/sort-price/", "sort order"),
        ("http://a.example/order/1", "http://a.example/order/2", None),
        ("http://a.example:80/x", "http://www.a.example/x", "host alias"),
        ("http://a.example/x?order_id=1", "http://a.example/x?order_id=2", "parameter"),
        ("http://a.example/x?callback=1", "http://a.example/x?callback=2", "parameter"),
        ("http://a.example/x?page_id=1", "http://a.example/x?page_id=2", "parameter"),
        ("http://a.example/x?orderby=1", "http://a.example/x?orderby=2", "sort order"),
        ("http://a.example/x?PHPSESSID=1", "http://a.example/x", "session id"),
        ("http://a.example/x?ASPSESSIONIDQAB=1", "http://a.example/x", "session id"),
        ("http://a.example/x?a=1&sort=b", "http://a.example/x?a=1&sort=c", "sort order"),
        ("http://a.example/x?a=1", "http://a.example/x?a=2", "parameter"),
        ("http://a.example/x", "http://a.example/y", None),
        ("http://a.example/x", "http://b.example/y", None),
    ],
)
def test_reasons(a: str, b: str, cause: str | None) -> None:
    assert kernel_reason(a, b, False, False)[0] == cause


def kernel_reason(a: str, b: str, same_domain: bool, same_ip: bool) -> tuple[str | None, str | None]:
    """Why `b` repeats `a`: cause and detail of a class of these two pages."""
    numbers = {"key": [0, 0], "class_": [0, 0], "compared": [0, 1], "page": [0, 1], "redirect": [None, None]}
    names = {
        "url": [a, b],
        "domain": ["d", "d" if same_domain else "e"],
        "ip": ["i", "i" if same_ip else "j"],
    }
    columns = {name: pa.array(values, pa.int64()) for name, values in numbers.items()}
    columns |= {name: pa.array(values, pa.string()) for name, values in names.items()}
    columns["kind"] = pa.array(["exact", "exact"])
    (row,) = _core.copy_reasons(pa.RecordBatch.from_pydict(columns)).to_pylist()
    return row["cause"], row["detail"]


PARTS = [
    "",
    "x",
    "X%41",
    "print",
    "x.print.html",
    "index.html",
    "sort",
    "sort-by",
    "y",
    "blueprint",
    "x;sid=1",
]
QUERIES = ["", "?a=1", "?a=1&sid=2", "?sid=3&a=1", "?view=print&a=1", "?a=1&a=1", "?sort=up", "?utm_x=1&o=2"]
URLS = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["a.example", "www.a.example", "A.example:80", "b.example"]),
    st.lists(st.sampled_from(PARTS), max_size=3).map(lambda parts: "".join(f"/{part}" for part in parts)),
    st.sampled_from(QUERIES),
)


@given(URLS, URLS, st.booleans(), st.booleans())
def test_reasons_are_the_obvious_ones(a: str, b: str, same_domain: bool, same_ip: bool) -> None:
    expected = causes.reason(a, b, same_domain, same_ip)
    found = kernel_reason(a, b, same_domain, same_ip)
    assert found == ((expected.cause, expected.detail) if expected else (None, None))


@given(st.text(), st.text())
def test_any_url(a: str, b: str) -> None:
    assert isinstance(url_pattern(parse_url(a)), str)
    assert kernel_reason(a, b, True, True)[0] == kernel_reason(b, a, True, True)[0]
