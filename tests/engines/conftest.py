"""Spark as tests use it: one session for all, because it takes seconds to start."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekin.engines.base import Engine


@pytest.fixture(scope="session")
def spark() -> Iterator[Engine]:
    """Real executor processes, two workers of one core each. All rows are divided, however few they are."""
    pytest.importorskip("pyspark")
    from pagekin.engines.spark import SparkEngine

    # Workers import the kernels of tests.
    here = Path(__file__).parent
    config = {"spark.executorEnv.PYTHONPATH": f"{here}:{here.parent}"}
    engine = SparkEngine("local-cluster[2,1,2048]", config, one_place=0, whole=0)
    yield engine
    engine.close()
