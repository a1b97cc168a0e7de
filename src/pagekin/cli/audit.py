"""`pagekin audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pagekin.studies.audit import Audit


@click.command()
@click.argument("results", type=click.Path(path_type=Path))
@click.option("--pages", multiple=True, help="A run or crawl with documents of the results; repeatable.")
@click.option(
    "--top", type=click.IntRange(min=1), default=750, show_default=True, help="Results of each query."
)
@click.option(
    "--threshold",
    type=click.IntRange(1, 100),
    default=90,
    show_default=True,
    help="The ssdeep score that makes near duplicates.",
)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A folder for results, curve and ranking."
)
@click.option("--plot", type=click.Path(path_type=Path), help="Draw the curve into this PNG or SVG file.")
def audit(
    results: Path, pages: tuple[str, ...], top: int, threshold: int, output: Path | None, plot: Path | None
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
    from pagekin.cli.tables import clean
    from pagekin.errors import DAMAGED
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
    found = judge(results, pages, top, FuzzyParams(threshold=threshold))
    click.echo(f"{'query':<40} results  unique   exact    near missing")
    totals = dict.fromkeys(KINDS, 0)
    for query in found.queries:
        counts = found.counts(query)
        totals = {kind: totals[kind] + counts[kind] for kind in KINDS}
        click.echo(f"{clean(query)[:40]:<40} {_row(counts)}")
    click.echo(f"{f'{len(found.queries):,} queries':<40} {_row(totals)}")
    judged = sum(totals.values()) - totals["missing"]
    if judged:
        share = (totals["exact"] + totals["near"]) / judged
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


def _row(counts: dict[str, int]) -> str:
    from pagekin.studies.audit import KINDS

    return " ".join(f"{number:>7,}" for number in (sum(counts.values()), *(counts[kind] for kind in KINDS)))


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
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (
            ("results.csv", results.getvalue()),
            ("curves.csv", curves.getvalue()),
            ("curve.csv", curve.getvalue()),
            ("ranking.trec" if found.trec else "ranking.jsonl", ranking),
        ):
            write_atomically(folder / name, text.encode())
