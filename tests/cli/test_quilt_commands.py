"""`show --page`, `sweep` and `check --quilts` as a user starts them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.command import one_line, run

import pagekin

LETTERS = "abcde"


@pytest.fixture(scope="module")
def quilted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one quilt, of pages that would like to act on the terminal, and with an index."""
    folder = tmp_path_factory.mktemp("quilted")
    pages = [{"url": f"http://{c}.example/\x1b[31m", "html": f"<p>{_words(c, 40)} \x1b[31m"} for c in LETTERS]
    links = "".join(f'<a href="http://{c}.example/{c}">x</a> ' for c in "ab")
    stitched = f"<p>before {links} \x1b]0;owned\x07 " + " ".join(_words(c, 12) for c in LETTERS)
    pages.append({"url": "http://q.example/", "html": stitched})
    (folder / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    run("scan", folder / "crawl.jsonl", "-o", folder / "run", "--only", "quilts", "--keep-grams", "--verify")
    (folder / "page.html").write_text(stitched)
    (folder / "page.txt").write_text(" ".join(_words(c, 12) for c in LETTERS))
    return folder


def _words(letter: str, count: int) -> str:
    return " ".join(f"{letter}{n}" for n in range(count))


def test_show_a_quilt(quilted: Path) -> None:
    done = run("show", quilted / "run", "quilts", "--page", "http://q.example/")
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    for rank, letter in enumerate(LETTERS, start=1):
        assert f"[{rank}:{_words(letter, 12)}]" in done.stdout
    lines = done.stdout.splitlines()[-5:]
    assert [line[:3] for line in lines] == [f"[{rank}]" for rank in range(1, 6)]
    assert ["not attributed" in line for line in lines] == [False, False, True, True, True]
    assert all("20.0%, foreign" in line for line in lines)


def test_patches_for_programs(quilted: Path) -> None:
    done = run("show", quilted / "run", "quilts", "--page", "5", "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["rank"], row["source_start"], row["words"]) for row in rows] == [
        (n, 0, 12) for n in range(1, 6)
    ]
    assert [row["text"] for row in rows] == [_words(letter, 12) for letter in LETTERS]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("quilts", "--page", "http://a.example/"), "not among the quilts"),
        (("quilts", "--page", "99999999999999999999999"), "not among the quilts"),
        (("pages", "--page", "5"), "--page goes with the tables"),
        (("--page", "5"), "--page goes with the tables"),
        (("quilts", "--page", "5", "--top", "3"), "--page goes with --format alone"),
    ],
)
def test_show_what_is_not_there(quilted: Path, args: tuple[str, ...], says: str) -> None:
    assert says in one_line(run("show", quilted / "run", *args, code=2))


def test_no_quilts_in_the_run(scanned: Path, tmp_path: Path, small_web: Path) -> None:
    run("scan", small_web, "-o", tmp_path / "run", "--only", "")
    assert "no table 'quilts'" in one_line(run("show", tmp_path / "run", "quilts", "--page", "1", code=1))


def test_check(quilted: Path) -> None:
    known = quilted / "run"
    done = run("check", known, quilted / "page.txt", "--quilts", "--url", "http://q.example/")
    assert "a quilt of these pages; 40 of 56 grams" in done.stdout
    assert "\x1b" not in done.stdout
    done = run("check", known, quilted / "page.html", "--quilts", "--format", "jsonl")
    found = json.loads(done.stdout)["quilt"]
    assert not found["quilt"], "one stored page has all of it"
    assert [source["source"] for source in found["sources"]] == [5]


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("run", "nothing.html"), 1, "neither a page of the run nor a file"),
        (("run", "nothing.html", "--quilts"), 1, "neither a page of the run nor a file"),
        (("run", "http://a.example/x"), 1, "http://a.example/x is neither a page of the run"),
        (("nothing", "page.html", "--quilts"), 1, "not a run folder"),
    ],
)
def test_check_complains(quilted: Path, args: tuple[str, ...], code: int, says: str) -> None:
    assert says in one_line(run("check", *args, code=code, cwd=quilted))


def test_check_without_an_index(quilted: Path, scanned: Path) -> None:
    done = run("check", scanned, quilted / "page.txt", "--quilts", code=1)
    assert "--keep-grams" in one_line(done)


def test_sweep(quilted: Path, tmp_path: Path) -> None:
    args = ("--k", "5", "--c", "4..6", "--m", "1,50", "--theta", "0.5..1.0:0.25")
    done = run(
        "sweep", quilted / "run", *args, "--format", "jsonl", "--plot", tmp_path / "sweep.svg", "--quiet"
    )
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(row["c"], row["m"], row["theta"], row["quilted"]) for row in rows] == [
        (4, 50, 0.5, 1), (4, 50, 0.5, 1), (5, 50, 0.5, 1), (6, 50, 0.5, 0), (4, 1, 0.5, 0), (4, 50, 0.5, 1),
        (4, 50, 0.5, 1), (4, 50, 0.75, 0), (4, 50, 1.0, 0),
    ]  # fmt: skip
    assert b"<svg" in (tmp_path / "sweep.svg").read_bytes()
    assert "quilted" in run("sweep", quilted / "run", *args).stdout


def test_a_sweep_draws_both_rules(tmp_path: Path) -> None:
    """Half of the first page is the frame of its own site: a quilt by patch grams, none by covered grams."""
    own = [f"{_words('f', 80)} {_words(f'n{n}x', 60)}" for n in range(4)]
    own[0] += " " + " ".join(_words(c, 6) for c in "wxyz")
    pages = [{"url": f"http://site.example/{n}", "text": text} for n, text in enumerate(own)]
    pages += [{"url": f"http://{c}.example/", "text": _words(c, 60)} for c in "wxyz"]
    (tmp_path / "crawl.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    run("scan", tmp_path / "crawl.jsonl", "-o", tmp_path / "run", "--only", "quilts")
    plot = tmp_path / "sweep.svg"
    args = ("--k", "5", "--c", "4", "--m", "50", "--theta", "0.5", "--format", "jsonl", "--plot", plot)
    done = run("sweep", tmp_path / "run", *args, "--quiet")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {(row["quilted"], row["by_covered"], row["by_patch"]) for row in rows} == {(0, 0, 1)}
    drawn = plot.read_text()
    assert drawn.count("by covered grams</text>") == drawn.count("by patch grams</text>") == 4
    assert drawn.count("1 quilt by patch grams") == drawn.count("0 quilts by covered grams") == 4


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("--k", "0..3"), "quilts.k must be from 1 to 64"),
        (("--theta", "0.5..1.5"), "quilts.theta must be from 0 to 1"),
        (("--k", "2..x"), "neither like"),
        (("--k", "2.5"), "neither like"),
        (("--m", "1..100000000:1"), "neither like"),
        (("--plot", "sweep.pdf"), "cannot draw"),
    ],
)
def test_sweep_complains(quilted: Path, args: tuple[str, ...], says: str) -> None:
    assert says in run("sweep", quilted / "run", *args, code=2).stderr


def test_report_has_quilts(quilted: Path, tmp_path: Path) -> None:
    run("report", quilted / "run", "-o", tmp_path / "report.html")
    html = (tmp_path / "report.html").read_text()
    opened = pagekin.Run(quilted / "run")
    share = opened.table("quilts").num_rows / opened.table("pages").num_rows
    assert f"1 page ({share:.1%}) is stitched together" in html
    assert 'id="originality"' in html


def test_resumed_scan_has_the_index(quilted: Path) -> None:
    assert (quilted / "run" / "grams.index").exists()
    assert pagekin.Run(quilted / "run").info["quilts"]["verified"] > 0
    assert not list((quilted / "run").glob(".grams*"))
