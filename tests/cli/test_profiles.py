"""`--profile`, alone, with a parameter file and with flags."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.command import run

from pagekin.params import Params


def recorded(folder: Path, *options: str) -> dict[str, Any]:
    """The parameters in run.json of a scan with these options."""
    (folder / "crawl.jsonl").write_text(json.dumps({"url": "http://a.example/", "text": "one two"}))
    run("scan", folder / "crawl.jsonl", "-o", folder / "run", "--only", "", *options)
    info = json.loads((folder / "run" / "run.json").read_text())
    params: dict[str, Any] = info["params"]
    return params


def test_no_profile_is_the_default(tmp_path: Path) -> None:
    assert recorded(tmp_path) == Params().to_dict()


@pytest.mark.parametrize("given", ["option", "file"])
def test_the_papers(tmp_path: Path, given: str) -> None:
    (tmp_path / "params.toml").write_text('profile = "paper"\n')
    options = {"option": ("--profile", "paper"), "file": ("--params", str(tmp_path / "params.toml"))}
    found = recorded(tmp_path, *options[given])
    assert found["profile"] == "paper"
    assert found == Params.of("paper").to_dict()


def test_the_option_counts_more_than_the_file(tmp_path: Path) -> None:
    (tmp_path / "params.toml").write_text('profile = "default"\n[quilts]\nc = 3\n')
    found = recorded(tmp_path, "--params", str(tmp_path / "params.toml"), "--profile", "paper")
    assert found == Params.of("paper").replace("quilts", c=3).to_dict()


def test_what_the_papers_turn_on_can_be_turned_off(tmp_path: Path) -> None:
    found = recorded(tmp_path, "--profile", "paper", "--no-keep-duplicates", "--style-t", "40")
    expected = Params.of("paper").replace("quilts", keep_duplicates=False).replace("style", t=40)
    assert found == expected.to_dict()


def test_within_site(tmp_path: Path) -> None:
    """Thresholds go with the dimensions, and are not given twice."""
    assert recorded(tmp_path, "--within-site") == Params().replace("style", t=114, structure_t=95).to_dict()
    assert "--style-t114,--style-structure-t95" in "".join(run("scan", "--help").stdout.split())
    (tmp_path / "half").mkdir()
    expected = Params().replace("style", m=64, t=57, structure_t=48)
    assert recorded(tmp_path / "half", "--within-site", "--style-m", "64") == expected.to_dict()
    done = run(
        *("scan", tmp_path / "crawl.jsonl", "-o", tmp_path / "both", "--within-site", "--style-t", "60"),
        code=2,
    )
    assert "give it, or them" in done.stderr
    assert not (tmp_path / "both").exists()
