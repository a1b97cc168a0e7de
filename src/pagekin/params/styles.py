"""Parameters of style fingerprints and clusters, and what they leave to chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from pagekin.errors import ParamsError
from pagekin.params.checks import at_least, between, one_of

RANKS = ("weight", "score")

WITHIN_SITE = (114 / 128, 95 / 128)
"""Shares of the dimensions of noise and structure that must match to tell page types apart."""


@dataclass(frozen=True)
class StyleParams:
    """Style fingerprints and clusters (Urvoy et al. 2006)."""

    n: int = field(
        default=12,
        metadata={
            "doc": "characters of noise in an n-gram, 1 to 64",
            "flag": "--style-n",
            "paper": 32,
            "evidence": "shorter n-grams survive small differences between versions of a template: with "
            "t = 50, noise without content alone finds .89 of a generator's pages on other sites",
        },
    )
    m: int = field(
        default=128, metadata={"doc": "dimensions of a fingerprint, 1 to 4096", "flag": "--style-m"}
    )
    seed: int = field(default=0, metadata={"doc": "another seed samples other n-grams, probes other places"})
    k: int = field(default=1, metadata={"doc": "dimensions of a probe, 1 to 8", "flag": "--style-k"})
    p: int = field(default=20, metadata={"doc": "probes", "flag": "--style-p"})
    t: int = field(
        default=50,
        metadata={
            "doc": "link two pages if at least this many dimensions of the noise match",
            "flag": "--style-t",
            "paper": 35,
            "evidence": "goes with n = 12: of 20,000 pages, no two of unrelated generators match in 50; "
            "at 40, DocBook and gtk-doc become one cluster",
        },
    )
    content: bool = field(
        default=False,
        metadata={
            "doc": "what stands inside of scripts, style sheets, drawings (svg) and texts is noise too, "
            "not only what stands in tags and beside them",
            "paper": True,
            "evidence": "the text of one licence joined all pages of unlike generators, an inline script 81 "
            "pages of them, and the same icons as many",
        },
    )
    structure_t: int = field(
        default=56,
        metadata={
            "doc": "link two pages also if at least this many dimensions of the structure match; "
            "0 to ignore the structure",
            "flag": "--style-structure-t",
            "paper": 0,
            "evidence": "tags with the names of their attributes and classes find what noise misses: "
            "recall rises from .89 to .91 (mean over generators .66 to .72) at a purity of .9999; at 48, "
            "unlike generators become one cluster under 7 of 8 divisions of the hashes",
        },
    )
    over_m: bool = field(
        default=False,
        metadata={
            "doc": "a similarity is the matching dimensions divided by all m; else by those that either page "
            "fills, less chance",
            "paper": True,
            "evidence": "pages of few n-grams do not fill all dimensions: divided by m, their similarity "
            "comes out too low; divided by those filled, it is within .005 of the exact one on average",
        },
    )
    rank: str = field(
        default="weight",
        metadata={
            "doc": "the column of style_clusters by which they are ranked",
            "choices": RANKS,
            "paper": "score",
            "evidence": "in 12 crawls of three packages each, .78 of the main templates come first; by "
            "the paper's score, which does not count pages, .59",
        },
    )
    miss: float = field(
        default=0.0,
        metadata={
            "doc": "choose the number of probes so that at most this share of linked pairs is missed; "
            "0 to leave it as given",
            "flag": "--style-miss",
        },
    )
    budget: int = field(
        default=2048, metadata={"doc": "fingerprints in a bucket up to which all its pairs are compared"}
    )
    split_worms: bool = field(
        default=False, metadata={"doc": "cut worm-shaped clusters at weak bridges", "flag": "--split-worms"}
    )

    def __post_init__(self) -> None:
        between("style", "n", self.n, 1, 64)
        between("style", "m", self.m, 1, 4096)
        between("style", "seed", self.seed, 0, 2**63 - 1)
        between("style", "t", self.t, 1, self.m)
        between("style", "structure_t", self.structure_t, 0, self.m)
        # A probe of more dimensions than must match would miss pairs that do.
        between("style", "k", self.k, 1, min(8, self.t, self.structure_t or self.t))
        if not self.miss:
            between("style", "p", self.p, 1, self.m if self.k == 1 else 4096)
        at_least("style", "budget", self.budget, 2)
        one_of("style", "rank", self.rank, RANKS)
        if not 0 <= self.miss < 1:
            raise ParamsError(f"style.miss must be from 0 to below 1, not {self.miss}")
        if self.miss:
            self._fewest(self.miss)

    @classmethod
    def for_miss_rate(cls, miss: float, *, m: int = 128, t: int = 35, k: int = 1) -> StyleParams:
        """The fewest probes that miss at most this share of the pairs that match in t dimensions.

        Examples:
            >>> StyleParams.for_miss_rate(0.01).p
            14
            >>> round(StyleParams(t=35, p=14).miss_rate, 4)
            0.0085
        """
        base = cls(m=m, t=t, structure_t=0, k=k, p=1, miss=miss)
        return replace(base, p=base._fewest(miss), miss=0.0)

    def within_site(self) -> StyleParams:
        """Higher thresholds, so that clusters are the types of page that a site has, not its style.

        Examples:
            >>> params = StyleParams().within_site()
            >>> params.t, params.structure_t
            (114, 95)
        """
        noise, structure = (max(round(share * self.m), 1) for share in WITHIN_SITE)
        return replace(self, t=noise, structure_t=structure)

    @property
    def probes(self) -> int:
        """How many probes there are: p, or as many as `miss` asks for."""
        return self._fewest(self.miss) if self.miss else self.p

    @property
    def miss_rate(self) -> float:
        """The chance that no probe meets a pair which matches in exactly t dimensions, of either kind."""
        return self._missed(self.probes)

    def _fewest(self, miss: float) -> int:
        maximum = self.m if self.k == 1 else 4096
        for p in range(1, maximum + 1):
            if self._missed(p) <= miss:
                return p
        raise ParamsError(f"style.miss = {miss} needs more than {maximum} probes of {self.k} dimensions")

    def _missed(self, p: int) -> float:
        t = min(self.t, self.structure_t or self.t)
        if self.k == 1:
            # Different dimensions: none of the p is among the t.
            return math.comb(self.m - p, t) / math.comb(self.m, t)
        # Independent subsets: each has its own chance to lie within the t.
        return (1 - math.comb(t, self.k) / math.comb(self.m, self.k)) ** p
