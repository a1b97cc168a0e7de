"""Texts to duplicate classes at Jaccard 0.7 on two cores, beside five peers.

Everybody starts with the texts in memory and ends with classes. Pairs in one class are compared with the
pairs in one class of the exact answer: the closure of all pairs whose phrases have a Jaccard of 0.7.
Each candidate runs in a process of its own (`--one NAME`), so that its peak memory is its own; the peak of
text-dedup and datatrove is that of the largest of their processes. Who takes longer than a minute is run
once. The exact answer is computed once and kept.
"""

from __future__ import annotations

import hashlib
import json
import math
import sys
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
from corpus import corpus
from harness import Row, cache_folder, peak_rss_of, publish

import pagekin
from pagekin import _core
from pagekin.params import Params

THRESHOLD = 0.7
FUNCTIONS, BANDS, LENGTH = 84, 21, 4
K = 5
BATCH = 1024

Labels = list[int]


def texts() -> list[str]:
    """The corpus as texts."""
    run = cache_folder() / "duplicates-run"
    if not (run / "run.json").exists():
        pagekin.scan(corpus().warc, run, only=[], threads=2)
    return [text or "" for text in pagekin.Run(run).table("texts", ["text"])["text"].to_pylist()]


def phrases(text: str) -> set[str]:
    """Phrases without the circle, as the peers make them."""
    words = pagekin.words(text)
    return {" ".join(words[i : i + K]) for i in range(max(len(words) - K + 1, min(1, len(words))))}


def closure(n: int, links: Iterable[tuple[int, int]]) -> Labels:
    """Labels of connected pages."""
    parent = list(range(n))

    def find(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in links:
        a, b = find(a), find(b)
        parent[max(a, b)] = min(a, b)
    return [find(i) for i in range(n)]


def by_pagekin(pages: list[str], similarity: float = THRESHOLD) -> Labels:
    """The detector's kernels on texts in memory."""
    from pagekin.detect.duplicates.banding import Banding, choose_banding
    from pagekin.detect.duplicates.find import Shingle
    from pagekin.detect.duplicates.flow import DuplicateMembers
    from pagekin.engines.base import Resources

    params = Params()
    banding = choose_banding(similarity, params.shingles.m) if similarity else Banding(6, 14)
    sketch = Shingle(params.shingles).open(2)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(1) as beside:
        resources = Resources(2, 4 * 10**9, Path(folder))
        kin = DuplicateMembers(banding, 0, params.shingles, wrap=False).whole(resources)
        batches: list[pa.RecordBatch] = []
        sketches: deque[Future[pa.RecordBatch]] = deque()
        # Python's strings become UTF-8 while the kernel is busy with those before.
        for start in range(0, len(pages), BATCH):
            text = pa.array(pages[start : start + BATCH], pa.string())
            page = pa.array(range(start, start + len(text)), pa.int64())
            batches.append(pa.record_batch({"page": page, "text": text}))
            sketches.append(beside.submit(sketch, batches[-1]))
            if len(sketches) > 2:
                kin.push("sketches", sketches.popleft().result())
        while sketches:
            kin.push("sketches", sketches.popleft().result())
        for batch in batches:
            kin.push("texts", batch)
        labels = list(range(len(pages)))
        for rows in kin.finish():
            for page, label in zip(rows["page"].to_pylist(), rows["label"].to_pylist(), strict=True):
                labels[page] = label
    return labels


def by_gaoya(pages: list[str]) -> Labels:
    """Its index with its own analyser, bulk insertion on all cores, then a query for each page."""
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=64, jaccard_threshold=THRESHOLD, num_bands=BANDS, band_size=LENGTH, analyzer="word",
        lowercase=True, ngram_range=(K, K),
    )  # fmt: skip
    index.par_bulk_insert_docs(list(range(len(pages))), pages)
    found = index.par_bulk_query(pages)
    return closure(len(pages), ((i, j) for i, near in enumerate(found) for j in near))


def by_rensa(pages: list[str]) -> Labels:
    from rensa import RMinHash, RMinHashLSH

    index = RMinHashLSH(threshold=THRESHOLD, num_perm=FUNCTIONS, num_bands=BANDS)
    made = []
    for i, page in enumerate(pages):
        one = RMinHash(num_perm=FUNCTIONS, seed=1)
        one.update(list(phrases(page)))
        index.insert(i, one)
        made.append(one)
    links = (
        (i, j) for i, one in enumerate(made) for j in index.query(one) if one.jaccard(made[j]) >= THRESHOLD
    )
    return closure(len(pages), links)


def by_datasketch(pages: list[str]) -> Labels:
    from datasketch import MinHash, MinHashLSH

    index = MinHashLSH(num_perm=FUNCTIONS, params=(BANDS, LENGTH))
    made = []
    for i, page in enumerate(pages):
        one = MinHash(num_perm=FUNCTIONS, seed=1)
        one.update_batch([phrase.encode() for phrase in phrases(page)])
        index.insert(i, one, check_duplication=False)
        made.append(one)
    return closure(len(pages), ((i, j) for i, one in enumerate(made) for j in index.query(one)))


def by_text_dedup(pages: list[str]) -> Labels:
    """Its command on two processes, from a dataset on disk as it wants it, to the labels in its forest."""
    import datasets
    from text_dedup import minhash

    with tempfile.TemporaryDirectory() as folder:
        datasets.Dataset.from_dict({"text": pages}).save_to_disk(f"{folder}/in")
        options = {
            "path": f"{folder}/in", "output": f"{folder}/out", "column": "text", "ngram": K, "min_length": 1,
            "num_perm": FUNCTIONS, "b": BANDS, "r": LENGTH, "num_proc": 2, "hash_func": "xxh3",
        }  # fmt: skip
        flags = [text for name, value in options.items() for text in (f"--{name}", str(value))]
        minhash.main([*flags, "--local"], standalone_mode=False)
        return [minhash.uf.find(i) for i in range(len(pages))]


def by_datatrove(pages: list[str]) -> Labels:
    """Its first three steps on two processes, from the files it reads to the clusters it would filter by."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import minhash
    from datatrove.pipeline.readers import JsonlReader

    config = minhash.MinhashConfig(n_grams=K, num_buckets=BANDS, hashes_per_bucket=LENGTH)
    half = (len(pages) + 1) // 2
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "in").mkdir()
        for file in range(2):
            # A page without text would be skipped and not numbered.
            rows = [json.dumps({"text": text or "."}) for text in pages[file * half : (file + 1) * half]]
            (Path(folder) / "in" / f"{file}.jsonl").write_text("\n".join(rows))
        cluster = minhash.MinhashDedupCluster(
            f"{folder}/buckets", f"{folder}/out", config, save_cluster_id=True
        )
        steps = [
            (2, [JsonlReader(f"{folder}/in"), minhash.MinhashDedupSignature(f"{folder}/signatures", config)]),
            (
                BANDS,
                [minhash.MinhashDedupBuckets(f"{folder}/signatures", f"{folder}/buckets", config=config)],
            ),
            (1, [cluster]),
        ]
        for number, (tasks, step) in enumerate(steps):
            LocalPipelineExecutor(step, tasks, 2, f"{folder}/log{number}").run()
        labels = list(range(len(pages)))
        for file in range(2):
            found = np.fromfile(f"{folder}/out/{file:06d}.clusters", np.uint32).reshape(-1, 2)
            for page, cluster in found.tolist():
                labels[file * half + page] = len(pages) + cluster
    return labels


CANDIDATES: dict[str, Callable[[list[str]], Labels]] = {
    "pagekin": by_pagekin,
    "the paper's rule": lambda pages: by_pagekin(pages, 0.0),
    "gaoya": by_gaoya,
    "rensa": by_rensa,
    "datasketch": by_datasketch,
    "text-dedup": by_text_dedup,
    "datatrove": by_datatrove,
}
GOALS = {"text-dedup": 25, "datatrove": 35}
"""How many times faster than a peer we want to be; 5 times for the fastest of the others."""
LONG = 60
"""A peer that takes more seconds is run once."""


def exact(pages: list[str]) -> Labels:
    """The closure of all pairs at the threshold: similar sets share one of their rarest phrases."""
    shingler = _core.Shingler(K)
    sets = [np.unique(np.array(shingler.phrases(page), np.uint64)) for page in pages]
    _, place, counts = np.unique(np.concatenate(sets), return_inverse=True, return_counts=True)
    holders: dict[int, list[int]] = defaultdict(list)
    begin = 0
    for i, one in enumerate(sets):
        own = place[begin : begin + len(one)]
        begin += len(one)
        prefix = len(one) - math.ceil(THRESHOLD * len(one) - 1e-9) + 1
        rare = own[np.lexsort((own, counts[own]))][:prefix]
        for phrase in rare[counts[rare] > 1].tolist():
            holders[phrase].append(i)

    def links() -> Iterator[tuple[int, int]]:
        seen: set[tuple[int, int]] = set()
        for near in holders.values():
            for a, b in combinations(near, 2):
                sizes = sorted((len(sets[a]), len(sets[b])))
                if (a, b) in seen or sizes[0] < THRESHOLD * sizes[1]:
                    continue
                seen.add((a, b))
                both = len(np.intersect1d(sets[a], sets[b], assume_unique=True))
                if both >= THRESHOLD * (sum(sizes) - both):
                    yield a, b

    return closure(len(pages), links())


def pairs(labels: Labels) -> set[tuple[int, int]]:
    """Pairs in one class."""
    classes: dict[int, list[int]] = defaultdict(list)
    for page, label in enumerate(labels):
        classes[label].append(page)
    return {pair for members in classes.values() for pair in combinations(members, 2)}


def one(name: str, out: Path) -> None:
    """Runs one candidate; leaves its labels and its seconds."""
    pages = texts()
    start = time.perf_counter()
    labels = exact(pages) if name == "exact" else CANDIDATES[name](pages)
    out.write_text(json.dumps({"seconds": time.perf_counter() - start, "labels": labels}))


def measured(name: str) -> tuple[float, int, Labels]:
    """Seconds, peak memory and labels of one candidate in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out.json"
        _, rss = peak_rss_of([sys.executable, __file__, "--one", name, str(out)])
        found = json.loads(out.read_text())
    return found["seconds"], rss, found["labels"]


def truth(pages: list[str]) -> Labels:
    """The exact answer, kept beside the corpus under a name that changes with the texts."""
    content = hashlib.sha256("\0".join(pages).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    path = cache_folder() / f"duplicates-exact-{THRESHOLD}-{content}.json"
    if not path.exists():
        path.write_text(json.dumps(measured("exact")[2]))
    labels: Labels = json.loads(path.read_text())
    return labels


def main() -> None:
    """The best of three runs of each, taken by turns."""
    pages = texts()
    words = [bool(pagekin.words(page)) for page in pages]
    right = pairs(truth(pages))
    best: dict[str, float] = {}
    peak: dict[str, int] = {}
    scores: dict[str, tuple[float, float]] = {}
    for _ in range(3):
        for name in CANDIDATES:
            if best.get(name, 0.0) > LONG:
                continue
            seconds, rss, labels = measured(name)
            best[name] = min(seconds, best.get(name, seconds))
            peak[name] = min(rss, peak.get(name, rss))
            # Pages without words are nobody's duplicates; peers differ on them.
            found = pairs([label if words[i] else -1 - i for i, label in enumerate(labels)])
            both = len(found & right)
            scores[name] = (both / max(len(found), 1), both / max(len(right), 1))
    peers = [name for name in CANDIDATES if name not in ("pagekin", "the paper's rule")]
    ours = best["pagekin"]
    fastest = min(best[name] for name in peers if name not in GOALS)
    rows = [Row("texts to classes, two cores", ours, "s", fastest / ours, at_least=5)]
    for name in ("the paper's rule", *peers):
        rows.append(Row(f"{name}: texts to classes", best[name], "s", best[name] / ours, GOALS.get(name)))
    for i, what in enumerate(("pair precision", "pair recall")):
        rows.append(Row(what, scores["pagekin"][i], "share", at_least=max(scores[name][i] for name in peers)))
        rows += [Row(f"{name}: {what}", scores[name][i], "share") for name in ("the paper's rule", *peers)]
    least = min(peak[name] for name in peers) / 1e6
    rows.append(Row("peak memory", peak["pagekin"] / 1e6, "MB", at_most=least))
    rows += [Row(f"{name}: peak memory", peak[name] / 1e6, "MB") for name in peers]
    publish("duplicates", rows)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        one(sys.argv[2], Path(sys.argv[3]))
    else:
        main()
