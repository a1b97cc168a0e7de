"""`pagekin synth` and `pagekin demo`."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow.parquet as pq
from cli.command import one_line, run

import pagekin


def sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_synth_is_deterministic_by_seed(tmp_path: Path) -> None:
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        folder = tmp_path / name
        folder.mkdir()
        done = run("synth", "-o", folder / "web.warc", "--pages", "60", "--seed", seed)
        assert done.stdout == ""
        assert "60 pages" in done.stderr
        assert sorted(path.name for path in folder.iterdir()) == ["web.truth.parquet", "web.warc"]
    assert sha(tmp_path / "a" / "web.warc") == sha(tmp_path / "b" / "web.warc")
    assert sha(tmp_path / "a" / "web.warc") != sha(tmp_path / "c" / "web.warc")


def test_synth_truth_is_about_its_pages(tmp_path: Path) -> None:
    run("synth", "-o", tmp_path / "web.warc.gz", "--pages", "80")
    run("scan", tmp_path / "web.warc.gz", "-o", tmp_path / "run")
    truth = pq.read_table(tmp_path / "web.truth.parquet")
    pages = pagekin.Run(tmp_path / "run").table("pages")
    assert truth["url"].to_pylist() == pages["url"].to_pylist()


def test_synth_where_it_cannot_write(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.warc").mkdir()
    for place in (tmp_path / "file" / "web.warc", tmp_path / "folder.warc", Path("/proc/nosuch/web.warc")):
        message = one_line(run("synth", "-o", place, "--pages", "5", code=1))
        assert str(place) in message
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.warc"], "nothing half-written"


def test_demo(tmp_path: Path) -> None:
    done = run("demo", "--pages", "60", cwd=tmp_path)
    folder = tmp_path / "pagekin-demo"
    assert "Pages by domain" in done.stdout
    assert ".example" in done.stdout
    assert f"report: {Path('pagekin-demo') / 'report.html'}" in done.stdout
    assert "60 pages" in done.stderr
    assert (folder / "report.html").stat().st_size > 1000
    assert run("show", folder / "run").stdout
    # Again: the earlier demo makes room.
    run("demo", "--pages", "40", "--quiet", cwd=tmp_path)
    assert pagekin.Run(folder / "run").info["counts"]["pages"] == 40


def test_demo_removes_nothing_but_demos(tmp_path: Path) -> None:
    """A folder with a made-up web and other things in it is not an earlier demo."""
    run("synth", "-o", tmp_path / "web.warc.gz", "--pages", "5")
    (tmp_path / "thesis.tex").write_text("years of work")
    one_line(run("demo", "--pages", "5", "-o", tmp_path, code=1))
    assert (tmp_path / "thesis.tex").exists()
    assert (tmp_path / "web.warc.gz").exists()


def test_demo_where_it_cannot_go(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    one_line(run("demo", "--pages", "5", "-o", tmp_path / "file", code=1))
    one_line(run("demo", "--pages", "5", "-o", tmp_path / "file" / "below", code=1))


def test_the_demo_leaves_nothing_untracked() -> None:
    """What `make demo` writes into a checkout is ignored there."""
    from pagekin.cli.demo import demo

    (output,) = (option.default for option in demo.params if option.name == "output")
    ignored = (Path(pagekin.__file__).parents[2] / ".gitignore").read_text().splitlines()
    assert f"/{output}/" in ignored
