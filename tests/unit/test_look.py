"""What the report and the review app draw with: true places, safe text, no styles a strict policy refuses."""

from __future__ import annotations

import csv
import io
import math
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.look.assets import asset, print_style, stylesheet, tokens
from pagekin.look.chart import Chart, Mark
from pagekin.look.drawings import barcode, bars, gauge
from pagekin.look.figure import Figure
from pagekin.look.graph import Graph, draw
from pagekin.look.markup import Html, join, tag, text
from pagekin.look.scales import Axis, log_bins, thinned
from pagekin.look.table import ShownColumn, ShownTable, as_csv
from pagekin.look.words import short_url

HOSTILE = (
    """</title><script>alert(1)</script>"onload='x' <svg/onload=alert(1)> $\\frac{1}{0}$ \x1b[31m \u202e"""
)

positive = st.floats(1e-6, 1e9)


def attributes(markup: str) -> set[str]:
    return {name.split("}")[-1] for element in ET.fromstring(markup).iter() for name in element.attrib}


def chart() -> Html:
    made = Chart(Axis.over(HOSTILE, [1, 500], log=True), Axis.over("y", [3]), legend=[HOSTILE, "b"])
    made.line([(1, 1), (0, 2), (500, 3)], step=True, dots=True)
    made.points([Mark(10, 2, HOSTILE, label=HOSTILE, inner=2, spread=5), Mark(0, 1)])
    made.columns([(1, 10, 2, HOSTILE), (10, 20, 0, "")])
    made.rule(HOSTILE, x=100)
    made.rule(HOSTILE, y=1)
    made.bands([(1, HOSTILE), (500, "")])
    return made.svg(HOSTILE)


def drawings() -> list[Html]:
    graph = Graph([HOSTILE, "b", "b"], [(0, 1)], centre=2)
    return [
        chart(),
        bars([(HOSTILE, 3, HOSTILE), ("none", 0, "")], HOSTILE),
        barcode(9, [(0, 4, 1, HOSTILE), (4, 9, 0, "")], HOSTILE),
        gauge(0.3),
        draw(graph, HOSTILE),
    ]


@pytest.mark.parametrize("number", range(5))
def test_nothing_in_a_drawing_runs_or_needs_a_style(number: int) -> None:
    markup = drawings()[number]
    assert markup == drawings()[number], "the same is drawn the same"
    names = {element.tag for element in ET.fromstring(markup).iter()}
    assert names <= {"svg", "g", "title", "text", "line", "rect", "circle", "path"}
    found = attributes(markup)
    assert not {name for name in found if name.startswith("on") or name in ("style", "href")}


@given(st.lists(positive, min_size=1), st.booleans())
def test_an_axis_holds_its_values_in_order(values: list[float], log: bool) -> None:
    axis = Axis.over("x", values, log=log)
    assert all(axis.fits(value) and -1e-9 <= axis.place(value) <= 1 + 1e-9 for value in values)
    places = [axis.place(value) for value in sorted(values)]
    assert places == sorted(places)
    ticks = [value for value, _ in axis.ticks()]
    assert 2 <= len(ticks) <= 10
    assert ticks == sorted(set(ticks))
    assert len({label for _, label in axis.ticks()}) == len(ticks)


@given(st.integers(1, 10**7), st.integers(2, 12))
def test_ranges_leave_out_nothing(top: int, per_decade: int) -> None:
    ranges = log_bins([top], per_decade)
    assert ranges[0][0] == 1
    assert ranges[-1][0] <= top <= ranges[-1][1]
    assert all(b == a + 1 for (_, a), (b, _) in pairwise(ranges))
    assert len(ranges) <= 1 + per_decade * (1 + math.log10(top))


def test_labels_lie_on_nothing() -> None:
    """A label that would cover a disc or another label goes elsewhere, or is left out."""
    chart = Chart(Axis("x", 0, 100), Axis("y", 0, 1))
    marks = [
        Mark(90, 1.0, radius=19, label="link farm, 180 pages"),
        Mark(75, 1.0, radius=15, label="template, 120 pages"),
        Mark(74, 0.98, radius=3, label="no room for this one"),
        Mark(10, 0.5, radius=5, label="alone"),
    ]
    chart.points(marks)
    svg = chart.svg("labels")
    texts = re.findall(r'<text class="label" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)', svg)
    discs = [tuple(map(float, d)) for d in re.findall(r'cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', svg)]
    assert [label for *_, label in texts] == ["link farm, 180 pages", "template, 120 pages", "alone"]
    for x, y, anchor, label in texts:
        wide = 7 * len(label)
        low = float(x) - wide * {"start": 0, "middle": 0.5, "end": 1}[anchor]
        for cx, cy, r in discs:
            assert cx + r <= low or cx - r >= low + wide or abs(cy - float(y) + 4) >= r, label


@given(st.integers(0, 300), st.integers(2, 50))
def test_thinning_keeps_both_ends(size: int, max_points: int) -> None:
    points = list(range(size))
    kept = thinned(points, max_points)
    assert len(kept) <= max(max_points, 0) or size <= max_points
    assert kept == sorted(set(kept))
    assert not points or (kept[0], kept[-1]) == (points[0], points[-1])


@given(st.text())
def test_text_is_never_markup(value: str) -> None:
    made = tag("p", value, title=value)
    assert "<" not in made.removeprefix("<p").removesuffix("</p>")
    assert text(join([made, value])).count("<p") == 1
    assert not set(short_url(value)) & set("\x00\x1b\n\u202e")
    assert len(short_url(value, 40)) <= 40


def test_table() -> None:
    table = ShownTable(
        [
            ShownColumn("shared text", "percent", "share"),
            ShownColumn("page", "url", "url"),
            ShownColumn("kind", "tag"),
        ],
        [[0.0716, "http://a.example/" + "x" * 80 + "?end", "mirror"], [None, HOSTILE, None]],
        total=3720,
        noun="pages",
        rest="pagekin show run quilts",
    )
    html = table.html()
    assert ">7.2%<" in html
    assert 'title="column: share"' in html
    assert "2 of 3,720 pages" in html
    assert "pagekin show run quilts" in html
    assert "<script" not in html
    assert f'data-copy="http://a.example/{"x" * 80}?end"' in html
    rows = list(csv.reader(io.StringIO(table.csv())))
    assert rows[0] == ["share", "url", "kind"]
    assert rows[1][0] == "0.0716"
    assert rows[2][0] == ""


def test_csv_gives_a_spreadsheet_nothing_to_run() -> None:
    assert as_csv(["a"], [["=1+1"], ["-5"], [-5], ["@x"]]) == "a\n'=1+1\n'-5\n-5\n'@x\n"


def test_a_file_of_a_figure_stands_alone() -> None:
    figure = Figure("f", HOSTILE, chart(), [ShownColumn("x", "count")], [[1], [2]])
    parsed = ET.fromstring(figure.standalone())
    assert parsed.tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in figure.standalone()
    assert figure.csv() == "x\n1\n2\n"
    assert figure.png().startswith(b"\x89PNG")


def test_styles_know_every_colour() -> None:
    used = set(re.findall(r"var\(--([a-z0-9]+)\)", stylesheet())) - {"c", "wash"}
    assert used <= tokens().keys()
    assert tokens().keys() == tokens(dark=True).keys()
    assert "light-dark" not in print_style()
    assert "url(" not in stylesheet()
    assert "fetch(" not in asset("look.js")
