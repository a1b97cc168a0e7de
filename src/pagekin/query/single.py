"""Plain functions on one page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pagekin import _core
from pagekin.errors import InputError
from pagekin.fs import MAX_NAMED_PAGE, read_at_most
from pagekin.params import ShingleParams, StyleParams


def noise(html: str | bytes) -> str:
    """The HTML without its alphanumeric characters.

    Examples:
        >>> noise('<p class="x">Hello, world</p>')
        '< ="">, </>'
    """
    return _core.noise(_decoded(html))


def text(html: str | bytes) -> str:
    r"""The visible text.

    Examples:
        >>> text("<title>T</title><p>Fish &amp; chips<p>twice")
        'Fish & chips\ntwice'
    """
    return _core.extract(_decoded(html))[0]


def words(text: str) -> list[str]:
    """The words of a text, case-folded.

    Examples:
        >>> words("Fish & Chips, 漢字")
        ['fish', 'chips', '漢', '字']
    """
    return _core.words(text)


def page_bytes(path: str | Path) -> bytes:
    """The HTML in a file; an error if there is none."""
    from pagekin.readers.base import looks_like_html

    try:
        data = read_at_most(Path(path), MAX_NAMED_PAGE)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not data.strip():
        raise InputError(f"{path} is not a page: it is empty")
    marked = looks_like_html(data) or (b"\0" not in data[:4096] and _TAG.search(data) is not None)
    if not marked:
        raise InputError(f"{path} is not a page: it holds no HTML; give an HTML file")
    return data


_TAG = re.compile(rb"<[A-Za-z!/][^<>]*>")


@dataclass(frozen=True)
class TextSimilarity:
    """How alike two texts are: exactly, and as their shingles tell it."""

    jaccard: float
    """phrases in common, of all phrases of either text"""
    estimated_jaccard: float | None
    """shingles that agree, of all; None if a text has no words"""
    phrases_a: int
    """distinct phrases of the first text"""
    phrases_b: int
    k: int
    """words in a phrase"""


def text_similarity(a: str, b: str, params: ShingleParams | None = None) -> TextSimilarity:
    """Compares two texts by their phrases. A text shorter than a phrase is one phrase.

    Examples:
        >>> text_similarity("one two three four five six", "one two three four five seven").jaccard
        0.3333333333333333
    """
    params = params or ShingleParams()
    sets = []
    for one in (a, b):
        said = words(one)
        last = max(len(said) - params.k, 0)
        sets.append({tuple(said[n : n + params.k]) for n in range(last + 1)} if said else set())
    shingler = _core.Shingler(params.k, params.m, params.family, params.seed)
    first, second = shingler.shingles(a), shingler.shingles(b)
    estimate = None
    if first is not None and second is not None:
        estimate = sum(x == y for x, y in zip(first, second, strict=True)) / params.m
    return TextSimilarity(
        jaccard=len(sets[0] & sets[1]) / max(len(sets[0] | sets[1]), 1),
        estimated_jaccard=estimate,
        phrases_a=len(sets[0]),
        phrases_b=len(sets[1]),
        k=params.k,
    )


ENOUGH_GRAMS = 128
"""Below so many n-grams a page does not fill its fingerprint, and style is a matter of chance."""


@dataclass(frozen=True)
class StyleSimilarity:
    """How alike two pages are in style: exactly, and as their fingerprints tell it."""

    jaccard: float
    """n-grams in common, of all n-grams of either page"""
    dice: float
    """twice the n-grams in common, of the n-grams of both pages"""
    estimated_jaccard: float
    """matching dimensions, of the dimensions filled in either fingerprint"""
    estimated_dice: float
    standard_error: float
    """of the estimated Jaccard"""
    sim_b: float
    """matching dimensions, of all dimensions: the paper's estimate"""
    matching: int
    filled: int
    grams_a: int
    """distinct n-grams of the first page"""
    grams_b: int
    caution: str | None
    """why not to trust the figures, if there is reason"""
    structure: float | None
    """estimated Jaccard of the structures; None if they do not count, or a page has too few tags"""
    linked: bool
    """a scan with these parameters would link the pages, if a probe lets them meet"""


def style_similarity(a: str | bytes, b: str | bytes, params: StyleParams | None = None) -> StyleSimilarity:
    """Compares the styles of two pages.

    Examples:
        >>> page = "<ul>" + "<li class='x'><a href='/y'>z</a></li>" * 50 + "</ul>"
        >>> style_similarity(page, page.replace("z", "another")).jaccard
        1.0
    """
    params = params or StyleParams()
    first, second = _decoded(a), _decoded(b)
    grams_a, grams_b, both = _core.style_overlap(first, second, params.n, params.content)
    pages = (first, second)
    empty = bytes(2 * params.m)
    prints = [_core.fingerprint(html, params.n, params.m, params.seed, params.content) for html in pages]
    matching, filled, estimate, error = _core.style_matches(prints[0] or empty, prints[1] or empty)
    structures = [_core.structure(html, params.m) if params.structure_t else None for html in pages]
    alike, _, structure, _ = _core.style_matches(structures[0] or empty, structures[1] or empty)
    return StyleSimilarity(
        jaccard=both / max(grams_a + grams_b - both, 1),
        dice=2 * both / max(grams_a + grams_b, 1),
        estimated_jaccard=estimate,
        estimated_dice=2 * estimate / (1 + estimate),
        standard_error=error,
        sim_b=matching / params.m,
        matching=matching,
        filled=filled,
        grams_a=grams_a,
        grams_b=grams_b,
        caution=_caution(grams_a, grams_b, params.n),
        structure=structure if all(structures) else None,
        linked=matching >= params.t or 0 < params.structure_t <= alike,
    )


def _caution(grams_a: int, grams_b: int, n: int) -> str | None:
    fewest = min(grams_a, grams_b)
    if fewest == 0:
        return f"A page has fewer than {n} characters of noise: there is no style to compare."
    if fewest < ENOUGH_GRAMS:
        return f"A page has only {fewest} n-grams of noise: too small to judge its style."
    return None


def _decoded(html: str | bytes) -> str:
    return html if isinstance(html, str) else _core.decode(html)[0]
