"""The map of the flow: every table and column says what it is, and runs hold exactly these."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

import pagekin
from pagekin.tables import RECORDS, SKETCHED, TABLES, Table

ALL = [*TABLES.values(), RECORDS, SKETCHED]


@pytest.fixture(scope="module")
def scanned(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> pagekin.Run:
    return pagekin.scan(small_web, tmp_path_factory.mktemp("tables") / "run", only=[])


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_everything_has_a_doc(table: Table) -> None:
    assert table.doc.endswith(".")
    assert table.order
    assert table.columns
    for column in table.columns:
        assert len(column.doc) > 5, column.name
        assert "\n" not in column.doc
        assert isinstance(column.type, pa.DataType)


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_names(table: Table) -> None:
    assert re.fullmatch(r"[a-z][a-z_]*", table.name)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in table.names)
    assert len(set(table.names)) == len(table.names)
    assert table.schema.names == table.names


MADE_OF_PHRASES = {
    "sketches": ("shingles",),
    "duplicates": ("class", "jaccard"),
    "phrases": ("phrase", "pages", "hosts", "domains", "functions", "example_url"),
    "popular": ("popular",),
    "covers": ("popular", "cover", "foreign", "donors"),
    "sites": ("mean_popular", "std_popular", "rank"),
    "quilts": ("grams",),
    "originality": ("grams",),
    "fuzzy": ("similarity",),
}


@pytest.mark.parametrize("table", MADE_OF_PHRASES)
def test_columns_say_whether_phrases_wrap_around(table: str) -> None:
    docs = {column.name: column.doc.lower() for column in TABLES[table].columns}
    for name in MADE_OF_PHRASES[table]:
        assert re.search(r"\b(wrap|wraps) around|as a circle|begin and end in the text", docs[name]), name


def test_tables_are_under_their_names() -> None:
    assert all(name == table.name for name, table in TABLES.items())


def test_row_order_names_columns() -> None:
    for table in ALL:
        assert {name for name, _ in table.keys} <= set(table.names)


OF_TWO_MEANINGS = {
    "foreign",  # how many shingles foreign donors hold; whether a source is foreign
    "links",  # a count in pages, rows in sketched
    "score",  # of a cluster; of two digests
    "targets",
}


def test_the_same_column_means_the_same_everywhere() -> None:
    """One name, one type. Docs may differ where a table says more."""
    types: dict[str, pa.DataType] = {}
    for table in ALL:
        for column in table.columns:
            if column.name in OF_TWO_MEANINGS:
                continue
            assert types.setdefault(column.name, column.type) == column.type, f"{table.name}.{column.name}"


def test_runs_hold_the_schemas(scanned: pagekin.Run) -> None:
    for name in scanned.tables:
        assert scanned.table(name).schema.equals(TABLES[name].schema), name


def test_rows_are_in_page_order(scanned: pagekin.Run) -> None:
    for name in scanned.tables:
        pages = scanned.table(name, ["page"])["page"].to_pylist()
        assert pages == sorted(pages), name
        if name != "links":
            assert len(set(pages)) == len(pages), name


def test_tables_fit_together(scanned: pagekin.Run) -> None:
    pages = scanned.table("pages")
    ids = pages["page"].to_pylist()
    assert scanned.table("texts")["page"].to_pylist() == ids
    assert scanned.table("sketches")["page"].to_pylist() == ids
    links = scanned.table("links")["page"].to_pylist()
    assert [links.count(page) for page in ids] == pages["links"].to_pylist()
    assert not set(scanned.table("skipped")["page"].to_pylist()) & set(ids)
