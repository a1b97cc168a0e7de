"""The native pass against the oracles: any page, any bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.charset import charset
from oracles.links import links
from oracles.noise import is_alphanumeric, noise
from oracles.text import page
from oracles.words import words
from strategies import content_types, html_bytes, html_soup, page_urls, texts

from pagekin import _core

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "cases" / "markup.json").read_text("utf-8")
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_cases(case: dict[str, Any]) -> None:
    text, title, _ = _core.extract(case["input"])
    assert (text, title) == (case["text"], case["title"])


@given(html_soup(), page_urls())
def test_text_title_links(html: str, url: str | None) -> None:
    expected = page(html, url)
    text, title, found = _core.extract(html, url)
    assert text == expected.text
    assert title == expected.title
    # The URL standard began to encode the caret in paths; our parser is of the older mind.
    assert [target for target, _ in found] == [
        t.replace("%5E", "^") for t in links(expected.hrefs, expected.base, url)
    ]


@given(st.one_of(html_soup(), texts()))
def test_noise(html: str) -> None:
    found = _core.noise(html)
    assert found == noise(html)
    assert not any(is_alphanumeric(c) for c in found)


@given(st.one_of(texts(), html_soup()))
def test_words(text: str) -> None:
    assert _core.words(text) == words(text)


@given(html_bytes(), content_types())
def test_charset(data: bytes, content_type: str | None) -> None:
    html, found, lossy = _core.decode(data, content_type)
    expected = charset(data, content_type)
    assert found == expected or expected is None
    assert lossy == ("\ufffd" in html) or not lossy
