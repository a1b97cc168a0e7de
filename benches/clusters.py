"""Clusters and one-to-all at the paper's scale: five million made-up fingerprints (`fingerprints.py`)."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time

import numpy as np
from fingerprints import PAGES, M, fingerprints
from harness import Row, publish
from pagekin_bench import Fingerprints

from pagekin import _core
from pagekin.fs import peak_memory
from pagekin.params import Params

SMALL = PAGES // 10
THREADS = 2


def cluster(pages: int) -> dict[str, float]:
    """Seconds and peak bytes of clustering, and how many of the links it found."""
    params = Params.of("paper").style
    clusters = _core.StyleClusters(
        THREADS,
        M,
        params.k,
        params.p,
        params.t,
        0,
        params.budget,
        params.seed,
        params.over_m,
        params.split_worms,
    )
    families = []
    for batch in fingerprints(pages):
        clusters.push(batch)
        families.append(batch.column("family").to_numpy())
    family = np.concatenate(families)
    begin = time.perf_counter()
    for probe in range(params.p):
        clusters.probe(probe)
    members = clusters.members()
    seconds = time.perf_counter() - begin
    label = np.full(pages, -1, np.int64)
    label[members.column("page").to_numpy()] = members.column("cluster").to_numpy()
    both = (family >= 0) & (label >= 0)
    together = _pairs(family[both] * np.int64(pages) + label[both])
    return {
        "seconds": seconds,
        "peak": peak_memory(),
        "clusters": len(np.unique(label[label >= 0])),
        "recall": together / _pairs(family[family >= 0]),
        "precision": together / _pairs(label[label >= 0]),
        "big_buckets": len(clusters.big_buckets()),
    }


def _pairs(labels: np.ndarray) -> int:
    counts = np.unique(labels, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def scan(pages: int) -> dict[str, float]:
    """Seconds of one scan of all fingerprints, and of reading their bytes once, taking turns."""
    matrix = Fingerprints(THREADS, M)
    for batch in fingerprints(pages):
        matrix.push(batch)
    query = next(iter(fingerprints(pages))).column("style")[0].as_py()
    best = {"scan": math.inf, "read": math.inf}
    for _ in range(7):
        for name in best:
            begin = time.perf_counter()
            matrix.scan(query, 35) if name == "scan" else matrix.read()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best | {"bytes": 2 * M * pages}


def child(job: str, pages: int) -> dict[str, float]:
    """The job in a process of its own, for its peak memory."""
    done = subprocess.run(
        [sys.executable, __file__, job, str(pages)], capture_output=True, check=True, text=True
    )
    result: dict[str, float] = json.loads(done.stdout)
    return result


def main() -> None:
    """Measures both sizes, best of three for the small one and of two for the large one."""
    small = min((child("cluster", SMALL) for _ in range(3)), key=lambda found: found["seconds"])
    large = min((child("cluster", PAGES) for _ in range(2)), key=lambda found: found["seconds"])
    read = child("scan", PAGES)
    growth = math.log(large["seconds"] / small["seconds"]) / math.log(PAGES / SMALL)
    publish(
        "clusters",
        [
            Row(f"{PAGES:,} fingerprints to clusters", large["seconds"], "s", at_most=60),
            Row("peak memory", large["peak"] / 1e9, "GB", at_most=3),
            Row(f"{SMALL:,} fingerprints to clusters", small["seconds"], "s"),
            Row("growth between them: n to the power of", growth, "", at_most=1.1),
            Row("clusters found", large["clusters"], "clusters"),
            Row("buckets left to leaders", large["big_buckets"], "buckets"),
            Row("pairs of one family that are together", large["recall"], "share", at_least=0.999),
            Row("pairs together that are of one family", large["precision"], "share", at_least=0.999),
            Row("one to all over them", read["scan"], "s", read["scan"] / read["read"], at_most=2),
            Row("reading their bytes once", read["bytes"] / read["read"] / 1e9, "GB/s"),
        ],
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps({"cluster": cluster, "scan": scan}[sys.argv[1]](int(sys.argv[2]))))
    else:
        main()
