"""The rules that say what kind a cluster is, and the names that pages give themselves away by."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import pagekin
from pagekin.detect.styles.kinds import kind_of
from pagekin.detect.styles.signatures import by_head, name_by_text, product, table
from pagekin.run import Run

PLAIN: dict[str, Any] = {
    "pages": 9,
    "hosts": 5,
    "domains": 5,
    "mirrored": 0.0,
    "inner_links": 0.0,
    "link_density": 0.02,
    "skeleton_similarity": 0.9,
}


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "template"),
        ({"skeleton_similarity": 0.24}, "copy/paste"),
        ({"skeleton_similarity": 0.24, "pages": 10}, "template"),
        ({"skeleton_similarity": 0.25}, "template"),
        ({"name": "default server page", "mirrored": 1.0}, "stock page"),
        ({"name": "parked domain", "mirrored": None}, None),
        ({"name": "software: Mill", "mirrored": 1.0}, "mirror"),
        ({"skeleton_similarity": 0.1, "hosts": 1, "pages": 1}, "template"),
        ({"skeleton_similarity": 0.1, "mirrored": 1.0}, "copy/paste"),
        ({"mirrored": 0.4}, "mirror"),
        ({"mirrored": 0.39}, "template"),
        ({"mirrored": 0.5, "inner_links": 0.9, "link_density": 0.5}, "mirror"),
        ({"inner_links": 0.3, "link_density": 0.05}, "link farm"),
        ({"inner_links": 0.29, "link_density": 0.05}, "template"),
        ({"inner_links": 0.3, "link_density": 0.049}, "template"),
        ({"inner_links": 0.9, "link_density": 0.5, "domains": 3}, "link farm"),
        ({"inner_links": 0.9, "link_density": 0.5, "domains": 2}, "template"),
        ({"mirrored": None, "inner_links": 0.9, "link_density": 0.5}, None),
    ],
)
def test_rules(changes: dict[str, Any], kind: str | None) -> None:
    assert kind_of(PLAIN | changes) == kind


@pytest.mark.parametrize(
    ("generator", "title", "name"),
    [
        ("phpBB 3.1", "A board", "forum: phpBB"),
        ("Discourse 2.9.0.beta4 - https://github.com/discourse", None, "forum: Discourse"),
        ("Powered by vBulletin 4.2", None, "forum: vBulletin"),
        ("WordPress 6.1.1", "A blog", "software: WordPress"),
        ("Doxygen 1.9", "Index of /pub", "directory listing"),
        (None, "Index of /debian/pool", "directory listing"),
        (None, "Directory listing for /", "directory listing"),
        (None, "Apache2 Debian Default Page: It works", "default server page"),
        (None, "Welcome to nginx!", "default server page"),
        (None, "IIS Windows Server", "default server page"),
        (None, "This domain is for sale", "parked domain"),
        (None, "404 Not Found", "error page"),
        (None, "a.example is the future home of something great", "parked domain"),
        (None, "Just a moment...", "challenge page"),
        (None, "Domain Default page", "default server page"),
        ("WordPress 6.1", "Page not found – A blog", "error page"),
        ("javadoc/ClassWriterImpl", "A class", "software: Javadoc"),
        ("javadoc/PackageIndexWriter", "Overview", "software: Javadoc"),
        ("Docutils 0.19: https://docutils.sourceforge.io/", "A page", "software: Docutils"),
        ("DocBook XSL Stylesheets Vsnapshot; GTK-Doc V1.33.1 (XML mode)", "A page", "software: gtk-doc"),
        ("DocBook XSL Stylesheets V1.79.1", "A page", "software: DocBook XSL"),
        ("Asciidoctor 2.0.18", "A page", "software: Asciidoctor"),
        ("Elementor 3.1; WordPress 6.1", "A page", "software: WordPress"),
        (None, "An index of first lines", None),
        (None, "How we welcome guests", None),
        (None, None, None),
        ("", "", None),
    ],
)
def test_genres(generator: str | None, title: str | None, name: str | None) -> None:
    assert by_head(generator, title) == name


@pytest.mark.parametrize(
    ("generator", "name"),
    [
        ("WordPress 6.1.1", "WordPress"),
        ("Hugo 0.92.2", "Hugo"),
        ("Sphinx/4.5", "Sphinx"),
        ("TYPO3 CMS", "TYPO3 CMS"),
        ("  Joomla! - Open Source Content Management ", "Joomla! - Open Source Content Management"),
        ("Microsoft FrontPage 4.0", "Microsoft FrontPage"),
        ("7", "7"),
    ],
)
def test_products(generator: str, name: str) -> None:
    assert product(generator) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Topics and replies\nPowered by phpBB", "forum: phpBB"),
        ("Latest posts\nPROUDLY POWERED BY WORDPRESS", "software: WordPress"),
        ("x " * 30_000 + "Powered by MediaWiki", "software: MediaWiki"),
        ("Powered by people like you", None),
        ("This domain is parked", "parked domain"),
        ("This web page is parked. Courtesy of registrar.com", "parked domain"),
        ("This site is the future home of a.example", "parked domain"),
        ("the future home of the museum " * 60, None),
        ("Checking your browser before you go on", "challenge page"),
        ("If you can see this page, the web server works", "default server page"),
        ("404 Not Found\nThe requested URL was not found on this server", "error page"),
        ("Words.\n© 2020, A. Built with Sphinx using a theme.", "software: Sphinx"),
        ("Words. Created using Sphinx 4.5.0.", "software: Sphinx"),
        ("Generated on Mon for Thing by doxygen 1.9.4", "software: Doxygen"),
        ("Buy this domain today", "parked domain"),
        ("Index of /pub\nName Last modified Size", "directory listing"),
        ("The web server software is running but nobody is here", "default server page"),
        ("A text about parks and forums", None),
        ("x" * 30_000 + " buy this domain" + "x" * 30_000, None),
        ("", None),
        (None, None),
    ],
)
def test_texts(text: str | None, name: str | None) -> None:
    assert name_by_text(text) == name


# Whole clusters, made to be of one kind


def page(domain: str, path: str, body: str, head: str = "") -> dict[str, str]:
    """A page of enough markup to have a style: a list of its own, then what is said."""
    menu = "".join(
        f'<li class="a-{i % 7}" id=\'b{i}\'><a href="/m/{i}?x={i}&amp;y#{"-" * (i % 5)}">{i}</a>;'
        f"{'!' * (i % 11)}</li>\n"
        for i in range(60)
    )
    return {
        "url": f"http://{domain}/{path}",
        "html": f"<html><head>{head}</head><ul>{menu}</ul>{body}</html>",
    }


def words(number: int, count: int = 400) -> str:
    return "<p>" + " ".join(f"w{number}x{i}" for i in range(count)) + "</p>"


def scan(folder: Path, pages: list[dict[str, str]], *only: str, profile: str = "default") -> Run:
    path = folder / "crawl.jsonl"
    path.write_text("\n".join(map(json.dumps, pages)))
    wanted = only or ["duplicates", "styles"]
    return pagekin.scan(path, folder / "run", only=wanted, params=pagekin.Params.of(profile))


def one_cluster(run: Run) -> dict[str, Any]:
    rows = run.table("style_clusters").to_pylist()
    assert len(rows) == 1
    row: dict[str, Any] = rows[0]
    return row


def test_a_template(tmp_path: Path) -> None:
    head = "<meta name=generator content='WordPress 5.2'>"
    row = one_cluster(scan(tmp_path, [page(f"s{i}.example", "", words(i), head) for i in range(6)]))
    assert (row["kind"], row["name"]) == ("template", "software: WordPress")
    assert (row["pages"], row["hosts"], row["domains"], row["known_pages"]) == (6, 6, 6, 0)
    assert (row["mirrored"], row["inner_links"]) == (0.0, 0.0)
    assert row["skeleton_similarity"] == pytest.approx(1.0)


def test_a_mirror(tmp_path: Path) -> None:
    pages = [page(f"s{i % 3}.example", str(i // 3), words(i // 3)) for i in range(6)]
    pages.append(page("s0.example", "own", words(9)))
    row = one_cluster(scan(tmp_path, pages))
    assert row["kind"] == "mirror"
    assert row["mirrored"] == pytest.approx(6 / 7)


def test_copies_on_one_host_are_no_mirror(tmp_path: Path) -> None:
    row = one_cluster(scan(tmp_path, [page("s.example", str(i), words(0)) for i in range(5)]))
    assert (row["kind"], row["mirrored"]) == ("template", 0.0)


def test_a_link_farm(tmp_path: Path) -> None:
    def links(own: int) -> str:
        others = [i % 8 for i in range(own + 1, own + 8)] * 12
        links = (f"<b><a href=http://s{i}.example/{n}>w{own}y{i}</a></b>" for n, i in enumerate(others))
        return "".join(links)

    row = one_cluster(scan(tmp_path, [page(f"s{i}.example", "", words(i, 50) + links(i)) for i in range(8)]))
    assert row["kind"] == "link farm"
    # 60 links of the menu stay at home.
    assert row["inner_links"] == pytest.approx(84 / 144)


def test_links_within_one_domain_are_no_farm(tmp_path: Path) -> None:
    row = one_cluster(scan(tmp_path, [page(f"h{i}.s.example", "", words(i, 50)) for i in range(6)]))
    assert (row["kind"], row["hosts"], row["domains"], row["inner_links"]) == ("template", 6, 1, 0.0)


def test_copy_and_paste(tmp_path: Path) -> None:
    """The same large script on pages that have nothing else in common."""
    script = (
        "<script>" + "".join(f"f_{i}[{i}]=('{'.' * (i % 9)}',{{}});\n" * 3 for i in range(200)) + "</script>"
    )
    tags = ["p", "b", "i", "u", "tt", "em", "dl", "dd", "li", "ul", "h1", "h2", "h3", "td", "tr", "th"]
    pages = []
    for i in range(5):
        own = [tags[(i * 3 + j * (i + 1)) % len(tags)] for j in range(24)]
        body = "".join(f"<{tag}>w{i}x{j} </{tag}>" for j, tag in enumerate(own))
        pages.append({"url": f"http://s{i}.example/", "html": f"{body}{script}"})
    row = one_cluster(scan(tmp_path, pages, profile="paper"))
    assert row["skeleton_similarity"] < 0.25
    assert row["kind"] == "copy/paste"
    # Scripts are no part of a style by default.
    (tmp_path / "default").mkdir()
    assert scan(tmp_path / "default", pages).table("style_clusters").num_rows == 0


def test_no_kind_without_duplicates(tmp_path: Path) -> None:
    row = one_cluster(scan(tmp_path, [page(f"s{i}.example", "", words(i)) for i in range(6)], "styles"))
    assert (row["kind"], row["mirrored"]) == (None, None)
    assert (row["inner_links"], row["pages"]) == (0.0, 6)


def test_most_members_must_say_the_name(tmp_path: Path) -> None:
    heads = ["<title>Index of /a</title>"] * 3 + ["<title>Welcome</title>"] * 3
    pages = [page(f"s{i}.example", "", words(i), head) for i, head in enumerate(heads)]
    assert one_cluster(scan(tmp_path, pages))["name"] is None


def test_what_is_built_on_something_is_named_before_it(tmp_path: Path) -> None:
    """Heads say Docutils, but the texts say who used it."""
    head = "<meta name=generator content='Docutils 0.19: https://docutils.sourceforge.io/'>"
    foot = "<p>Created using Sphinx 5.3.0.</p>"
    for name, end in (("software: Sphinx", foot), ("software: Docutils", "")):
        folder = tmp_path / name[-6:]
        folder.mkdir()
        pages = [page(f"s{i}.example", "", words(i) + end, head) for i in range(6)]
        assert one_cluster(scan(folder, pages))["name"] == name


def test_default_pages_are_no_mirror(tmp_path: Path) -> None:
    """The same words on every host, but nobody copied them."""
    text = "<p>" + "If you see this page, the web server is working. " * 8 + "</p>"
    pages = [page(f"s{i}.example", "", text, "<title>Welcome to nginx!</title>") for i in range(5)]
    row = one_cluster(scan(tmp_path, pages))
    assert (row["kind"], row["name"], row["mirrored"]) == ("stock page", "default server page", 1.0)


def test_the_rank_weighs_pages_where_domains_are_few(tmp_path: Path) -> None:
    """A template of many pages on one site comes before two pages that are the same."""
    pages = [page("s.example", str(i), words(i, 400 + 40 * i)) for i in range(12)]
    twin = "".join(f"<dl><dt class=x{i}><dd id=y>{'?' * (i % 9)}" for i in range(80))
    pages += [{"url": f"http://t.example/{i}", "html": f"<html>{twin}{i}</html>"} for i in range(2)]
    first, second = scan(tmp_path, pages, "styles").table("style_clusters").to_pylist()
    assert (first["pages"], second["pages"]) == (12, 2)
    assert first["score"] <= second["score"], "the paper's order is the other one"
    for row in (first, second):
        weight = row["score"] * math.log2(1 + row["pages"] / row["domains"])
        assert row["weight"] == pytest.approx(weight)


def test_the_table_of_signatures() -> None:
    """Every entry says something, and what is built on something comes before it."""
    order = [entry.name for entry in table()]
    for entry in table():
        assert entry.generator or entry.title or entry.text
        for below in entry.over:
            assert order.index(entry.name) < order.index(below)
