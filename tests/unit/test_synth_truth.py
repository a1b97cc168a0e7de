"""What the truth table of the made-up web says is what the pages hold."""

from __future__ import annotations

import html
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from fastwarc.warc import ArchiveIterator, WarcRecordType

from pagekin.synth import write_web
from pagekin.synth.copies import EDIT_RATES
from pagekin.synth.languages import CODECS, LANGUAGES, WORLD

Row = dict[str, Any]
Gram = tuple[str, ...]
K = 5


@dataclass
class Web:
    rows: list[Row]
    bodies: dict[str, bytes]
    types: dict[str, str]

    def of_kind(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row["kind"] == kind]

    def html(self, row: Row) -> str:
        return self.bodies[row["url"]].decode(CODECS[row["charset"]]).removeprefix("\ufeff")

    def groups(self, column: str) -> dict[str, list[Row]]:
        found = defaultdict(list)
        for row in self.rows:
            if row[column] is not None:
                found[row[column]].append(row)
        return found


def _load(path: Path, pages: int, seed: int) -> Web:
    summary = write_web(path, pages=pages, seed=seed)
    bodies, types = {}, {}
    with summary.path.open("rb") as file:
        for record in ArchiveIterator(file, record_types=WarcRecordType.response):
            http = record.http_headers
            if http and http.status_code == 200:
                bodies[record.headers["WARC-Target-URI"]] = record.reader.read()
                types[record.headers["WARC-Target-URI"]] = http["Content-Type"]
    return Web(pq.read_table(summary.truth).to_pylist(), bodies, types)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return _load(tmp_path_factory.mktemp("synth") / "web.warc.gz", 600, 1)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Web:
    return _load(tmp_path_factory.mktemp("synth") / "web.warc.gz", 300, 11)


def words_of(page: str) -> list[str]:
    """Small and obvious: no scripts, styles, titles or tags; what is left, in words."""
    page = re.sub(r"(?is)<(script|style|title)\b.*?</\1\s*>|<!--.*?-->", " ", page)
    page = re.sub(r"(?i)</?(b|i|em|strong|a|span)\b[^>]*>", "", page)
    return re.findall(r"[^\W_]+", html.unescape(re.sub(r"<[^>]*>", " ", page)).casefold())


def grams(words: list[str]) -> set[Gram]:
    return {tuple(words[n : n + K]) for n in range(len(words) - K + 1)}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_phenomenon_at_300_pages(tmp_path: Path, seed: int) -> None:
    rows = _load(tmp_path / "web.warc.gz", 300, seed).rows
    assert {row["kind"] for row in rows} == {
        "article", "index", "product", "blog_post", "blog_home", "forum", "directory", "parked",
        "server_default", "cms_view", "mirror", "near_duplicate", "copy_paste", "farm", "slice_dice",
        "quilt", "quoting", "aggregator", "broken", "tiny", "empty",
    }  # fmt: skip
    values = {
        column: {row[column] for row in rows} - {None} for column in rows[0] if column != "quilt_sources"
    }
    assert values["copy_kind"] == {"licence", "frameset", "script"}
    assert values["near_mode"] == {"same_site", "same_chrome", "reframed"}
    views = {"canonical", "session", "print", "list", "sort", "calendar", "pagination", "tag"}
    assert values["cms_view"] == views
    assert len(values["damage"]) == 8
    assert values["language"] == set(LANGUAGES)
    assert values["charset"] == {charset for _, charset, _ in WORLD}
    assert values["charset_declared"] == {"http", "meta", "both", "bom", "none"}
    sources = [source for row in rows if row["kind"] == "quilt" for source in row["quilt_sources"]]
    assert {source["attributed"] for source in sources} == {True, False}
    assert len(values["template"]) >= 24


def test_quilts_hold_their_sources_and_nobody_else_does(web: Web) -> None:
    """With k = 5 exactly the planted sources are found: the passages' grams occur in no third page."""
    words = {row["url"]: words_of(web.html(row)) for row in web.rows}
    page_grams = {url: grams(found) for url, found in words.items()}
    holders: Counter[Gram] = Counter()
    for found in page_grams.values():
        holders.update(found)
    domains = {row["url"]: row["domain"] for row in web.rows}
    checked = 0
    for row in web.rows:
        if row["kind"] not in ("quilt", "quoting", "aggregator"):
            continue
        own = page_grams[row["url"]]
        assert sum(source["share"] for source in row["quilt_sources"]) == pytest.approx(1)
        assert len({domains[source["url"]] for source in row["quilt_sources"]}) == len(row["quilt_sources"])
        planted: set[Gram] = set()
        taken = []
        for source in row["quilt_sources"]:
            assert domains[source["url"]] != row["domain"]
            shared = own & page_grams[source["url"]]
            taken.append(len(shared))
            assert 20 - K + 1 <= len(shared) <= 90  # 20 to 80 words, some of them hyphenated
            assert all(holders[gram] == 2 for gram in shared)
            assert _in_a_row(words[row["url"]], shared)
            assert _in_a_row(words[source["url"]], shared)
            planted |= shared
        for source, count in zip(row["quilt_sources"], taken, strict=True):
            assert count / sum(taken) == pytest.approx(source["share"], abs=0.06)
        # No other foreign page shares anything with it.
        others = own - planted
        for url, found in page_grams.items():
            assert url == row["url"] or domains[url] == row["domain"] or not others & found
        checked += row["kind"] == "quilt"
        if row["kind"] == "quilt":
            assert len(row["quilt_sources"]) >= 4
            assert len(planted) / len(own) > 0.5
    assert checked >= 10


def _in_a_row(words: list[str], shared: set[Gram]) -> bool:
    """Do the shared grams stand side by side in the page?"""
    places = [n for n in range(len(words)) if tuple(words[n : n + K]) in shared]
    return places[-1] - places[0] == len(places) - 1


def test_attribution_is_a_link(web: Web) -> None:
    for row in web.of_kind("quilt") + web.of_kind("aggregator") + web.of_kind("quoting"):
        page = web.html(row)
        for source in row["quilt_sources"]:
            assert (f'href="{source["url"]}"' in page or f"href='{source['url']}'" in page) == source[
                "attributed"
            ]
            site = source["url"].split("/")[2]
            assert source["attributed"] or f"//{site}" not in page


def test_blog_homes_excerpt_their_own_posts(web: Web) -> None:
    homes = [row for row in web.of_kind("blog_home") if row["quilt_sources"]]
    assert homes
    by_url = {row["url"]: row for row in web.rows}
    for row in homes:
        own = grams(words_of(web.html(row)))
        for source in row["quilt_sources"]:
            post = by_url[source["url"]]
            assert post["kind"] == "blog_post"
            assert post["domain"] == row["domain"]
            assert len(own & grams(words_of(web.html(post)))) >= 20


def test_edit_rates(web: Web) -> None:
    rates = set()
    for group in web.groups("near_group").values():
        original = next(row for row in group if row["near_edit_rate"] == 0)
        before = words_of(web.html(original))
        for row in group:
            rates.add(min((0.0, *EDIT_RATES), key=lambda rate: abs(rate - row["near_edit_rate"])))
            after = words_of(web.html(row))
            if row["near_mode"] == "reframed":
                common = Counter(before) & Counter(after)
                assert common.total() >= (1 - row["near_edit_rate"]) * row["body_words"] * 0.85
                continue
            # Words of two parts ("a-b") may be replaced by one; then counts tell what places cannot.
            kept = (Counter(before) & Counter(after)).total()
            changed = (len(before) - kept) / row["body_words"]
            assert changed == pytest.approx(row["near_edit_rate"], rel=0.12, abs=2.5 / row["body_words"])
            if row["near_mode"] == "same_chrome" and row is not original:
                assert row["domain"] != original["domain"]
    assert rates == {0.0, *EDIT_RATES}


def test_mirrors_differ_by_a_line(web: Web) -> None:
    by_url = {row["url"]: row for row in web.rows}
    copies = [row for row in web.of_kind("mirror") if row["mirror_of"]]
    assert len(copies) >= 10
    for row in copies:
        original = by_url[row["mirror_of"]]
        assert row["mirror_group"] == original["mirror_group"]
        assert row["domain"] != original["domain"]
        assert row["url"].split("/", 3)[3] == original["url"].split("/", 3)[3]
        one, two = Counter(words_of(web.html(row))), Counter(words_of(web.html(original)))
        assert not two - one
        assert 1 <= (one - two).total() <= 9
        assert original["site"] in web.html(row) or row["site"] in web.html(row)


def test_link_farm(web: Web) -> None:
    for farm, rows in web.groups("farm").items():
        if rows[0]["kind"] == "slice_dice":
            assert len({row["ip"] for row in rows}) == 1
            assert len({row["site"] for row in rows}) == len(rows)
            continue
        urls = {row["url"] for row in rows}
        assert len({row["domain"] for row in rows}) >= 24
        assert all(row["domain"].count("-") >= 3 for row in rows)
        for row in rows:
            links = set(re.findall(r"""(?i)href\s*=\s*["']?([^"'>\s]+)""", web.html(row)))
            assert len(links & urls) >= 13, farm


def test_sliced_sentences_are_popular(web: Web) -> None:
    holders = Counter(gram for row in web.of_kind("slice_dice") for gram in grams(words_of(web.html(row))))
    popular = sum(count for count in holders.values() if count >= 3)
    assert popular / holders.total() > 0.5


def test_pasted_pieces_are_shared_and_skeletons_are_not(small: Web) -> None:
    for rows in small.groups("copy_group").values():
        assert len({row["domain"] for row in rows}) == len(rows) >= 3
        lines = [Counter(small.html(row).splitlines()) for row in rows]
        shared = lines[0]
        for other in lines[1:]:
            shared = shared & other
        assert shared.total() >= 6
        assert len({small.html(row) for row in rows}) == len(rows)


def test_cms_views_show_what_they_name(web: Web) -> None:
    by_url = {row["url"]: row for row in web.rows}
    sessions = [row for row in web.of_kind("cms_view") if row["cms_view"] == "session"]
    assert sessions
    for row in sessions:
        assert words_of(web.html(row)) == words_of(web.html(by_url[row["cms_unique"]]))
    for row in web.of_kind("cms_view"):
        if row["cms_view"] == "print":
            assert row["template"].endswith("-print")
            body = grams(words_of(web.html(row)))
            whole = grams(words_of(web.html(by_url[row["cms_unique"]])))
            assert len(body & whole) / len(body) > 0.6


def test_charsets_decode_and_are_declared_where_stated(web: Web) -> None:
    for row in web.rows:
        page, raw, declared = web.html(row), web.bodies[row["url"]], row["charset_declared"]
        assert ("charset=" in web.types[row["url"]]) == (declared in ("http", "both"))
        if row["template"] and row["template"].startswith("t"):
            meta = re.search(r"(?i)<meta[^>]*charset\s*=", page) is not None
            assert meta == (declared in ("meta", "both"))
        assert raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")) == (declared == "bom")
        if row["kind"] == "article":
            script = {
                "Cyrl": "а-я",
                "Grek": "α-ω",
                "Arab": "ء-ي",
                "Deva": "ऄ-ह",
                "Thai": "ก-ฮ",
                "Jpan": "ぁ-ん",
            }
            letters = script.get(row["language"].split("-")[1], "a-z")
            assert len(re.findall(f"[{letters}]", page)) > 50


def test_templates_are_shared_across_domains(web: Web) -> None:
    domains = {template: {row["domain"] for row in rows} for template, rows in web.groups("template").items()}
    for template in ("forum-agora", "directory-listing", "parked", "default-hearth"):
        assert len(domains[template]) >= 2
    assert sum(len(found) > 1 for name, found in domains.items() if name.startswith("t")) >= 10
    for row in web.rows:
        if row["generator"] and row["damage"] != "truncated":
            assert re.search(
                rf"""(?i)name=.?generator.?\s+content=["']{row["generator"]}["']""", web.html(row)
            )
