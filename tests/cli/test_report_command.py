"""`pagekin report`: one file, in which no page can do anything."""

from __future__ import annotations

import shutil
from html.parser import HTMLParser
from pathlib import Path

from cli.command import one_line, run

import pagekin

PICTURE = "data:image/svg+xml;base64,"
"""What a picture must be: part of the file."""


class Elements(HTMLParser):
    """The elements of a page, its text, and every attribute."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_report(scanned: Path, tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.html"
    done = run("report", scanned, "-o", path)
    assert done.stdout == f"{path}\n", "the result is the path"
    assert done.stderr == ""
    page = Elements(path.read_text(encoding="utf-8"))
    assert "Domains" in page.text
    assert "400" in page.text


def test_style_clusters(scanned: Path, tmp_path: Path) -> None:
    """The ranking and the graph of a sample; with --cluster, that cluster's members and a drawing."""
    path = tmp_path / "report.html"
    run("report", scanned, "-o", path)
    plain = Elements(path.read_text(encoding="utf-8"))
    rows = pagekin.Run(scanned).table("style_clusters").to_pylist()
    assert "Style clusters" in plain.text
    assert all(row["centroid_url"] in plain.text for row in rows[:20])
    assert "Style cluster 2" not in plain.text
    pictures = [name for name, _ in plain.attributes].count("src")
    assert pictures >= 1
    run("report", scanned, "-o", path, "--cluster", "2", "--cluster", str(len(rows)))
    page = Elements(path.read_text(encoding="utf-8"))
    assert "Style cluster 2" in page.text
    members = pagekin.Run(scanned).table("style_members").to_pylist()
    assert next(row["url"] for row in members if row["rank"] == 2) in page.text
    assert [name for name, _ in page.attributes].count("src") == pictures + 2
    again = tmp_path / "again.html"
    run("report", scanned, "-o", again, "--cluster", "2", "--cluster", str(len(rows)))
    assert again.read_bytes() == path.read_bytes(), "the same run is drawn the same"


def test_unknown_cluster(scanned: Path, hostile: Path, tmp_path: Path) -> None:
    for folder, rank in ((scanned, "0"), (scanned, "100000"), (hostile, "1")):
        message = one_line(run("report", folder, "-o", tmp_path / "x.html", "--cluster", rank, code=2))
        assert f"no style cluster of rank {rank}" in message
    assert not (tmp_path / "x.html").exists()


def test_report_needs_nothing_else(scanned: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run("report", scanned, "-o", path)
    html = path.read_text(encoding="utf-8")
    page = Elements(html)
    assert "script" not in page.names
    assert not page.names & {"link", "iframe", "object", "embed", "form", "base"}
    assert "default-src 'none'" in html
    assert all(not name.startswith("on") for name, _ in page.attributes)
    assert all((value or "").startswith("#") for name, value in page.attributes if name == "href")
    assert all((value or "").startswith(PICTURE) for name, value in page.attributes if name == "src")
    assert "url(" not in html
    assert "@import" not in html


def test_hostile_pages_do_nothing(hostile: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run("report", hostile, "-o", path)
    html = path.read_text(encoding="utf-8")
    page = Elements(html)
    assert not page.names & {"script", "b"}
    assert all((value or "").startswith(PICTURE) for name, value in page.attributes if name == "src")
    assert "<script" not in html.lower()
    assert "\x1b" not in html
    assert hostile.name in page.text, "the run's name is shown, and only that"
    assert "a\"'&b" in page.text


def test_default_place_and_again(hostile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(hostile, folder)
    for _ in range(2):
        assert run("report", folder).stdout == f"{folder / 'report.html'}\n"
    assert [path.name for path in folder.iterdir() if "report" in path.name] == ["report.html"]
    run("show", folder, "pages")


def test_where_it_cannot_go(scanned: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "file" / "report.html", tmp_path / "folder", Path("/proc/nosuch/report.html")):
        message = one_line(run("report", scanned, "-o", place, code=1))
        assert str(place) in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"], "nothing half-written"


def test_runs_it_cannot_read(scanned: Path, tmp_path: Path) -> None:
    one_line(run("report", tmp_path / "nosuch", code=1))
    one_line(run("report", tmp_path, code=1))
    folder = tmp_path / "run"
    shutil.copytree(scanned, folder)
    next((folder / "pages.parquet").iterdir()).write_bytes(b"PAR1")
    one_line(run("report", folder, code=1))


def test_unfinished_run(small_web: Path, tmp_path: Path) -> None:
    """A run that was stopped has no counts yet."""
    from pagekin.params import Params
    from pagekin.readers import expand
    from pagekin.run import Identity, Run

    with Run.create(tmp_path / "run", Identity.of(expand([str(small_web)]), Params()), resume=False):
        pass
    assert "not finished" in one_line(run("report", tmp_path / "run", code=1))
    assert run("show", tmp_path / "run").stderr == ""
    assert "not finished" in one_line(run("show", tmp_path / "run", "pages", code=1))
