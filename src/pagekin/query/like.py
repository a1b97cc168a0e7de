"""One to all: every page of a run by decreasing style similarity to one page, and the gaps in that curve."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import md5
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from pagekin import _core
from pagekin.errors import InputError
from pagekin.params import Params, StyleParams
from pagekin.query.single import page_bytes
from pagekin.run import Run

THIN = 0.01
"""A gap holds at most this many pages for each page above it."""
WIDTH = 0.04
"""Narrower gaps, in similarity, are ignored."""
STRONG = 0.1
BACKGROUND = 0.05
"""Below this similarity pages have nothing in common but what all HTML has."""
NAMED = 2
"""Sites below a gap that are named."""
PAPER = 20 / 128
"""The paper's site detector: what to suggest under its profile where the curve has no gap."""


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
    """page, url, host, domain, matching, filled, noise, structure, similarity; most similar first, the page
    itself apart. `matching` and `filled` dimensions are those of the noise. `noise` is the similarity of the
    noises, `structure` that of the structures, null if they do not count; `similarity` is the higher one."""
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
    compared: int
    """Pages that were compared with the one."""
    stored: str | None
    """The URL under which the run holds the page itself, if it does."""
    curve: list[tuple[int, float]]
    """How many pages reach each similarity: Figure 4 of the paper, from the top down."""


def like(run: Run, page: str | Path, *, threads: int = 2, top: int | None = None) -> Likeness:
    """See `Run.like`."""
    params = run.params.style
    found, domain, stored = scan_styles(run, page, threads)
    kin = found.slice(0, pc.sum(pc.greater_equal(found["similarity"], BACKGROUND)).as_py() or 0)
    sites = run.page_columns("pages", ["host", "domain"], kin["page"])
    gaps = _gaps(found, sites["domain"].to_pylist(), domain, params.m)
    threshold = _threshold(gaps, run.params)
    above = pc.sum(pc.greater_equal(found["similarity"], threshold)).as_py() or 0
    chosen = sites.slice(0, above)
    everywhere = {name: _distinct(run, name) for name in ("host", "domain")}
    hosts, domains = (pc.count_distinct(chosen[name]).as_py() for name in ("host", "domain"))
    shown = found if top is None else found.slice(0, top)
    named = run.page_columns("pages", ["url", "host", "domain"], shown["page"])
    columns = {"page": shown["page"]} | {name: named[name] for name in named.column_names}
    return Likeness(
        table=pa.table(
            columns
            | {name: shown[name] for name in ("matching", "filled", "noise", "structure", "similarity")}
        ),
        gaps=gaps,
        threshold=threshold,
        pages=above,
        hosts=hosts,
        domains=domains,
        share_of_hosts=hosts / max(everywhere["host"], 1),
        share_of_domains=domains / max(everywhere["domain"], 1),
        compared=found.num_rows,
        stored=stored,
        curve=_curve(found["similarity"]),
    )


def scan_styles(run: Run, page: str | Path, threads: int) -> tuple[pa.Table, str | None, str | None]:
    """All other pages by decreasing similarity, each `linked` or not; domain and stored URL of the one."""
    params = run.params.style
    stored, (style, structure) = _fingerprints(run, page, params)
    own, url, domain = stored or (None, None, None)
    found = _scanned(run, "style", style, params, threads)
    linked = pc.greater_equal(found["matching"], params.t)
    other = pa.nulls(len(found), pa.float64())
    if params.structure_t:
        structures = _scanned(run, "structure", structure, params, threads)
        other = structures["similarity"]
        linked = pc.or_(linked, pc.greater_equal(structures["matching"], params.structure_t))
    best = pc.max_element_wise(found["similarity"], other)
    found = found.rename_columns({"similarity": "noise"}).append_column("structure", other)
    found = found.append_column("similarity", best).append_column("linked", linked)
    if own is not None:
        found = found.filter(pc.not_equal(found["page"], own))
    return found.sort_by([("similarity", "descending"), ("page", "ascending")]), domain, url


def _scanned(run: Run, kind: str, fingerprint: bytes | None, params: StyleParams, threads: int) -> pa.Table:
    """One fingerprint beside those of all pages that have any, in the order of pages."""
    matrix = _core.StyleMatrix(threads, params.m, params.over_m)
    none = bytes(2 * params.m)
    for batch in run.batches("sketches", ["page", "style", "structure"]):
        batch = batch.filter(pc.or_(pc.is_valid(batch["style"]), pc.is_valid(batch["structure"])))
        prints = pc.fill_null(batch[kind], none)
        matrix.push(pa.record_batch({"page": batch["page"], "style": prints}))
    return pa.Table.from_batches([matrix.scan(fingerprint or none)])


Stored = tuple[int, str | None, str | None]
"""Id, URL and domain of a page of the run."""


def _fingerprints(
    run: Run, page: str | Path, params: StyleParams
) -> tuple[Stored | None, tuple[bytes | None, bytes | None]]:
    """Where the run holds the page, if it does, and its fingerprints of noise and structure."""
    data = run.dataset("pages")
    with run.reading("pages"):
        rows = data.to_table(["page", "domain"], filter=pc.field("url") == str(page)).to_pylist()
    if rows:
        own = rows[0]["page"]
        with run.reading("sketches"):
            data = run.dataset("sketches")
            sketch = data.to_table(["style", "structure"], filter=pc.field("page") == own).to_pylist()[0]
        if sketch["style"] is None:
            raise InputError(_too_little(page, params))
        return (own, str(page), rows[0]["domain"]), (sketch["style"], sketch["structure"])
    if not Path(page).is_file():
        raise InputError(
            f"{page} is neither a page of {run.path} nor a file; `pagekin show {run.path} pages` lists pages"
        )
    html, _, _ = _core.decode(page_bytes(page))
    style = _core.fingerprint(html, params.n, params.m, params.seed, params.content)
    if style is None:
        raise InputError(_too_little(page, params))
    structure = _core.structure(html, params.m) if params.structure_t else None
    return _same_page(run, _core.extract(html)[0], style, structure), (style, structure)


def _same_page(run: Run, text: str, style: bytes, structure: bytes | None) -> Stored | None:
    """The first page of the run with this text and these fingerprints: the file itself, as it was fetched."""
    # Not by style alone: other pages of the template have that too.
    wanted = (pc.field("md5") == md5(text.encode(), usedforsecurity=False).hexdigest()) & (
        pc.field("style") == style
    )
    if structure is not None:
        wanted &= pc.field("structure") == structure
    with run.reading("sketches"):
        found = run.dataset("sketches").to_table(["page"], filter=wanted)["page"]
    if not len(found):
        return None
    own = pc.min(found).as_py()
    row = run.page_columns("pages", ["url", "domain"], [own]).to_pylist()[0]
    return own, row["url"], row["domain"]


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
        return "the end of its kin; nothing below it has more in common than all HTML has"
    if mostly_own(after):
        what = "same site, another template"
    elif mostly_own(before):
        what = "the end of its site; others follow"
    else:
        what = "other sites, another template"
    return f"{what}; below it {_who(after)}"


def _who(domains: Sequence[str | None]) -> str:
    """The sites that most of some pages are of, with their pages, and how many others there are."""
    counted = Counter(name or "pages without a site" for name in domains).most_common()
    named = ", ".join(f"{name} ({pages:,})" for name, pages in counted[:NAMED])
    rest = len(counted) - NAMED
    return named + (f" and {rest:,} other site{'s' * (rest > 1)}" if rest > 0 else "")


def _threshold(gaps: list[Gap], params: Params) -> float:
    """In the middle of the widest gap; without one, where a scan begins to link, or the paper's."""
    if not gaps:
        style = params.style
        return PAPER if params.profile == "paper" else min(style.t, style.structure_t or style.t) / style.m
    widest = max(gaps, key=lambda gap: gap.upper - gap.lower)
    return round((widest.upper + max(widest.lower, BACKGROUND)) / 2, 4)
