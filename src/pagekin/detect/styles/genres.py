"""Names for clusters, from what their pages say of themselves: generator, title, and well-known phrases."""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.detect.joins import lookup
from pagekin.run import Run

FORUMS = (
    "phpBB|vBulletin|Simple Machines|SMF|MyBB|Discourse|FluxBB|PunBB|XenForo|Invision|Vanilla|YaBB|Phorum"
)
OTHERS = (
    "WordPress|MediaWiki|Drupal|Joomla|TYPO3|DokuWiki|MoinMoin|TWiki|Foswiki|XWiki|Confluence|Movable Type|"
    "Blogger|Tumblr|Ghost|Serendipity|Textpattern|Hugo|Jekyll|Plone|SPIP|Moodle|Magento|PrestaShop|osCommerce|"
    "Zen Cart|OpenCart|Shopify|Gallery|Coppermine|ViewVC|GitLab|Gitea|Trac|Redmine|Bugzilla|MantisBT|Mailman"
)
"""Software that many sites run and name at the foot of their pages."""

TITLES: tuple[tuple[str, str], ...] = (
    ("directory listing", r"^Index of /|^Directory listing (for|of) |^Listing of /"),
    (
        "default server page",
        r"Apache2? .*Default Page|^Apache HTTP Server Test Page|^Test Page for the Apache",
    ),
    (
        "default server page",
        r"^Welcome to nginx|^IIS7?$|^IIS Windows Server|^It works!?$|^Welcome to OpenResty",
    ),
    ("default server page", r"^(Caddy|lighttpd|Apache Tomcat/\S+|Default Web Site Page)\b"),
    ("parked domain", r"(?i)\b(domain|website) .{0,40}\b(is )?(for sale|parked|expired)\b|^Parked\b"),
    ("error page", r"(?i)^(4\d\d|5\d\d)\b|\b(page|file) not found\b|^Error \d\d\d"),
)
"""A genre, and patterns of its titles."""

TEXTS: tuple[tuple[str, str], ...] = (
    ("parked domain", r"(?i)\bthis domain (name )?(is|may be) (parked|for sale)|\bbuy this domain\b"),
    ("parked domain", r"(?i)\bdomain (is )?parked (free|by|with)\b|\bparked domain\b"),
    (
        "default server page",
        r"(?i)\bweb ?server (works|is working|software is running)\b|\bserver .{0,40}was installed\b",
    ),
    (
        "default server page",
        r"(?i)\bno (site|content) has been (put|added|uploaded)\b|\bdefault (welcome|web) page\b",
    ),
    ("directory listing", r"(?i)^\s*Index of /\S*\s.*\bLast modified\b"),
    ("forum", rf"(?i)\b(?:powered by|forum software(?: by)?)\W+(?P<maker>{FORUMS})\b"),
    ("software", rf"(?i)\b(?:powered|published|generated) (?:by|with)\W+(?P<maker>{OTHERS})\b"),
)
"""A genre, and what a centroid's text says; the group `maker` names the software."""

GENERATORS: tuple[tuple[str, str], ...] = (
    ("forum", rf"(?i)\b({FORUMS}|board|forum|bulletin)\b"),
    ("parked domain", r"(?i)\bpark"),
)
"""A genre, and the generators that make it."""

PRODUCT = re.compile(r"(?i)^(?:powered|generated|created|built|produced)\s+(?:by|with)\s+|^generator:\s*")
VERSION = re.compile(r"\s*[,;(/\[]?\s*\bv?\d.*$|\s*[;,(\[].*$|\s*https?://.*$")

TEXT_EDGE = 10_000
"""Characters at each end of a text that are searched."""

_SPELLED = {name.lower(): name for name in f"{FORUMS}|{OTHERS}".split("|")}

MIN_SHARE = 0.5
"""This share of the members must say the same."""


def product(generator: str) -> str:
    """The software's name without its version.

    Examples:
        >>> product("Agora Board 2.0.21"), product("powered by WordPress.com"), product("Doxygen 1.9.4")
        ('Agora Board', 'WordPress.com', 'Doxygen')
    """
    name = VERSION.sub("", PRODUCT.sub("", generator.strip())).strip(" -:;,")
    return name or generator.strip()


def genre(generator: str | None, title: str | None) -> str | None:
    """The genre of one page, by its generator and title.

    Examples:
        >>> genre(None, "Index of /pub"), genre("phpBB 3.1", "A board"), genre("Doxygen 1.9", "Main page")
        ('directory listing', 'forum: phpBB', 'software: Doxygen')
    """
    found = next((name for name, pattern in TITLES if title and re.search(pattern, title)), None)
    if found:
        return found
    if generator:
        maker = product(generator)
        kind = next((name for name, pattern in GENERATORS if re.search(pattern, generator)), "software")
        return f"{kind}: {maker}"
    return None


def name_clusters(
    members: pa.Table, clusters: pa.ChunkedArray, centroids: pa.ChunkedArray, run: Run
) -> pa.Array:
    """A name for each of the clusters; null where the pages name none."""
    said = members.select(["cluster", "generator", "title"])
    kinds = said.group_by(["generator", "title"], use_threads=False).aggregate([])
    names = [genre(row["generator"], row["title"]) for row in kinds.to_pylist()]
    keyed = kinds.append_column("name", pa.array(names, pa.string()))
    keyed = keyed.append_column("key", _key(keyed))
    said = said.append_column("name", lookup(_key(said), keyed, "key", "name"))
    votes = said.group_by(["cluster", "name"], use_threads=False).aggregate([("name", "count")])
    totals = said.group_by("cluster", use_threads=False).aggregate([([], "count_all")])
    share = pc.divide(
        pc.cast(votes["name_count"], pa.float64()),
        pc.cast(lookup(votes["cluster"], totals, "cluster", "count_all"), pa.float64()),
    )
    won = votes.filter(pc.greater(share, MIN_SHARE))
    by_vote = lookup(clusters, won, "cluster", "name")
    texts = run.page_columns("texts", ["text"], centroids)["text"]
    by_text = [_by_text(text) for text in texts.to_pylist()]
    return pc.coalesce(by_vote, pa.array(by_text, pa.string()))


def _key(table: pa.Table) -> pa.ChunkedArray:
    """Generator and title in one string."""
    return pc.binary_join_element_wise(
        pc.fill_null(table["generator"], "\1"), pc.fill_null(table["title"], "\1"), "\0"
    )


def _by_text(text: str | None) -> str | None:
    """What a page's words say, at its head or at its foot."""
    shown = text if text is None or len(text) <= 2 * TEXT_EDGE else f"{text[:TEXT_EDGE]}\n{text[-TEXT_EDGE:]}"
    for name, pattern in TEXTS:
        if found := re.search(pattern, shown or ""):
            maker = found.groupdict().get("maker")
            return f"{name}: {_SPELLED[maker.lower()]}" if maker else name
    return None
