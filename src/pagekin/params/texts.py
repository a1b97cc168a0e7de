"""Parameters of the detectors that compare texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from pagekin.errors import ParamsError
from pagekin.params.checks import at_least, between, one_of

FAMILIES = ("bins", "rabin")
SHARES = ("covered", "patch")


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
            "paper": "rabin",
            "evidence": "the error of the estimates is no larger (.98 of that of independent functions; "
            "the paper's: 1.03), and shingles are made ten times as fast",
        },
    )
    seed: int = field(default=0, metadata={"doc": "another seed samples other phrases"})

    def __post_init__(self) -> None:
        between("shingles", "k", self.k, 1, 64)
        between("shingles", "m", self.m, 1, 4096)
        between("shingles", "seed", self.seed, 0, 2**63 - 1)
        if self.family not in FAMILIES:
            raise ParamsError(f"shingles.family must be {' or '.join(FAMILIES)}, not {self.family!r}")


@dataclass(frozen=True)
class DuplicateParams:
    """Duplicate classes (Fetterly et al. 2005)."""

    bands: int = field(default=6, metadata={"doc": "bands of shingles of which two must agree, 2 to 64"})
    length: int = field(default=14, metadata={"doc": "shingles in a band"})
    similarity: float = field(
        default=0.8,
        metadata={
            "doc": "link pages whose phrases have at least this Jaccard coefficient, 0.1 to 1; "
            "0 for the paper's rule, two agreeing bands of six",
            "flag": "--similarity",
            "paper": 0.0,
            "evidence": "of planted copies the rule of bands finds 68% at a similarity of .90 "
            "to .95 and 4% at "
            ".80 to .85; verified similarity finds all",
        },
    )
    wrap: bool = field(
        default=False,
        metadata={
            "doc": "compared texts wrap around: their last and first words together make phrases too",
            "paper": True,
            "evidence": "without it `jaccard` is what you would compute from the phrases in the text; "
            "nothing else changes, as a text has only four such phrases",
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
        between("duplicates", "bands", self.bands, 2, 64)
        at_least("duplicates", "length", self.length, 1)
        if self.similarity != 0 and not 0.1 <= self.similarity <= 1:
            raise ParamsError(f"duplicates.similarity must be 0 or from 0.1 to 1, not {self.similarity}")


@dataclass(frozen=True)
class FuzzyParams:
    """Exact and fuzzy duplicates (Figuerola et al. 2011)."""

    threshold: int = field(
        default=90,
        metadata={
            "doc": "pages with at least this ssdeep score are near duplicates, 1 to 100",
            "flag": "--fuzzy-threshold",
        },
    )
    min_length: int = field(
        default=10,
        metadata={
            "doc": "ignore digests whose longer signature has fewer characters, 7 to 64",
            "flag": "--fuzzy-min-length",
            "paper": 7,
            "evidence": "of 600,000 phrases, 0.03% of those with digests of 7 characters had the digest of "
            "another; with 10 characters and more none had",
        },
    )

    similarity: float = field(
        default=0.8,
        metadata={
            "doc": "keep near duplicates whose phrases have at least this Jaccard coefficient with their "
            "representative's, 0.1 to 1; 0 to trust the score",
            "flag": "--fuzzy-similarity",
            "paper": 0.0,
            "evidence": "of 349 pairs with a score of 90 or more (1,823 packages), 23% have a text "
            "similarity of .8: 19% of texts below 500 characters, 12% from 500 to 2,000, 60% above; no "
            "threshold makes it 90%",
        },
    )

    def __post_init__(self) -> None:
        if self.similarity != 0 and not 0.1 <= self.similarity <= 1:
            raise ParamsError(f"fuzzy.similarity must be 0 or from 0.1 to 1, not {self.similarity}")
        between("fuzzy", "threshold", self.threshold, 1, 100)
        between("fuzzy", "min_length", self.min_length, 7, 64)


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
            "doc": "a quilt has at least this fraction of its grams from other pages (counted as share says)",
            "flag": "--quilt-theta",
        },
    )
    share: str = field(
        default="covered",
        metadata={
            "doc": "count the grams that the named sources cover, or all patch grams",
            "flag": "--quilt-share",
            "choices": SHARES,
            "paper": "patch",
            "evidence": "patch grams count what a site shares with itself: 52% of the quilts "
            "had half of their text "
            "on other sites; by covered grams all had, and all planted quilts are found",
        },
    )
    foreign: str = field(
        default="domain",
        metadata={
            "doc": "a source must be on another host, domain or IP address than the quilt",
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
    min_shared: float = field(
        default=0.1,
        metadata={
            "doc": "list every page that holds at least this fraction of a quilt's grams in all_sources",
            "flag": "--min-shared",
        },
    )
    earlier_only: bool = field(
        default=False,
        metadata={
            "doc": "a source with a known date must not be later than the quilt",
            "flag": "--earlier-only",
        },
    )
    dates: str = field(
        default="",
        metadata={
            "doc": "a file of lines `URL date` that override the crawl's dates (for earlier_only)",
            "flag": "--dates",
        },
    )
    copies: float = field(
        default=0.95,
        metadata={
            "doc": "near-duplicates take no part if they are at least this similar to their representative",
            "paper": 0.0,
            "evidence": "pages of one site with much boilerplate are .8 alike: with all of "
            "their class left out, text "
            "that only one of them has finds no source (.98 of planted quilts with all sources, else all)",
        },
    )
    keep_duplicates: bool = field(
        default=False,
        metadata={
            "doc": "look for quilts among near-duplicates too",
            "flag": "--keep-duplicates",
            "paper": True,
            "evidence": "a text with more than m mirrors has no patch grams, and quilts of it have no "
            "source; on 338 packages, where mirrors are few, it changes 1 of 71 quilts",
        },
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
        between("quilts", "k", self.k, 1, 64)
        between("quilts", "m", self.m, 1, 2**31 - 1)
        between("quilts", "c", self.c, 0, 2**31 - 1)
        between("quilts", "theta", self.theta, 0, 1)
        between("quilts", "min_share", self.min_share, 0, 1)
        between("quilts", "seed", self.seed, 0, 2**63 - 1)
        between("quilts", "copies", self.copies, 0, 1)
        between("quilts", "min_shared", self.min_shared, 0, 1)
        one_of("quilts", "share", self.share, SHARES)
        if self.dates and not self.earlier_only:
            raise ParamsError("quilts.dates says when pages were written, which only earlier_only asks for")
        one_of("quilts", "foreign", self.foreign, ("none", "host", "domain", "ip"))


@dataclass(frozen=True)
class PhraseParams:
    """Popular phrases, covers and sites (Fetterly et al. 2005)."""

    popular: int = field(
        default=5,
        metadata={
            "doc": "a phrase is popular if at least this many pages have it as the same shingle",
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
        default=64, metadata={"doc": "a phrase offers at most this many pages as donors, 2 or more"}
    )
    prune: bool = field(
        default=False,
        metadata={"doc": "drop donors that later donors make redundant", "flag": "--prune-covers"},
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
        at_least("phrases", "popular", self.popular, 2)
        at_least("phrases", "min_popular", self.min_popular, 1)
        between("phrases", "holders", self.holders, 2, 2**31)
        at_least("phrases", "site_pages", self.site_pages, 1)
        if self.site not in ("host", "domain", "ip"):
            raise ParamsError(f"phrases.site must be host, domain or ip, not {self.site!r}")
