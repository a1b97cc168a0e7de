"""Measurements around a run: one page against all, quilts by parameters, thresholds, search results."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from pagekin.errors import RunError
from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis, thinned
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import count, percent, plural, short_url, similarity
from pagekin.query.like import Likeness, like
from pagekin.report.story import MARKS, TOP, Block, Data, Section, SideBySide, empty, paragraph
from pagekin.studies.kept import AUDIT, CALIBRATION, SWEEP, kept

CORNERS = 300
RULES = {"by_covered": "by covered grams", "by_patch": "by patch grams"}
"""The columns of a sweep that count quilts by one share, and how they are called."""

SWEPT = {
    "k": "words in a gram (k)",
    "m": "most pages that may hold a patch gram (m)",
    "c": "least sources (c)",
    "theta": "least share of shared text (θ)",
}
RESULTS = ("unique", "exact", "near")


def compared(data: Data, page: str) -> Section:
    """One page against all others: the paper's Figure 4."""
    found = like(data.run, page, threads=len(os.sched_getaffinity(0)), top=TOP)
    where = short_url(page)
    number = abs(hash_of(page)) % 10**6
    title = (
        f"{plural(found.pages, 'page')} on {plural(found.domains, 'site')} "
        f"{'is' if found.pages == 1 else 'are'} written like {where}"
    )
    why = "in the middle of the widest gap" if found.gaps else "as there is no gap"
    blocks: list[Block] = [
        paragraph(
            f"All pages by decreasing similarity of style to {where}. A gap in the curve is where "
            "another template or "
            f"another site begins. The suggested threshold is {similarity(found.threshold)}, {why}: "
            f"above it are {plural(found.pages, 'page')} on {plural(found.hosts, 'host')} "
            f"({percent(found.share_of_hosts)} of all "
            f"hosts).",
            lead=True,
        ),
        like_figure(found, f"like-{number}", _gap_title(found) or title),
    ]
    rows = [
        [row["similarity"], row["matching"], row["domain"], row["url"]] for row in found.table.to_pylist()
    ]
    columns = [
        ShownColumn("similarity", "similarity", "similarity"),
        ShownColumn("matching", "count", "matching", f"equal dimensions of {data.run.params.style.m}"),
        ShownColumn("site", "text", "domain", width=40),
        ShownColumn("page", "url", "url"),
    ]
    rest = data.command("like", "URL --top 100")
    blocks.append(
        ShownTable(
            columns,
            rows,
            max(data.pages - 1, len(rows)),
            "pages",
            rest,
            label="Pages by similarity",
            key=f"like-{number}-table",
        )
    )
    return Section(f"like-page-{number}", "One page against all", title, blocks)


def _gap_title(found: Likeness) -> str:
    """Where the curve falls the most; empty if it has no gap."""
    widest = max(found.gaps, key=lambda gap: gap.upper - gap.lower, default=None)
    if widest is None:
        return ""
    fall = f"{similarity(widest.upper)} to {similarity(widest.lower)}"
    return f"After {plural(widest.position, 'page')} the similarity falls from {fall}"


def hash_of(text: str) -> int:
    """A number for a text, the same in every process."""
    return sum((at + 1) * byte for at, byte in enumerate(text.encode("utf-8", "replace")))


def like_figure(found: Likeness, key: str = "like", title: str = "One page against all") -> Figure:
    """The curve of similarities with its gaps: a log axis, as its story is in its first pages."""
    corners = [(float(reached), value) for reached, value in found.curve]
    drawn = thinned(corners, CORNERS)
    top = max((reached for reached, _ in corners), default=1.0)
    chart = Chart(Axis.over("pages, most similar first", [1, top], log=True), Axis("similarity", 0, 1))
    first = drawn[0][1] if drawn else 0.0
    chart.line([(1.0, first), *drawn], step=True)
    marks = [
        Mark(max(gap.position, 1), (gap.upper + gap.lower) / 2, str(gap), 5, 2, label=f"({number})")
        for number, gap in enumerate(found.gaps, 1)
    ]
    chart.bands(
        [
            (reached, f"{plural(int(reached), 'page')} with similarity {similarity(value)} or more")
            for reached, value in drawn
        ]
    )
    chart.points(marks)
    chart.rule(f"suggested threshold {similarity(found.threshold)}", y=found.threshold)
    note = (
        " ".join(f"({number}) {gap}." for number, gap in enumerate(found.gaps, 1)) or "The curve has no gap."
    )
    if len(drawn) < len(corners):
        note += f" {len(drawn)} of {len(corners):,} corners of the curve are drawn."
    columns = [ShownColumn("pages", "count"), ShownColumn("similarity", "similarity")]
    alt = f"Similarity of all pages, most similar first. {title}. {note}"
    return Figure(
        key, title, chart.svg(alt), columns, [[int(reached), value] for reached, value in drawn], note
    )


def studies(data: Data) -> list[Section]:
    """What was measured and kept."""
    made = {SWEEP: sweep, CALIBRATION: calibration, AUDIT: audit}
    sections = []
    for name, make in made.items():
        measured = kept(data.run, name)
        if measured is not None:
            try:
                sections.append(make(measured))
            except (KeyError, TypeError, ValueError) as error:
                raise RunError(
                    f"{data.run.path}/studies/{name}.json is damaged ({error!r}): measure again"
                ) from error
    return sections


def sweep_figures(points: Sequence[dict[str, Any]], pivot: dict[str, float]) -> list[Figure]:
    """The paper's Figure 3: quilts as each parameter varies, by either share; the pivot is marked."""
    figures = []
    top = max((point[count] for point in points for count in RULES), default=1) or 1
    for name, words in SWEPT.items():
        mine = sorted((p for p in points if p["swept"] == name), key=lambda p: p[name])
        if not mine:
            continue
        low, high = mine[0][name], mine[-1][name]
        x = Axis(words, low, high if high > low else low + 1, whole=name != "theta")
        chart = Chart(x, Axis.over("quilts", [top], whole=True), legend=list(RULES.values()))
        for series, rule in reversed(list(enumerate(RULES, 1))):
            chart.line([(p[name], p[rule]) for p in mine], series=series)
            chart.points([_swept(p, name, rule, series, pivot) for p in mine])
        first, last = mine[0]["quilted"], mine[-1]["quilted"]
        moves = f"go from {first:,} to {last:,}" if first != last else f"stay at {first:,}"
        title = f"From {'θ' if name == 'theta' else name} = {low:g} to {high:g}, quilts {moves}"
        columns = [
            ShownColumn(words, "scaled", name),
            ShownColumn("quilts", "count", "quilted"),
            ShownColumn("mean sources", "count", "sources"),
            *(ShownColumn(text, "count", rule) for rule, text in RULES.items()),
        ]
        rows = [[p[name], p["quilted"], p["sources"], *(p[rule] for rule in RULES)] for p in mine]
        drawing = chart.svg(f"{title}. The run's own value is marked.")
        figures.append(Figure(f"sweep-{name}", title, drawing, columns, rows))
    return figures


def _swept(point: dict[str, Any], name: str, rule: str, series: int, pivot: dict[str, float]) -> Mark:
    """One point of a curve; that of the run's own parameters stands out."""
    own = point[name] == pivot[name]
    says = f"{name} = {point[name]:g}: {plural(point[rule], 'quilt')} {RULES[rule]}"
    return Mark(point[name], point[rule], says, 5 if own else 4, series, own)


def sweep(measured: dict[str, Any]) -> Section:
    """Quilts for other parameters."""
    pivot = measured["pivot"]
    text = (
        "Quilts counted again with other parameters, one varied at a time while the others stay as "
        "in this run "
        f"(k = {pivot['k']}, m = {pivot['m']}, c = {pivot['c']}, θ = {pivot['theta']:g}; red)."
    )
    figures = sweep_figures(measured["points"], pivot)
    blocks: list[Block] = [
        paragraph(text, lead=True),
        SideBySide(figures) if figures else empty("No parameter was varied."),
    ]
    counts = [point["quilted"] for point in measured["points"]]
    title = f"Other parameters give {min(counts, default=0):,} to {max(counts, default=0):,} quilts"
    return Section("sweep", "Quilts by parameters", title, blocks)


def calibration_figure(measured: dict[str, Any]) -> Figure:
    """Exact similarity against score, a point a pair."""
    pairs = thinned(sorted(map(tuple, measured["pairs"])), MARKS)
    chart = Chart(
        Axis("ssdeep score", 0, 100), Axis("phrases in common", 0, 1, form=lambda value: f"{value:.0%}")
    )
    chart.points(
        [Mark(score, alike, f"score {score}: {percent(alike)} in common", 2.5) for score, alike in pairs]
    )
    middles = [((part["low"] + part["high"]) / 2, part["mean"]) for part in measured["ranges"]]
    chart.line(middles, series=2)
    chart.rule("similar enough", y=measured["similarity"], start=True)
    if measured["suggested"] is not None:
        chart.rule(f"suggested: {measured['suggested']}", x=measured["suggested"])
        title = f"From a score of {measured['suggested']} on, nineteen in twenty pairs are similar enough"
    else:
        title = "No score promises that pairs are similar enough"
    note = (
        f"Each point is a pair of pages; the dashed line is the mean. {len(pairs):,} of "
        f"{len(measured['pairs']):,} pairs are drawn."
    )
    columns = [
        ShownColumn("ssdeep score", "count", "score"),
        ShownColumn("phrases in common", "percent", "similarity"),
    ]
    return Figure(
        "fuzzy-threshold",
        title,
        chart.svg(f"Pairs of pages by ssdeep score and phrases in common. {title}."),
        columns,
        pairs,
        note,
    )


def calibration(measured: dict[str, Any]) -> Section:
    """What ssdeep scores mean on this run."""
    figure = calibration_figure(measured)
    names = ("low", "high", "pairs", "mean", "min_similarity", "alike")
    columns = [
        ShownColumn("score from", "count", "low"),
        ShownColumn("to", "count", "high"),
        ShownColumn("pairs", "count", "pairs"),
        ShownColumn("mean in common", "percent", "mean"),
        ShownColumn("least", "percent", "min_similarity"),
        ShownColumn(f"at least {percent(measured['similarity'])}", "percent", "alike"),
    ]
    rows = [[part[name] for name in names] for part in measured["ranges"]]
    text = (
        "Pairs of pages with each score were compared phrase by phrase, to see what a score is "
        "worth on these pages."
    )
    table = ShownTable(
        columns, rows, noun="ranges of scores", label="Scores and what they are worth", key="fuzzy-ranges"
    )
    return Section("calibration", "Digest scores", figure.title, [paragraph(text, lead=True), figure, table])


def audit_figure(curve: Sequence[dict[str, Any]], title: str = "Duplicates among search results") -> Figure:
    """Results of each kind up to each rank, mean over queries: the paper's figure 4."""
    drawn = thinned(list(curve), 200)
    top = max((row[kind] for row in drawn for kind in RESULTS), default=1)
    last = max((row["rank"] for row in drawn), default=1)
    legend = ["unique", "exact duplicates", "near duplicates"]
    chart = Chart(
        Axis.over("rank", [last], whole=True),
        Axis.over("results so far, mean over queries", [top]),
        legend=legend,
    )
    for series, kind in enumerate(RESULTS, 1):
        chart.line([(0, 0), *((row["rank"], row[kind]) for row in drawn)], series=series)
    chart.bands(
        [
            (
                row["rank"],
                f"Rank {row['rank']:,}:\n" + "\n".join(f"{row[kind]:.1f} {kind}" for kind in RESULTS),
            )
            for row in drawn
        ]
    )
    columns = [ShownColumn("rank", "count", "rank"), *(ShownColumn(kind, "count", kind) for kind in RESULTS)]
    rows = [[row["rank"], *(float(row[kind]) for kind in RESULTS)] for row in drawn]
    return Figure(
        "audit-curve", title, chart.svg(f"Unique results and duplicates by rank. {title}."), columns, rows
    )


def audit(measured: dict[str, Any]) -> Section:
    """Duplicates among ranked search results."""
    counts = measured["counts"]
    judged = sum(counts[kind] for kind in RESULTS)
    share = percent((counts["exact"] + counts["near"]) / judged) if judged else "0%"
    title = f"{share} of the search results repeat a better ranked one"
    text = (
        f"{plural(measured['queries'], 'query', 'queries')} with {count(sum(counts.values()))} "
        f"results; {count(counts['missing'])} "
        "of them were not found among the pages. A result is a duplicate when a better ranked one of "
        "the same query has the "
        "same text, or almost."
    )
    return Section(
        "audit", "Search results", title, [paragraph(text, lead=True), audit_figure(measured["curve"], title)]
    )
