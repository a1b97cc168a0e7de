"""Killed at any file operation, a command leaves nothing that a second start cannot finish."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli.command import assert_same_run, run
from crawl.hostile import Answers, answer, hostile_server, page
from faults.killer import Killer, Moment, every_step, sample

import pagekin
from pagekin.synth import write_web
from pagekin.verdicts.store import Store

PAGES = 60
Choice = Callable[[dict[str, list[str]]], list[Moment]]


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    made = Killer(tmp_path_factory.mktemp("killer"))
    yield made
    made.close()
    print(f"{made.kills} kills")


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "web.warc.gz"
    write_web(path, pages=PAGES, seed=5)
    return path


@pytest.fixture(scope="module")
def whole(web: Path) -> Path:
    """What a scan that nobody kills makes."""
    run("scan", web, "-o", web.with_name("whole"), "--threads", "2", "-q")
    return web.with_name("whole")


SCAN = ("-o", "FOLDER", "--threads", "2", "-q", "--resume")


def kill_scans(killer: Killer, choose: Choice, folder: Path, whole: Path, *inputs: str | Path) -> None:
    """Kills a scan at each moment and resumes it: the same tables, and nothing left behind."""
    args = ("scan", *inputs, *SCAN)
    moments = choose(killer.operations(folder / "count", *args))
    killed = 0
    for number, moment in enumerate(moments):
        target = folder / f"run{number}"
        killed += killer.kill(moment, target, *args)
        killer.finish(target, *args)
        assert_same_run(target, whole)
        shutil.rmtree(target)
    # Threads do not write in the same order each time, so the last moments may not come.
    assert killed >= 0.75 * len(moments)


def test_scans_killed_while_they_publish(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    kill_scans(killer, lambda found: sample(found, 4), tmp_path, whole, web)


@pytest.mark.slow
def test_scans_killed_at_every_step(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    kill_scans(killer, every_step, tmp_path, whole, web)


@pytest.mark.slow
def test_scans_against_another_run(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    """What a scan reads of an earlier run stays as it is, whenever it is killed."""
    write_web(tmp_path / "new.warc.gz", pages=PAGES, seed=6)
    inputs = (tmp_path / "new.warc.gz", "--against", whole)
    run("scan", *inputs, "-o", tmp_path / "all", "--threads", "2", "-q")
    kill_scans(killer, every_step, tmp_path, tmp_path / "all", *inputs)


def test_a_kill_and_another_kill(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    """What resumes is killed too, again and again."""
    args = ("scan", web, *SCAN)
    target = tmp_path / "run"
    for at in (12, 30):
        killer.kill(Moment("steps", at, "after"), target, *args)
    run(*(target if arg == "FOLDER" else arg for arg in args))
    assert_same_run(target, whole)


@contextmanager
def small_site() -> Iterator[str]:
    links = [f"/page{number}" for number in range(12)]
    answers: Answers = {link: answer(page(f"words of {link} " * 9)) for link in links}
    with hostile_server(answers=answers | {"/": answer(page("home", *links))}) as server:
        yield server.url


def stored_pages(folder: Path) -> dict[str, bytes | None]:
    """The pages in a crawl's files, without the number of the port."""
    return {(record.url or "").split("/", 3)[3]: record.html for record in pagekin.read(folder)}


def kill_crawls(killer: Killer, choose: Choice, folder: Path) -> None:
    with small_site() as url:
        args = ("crawl", url, "-o", "FOLDER", "--delay", "0", "--saturation", "off", "-q", "--resume")
        moments = choose(killer.operations(folder / "count", *args))
        expected = stored_pages(folder / "count.steps")
        assert len(expected) == 13
        killed = 0
        for number, moment in enumerate(moments):
            target = folder / f"crawl{number}"
            killed += killer.kill(moment, target, *args)
            killer.finish(target, *args)
            assert stored_pages(target) == expected, moment
            shutil.rmtree(target)
    assert killed >= 0.5 * len(moments)


def test_crawls_killed_here_and_there(killer: Killer, tmp_path: Path) -> None:
    kill_crawls(killer, lambda found: sample(found, 2), tmp_path)


@pytest.mark.slow
def test_crawls_killed_at_every_step(killer: Killer, tmp_path: Path) -> None:
    kill_crawls(killer, every_step, tmp_path)


@pytest.fixture(scope="module")
def judged(whole: Path) -> Path:
    """The run with a verdict on each page."""
    folder = whole.with_name("judged")
    shutil.copytree(whole, folder)
    run("verdicts", folder, "--import", verdicts_of(folder, folder.with_name("verdicts.csv")))
    return folder


def verdicts_of(folder: Path, path: Path) -> Path:
    urls = pagekin.Run(folder).table("pages")["url"].to_pylist()
    path.write_text(
        "kind,label,url,at\n" + "".join(f"page,spam,{url},2024-05-06T07:08:09+00:00\n" for url in urls)
    )
    return path


WRITERS = {
    "report": ("report", "RUN", "--force", "-o", "FOLDER/out.html"),
    "figures": ("figures", "RUN", "--force", "-o", "FOLDER"),
    "synth": ("synth", "-o", "FOLDER/out.warc.gz", "--pages", "30", "--seed", "3", "--force"),
    "corpus": ("export", "RUN", "--force", "--clean", "-o", "FOLDER/out.jsonl"),
    "list": (
        "export",
        "RUN",
        "--force",
        "--blocklist",
        "--format",
        "urls",
        "--evidence",
        "FOLDER/e.jsonl",
        "-o",
        "FOLDER/out",
    ),
    "verdicts": ("verdicts", "RUN", "--force", "--export", "FOLDER/out.csv"),
}


def files_in(folder: Path) -> dict[str, bytes]:
    """What is there under its own name: what is half-written has another, which begins with a dot."""
    found = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        str(name): path.read_bytes()
        for name, path in found.items()
        if not any(part.startswith(".") for part in name.parts)
    }


def kill_writers(killer: Killer, name: str, judged: Path, choose: Choice, folder: Path) -> None:
    """Killed at any moment, a file is not there, or is what it would be."""
    args = [part.replace("RUN", str(judged)) for part in WRITERS[name]]
    empty = folder / "empty"
    empty.mkdir()
    moments = choose(killer.operations(empty, *args))
    expected = files_in(folder / "empty.steps")
    assert expected
    killed = 0
    for number, moment in enumerate(moments):
        target = folder / f"{name}{number}"
        target.mkdir()
        killed += killer.kill(moment, target, *args)
        assert files_in(target).items() <= expected.items(), moment
        killer.finish(target, *args)
        assert files_in(target) == expected, moment
        shutil.rmtree(target)
    assert killed >= 0.75 * len(moments)


@pytest.mark.parametrize("name", WRITERS)
def test_files_are_whole_or_not_there(killer: Killer, name: str, judged: Path, tmp_path: Path) -> None:
    kill_writers(killer, name, judged, lambda found: sample(found, 2), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_files_are_whole_or_not_there_at_every_step(
    killer: Killer, name: str, judged: Path, tmp_path: Path
) -> None:
    kill_writers(killer, name, judged, every_step, tmp_path)


RESULTS = "".join(
    json.dumps({"query": "q", "rank": rank, "url": f"http://r.example/{rank}", "text": "some words " * rank})
    + "\n"
    for rank in range(1, 20)
)
IN_RUNS = {
    "sweep": ("sweep", "FOLDER", "--k", "5", "--c", "2", "--m", "50", "--theta", "0.5"),
    "fuzzy-threshold": ("fuzzy-threshold", "FOLDER"),
    "audit": ("audit", "RESULTS", "--pages", "FOLDER", "-o", "FOLDER/out", "--force"),
    "check": ("check", "FOLDER", "WEB", "--format", "jsonl"),
}
"""Commands that leave something in the run folder: what a study measured, an index."""


def kill_in_runs(killer: Killer, name: str, web: Path, whole: Path, choose: Choice, folder: Path) -> None:
    """Killed at any moment, the run stays as it was, and a second start says and writes what a first does."""
    (folder / "results.jsonl").write_text(RESULTS)
    shutil.copytree(whole, folder / "run")
    places = {"RESULTS": str(folder / "results.jsonl"), "WEB": str(web)}
    args = [places.get(part, part) for part in IN_RUNS[name]]

    def said(target: Path) -> str:
        return killer.said().replace(str(target), "FOLDER")

    moments = choose(killer.operations(folder / "run", *args))
    expected, answer = files_in(folder / "run.steps"), said(folder / "run.writes")
    killed = 0
    for number, moment in enumerate(moments):
        target = folder / f"run{number}"
        shutil.copytree(whole, target)
        killed += killer.kill(moment, target, *args)
        assert files_in(target).items() <= expected.items(), moment
        killer.finish(target, *args)
        assert files_in(target) == expected, moment
        assert said(target) == answer, moment
        assert_same_run(target, whole)
        assert not list(target.glob(".index/.building*")), moment
        shutil.rmtree(target)
    assert killed >= 0.75 * len(moments)


@pytest.mark.parametrize("name", IN_RUNS)
def test_runs_are_what_they_were(killer: Killer, name: str, web: Path, whole: Path, tmp_path: Path) -> None:
    kill_in_runs(killer, name, web, whole, lambda found: sample(found, 2), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_RUNS)
def test_runs_are_what_they_were_at_every_step(
    killer: Killer, name: str, web: Path, whole: Path, tmp_path: Path
) -> None:
    kill_in_runs(killer, name, web, whole, every_step, tmp_path)


def kill_imports(killer: Killer, choose: Choice, whole: Path, folder: Path) -> None:
    """All verdicts of a file are there, or none; the index built on the way can be built again."""
    shutil.copytree(whole, folder / "run")
    args = ("verdicts", "FOLDER", "--import", verdicts_of(whole, folder / "verdicts.csv"))
    moments = choose(killer.operations(folder / "run", *args))
    expected = {row.url for row in Store(folder / "run.steps").rows()}
    assert len(expected) == pagekin.Run(whole).table("pages").num_rows
    killed = 0
    for number, moment in enumerate(moments):
        target = folder / f"run{number}"
        shutil.copytree(whole, target)
        killed += killer.kill(moment, target, *args)
        assert len(Store(target).rows()) in (0, len(expected)), moment
        killer.finish(target, *args)
        assert sorted(str(row.url) for row in Store(target).rows()) == sorted(map(str, expected)), moment
        assert_same_run(target, whole)
        shutil.rmtree(target)
    assert killed >= 0.75 * len(moments)


def test_verdicts_are_all_there_or_none(killer: Killer, whole: Path, tmp_path: Path) -> None:
    kill_imports(killer, lambda found: sample(found, 2), whole, tmp_path)


@pytest.mark.slow
def test_verdicts_are_all_there_or_none_at_every_step(killer: Killer, whole: Path, tmp_path: Path) -> None:
    kill_imports(killer, every_step, whole, tmp_path)
