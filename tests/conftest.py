"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Fast in every change; `HYPOTHESIS_PROFILE=thorough` digs.
settings.register_profile(
    "fast", max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fast"))


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pictures`, for the tests that draw pages."""
    parser.addoption("--pictures", metavar="FOLDER", help="take the documentation's pictures on the way")


@pytest.fixture(scope="session")
def small_web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up web of 400 pages, as a WARC file."""
    from pagekin.synth import write_web

    path = tmp_path_factory.mktemp("web") / "web.warc.gz"
    write_web(path, pages=400, seed=3)
    return path
