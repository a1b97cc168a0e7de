"""What all makers of pages share: the seed, the families, the sites, and the units they are asked to make."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from pagekin.synth.page import Page
from pagekin.synth.rand import rng_for
from pagekin.synth.site import Site, SiteInfo, site_info
from pagekin.synth.skeleton import OWN_FAMILIES, TemplateFamily, family_number
from pagekin.synth.vocabulary import Vocabulary, vocabulary


class Origin(NamedTuple):
    """A document that a passage is from: its unit's place in the list of article sites, and its number."""

    site: int
    document: int


@dataclass(slots=True)
class Unit:
    """Pages that are made together: a site, or a group of sites that belong together."""

    kind: str
    number: int  # among the units of its kind
    pages: int
    site: int  # number of its first site; it may use `sites` of them
    sites: int
    ordinal: int  # decides its template family
    language: str = "qaa-Latn"
    origins: list[list[Origin]] = field(default_factory=list)


Maker = Callable[["Web", Unit], Iterator[Page]]


class Web:
    """A web of so many pages from one seed."""

    def __init__(self, seed: int, pages: int) -> None:
        self.seed = seed
        self.pages = pages
        self.families: dict[int, TemplateFamily] = {}
        self.articles: list[Unit] = []  # the article sites, which quilts draw on
        self._article_infos: dict[int, SiteInfo] = {}

    def rng(self, unit: Unit, *more: int | str) -> Random:
        """The generator of a unit, or of a named part of it."""
        return rng_for(self.seed, unit.kind, unit.number, *more)

    def words(self, language: str) -> Vocabulary:
        """The vocabulary of a language."""
        return vocabulary(language, self.seed)

    def family(self, number: int) -> TemplateFamily:
        """A template family, made when first asked for. Those of mirrored sites are met once and not kept."""
        found = self.families.get(number)
        if found is None:
            found = TemplateFamily(self.seed, number)
            if number < OWN_FAMILIES:
                self.families[number] = found
        return found

    def info(
        self,
        unit: Unit,
        offset: int = 0,
        *,
        family: int | None = None,
        made: TemplateFamily | None = None,
        charset: str = "utf-8",
        declared: str | None = None,
        ip: str | None = None,
    ) -> SiteInfo:
        """Who the offset-th site of a unit is."""
        if unit.kind == "article":  # asked for again by every page that takes from it
            known = self._article_infos.get(unit.site)
            if known is not None:
                return known
        chosen = family_number(self.seed, unit.ordinal, self.pages) if family is None else family
        info = site_info(
            self.seed, unit.site + offset, made or self.family(chosen), chosen,
            language=unit.language, charset=charset, declared=declared, ip=ip,
        )  # fmt: skip
        if unit.kind == "article":
            self._article_infos[unit.site] = info
        return info

    def site(self, info: SiteInfo) -> Site:
        """How that site writes."""
        return Site(self.seed, info, self.family(info.family))
