"""Manners on a terminal: suggestions, refusals, formats, and what to do next."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pytest
import warcs
from cli.command import PAGEKIN, environment, one_line, run

import pagekin

# Suggestions ------------------------------------------------------------------------------------------


def test_wrong_command() -> None:
    done = run("shwo", code=2)
    assert "no command 'shwo'; did you mean 'show'?" in done.stderr


@pytest.mark.parametrize(
    ("args", "meant"),
    [
        (("page",), "pages"),
        (("pages", "--columns", "word"), "words"),
        (("pages", "--sort", "html_byte:desc"), "html_bytes"),
    ],
)
def test_wrong_names(scanned: Path, args: tuple[str, ...], meant: str) -> None:
    done = run("show", scanned, *args, code=None)
    assert f"did you mean '{meant}'?" in one_line(done)


def test_wrong_detector(small_web: Path, tmp_path: Path) -> None:
    done = run("scan", small_web, "-o", tmp_path / "run", "--only", "quilt", code=2)
    assert "did you mean 'quilts'?" in one_line(done)


def test_databases_own_hint_is_kept(scanned: Path) -> None:
    message = one_line(run("show", scanned, "pages", "--where", "word > 3", code=2))
    assert '"words"' in message


# Files ------------------------------------------------------------------------------------------------

WRITERS = {
    "synth": (("--pages", "5", "-o", "{out}"), "web.warc.gz"),
    "export": (("{run}", "--clean", "-o", "{out}"), "clean.jsonl"),
    "report": (("{run}", "-o", "{out}"), "report.html"),
    "verdicts": (("{run}", "--export", "{out}"), "verdicts.csv"),
    "like": (("{run}", "{page}", "--plot", "{out}"), "curve.svg"),
}


@pytest.mark.parametrize("command", WRITERS)
def test_files_are_not_overwritten(command: str, scanned: Path, page: Path, tmp_path: Path) -> None:
    words, name = WRITERS[command]
    out = tmp_path / name
    args = [word.format(run=scanned, page=page, out=out) for word in words]
    out.write_text("mine")
    assert "--force" in one_line(run(command, *args, code=1))
    assert out.read_text() == "mine"
    run(command, *args, "--force")
    assert out.read_bytes() != b"mine"
    deep = [word.format(run=scanned, page=page, out=tmp_path / "no" / name) for word in words]
    assert f"no folder {tmp_path / 'no'}" in one_line(run(command, *deep, code=1))
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("command", ["audit", "figures"])
def test_folders_are_not_overwritten(command: str, scanned: Path, results: Path, tmp_path: Path) -> None:
    source = results if command == "audit" else scanned
    out = tmp_path / "out"
    run(command, source, "-o", out)
    first = next(path for path in sorted(out.iterdir()) if path.suffix == ".csv")
    first.write_text("mine")
    assert "--force" in run(command, source, "-o", out, code=1).stderr
    assert first.read_text() == "mine"
    run(command, source, "-o", out, "--force")
    assert first.read_text() != "mine"
    assert "no folder" in run(command, source, "-o", tmp_path / "no" / "out", code=1).stderr


# Scans ------------------------------------------------------------------------------------------------


def test_scan_ends_with_what_it_found(small_web: Path, scanned: Path, tmp_path: Path) -> None:
    said = run("scan", small_web, "-o", tmp_path / "run").stderr.splitlines()
    opened = pagekin.Run(scanned)
    clusters = opened.table("style_clusters")
    first = clusters.to_pylist()[0]
    assert any(
        f"{clusters.num_rows} style clusters" in line and f"{first['pages']} pages" in line for line in said
    )
    copies = len(opened.copies())
    assert any(line.strip().startswith(f"{copies} pages (") and "most copied: " in line for line in said)
    quilts = opened.table("quilts")
    assert any(f"{quilts.num_rows} quilts" in line and "http" in line for line in said)
    assert any("popular phrases" in line for line in said)
    folder = tmp_path / "run"
    assert said[-1] == f"next: pagekin show {folder} style_clusters, or pagekin report {folder}"


def test_scan_of_nothing_much_says_so(tmp_path: Path) -> None:
    crawl = warcs.write(tmp_path, "crawl.warc", [warcs.page(1)])
    said = run("scan", crawl, "-o", tmp_path / "run").stderr
    for line in (
        "no two pages share a template",
        "no page is a copy",
        "no page is stitched",
        "no site lives",
    ):
        assert line in said
    said = run("scan", crawl, "-o", tmp_path / "bare", "--only", "").stderr
    assert said.splitlines()[-1].startswith(f"next: pagekin show {tmp_path / 'bare'} pages")


def test_failed_scan_leaves_its_folder_to_another(tmp_path: Path) -> None:
    bad, good = tmp_path / "bad.jsonl", warcs.write(tmp_path, "good.warc", [warcs.page(1)])
    bad.write_text("no JSON\n")
    folder = tmp_path / "run"
    assert "found no page" in one_line(run("scan", bad, "-o", folder, code=1))
    assert "failed" in one_line(run("report", folder, code=1))
    run("scan", good, "-o", folder)
    assert pagekin.Run(folder).info["state"] == "done"
    assert "already holds a run" in one_line(run("scan", bad, "-o", folder, code=1))


def test_wrong_parameter_leaves_the_folder_too(tmp_path: Path) -> None:
    crawl = tmp_path / "crawl.jsonl"
    crawl.write_text('{"url": "http://a.example/", "text": "words without a URL"}\n')
    folder = tmp_path / "run"
    assert "IP address" in run("scan", crawl, "-o", folder, "--foreign", "ip", code=2).stderr
    run("scan", crawl, "-o", folder, "--foreign", "host")


def test_report_of_a_failed_run_says_so(small_web: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "cut.warc.gz"
    damaged.write_bytes(small_web.read_bytes()[:-5000])
    run("scan", damaged, "-o", tmp_path / "run", "--strict", code=1)
    run("report", tmp_path / "run")
    assert "This scan failed: an input is damaged" in (tmp_path / "run/report.html").read_text()


def test_other_inputs_are_named(tmp_path: Path) -> None:
    one, two = (warcs.write(tmp_path, f"{name}.warc", [warcs.page(1)]) for name in ("one", "two"))
    run("scan", one, "-o", tmp_path / "run", "--only", "")
    again = ("-o", tmp_path / "run", "--only", "", "--resume")
    message = one_line(run("scan", two, *again, code=1))
    assert f"not given now: {one}; new: {two}" in message
    assert f"(new: {two})" in one_line(run("scan", one, two, *again, code=1))
    one.write_bytes(one.read_bytes() * 2)
    message = one_line(run("scan", one, *again, code=1))
    assert f"{one} has changed since" in message
    assert "mtime" not in message


def test_a_web_site_is_not_a_folder(tmp_path: Path) -> None:
    message = one_line(run("scan", "https://www.example.org/", "-o", tmp_path / "run", code=1))
    assert "pagekin crawl https://www.example.org/" in message


def test_empty_input(tmp_path: Path) -> None:
    (tmp_path / "empty.warc").touch()
    (tmp_path / "empty").touch()
    for name in ("empty.warc", "empty"):
        assert "empty; check" in one_line(run("scan", tmp_path / name, "-o", tmp_path / "run", code=1))


def test_errors_speak_the_language_of_who_asks(tmp_path: Path) -> None:
    crawl = warcs.write(tmp_path, "crawl.warc", [warcs.page(1)])
    pagekin.scan(crawl, tmp_path / "run", only=[])
    with pytest.raises(pagekin.PagekinError, match="add resume=True"):
        pagekin.scan(crawl, tmp_path / "run", only=[])
    message = one_line(run("scan", crawl, "-o", tmp_path / "run", "--only", "", code=1))
    assert "add --resume" in message
    assert "=True" not in message


# One page ---------------------------------------------------------------------------------------------


def test_like_does_not_judge_by_its_own_copy(scanned: Path, page: Path) -> None:
    opened = pagekin.Run(scanned)
    url = opened.table("style_members")["url"][0].as_py()
    by_file, by_url = opened.like(page), opened.like(url)
    assert by_file.stored == url
    assert url not in by_file.table["url"].to_pylist()
    assert by_file.table.equals(by_url.table)
    assert [str(gap) for gap in by_file.gaps] == [str(gap) for gap in by_url.gaps]
    assert f"is {url} of this run" in run("like", scanned, page).stdout


def test_gaps_name_who_is_below(scanned: Path) -> None:
    opened = pagekin.Run(scanned)
    domains = set(opened.table("pages")["domain"].to_pylist())
    urls = opened.table("style_clusters")["centroid_url"].to_pylist()[:8]
    gaps = [gap for url in urls for gap in opened.like(url).gaps if "below it" in gap.says]
    named = [gap.says.split("below it ")[1].split(" (")[0] for gap in gaps if "nothing" not in gap.says]
    assert named
    assert set(named) <= domains | {"pages without a site"}


def test_compare_tells_of_texts(tmp_path: Path) -> None:
    one, two = tmp_path / "one.html", tmp_path / "two.html"
    one.write_text("<p>one two three four five six")
    two.write_text("<p>one two three four five seven")
    row = json.loads(run("compare", one, two, "--format", "jsonl").stdout)
    assert row["text_jaccard"] == pytest.approx(1 / 3)
    assert row["text_phrases_a"] == 2
    shown = run("compare", one, two).stdout
    assert "0.3333" in shown
    assert "by shingles" in shown


@pytest.mark.parametrize("data", [b"", b"just words", b"\x89PNG\r\n\x1a\n\0\0<a>\0"])
def test_compare_refuses_what_is_no_page(page: Path, tmp_path: Path, data: bytes) -> None:
    (tmp_path / "x").write_bytes(data)
    assert "is not a page" in one_line(run("compare", page, tmp_path / "x", code=1))


def test_check_duplicates(scanned: Path, page: Path, tmp_path: Path) -> None:
    shutil.copytree(scanned, tmp_path / "run")
    answer = json.loads(run("check", tmp_path / "run", page, "--duplicates", "--format", "jsonl").stdout)
    assert answer["text"] is not None
    assert answer["style"] is None


def test_audit_without_texts(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"query": "q", "rank": 1, "url": "http://a.example/"}\n')
    message = one_line(run("audit", path, code=1))
    assert "--pages" in message
    assert "text" in message


# Colours ----------------------------------------------------------------------------------------------


def test_colours_when_asked_for(scanned: Path) -> None:
    assert "\x1b[" not in run("show", scanned, "pages").stdout
    assert "\x1b[1m" in run("show", scanned, "pages", "--color", "always").stdout
    assert "\x1b[1m" in run("--color", "always", "show", scanned, "pages").stdout
    assert "\x1b[" not in run("show", scanned, "pages", "--color", "never").stdout


@pytest.mark.parametrize(
    ("args", "env", "colored"),
    [
        ((), {}, True),
        ((), {"NO_COLOR": "1"}, False),
        (("--color", "never"), {}, False),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
    ],
)
def test_colours_on_a_terminal(
    scanned: Path, args: tuple[str, ...], env: dict[str, str], colored: bool
) -> None:
    import os
    import pty

    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [PAGEKIN, "show", scanned, "sites", *args], stdout=terminal, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL, env=environment() | {"TERM": "xterm", **env},
    )  # fmt: skip
    os.close(terminal)
    said = b""
    try:
        while piece := os.read(master, 65536):
            said += piece
    except OSError:  # Linux says so when the other side is closed
        pass
    os.close(master)
    assert process.wait(60) == 0
    assert (b"\x1b[" in said) == colored


def test_show_says_when_a_scan_did_not_end_well(tmp_path: Path) -> None:
    (tmp_path / "junk.warc").write_bytes(b"no record")
    message = one_line(run("scan", tmp_path / "junk.warc", "-o", tmp_path / "run", code=1))
    assert message.startswith("pagekin: found no page in 1 input: ")
    assert "this scan failed: found no page in 1 input" in run("show", tmp_path / "run").stderr


def test_check_of_many_pages_says_whose_copies_they_are(scanned: Path, small_web: Path) -> None:
    done = run("check", scanned, small_web, "--duplicates", "--format", "jsonl")
    answers = {one["url"]: one["text"] for one in map(json.loads, done.stdout.splitlines())}
    text = run("check", scanned, small_web, "--duplicates", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert any(row["copy_of"] for row in rows)
    for row in rows:
        exact, near = answers[row["url"]]["exact"], answers[row["url"]]["near"]
        assert (int(row["copies"]), int(row["near"])) == (len(exact), len(near))
        assert row["copy_of"] == next((one["url"] for one in (*exact, *near)), "")
