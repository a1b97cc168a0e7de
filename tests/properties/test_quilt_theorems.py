"""The paper's theorems 1 and 2 on whole runs: made-up webs, scanned at one parameter after the other."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pagekin
from pagekin.synth import write_web

whole_runs = settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.too_slow])

webs = st.fixed_dictionaries({"pages": st.integers(80, 200), "seed": st.integers(0, 2**31)})
others = st.fixed_dictionaries(
    {
        "k": st.integers(2, 7),
        "m": st.sampled_from([2, 5, 20, 50, 80]),
        "foreign": st.sampled_from(["none", "host", "domain"]),
        "min_share": st.sampled_from([0.0, 0.05, 0.2]),
        "keep_duplicates": st.booleans(),
    }
)


def quilts(web: dict[str, int], points: list[dict[str, Any]]) -> list[dict[int, int]]:
    """The quilts at each point, with how many sources each has."""
    with tempfile.TemporaryDirectory() as folder:
        crawl = Path(folder) / "web.warc.gz"
        write_web(crawl, pages=web["pages"], seed=web["seed"])
        found = []
        for number, point in enumerate(points):
            params = pagekin.Params().replace("quilts", **point)
            only = ["duplicates", "quilts"]
            run = pagekin.scan(crawl, Path(folder) / str(number), only=only, params=params, threads=2)
            rows = run.table("quilts", ["page", "sources"])
            found.append(dict(zip(rows["page"].to_pylist(), rows["sources"].to_pylist(), strict=True)))
    return found


@whole_runs
@given(webs, others, st.integers(0, 5))
def test_theorem_1_on_whole_runs(web: dict[str, int], other: dict[str, Any], c: int) -> None:
    """A larger theta leaves some of the quilts, each with the sources it had."""
    found = quilts(web, [other | {"c": c, "theta": theta} for theta in (0.0, 0.3, 0.8)])
    for more, fewer in pairwise(found):
        assert fewer.items() <= more.items()


@whole_runs
@given(webs, others, st.sampled_from([0.0, 0.3, 0.5, 0.8]))
def test_theorem_2_on_whole_runs(web: dict[str, int], other: dict[str, Any], theta: float) -> None:
    """A larger c leaves those of the quilts that have so many sources, and no others."""
    cs = (0, 2, 4)
    found = quilts(web, [other | {"c": c, "theta": theta} for c in cs])
    for c, quilted in zip(cs, found, strict=True):
        assert quilted == {page: sources for page, sources in found[0].items() if sources >= c}
