"""Where duplicates come from: sites, software, and query parameters that change nothing."""

from __future__ import annotations

from pagekin.look.drawings import bars
from pagekin.look.figure import Figure
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import count, percent, plural
from pagekin.report.story import TOP, Block, Data, Finding, Section, empty, heading, not_run, paragraph

CAUSES = {
    "mirror": "mirrors on other sites",
    "session id": "session ids",
    "parameter": "query parameters",
    "tracking": "tracking parameters",
    "print view": "print views",
    "sort order": "sort orders",
    "calendar": "calendars",
    "host alias": "other names of the host",
    "fetched again": "URLs fetched twice",
    "scheme": "http beside https",
}
"""Causes as a sentence names them."""


def causes(data: Data) -> Section:
    """Which software and which URLs make the duplicates."""
    if not data.has("duplicate_rates", "url_parameters"):
        return not_run("causes", "Causes", "fuzzy")
    copies = data.value("SELECT coalesce(sum(duplicates), 0)::BIGINT FROM duplicate_rates")
    blocks: list[Block] = [
        paragraph(
            "Pages of one site whose URLs are built alike are looked at together. Where their "
            "duplicates have a "
            "reason that shows in the URLs, such as a session id, it is named. Duplicates are "
            "those found by "
            "digest.",
            lead=True,
        )
    ]
    if not copies:
        blocks.append(empty("There are no duplicates to explain."))
        return Section(
            "causes",
            "Causes",
            "There are no duplicates to explain",
            blocks,
            Finding("0", "duplicates to explain."),
        )
    found = data.rows(
        """SELECT cause, sum(caused)::BIGINT, count(DISTINCT site) FROM duplicate_rates
          WHERE cause IS NOT NULL
        GROUP BY cause ORDER BY 2 DESC, 1"""
    )
    known = sum(many for _, many, _ in found)
    if found:
        cause, many, sites = found[0]
        title = (
            f"{percent(known / copies)} of the duplicates have a known cause; the first is "
            f"{CAUSES.get(cause, cause)}"
        )
        rank = f"the most frequent of {len(found)} causes" if len(found) > 1 else "the only cause that shows"
        subject = "duplicate is" if many == 1 else "duplicates are"
        says = f"{subject} due to {CAUSES.get(cause, cause)} ({plural(sites, 'site')}), {rank}."
        finding = Finding(count(many), says)
        blocks.append(_figure(found, copies, known))
    else:
        title = "No duplicate has a cause that shows in its URL"
        finding = Finding(
            "0",
            f"of {plural(copies, 'duplicate')} {'has' if copies == 1 else 'have'} a cause that shows "
            "in the URL.",
        )
        blocks.append(empty("URLs of duplicates show no session ids, print views, mirrors or the like."))
    blocks += [heading("URLs that give the most duplicates"), _rates(data)]
    blocks += _parameters(data)
    return Section("causes", "Causes", title, blocks, finding)


def _figure(found: list[tuple[str, int, int]], copies: int, known: int) -> Figure:
    rows: list[list[object]] = [[cause, many, sites, many / copies] for cause, many, sites in found]
    rows.append(["not known", copies - known, None, (copies - known) / copies])
    drawn = [(CAUSES.get(str(cause), str(cause)), float(many), "") for cause, many, *_ in rows]  # type: ignore[arg-type]
    written = [
        f"{many:,} ({percent(many / copies)})" for many in [many for _, many, _ in found] + [copies - known]
    ]
    columns = [
        ShownColumn("cause", "text", "cause"),
        ShownColumn("duplicates", "count", "caused"),
        ShownColumn("sites", "count"),
        ShownColumn("of all", "percent"),
    ]
    title = f"Most duplicates with a known cause are due to {CAUSES.get(found[0][0], found[0][0])}"
    alt = f"Duplicates by cause. {title}: {found[0][1]:,} of {copies:,}."
    return Figure("causes-figure", title, bars(drawn, alt, written=written), columns, rows)


def _rates(data: Data) -> ShownTable:
    total = data.value("SELECT count(*) FROM duplicate_rates WHERE duplicates > 0")
    rows = data.rows(
        f"""SELECT duplicates, pages, rate, cause, detail, pattern, url FROM duplicate_rates
        WHERE duplicates > 0 ORDER BY duplicates DESC, site, pattern, cluster LIMIT {TOP}"""
    )
    columns = [
        ShownColumn("duplicates", "count", "duplicates"),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("of the pages", "percent", "rate"),
        ShownColumn("cause", "tag", "cause"),
        ShownColumn(
            "namely", "text", "detail", "the parameter, the other host, or what a redirect changed", width=30
        ),
        ShownColumn("URLs", "text", "pattern", "host, shape of the path and keys of the query", width=40),
        ShownColumn("a duplicate", "url", "url"),
    ]
    return ShownTable(
        columns,
        rows,
        total,
        "kinds of URLs",
        data.show("duplicate_rates"),
        "duplicates",
        "URLs that give the most duplicates",
        "duplicate-rates",
    )


def _parameters(data: Data) -> list[Block]:
    blocks: list[Block] = [heading("Query parameters that change nothing")]
    total = data.value("SELECT count(*) FROM url_parameters WHERE verdict = 'never matters'")
    if not total:
        blocks.append(
            empty(
                "No query parameter was seen often enough, and always with the same content, to be "
                "called useless."
            )
        )
        return blocks
    rows = data.rows(
        f"""SELECT parameter, role, pages - urls, pages, host FROM url_parameters
          WHERE verdict = 'never matters'
        ORDER BY 3 DESC, host, parameter LIMIT {TOP}"""
    )
    columns = [
        ShownColumn("parameter", "text", "parameter", width=30),
        ShownColumn("probably", "text", "role"),
        ShownColumn("pages it adds", "count", "pages - urls"),
        ShownColumn("pages with it", "count", "pages"),
        ShownColumn("host", "text", "host", width=44),
    ]
    added = data.value("SELECT sum(pages - urls)::BIGINT FROM url_parameters WHERE verdict = 'never matters'")
    blocks.append(
        paragraph(f"{plural(total, 'parameter')} made the crawler fetch {plural(added, 'page')} for nothing.")
    )
    blocks.append(
        ShownTable(
            columns,
            rows,
            total,
            "parameters",
            data.show("url_parameters"),
            "pages it adds",
            "Query parameters that change nothing",
            "parameters",
        )
    )
    return blocks
