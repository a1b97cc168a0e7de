"""Shingles on one core from words, beside the MinHash of gaoya, rensa and datasketch; are they a good sample?

Ours begins a step earlier, with texts that it breaks into words; the others begin with words, of which they
need phrases as strings or bytes (gaoya makes them itself). A row says what rensa does with phrases that are
ready-made.
"""

from __future__ import annotations

import math
import os
import random

import pyarrow as pa
from corpus import corpus
from datasketch import MinHash
from gaoya.minhash import MinHashStringIndex
from harness import Row, best_of, publish
from rensa import RMinHash

import pagekin
from pagekin import _core

os.environ["RAYON_NUM_THREADS"] = "1"  # one core for those that would take more

SAMPLE = 1000
FUNCTIONS = 84
K = 5


def phrases(words: list[str]) -> list[str]:
    """The phrases of the circle, as strings."""
    circle = words + words[: K - 1]
    return [" ".join(circle[i : i + K]) for i in range(len(words))]


def rensa(pages: list[list[str]]) -> None:
    """One signature a page."""
    for page in pages:
        made = RMinHash(num_perm=FUNCTIONS, seed=1)
        made.update(page)
        made.digest()


def datasketch(pages: list[list[str]]) -> None:
    """One signature a page."""
    for page in pages:
        made = MinHash(num_perm=FUNCTIONS, seed=1)
        made.update_batch([phrase.encode() for phrase in phrases(page)])
        made.digest()


def gaoya(pages: list[str]) -> None:
    """One signature a page, from words joined by blanks: its own analyser makes the phrases."""
    index = MinHashStringIndex(
        hash_size=64, jaccard_threshold=0.7, num_bands=21, band_size=4, analyzer="word", ngram_range=(K, K)
    )
    for number, page in enumerate(pages):
        index.insert_document(number, page)


def errors(family: str, trials: int = 400) -> tuple[float, float]:
    """Mean error, and root mean square error over that of 84 independent functions, at Jaccard 0.7."""
    shingler = _core.Shingler(1, FUNCTIONS, family)
    rng = random.Random(1)
    found = []
    for _ in range(trials):
        words = [f"{rng.getrandbits(60):x}" for _ in range(1000)]
        a, b = (shingler.shingles(" ".join(part)) or [] for part in (words[:850], words[:700] + words[850:]))
        found.append(sum(x == y for x, y in zip(a, b, strict=True)) / FUNCTIONS - 0.7)
    independent = math.sqrt(0.7 * 0.3 / FUNCTIONS)
    return sum(found) / trials, math.sqrt(sum(e * e for e in found) / trials) / independent


def main() -> None:
    """Measures speed on a sample of the corpus, and the families' errors."""
    texts = [pagekin.text(page.html) for page in pagekin.read(corpus().warc) if page.html is not None]
    texts = texts[:: max(1, len(texts) // SAMPLE)]
    words = [pagekin.words(text) for text in texts]
    ready = [phrases(page) for page in words]
    joined = [" ".join(page) for page in words]
    total = sum(map(len, words))
    batch = pa.RecordBatch.from_pydict({"text": texts})
    bins, rabin = (_core.Shingler(K, FUNCTIONS, family) for family in ("bins", "rabin"))
    best = best_of(
        {
            "pagekin": lambda: bins.shingles_of(batch, 1),
            "rabin": lambda: rabin.shingles_of(batch, 1),
            "gaoya": lambda: gaoya(joined),
            "rensa": lambda: rensa([phrases(page) for page in words]),
            "rensa, phrases ready-made": lambda: rensa(ready),
            "datasketch": lambda: datasketch(words),
        },
        repeat=5,
    )
    fastest = min(best[name] for name in ("gaoya", "rensa", "datasketch"))
    speed = {name: total / seconds / 1e6 for name, seconds in best.items()}
    (bias, error), (rabin_bias, rabin_error) = errors("bins"), errors("rabin")
    publish(
        "shingles",
        [
            Row(
                "words to 84 shingles, one core",
                speed["pagekin"],
                "M/s",
                fastest / best["pagekin"],
                at_least=4,
            ),
            Row("the paper's family", speed["rabin"], "M/s"),
            *(
                Row(name, speed[name], "M/s")
                for name in ("gaoya", "rensa", "rensa, phrases ready-made", "datasketch")
            ),
            Row("bias at Jaccard 0.7", abs(bias), "", at_most=0.008),
            Row("its error beside independent functions", error, "x", at_most=1.1),
            Row("bias of the paper's family", abs(rabin_bias), "", at_most=0.008),
            Row("error of the paper's family", rabin_error, "x", at_most=1.15),
        ],
    )


if __name__ == "__main__":
    main()
