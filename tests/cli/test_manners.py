"""Manners on a terminal: suggestions, refusals, formats, and what to do next."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import warcs
from cli.command import PAGEKIN, check, environment, one_line, run, run_bytes

import pagekin


@pytest.fixture(scope="module")
def page(scanned: Path, small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of the run as a file: one of a template."""
    wanted = pagekin.Run(scanned).table("style_members")["url"][0].as_py()
    html = next(page.html for page in pagekin.read(small_web) if page.url == wanted)
    path = tmp_path_factory.mktemp("page") / "a.html"
    path.write_bytes(html or b"")
    return path


@pytest.fixture(scope="module")
def results(scanned: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = pagekin.Run(scanned).table("texts").to_pylist()[:8]
    path = tmp_path_factory.mktemp("results") / "results.jsonl"
    lines = [
        json.dumps({"query": "q", "rank": n, "url": row["url"], "text": row["text"]})
        for n, row in enumerate(texts, 1)
    ]
    path.write_text("\n".join(lines))
    return path


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


# Rows -------------------------------------------------------------------------------------------------


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
