"""A hint of what kind a popular phrase is: its words decide where they can, then how it is spread."""

from __future__ import annotations

from itertools import pairwise

# A few languages' worth of words that web pages are framed with.
NAVIGATION = frozenset(
    """
    about account back basket bottom browse cart categories category click close contact contents download
    faq feedback forum forums help here home index jump latest link links list log login logout main map menu
    next news older newer navigation page pages previous prev print profile register rss search send share
    show sidebar sign site sitemap skip subscribe table tags toggle top up view website accueil aide recherche
    startseite suche suivant weiter inicio buscar siguiente anterior contacto kontakt hilfe
    """.split()  # noqa: SIM905
)
LEGAL = frozenset(
    """
    agreement agree all conditions copyright copyrighted copyrights disclaimer distributed free gpl lgpl gnu
    implied intellectual law laws liability licence license licensed licenses merchantability notice patent
    permission permitted policy privacy property reserved rights terms trademark trademarks warranties
    warranty impressum datenschutz urheberrecht droits reservados derechos apache bsd mit public
    """.split()  # noqa: SIM905
)
STRONG = frozenset(
    """
    copyright copyrighted reserved warranty warranties liability trademark trademarks merchantability
    """.split()  # noqa: SIM905
)
MONTHS = frozenset(
    """
    january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep oct nov dec
    monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun
    """.split()  # noqa: SIM905
)
MANY_PAGES = 10
"""A phrase on so many pages for each of its domains is a template's."""


def kind(phrase: str, pages: int, domains: int) -> str:
    """The hint.

    Examples:
        >>> phrases = ("1 2 3 4 5", "all rights reserved contact us", "home search help contact")
        >>> [kind(phrase, 50, 40) for phrase in phrases]
        ['counting', 'legal', 'navigation']
        >>> kind("the product you are looking", 50, 40), kind("cheap blue widgets in london", 50, 2)
        ('idiom', 'template')
    """
    words = phrase.split()
    if _counts(words):
        return "counting"
    if STRONG.intersection(words) or len(LEGAL.intersection(words)) * 2 >= len(words):
        return "legal"
    if len(NAVIGATION.intersection(words)) * 2 >= len(words):
        return "navigation"
    return "template" if pages >= MANY_PAGES * domains else "idiom"


def _counts(words: list[str]) -> bool:
    """Numbers, letters, months and days; or words in alphabetical order that begin close together."""
    plain = sum(word.isnumeric() or len(word) == 1 or word in MONTHS for word in words)
    if plain * 5 >= len(words) * 4:
        return True
    ordered = all(a < b and ord(b[0]) - ord(a[0]) <= 1 for a, b in pairwise(words))
    return len(words) >= 4 and ordered
