"""`pagekin export`, and a page with its donors in `pagekin show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.command import run

import pagekin


@pytest.fixture(scope="module")
def scanned(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "run"
    run("scan", small_web, "-o", folder, "--only", "phrases", "--min-popular", "5", "--quiet")
    return folder


def test_export(scanned: Path, tmp_path: Path) -> None:
    done = run("export", scanned, "--clean", "-o", tmp_path / "c.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()]
    copies = len(pagekin.Run(scanned).copies())
    assert copies > 0
    assert f"{len(rows):,} pages written" in done.stderr
    assert f"{copies:,} copies" in done.stderr
    assert done.stdout == ""
    assert "of their own" not in done.stderr
    own = run("export", scanned, "--clean", "--original-only", "--min-words", "5", "-o", tmp_path / "o.jsonl")
    left = len(rows) - len((tmp_path / "o.jsonl").read_text().splitlines())
    assert f"{left:,} pages with nothing of their own left" in own.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["-o", "x.jsonl"], "--clean"),
        (["--clean", "-o", "x.txt"], "ends with one of"),
        (["--clean", "-o", "x.jsonl", "--min-words", "0"], "--min-words"),
        (["--clean", "-o", "x.jsonl", "--min-words", "5"], "--min-words goes with --original-only"),
    ],
)
def test_wrong_usage(scanned: Path, arguments: list[str], says: str) -> None:
    assert says in run("export", scanned, *arguments, code=2).stderr


def test_page_with_donors(scanned: Path) -> None:
    cover = pagekin.Run(scanned).table("covers").to_pylist()[0]
    done = run("show", scanned, "covers", "--page", cover["url"], "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert (rows[0]["role"], rows[0]["url"], rows[0]["shingles"]) == ("page", cover["url"], cover["popular"])
    assert [(row["role"], row["page"], row["shingles"]) for row in rows[1:]] == [
        ("donor", donor["page"], donor["shingles"]) for donor in cover["donors"]
    ]
    assert all(row["url"].startswith("http") for row in rows)


def test_page_without_cover(scanned: Path) -> None:
    assert "has no cover" in run("show", scanned, "covers", "--page", "http://o'x.example/", code=2).stderr
    assert "--page goes with" in run("show", scanned, "pages", "--page", "http://x.example/", code=2).stderr
