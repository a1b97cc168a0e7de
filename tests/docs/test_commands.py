"""Every command and every piece of Python in the documentation is run, where the files it names are."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, redirect_stdout
from pathlib import Path

import httpx
import pyarrow.parquet as pq
import pytest
import zstandard
from docs.blocks import FILES, ROOT, Block, blocks, prose

import pagekin
from pagekin.cli.main import main
from pagekin.query.digests import HEADER, digest_line
from pagekin.readers import read_pages
from pagekin.synth import write_web
from pagekin.synth.cms_site import CmsSite
from pagekin.synth.serve import served

SHELL = [block for block in blocks("sh", "bash", "console", "shell") if block.tested]
PYTHON = [block for block in blocks("python") if block.tested]
REFERENCE = ROOT / "docs" / "reference"
EXAMPLES = [block for block in SHELL if block.file.parent == REFERENCE]
STORIES = sorted({block.file for block in (*SHELL, *PYTHON) if block.file.parent != REFERENCE})

MADE = re.compile(r"(?:-o|--output|--plot|--evidence|--export|(?<!>)>) (\S+)")
SCANNED = re.compile(r'scan\(.*?, "([^"]+)"')
"""What a command, or a piece of Python, makes."""

SITE: list[str] = []
OPERATORS = {"|", "||", "&&", ";", ">", "<", ">>"}
MANIFEST = "path,url,date\nindex.html,https://www.example.org/,2024-05-01T12:00:00Z\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every file that the documentation names: crawls in all formats, and a run."""
    folder = tmp_path_factory.mktemp("files")
    write_web(folder / "crawl.warc.gz", pages=300, seed=1)
    for name in ("segments", "more", "site/about"):
        (folder / name).mkdir(parents=True)
    for number, name in enumerate(("segments/1.warc.gz", "segments/2.warc.gz", "more/3.warc.gz")):
        write_web(folder / name, pages=5, seed=number).truth.unlink()  # no crawl, but Parquet
    (folder / "site/manifest.csv").write_text(MANIFEST)
    for name in ("site/index.html", "site/about/team.html"):
        (folder / name).write_text("<title>A page</title><p>of a few words")
    with zipfile.ZipFile(folder / "site.zip", "w") as archive:
        for name in ("manifest.csv", "index.html", "about/team.html"):
            archive.write(folder / "site" / name, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)  # `run` must have been made by the path that --resume will name
        pagekin.scan("crawl.warc.gz", "run")
        keep_grams = pagekin.Params().replace("quilts", keep_grams=True)
        pagekin.scan("crawl.warc.gz", "indexed", only=["quilts"], params=keep_grams)
    for name, page in zip(("a.html", "b.html"), read_pages(folder / "crawl.warc.gz"), strict=False):
        (folder / name).write_bytes(page.html or b"")
    chosen = pagekin.Run(folder / "run").table("pages", ["url", "input", "offset"]).slice(5, 20)
    selection = chosen.rename_columns(["url", "filename", "offset"])
    pq.write_table(selection, folder / "selection.parquet")
    (folder / "selection.cdxj").write_text("".join(f"{json.dumps(row)}\n" for row in selection.to_pylist()))
    texts = pagekin.Run(folder / "run").table("texts", ["url", "text"]).slice(0, 20)
    pq.write_table(texts, folder / "pages.parquet")
    lines = texts.to_pandas().to_json(orient="records", lines=True, force_ascii=False).encode()
    (folder / "pages.jsonl").write_bytes(lines)
    (folder / "pages.jsonl.zst").write_bytes(zstandard.compress(lines))
    ranked = [{"query": "q", "rank": rank, **row} for rank, row in enumerate(texts.to_pylist(), 1)]
    (folder / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ranked))
    trec = [f"1 Q0 {row['url']} {row['rank']} 0 tag\n" for row in ranked]
    (folder / "run.trec").write_text("".join(trec))
    known = [digest_line(pagekin.ssdeep(row["text"]), row["url"]) for row in ranked]
    (folder / "known.ssdeep").write_text("\n".join([HEADER, *known]))
    export = "from pagekin.cli.main import main; main()", "verdicts", "run", "--export", "verdicts.csv"
    subprocess.run([sys.executable, "-c", *export], cwd=folder, check=True)
    toml = next(block.text for block in blocks("toml"))
    (folder / "params.toml").write_text(toml)
    return folder


@pytest.fixture(scope="module", autouse=True)
def example_org() -> Iterator[None]:
    """A site on loopback, which stands for www.example.org in commands that crawl."""
    with served(CmsSite("printer", 1, 12)) as server:
        SITE.append(server.url)
        yield


@pytest.fixture
def fresh(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them, to work in."""
    folder = tmp_path / "work"
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # where completion is installed
    (tmp_path / "home").mkdir()
    # `pagekin` in a pipe is the one of this Python.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return folder


def run_line(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a command: in this process if it is pagekin alone, which spares its start, else in a shell."""
    # A large web is made like a small one.
    line = re.sub(r"--pages \d{4,}", "--pages 300", line)
    line = re.sub(r"^pagekin (demo|synth)(?!.*--pages)", r"pagekin \1 --pages 300", line)
    if "--engine spark" in line:
        line = "command " + line  # a Spark session in this process would stay for the other tests
    if line.startswith("pagekin crawl"):
        # To loopback, never to the network. What runs beneath a crawl cannot be started twice in a process.
        line = "command " + line.replace("https://www.example.org/", SITE[-1]) + " --delay 0"
    words = shlex.split(line, comments=True)
    if line.startswith("pagekin serve"):
        served_briefly(words)
        return
    with ExitStack() as stack:
        if len(words) > 2 and words[-2] == ">":
            stack.enter_context(redirect_stdout(stack.enter_context(Path(words[-1]).open("w"))))
            del words[-2:]
        if words[0] != "pagekin" or OPERATORS.intersection(words):
            subprocess.run(["bash", "-euo", "pipefail", "-c", line], check=True, timeout=300)
            return
        monkeypatch.setattr(sys, "argv", words)
        end = stack.enter_context(pytest.raises(SystemExit))
        main()
    assert end.value.code == 0, line


def served_briefly(words: list[str]) -> None:
    """Starts the app as documented, but on a free port, looks at it, and ends it."""
    code = "from pagekin.cli.main import main; main()"
    command = [sys.executable, "-c", code, *words[1:], "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            url = next(found[1] for said in server.stderr if (found := re.search(r"app: (\S+)", said)))
            for _ in range(100):
                try:
                    assert httpx.get(url, timeout=60, follow_redirects=True).status_code in (200, 401)
                    break
                except httpx.TransportError:
                    time.sleep(0.1)
        finally:
            server.terminate()


@pytest.mark.parametrize("block", EXAMPLES, ids=lambda block: block.name)
def test_examples(block: Block, files: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the reference each line is an example of its own."""
    for line in block.lines:
        for made in MADE.findall(line):
            remove(fresh / made)
        run_line(line, monkeypatch)
        shutil.rmtree(fresh)
        shutil.copytree(files, fresh)
        os.chdir(fresh)


@pytest.mark.parametrize("file", STORIES, ids=lambda file: str(file.relative_to(ROOT)))
def test_page_from_top_to_bottom(file: Path, fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, one after the other in one folder, as a reader would type them.

    At first the folder holds what the documentation names, but for what the page itself makes.
    """
    mine = [block for block in (*SHELL, *PYTHON) if block.file == file]
    mine.sort(key=lambda block: block.line)
    text = "".join(block.text for block in mine)
    for made in (*MADE.findall(text), *SCANNED.findall(text)):
        first = re.search(rf"(?<![\w.-]){re.escape(made.rstrip('/'))}(?![\w.-])", text)
        assert first is not None
        line = text[text.rfind("\n", 0, first.start()) + 1 :].split("\n", 1)[0]
        if made in (*MADE.findall(line), *SCANNED.findall(line)) and "--resume" not in line:
            remove(fresh / made)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in mine:
        if block.language != "python":
            for line in block.lines:
                run_line(line, monkeypatch)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a reader's Python shows none of other packages' warnings
            exec(compile(block.text, block.name, "exec"), names)


def remove(path: Path) -> None:
    """Removes a file or folder, and what `synth` writes beside a made-up web."""
    if path.name.endswith(".warc.gz"):
        path.with_name(path.name.replace(".warc.gz", ".truth.parquet")).unlink(missing_ok=True)
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def test_there_is_something_to_run() -> None:
    assert len(SHELL) > 10
    assert len(STORIES) > 20


def test_only_what_cannot_run_is_left_out() -> None:
    for block in blocks("sh", "bash", "console", "shell", "python"):
        assert block.marks in ("", "no-test"), f"{block.name}: unknown mark {block.marks!r}"
        if block.tested:
            continue
        if block.language == "python":
            assert "SparkEngine" in block.text, f"{block.name} can be run"
        for line in block.lines:
            assert not line.startswith("pagekin") or "--engine spark" in line, (
                f"{block.name} can be run: {line}"
            )


def test_blocks_are_marked_as_what_they_are() -> None:
    """A command in a block of another language, or of none, would go untested."""
    for file in FILES:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"^(```|~~~)\s*\n(?:.*\n)*?pagekin ", prose(text), re.MULTILINE), file
    for block in blocks("text"):
        usage = block.file.name == "commands.md"
        assert usage or not re.search(r"^\$? ?pagekin ", block.text, re.MULTILINE), (
            f"{block.name}: make it sh"
        )
