"""A page by itself gives what it gives in a batch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from strategies import html_bytes, page_urls, texts

from pagekin.detect.sketch import SketchPages
from pagekin.params import Params
from pagekin.readers import Record, batches

_PARAMS = Params()
_NATIVE = SketchPages(_PARAMS.style, _PARAMS.shingles).native(1)
_COLUMNS = ["words", "style", "structure", "shingles", "md5", "text"]


@given(html_bytes(), page_urls())
def test_html(html: bytes, url: str | None) -> None:
    assert _NATIVE.sketch_one(html, url=url) == _in_batch(
        Record(0, url, html, None, None, None, None, None, "", 0)
    )


@given(st.none() | texts())
def test_text(text: str | None) -> None:
    assert _NATIVE.sketch_one(text=text) == _in_batch(
        Record(0, None, None, text, None, None, None, None, "", 0)
    )


def _in_batch(record: Record) -> tuple[object, ...]:
    (batch,) = batches([record])
    (row,) = _NATIVE.sketch(batch).select(_COLUMNS).to_pylist()
    return tuple(row.values())
