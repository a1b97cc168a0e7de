"""Every table at 80 and 120 columns: numbers stay whole, URLs and names give way."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import pagekin
from pagekin.cli.layout import cell_width, headers, shortened
from pagekin.cli.tables import print_table, shown
from pagekin.query.show import overview, rows
from pagekin.tables import TABLES


@pytest.fixture(scope="module")
def found(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("fit") / "run")


def printed(
    table: pa.Table,
    title: str,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    print_table(table, title)
    return capsys.readouterr().out.splitlines()


def numbers(table: pa.Table) -> list[str]:
    return [f.name for f in table.schema if pa.types.is_integer(f.type) or pa.types.is_floating(f.type)]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("name", TABLES)
def test_every_table_fits(
    found: pagekin.Run,
    name: str,
    width: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    table = rows(found, name, columns=list(TABLES[name].brief) or None, limit=20)
    lines = printed(table, name, width, monkeypatch, capsys)
    assert lines[0] == name
    if not table.num_rows:
        assert lines[1:] == ["no rows"]
        return
    rule = next(n for n, line in enumerate(lines) if line.startswith("─"))
    assert max(map(cell_width, lines[: rule + 1 + table.num_rows])) <= width
    head = " ".join(lines[1:rule])
    for column in numbers(table):
        assert any(all(part in head for part in form) for form in headers(column)), f"{column} has no header"
    for line, row in zip(lines[rule + 1 :], table.to_pylist(), strict=False):
        words = line.split()
        for column in numbers(table):
            if row[column] is not None:
                assert shown(column, row[column]) in words, f"{column} is cut: {line}"


def test_a_run_of_a_large_crawl_fits_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ids have thirteen digits there, and counts seven."""
    url = "http://www.a-rather-long-host-name.example/with/a/path/that/goes/on/and/on.html?and=query"
    table = pa.table(
        {
            "rank": [1], "cluster": [3298534883328], "pages": [3_720_000], "domains": [12_345],
            "mean_similarity": [0.7143], "kind": ["template"], "name": ["software: A Long Name It Has"],
            "centroid_url": [url],
        }
    )  # fmt: skip
    lines = printed(table, "style_clusters", 80, monkeypatch, capsys)
    assert max(map(cell_width, lines[:-1])) <= 80
    for text in ("3298534883328", "3,720,000", "12,345", "0.714", "no room for centroid_url"):
        assert text in lines[-1] + lines[-2], lines


def test_what_has_no_room_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({f"number_{n}": [10**12] for n in range(3)} | {"url": ["http://a.example/" + "x" * 90]})
    lines = printed(table, "wide", 60, monkeypatch, capsys)
    assert "no room for url" in lines[-1]
    assert lines[-2].count("1,000,000,000,000") == 3


def test_rows_of_too_many_numbers_become_lists(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({f"number_{n}": [10**12, 7] for n in range(9)} | {"url": ["http://a.example/", None]})
    lines = printed(table, "wide", 60, monkeypatch, capsys)
    assert "number_8  1,000,000,000,000" in lines
    assert "url       http://a.example/" in lines


def test_overview_fits(
    found: pagekin.Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(overview(found), "run", 80, monkeypatch, capsys)
    assert max(map(cell_width, lines)) <= 80
    assert all(any(line.startswith(name) for line in lines) for name in TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_every_url_has_room_at_80_columns(
    found: pagekin.Run, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A finding without its page is none."""
    table = rows(found, name, columns=list(TABLES[name].brief) or None, limit=20)
    last = printed(table, name, 80, monkeypatch, capsys)[-1]
    assert not ("no room" in last and any(word in last for word in ("url", "host", "pattern"))), last


@pytest.mark.parametrize("width", range(4, 40))
def test_urls_lose_their_scheme_and_their_middle(width: int) -> None:
    url = "http://www.example.org/a/漢字/path.html"
    short = shortened(url, width)
    assert cell_width(short) <= width
    assert short.startswith("http://" if width >= cell_width(url) else "ww")
    assert ("…" in short) == (width < cell_width(url) - len("http://"))


def test_lists_of_pages_say_how_many_more_there_are() -> None:
    donors = [{"url": "http://a.example/"}, {"url": "http://b.example/"}, {"url": "http://c.example/"}]
    assert shown("donors", donors) == "http://a.example/ +2"
    assert shown("donors", donors[:1]) == "http://a.example/"
