"""Columns of chosen pages, against a plain dictionary."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagekin
from pagekin.run import folder
from pagekin.tables.lookup import TableLookup

KEYS = st.lists(st.one_of(st.none(), st.integers(-3, 6)), max_size=12)


@given(KEYS, KEYS, st.integers(1, 5), st.booleans())
def test_lookup(stored: list[int | None], keys: list[int | None], chunk: int, names: bool) -> None:
    """The first row of a key counts; nothing is found for null."""

    def column(values: list[int | None]) -> pa.ChunkedArray:
        if not names:
            return pa.chunked_array([pa.array(values, pa.int64())])
        text = [None if value is None else str(value) for value in values]
        chunks = [pa.array(text[n : n + chunk], pa.string()) for n in range(0, len(text), chunk)]
        return pa.chunked_array(chunks, pa.string())

    rows = {key: number for number, key in reversed(list(enumerate(stored))) if key is not None}
    expected = [None if key is None else rows.get(key) for key in keys]
    lookup = TableLookup(
        pa.table({"key": column(stored), "row": pa.array(range(len(stored)), pa.int64())}), "key"
    )
    assert lookup.column("row", column(keys)).to_pylist() == expected
    assert lookup.rows(column(keys))["row"].to_pylist() == expected
    assert lookup.contains(column(keys)).to_pylist() == [number is not None for number in expected]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[pagekin.Run]:
    """A run of several parts, and one made against it."""
    tmp_path = tmp_path_factory.mktemp("lineage")

    def crawl(name: str, count: int) -> Path:
        path = tmp_path / f"{name}.jsonl"
        lines = [f'{{"url": "http://{name}.example/{n}", "text": "{name} {n}"}}' for n in range(count)]
        path.write_text("\n".join(lines))
        return path

    # Each input begins a new part.
    old = pagekin.scan([crawl(name, 10) for name in "abcd"], tmp_path / "old", only=[])
    new = pagekin.scan(crawl("e", 20), tmp_path / "new", only=[], against=old.path)
    return [old, new]


@given(st.data())
def test_page_columns(runs: list[pagekin.Run], data: st.DataObject) -> None:
    tables = [run.table("texts", ["page", "url", "text"]).to_pylist() for run in runs]
    known = {row["page"]: row for rows in tables for row in rows}
    pages = data.draw(st.lists(st.one_of(st.sampled_from(sorted(known)), st.integers(0, 2**42)), max_size=8))
    found = runs[-1].page_columns("texts", ["text", "page", "url"], pages)
    assert found.column_names == ["text", "page", "url"]
    none = {"text": None, "page": None, "url": None}
    assert found.to_pylist() == [known.get(page, none) for page in pages]


def test_only_row_groups_that_may_hold_a_page_are_read(
    runs: list[pagekin.Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    old = runs[0]
    page = old.table("texts")["page"][9].as_py()
    read = []
    touches = folder.PageFilter.touches

    def counted(self: folder.PageFilter, group: object) -> bool:
        read.append(touches(self, group))
        return read[-1]

    monkeypatch.setattr(folder.PageFilter, "touches", counted)
    assert old.page_columns("texts", ["url"], [page])["url"].to_pylist() == ["http://a.example/9"]
    assert len(read) == 4
    assert sum(read) == 1
