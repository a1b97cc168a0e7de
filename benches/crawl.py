"""The crawler on loopback: sites with a known number of unique pages, against breadth-first."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import Row, publish

from pagekin.synth.cms_site import SITE_TYPES, CmsSite
from pagekin.synth.serve import served

PAGEKIN = str(Path(sys.executable).with_name("pagekin"))
SEED = 21
DOCUMENTS = 600
LARGE = {"mixed": 3000}
"""A site with every kind of duplicate has thirty patterns to be sure of: it is measured at portal size."""
CAP = 3
"""Breadth-first may fetch so many times the unique pages: on endless sites it gets nowhere."""


@dataclass(frozen=True)
class Crawled:
    """When each unique page was found, by the server's own books."""

    found_at: list[int]
    fetches: int
    reason: str

    def fetches_for(self, pages: int) -> int | None:
        """Fetches until so many unique pages were found."""
        return self.found_at[pages - 1] if pages <= len(self.found_at) else None


def crawled(site: CmsSite, *args: str) -> Crawled:
    """One crawl of a site."""
    with served(site) as server, tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/crawl"
        command = [PAGEKIN, "crawl", server.url, "-o", out, "--delay", "0", "--quiet", *args]
        subprocess.run(command, check=True, timeout=1800)
        reason = json.loads(Path(out, "crawl.json").read_bytes())["reason"]
        seen: set[str | None] = {None}
        found_at = []
        for place, path in enumerate(server.requests, 1):
            content = site.view(path).content
            if content not in seen:
                seen.add(content)
                found_at.append(place)
        return Crawled(found_at, len(server.requests), reason)


def main() -> None:
    rows = []
    for kind in sys.argv[1:] or SITE_TYPES:
        site = CmsSite(kind, SEED, LARGE.get(kind, DOCUMENTS))
        pages = len(site.uniques())
        cap = CAP * pages
        ours = crawled(site)
        theirs = crawled(site, "--order", "breadth-first", "--saturation", "off", "--max-pages", str(cap))
        enough = -(-95 * pages // 100)
        first, second = ours.fetches_for(enough), theirs.fetches_for(enough)
        goal = None if kind == "clean" else 0.6
        unless = "" if second is not None else " (which had not found them when it was stopped)"
        rows += [
            Row(
                f"{kind}: fetches for 95% of {pages:,} pages, to breadth-first{unless}",
                first or float("inf"),
                "fetches",
                (first or float("inf")) / (second or cap),
                at_most=goal,
            ),
            Row(f"{kind}: pages found at the end", len(ours.found_at) / pages, "share", at_least=0.97),
            Row(
                f"{kind}: fetches after the last new page",
                1 - ours.found_at[-1] / ours.fetches,
                "share",
                at_most=0.25,
            ),
        ]
        print(rows[-3].name, ours.reason, ours.fetches, flush=True)
    publish("crawl", rows)


if __name__ == "__main__":
    main()
