"""Commands that print rows: in order, in every format, into pipes that close."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli.command import PAGEKIN, check, environment, one_line, run, run_bytes

import pagekin


def test_sort(scanned: Path) -> None:
    lines = run("show", scanned, "pages", "--sort", "words:desc", "--format", "jsonl").stdout.splitlines()
    words = [json.loads(line)["words"] for line in lines]
    assert words == sorted(words, reverse=True)
    assert len(words) == 400
    lines = run("show", scanned, "style_clusters", "--sort", "name", "--format", "jsonl").stdout.splitlines()
    names = [json.loads(line)["name"] for line in lines]
    named = [name for name in names if name]
    assert named == sorted(named)
    assert names[: len(named)] == named, "what has none comes last"
    one_line(run("show", scanned, "pages", "--sort", "words:down", code=2))


def test_says_how_many_there_are(scanned: Path) -> None:
    assert "20 of 400 rows; --top 0 for all" in run("show", scanned, "pages").stdout
    whole = run("show", scanned, "pages", "--top", "0").stdout
    assert len(whole.splitlines()) == 400 + 3
    assert "rows;" not in whole
    assert "no rows" in run("show", scanned, "pages", "--where", "words < 0").stdout
    few = run("show", scanned, "pages", "--where", "words > 50", "--top", "2").stdout
    count = sum(row["words"] > 50 for row in pagekin.Run(scanned).table("pages").to_pylist())
    assert f"2 of {count} rows" in few


def test_copies_of_a_page(scanned: Path) -> None:
    table = pagekin.Run(scanned).table("duplicates").to_pylist()
    copy = next(row for row in table if row["page"] != row["representative"])
    for asked in (copy["url"], str(copy["page"])):
        done = run("show", scanned, "duplicates", "--page", asked, "--format", "jsonl")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        assert [row["page"] for row in found] == [r["page"] for r in table if r["class"] == copy["class"]]
        assert {row["representative_url"] for row in found} == {found[0]["url"]}
    alone = next(
        row["url"]
        for row in pagekin.Run(scanned).table("pages").to_pylist()
        if row["url"] not in {one["url"] for one in table}
    )
    assert "like no other" in one_line(run("show", scanned, "duplicates", "--page", alone, code=2))
    assert "no such page" in one_line(run("show", scanned, "fuzzy", "--page", "http://no.example/", code=2))


def test_donors_have_urls(scanned: Path) -> None:
    opened = pagekin.Run(scanned)
    urls = {row["page"]: row["url"] for row in opened.table("pages", ["page", "url"]).to_pylist()}
    covers = opened.table("covers").to_pylist()
    assert covers
    for row in covers:
        assert row["url"] == urls[row["page"]]
        assert [donor["url"] for donor in row["donors"]] == [urls[donor["page"]] for donor in row["donors"]]
        assert len(row["donors"]) == row["cover"]


COMMANDS = {
    "audit": ("{results}",),
    "check": ("{run}", "{page}"),
    "compare": ("{page}", "{page}"),
    "fuzzy-threshold": ("{run}", "--pairs", "5"),
    "like": ("{run}", "{page}"),
    "show": ("{run}", "pages"),
    "ssdeep": ("{run}",),
    "sweep": ("{run}", "--k", "5", "--c", "4", "--m", "50", "--theta", "0.5"),
    "verdicts": ("{run}",),
}
"""Commands that print rows."""


@pytest.mark.parametrize("command", COMMANDS)
def test_rows_in_every_format(command: str, scanned: Path, page: Path, results: Path, tmp_path: Path) -> None:
    shutil.copytree(scanned, tmp_path / "run")
    args = [a.format(run=tmp_path / "run", page=page, results=results) for a in COMMANDS[command]]
    # Lists and objects are JSON in CSV files, so numbers of rows are compared, not values.
    parquet = pq.read_table(io.BytesIO(run_bytes(command, *args, "--format", "parquet").stdout))
    lines = run(command, *args, "--format", "jsonl").stdout.splitlines()
    text = run_bytes(command, *args, "--format", "csv").stdout.decode()
    assert next(csv.reader(io.StringIO(text))) == parquet.column_names
    assert len(lines) == parquet.num_rows == len(list(csv.reader(io.StringIO(text, newline="")))) - 1
    assert all(isinstance(json.loads(line), dict) for line in lines)
    assert parquet.num_rows or command == "verdicts"
    assert run(command, *args, "--format", "table").stdout


def test_judged_samples_in_every_format(scanned: Path, tmp_path: Path) -> None:
    shutil.copytree(scanned, tmp_path / "run")
    quilts = pagekin.Run(scanned).table("quilts")["page"].to_pylist()
    rows = [f"page,spam,{page},ann,quilts/random/100/0" for page in quilts]
    (tmp_path / "given.csv").write_text("\n".join(["kind,label,target,who,sample", *rows]))
    run("verdicts", tmp_path / "run", "--import", tmp_path / "given.csv")
    found = json.loads(run("verdicts", tmp_path / "run", "--format", "jsonl").stdout)
    assert (found["judge"], found["judged"], found["spam"], found["share"]) == (
        "all", len(quilts), len(quilts), 1.0,
    )  # fmt: skip
    assert 0.5 < found["from"] < found["to"] <= 1.0
    assert "100% " in run("verdicts", tmp_path / "run").stdout


def test_samples_that_do_not_exist_are_not_imported(scanned: Path, tmp_path: Path) -> None:
    shutil.copytree(scanned, tmp_path / "run")
    (tmp_path / "given.csv").write_text("kind,label,target,sample\npage,spam,1,my sample\n")
    assert "line 2" in one_line(run("verdicts", tmp_path / "run", "--import", tmp_path / "given.csv", code=1))
    assert "judge findings with `pagekin serve" in run("verdicts", tmp_path / "run").stdout


CLOSED = [
    *[
        ("show", "{run}", "texts", "--top", "0", "--format", form)
        for form in ("table", "csv", "jsonl", "parquet")
    ],
    ("show", "{run}", "quilts", "--page", "{quilt}"),
    ("show", "--help"),
    ("--help",),
    ("--version",),
]


@pytest.mark.parametrize("words", CLOSED, ids=" ".join)
def test_closed_pipe_ends_quietly_everywhere(scanned: Path, words: tuple[str, ...]) -> None:
    quilt = str(pagekin.Run(scanned).table("quilts")["page"][0])
    process = subprocess.Popen(
        [PAGEKIN, *(word.format(run=scanned, quilt=quilt) for word in words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read().decode()
    process.stderr.close()
    check(process.wait(60), said, 0)
    assert said == ""
