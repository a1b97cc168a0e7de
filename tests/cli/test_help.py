"""Every command says what it does, with an example."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.command import run

import pagekin
from pagekin.cli.main import COMMANDS
from pagekin.pipeline import DETECTORS


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str) -> None:
    done = run(command, "--help")
    assert done.stderr == ""
    assert "Example" in done.stdout
    assert "\\b" not in done.stdout, "the mark that keeps lines apart is not for the eye"
    assert f"pagekin {command}" in done.stdout.split("Example", 1)[1]
    assert "--help" in done.stdout


def test_help_lists_commands_and_exit_codes() -> None:
    done = run("--help")
    assert done.stderr == ""
    for command, what in COMMANDS.items():
        assert f"{command} " in done.stdout
        assert what.split()[0] in done.stdout
    for code in ("0 done", "1 failed", "2 wrong usage", "3 finished", "130 interrupted"):
        assert code in " ".join(done.stdout.split())
    assert run("-h").stdout == done.stdout


def test_version() -> None:
    first, engines, extras, *_ = run("--version").stdout.splitlines()
    assert first == f"pagekin {pagekin.__version__}"
    assert engines == "engines: local, spark"
    assert {"crawl", "remote", "report", "spark"} <= set(extras.removeprefix("extras: ").split(", "))


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("nosuch",),
        ("scan",),
        ("scan", "x.warc"),
        ("scan", "x.warc", "-o", "run", "--threads", "0"),
        ("scan", "x.warc", "-o", "run", "--threads", "many"),
        ("scan", "x.warc", "-o", "run", "--threads", "1000000"),
        ("scan", "x.warc", "-o", "run", "--engine", "steam"),
        ("scan", "x.warc", "-o", "run", "--memory", "much"),
        ("scan", "x.warc", "-o", "run", "--max-page", "0"),
        ("scan", "x.warc", "-o", "run", "--max-page", "-1"),
        ("scan", "x.warc", "-o", "run", "--nosuch"),
        ("crawl",),
        ("crawl", "http://127.0.0.1:9/"),
        ("crawl", "http://127.0.0.1:9/", "-o", "c", "--scope", "planet"),
        ("crawl", "http://127.0.0.1:9/", "-o", "c", "--plot", "c.txt"),
        ("crawl", "mailto:x@y.example", "-o", "c"),
        ("show",),
        ("show", "run", "pages", "--format", "xml"),
        ("show", "run", "pages", "--top", "-1"),
        ("synth",),
        ("synth", "-o", "x.warc", "--pages", "0"),
        ("synth", "-o", "x.warc", "--seed", "x"),
        ("synth", "-o", "x.txt"),
        ("demo", "--pages", "0"),
        ("report",),
    ],
    ids=" ".join,
)
def test_wrong_usage(args: tuple[str, ...], tmp_path: Path) -> None:
    done = run(*args, code=2, cwd=tmp_path)
    assert done.stdout == ""
    assert done.stderr
    assert not list(tmp_path.iterdir())


def test_help_names_every_detector() -> None:
    said = " ".join(run("scan", "--help").stdout.split())
    assert f"separated by commas: {', '.join(DETECTORS)}, and" in said
