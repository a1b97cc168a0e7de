"""`pagekin scan`."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pagekin.cli.allocators import return_freed_memory
from pagekin.cli.flags import apply, param_options, profile_option
from pagekin.cli.progress import ProgressReporter, reporter_options
from pagekin.cli.sizes import SIZE
from pagekin.errors import DAMAGED, UsageError
from pagekin.params import StyleParams

if TYPE_CHECKING:
    from pagekin.engines.base import Engine
    from pagekin.run import Run

MEMORY = 4 * 10**9
"""What a scan may use unless the user says otherwise."""

PAGE_SHARE = 32
"""A page may be this fraction of the memory: so often its bytes can be there at once, in the worst case."""

WITHIN = StyleParams().within_site()
"""What --within-site sets, for 128 dimensions."""


@click.command()
@click.argument("inputs", nargs=-1, required=True)
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="The run folder to make."
)
@click.option(
    "--only",
    metavar="NAMES",
    help="Run only these detectors, separated by commas: duplicates, styles, quilts, fuzzy, phrases, causes, "
    'and what they need; "" reads and sketches only.  [default: all]',
)
@click.option(
    "--engine",
    type=click.Choice(["local", "spark"]),
    default="local",
    show_default=True,
    help="Run in this process, or on a Spark cluster.",
)
@click.option("--spark-master", default="local[*]", show_default=True, help="Where Spark runs.")
@click.option(
    "--spark-conf",
    multiple=True,
    metavar="KEY=VALUE",
    help="A setting of Spark, as in `spark.executor.memory=4g`. May be given several times.",
)
@profile_option
@click.option("--params", "params_file", type=click.Path(path_type=Path), help="Parameters, a TOML file.")
@click.option(
    "--memory",
    type=SIZE,
    help="Memory to use, in addition to 400 MB for the program itself; on Spark, in each task.  "
    "[default: 4GB; on Spark 512MiB]",
)
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    help="Threads; not for Spark.  [default: all cores]",
)
@click.option(
    "--max-page", type=SIZE, help="Skip pages larger than this.  [default: 64MiB, or a 32nd of --memory]"
)
@click.option("--resume", is_flag=True, help="Go on with a run that was stopped; begin it if there is none.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="A run whose pages are known: compare the new ones with them.",
)
@click.option("--strict", is_flag=True, help="Fail when an input is damaged or unreadable.")
@click.option(
    "--within-site",
    is_flag=True,
    help="Cluster the types of page that a site has, not its style: "
    f"--style-t {WITHIN.t}, --style-structure-t {WITHIN.structure_t}.",
)
@param_options
@reporter_options
def scan(
    inputs: tuple[str, ...],
    output: Path,
    only: str | None,
    engine: str,
    spark_master: str,
    spark_conf: tuple[str, ...],
    profile: str | None,
    params_file: Path | None,
    memory: int | None,
    threads: int | None,
    max_page: int | None,
    resume: bool,
    strict: bool,
    against: Path | None,
    within_site: bool,
    reporter: ProgressReporter,
    **given: Any,
) -> int:
    """Read a crawl, sketch its pages, run the detectors.

    INPUTS are WARC, ARC, WET or WACZ files, JSONL or Parquet files with `url` and `html` or `text`, an index
    (CDX, CDXJ, Parquet) of records in such files, folders or zips of HTML files, globs, or - for stdin.

    \b
    Examples:
      pagekin scan crawl.warc.gz -o run
      pagekin scan 'segments/*.warc.gz' more/ -o run --threads 8
      pagekin scan pages.jsonl.zst -o run --only "" --strict
      pagekin scan crawl.warc.gz -o run --profile paper
      pagekin scan crawl.warc.gz -o run --resume
      pagekin scan more/ -o new --against run
    """
    budget = MEMORY if memory is None else memory
    return_freed_memory(budget)
    from pagekin.errors import ParamsError
    from pagekin.params import Params
    from pagekin.pipeline import scan as run_scan

    begun = Params.from_toml(params_file, profile) if params_file else Params.of(profile or "default")
    params = apply(begun, given)
    if within_site:
        if given["style__t"] is not None or given["style__structure_t"] is not None:
            raise UsageError("--within-site sets --style-t and --style-structure-t: give it, or them")
        params = dataclasses.replace(params, style=params.style.within_site())
    maximum = budget // PAGE_SHARE
    if maximum < 1:
        raise ParamsError(f"--memory {budget} is too little to hold a page; give for instance 1GB")
    if max_page is not None and max_page > maximum:
        raise ParamsError(f"pages of {max_page:,} bytes need --memory {max_page * PAGE_SHARE:,} or more")
    largest = max_page or min(params.read.max_page_bytes, maximum)
    params = params.replace("read", max_page_bytes=largest)
    with reporter:
        for name in inputs:
            if Path(name).is_fifo():
                reporter.say(f"{name}: waits until something is written to this pipe", waits=name)
        with closing(_engine(engine, spark_master, spark_conf, threads, memory, reporter)) as chosen:
            run = run_scan(
                inputs,
                output,
                only=None if only is None else [name.strip() for name in only.split(",")],
                params=params,
                engine=chosen,
                resume=resume,
                strict=strict,
                against=against,
                progress=reporter,
            )
    return report_scan(run, reporter)


def _engine(
    name: str,
    master: str,
    settings: tuple[str, ...],
    threads: int | None,
    memory: int | None,
    reporter: ProgressReporter,
) -> Engine:
    if name == "spark":
        pairs = [setting.partition("=") for setting in settings]
        if wrong := next((key for key, sign, _ in pairs if not sign), None):
            raise UsageError(f"--spark-conf {wrong}: give KEY=VALUE, as in spark.executor.memory=4g")
        if threads is not None:
            raise UsageError(
                "--threads is for the local engine; on Spark a task has one thread, and cores are a setting: "
                "--spark-master 'local[4]', --spark-conf spark.executor.cores=4"
            )
        from pagekin.engines.spark import TASK_MEMORY, SparkEngine

        settings_of = {key: value for key, _, value in pairs}
        return SparkEngine(master, settings_of, memory=TASK_MEMORY if memory is None else memory)
    from pagekin.cli.limits import check_limits
    from pagekin.engines.local import LocalEngine

    memory = MEMORY if memory is None else memory
    check_limits(memory, threads)
    return LocalEngine(threads, reporter, memory)


def report_scan(run: Run, reporter: ProgressReporter) -> int:
    """Says what was read, skipped and found; returns the exit code."""
    import shlex

    from pagekin.cli.findings import findings
    from pagekin.pipeline import damages
    from pagekin.readers import READ_REASONS

    counts, skipped = run.info["counts"], run.info["skipped"]
    pages = f"{counts['pages']:,} page{'s' * (counts['pages'] != 1)}"
    size = f"{counts['html_bytes'] / 1e6:,.1f} MB of HTML"
    reporter.say(f"{pages}, {counts['words']:,} words, {size}", **counts)
    if counts["lossy"]:
        reporter.say(f"{counts['lossy']:,} pages had malformed characters", lossy=counts["lossy"])
    if counts["truncated"]:
        reporter.say(
            f"kept {counts['truncated']:,} cut short by the end of an input [truncated]",
            truncated=counts["truncated"],
        )
    for reason, n in skipped.items():
        reporter.say(
            f"skipped {n:,}: {READ_REASONS.get(reason, reason)} [{reason}]", reason=reason, records=n
        )
    reporter.say(f"run folder: {run.path}", run=str(run.path), tables=run.tables)
    found = list(findings(run))
    for table, line in found:
        reporter.say(f"  {line}", finding=table)
    first = found[0][0] if found else "pages"
    folder = shlex.quote(str(run.path))
    reporter.say(f"next: pagekin show {folder} {first}, or pagekin report {folder}")
    return DAMAGED if damages(run) else 0
