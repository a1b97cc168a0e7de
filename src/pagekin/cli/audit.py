"""`pagekin audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pagekin.cli.flags import format_option
from pagekin.cli.outputs import force_option, require_free, require_free_folder

if TYPE_CHECKING:
    from pagekin.studies.audit import Audit

COUNTS = {
    "query": "str", "results": "int", "unique": "int", "exact": "int", "near": "int", "missing": "int",
}  # fmt: skip
"""Columns of the counts by query."""
FILES = ("results.csv", "curves.csv", "curve.csv", "ranking.trec", "ranking.jsonl")
"""What the folder gets; one of the rankings."""


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--pages", multiple=True, help="A run or crawl with documents of the results; repeatable.")
@click.option(
    "--top",
    type=click.IntRange(min=1),
    default=750,
    show_default=True,
    help="Look at this many results of each query.",
)
@click.option(
    "--threshold",
    type=click.IntRange(1, 100),
    default=90,
    show_default=True,
    help="Results with at least this ssdeep score are near duplicates.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A folder for results, curve and ranking."
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curve into this PNG or SVG file.")
@format_option
@force_option
def audit(
    results: Path,
    pages: tuple[str, ...],
    top: int,
    threshold: int,
    output: Path | None,
    plot: Path | None,
    form: str,
    force: bool,
) -> int:
    """Count duplicates among ranked search results.

    RESULTS is JSONL with query, rank, url and html or text, or a TREC run file. Documents that it does not
    hold are found in --pages: in a run folder by URL or page number, in a crawl by URL, or by the id
    of a JSONL or Parquet row. A result is a duplicate when a better ranked one of the same query has the same
    text, or a digest that scores high against its own. The folder gets results.csv (each result and what it
    repeats), curves.csv (for each query, duplicates by rank), curve.csv (the same, mean over queries) and the
    ranking without duplicates in the format of RESULTS, JSONL without html and text.

    \b
    Examples:
      pagekin audit results.jsonl
      pagekin audit results.jsonl --top 100 -o audit --plot curve.svg
      pagekin audit run.trec --pages crawl.warc.gz
      pagekin audit run.trec --pages run --top 100
    """
    from pagekin.cli.tables import give_rows, table_of
    from pagekin.errors import DAMAGED, InputError
    from pagekin.look.words import plural
    from pagekin.params import FuzzyParams
    from pagekin.report.figures import check_plot, write_plot
    from pagekin.report.studies import audit_figure
    from pagekin.run import Run
    from pagekin.studies.audit import KINDS
    from pagekin.studies.audit import audit as judge
    from pagekin.studies.kept import AUDIT, keep
    from pagekin.studies.ranked import is_run

    if plot is not None:
        check_plot(plot)
        require_free([plot], force=force)
    require_free_folder(output, FILES, force=force)
    found = judge(results, pages, top, FuzzyParams(threshold=threshold))
    counted = {query: found.counts(query) for query in found.queries}
    counts = {query: {kind: one[kind] for kind in KINDS} for query, one in counted.items()}
    totals = {kind: sum(one[kind] for one in counts.values()) for kind in KINDS}
    judged = sum(totals.values()) - totals["missing"]
    if totals["missing"] and not judged:
        what = plural(totals["missing"], "result")
        if pages:
            raise InputError(f"{' and '.join(pages)} holds no page of the {what}: check names and URLs")
        raise InputError(
            f"none of the {what} has a text: put `html` or `text` into {results}, or "
            "name a run or crawl that has these pages with --pages"
        )
    rows = [{"query": query, "results": sum(one.values()), **one} for query, one in counts.items()]
    title = f"duplicates among the results of {len(rows):,} {'query' if len(rows) == 1 else 'queries'}"
    give_rows(table_of(rows, COUNTS), form, title)
    if judged and form == "table":
        share = (totals["exact"] + totals["near"]) / judged
        said = ", ".join(f"{totals[kind]:,} {kind}" for kind in KINDS)
        click.echo(f"in all {sum(totals.values()):,} results: {said}")
        click.echo(f"{share:.1%} of the results that were found repeat a better ranked one")
    if output is not None:
        _write(found, output)
    for run in filter(is_run, pages):
        keep(Run(run), AUDIT, {"queries": len(found.queries), "counts": totals, "curve": found.curve()})
    if plot is not None:
        write_plot(plot, audit_figure(found.curve()))
    if found.skipped:
        click.echo(f"pagekin: {found.skipped:,} line(s) of {results} are no results", err=True)
    if found.damage:
        reasons = ", ".join(f"{why} {count:,}" for why, count in sorted(found.damage.items()))
        click.echo(f"pagekin: some of --pages could not be read: {reasons}", err=True)
    return DAMAGED if found.skipped or found.damage else 0


def _write(found: Audit, folder: Path) -> None:
    import csv
    import io

    from pagekin.cli.tables import cell
    from pagekin.fs import write_atomically, writing
    from pagekin.studies.audit import KINDS

    results, curves, curve = io.StringIO(), io.StringIO(), io.StringIO()
    rows = csv.writer(results)
    rows.writerow(["query", "rank", "url", "kind", "of_rank", "of_url", "score"])
    for query, ranked in found.queries.items():
        for judged in ranked:
            of = (judged.of.rank, judged.of.url) if judged.of else (None, None)
            row = [query, judged.result.rank, judged.result.url, judged.kind, *of, judged.score]
            rows.writerow(map(cell, row))
    rows = csv.writer(curves)
    rows.writerow(["query", "rank", *KINDS])
    for query in found.queries:
        for rank, so_far in enumerate(found.curve_of(query), 1):
            rows.writerow([cell(query), rank, *(so_far[kind] for kind in KINDS)])
    points = csv.DictWriter(curve, ["rank", *KINDS])
    points.writeheader()
    points.writerows(found.curve())
    ranking = "".join(f"{line}\n" for line in found.ranking())
    with writing(folder):
        folder.mkdir(exist_ok=True)
        for name, text in (
            ("results.csv", results.getvalue()),
            ("curves.csv", curves.getvalue()),
            ("curve.csv", curve.getvalue()),
            ("ranking.trec" if found.trec else "ranking.jsonl", ranking),
        ):
            write_atomically(folder / name, text.encode())
