"""Folders as an enemy would lay them out: deep, full of links, closed."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import warcs

from pagekin.readers import Input, ReadParams, expand, read_input
from pagekin.readers import files as files_module


def read(folder: Path, follow_links: bool = False) -> list[tuple[str, str | None]]:
    params = ReadParams(follow_links=follow_links)
    rows = [
        row
        for source in expand([str(folder)], follow_links=follow_links)
        for row in read_input(source, params)
    ]
    return [(row.reason or row.url or "", row.detail) for row in rows]


def deep_folder(folder: Path, name: str, levels: int) -> None:
    """Folders in folders, the last of which holds a page."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    file = os.open("x.html", os.O_WRONLY | os.O_CREAT, dir_fd=here)
    os.write(file, warcs.html(1))
    os.close(file)
    os.close(here)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Removed by the system's command: pytest's own way is recursive, and fails."""
    made = Path(tempfile.mkdtemp(prefix="pagekin-deep-"))
    yield made
    subprocess.run(["rm", "-rf", str(made)], check=True)


def test_deeper_than_the_stack(folder: Path) -> None:
    deep_folder(folder, "d", 1500)
    (folder / "y.html").write_bytes(warcs.html(2))
    found = read(folder)
    assert len(found) == 2
    assert found[0][0].startswith("http://d/d/d/")


def test_deeper_than_paths_may_be_long(folder: Path) -> None:
    deep_folder(folder, "d" * 100, 60)
    (folder / "y.html").write_bytes(warcs.html(2))
    found = read(folder)
    assert found[0][1] is None
    assert [reason for reason, _ in found[1:]] == ["unreadable"]
    assert (found[1][1] or "").endswith("File name too long")


def test_links_that_lead_out_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "secret.html").write_bytes(warcs.html(9))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "z.html").write_bytes(warcs.html(8))
    (tmp_path / "other" / "z.warc").write_bytes(warcs.page(8))
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "a.html").write_bytes(warcs.html(1))
    (folder / "b.html").symlink_to("a.html")
    (folder / "c.html").symlink_to("../secret.html")
    (folder / "d").symlink_to("../other")
    (folder / "e.html").symlink_to("e.html")
    (folder / "f.warc").symlink_to("../other/z.warc")
    (folder / "g.html").symlink_to("nowhere")
    leads_out = "leads out of the folder; --follow-links reads it"
    assert read(folder) == [
        ("http://site/a.html", None),
        ("http://site/b.html", None),
        ("link", f"c.html: {leads_out}"),
        ("link", f"d: {leads_out}"),
        ("link", "e.html: leads nowhere: Too many levels of symbolic links"),
        ("link", f"f.warc: {leads_out}"),
        ("link", "g.html: leads nowhere: No such file or directory"),
    ]
    followed = [url for url, _ in read(folder, follow_links=True)]
    assert "http://site/c.html" in followed
    assert "http://d/z.html" in followed
    assert warcs.url(8) in followed
    assert followed.count("link") == 2


def test_only_links(tmp_path: Path) -> None:
    (tmp_path / "loop.html").symlink_to("loop.html")
    assert expand([str(tmp_path)]) == [Input(0, str(tmp_path), "left-out")]


@pytest.mark.parametrize("follow_links", [False, True])
def test_links_that_cross(tmp_path: Path, follow_links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty floors with two ways up each: a thousand million paths to a handful of folders."""
    outside = tmp_path / "outside"
    for floor in range(30):
        (outside / str(floor)).mkdir(parents=True)
        (outside / str(floor) / "x.html").write_bytes(warcs.html(floor))
        if floor:
            for name in "ab":
                (outside / str(floor - 1) / name).symlink_to(outside / str(floor))
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "in").symlink_to(outside / "0")
    (folder / "up").symlink_to(folder)
    opened = []
    scandir = os.scandir

    def counted(path: str) -> object:
        opened.append(path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", counted)
    listing = files_module.folder_files(str(folder), follow_links)
    assert len(opened) < 100
    assert len(listing.files) == (30 if follow_links else 0)


def test_a_folder_that_may_not_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "closed").mkdir()
    (tmp_path / "y.html").write_bytes(warcs.html(2))
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert read(tmp_path)[1:] == [("unreadable", "closed: Permission denied")]
