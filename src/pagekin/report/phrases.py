"""Popular phrases, covers and sites in the report: the paper's Figures 1 to 9."""

from __future__ import annotations

from pagekin.detect.phrases.find import advised_popular
from pagekin.look.chart import Chart, Mark
from pagekin.look.figure import Figure
from pagekin.look.scales import Axis, log_bins
from pagekin.look.table import ShownColumn, ShownTable
from pagekin.look.words import count, percent, plural, short
from pagekin.report.bins import log_ranks, ranks_figure
from pagekin.report.covers import covers
from pagekin.report.story import (
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

MAX_SITES = 300


def phrases(data: Data) -> Section:
    """What is popular, which pages are made of it, and which sites live off it."""
    if not data.has("phrases", "popular", "covers", "sites"):
        return not_run("phrases", "Phrases and sites", "phrases")
    params = data.run.params.phrases
    total = data.value("SELECT count(*) FROM phrases")
    ranked = data.value("SELECT count(rank) FROM sites")
    needs = f"needs {params.site_pages} pages with {params.site_mean:g} popular phrases each"
    blocks: list[Block] = [
        paragraph(
            "Of each page a fixed sample of ",
            term(
                "phrases",
                f"{data.run.params.shingles.k} words in a row; {data.run.params.shingles.m} of them a "
                "page, always chosen the same way",
            ),
            " is kept. A phrase is ",
            term("popular", f"at least {params.popular} pages have it in their sample"),
            ". Ordinary pages have few popular phrases. Sites whose pages consist of them are made "
            "from templates, "
            "lists or other people's text. Copies of a page count once.",
            lead=True,
        )
    ]
    if ranked:
        site, pages = data.row("SELECT site, pages FROM sites WHERE rank IS NOT NULL ORDER BY rank LIMIT 1")
        verb = "lives" if ranked == 1 else "live"
        title = f"{plural(ranked, 'site')} {verb} off phrases that others have too"
        finding = Finding(
            count(ranked),
            f"{'site lives' if ranked == 1 else 'sites live'} off phrases that everybody else has "
            f"too; the largest is {short(site, 40)} with {plural(pages, 'page')}.",
        )
    else:
        title = "No site lives off popular phrases"
        finding = Finding(
            "0",
            f"sites live off popular phrases ({needs}); {plural(total, 'phrase')} "
            f"{'is' if total == 1 else 'are'} popular.",
        )
    blocks += _sites(data, ranked, needs)
    blocks += _phrases(data, total)
    blocks += covers(data)
    return Section("phrases", "Phrases and sites", title, blocks, finding)


def _sites(data: Data, ranked: int, needs: str) -> list[Block]:
    params = data.run.params.phrases
    blocks: list[Block] = [heading("Sites that live off popular phrases")]
    if ranked:
        rows = data.rows(
            f"""SELECT rank, pages, mean_popular, std_popular, originality, site FROM sites
              WHERE rank IS NOT NULL
            ORDER BY rank LIMIT {TOP}"""
        )
        columns = [
            ShownColumn("rank", "count", "rank", "by pages"),
            ShownColumn("pages", "count", "pages"),
            ShownColumn(
                "popular phrases a page",
                "count",
                "mean_popular",
                f"of {data.run.params.shingles.m} in the sample",
            ),
            ShownColumn("deviation", "count", "std_popular", "how much its pages differ in that"),
            ShownColumn("own text", "percent", "originality", "grams that no other page holds"),
            ShownColumn("site", "text", "site", width=48),
        ]
        blocks.append(
            ShownTable(
                columns,
                rows,
                ranked,
                "sites",
                data.show("sites", "--where 'rank > 0'"),
                label="Sites that live off popular phrases",
                key="popular-sites",
            )
        )
    else:
        blocks.append(empty(f"None ({needs}, with little difference between its pages)."))
    found = data.rows(
        f"""SELECT mean_popular, std_popular, pages, site, rank, count(*) OVER () FROM sites
          WHERE pages >= {params.site_pages}
        ORDER BY pages DESC, site LIMIT {MAX_SITES}"""
    )
    if found:
        blocks.append(_site_figure(data, found))
    return blocks


def _site_figure(data: Data, found: list[tuple[float, float, int, str, int | None, int]]) -> Figure:
    params, m = data.run.params.phrases, data.run.params.shingles.m
    marks = [
        Mark(
            mean,
            pages,
            f"{short(site, 60)}: {plural(pages, 'page')}, {mean:.1f} popular phrases a page (± {spread:.1f})",
            3.5,
            1,
            rank is not None,
            spread=spread,
        )
        for mean, spread, pages, site, rank, _ in found
    ]
    chart = Chart(
        Axis("popular phrases a page", 0, m),
        Axis.over("pages of the site", [row[2] for row in found], log=True),
    )
    chart.points(marks)
    chart.rule(f"{params.site_mean:g} phrases", x=params.site_mean)
    total = found[0][5]
    note = (
        f"Each point is a site with at least {params.site_pages} pages; its bar is one standard "
        "deviation. Red: it lives off popular phrases."
    )
    if total > len(found):
        note += f" The {len(found)} largest of {total:,}."
    columns = [
        ShownColumn("popular phrases a page", "count", "mean_popular"),
        ShownColumn("deviation", "count", "std_popular"),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("site", "text", "site", width=48),
        ShownColumn("rank", "count", "rank"),
    ]
    beyond = sum(row[0] >= params.site_mean for row in found)
    title = f"{beyond:,} of {len(found):,} sites have {params.site_mean:g} popular phrases a page or more"
    alt = f"Sites by popular phrases a page and by pages (logarithmic). {title}."
    return Figure("sites-popular", title, chart.svg(alt), columns, [row[:5] for row in found], note)


def _phrases(data: Data, total: int) -> list[Block]:
    params = data.run.params.phrases
    corpus = data.value("SELECT count(*) FROM popular")
    blocks: list[Block] = [heading("The most popular phrases")]
    if not total:
        blocks.append(
            empty(f"No phrase is popular (needs {params.popular} pages that have it in their sample).")
        )
        return blocks
    advice = advised_popular(corpus)
    if advice != params.popular:
        blocks.append(
            paragraph(
                f"Popular means {params.popular} pages here; for {corpus:,} pages pagekin would "
                f"advise {advice}."
            )
        )
    rows = data.rows(
        "SELECT phrase, pages, domains, kind, example_url FROM phrases ORDER BY pages DESC, phrase "
        f"LIMIT {TOP}"
    )
    columns = [
        ShownColumn("phrase", "text", "phrase", width=60),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("sites", "count", "domains"),
        ShownColumn("probably", "tag", "kind", "a hint: counting, legal, navigation, template or idiom"),
        ShownColumn("a page with it", "url", "example_url"),
    ]
    blocks.append(
        ShownTable(
            columns,
            rows,
            total,
            "phrases",
            data.show("phrases"),
            "pages",
            "The most popular phrases",
            "popular-phrases",
        )
    )
    return [*blocks, SideBySide([_ranks(data, total), _frequencies(data, total)]), _per_page(data, corpus)]


def _ranks(data: Data, total: int) -> Figure:
    rows = data.rows(
        """SELECT place, pages
          FROM (SELECT pages, row_number() OVER (ORDER BY pages DESC, phrase) AS place FROM phrases)
        WHERE place IN (SELECT unnest(?)) ORDER BY place""",
        log_ranks(total),
    )
    top, tenth = rows[0][1], data.value("SELECT quantile_disc(pages, 0.9) FROM phrases")
    title = f"The most popular phrase is on {plural(top, 'page')}; nine in ten are on {tenth:,} or fewer"
    return ranks_figure(
        "phrase-ranks",
        title,
        rows,
        rank="phrase by rank",
        value="pages",
        total=total,
        alt=f"Pages of each phrase by rank, log axes. {title}.",
    )


def _frequencies(data: Data, total: int) -> Figure:
    found = data.rows("SELECT pages, count(*) FROM phrases GROUP BY pages ORDER BY pages")
    note = ""
    if len(found) > 200:
        binned = [
            (low, high, sum(n for p, n in found if low <= p <= high))
            for low, high in log_bins([found[-1][0]], 20)
        ]
        rows = [((low + high) / 2, many / (high - low + 1)) for low, high, many in binned if many]
        note = (
            "Ranges of pages are put together, evenly on the log axis; what is drawn is the mean of a range."
        )
    else:
        rows = [(float(pages), float(many)) for pages, many in found]
    chart = Chart(
        Axis.over("pages", [1, *(p for p, _ in rows)], log=True),
        Axis.over("phrases on so many pages", [1, *(n for _, n in rows)], log=True),
    )
    chart.points([Mark(p, n, f"{p:,.0f} pages: {n:,.1f} phrases", 3.0) for p, n in rows])
    fewest = found[0]
    title = (
        f"{percent(fewest[1] / total)} of the popular phrases are on {fewest[0]} pages, the fewest that count"
    )
    columns = [ShownColumn("pages", "count", "pages"), ShownColumn("phrases", "count")]
    return Figure(
        "phrase-frequencies",
        title,
        chart.svg(f"Phrases by the pages they are on, log axes. {title}."),
        columns,
        rows,
        note,
    )


def _per_page(data: Data, corpus: int) -> Figure:
    found = data.rows("SELECT popular, count(*) FROM popular GROUP BY popular ORDER BY popular")
    m, min_popular = data.run.params.shingles.m, data.run.params.phrases.min_popular
    many = sum(n for popular, n in found if popular >= min_popular)
    rows = [[popular, n, n / corpus] for popular, n in found]
    low = min(row[2] for row in rows)
    power = next(p for p in range(1, 12) if 10.0**-p <= low)
    chart = Chart(
        Axis("popular phrases of a page", 0, m),
        Axis("share of pages", 10.0**-power, 1, log=True, form=_share),
    )
    chart.points(
        [
            Mark(popular, share, f"{popular} popular phrases: {plural(n, 'page')} ({percent(share)})", 3.0)
            for popular, n, share in rows
        ]
    )
    chart.rule(f"{min_popular} phrases", x=min_popular)
    title = f"{percent(many / corpus)} of the pages have {min_popular} popular phrases or more"
    columns = [
        ShownColumn("popular phrases", "count", "popular"),
        ShownColumn("pages", "count"),
        ShownColumn("of the pages", "percent"),
    ]
    return Figure(
        "popular-per-page",
        title,
        chart.svg(f"Share of pages (logarithmic) by popular phrases. {title}."),
        columns,
        rows,
    )


def _share(value: float) -> str:
    return f"{100 * value:g}%"
