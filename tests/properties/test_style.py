"""Style fingerprints against the oracle."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.markup import EndTag, StartTag, tokens
from oracles.noise import edges, noise
from oracles.style import fingerprint, structure, tag_hash
from strategies import html_soup

from pagekin import _core


@given(st.lists(html_soup(), max_size=4), st.integers(1, 64), st.integers(1, 200), st.integers(0, 2**63 - 1))
def test_fingerprint(soups: list[str], n: int, m: int, seed: int) -> None:
    html = "".join(soups)
    found = _core.fingerprint(html, n, m, seed)
    minima = None if found is None else list(struct.unpack(f"<{m}H", found))
    assert minima == fingerprint(noise(html), n, m, seed)


def pieces() -> st.SearchStrategy[str]:
    """Tags as templates write them, so that runs repeat."""
    names = st.sampled_from(["p", "DIV", "li", "a-very-long-name", "br", "b"])
    attributes = st.sampled_from(
        ["", " id=x", " CLASS='a b'", ' class="b a" title', " data-longer-name=1", " class"]
    )
    return st.builds("<{}{}>word".format, names, attributes) | names.map("</{}>".format)


@given(st.lists(pieces(), max_size=60), st.integers(1, 200))
def test_structure(parts: list[str], m: int) -> None:
    html = "".join(parts)
    found = _core.structure(html, m)
    minima = None if found is None else list(struct.unpack(f"<{m}H", found))
    tags = [
        tag_hash(isinstance(token, StartTag), token.name, list(getattr(token, "attributes", {}).items()))
        for token in tokens(html)
        if isinstance(token, StartTag | EndTag)
    ]
    assert minima == structure(tags, m)


@given(st.lists(html_soup(), max_size=3), st.text("<>{}();='ab \n", max_size=40))
def test_noise_without_code(soups: list[str], code: str) -> None:
    """What stands in scripts, style sheets and drawings changes nothing, and the rest is noise as ever."""
    code = code.replace("<", "")
    page = "<p>;</p><script src=x>{}</script><style>{}</style><svg width='1'>{}</svg><i>,</i>"
    assert _core.noise(page.format(code, code, code), False) == noise(page.format("", "", ""))
    assert _core.noise("".join(soups)) == noise("".join(soups))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["<p class='a b'>", "</p>", "<br/>", "<!-- a, b -->", "<td title='x; y'>", "<!DOCTYPE html>"]
            ),
            st.text("ab é漢🙂.,;() \n&>", max_size=24)
            | st.text(max_size=40).filter(lambda text: "<" not in text),
        ),
        max_size=12,
    )
)
def test_noise_without_texts(parts: list[tuple[str, str]]) -> None:
    """Of a text between two tags only the edges are noise; tags and comments are noise as ever."""
    page = "".join(tag + text for tag, text in parts)
    assert _core.noise(page, False) == "".join(noise(tag) + edges(text) for tag, text in parts)


@pytest.mark.parametrize(("n", "m"), [(0, 128), (65, 128), (32, 0), (32, 4097)])
def test_out_of_range(n: int, m: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        _core.fingerprint("<p>", n, m)
