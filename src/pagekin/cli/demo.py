"""`pagekin demo`."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

from pagekin.cli.progress import ProgressReporter, reporter_options

COPIES = "kind, count(*) FILTER (page <> class) AS pages"
"""A class counts its copies, not the page that they repeat: as the findings at the end do."""

COUNTS = (
    ("Pages by domain", "pages", "domain, count(*) AS pages", "domain", "pages DESC, domain", 5),
    ("Copies of other pages", "duplicates", COPIES, "kind", "pages DESC, kind", 5),
    ("The same by ssdeep", "fuzzy", COPIES, "kind", "pages DESC, kind", 5),
)
"""Title, table, columns, group, order, rows."""

FINDINGS = (
    (
        "Pages of one style",
        "style_clusters",
        ("rank", "pages", "domains", "mean_similarity", "kind", "name"),
        8,
    ),
    ("Pages quilted from others", "quilts", ("url", "covered_fraction", "sources", "foreign_sources"), 5),
    ("Pages made of popular phrases", "covers", ("url", "popular", "cover", "foreign"), 5),
)
"""Title, table, columns, rows."""

MADE = {"web.warc.gz", "web.truth.parquet", "run", "report.html"}
"""What a demo leaves in its folder."""


@click.command()
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), default=Path("pagekin-demo"), show_default=True,
    help="The folder to make; an earlier demo in it is replaced.",
)  # fmt: skip
@click.option("--pages", type=click.IntRange(min=1), default=2000, show_default=True, help="How many pages.")
@reporter_options
def demo(output: Path, pages: int, reporter: ProgressReporter) -> int:
    """Make a small web, scan it, print the findings, write the report.

    \b
    Example:
      pagekin demo
    """
    from pagekin.cli.scan import report_scan
    from pagekin.cli.tables import print_table
    from pagekin.engines.local import LocalEngine
    from pagekin.errors import RunExistsError
    from pagekin.fs import writing
    from pagekin.pipeline import scan
    from pagekin.query.show import rows, summary
    from pagekin.report import write_report
    from pagekin.synth import write_web

    web, folder = output / "web.warc.gz", output / "run"
    with writing(output), reporter:
        output.mkdir(exist_ok=True)
        # Nothing is removed but what a demo makes, and nothing at all where there is anything else.
        if any(path.name not in MADE for path in output.iterdir()):
            raise RunExistsError(f"{output} holds more than an earlier demo; choose another folder with -o")
        for path in output.iterdir():
            shutil.rmtree(path) if path.name == "run" else path.unlink()
        reporter.step("synth")
        write_web(web, pages=pages, seed=1)
        run = scan(web, folder, engine=LocalEngine(progress=reporter), progress=reporter)
    for title, table, shown, limit in FINDINGS:
        print_table(rows(run, table, columns=shown, limit=limit), title=title)
    for title, table, columns, group, order, limit in COUNTS:
        print_table(summary(run, table, columns, group, order, limit), title=title)
    code = report_scan(run, reporter)
    write_report(run, output / "report.html")
    click.echo(f"report: {output / 'report.html'}")
    return code
