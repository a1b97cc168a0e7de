"""The lists of the app: which columns and filters each has, in words."""

from __future__ import annotations

from pagekin.look.table import ShownColumn
from pagekin.tables.styles import STYLE_KINDS
from pagekin.web.listing import Filter, TableListing

QUILTS = TableListing(
    "quilts",
    (
        ShownColumn("page", "url", "url"),
        ShownColumn(
            "shared text", "percent", "covered_fraction", "share of its grams that the named sources have"
        ),
        ShownColumn("sources", "count", "sources"),
        ShownColumn("on other sites", "count", "foreign_sources"),
        ShownColumn("linked", "percent", "attributed_share", "share of the text whose source it links to"),
        ShownColumn("words", "count", "words"),
    ),
    "-covered_fraction",
    "page",
    (
        Filter("site", "domain has", "domain"),
        Filter("shared", "shared text at least", "covered_fraction", "min", hint="0.5"),
        Filter("sources", "sources at least", "sources", "min"),
    ),
    "page",
)

CLUSTERS = TableListing(
    "clusters",
    (
        ShownColumn("rank", "count", "rank"),
        ShownColumn("most typical page", "url", "centroid_url"),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("domains", "count", "domains"),
        ShownColumn(
            "similarity", "similarity", "mean_similarity", "mean similarity to the most typical page"
        ),
        ShownColumn("kind", "tag", "kind"),
        ShownColumn("made with", "text", "name", width=30),
        ShownColumn("held together", "percent", "cohesion", "linked pairs of all pairs"),
    ),
    "rank",
    "cluster",
    (
        Filter("domains", "domains at least", "domains", "min"),
        Filter("similarity", "similarity at least", "mean_similarity", "min", hint="0.9"),
        Filter("kind", "kind", "kind", "is", STYLE_KINDS),
        Filter("name", "made with", "name"),
    ),
    "cluster",
    "mean_similarity",
)

CLASSES = TableListing(
    "classes",
    (
        ShownColumn("first page", "url", "url"),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("domains", "count", "domains"),
        ShownColumn("the same", "count", "exact", "pages with the first one's text, byte for byte"),
        ShownColumn("almost", "count", "near"),
        ShownColumn("least alike", "percent", "least_jaccard", "phrases in common with the first page"),
    ),
    "-pages",
    "class",
    (
        Filter("site", "domain has", "domain"),
        Filter("domains", "domains at least", "domains", "min"),
        Filter("pages", "pages at least", "pages", "min"),
    ),
    "class",
)

PHRASES = TableListing(
    "phrases",
    (
        ShownColumn("phrase", "text", "phrase", width=64),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("domains", "count", "domains"),
        ShownColumn("kind", "tag", "kind"),
        ShownColumn("for example", "url", "example_url"),
    ),
    "-pages",
    "phrase",
    (
        Filter("phrase", "phrase has", "phrase"),
        Filter("kind", "kind", "kind", "is", ("counting", "legal", "navigation", "template", "idiom")),
        Filter("domains", "domains at least", "domains", "min"),
    ),
)

DOMAINS = TableListing(
    "domains",
    (
        ShownColumn("site", "text", "domain", width=40),
        ShownColumn("pages", "count", "pages"),
        ShownColumn("hosts", "count", "hosts"),
        ShownColumn("templates", "count", "clusters"),
        ShownColumn("quilts", "count", "quilts"),
        ShownColumn("copies", "count", "copies", "pages that repeat an earlier one"),
        ShownColumn("its own text", "percent", "originality", "mean share of grams that no other page has"),
    ),
    "-pages",
    "domain",
    (
        Filter("site", "name has", "domain"),
        Filter("pages", "pages at least", "pages", "min"),
        Filter("quilts", "quilts at least", "quilts", "min"),
    ),
    "site",
)

WHERE = {"quilts": QUILTS, "clusters": CLUSTERS, "copies": CLASSES, "phrases": PHRASES, "sites": DOMAINS}
"""The lists by the path that leads to them."""

FOUND = {
    "quilts": (("quilt", "quilts"), "pages made mostly of other pages’ text"),
    "clusters": (("template", "templates"), "groups of pages written alike"),
    "copies": (("class of copies", "classes of copies"), "pages with the same text, or almost"),
    "phrases": (("popular phrase", "popular phrases"), "{k} words in a row that many pages have"),
    "sites": (("site", "sites"), "registered domains and their pages"),
}
"""What is listed, one and many of it, and what that is."""
