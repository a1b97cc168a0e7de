"""From a run to one HTML file."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from pagekin.fs import write_atomically, writing
from pagekin.look.assets import asset, stylesheet
from pagekin.look.markup import Html, join, tag
from pagekin.look.words import plain
from pagekin.report.causes import causes
from pagekin.report.duplicates import duplicates
from pagekin.report.growth import growth
from pagekin.report.phrases import phrases
from pagekin.report.quilts import quilts
from pagekin.report.reading import headline, reading
from pagekin.report.story import Data, Section
from pagekin.report.style_graph import cluster
from pagekin.report.styles import styles
from pagekin.run import Run

CHAPTERS = (styles, duplicates, quilts, phrases, causes, growth)
FINDINGS = 5
"""On the first screen: so many chapters have a card there."""


def write_report(run: Run, path: Path, clusters: Sequence[int] = (), like: Sequence[str] = ()) -> None:
    """Writes the report.

    All that comes from pages is escaped. A policy in the file allows its own style and script, by their
    hashes, and nothing else: no page can make a browser run or fetch anything.

    Args:
        run: A finished run.
        path: The HTML file.
        clusters: Ranks of style clusters to show in detail.
        like: Pages, by URL or HTML file, to which all others are compared.
    """
    data = Data(run)
    html = rendered(data, chapters(data, clusters, like))
    with writing(path):
        write_atomically(path, html.encode("utf-8", "replace"))


def chapters(data: Data, clusters: Sequence[int] = (), like: Sequence[str] = ()) -> list[Section]:
    """The story in order."""
    from pagekin.report.studies import compared, studies

    # First what may be wrong.
    asked = [cluster(data, rank) for rank in clusters] + [compared(data, page) for page in like]
    made = [make(data) for make in CHAPTERS]
    return [*made, *asked, *studies(data), reading(data)]


def rendered(data: Data, sections: Sequence[Section]) -> str:
    name = _name(data.run)
    style, script = Html(stylesheet()), Html(asset("look.js"))
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("title", f"{name}: what pagekin found"),
        tag("style", style),
    )
    links = [tag("a", section.name, href=f"#{section.key}") for section in sections]
    top = tag(
        "header",
        tag("h1", f"What is in {name}"),
        tag("p", headline(data), " ", tag("a", "What was read", href="#read")),
        _state(data.run),
        class_="top",
    )
    body = tag(
        "main",
        _findings(sections),
        tag("nav", *links, class_="contents", aria_label="Chapters"),
        *(section.html() for section in sections),
    )
    foot = tag(
        "footer", f"Made by pagekin {data.run.info['pagekin']}. This file is whole: it fetches nothing."
    )
    page = tag("html", head, tag("body", top, body, foot, tag("script", script, type="module")), lang="en")
    return f"<!doctype html>\n{page}\n"


def _name(run: Run) -> str:
    """What was read: the one input, else the run folder."""
    inputs = run.info["inputs"]
    path = Path(inputs[0]["path"]) if len(inputs) == 1 and inputs[0]["path"] != "-" else run.path.resolve()
    return plain(path.name)


def _state(run: Run) -> Html:
    """A warning above everything else if the scan did not end well."""
    if not run.unwell:
        return Html("")
    return tag(
        "p",
        tag("strong", f"{run.unwell[0].upper()}{run.unwell[1:]}. What is there is below."),
        class_="failed",
    )


def _findings(sections: Sequence[Section]) -> Html:
    cards = [
        tag("li", tag("b", s.finding.number), tag("span", s.finding.says), tag("a", s.name, href=f"#{s.key}"))
        for s in sections
        if s.finding is not None
    ]
    return tag("ul", join(cards[:FINDINGS]), class_="findings")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
