"""Style fingerprints against the oracle."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.noise import noise
from oracles.style import fingerprint
from strategies import html_soup

from pagekin import _core


@given(st.lists(html_soup(), max_size=4), st.integers(1, 64), st.integers(1, 200), st.integers(0, 2**63 - 1))
def test_fingerprint(soups: list[str], n: int, m: int, seed: int) -> None:
    html = "".join(soups)
    found = _core.fingerprint(html, n, m, seed)
    minima = None if found is None else list(struct.unpack(f"<{m}H", found))
    assert minima == fingerprint(noise(html), n, m, seed)


@pytest.mark.parametrize(("n", "m"), [(0, 128), (65, 128), (32, 0), (32, 4097)])
def test_out_of_range(n: int, m: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        _core.fingerprint("<p>", n, m)
