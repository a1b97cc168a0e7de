"""Figures as files: the same bytes for the same figure, nothing in them that a page could make run."""

from __future__ import annotations

import csv
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import pagekin
from pagekin.errors import MissingExtraError, UsageError
from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis
from pagekin.look.table import ShownColumn
from pagekin.report import figures
from pagekin.report.figures import tiled, write_figures, write_plot


def hostile(key: str = "f") -> Figure:
    chart = Chart(Axis("x", 0, 3), Axis("y", 0, 3))
    chart.line([(1, 3), (2, 1), (3, 2)])
    chart.points([Mark(1, 1, "<script>alert(1)</script> $\\frac{1}{0}$ & more")])
    title = "<script>alert(1)</script> $\\frac{1}{0}$ & more"
    return Figure(key, title, chart.svg(title), [ShownColumn("x", "count")], [[1], [2]])


@pytest.mark.parametrize(("name", "magic"), [("a.png", b"\x89PNG"), ("a.SVG", b"<svg")])
def test_write_plot(tmp_path: Path, name: str, magic: bytes) -> None:
    (tmp_path / "new").mkdir()
    write_plot(tmp_path / "new" / name, hostile())
    written = (tmp_path / "new" / name).read_bytes()
    assert written.startswith(magic)
    assert b"<script" not in written
    write_plot(tmp_path / "new" / name, hostile())
    assert (tmp_path / "new" / name).read_bytes() == written


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        write_plot(tmp_path / "a.gif", hostile())


def test_png_needs_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "can_png", lambda: False)
    with pytest.raises(MissingExtraError, match="report"):
        write_plot(tmp_path / "a.png", hostile())
    write_plot(tmp_path / "a.svg", hostile())


def test_tiles_stand_beside_each_other() -> None:
    made = tiled([hostile("a"), hostile("b"), hostile("c")], "all", "three")
    root = ET.fromstring(made.standalone())
    inner = [child for child in root if child.tag.endswith("svg")]
    assert [(child.get("x"), child.get("y")) for child in inner] == [("0", "0"), ("640", "0"), ("0", "350")]
    assert made.png().startswith(b"\x89PNG")


@pytest.mark.parametrize("png", [True, False])
def test_every_figure_of_a_run(
    small_web: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, png: bool
) -> None:
    run = pagekin.scan(small_web, tmp_path / "run")
    if not png:
        monkeypatch.setattr(figures, "can_png", lambda: False)
    files = write_figures(run, tmp_path / "figures", clusters=[1])
    assert sorted(files) == sorted((tmp_path / "figures").iterdir()), "no two have the same name"
    stems = {path.stem for path in files if path.suffix == ".svg"}
    assert len(stems) >= 15
    assert {path.stem for path in files if path.suffix == ".png"} == (stems if png else set())
    for stem in sorted(stems):
        ET.parse(tmp_path / "figures" / f"{stem}.svg")
        rows = list(csv.reader((tmp_path / "figures" / f"{stem}.csv").read_text().splitlines()))
        assert len(rows) > 1, stem
        assert len({len(row) for row in rows}) == 1
