"""Keys that everybody holds, on Spark with all rows divided: does one task do the work of the others?

Of each stage with enough tasks, the longest task is compared with the median. Tasks below a tenth of a second
say nothing: that is what Spark needs to start one.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np
import pyarrow as pa
from harness import Row, publish

from pagekin.detect.fuzzy.flow import SKETCHES, TEXTS, WORDLESS, FuzzyMembers
from pagekin.detect.phrases.popular import SHINGLES, SITES, Popular
from pagekin.detect.quilts.flow import QuiltCoverFlow
from pagekin.detect.quilts.inputs import COPIES, DATES, SITE_COLUMNS
from pagekin.detect.styles.clusters import KNOWN_PRINTS, PRINTS, Cluster
from pagekin.engines.spark import SparkEngine
from pagekin.params import Params
from pagekin.tables import PAGES

MIN_TASKS, MIN_SECONDS = 4, 0.1
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
Inputs = dict[str, pa.Table]


def one_gram(pages: int = 60_000) -> Inputs:
    """Texts of words that nobody else has, and five that everybody has."""
    ids = pa.array(range(pages), pa.int64())
    texts = [
        " ".join([*(f"w{page}x{n}" for n in range(150)), "all have these five words"])
        for page in range(pages)
    ]
    urls = [f"http://{page}.example/" for page in range(pages)]
    site = {"page": ids, "url": urls, "host": urls, "domain": urls, "ip": pa.nulls(pages, pa.string())}
    schema = pa.schema([PAGES.schema.field(name) for name in SITE_COLUMNS])
    return {
        "sites": pa.table([site[name] for name in SITE_COLUMNS], schema=schema),
        "dates": DATES.empty_table(),
        "copies": COPIES.empty_table(),
        "texts": pa.table([ids, texts], schema=TEXTS),
    }


def one_bucket(pages: int = 200_000) -> Inputs:
    """Random fingerprints that agree in one dimension."""
    values = np.random.default_rng(1).integers(1, 65536, (pages, 128), dtype=np.uint16)
    values[:, 3] = 77
    prints = pa.array([row.tobytes() for row in values], pa.binary())
    ids = pa.array(range(pages), pa.int64())
    return {
        "known": KNOWN_PRINTS.empty_table(),
        "prints": pa.table([ids, prints, pa.nulls(pages, pa.binary())], schema=PRINTS),
    }


def one_piece(pages: int = 100_000) -> Inputs:
    """Digests with seven characters in common."""
    rng = random.Random(1)
    ids = pa.array(range(pages), pa.int64())
    texts = [f"text {page}" for page in range(pages)]
    tails = ["".join(rng.choices(LETTERS, k=50)) for _ in range(pages)]
    digests = [f"96:ABCDEFG{tail}:{tail[:25]}" for tail in tails]
    md5 = [hashlib.md5(text.encode()).hexdigest() for text in texts]
    return {
        "wordless": WORDLESS.empty_table(),
        "sketches": pa.table([ids, md5, digests], schema=SKETCHES),
        "texts": pa.table([ids, texts], schema=TEXTS),
    }


def one_host(pages: int = 100_000) -> Inputs:
    """Half of the pages are on one host, and have a phrase in common."""
    values = np.random.default_rng(2).integers(0, 1 << 62, (pages, 84), dtype=np.uint64)
    values[: pages // 2, 0] = 5
    ids = np.arange(pages)
    hosts = np.where(ids < pages // 2, 0, ids)
    packed = pa.array([row.tobytes() for row in values], pa.binary())
    return {
        "sites": pa.table(
            [pa.array(column, pa.int64()) for column in (ids, hosts, hosts, hosts)], schema=SITES
        ),
        "sketches": pa.table([pa.array(ids, pa.int64()), packed], schema=SHINGLES),
    }


def worst(engine: SparkEngine, after: int) -> tuple[float, float, int]:
    """The longest task to the median one, over the stages behind this one; the longest; the last stage."""
    context: Any = engine.spark.sparkContext
    quantiles = context._gateway.new_array(context._gateway.jvm.double, 2)
    quantiles[0], quantiles[1] = 0.5, 1.0
    ratio, most, last = 1.0, 0.0, after
    for stage in engine.session.stages(after):
        last = max(last, stage.stageId())
        if stage.numCompleteTasks() >= MIN_TASKS:
            summary = (
                context._jsc.sc().statusStore().taskSummary(stage.stageId(), stage.attemptId(), quantiles)
            )
            times = summary.get().executorRunTime()
            median, longest = times.apply(0) / 1000, times.apply(1) / 1000
            most = max(most, longest)
            if longest >= MIN_SECONDS:
                ratio = max(ratio, longest / max(median, MIN_SECONDS))
    return ratio, most, last


def main() -> None:
    """Each flow on the key that hurts it."""
    params = Params()
    cases: dict[str, tuple[Any, Callable[[], Inputs]]] = {
        "quilts, one gram on each of 60,000 pages": (QuiltCoverFlow(params.quilts), one_gram),
        "styles, one bucket of 200,000": (Cluster(params.style), one_bucket),
        "fuzzy, one piece in 100,000 digests": (FuzzyMembers(params.fuzzy, params.shingles), one_piece),
        "phrases, one host with half of 100,000 pages": (Popular(params.phrases), one_host),
    }
    rows, last = [], -1
    with closing(SparkEngine("local[2]", one_place=0, whole=0)) as engine:
        for name, (flow, made) in cases.items():
            inputs = {key: engine.table(table) for key, table in made().items()}
            *_, last = worst(engine, last)
            engine.keep(engine.flow(flow, **inputs))
            ratio, most, last = worst(engine, last)
            rows.append(Row(f"{name}: longest task, to the median", most, "s", ratio, at_most=5))
    publish("spark_skew", rows)


if __name__ == "__main__":
    main()
