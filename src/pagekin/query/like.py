"""One to all: every page of a run by decreasing style similarity to one page, and the gaps in that curve."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.errors import InputError
from pagekin.params import StyleParams
from pagekin.run import Run

THIN = 0.01
"""A gap holds at most this many pages for each page above it."""
WIDTH = 0.04
"""Narrower gaps, in similarity, are ignored."""
STRONG = 0.1
BACKGROUND = 0.05
"""Below this similarity pages have nothing in common but what all HTML has."""
PAPER = 20 / 128
"""The threshold to suggest where the curve has no gap: the paper's site detector."""


@dataclass(frozen=True)
class Gap:
    """A stretch of similarity at which there is hardly any page."""

    position: int
    """So many pages lie above it, the page itself apart."""
    upper: float
    lower: float
    says: str
    """What changes there."""

    @property
    def strong(self) -> bool:
        return self.upper - self.lower >= STRONG

    def __str__(self) -> str:
        kind = "gap" if self.strong else "small gap"
        return f"{kind} at {self.position:,} ({self.upper:.2f} to {self.lower:.2f}): {self.says}"


@dataclass(frozen=True)
class Likeness:
    """What `Run.like` finds."""

    table: pa.Table
    """page, url, host, domain, matching, filled, similarity; most similar first, the page itself apart."""
    gaps: list[Gap]
    threshold: float
    """The suggested similarity from which on pages are kin."""
    pages: int
    """Pages at or above it, and their hosts and domains."""
    hosts: int
    domains: int
    share_of_hosts: float
    """Their hosts among all hosts of the run."""
    share_of_domains: float
    curve: list[tuple[int, float]]
    """How many pages reach each similarity: Figure 4 of the paper, from the top down."""


def like(run: Run, page: str | Path, *, threads: int = 2, top: int | None = None) -> Likeness:
    """See `Run.like`."""
    params = run.params.style
    found, domain = scan_styles(run, page, threads)
    kin = found.slice(0, pc.sum(pc.greater_equal(found["similarity"], BACKGROUND)).as_py() or 0)
    sites = run.page_columns("pages", ["host", "domain"], kin["page"])
    gaps = _gaps(found, sites["domain"].to_pylist(), domain, params.m)
    threshold = _threshold(gaps)
    above = pc.sum(pc.greater_equal(found["similarity"], threshold)).as_py() or 0
    chosen = sites.slice(0, above)
    everywhere = {name: _distinct(run, name) for name in ("host", "domain")}
    hosts, domains = (pc.count_distinct(chosen[name]).as_py() for name in ("host", "domain"))
    shown = found if top is None else found.slice(0, top)
    named = run.page_columns("pages", ["url", "host", "domain"], shown["page"])
    columns = {"page": shown["page"]} | {name: named[name] for name in named.column_names}
    return Likeness(
        table=pa.table(columns | {name: shown[name] for name in ("matching", "filled", "similarity")}),
        gaps=gaps,
        threshold=threshold,
        pages=above,
        hosts=hosts,
        domains=domains,
        share_of_hosts=hosts / max(everywhere["host"], 1),
        share_of_domains=domains / max(everywhere["domain"], 1),
        curve=_curve(found["similarity"]),
    )


def scan_styles(run: Run, page: str | Path, threads: int) -> tuple[pa.Table, str | None]:
    """All other pages by decreasing similarity, and the domain of the one."""
    params = run.params.style
    own, fingerprint, domain = _fingerprint(run, page, params)
    matrix = _core.StyleMatrix(threads, params.m)
    for batch in run.batches("sketches", ["page", "style"]):
        matrix.push(batch)
    found = pa.Table.from_batches([matrix.scan(fingerprint)])
    if own is not None:
        found = found.filter(pc.not_equal(found["page"], own))
    return found.sort_by([("similarity", "descending"), ("page", "ascending")]), domain


def _fingerprint(run: Run, page: str | Path, params: StyleParams) -> tuple[int | None, bytes, str | None]:
    """The page's id if it is in the run, its fingerprint, and its domain."""
    data = run.dataset("pages")
    with run.reading("pages"):
        rows = data.to_table(["page", "domain"], filter=pc.field("url") == str(page)).to_pylist()
    if rows:
        own, domain = rows[0]["page"], rows[0]["domain"]
        with run.reading("sketches"):
            sketch = run.dataset("sketches").to_table(["style"], filter=pc.field("page") == own)["style"]
        style = sketch[0].as_py()
        if style is None:
            raise InputError(_too_little(page, params))
        return own, style, domain
    if not Path(page).is_file():
        raise InputError(
            f"{page} is neither a page of {run.path} nor a file; `pagekin show {run.path} pages` lists pages"
        )
    try:
        html, _, _ = _core.decode(Path(page).read_bytes())
    except OSError as error:
        raise InputError(f"cannot read {page}: {error.strerror}") from error
    found = _core.fingerprint(html, params.n, params.m, params.seed)
    if found is None:
        raise InputError(_too_little(page, params))
    return None, found, None


def _too_little(page: str | Path, params: StyleParams) -> str:
    return f"{page} has too little markup to judge its style: {params.n} characters of noise are needed"


def _distinct(run: Run, column: str) -> int:
    found: set[str | None] = set()
    for batch in run.batches("pages", [column]):
        found.update(batch.column(0).unique().to_pylist())
    return len(found - {None})


def _curve(similarity: pa.ChunkedArray) -> list[tuple[int, float]]:
    """The corners of the curve: for each similarity that occurs, how many pages reach it."""
    counts = pc.value_counts(similarity.combine_chunks())
    values = sorted(((row["values"], row["counts"]) for row in counts.to_pylist()), reverse=True)
    corners, reached = [], 0
    for value, count in values:
        reached += count
        corners.append((reached, value))
    return corners


def _gaps(found: pa.Table, domains: list[str | None], own: str | None, m: int) -> list[Gap]:
    """Gaps above the background, from the top down."""
    edges: list[tuple[int, float, float]] = []
    corners = [(0, 1.0), *_curve(found["similarity"])]
    at = 1
    while at < len(corners):
        above, upper = corners[at - 1] if at > 1 else corners[0]
        # How far down may one go while hardly any page comes along?
        end = at
        while end + 1 < len(corners) and above and corners[end][0] - above <= THIN * above:
            end += 1
        lower = corners[end][1]
        if above and upper - max(lower, BACKGROUND) >= WIDTH and upper > BACKGROUND:
            edges.append((above, upper, lower))
            at = end + 1
        else:
            at += 1
    places = [0, *(above for above, _, _ in edges), len(domains)]
    gaps = []
    for number, (above, upper, lower) in enumerate(edges):
        before = domains[places[number] : above]
        after = domains[above : places[number + 2]]
        gaps.append(Gap(above, upper, lower, _says(before, after, own)))
    return gaps


def _says(before: list[str | None], after: list[str | None], own: str | None) -> str:
    def mostly_own(domains: list[str | None]) -> bool:
        return own is not None and domains.count(own) * 2 >= len(domains) > 0

    if not after:
        return "the end of its kin"
    if mostly_own(after):
        return "same site, another template"
    if mostly_own(before):
        return "the end of its site; others follow"
    return "other sites, another template"


def _threshold(gaps: list[Gap]) -> float:
    """In the middle of the widest gap."""
    if not gaps:
        return PAPER
    widest = max(gaps, key=lambda gap: gap.upper - gap.lower)
    return round((widest.upper + max(widest.lower, BACKGROUND)) / 2, 4)
