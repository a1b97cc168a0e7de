"""What a web consists of: the table of kinds, how it scales, and the order in which pages are met.

`KINDS` is the one place that says how much of what there is. A web is cut into units (a site, or sites that
belong together); each unit makes its pages one after the other, and a number of units are under way at any
time, as in a crawl. So the order is mixed, and memory holds only the sites under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from pagekin.synth import cms, content, copies, engines, farms, quilts
from pagekin.synth.languages import WORLD
from pagekin.synth.page import Page
from pagekin.synth.rand import between, pick, rng_for
from pagekin.synth.web import Maker, Unit, Web

COMPLETE_FROM = 300  # webs of so many pages have every phenomenon
UNDER_WAY = 40  # units that a crawl visits at the same time
QUILT_SITES = 12  # article sites that even a small web has
SITE_LANGUAGES = ("qaa-Latn",) * 16 + ("qab-Latn", "qab-Latn", "qac-Latn", "qad-Cyrl")


@dataclass(frozen=True)
class Kind:
    """One row of the table: what, how much, in units of what size, on how many sites."""

    name: str
    share: float  # of all pages
    min_pages: int  # pages in a web of COMPLETE_FROM or more
    unit: tuple[int, int]  # smallest and largest unit
    make: Maker
    sites: Callable[[int], int] = lambda pages: 1
    units: int = 1  # so many units even in a small web, if need be smaller ones
    families: bool = True  # does it use template families of its own accord?
    mixed_languages: bool = False


def _every(pages: int) -> int:
    return pages


# Articles come first and take what the others leave.
KINDS: tuple[Kind, ...] = (
    Kind("article", 0.0, 0, (4, 100), content.article_site, units=QUILT_SITES),
    Kind("blog", 0.05, 14, (7, 100), content.blog, mixed_languages=True),
    Kind("cms", 0.06, 20, (20, 150), cms.cms, mixed_languages=True),
    Kind("product", 0.025, 8, (8, 100), content.shop, mixed_languages=True),
    Kind("mirror", 0.05, 16, (12, 90), copies.mirror, copies.mirror_hosts, mixed_languages=True),
    Kind("near_duplicate", 0.05, 24, (8, 8), copies.near_duplicates, _every, units=3),
    Kind("quilt", 0.02, 6, (2, 16), quilts.quilts),
    Kind("quoting", 0.008, 2, (2, 16), quilts.quoting),
    Kind("aggregator", 0.008, 2, (2, 16), quilts.aggregator),
    Kind("broken", 0.02, 8, (8, 24), content.broken_site),
    Kind("world", 0.08, 26, (1, 60), content.world_site, units=len(WORLD), families=False),
    Kind("forum", 0.07, 16, (4, 100), engines.forum, units=3, families=False, mixed_languages=True),
    Kind("directory", 0.03, 8, (2, 20), engines.directory, units=3, families=False),
    Kind("parked", 0.02, 5, (1, 20), engines.parked, _every, families=False),
    Kind("server_default", 0.01, 4, (1, 20), engines.server_default, _every, families=False),
    Kind("farm", 0.06, 24, (24, 4000), farms.link_farm, farms.farm_domains, families=False),
    Kind("slice_dice", 0.04, 14, (14, 3000), farms.slice_and_dice, farms.farm_domains, families=False),
    Kind("copy_paste", 0.04, 15, (5, 30), copies.copy_paste, _every, units=3, families=False),
    Kind("tiny", 0.02, 6, (1, 3), content.tiny, units=4, families=False),
    Kind("empty", 0.01, 4, (1, 2), content.empty, units=4, families=False),
)


def counts(pages: int) -> dict[str, int]:
    """How many pages of each kind a web has; they add up to `pages`."""
    found = {
        kind.name: max(int(kind.share * pages), kind.min_pages if pages >= COMPLETE_FROM else 0)
        for kind in KINDS[1:]
    }
    return {"article": pages - sum(found.values()), **found}


def units(web: Web) -> list[Unit]:
    """Every unit of the web, kind by kind. Tells `web` of its article sites."""
    made: list[Unit] = []
    site = ordinal = 0
    amounts = counts(web.pages)
    for kind in KINDS:
        rng = rng_for(web.seed, "units", kind.name)
        for number, pages in enumerate(_sizes(rng, kind, amounts[kind.name])):
            sites = max(1, min(pages, kind.sites(pages)))
            unit = Unit(kind.name, number, pages, site, sites, ordinal)
            if kind.mixed_languages or (kind.name == "article" and number >= QUILT_SITES):
                unit.language = pick(rng, SITE_LANGUAGES)
            if not kind.families:
                # Among the families that articles use, so that the same skeletons carry other scripts too.
                unit.ordinal = between(rng, 0, max(0, len(web.articles) - 1))
            made.append(unit)
            site += sites
            ordinal += kind.families
            if kind.name == "article":
                web.articles.append(unit)
    origins = quilts.Origins(web)
    for unit in made:
        if unit.kind in ("quilt", "quoting", "aggregator"):
            quilts.deal(web, origins, unit)
    return made


def _sizes(rng: Random, kind: Kind, total: int) -> Iterator[int]:
    """Cuts a kind's pages into units: many small ones, few large ones. Small webs get small units."""
    low, high = kind.unit
    if kind.units > 1:
        high = max(1, min(high, total // kind.units))
    low = min(low, high)
    left = total
    while left > 0:
        size = min(left, low + int((high + 1 - low) * rng.random() ** 3))
        if 0 < left - size < low:
            size = left if left <= high else size
        yield size
        left -= size


def pages(web: Web) -> Iterator[Page]:
    """All pages in the order of the crawl."""
    makers = {kind.name: kind.make for kind in KINDS}
    waiting = units(web)
    rng = rng_for(web.seed, "order")
    rng.shuffle(waiting)
    under_way: list[Iterator[Page]] = []
    while waiting or under_way:
        while waiting and len(under_way) < UNDER_WAY:
            unit = waiting.pop()
            under_way.append(makers[unit.kind](web, unit))
        place = int(rng.random() * len(under_way))
        page = next(under_way[place], None)
        if page is None:
            under_way[place] = under_way[-1]
            under_way.pop()
        else:
            yield page
