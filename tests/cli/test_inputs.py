"""What `scan` is given to read: good, missing, unreadable, empty."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import warcs
from cli.command import one_line, run, tables

import pagekin


def test_folder_of_html(tmp_path: Path) -> None:
    for name in ("a.example/index.html", "a.example/deep/er/page.htm", "b.example/x.html"):
        path = tmp_path / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<title>{name}</title><p>some words")
    (tmp_path / "pages" / "a.example" / "logo.png").write_bytes(b"\x89PNG")
    run("scan", tmp_path / "pages", "-o", tmp_path / "run")
    found = tables(tmp_path / "run")
    assert found["pages"]["url"].to_pylist() == [
        "http://a.example/deep/er/page.htm",
        "http://a.example/index.html",
        "http://b.example/x.html",
    ]
    assert found["skipped"]["reason"].to_pylist() == ["not-html"]


def test_standard_input(small_web: Path, tmp_path: Path) -> None:
    run("scan", "-", "-o", tmp_path / "run", stdin=small_web.read_bytes())
    run("scan", small_web, "-o", tmp_path / "file")
    piped, read = tables(tmp_path / "run"), tables(tmp_path / "file")
    assert piped["texts"].equals(read["texts"])


def test_several_inputs_and_a_glob(tmp_path: Path) -> None:
    for number in (3, 1, 2):
        warcs.write(tmp_path, f"{number}.warc.gz", [warcs.page(number)])
    (tmp_path / "0.jsonl").write_text('{"url": "http://t.example/", "text": "only text"}\n')
    run("scan", tmp_path / "0.jsonl", f"{tmp_path}/*.warc.gz", "-o", tmp_path / "run")
    found = tables(tmp_path / "run")["pages"]
    assert [page >> 40 for page in found["page"].to_pylist()] == [0, 1, 2, 3]
    assert found["url"].to_pylist()[1:] == [warcs.url(1), warcs.url(2), warcs.url(3)], "in byte order"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("nosuch.warc.gz", "no such file"),
        ("nosuch*.warc.gz", "matches nothing"),
        ("file.txt/below.warc", "no such file"),
        ("dangling.warc", "no such file"),
        ("empty-folder", "no file that pagekin reads"),
        ("text-folder", "no file that pagekin reads"),
        ("empty.bin", "empty"),
        ("file.txt", "not a format"),
        ("/proc/self/mem", "cannot be read"),
        ("nosuchscheme://host/x.warc", "nosuchscheme"),
        ("", "o such file"),
        ("a\tb", "no such file"),
    ],
)
def test_inputs_that_are_none(tmp_path: Path, name: str, hint: str) -> None:
    """Said at once, in one line, before anything is written."""
    (tmp_path / "empty-folder").mkdir()
    (tmp_path / "text-folder").mkdir()
    (tmp_path / "text-folder" / "notes.txt").write_text("nothing")
    (tmp_path / "file.txt").write_text("just text")
    (tmp_path / "empty.bin").touch()
    (tmp_path / "dangling.warc").symlink_to(tmp_path / "nowhere")
    message = one_line(run("scan", name, "-o", "run", code=1, cwd=tmp_path))
    assert hint in message
    assert not (tmp_path / "run").exists()


def test_file_that_fails_while_it_is_read(tmp_path: Path) -> None:
    """Its name is right and it can be opened, but not read."""
    (tmp_path / "bad.warc").symlink_to("/proc/self/mem")
    message = run("scan", tmp_path / "bad.warc", "-o", tmp_path / "alone", code=1).stderr
    assert "found no page" in message
    assert "cannot be read" in message
    good = warcs.write(tmp_path, "good.warc", [warcs.page(1)])
    done = run("scan", tmp_path / "bad.warc", good, "-o", tmp_path / "both", code=3)
    assert "[unreadable]" in done.stderr
    assert tables(tmp_path / "both")["pages"].num_rows == 1


@pytest.mark.parametrize(
    ("name", "content", "reasons"),
    [
        ("empty.warc", b"", "it is empty"),
        ("only.warc", warcs.warcinfo() + warcs.request(), "a record that holds no page"),
        (
            "images.warc",
            warcs.record("response", warcs.http(content_type="image/png")),
            "the content is not HTML (1 record)",
        ),
        ("errors.warc", warcs.record("response", warcs.http(status=404)), "status is not 200 (1 record)"),
        ("noise.warc", os.urandom(3000), "bytes between records"),
        ("noise.warc.gz", os.urandom(3000), ""),
        ("noise.jsonl", b"\n".join([b"what", b"[]", b"{}", b"\xff\xfe", b"1"]) + b"\n", "JSON"),
        ("noise.parquet", os.urandom(3000), ""),
        ("noise.zip", os.urandom(3000), ""),
    ],
)
def test_run_without_a_page_fails_and_says_why(
    tmp_path: Path, name: str, content: bytes, reasons: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = run("scan", tmp_path / name, "-o", tmp_path / "run", "--quiet", code=1)
    message = one_line(done)
    assert "found no page" in message
    assert reasons in message
    assert pagekin.Run(tmp_path / "run").info["state"] == "failed"


def test_keep_errors(tmp_path: Path) -> None:
    path = warcs.write(
        tmp_path,
        "crawl.warc",
        [warcs.page(1), warcs.record("response", warcs.http(status=404), warcs.url(2))],
    )
    run("scan", path, "-o", tmp_path / "run", "--keep-errors")
    assert tables(tmp_path / "run")["pages"]["status"].to_pylist() == [200, 404]


def test_only(small_web: Path, tmp_path: Path) -> None:
    message = one_line(run("scan", small_web, "-o", tmp_path / "run", "--only", "nonsense", code=2))
    assert "nonsense" in message
    assert not (tmp_path / "run").exists()
    run("scan", small_web, "-o", tmp_path / "run", "--only", "")
    assert {"pages", "texts", "links", "sketches", "skipped"} <= tables(tmp_path / "run").keys()


@pytest.mark.parametrize(
    ("toml", "hint"),
    [
        ("[read]\nnosuch = 1", "read.nosuch"),
        ("[read]\nkeep_errors = 1", "read.keep_errors must be bool"),
        ("[read\n", "not a TOML file"),
        (None, "cannot read the parameter file"),
    ],
)
def test_wrong_parameter_files(tmp_path: Path, toml: str | None, hint: str) -> None:
    """More of them in unit/test_params.py."""
    warcs.write(tmp_path, "crawl.warc", [warcs.page(1)])
    if toml is not None:
        (tmp_path / "params.toml").write_text(toml, encoding="latin-1")
    done = run("scan", "crawl.warc", "-o", "run", "--params", "params.toml", code=2, cwd=tmp_path)
    assert hint in one_line(done)
    assert not (tmp_path / "run").exists()


def test_parameter_file_and_flags(tmp_path: Path) -> None:
    """A flag goes before the file; both are recorded."""
    warcs.write(tmp_path, "crawl.warc", [warcs.page(1), warcs.page(2, size=5000)])
    (tmp_path / "params.toml").write_text("[read]\nkeep_errors = true\nmax_page_bytes = 5\n")
    done = run(
        "scan", "crawl.warc", "-o", "run", "--params", "params.toml", "--max-page", "1kB", cwd=tmp_path
    )  # fmt: skip
    assert "[too-large]" in done.stderr
    info = pagekin.Run(tmp_path / "run").info
    assert info["params"]["read"].items() >= {"keep_errors": True, "max_page_bytes": 1000}.items()
    assert info["skipped"] == {"too-large": 1}
