"""New pages against everything a run knows: pages like them, clusters, classes, and the verdicts these carry.

A page is sketched by the same native pass as a scan's, then looked up (`pagekin.index.check_index`). Nothing
is scanned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagekin.detect.quilts.find import gram_index_path
from pagekin.detect.sketch import SketchPages
from pagekin.errors import InputError
from pagekin.fs import MAX_NAMED_PAGE, read_at_most
from pagekin.index.catalog import Catalog
from pagekin.index.check_index import NO_CLUSTER, CheckIndex, SimilarPage
from pagekin.index.folder import IndexFolder
from pagekin.index.page_column import PageColumn
from pagekin.query.check import KnownGrams
from pagekin.readers.base import valid_text
from pagekin.run import Run
from pagekin.verdicts.labels import HAND, SPREAD
from pagekin.verdicts.state import Effective, Kinship, State

SHOWN = 10
"""Nearest pages that an answer lists."""

NEAR = 0.5
"""Pages that share less of their shingles are not told as like in text."""

CHECKS = ("style", "text", "quilt")

_SKETCHED = ("words", "style", "structure", "shingles", "md5", "text")


@dataclass(frozen=True)
class Asked:
    """A page to check: HTML or text, and where it is from if that is known."""

    html: bytes | None = None
    text: str | None = None
    url: str | None = None
    ip: str | None = None


@dataclass
class Answer:
    """What is known of a page. Every part says on what it rests; None stands for what was not asked."""

    url: str | None
    words: int
    verdict: dict[str, Any] | None
    """label, reason (a sentence), through (page, class or cluster), target, by_hand, who, at"""
    known: dict[str, Any] | None
    """the stored page of the same URL"""
    style: dict[str, Any] | None
    text: dict[str, Any] | None
    quilt: dict[str, Any] | None
    evidence: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The answer as plain values."""
        return dict(vars(self))


class Checker:
    """Everything that checking needs, opened once; safe to ask from several threads.

    Examples:
        >>> checker = Checker(pagekin.Run(example_run))
        >>> page = next(iter(pagekin.read(example_warc)))
        >>> answer = checker.check([Asked(html=page.html, url=page.url)])[0]
        >>> answer.known["url"] == page.url
        True
    """

    def __init__(
        self,
        run: Run,
        *,
        catalog: Catalog | None = None,
        state: State | None = None,
        index: Path | None = None,
    ) -> None:
        self.run = run
        self.params = run.params
        self.catalog = catalog or Catalog(run, IndexFolder(run, index))
        self.state = state or State(run)
        self.known = CheckIndex(run, self.catalog, self.catalog.folder)
        self._sketcher = SketchPages(self.params.style, self.params.shingles).native(1)
        self._grams: KnownGrams | None = None
        if gram_index_path(run).exists():
            self._grams = KnownGrams(run)

    def check(self, pages: Sequence[Asked], checks: Sequence[str] = CHECKS) -> list[Answer]:
        """Checks pages, each by itself."""
        if not pages:
            return []
        self.state.refresh()
        return [self._answer(page, self._sketch(page), checks) for page in pages]

    def _sketch(self, page: Asked) -> dict[str, Any]:
        """What the pass of a scan takes from a page. A page on which the pass fails is an empty one."""
        text, url = (None if value is None else valid_text(value) for value in (page.text, page.url))
        try:
            found = self._sketcher.sketch_one(page.html, text, url)
        except RuntimeError:
            found = self._sketcher.sketch_one()
        return dict(zip(_SKETCHED, found, strict=True))

    def check_one(self, page: str | Path | bytes, url: str | None = None) -> Answer:
        """Checks HTML, an HTML or .txt file, or a page of the run by its URL."""
        if isinstance(page, bytes):
            return self.check([Asked(html=page, url=url)])[0]
        stored = self.known.of_url(str(page))
        if stored is not None:
            return self._stored(str(page), stored)
        return self.check([asked_file(page, url)])[0]

    def _stored(self, url: str, number: int) -> Answer:
        """A page of the run, by the sketch that is stored of it."""
        self.state.refresh()
        page = self.known.row(number)["page"]
        row = self.catalog.page(page) or {}
        sketch: dict[str, Any] = {"words": row.get("words"), "md5": "0" * 32}
        columns = [("sketches", name) for name in ("style", "structure", "shingles", "md5")]
        for table, column in (*columns, ("texts", "text")):
            sketch[column] = PageColumn(self.run, table, column).get([page]).get(page)
        return self._answer(Asked(html=b"" if sketch["style"] else None, url=url), sketch, CHECKS)

    def _answer(self, asked: Asked, sketch: dict[str, Any], checks: Sequence[str]) -> Answer:
        at = self.known.of_url(asked.url) if asked.url else None
        known = None if at is None else self._page(at)
        answer = Answer(
            url=asked.url,
            words=sketch["words"] or 0,
            verdict=None,
            known=known,
            style=self._style(sketch, asked.html is not None, at) if "style" in checks else None,
            text=self._text(sketch, at) if "text" in checks else None,
            quilt=self._quilt(asked, sketch["text"] or "") if "quilt" in checks else None,
        )
        self._decide(answer)
        return answer

    def _page(self, number: int) -> dict[str, Any]:
        row = self.known.row(number)
        effective = self.state.of_page(kinship(row))
        return {
            "page": row["page"],
            "url": row["url"],
            "cluster": row["cluster"],
            "class": row["class"],
            "verdict": None if effective is None else _plain(effective),
        }

    def _style(self, sketch: dict[str, Any], html: bool, own: int | None) -> dict[str, Any]:
        style = self.params.style
        fingerprint, structure = sketch["style"], sketch["structure"]
        if fingerprint is None:
            why = (
                f"too small to judge: {style.n} characters of markup are needed"
                if html
                else "no HTML was given"
            )
            return {"judged": False, "why": why, "nearest": [], "clusters": []}
        filled = _filled(fingerprint)
        if filled < style.t and (structure is None or _filled(structure) < style.structure_t):
            why = f"too small to judge: {filled} of the {style.t} dimensions are filled that a link needs"
            return {"judged": False, "why": why, "nearest": [], "clusters": []}
        found = [one for one in self.known.like_style(fingerprint, structure) if one.row != own]
        return {
            "judged": True,
            "why": None,
            "nearest": [self._page(one.row) | {"similarity": one.similarity} for one in found[:SHOWN]],
            "clusters": self._clusters(found),
        }

    def _clusters(self, found: Sequence[SimilarPage]) -> list[dict[str, Any]]:
        """The clusters that linked pages are in, closest first."""
        linked: dict[int, dict[str, Any]] = {}
        for one, number in zip(found, self.known.clusters([one.row for one in found]), strict=True):
            if number == NO_CLUSTER:
                continue
            if number not in linked:
                software = self.known.row(one.row)["software"]
                linked[number] = {
                    "cluster": number,
                    "similarity": one.similarity,
                    "linked": 0,
                    "software": software,
                }
            linked[number]["linked"] += 1
        for cluster in linked.values():
            cluster["allowed"] = self.state.allows_cluster(cluster["cluster"], cluster["software"])
            spread = self.state.current(SPREAD, "cluster", cluster["cluster"])
            said = spread or self.state.current(HAND, "cluster", cluster["cluster"])
            carries = said is not None and said.label is not None and not cluster["allowed"]
            cluster["verdict"] = (
                _plain(Effective(said.label, said)) if carries and said and said.label else None
            )
        return sorted(linked.values(), key=lambda c: (-c["similarity"], -c["linked"], c["cluster"]))

    def _text(self, sketch: dict[str, Any], own: int | None) -> dict[str, Any]:
        shingles = sketch["shingles"]
        if shingles is None:
            return {
                "judged": False,
                "why": "too small to judge: no words",
                "exact": [],
                "near": [],
                "class": None,
            }
        size = self.params.shingles.m
        exact = [row for row in self.known.same_text(sketch["md5"]) if row != own]
        min_shared = max(1, round(NEAR * size))
        alike = [one for one in self.known.like_text(shingles, min_shared) if one.row != own]
        rest = [one for one in alike if one.row not in exact]
        pages = [self._page(row) for row in exact]
        near = [self._page(one.row) | {"shared": round(one.matching / size, 4)} for one in rest[:SHOWN]]
        close = [page for page, one in zip(near, rest, strict=False) if self._is_copy(one.matching / size)]
        joined = next((page for page in (*pages, *close)), None)
        klass = None if joined is None else joined["class"] if joined["class"] is not None else joined["page"]
        return {"judged": True, "why": None, "exact": pages, "near": near, "class": klass}

    def _is_copy(self, shared: float) -> bool:
        """Whether so many shared shingles make a near-duplicate by the rule of the run.

        The paper's rule (two of six bands of 14 agree) holds for half of the pairs at about 0.885.
        """
        return shared >= (self.params.duplicates.similarity or 0.885)

    def _quilt(self, asked: Asked, text: str) -> dict[str, Any]:
        if self._grams is None:
            return {
                "checked": False,
                "why": "the run has no gram index; scan with keep_grams=True to have one",
            }
        found = self._grams.check(text, asked.url, asked.ip)
        return {
            "checked": True,
            "why": None,
            "patch_fraction": found.patch_fraction,
            "covered_fraction": found.covered_fraction,
        } | vars(found)

    def _decide(self, answer: Answer) -> None:
        """The verdict that weighs most: of the page itself, then of its copies, then of its template."""
        say = answer.evidence.append
        if answer.known is not None:
            self._take(answer, answer.known["verdict"], "page", answer.known["page"], "This URL is known")
        if answer.text is not None:
            for page in answer.text["exact"]:
                say(f"Its text is that of {page['url']}")
                self._take(answer, page["verdict"], "copy", page["page"], f"The same text as {page['url']}")
            for page in answer.text["near"]:
                if self._is_copy(page["shared"]):
                    say(f"{page['shared']:.0%} of its sampled phrases are those of {page['url']}")
                    self._take(answer, page["verdict"], "copy", page["page"], f"A near copy of {page['url']}")
        if answer.style is not None:
            for cluster in answer.style["clusters"]:
                name = f" ({cluster['software']})" if cluster["software"] else ""
                say(
                    f"Style similarity {cluster['similarity']:.2f} to cluster {cluster['cluster']}{name}, "
                    f"linked to {cluster['linked']} of its pages that were compared"
                    + ("; on the allow-list" if cluster["allowed"] else "")
                )
                self._take(
                    answer, cluster["verdict"], "cluster", cluster["cluster"], "Made with the same template"
                )
        if answer.quilt is not None and answer.quilt.get("quilt"):
            say(
                f"{answer.quilt['covered_fraction']:.0%} of it is text of "
                f"{len(answer.quilt['sources'])} pages"
            )

    def _take(
        self, answer: Answer, verdict: dict[str, Any] | None, through: str, target: int, reason: str
    ) -> None:
        if answer.verdict is None and verdict is not None:
            answer.verdict = verdict | {"through": through, "target": target, "reason": reason}

    def close(self) -> None:
        self.known.close()
        self.catalog.close()


def asked_file(path: str | Path, url: str | None = None, ip: str | None = None) -> Asked:
    """The page in a file: text if it is called .txt, else HTML."""
    try:
        data = read_at_most(Path(path), MAX_NAMED_PAGE)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(
            f"{path} is neither a page of the run nor a file that can be read: {reason}"
        ) from error
    if Path(path).suffix == ".txt":
        return Asked(text=data.decode("utf-8", "replace"), url=url, ip=ip)
    return Asked(html=data, url=url, ip=ip)


def kinship(row: dict[str, Any]) -> Kinship:
    """Where a stored page belongs."""
    return Kinship(row["page"], row["cluster"], row["class"], row["domain"], row["host"], row["software"])


def _plain(effective: Effective) -> dict[str, Any]:
    verdict = effective.verdict
    return {"label": effective.label, "by_hand": effective.by_hand, "who": verdict.who, "at": verdict.at}


def _filled(fingerprint: bytes) -> int:
    """Dimensions that hold a minimum."""
    return sum(map(bool, memoryview(fingerprint).cast("H")))
