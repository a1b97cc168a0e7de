"""`pagekin report`: one file, in which no page can do anything."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

from cli.command import one_line, run

import pagekin


class Elements(HTMLParser):
    """The elements of a page, its text, and every attribute."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_report(scanned: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    done = run("report", scanned, "-o", path)
    assert done.stdout == f"{path}\n", "the result is the path"
    assert done.stderr == ""
    page = Elements(path.read_text(encoding="utf-8"))
    assert "400 pages on " in page.text
    chapters = [
        "Style clusters", "Duplicates", "Quilts", "Phrases and sites", "Causes", "Growth", "What was read",
    ]  # fmt: skip
    places = [
        page.text.rindex(name, 0, page.text.index("reach more than one site", 3000)) for name in chapters
    ]
    assert places == sorted(places), "the story has an order"
    assert path.stat().st_size < 1_000_000


def test_style_clusters(scanned: Path, tmp_path: Path) -> None:
    """The ranking; with --cluster, that cluster's members and a drawing."""
    path = tmp_path / "report.html"
    run("report", scanned, "-o", path)
    plain = Elements(path.read_text(encoding="utf-8"))
    rows = pagekin.Run(scanned).table("style_clusters").to_pylist()
    whole = {value for name, value in plain.attributes if name == "data-copy"}
    assert whole >= {row["centroid_url"] for row in rows[:20]}
    assert "Style cluster 2" not in plain.text
    pictures = plain.names.count("figure")
    run("report", scanned, "-o", path, "--force", "--cluster", "2", "--cluster", str(len(rows)))
    page = Elements(path.read_text(encoding="utf-8"))
    assert "Style cluster 2" in page.text
    members = pagekin.Run(scanned).table("style_members").to_pylist()
    copied = {value for name, value in page.attributes if name == "data-copy"}
    assert next(row["url"] for row in members if row["rank"] == 2) in copied
    assert page.names.count("figure") == pictures + 2
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
    assert page.names.count("script") == 1
    assert not set(page.names) & {"link", "iframe", "object", "embed", "form", "base", "img"}
    (policy,) = [
        value or "" for name, value in page.attributes if name == "content" and "src" in (value or "")
    ]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert not {"style", "src"} & {name for name, _ in page.attributes}
    assert all(not name.startswith("on") for name, _ in page.attributes)
    assert all((value or "").startswith("#") for name, value in page.attributes if name == "href")
    # What a page's own markup says is text; the style sheet asks for nothing.
    (sheet,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert "url(" not in sheet
    assert "@import" not in sheet
    assert "@import" not in html


def test_hostile_pages_do_nothing(hostile: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    run("report", hostile, "-o", path)
    html = path.read_text(encoding="utf-8")
    page = Elements(html)
    assert page.names.count("script") == html.lower().count("<script") == 1
    assert not {"img", "src"} & {*page.names, *(name for name, _ in page.attributes)}
    assert "\x1b" not in html
    assert "\u202e" not in html
    assert str(hostile.parent) not in html, "where the run was kept is nobody else's business"


def test_default_place_and_again(hostile: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(hostile, folder)
    for flags in ((), ("--force",)):
        assert run("report", folder, *flags).stdout == f"{folder / 'report.html'}\n"
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
    assert run("show", tmp_path / "run").stderr == "pagekin: this scan is not finished; go on with --resume\n"
    assert "not finished" in one_line(run("show", tmp_path / "run", "pages", code=1))


def test_one_page_against_all(scanned: Path, tmp_path: Path) -> None:
    """The paper's Figure 4, of a page that one names."""
    url = pagekin.Run(scanned).table("style_members")["url"][0].as_py()
    run("report", scanned, "-o", tmp_path / "report.html", "--like", url)
    page = Elements((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "One page against all" in page.text
    assert "suggested threshold" in page.text
    message = one_line(
        run("report", scanned, "-o", tmp_path / "x.html", "--like", "http://no.example/", code=1)
    )
    assert "neither a page" in message
    assert not (tmp_path / "x.html").exists()


def test_figures(scanned: Path, tmp_path: Path) -> None:
    done = run("figures", scanned, "-o", tmp_path / "figures")
    names = sorted(Path(line).name for line in done.stdout.splitlines())
    assert names == sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert {"clusters-reach.svg", "clusters-reach.png", "clusters-reach.csv", "popular-phrases.csv"} <= {
        *names
    }
    one_line(run("figures", tmp_path / "nosuch", code=1))


def test_what_was_measured_is_in_the_report(scanned: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(scanned, folder)
    run("sweep", folder, "--k", "5", "--c", "2..4", "--m", "50", "--theta", "0.5", "--quiet")
    run("fuzzy-threshold", folder, "--pairs", "10")
    results = tmp_path / "results.jsonl"
    urls = pagekin.Run(folder).table("pages")["url"].to_pylist()[:5]
    results.write_text(
        "".join(f'{{"query": "q", "rank": {n}, "url": "{url}"}}\n' for n, url in enumerate(urls, 1))
    )
    run("audit", results, "--pages", folder)
    run("report", folder)
    page = Elements((folder / "report.html").read_text(encoding="utf-8"))
    for chapter in ("Quilts by parameters", "Digest scores", "Search results"):
        assert chapter in page.text
    shutil.rmtree(folder / "studies")
    run("report", folder, "--force")
    assert "Quilts by parameters" not in (folder / "report.html").read_text(encoding="utf-8")
