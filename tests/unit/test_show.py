"""Rows by SQL expressions, from a database that sees nothing but the table."""

from __future__ import annotations

from pathlib import Path

import pytest

import pagekin
from pagekin.errors import RunError, TableMissingError, UsageError
from pagekin.query.show import overview, rows, summary
from pagekin.tables import TABLES


@pytest.fixture(scope="module")
def scanned(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("show") / "run", only=[])


def test_rows_are_the_table(scanned: pagekin.Run) -> None:
    for name in scanned.tables:
        assert rows(scanned, name).equals(scanned.table(name)), name


def test_where_columns_and_limit(scanned: pagekin.Run) -> None:
    found = rows(scanned, "pages", where="words > 100", columns=["words", "url"], limit=7)
    assert found.column_names == ["words", "url"]
    expected = [row for row in scanned.table("pages").to_pylist() if row["words"] > 100][:7]
    assert found["url"].to_pylist() == [row["url"] for row in expected], "in the table's order"
    assert rows(scanned, "pages", limit=0).num_rows == 0
    assert rows(scanned, "pages", where="false").num_rows == 0


@pytest.mark.parametrize(
    "expression",
    [
        "words >",
        "nosuch = 1",
        "words > 'x'",
        "1; drop table pages",
        "regexp_matches(url, '[')",
        "error('x')",
        ")",
        "words; --",
        "(select 1 union all select 2) = 1",
        "\0",
        "'",
    ],
)
def test_wrong_expressions(scanned: pagekin.Run, expression: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(scanned, "pages", where=expression)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "source",
    [
        "read_csv('{path}')",
        "read_text('{path}')",
        "read_blob('{path}')",
        "read_json('{path}')",
        "'{path}'",
        "glob('{folder}/*')",
        "read_parquet('{folder}/*.parquet')",
        "sniff_csv('{path}')",
        "data",  # Python variables of whoever calls
        "run",
        "secret",
    ],
)
def test_expressions_read_no_files_and_no_variables(
    scanned: pagekin.Run, tmp_path: Path, source: str
) -> None:
    """An expression may come from anywhere; all it may see is the table."""
    path = tmp_path / "secret.csv"
    path.write_text("a,b\n1,2\n")
    secret = scanned.table("pages")
    assert secret.num_rows
    query = source.format(path=path, folder=tmp_path)
    with pytest.raises(UsageError):
        rows(scanned, "pages", where=f"(select count(*) from {query}) >= 0")


@pytest.mark.parametrize(
    "expression",
    [
        "1) to '{folder}/x.csv' --",
        "1; copy (select 1) to '{folder}/x.csv'",
        "1; attach '{folder}/x.db'",
        "1; export database '{folder}'",
        "1; set enable_external_access = true",
        "1; install httpfs",
        "1; load httpfs",
    ],
)
def test_expressions_change_nothing(scanned: pagekin.Run, tmp_path: Path, expression: str) -> None:
    with pytest.raises(UsageError):
        rows(scanned, "pages", where=expression.format(folder=tmp_path))
    assert not list(tmp_path.iterdir())


def test_unknown_names(scanned: pagekin.Run) -> None:
    with pytest.raises(TableMissingError, match="nosuch"):
        rows(scanned, "nosuch")
    with pytest.raises(UsageError, match="nosuch"):
        rows(scanned, "pages", columns=["url", "nosuch"])
    with pytest.raises(UsageError, match="has no column"):
        rows(scanned, "pages", columns=['url" from data; --'])


def test_overview(scanned: pagekin.Run) -> None:
    table = overview(scanned)
    assert table["table"].to_pylist() == scanned.tables
    assert table["rows"].to_pylist() == [scanned.table(name).num_rows for name in scanned.tables]
    assert table["what"].to_pylist() == [TABLES[name].doc for name in scanned.tables]


def test_summary(scanned: pagekin.Run) -> None:
    table = summary(scanned, "pages", "charset, count(*) AS pages", "charset", "pages DESC, charset", 3)
    assert table.num_rows == 3
    assert table["pages"].to_pylist() == sorted(table["pages"].to_pylist(), reverse=True)


@pytest.mark.parametrize("harm", ["cut", "emptied", "overwritten", "inside"])
def test_damaged_table(small_web: Path, tmp_path: Path, harm: str) -> None:
    """A damaged table is not the fault of the expression."""
    run = pagekin.scan(small_web, tmp_path / "run", only=[])
    part = next((tmp_path / "run" / "pages.parquet").iterdir())
    whole = part.read_bytes()
    inside = whole[:100] + bytes(len(whole) // 2) + whole[100 + len(whole) // 2 :]
    part.write_bytes(
        {"cut": whole[:1000], "emptied": b"", "overwritten": b"x" * len(whole), "inside": inside}[harm]
    )
    with pytest.raises(RunError, match="pages"):
        rows(run, "pages")
    with pytest.raises(RunError, match="pages"):
        run.table("pages")
    if harm != "inside":
        with pytest.raises(RunError, match="pages"):
            rows(run, "pages", where="words > 1")
        with pytest.raises(RunError, match="pages"):
            overview(run)
