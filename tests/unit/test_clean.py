"""The clean export: one page a class, own passages only, in every format."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.words import words

import pagekin
from pagekin.errors import OutputError, TableMissingError, UsageError
from pagekin.export.clean import export_clean
from pagekin.run import Run


def scan(folder: Path, rows: list[dict[str, Any]], name: str = "run") -> Run:
    path = folder / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return pagekin.scan(path, folder / name, only=["duplicates"])


def pages(*texts: str) -> list[dict[str, Any]]:
    return [{"url": f"http://a.example/{i}", "text": text} for i, text in enumerate(texts)]


def exported(run: Run, **options: Any) -> list[dict[str, Any]]:
    path = run.path.parent / "out.jsonl"
    export_clean(run, path, **options)
    return [json.loads(line) for line in path.read_text().splitlines()]


SHARED = "one two three four five six seven"


def test_one_page_of_each_class(tmp_path: Path) -> None:
    run = scan(tmp_path, pages("the same words", "", "the same words", "others entirely", "the same words"))
    rows = exported(run)
    assert [(row["page"], row["text"], row["copies"]) for row in rows] == [
        (0, "the same words", 2),
        (3, "others entirely", 0),
    ]
    done = export_clean(run, tmp_path / "again.parquet")
    assert (done.pages, done.copies, done.empty) == (2, 2, 1)


def test_the_first_keeps_the_passage(tmp_path: Path) -> None:
    rows = pages(f"Début: {SHARED}! Fin.", f"Mine, {SHARED} - mine too", SHARED)
    found = exported(scan(tmp_path, rows), original_only=True)
    assert [row["text"] for row in found] == [f"Début: {SHARED}! Fin", "Mine\nmine too"]
    for row in found:
        whole = rows[row["page"]]["text"]
        assert "\n".join(whole[p["start"] : p["end"]] for p in row["passages"]) == row["text"]
    assert [row["text"] for row in exported(Run(tmp_path / "run"), original_only=True, min_words=2)][1:] == [
        "mine too"
    ]


def test_earlier_by_date(tmp_path: Path) -> None:
    late, early, unknown = pages(f"late {SHARED}", f"early {SHARED}", f"unknown {SHARED}")
    dated = [late | {"date": "2024-05-01T00:00:00Z"}, early | {"date": "2020-01-01T00:00:00Z"}, unknown]
    found = {row["page"]: row["text"] for row in exported(scan(tmp_path, dated), original_only=True)}
    assert found == {0: "late", 1: f"early {SHARED}", 2: "unknown"}


def test_a_class_is_as_early_as_its_earliest_page(tmp_path: Path) -> None:
    passage = " ".join(f"p{i}" for i in range(40))
    original = f"{passage} " + " ".join(f"o{i}" for i in range(60))
    rows = pages(original, original, f"they say {passage} and I agree")
    dated = [
        row | {"date": f"{year}-01-01T00:00:00Z"} for row, year in zip(rows, (2022, 2019, 2021), strict=True)
    ]
    run = scan(tmp_path, dated)
    found = {row["page"]: row["text"] for row in exported(run, original_only=True)}
    assert found == {0: original, 2: "they say\nand I agree"}
    del dated[0]["date"]
    found = {
        row["page"]: row["text"] for row in exported(scan(tmp_path, dated, "undated"), original_only=True)
    }
    assert found[0] == original


def test_pages_of_which_nothing_is_left(tmp_path: Path) -> None:
    run = scan(tmp_path, pages(f"{SHARED} eight nine ten and more of it", "", SHARED, SHARED))
    done = export_clean(run, tmp_path / "own.jsonl", original_only=True)
    assert (done.pages, done.copies, done.empty, done.cut) == (1, 1, 1, 1)
    assert export_clean(run, tmp_path / "all.jsonl").cut == 0


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_own_words_by_the_definition(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    rng = random.Random(seed)
    stock = [" ".join(f"w{rng.randrange(30)}" for _ in range(rng.randrange(1, 9))) for _ in range(6)]
    texts = [", ".join(rng.choices(stock, k=rng.randrange(6))) + f" é{i}" for i in range(8)]
    run = scan(tmp_path_factory.mktemp("own"), pages(*texts))
    seen: set[tuple[str, ...]] = set()
    expected = {}
    kept = run.representatives("texts", ["page"])["page"].to_pylist()
    for page in kept:
        found = words(texts[page])
        grams = [tuple(found[i : i + 5]) for i in range(len(found) - 4)]
        taken = {i + j for i, gram in enumerate(grams) if gram in seen for j in range(5)}
        expected[page] = [word for i, word in enumerate(found) if i not in taken]
        seen.update(grams)
    got = {row["page"]: words(row["text"]) for row in exported(run, original_only=True)}
    assert got == {page: own for page, own in expected.items() if own}


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.jsonl.zst", "c.parquet", "c.warc", "c.warc.gz"])
@pytest.mark.parametrize("original_only", [False, True])
def test_formats_are_read_back(tmp_path: Path, name: str, original_only: bool) -> None:
    run = scan(tmp_path, pages("Erste Seite, mit Wörtern", "another page 漢字", "Erste Seite, mit Wörtern"))
    path = tmp_path / "new" / name
    path.parent.mkdir()
    export_clean(run, path, original_only=original_only)
    again = pagekin.scan(path, tmp_path / "again", only=[]).table("texts").to_pylist()
    assert [row["url"] for row in again] == ["http://a.example/0", "http://a.example/1"]
    assert [words(row["text"]) for row in again] == [
        ["erste", "seite", "mit", "wörtern"],
        ["another", "page", "漢", "字"],
    ]
    assert [path.name for path in path.parent.iterdir()] == [name]
    before = path.read_bytes()
    export_clean(run, path, original_only=original_only)
    assert path.read_bytes() == before, "the same run gives the same file"


def test_parquet_and_warc_keep_offsets(tmp_path: Path) -> None:
    run = scan(tmp_path, pages(SHARED, f"x {SHARED} y"))
    export_clean(run, tmp_path / "c.parquet", original_only=True)
    rows = pq.read_table(tmp_path / "c.parquet").to_pylist()
    assert rows[1]["passages"] == [{"start": 0, "end": 1}, {"start": len(SHARED) + 3, "end": len(SHARED) + 4}]
    export_clean(run, tmp_path / "c.warc.gz", original_only=True)
    warc = gzip.decompress((tmp_path / "c.warc.gz").read_bytes())
    assert f"Pagekin-Passages: 0-1,{len(SHARED) + 3}-{len(SHARED) + 4}\r\n".encode() in warc


def test_little_memory_changes_nothing(tmp_path: Path) -> None:
    rng = random.Random(2)
    stock = [" ".join(f"w{rng.randrange(2000)}" for _ in range(12)) for _ in range(40)]
    run = scan(tmp_path, pages(*(". ".join(rng.choices(stock, k=9)) for _ in range(120))))
    assert exported(run, original_only=True, memory=2000) == exported(run, original_only=True, threads=1)


def test_errors(tmp_path: Path) -> None:
    run = scan(tmp_path, pages("a b c"))
    with pytest.raises(UsageError, match="ends with one of"):
        export_clean(run, tmp_path / "corpus.txt")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError):
        export_clean(run, tmp_path / "file" / "x.jsonl")
    bare = pagekin.scan(tmp_path / "run.jsonl", tmp_path / "bare", only=[])
    with pytest.raises(TableMissingError, match="duplicates"):
        export_clean(bare, tmp_path / "x.jsonl")
