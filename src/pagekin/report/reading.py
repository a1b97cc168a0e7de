"""What was read, what was skipped, how long it took."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pagekin.look.drawings import bars
from pagekin.look.figure import Figure
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import NO_SITE, count, day, megabytes, percent, plural, seconds
from pagekin.readers import READ_REASONS
from pagekin.report.bins import sizes_figure
from pagekin.report.story import TOP, Block, Data, Section, SideBySide, empty, facts, heading


def headline(data: Data) -> str:
    """One sentence on what was read."""
    domains, hosts, first, last = data.row(
        "SELECT count(DISTINCT domain), count(DISTINCT host), epoch_us(min(date)), "
        "epoch_us(max(date)) FROM pages"
    )
    says = f"{plural(data.pages, 'page')} on {plural(domains, 'site')} ({plural(hosts, 'host')})"
    if first is not None:
        start, end = (day(datetime.fromtimestamp(at / 1e6, UTC)) for at in (first, last))
        says += f", fetched on {start}" if start == end else f", fetched from {start} to {end}"
    skipped = sum(data.run.info["skipped"].values())
    return (
        f"{says}. {plural(skipped, 'record')} {'was not a page' if skipped == 1 else 'were not pages'}."
        if skipped
        else f"{says}."
    )


def reading(data: Data) -> Section:
    """Inputs, sites, lengths, encodings, skipped records, steps."""
    info = data.run.info
    counts = info["counts"]
    skipped = info["skipped"]
    blocks: list[Block] = [
        facts(
            [
                ("pages", count(counts["pages"])),
                ("words", count(counts["words"])),
                ("HTML", megabytes(counts["html_bytes"])),
                ("inputs", count(len(info["inputs"]))),
                ("records that are not pages", count(sum(skipped.values()))),
                ("pages with malformed characters", count(counts["lossy"])),
                ("time", seconds(sum(s["seconds"] for s in info["steps"].values()))),
                ("pagekin", info["pagekin"]),
            ]
        )
    ]
    blocks += _inputs(info["inputs"])
    blocks += [heading("Records that are not pages")]
    blocks += [_skipped(skipped, data.pages)] if skipped else [empty("Every record was a page.")]
    if data.has("pages"):
        blocks += [
            heading("Sites with the most pages"),
            _sites(data),
            SideBySide([_lengths(data), _charsets(data)]),
        ]
    blocks += [heading("Time and memory"), _steps(info["steps"])]
    return Section("read", "What was read", "What was read", blocks)


def _inputs(inputs: list[dict[str, Any]]) -> list[Block]:
    # Names without folders: a report is passed on, and folders may be private.
    rows = [[Path(i["path"]).name, i["format"], i["size"]] for i in inputs[:TOP]]
    columns = [
        ShownColumn("input", "text", "path", width=70),
        ShownColumn("format", "text", "format"),
        ShownColumn("size", "megabytes", "size"),
    ]
    return [ShownTable(columns, rows, len(inputs), "inputs", label="Inputs", key="inputs")]


def _skipped(skipped: dict[str, int], pages: int) -> Figure:
    ordered = sorted(skipped.items(), key=lambda row: (-row[1], row[0]))
    rows = [(READ_REASONS.get(reason, reason), reason, many) for reason, many in ordered]
    drawn = [(words, float(many), f"{words} ({reason}): {many:,}") for words, reason, many in rows]
    total = sum(skipped.values())
    title = (
        f"{plural(total, 'record')} of {total + pages:,} {'is not a page' if total == 1 else 'are not pages'}"
    )
    columns = [ShownColumn("reason"), ShownColumn("code", "text", "reason"), ShownColumn("records", "count")]
    return Figure(
        "skipped",
        title,
        bars(drawn, f"Skipped records by reason. {title}.", written=[count(row[2]) for row in rows]),
        columns,
        rows,
    )


def _sites(data: Data) -> ShownTable:
    rows = data.rows(
        f"""SELECT coalesce(domain, '{NO_SITE}'), count(*) AS pages, count(DISTINCT host),
          sum(words)::BIGINT, count(*) OVER () FROM pages
        GROUP BY domain ORDER BY pages DESC, domain LIMIT {TOP}"""
    )
    columns = [
        ShownColumn(
            "site", "text", "domain", "registered domain by the public suffix list, else the host", width=48
        ),
        ShownColumn("pages", "count"),
        ShownColumn("hosts", "count", "host"),
        ShownColumn("words", "count", "words"),
    ]
    total = rows[0][4] if rows else 0
    return ShownTable(
        columns,
        [row[:4] for row in rows],
        total,
        "sites",
        data.show("pages"),
        "pages",
        "Sites with the most pages",
        "sites-table",
    )


def _lengths(data: Data) -> Figure:
    counts = data.rows("SELECT words, count(*) FROM pages WHERE words > 0 GROUP BY words ORDER BY words")
    none = data.pages - sum(many for _, many in counts)
    middle = data.value("SELECT median(words) FROM pages") or 0
    title = f"Half of the pages have {middle:,.0f} words or fewer"
    note = f"{plural(none, 'page')} without words {'is' if none == 1 else 'are'} left out." if none else ""
    return sizes_figure(
        "page-lengths",
        title,
        counts,
        of="pages",
        size="words of a page",
        alt=f"Histogram of words a page, log axes. {title}.",
        note=note,
    )


def _charsets(data: Data) -> Figure:
    found = data.rows(
        "SELECT coalesce(charset, 'text only'), count(*) FROM pages GROUP BY 1 ORDER BY 2 DESC, 1"
    )
    shown = found[:8]
    rest = sum(many for _, many in found[8:])
    rows = [list(row) for row in shown] + ([["all others", rest]] if rest else [])
    name, many = found[0] if found else ("none", 0)
    title = f"{percent(many / max(data.pages, 1))} of the pages were read as {name}"
    columns = [ShownColumn("encoding", "text", "charset"), ShownColumn("pages", "count")]
    return Figure(
        "encodings", title, bars([(n, k, "") for n, k in rows], f"Pages by encoding. {title}."), columns, rows
    )


def _steps(steps: dict[str, Any]) -> ShownTable:
    rows = [
        [name, step["engine"], step["seconds"], step["peak_memory_bytes"]] for name, step in steps.items()
    ]
    columns = [
        ShownColumn("step"),
        ShownColumn("engine"),
        ShownColumn("time", "seconds", "seconds"),
        ShownColumn("most memory", "megabytes", "peak_memory_bytes", "the process's peak so far"),
    ]
    return ShownTable(columns, rows, noun="steps", label="Steps of the scan", key="steps")
