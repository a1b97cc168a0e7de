"""One page against stored ones gives what a count with that page among them would give."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.quilts import Collection
from properties.test_quilts import THETAS, foreigns
from quilt_webs import Web, batch, webs

from pagekin import _core

ASKED = 2**60


def write_index(web: Web, pages: list[int], k: int, path: Path, memory: int = 10**8) -> None:
    quilter = _core.GramCollection(1, memory, str(path.parent), k)
    host, domain, ip = zip(*(web.sites[page] for page in pages), strict=True)
    urls = [f"http://{page}.example/" for page in pages]
    quilter.push_sites(batch(page=pages, url=urls, host=host, domain=domain, ip=ip))
    quilter.push_copies(batch(page=list(web.copies), representative=list(web.copies.values())))
    quilter.push(batch(page=pages, text=[web.texts[page] for page in pages]))
    quilter.count(50, "none", str(path))


@given(
    webs(),
    st.data(),
    st.integers(1, 4),
    st.integers(1, 6),
    st.integers(0, 3),
    st.sampled_from(THETAS),
    st.sampled_from([0.0, 0.3]),
    foreigns,
    st.sampled_from([0, 10**8]),
    st.booleans(),
)
def test_is_the_definition(
    web: Web,
    data: st.DataObject,
    k: int,
    m: int,
    c: int,
    theta: float,
    min_share: float,
    foreign: str,
    memory: int,
    covered: bool,
) -> None:
    stock = sorted(web.texts.values(), key=len)
    text = " ".join(data.draw(st.lists(st.sampled_from(stock), max_size=3)))
    name = data.draw(st.sampled_from([None, "x.com", "www.x.com", "z.org"]))
    domain = name and name.removeprefix("www.")
    ip = data.draw(st.sampled_from([None, "1.1.1.1"]))
    asked = Web({**web.texts, ASKED: text}, {**web.sites, ASKED: (name, domain, ip)}, web.copies)
    with tempfile.TemporaryDirectory() as folder:
        write_index(web, sorted(web.texts), k, Path(folder) / "index", memory)
        index = _core.GramIndex(str(Path(folder) / "index"))
        url = name and f"http://{name}/new"
        found = index.check(text, url, ip, m, c, theta, min_share, foreign, covered)
    oracle = Collection(asked.texts, k, asked.copies)
    truth = oracle.rows(m, c, theta, lambda a, b: asked.allows(foreign, a, b), min_share, covered)[ASKED]
    assert (found["grams"], found["own_grams"]) == (truth.grams, truth.own_grams)
    assert (found["patch_grams"], found["quilt"]) == (truth.patch_grams, truth.quilt)
    if truth.quilt:
        assert found["uncovered"] == truth.uncovered
        named = [(asked.named(foreign, ASKED, s.page), s.new_grams, s.shared_grams) for s in truth.sources]
        assert [((page, outside), new, shared) for page, new, shared, outside in found["sources"]] == named


@given(webs(), st.data())
def test_a_stored_page_is_no_source_of_itself(web: Web, data: st.DataObject) -> None:
    """Asked with its own URL, a page gets the row that it has in the run."""
    alone = Web(web.texts, dict.fromkeys(web.texts, (None, None, None)), {})
    page = data.draw(st.sampled_from(sorted(web.texts)))
    with tempfile.TemporaryDirectory() as folder:
        write_index(alone, sorted(web.texts), 3, Path(folder) / "index")
        index = _core.GramIndex(str(Path(folder) / "index"))
        found = index.check(web.texts[page], f"http://{page}.example/", foreign="none", c=1, theta=0.0)
    truth = Collection(web.texts, 3).rows(50, 1, 0.0)[page]
    assert (found["patch_grams"], found["own_grams"]) == (truth.patch_grams, truth.own_grams)
    assert [source[:3] for source in found["sources"]] == [
        (s.page, s.new_grams, s.shared_grams) for s in truth.sources
    ]


@given(st.data())
def test_a_damaged_index_is_an_error_or_an_answer(data: st.DataObject) -> None:
    """Never a crash."""
    web = Web({1: "a b c d", 2: "b c d e", 3: "x"}, dict.fromkeys((1, 2, 3), (None, None, None)), {})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "index"
        write_index(web, [1, 2, 3], 2, path)
        whole = bytearray(path.read_bytes())
        cut = data.draw(st.one_of(st.just(len(whole)), st.integers(0, len(whole))))
        for at in data.draw(st.lists(st.integers(0, len(whole) - 1), max_size=8)):
            whole[at] = data.draw(st.integers(0, 255))
        path.write_bytes(whole[:cut])
        try:
            found = _core.GramIndex(str(path)).check("a b c d e")
        except (OSError, ValueError):
            return
        assert found["grams"] <= 5


def test_no_index(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        _core.GramIndex(str(tmp_path / "none"))
    (tmp_path / "other").write_bytes(b"x" * 100)
    with pytest.raises(OSError, match="not a gram index"):
        _core.GramIndex(str(tmp_path / "other"))
    # Its words are hashed in another way: none of them would be found.
    (tmp_path / "older").write_bytes(b"PKGRAMS1" + b"x" * 92)
    with pytest.raises(OSError, match="another version"):
        _core.GramIndex(str(tmp_path / "older"))
