"""Runs to look at: a made-up web, and one of enemies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, browser
from playwright.sync_api import Browser
from web.hostile import write_hostile
from web.serving import Served, served

import pagekin
from pagekin.web.server import prepare


@pytest.fixture(scope="session")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A scanned web with quilts, templates, copies and farms; its index is built."""
    from pagekin.synth import write_web

    folder = tmp_path_factory.mktemp("app")
    write_web(folder / "web.warc.gz", pages=900, seed=1)
    params = pagekin.Params().replace("quilts", c=3, keep_grams=True)
    run = pagekin.scan(folder / "web.warc.gz", folder / "run", params=params)
    prepare(run, None, lambda _: None)
    return folder / "run"


@pytest.fixture
def run_folder(made_run: Path, tmp_path: Path) -> Path:
    """A copy of it, to judge in."""
    return Path(shutil.copytree(made_run, tmp_path / "run"))


@pytest.fixture
def app(run_folder: Path) -> Iterator[Served]:
    """The app over that copy."""
    with served(run_folder, judge="ann") as running:
        yield running


@pytest.fixture(scope="session")
def looked_at(made_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app over a run in which something was judged, for tests that only look."""
    folder = Path(shutil.copytree(made_run, tmp_path_factory.mktemp("looked") / "run"))
    with served(folder, judge="ann") as running:
        yield running


@pytest.fixture(scope="session")
def enemies(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The app over hostile pages."""
    folder = tmp_path_factory.mktemp("enemies")
    write_hostile(folder / "pages.jsonl")
    pagekin.scan(folder / "pages.jsonl", folder / "run", params=pagekin.Params().replace("quilts", c=2))
    with served(folder / "run", judge="ann") as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """One browser for all tests."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; see tools/system")
    with browser() as opened:
        yield opened
