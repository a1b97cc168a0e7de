"""Duplicates in the report: both methods in one section, and why their counts differ."""

from __future__ import annotations

from typing import Any, NamedTuple

from pagekin.look.chart import Chart
from pagekin.look.drawings import bars
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import count, percent, plural
from pagekin.report.bins import shares_figure, sizes_figure
from pagekin.report.story import (
    FEW,
    TOP,
    Block,
    Data,
    Finding,
    Section,
    SideBySide,
    empty,
    heading,
    not_run,
    paragraph,
    term,
)


class Copies(NamedTuple):
    """What a method found."""

    classes: int
    exact: int
    near: int

    @property
    def all(self) -> int:
        """Pages that repeat another."""
        return self.exact + self.near


METHODS = {"duplicates": "shared phrases (shingles)", "fuzzy": "digest of the text (ssdeep)"}


def duplicates(data: Data) -> Section:
    """The copies by each method, what only one of them finds, the largest classes."""
    found = {name: _copies(data, name) for name in METHODS if data.has(name)}
    if not found:
        return not_run("duplicates", "Duplicates", "duplicates,fuzzy")
    name, main = next(iter(found.items()))
    share = percent(main.all / max(data.pages, 1))
    blocks: list[Block] = [
        paragraph(
            "Pages with the same text, or almost the same, form a ",
            term("duplicate class", "its first page is the representative; the others are its copies"),
            ". A copy is exact when its text is the representative's, byte for byte, and near otherwise. "
            "Pages without words are in no class.",
            lead=True,
        ),
        heading("Two ways to find them"),
        ShownTable(
            _columns(),
            [_row(data, name, copies) for name, copies in found.items()],
            noun="methods",
            key="duplicate-methods",
            label="Copies by method",
        ),
    ]
    if len(found) == 2:
        blocks += _difference(data)
    if not main.all:
        blocks.append(
            empty(
                "No page repeats another. Both methods look at the text alone; pages that differ in "
                "a few words in a hundred would show."
            )
        )
        return Section(
            "duplicates",
            "Duplicates",
            "No page is a copy of another",
            blocks,
            Finding("0%", "of the pages are copies of another page."),
        )
    blocks += [heading("The largest classes"), _largest(data, name, main)]
    figures = _figures(data, name)
    blocks += [SideBySide(figures)] if figures else []
    title = f"{share} of the pages ({main.all:,}) are copies of another page"
    exactly = f"{main.exact:,} exact, {main.near:,} nearly so"
    return Section(
        "duplicates",
        "Duplicates",
        title,
        blocks,
        Finding(share, f"of the pages ({main.all:,}) are copies of another page: {exactly}."),
    )


def _copies(data: Data, table: str) -> Copies:
    return Copies(
        *data.row(
            f"""SELECT count(*) FILTER (page = representative),
              count(*) FILTER (page <> representative AND kind = 'exact'),
              count(*) FILTER (page <> representative AND kind = 'near') FROM {table}"""
        )
    )


def _columns() -> list[ShownColumn]:
    return [
        ShownColumn("method"),
        ShownColumn("copies", "count"),
        ShownColumn("of all pages", "percent"),
        ShownColumn("exact copies", "count", "kind = 'exact'"),
        ShownColumn("near copies", "count", "kind = 'near'"),
        ShownColumn("classes", "count", "class"),
        ShownColumn("in the run's table", "text"),
    ]


def _row(data: Data, table: str, found: Copies) -> list[Any]:
    share = found.all / max(data.pages, 1)
    return [METHODS[table], found.all, share, found.exact, found.near, found.classes, table]


def _difference(data: Data) -> list[Block]:
    both, phrases, digest = data.row(
        """WITH a AS (SELECT page FROM duplicates WHERE page <> representative),
          b AS (SELECT page FROM fuzzy WHERE page <> representative)
        SELECT count(*) FILTER (a.page IS NOT NULL AND b.page IS NOT NULL),
          count(*) FILTER (b.page IS NULL), count(*) FILTER (a.page IS NULL)
        FROM a FULL JOIN b ON a.page = b.page"""
    )
    params = data.run.params
    why = paragraph(
        "The counts differ because the methods look at different things. ",
        term("Shingles", f"a sample of {params.shingles.m} of a page's phrases of {params.shingles.k} words"),
        " ask which phrases two pages share, in whatever order. ",
        term("ssdeep", "a short digest made piece by piece along the text"),
        " asks whether long pieces follow each other in the same way (a score of "
        f"{params.fuzzy.threshold} or more of "
        f"100), and says nothing of texts whose digest is shorter than {params.fuzzy.min_length} "
        "characters unless they "
        "are equal. Pages that repeat the same blocks in another order are found by shingles alone; "
        "long pages "
        "with small changes all over may be found by one of the two.",
    )
    names = ["by both methods", "by shared phrases alone", "by digest alone"]
    values = [both, phrases, digest]
    alt = "Copies " + ", ".join(f"{name}: {value:,}" for name, value in zip(names, values, strict=True)) + "."
    title = f"{percent(both / max(sum(values), 1))} of the copies are found by both methods"
    drawing = bars([(name, value, "") for name, value in zip(names, values, strict=True)], alt)
    rows = [list(row) for row in zip(names, values, strict=True)]
    figure = Figure(
        "duplicate-methods-figure",
        title,
        drawing,
        [ShownColumn("found"), ShownColumn("copies", "count")],
        rows,
    )
    return [why, figure] if sum(values) >= FEW else [why]


def _largest(data: Data, table: str, found: Copies) -> ShownTable:
    worst = "min(jaccard)" if table == "duplicates" else "min(score)"
    rows = data.rows(
        f"""WITH top AS (SELECT class, count(*) AS pages, count(*) FILTER (kind = 'exact') - 1 AS exact,
            {worst} AS least FROM {table} GROUP BY class ORDER BY pages DESC, class LIMIT {TOP})
        SELECT top.pages, greatest(top.exact, 0), top.pages - 1 - greatest(top.exact, 0),
          count(DISTINCT p.host), top.least, any_value(d.url) FILTER (d.page = d.class)
        FROM top JOIN {table} d ON d.class = top.class LEFT JOIN pages p ON p.page = d.page
        GROUP BY top.class, top.pages, top.exact, top.least ORDER BY top.pages DESC, top.class"""
    )
    lowest = (
        ShownColumn(
            "least shared",
            "percent",
            "jaccard",
            "phrases shared with the representative, of all of either: the least of the class",
        )
        if table == "duplicates"
        else ShownColumn("least score", "count", "score")
    )
    columns = [
        ShownColumn("pages", "count"),
        ShownColumn("exact copies", "count"),
        ShownColumn("near copies", "count"),
        ShownColumn("hosts", "count", "host"),
        lowest,
        ShownColumn("first page", "url", "url", "the class's representative"),
    ]
    return ShownTable(
        columns,
        rows,
        found.classes,
        "classes",
        data.show(table),
        "pages",
        "The largest duplicate classes",
        "duplicate-classes",
    )


def _figures(data: Data, table: str) -> list[Figure]:
    sizes = data.rows(
        f"SELECT pages, count(*) FROM (SELECT count(*) AS pages FROM {table} GROUP BY class) GROUP BY "
        "pages ORDER BY 1"
    )
    pairs = sum(many for size, many in sizes if size == 2)
    total = sum(many for _, many in sizes)
    title = (
        f"{percent(pairs / total)} of the classes are pairs; the largest has {plural(sizes[-1][0], 'page')}"
    )
    figures = (
        []
        if total < FEW
        else [
            sizes_figure(
                "duplicate-class-sizes",
                title,
                sizes,
                of="classes",
                size="pages in a class",
                alt=f"Histogram of class sizes, log axes. {title}.",
            )
        ]
    )
    if table == "duplicates":
        found = dict(
            data.rows(
                """SELECT least(floor(jaccard * 20), 19)::INT, count(*) FROM duplicates
                WHERE page <> representative AND kind = 'near' AND jaccard IS NOT NULL GROUP BY 1
                  ORDER BY 1"""
            )
        )
        near = sum(found.values())
        high = sum(many for step, many in found.items() if step >= 18)
        if near >= FEW:
            title = f"{percent(high / near)} of the near copies share at least 90% of their phrases"
            figures.append(
                shares_figure(
                    "near-copies",
                    title,
                    found,
                    steps=20,
                    of="near copies",
                    share="phrases shared with the representative",
                    alt=f"Histogram of near copies by shared phrases. {title}.",
                    note=f"Of all phrases of either page (the Jaccard coefficient). {count(near)} "
                    "near copies.",
                )
            )
    if data.has("fuzzy"):
        scores = data.rows(
            """SELECT score, count(*) FROM fuzzy WHERE page <> representative AND kind = 'near'
            GROUP BY score ORDER BY score"""
        )
        if sum(many for _, many in scores) >= FEW:
            figures.append(_scores(scores, data.run.params.fuzzy.threshold))
    return figures


def _scores(scores: list[tuple[int, int]], threshold: int) -> Figure:
    low = scores[0][0] // 10 * 10
    total = sum(many for _, many in scores)
    full = sum(many for score, many in scores if score >= 97)
    title = f"{percent(full / total)} of the near copies by digest score 97 or more"
    chart = Chart(
        Axis("ssdeep score", low - 0.5, 100.5), Axis.over("near copies", [n for _, n in scores], whole=True)
    )
    chart.columns(
        [(score - 0.5, score + 0.5, many, f"score {score}: {count(many)}") for score, many in scores]
    )
    note = (
        f"Against the representative. Two pages are copies from {threshold} on; a class may hold "
        "less similar ones."
    )
    columns = [ShownColumn("score", "count", "score"), ShownColumn("near copies", "count")]
    alt = f"Histogram of near copies by ssdeep score. {title}."
    return Figure("digest-scores", title, chart.svg(alt), columns, [list(row) for row in scores], note)
