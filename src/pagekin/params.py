"""Parameters: one frozen dataclass per part of the work, with the papers' defaults.

A field whose metadata names a `flag` is a flag of `pagekin scan` too. A parameter file is TOML with one table
per part:

    [read]
    keep_errors = true
    max_page_bytes = 1000000
"""

from __future__ import annotations

import dataclasses
import math
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pagekin.errors import ParamsError

MIB = 1 << 20


def _at_least(part: str, name: str, value: int, least: int) -> None:
    if value < least:
        raise ParamsError(f"{part}.{name} must be at least {least}, not {value}")


def _between(part: str, name: str, value: float, least: int, most: int) -> None:
    if not least <= value <= most:
        raise ParamsError(f"{part}.{name} must be from {least} to {most}, not {value}")


def _one_of(part: str, name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParamsError(f"{part}.{name} must be one of {', '.join(known)}, not {value!r}")


@dataclass(frozen=True)
class ReadParams:
    """Which records of a crawl are pages."""

    keep_errors: bool = field(
        default=False,
        metadata={"doc": "keep pages whose HTTP status is not 200", "flag": "--keep-errors"},
    )
    max_page_bytes: int = field(
        default=64 * MIB, metadata={"doc": "skip pages larger than this after content decoding"}
    )
    base: str = field(
        default="",
        metadata={
            "doc": "folder or URL of the files that an index (CDX, CDXJ, Parquet) names; "
            "by default where the index is",
            "flag": "--base",
        },
    )

    def __post_init__(self) -> None:
        _at_least("read", "max_page_bytes", self.max_page_bytes, 1)


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
        _between("style", "n", self.n, 1, 64)
        _between("style", "m", self.m, 1, 4096)
        _between("style", "seed", self.seed, 0, 2**63 - 1)
        _between("style", "t", self.t, 1, self.m)
        # A probe of more dimensions than must match would miss pairs that do.
        _between("style", "k", self.k, 1, min(8, self.t))
        if not self.miss:
            _between("style", "p", self.p, 1, self.m if self.k == 1 else 4096)
        _at_least("style", "budget", self.budget, 2)
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
        most = self.m if self.k == 1 else 4096
        for p in range(1, most + 1):
            if self._missed(p) <= miss:
                return p
        raise ParamsError(f"style.miss = {miss} needs more than {most} probes of {self.k} dimensions")

    def _missed(self, p: int) -> float:
        if self.k == 1:
            # Different dimensions: none of the p is among the t.
            return math.comb(self.m - p, self.t) / math.comb(self.m, self.t)
        # Independent subsets: each has its own chance to lie within the t.
        return (1 - math.comb(self.t, self.k) / math.comb(self.m, self.k)) ** p


FAMILIES = ("bins", "rabin")


@dataclass(frozen=True)
class ShingleParams:
    """Shingles (Fetterly et al. 2005)."""

    k: int = field(
        default=5,
        metadata={"doc": "words in a phrase of which shingles are made, 1 to 64", "flag": "--shingle-k"},
    )
    m: int = field(default=84, metadata={"doc": "shingles of a page, 1 to 4096"})
    family: str = field(
        default="bins",
        metadata={
            "doc": "functions that choose a page's shingles: the fast ones or the paper's",
            "flag": "--shingle-family",
            "choices": FAMILIES,
        },
    )
    seed: int = field(default=0, metadata={"doc": "another seed samples other phrases"})

    def __post_init__(self) -> None:
        _between("shingles", "k", self.k, 1, 64)
        _between("shingles", "m", self.m, 1, 4096)
        _between("shingles", "seed", self.seed, 0, 2**63 - 1)
        if self.family not in FAMILIES:
            raise ParamsError(f"shingles.family must be {' or '.join(FAMILIES)}, not {self.family!r}")


@dataclass(frozen=True)
class DuplicateParams:
    """Duplicate classes (Fetterly et al. 2005)."""

    runs: int = field(default=6, metadata={"doc": "runs of shingles of which two must agree, 2 to 64"})
    length: int = field(default=14, metadata={"doc": "shingles in a run"})
    similarity: float = field(
        default=0.0,
        metadata={
            "doc": "link pages whose phrases have at least this Jaccard coefficient, 0.1 to 1; "
            "0 for the paper's rule, two agreeing runs of six",
            "flag": "--similarity",
        },
    )
    unchecked: bool = field(
        default=False,
        metadata={
            "doc": "do not compare each duplicate with its representative: jaccard stays null",
            "flag": "--unchecked",
        },
    )

    def __post_init__(self) -> None:
        _between("duplicates", "runs", self.runs, 2, 64)
        _at_least("duplicates", "length", self.length, 1)
        if self.similarity != 0 and not 0.1 <= self.similarity <= 1:
            raise ParamsError(f"duplicates.similarity must be 0 or from 0.1 to 1, not {self.similarity}")


@dataclass(frozen=True)
class FuzzyParams:
    """Exact and fuzzy duplicates (Figuerola et al. 2011)."""

    threshold: int = field(
        default=90,
        metadata={"doc": "ssdeep score that makes near duplicates, 1 to 100", "flag": "--fuzzy-threshold"},
    )
    least: int = field(
        default=10,
        metadata={
            "doc": "characters that a digest's longer signature must have to say anything, 7 to 64",
            "flag": "--fuzzy-least",
        },
    )

    def __post_init__(self) -> None:
        _between("fuzzy", "threshold", self.threshold, 1, 100)
        _between("fuzzy", "least", self.least, 7, 64)


@dataclass(frozen=True)
class QuiltParams:
    """Quilts (Najork 2012)."""

    k: int = field(default=5, metadata={"doc": "words in a gram, 1 to 64", "flag": "--quilt-k"})
    m: int = field(
        default=50,
        metadata={"doc": "a patch gram is on 2 to this many pages", "flag": "--quilt-m"},
    )
    c: int = field(default=4, metadata={"doc": "a quilt has at least this many sources", "flag": "--quilt-c"})
    theta: float = field(
        default=0.5,
        metadata={
            "doc": "at least this fraction of a quilt's grams are patch grams",
            "flag": "--quilt-theta",
        },
    )
    foreign: str = field(
        default="domain",
        metadata={
            "doc": "a source must be on another host, domain or address than the quilt",
            "flag": "--foreign",
            "choices": ("none", "host", "domain", "ip"),
        },
    )
    min_share: float = field(
        default=0.0,
        metadata={
            "doc": "each source newly covers at least this fraction of the quilt's patch grams",
            "flag": "--min-share",
        },
    )
    keep_duplicates: bool = field(
        default=False,
        metadata={"doc": "seek quilts among near-duplicates too", "flag": "--keep-duplicates"},
    )
    verify: bool = field(
        default=False,
        metadata={"doc": "compare words where the hashes of grams are equal", "flag": "--verify"},
    )
    keep_grams: bool = field(
        default=False,
        metadata={"doc": "keep an index of all grams, for `check --quilts`", "flag": "--keep-grams"},
    )
    seed: int = field(default=0, metadata={"doc": "another seed hashes grams differently"})

    def __post_init__(self) -> None:
        _between("quilts", "k", self.k, 1, 64)
        _between("quilts", "m", self.m, 1, 2**31 - 1)
        _between("quilts", "c", self.c, 0, 2**31 - 1)
        _between("quilts", "theta", self.theta, 0, 1)
        _between("quilts", "min_share", self.min_share, 0, 1)
        _between("quilts", "seed", self.seed, 0, 2**63 - 1)
        _one_of("quilts", "foreign", self.foreign, ("none", "host", "domain", "ip"))


@dataclass(frozen=True)
class ServerParams:
    """What is one site."""

    map: str = field(
        default="",
        metadata={
            "doc": "a file of lines `host-or-domain name`: what bears one name is one site; "
            "the table `sites` takes it with --site domain only",
            "flag": "--server-map",
        },
    )


@dataclass(frozen=True)
class PhraseParams:
    """Popular phrases, covers and sites (Fetterly et al. 2005)."""

    popular: int = field(
        default=5,
        metadata={
            "doc": "a phrase is popular when one function chose it on this many pages",
            "flag": "--popular",
        },
    )
    min_popular: int = field(
        default=30,
        metadata={
            "doc": "pages with at least this many popular shingles get a cover",
            "flag": "--min-popular",
        },
    )
    holders: int = field(
        default=64, metadata={"doc": "pages that a phrase offers as donors at most, 2 or more"}
    )
    prune: bool = field(
        default=False,
        metadata={"doc": "drop donors that later ones made redundant", "flag": "--prune-covers"},
    )
    site: str = field(
        default="host",
        metadata={"doc": "what a site is", "flag": "--site", "choices": ("host", "domain", "ip")},
    )
    site_pages: int = field(default=10, metadata={"doc": "a ranked site has at least this many pages"})
    site_mean: float = field(
        default=30.0,
        metadata={"doc": "a ranked site's pages have at least this many popular shingles on average"},
    )
    site_deviation: float = field(
        default=15.0, metadata={"doc": "a ranked site's popular shingles deviate by less than this"}
    )

    def __post_init__(self) -> None:
        _at_least("phrases", "popular", self.popular, 2)
        _at_least("phrases", "min_popular", self.min_popular, 1)
        _between("phrases", "holders", self.holders, 2, 2**31)
        _at_least("phrases", "site_pages", self.site_pages, 1)
        if self.site not in ("host", "domain", "ip"):
            raise ParamsError(f"phrases.site must be host, domain or ip, not {self.site!r}")


@dataclass(frozen=True)
class Params:
    """All parameters of a run."""

    read: ReadParams = field(default_factory=ReadParams, metadata={"doc": "reading the crawl"})
    style: StyleParams = field(default_factory=StyleParams, metadata={"doc": "style fingerprints"})
    shingles: ShingleParams = field(default_factory=ShingleParams, metadata={"doc": "shingles"})
    duplicates: DuplicateParams = field(
        default_factory=DuplicateParams, metadata={"doc": "duplicate classes"}
    )
    quilts: QuiltParams = field(default_factory=QuiltParams, metadata={"doc": "quilts"})
    fuzzy: FuzzyParams = field(default_factory=FuzzyParams, metadata={"doc": "exact and fuzzy duplicates"})
    servers: ServerParams = field(default_factory=ServerParams, metadata={"doc": "what is one site"})
    phrases: PhraseParams = field(
        default_factory=PhraseParams, metadata={"doc": "popular phrases, covers and sites"}
    )

    def __post_init__(self) -> None:
        need = self.duplicates.runs * self.duplicates.length
        if not self.duplicates.similarity and need > self.shingles.m:
            raise ParamsError(
                f"duplicates: {self.duplicates.runs} runs of {self.duplicates.length} need {need} shingles, "
                f"but shingles.m is {self.shingles.m}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The parameters as plain values, as `run.json` records them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Params:
        """Checks names, types and ranges.

        Examples:
            >>> Params.from_dict({"read": {"keep_errors": True}}).read.keep_errors
            True
        """
        parts = {f.name: type(getattr(cls(), f.name)) for f in dataclasses.fields(cls)}
        unknown = sorted(values.keys() - parts.keys())
        if unknown:
            raise ParamsError(f"unknown part [{unknown[0]}]; known parts: {', '.join(sorted(parts))}")
        return cls(**{name: _part(name, parts[name], given) for name, given in values.items()})

    @classmethod
    def from_toml(cls, path: Path) -> Params:
        """Reads a parameter file."""
        try:
            return cls.from_dict(tomllib.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise ParamsError(f"cannot read the parameter file {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ParamsError(f"{path} is not a TOML file: {error}") from error

    def replace(self, part: str, **values: Any) -> Params:
        """The same with some values of one part replaced."""
        old = getattr(self, part)
        return dataclasses.replace(self, **{part: dataclasses.replace(old, **values)})


def _part(name: str, cls: type, given: object) -> Any:
    if not isinstance(given, dict):
        raise ParamsError(f"[{name}] must be a table of parameters")
    known = {f.name: f for f in dataclasses.fields(cls)}
    for key, value in given.items():
        if key not in known:
            raise ParamsError(f"unknown parameter {name}.{key}; known: {', '.join(sorted(known))}")
        wanted = type(known[key].default)
        # A bool is an int to Python, but not to a reader of the file.
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise ParamsError(f"{name}.{key} must be {wanted.__name__}, not {type(value).__name__}")
    return cls(**given)
