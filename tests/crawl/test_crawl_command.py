"""`pagekin crawl` as a user meets it: on a terminal, as JSON lines, over several hosts, without its extra."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
from cli.command import PAGEKIN, environment, one_line, run

import pagekin
from pagekin.params import ReadParams
from pagekin.readers.base import Input
from pagekin.readers.warc import read_warc
from pagekin.synth.cms_site import CmsSite
from pagekin.synth.serve import served

SITE = CmsSite("printer", 1, 20)


def test_the_whole_way(tmp_path: Path) -> None:
    """Crawl, curve, plot, scan: the counts agree wherever they are told."""
    folder = tmp_path / "crawl"
    with served(SITE) as server:
        done = run(
            "crawl", server.url, "-o", folder, "--delay", "0", "--json", "--saturation", "advise",
            "--plot", tmp_path / "curve.svg",
        )  # fmt: skip
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert lines[-1]["crawl"] == str(folder)
    told = next(line for line in reversed(lines) if "fetched" in line)
    info = json.loads((folder / "crawl.json").read_bytes())
    assert info["reason"] == "finished"
    assert info["counts"]["unique"] == told["unique"] == len(SITE.uniques())
    assert info["counts"]["fetched"] == told["fetched"] == len(server.requests) == len(set(server.requests))
    curve = pq.read_table(folder / "curve.parquet").to_pylist()
    assert curve[-1]["unique"] == told["unique"]
    assert [row["fetched"] for row in curve] == list(range(1, told["fetched"] + 1))
    assert (tmp_path / "curve.svg").read_bytes().startswith(b"<svg")
    found = pagekin.scan(folder, tmp_path / "run", only=[])
    assert found.table("pages").num_rows == told["fetched"]


def test_requests_are_stored_with_what_was_asked(tmp_path: Path) -> None:
    with served(SITE) as server:
        run(
            "crawl",
            server.url,
            "-o",
            tmp_path / "crawl",
            "--delay",
            "0",
            "--max-pages",
            "1",
            "--user-agent",
            "me/1",
        )
    raw = subprocess.run(
        ["zcat", tmp_path / "crawl" / "crawl-00000.warc.gz"], capture_output=True, check=True
    )
    assert raw.stdout.count(b"WARC-Type: request") == raw.stdout.count(b"WARC-Type: response") >= 2
    assert b"User-Agent: me/1" in raw.stdout
    assert raw.stdout.count(b"WARC-IP-Address: 127.0.0.1") == 2 * raw.stdout.count(b"WARC-Type: response")
    reader = read_warc(Input(0, str(tmp_path / "crawl" / "crawl-00000.warc.gz"), "warc"), ReadParams())
    assert {record.reason for record in reader} <= {None, "not-a-page", "status"}


def test_max_pages_is_kept(tmp_path: Path) -> None:
    """What is on its way counts, and so does what was there before."""
    args = ["-o", str(tmp_path / "crawl"), "--delay", "0", "--saturation", "off"]
    with served(SITE) as server:
        run("crawl", server.url, *args, "--max-pages", "7")
        assert len(server.requests) == 7
        run("crawl", server.url, *args, "--max-pages", "7", "--resume")
        assert len(server.requests) == 7
        run("crawl", server.url, *args, "--max-pages", "12", "--resume")
        assert len(server.requests) == len(set(server.requests)) == 12
    info = json.loads((tmp_path / "crawl" / "crawl.json").read_bytes())
    assert (info["reason"], info["counts"]["fetched"]) == ("max_pages", 12)


def test_two_hosts_and_breadth_first(tmp_path: Path) -> None:
    other = CmsSite("clean", 2, 15)
    with served(SITE) as first, served(other) as second:
        run(
            "crawl",
            first.url,
            second.url,
            "-o",
            tmp_path / "crawl",
            "--delay",
            "0",
            "--order",
            "breadth-first",
        )
        assert {SITE.view(path).content for path in first.requests} >= SITE.uniques()
        assert len(second.requests) == len(other.uniques())


def test_terminal(tmp_path: Path) -> None:
    """The growth curve is drawn while the crawl runs, and wiped away at its end."""
    ours, theirs = pty.openpty()
    with served(CmsSite("printer", 1, 60)) as server:
        args = [PAGEKIN, "crawl", server.url, "-o", str(tmp_path / "crawl"), "--delay", "0"]
        env = environment() | {"COLUMNS": "80", "LINES": "40", "TERM": "xterm"}
        process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=env)
        os.close(theirs)
        shown = b""
        while True:
            try:
                piece = os.read(ours, 1 << 16)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        assert process.wait(timeout=60) == 0
    text = shown.decode("utf-8", "replace")
    assert any(0x2801 <= ord(character) <= 0x28FF for character in text)
    assert "exact duplicates" in text
    assert "crawl folder" in text


def test_without_the_extra(tmp_path: Path) -> None:
    (tmp_path / "scrapy.py").write_text("raise ImportError('not installed')")
    paths = f"{tmp_path}{os.pathsep}{environment()['PYTHONPATH']}"
    message = one_line(
        run("crawl", "http://127.0.0.1:9/", "-o", tmp_path / "crawl", code=2, env={"PYTHONPATH": paths})
    )
    assert "optional part `crawl`: pip install" in message
    assert not (tmp_path / "crawl").exists()
