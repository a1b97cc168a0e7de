"""Figures: the same bytes for the same figure, and nothing in them that a page could make run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pagekin.errors import UsageError
from pagekin.report.figures import svg, write_plot


def hostile(axes: Any) -> None:
    axes.plot([1, 2, 3], [3, 1, 2])
    axes.set_title("<script>alert(1)</script> $\\frac{1}{0}$ & more")


def test_svg_is_deterministic_and_inert() -> None:
    first = svg(hostile)
    assert first == svg(hostile)
    assert b"<script" not in first
    assert first.startswith(b"<?xml")


@pytest.mark.parametrize(("name", "magic"), [("a.png", b"\x89PNG"), ("a.SVG", b"<?xml")])
def test_write_plot(tmp_path: Path, name: str, magic: bytes) -> None:
    write_plot(tmp_path / "new" / name, hostile)
    assert (tmp_path / "new" / name).read_bytes().startswith(magic)


def test_unknown_format(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.png or \.svg"):
        write_plot(tmp_path / "a.gif", hostile)
