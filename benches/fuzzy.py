"""Digests, scores, classes and lookups, beside libfuzzy and beside comparing all with all."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from hashlib import md5

import pyarrow as pa
import ssdeep
from corpus import corpus
from harness import Row, best_of, publish, resident
from pagekin_bench import ssdeep_scores

import pagekin
from pagekin import _core

SAMPLE = 2000
MANY = 200_000
KNOWN = 1_000_000
THRESHOLD, MIN_LENGTH = 90, 10
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def main() -> None:
    """Measures on the texts of the corpus, and on digests made from theirs."""
    texts = [pagekin.text(page.html).encode() for page in pagekin.read(corpus().warc) if page.html]
    digests = [pagekin.ssdeep(text) for text in texts]
    rows = [*digest_rows(texts, digests), *score_rows(digests)]
    rows += class_rows(digests)
    rows += known_rows(digests)
    publish("fuzzy", rows)


def digest_rows(texts: Sequence[bytes], digests: Sequence[str]) -> list[Row]:
    """Speed on a sample, agreement on all."""
    sample = texts[:: max(1, len(texts) // SAMPLE)]
    megabytes = sum(map(len, sample)) / 1e6
    best = best_of(
        {
            "pagekin": lambda: [pagekin.ssdeep(text) for text in sample],
            "libfuzzy": lambda: [ssdeep.hash(text) for text in sample],
        }
    )
    same = sum(ssdeep.hash(text) == digest for text, digest in zip(texts, digests, strict=True))
    return [
        Row("digest", megabytes / best["pagekin"], "MB/s", best["libfuzzy"] / best["pagekin"], at_least=2),
        Row("libfuzzy", megabytes / best["libfuzzy"], "MB/s"),
        Row(f"digests that agree, of {len(texts):,}", same / len(texts), "share", at_least=1),
    ]


def score_rows(digests: Sequence[str]) -> list[Row]:
    """Pairs of like block size, which take work, and of any."""
    rng = random.Random(1)
    by_block: dict[str, list[str]] = {}
    for digest in digests:
        by_block.setdefault(digest.partition(":")[0], []).append(digest)
    others = [rng.choice(by_block[d.partition(":")[0]]) for d in digests for _ in range(5)]
    lists = [(d, [*others[i * 5 : i * 5 + 5], *rng.choices(digests, k=5)]) for i, d in enumerate(digests)]
    pairs = [(a, b) for a, many in lists for b in many]
    best = best_of(
        {
            "many": lambda: [ssdeep_scores(a, many) for a, many in lists],
            "one": lambda: [pagekin.ssdeep_score(a, b) for a, b in pairs],
            "libfuzzy": lambda: [ssdeep.compare(a, b) for a, b in pairs],
        },
        repeat=3,
    )
    ours = [score for a, many in lists for score in ssdeep_scores(a, many)]
    same = sum(found == ssdeep.compare(a, b) for found, (a, b) in zip(ours, pairs, strict=True))
    thousands = len(pairs) / 1e3
    ratio = {name: best["libfuzzy"] / best[name] for name in ("many", "one")}
    return [
        Row("scores, one against ten", thousands / best["many"], "thousand/s", ratio["many"], at_least=3),
        Row("scores, a call each", thousands / best["one"], "thousand/s", ratio["one"]),
        Row("libfuzzy", thousands / best["libfuzzy"], "thousand/s"),
        Row(f"scores that agree, of {len(pairs):,}", same / len(pairs), "share", at_least=1),
    ]


def class_rows(digests: Sequence[str]) -> list[Row]:
    """Against all pairs, compared for the corpus and extrapolated for ten times as many."""
    begin = time.perf_counter()
    expected, compared = all_pairs(digests)
    rate = compared / (time.perf_counter() - begin)
    same = classes(digests) == expected
    many = variations(digests, MANY)
    blocks = Counter(int(digest.partition(":")[0]) for digest in many)
    like = sum(n * (n - 1) // 2 + n * blocks[2 * block] for block, n in blocks.items())
    best = best_of({"classes": lambda: classes(many)}, repeat=2)["classes"]
    return [
        Row(f"classes of {len(digests):,} digests as by all pairs", float(same), "share", at_least=1),
        Row(f"classes of {len(many):,} digests", best, "s", like / rate / best, at_least=100),
    ]


def classes(digests: Sequence[str]) -> dict[int, int]:
    """The class of each digest that is in one."""
    kernel = _core.FuzzyClassBuilder(1, 1 << 30, THRESHOLD, MIN_LENGTH)
    names = [md5(b"%d" % number).hexdigest() for number in range(len(digests))]
    batch = pa.RecordBatch.from_arrays(
        [pa.array(range(len(digests)), pa.int64()), names, list(digests)], ["page", "md5", "ssdeep"]
    )
    kernel.push(batch)
    found = kernel.finish()
    return dict(zip(found["page"].to_pylist(), found["label"].to_pylist(), strict=True))


def all_pairs(digests: Sequence[str]) -> tuple[dict[int, int], int]:
    """The same by comparing each digest with all before it; and how many pairs that took."""
    compared = 0
    numbers = [i for i, digest in enumerate(digests) if _squeezed_length(digest) >= MIN_LENGTH]
    root = {number: number for number in numbers}

    def find(number: int) -> int:
        while root[number] != number:
            number = root[number]
        return number

    by_block: dict[int, list[int]] = {}
    for number in numbers:
        block = int(digests[number].partition(":")[0])
        # Others score 0 by definition.
        before = [i for like in (block // 2, block, block * 2) for i in by_block.get(like, [])]
        by_block.setdefault(block, []).append(number)
        scores = ssdeep_scores(digests[number], [digests[i] for i in before])
        compared += len(scores)
        for other, score in zip(before, scores, strict=True):
            if score >= THRESHOLD:
                low, high = sorted((find(number), find(other)))
                root[high] = low
    found = {number: find(number) for number in numbers}
    sizes = Counter(found.values())
    return {number: label for number, label in found.items() if sizes[label] > 1}, compared


def _squeezed_length(digest: str) -> int:
    def squeeze(text: str) -> int:
        return sum(text[i - 3 : i] != char * 3 for i, char in enumerate(text))

    return max(map(squeeze, digest.split(":")[1:]))


def variations(digests: Sequence[str], many: int) -> list[str]:
    """Half unrelated digests of the same sizes, half with a few characters changed."""
    rng = random.Random(2)
    made = list(digests)
    while len(made) < many:
        block, first, second = rng.choice(digests).split(":")
        if rng.random() < 0.5:
            first, second = (
                "".join(rng.choices(ALPHABET, k=len(first))),
                "".join(rng.choices(ALPHABET, k=len(second))),
            )
        else:
            changed = list(first)
            for _ in range(rng.randrange(1, 12)):
                if changed:
                    changed[rng.randrange(len(changed))] = rng.choice(ALPHABET)
            first = "".join(changed)
        made.append(f"{block}:{first}:{second}")
    return made


def known_rows(digests: Sequence[str]) -> list[Row]:
    """Pages one after the other, as in a crawl: the mean of the last ones, when a million are known."""
    index = _core.FuzzyIndex(THRESHOLD, MIN_LENGTH)
    made = variations(digests, KNOWN + 20_000)
    last = [(digest, md5(digest.encode()).digest()) for digest in made[KNOWN:]]
    before = resident()
    kinds = [index.add(digest, md5(b"%d" % number).digest())[0] for number, digest in enumerate(made[:KNOWN])]
    memory = resident() - before
    begin = time.perf_counter()
    for digest, text in last:
        index.add(digest, text)
    mean = (time.perf_counter() - begin) / len(last)
    return [
        Row("lookup at 1,000,000 known pages, mean", mean * 1e3, "ms", at_most=1),
        Row("memory for each known page", memory / KNOWN, "bytes"),
        Row("memory for each unique page", memory / kinds.count("unique"), "bytes"),
    ]


if __name__ == "__main__":
    main()
