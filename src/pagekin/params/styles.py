"""Parameters of style fingerprints and clusters, and what they leave to chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from pagekin.errors import ParamsError
from pagekin.params.checks import at_least, between


@dataclass(frozen=True)
class StyleParams:
    """Style fingerprints and clusters (Urvoy et al. 2006)."""

    n: int = field(
        default=32, metadata={"doc": "characters of noise in an n-gram, 1 to 64", "flag": "--style-n"}
    )
    m: int = field(
        default=128, metadata={"doc": "dimensions of a fingerprint, 1 to 4096", "flag": "--style-m"}
    )
    seed: int = field(default=0, metadata={"doc": "another seed samples other n-grams, probes other places"})
    k: int = field(default=1, metadata={"doc": "dimensions of a probe, 1 to 8", "flag": "--style-k"})
    p: int = field(default=20, metadata={"doc": "probes", "flag": "--style-p"})
    t: int = field(
        default=35, metadata={"doc": "matching dimensions that link two pages", "flag": "--style-t"}
    )
    miss: float = field(
        default=0.0,
        metadata={
            "doc": "choose the number of probes so that at most this share of linked pairs is missed",
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
        # A probe of more dimensions than must match would miss pairs that do.
        between("style", "k", self.k, 1, min(8, self.t))
        if not self.miss:
            between("style", "p", self.p, 1, self.m if self.k == 1 else 4096)
        at_least("style", "budget", self.budget, 2)
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
            >>> round(StyleParams(p=14).miss_rate, 4)
            0.0085
        """
        return cls(m=m, t=t, k=k, p=cls(m=m, t=t, k=k, p=1, miss=miss)._fewest(miss))

    @property
    def probes(self) -> int:
        """How many probes there are: p, or as many as `miss` asks for."""
        return self._fewest(self.miss) if self.miss else self.p

    @property
    def miss_rate(self) -> float:
        """The chance that a pair which matches in exactly t dimensions is met by no probe."""
        return self._missed(self.probes)

    def _fewest(self, miss: float) -> int:
        maximum = self.m if self.k == 1 else 4096
        for p in range(1, maximum + 1):
            if self._missed(p) <= miss:
                return p
        raise ParamsError(f"style.miss = {miss} needs more than {maximum} probes of {self.k} dimensions")

    def _missed(self, p: int) -> float:
        if self.k == 1:
            # Different dimensions: none of the p is among the t.
            return math.comb(self.m - p, self.t) / math.comb(self.m, self.t)
        # Independent subsets: each has its own chance to lie within the t.
        return (1 - math.comb(self.t, self.k) / math.comb(self.m, self.k)) ** p
