"""`pagekin show`: rows of a run in every format, and nothing else of the machine."""

from __future__ import annotations

import csv
import io
import json
import shutil
import unicodedata
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli.command import one_line, run, run_bytes

import pagekin
from pagekin.tables import TABLES


def test_overview(scanned: Path) -> None:
    done = run("show", scanned)
    assert done.stderr == ""
    for name, table in TABLES.items():
        assert name in done.stdout
        assert table.doc[:30] in done.stdout
    assert "400" in done.stdout


def test_overview_for_programs(scanned: Path) -> None:
    rows = [json.loads(line) for line in run("show", scanned, "--format", "jsonl").stdout.splitlines()]
    opened = pagekin.Run(scanned)
    assert {row["table"]: row["rows"] for row in rows} == {
        name: opened.table(name).num_rows for name in TABLES
    }


@pytest.mark.parametrize("name", TABLES)
def test_every_table_as_a_table(scanned: Path, name: str) -> None:
    done = run("show", scanned, name, "--top", "3")
    assert done.stderr == ""
    assert done.stdout.startswith(name)
    total = pagekin.Run(scanned).table(name).num_rows
    rows = min(3, total)
    rule = next((n for n, line in enumerate(done.stdout.splitlines()) if line.startswith("─")), 0)
    assert len(done.stdout.splitlines()) >= rule + 1 + rows, "title, head, rows"


def test_table_shows_twenty_rows_unless_told(scanned: Path) -> None:
    assert len(run("show", scanned, "pages").stdout.splitlines()) == 3 + 20 + 1


def test_jsonl(scanned: Path) -> None:
    done = run("show", scanned, "pages", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    table = pagekin.Run(scanned).table("pages")
    assert [row["page"] for row in rows] == table["page"].to_pylist(), "all rows, in the table's order"
    assert list(rows[0]) == TABLES["pages"].names
    assert rows[5]["title"] == table["title"][5].as_py()


def test_csv(scanned: Path) -> None:
    done = run_bytes("show", scanned, "pages", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    table = pagekin.Run(scanned).table("pages")
    assert [int(row["page"]) for row in rows] == table["page"].to_pylist()
    assert [row["url"] for row in rows] == table["url"].to_pylist()


def test_parquet(scanned: Path) -> None:
    done = run_bytes("show", scanned, "pages", "--format", "parquet", "--top", "7")
    found = pq.read_table(io.BytesIO(done.stdout))
    assert found.equals(pagekin.Run(scanned).table("pages").slice(0, 7))


def test_dates_are_in_utc_everywhere(scanned: Path) -> None:
    here = run("show", scanned, "pages", "--format", "csv", "--columns", "date", "--top", "2").stdout
    there = run(
        "show",
        scanned,
        "pages",
        "--format",
        "csv",
        "--columns",
        "date",
        "--top",
        "2",
        env={"TZ": "Asia/Tokyo"},
    ).stdout
    assert here == there
    assert "+00:00" in here


def test_where_and_columns(scanned: Path) -> None:
    done = run(
        "show", scanned, "pages", "--format", "jsonl",
        "--where", "words > 100 and domain like '%.example'", "--columns", "url, words", "--top", "5",
    )  # fmt: skip
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == 5
    assert all(list(row) == ["url", "words"] and row["words"] > 100 for row in rows)


@pytest.mark.parametrize("expression", ["words >", "nosuch = 1"])
def test_wrong_expressions(scanned: Path, expression: str) -> None:
    """More of them in unit/test_show.py."""
    message = one_line(run("show", scanned, "pages", "--where", expression, code=2))
    assert expression in message


def test_expressions_read_no_files(scanned: Path) -> None:
    """More of what they may not do in unit/test_show.py."""
    expression = "(select count(*) from read_csv('/etc/passwd')) > 0"
    assert "Permission" in one_line(run("show", scanned, "pages", "--where", expression, code=2))


def test_missing_things(scanned: Path, tmp_path: Path) -> None:
    assert "no such folder" in one_line(run("show", tmp_path / "nosuch", code=1))
    assert "run.json" in one_line(run("show", tmp_path, code=1))
    message = one_line(run("show", scanned, "nosuch", code=1))
    assert "nosuch" in message
    assert "pages" in message, "says what there is"
    message = one_line(run("show", scanned, "pages", "--columns", "url,nosuch", code=2))
    assert "nosuch" in message
    assert "domain" in message
    one_line(run("show", scanned, "--where", "words > 1", code=2))


def test_damaged_runs(scanned: Path, tmp_path: Path) -> None:
    """More kinds of damage in unit/test_run.py."""
    shutil.copytree(scanned, tmp_path / "run")
    part = next((tmp_path / "run" / "pages.parquet").iterdir())
    part.write_bytes(part.read_bytes()[:1000])
    for args in (("pages", "--where", "words > 1"), ()):
        assert "pages" in one_line(run("show", tmp_path / "run", *args, code=1))
    (tmp_path / "run" / "run.json").write_text("{")
    assert "run.json" in one_line(run("show", tmp_path / "run", "pages", code=1))


def test_spreadsheets_run_nothing(hostile: Path) -> None:
    done = run_bytes("show", hostile, "pages", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout.decode(), newline="")))
    titles = [row["title"] for row in rows]
    assert titles[0] == "'=HYPERLINK(1)"
    assert titles[5].startswith('\'@sum, "quoted"')
    texts = run_bytes("show", hostile, "texts", "--format", "csv").stdout.decode()
    assert [row["text"] for row in csv.DictReader(io.StringIO(texts, newline=""))][5] == "'+1 -1"
    for row in rows:
        assert not any(cell[:1] in {"=", "+", "@", "\t", "\r"} for cell in row.values())


def test_terminal_obeys_no_page(hostile: Path) -> None:
    for args in ((), ("pages",), ("texts",), ("links",)):
        shown = run("show", hostile, *args).stdout
        odd = {c for c in shown if unicodedata.category(c).startswith("C")} - {"\n"}
        assert not odd, args
    lines = run("show", hostile, "pages", "--format", "jsonl").stdout
    assert "\x1b" not in lines
    assert json.loads(lines.splitlines()[2])["url"] == "http://red.example/\x1b[31m"
