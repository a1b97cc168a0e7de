"""Killed at any file operation, a command leaves nothing that a second start cannot finish."""

from __future__ import annotations

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

PAGES = 60
Choice = Callable[[dict[str, list[str]]], list[Moment]]


@pytest.fixture(scope="session")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Killer:
    return Killer(tmp_path_factory.mktemp("killer"))


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "web.warc.gz"
    write_web(path, pages=PAGES, seed=5)
    return path


@pytest.fixture(scope="session")
def whole(web: Path) -> Path:
    """What a scan that nobody kills makes."""
    run("scan", web, "-o", web.with_name("whole"), "--threads", "2", "-q")
    return web.with_name("whole")


def kill_scans(killer: Killer, web: Path, whole: Path, moments: list[Moment], folder: Path) -> int:
    """Kills a scan at each moment and resumes it; how many were in time."""
    killed = 0
    for number, moment in enumerate(moments):
        target = folder / f"run{number}"
        args = ("scan", web, "-o", "FOLDER", "--threads", "2", "-q", "--resume")
        killed += killer.kill(moment, target, *args)
        run(*(target if arg == "FOLDER" else arg for arg in args))
        assert_same_run(target, whole)
        shutil.rmtree(target)
    return killed


def test_scans_killed_while_they_publish(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    found = killer.operations(tmp_path / "count", "scan", web, "-o", "FOLDER", "--threads", "2", "-q")
    assert len(found["steps"]) > 50
    assert kill_scans(killer, web, whole, sample(found, 4), tmp_path) >= 3


@pytest.mark.slow
def test_scans_killed_at_every_step(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    found = killer.operations(tmp_path / "count", "scan", web, "-o", "FOLDER", "--threads", "2", "-q")
    moments = every_step(found)
    assert kill_scans(killer, web, whole, moments, tmp_path) >= 0.9 * len(moments)


def test_a_kill_and_another_kill(killer: Killer, web: Path, whole: Path, tmp_path: Path) -> None:
    """What resumes is killed too, again and again."""
    args = ("scan", web, "-o", "FOLDER", "--threads", "2", "-q", "--resume")
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


def kill_crawls(killer: Killer, choose: Choice, folder: Path) -> int:
    killed = 0
    with small_site() as url:
        args = ("crawl", url, "-o", "FOLDER", "--delay", "0", "--saturation", "off", "-q", "--resume")
        found = killer.operations(folder / "count", *args)
        expected = stored_pages(folder / "count.steps")
        assert len(expected) == 13
        for number, moment in enumerate(choose(found)):
            target = folder / f"crawl{number}"
            killed += killer.kill(moment, target, *args)
            run(*(target if arg == "FOLDER" else arg for arg in args))
            assert stored_pages(target) == expected, moment
            shutil.rmtree(target)
    return killed


def test_crawls_killed_here_and_there(killer: Killer, tmp_path: Path) -> None:
    assert kill_crawls(killer, lambda found: sample(found, 2), tmp_path) >= 1


@pytest.mark.slow
def test_crawls_killed_at_every_step(killer: Killer, tmp_path: Path) -> None:
    assert kill_crawls(killer, every_step, tmp_path) > 10


WRITERS = {
    "report": ("report", "RUN", "--force", "-o", "FOLDER/out.html"),
    "synth": ("synth", "-o", "FOLDER/out.warc.gz", "--pages", "30", "--seed", "3", "--force"),
    "corpus": ("export", "RUN", "--force", "--clean", "-o", "FOLDER/out.jsonl"),
}


def kill_writers(
    killer: Killer,
    name: str,
    whole: Path,
    choose: Callable[[dict[str, list[str]]], list[Moment]],
    folder: Path,
) -> None:
    """Killed at any moment, a file is not there, or is what it would be."""

    def args(target: Path) -> list[str]:
        target.mkdir(exist_ok=True)
        return [part.replace("RUN", str(whole)).replace("FOLDER", str(target)) for part in WRITERS[name]]

    out = WRITERS[name][-1] if name != "synth" else WRITERS[name][2]
    suffix = out.removeprefix("FOLDER/")
    for kind in ("steps", "writes"):
        (folder / f"count.{kind}").mkdir()
    found = {}
    for kind in ("steps", "writes"):
        target = folder / f"count.{kind}"
        log = folder / f"{kind}.log"
        killer._run(Moment(kind, 0, "before"), target, tuple(args(target)), log)
        found[kind] = log.read_text().splitlines()
    expected = (folder / "count.steps" / suffix).read_bytes()
    for number, moment in enumerate(choose(found)):
        target = folder / f"{name}{number}"
        killer.kill(moment, target, *args(target))
        left = target / suffix
        assert not left.exists() or left.read_bytes() == expected, moment
        run(*args(target))
        assert left.read_bytes() == expected, moment


@pytest.mark.parametrize("name", WRITERS)
def test_files_are_whole_or_not_there(killer: Killer, name: str, whole: Path, tmp_path: Path) -> None:
    kill_writers(killer, name, whole, lambda found: sample(found, 2), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_files_are_whole_or_not_there_at_every_step(
    killer: Killer, name: str, whole: Path, tmp_path: Path
) -> None:
    kill_writers(killer, name, whole, every_step, tmp_path)
