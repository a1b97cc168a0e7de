"""HTML to words on one core: how fast beside resiliparse's plain text, and do the words agree?"""

from __future__ import annotations

from collections import Counter

from corpus import corpus
from harness import Row, best_of, publish
from pagekin_bench import count_words
from resiliparse.extract.html2text import extract_plain_text

import pagekin
from pagekin import _core

SAMPLE = 2000


def main() -> None:
    """Measures speed on a sample and agreement on the whole corpus."""
    pages = [page.html for page in pagekin.read(corpus().warc) if page.html is not None]
    sample = pages[:: max(1, len(pages) // SAMPLE)]
    megabytes = sum(map(len, sample)) / 1e6
    decoded = [_core.decode(html)[0] for html in sample]
    best = best_of(
        {
            # Ours begins with the bytes, theirs with characters decoded for it: the harder side for us.
            "pagekin": lambda: [count_words(html) for html in sample],
            "resiliparse": lambda: [extract_plain_text(html, main_content=False) for html in decoded],
        }
    )
    recall, precision = agreement(pages)
    speed = megabytes / best["pagekin"]
    publish(
        "words",
        [
            Row("bytes to words, one core", speed, "MB/s", best["resiliparse"] / best["pagekin"], at_least=8),
            Row("resiliparse, characters to plain text", megabytes / best["resiliparse"], "MB/s"),
            Row("its words that we have", recall, "share", at_least=0.98),
            Row("our words that it has", precision, "share", at_least=0.98),
        ],
    )


def agreement(pages: list[bytes]) -> tuple[float, float]:
    """Recall and precision of our word multisets against resiliparse's, over all pages."""
    ours = theirs = both = 0
    for html in pages:
        decoded = _core.decode(html)[0]
        found = Counter(_core.words(_core.extract(decoded)[0]))
        expected = Counter(_core.words(extract_plain_text(decoded, main_content=False)))
        ours += found.total()
        theirs += expected.total()
        both += (found & expected).total()
    return both / theirs, both / ours


if __name__ == "__main__":
    main()
