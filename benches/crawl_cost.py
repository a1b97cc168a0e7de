"""What knowing pages costs a crawl: processor time and memory per page, with a million pages known."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from random import Random

from corpus import corpus
from harness import Row, publish

import pagekin
from pagekin.crawl.scope import Scope
from pagekin.crawl.state import FrontierCrawl
from pagekin.synth.rand import rng_for
from pagekin.synth.vocabulary import vocabulary

PAGES = 1_000_000
SAMPLE = 2_000
LINKS = 10_000
WORDS = 60
"""Words in a filler page: the digest's length, not the text's, is what an index has to hold."""


def resident() -> int:
    """Memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main() -> None:
    """Fills the index, then times real pages."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else PAGES
    sample = [pagekin.text(page.html) for page in _some(corpus().warc) if page.html is not None]
    words = vocabulary("qaa-Latn", 1).draw(rng_for(1, "bench"), 20_000)
    rng = Random(1)
    state = FrontierCrawl(Scope(["http://site.test/"]))
    before = resident()
    for _ in range(count):
        state.seen.see(" ".join(rng.choices(words, k=WORDS)))
    per_page = (resident() - before) / count
    links = [f"http://site.test/doc/some-words-{n}?sid={n * 7}" for n in range(LINKS)]
    target = state.next()
    assert target is not None
    begin = time.process_time()
    for text in sample:
        state.curve.add(state.seen.see(text).kind, 0)
    see = (time.process_time() - begin) / len(sample)
    begin = time.process_time()
    state.page(target, "unique", links)
    link = (time.process_time() - begin) / len(links)
    publish(
        "crawl_cost",
        [
            Row(f"digest, lookup and curve at {count:,} known pages", 1000 * see, "ms a page", at_most=1),
            Row("mean length of the timed texts", sum(map(len, sample)) / len(sample), "characters"),
            Row("memory for a known page", per_page, "bytes"),
            Row("a link that was not met before", 1e6 * link, "µs"),
        ],
    )


def _some(warc: Path) -> list[pagekin.Record]:
    pages = list(pagekin.read(warc))
    return pages[:: max(1, len(pages) // SAMPLE)]


if __name__ == "__main__":
    main()
