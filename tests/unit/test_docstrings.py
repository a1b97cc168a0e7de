"""Examples in docstrings are run, and do what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pagekin

# What examples may use without making it first.
GIVEN = ("pagekin", "example_warc", "example_run", "tmp_path")

# Their packages are optional; each has a place of its own.
OPTIONAL = {
    "pagekin.crawl.extension": "scrapy",
    "pagekin.crawl.middleware": "scrapy",
    "pagekin.crawl.resolver": "scrapy",
    "pagekin.crawl.robots": "scrapy",
    "pagekin.crawl.scheduler": "scrapy",
    "pagekin.crawl.spider": "scrapy",
    "pagekin.engines.spark": "pyspark",
}


def modules() -> list[str]:
    return ["pagekin", *(m.name for m in pkgutil.walk_packages(pagekin.__path__, "pagekin."))]


def load(name: str) -> ModuleType:
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    return importlib.import_module(name)


@pytest.fixture(scope="module")
def given(small_web: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("examples")
    pagekin.scan(small_web, folder / "run", only=["styles"])
    return {"pagekin": pagekin, "example_warc": small_web, "example_run": folder / "run"}


@pytest.mark.parametrize("name", modules())
def test_examples(name: str, given: dict[str, Any], tmp_path: Path) -> None:
    module = load(name)
    names = dict(vars(module)) | given | {"tmp_path": tmp_path}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    report: list[str] = []
    for example in doctest.DocTestFinder(exclude_empty=True).find(module, name, extraglobs=None, globs=names):
        runner.run(example, out=report.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_public_api_has_examples() -> None:
    """Every public function shows at least one example, and it is run."""
    for name in pagekin.__all__:
        module, attribute = pagekin._HOMES[name]
        thing = getattr(importlib.import_module(module), attribute)
        if isinstance(thing, type) and issubclass(thing, Exception):
            continue
        tests = doctest.DocTestFinder(exclude_empty=True).find(thing, name, globs={})
        examples = [e for test in tests for e in test.examples if doctest.SKIP not in e.options]
        assert thing.__doc__, name
        if callable(thing) and not isinstance(thing, type):
            assert examples, f"pagekin.{name} has no example that is run"
