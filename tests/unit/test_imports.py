"""Imports point one way, optional packages have one home, and `import pagekin` costs next to nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pagekin

ROOT = Path(pagekin.__file__).parent

# From top to bottom. A file may import what is in lower layers, and the package or module it belongs to.
LAYERS: list[set[str]] = [
    {"cli"},
    {"web"},
    {"report", "crawl"},
    {"export", "studies", "synth"},
    {"pipeline"},
    {"query"},
    {"verdicts"},
    {"index"},
    {"detect"},
    {"engines"},
    {"run"},
    {"readers"},
    {"look", "tables", "params", "urls", "sites", "warc"},
    {"fs"},
    {"errors"},
    {"extras", "suggest"},
    {"_core"},
]

# The public names load on first use, from everywhere.
FACADE = "__init__"

# Where packages from elsewhere may be imported. What is optional for users is imported in one place.
HOMES: dict[str, set[str]] = {
    "click": {"cli"},
    "duckdb": {"engines/relational", "index", "query", "readers/parquet"},
    "fastwarc": {"readers"},
    "fsspec": {"readers"},
    "jinja2": {"web"},
    "pyarrow": {
        "cli/tables", "crawl", "detect", "engines", "export", "index", "pipeline", "query", "readers",
        "report", "run", "sites", "studies", "synth", "tables", "verdicts", "web",
    },
    "protego": {"crawl"},
    "py4j": {"engines/spark/session"},
    "pyspark": {"engines/spark/dataset", "engines/spark/engine", "engines/spark/session"},
    "resvg_py": {"look"},
    "rich": {"cli"},
    "itemadapter": {"crawl"},
    "scrapy": {"crawl"},
    "starlette": {"web"},
    "twisted": {"crawl"},
    "zope": {"crawl"},
    "uvicorn": {"web"},
}  # fmt: skip


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file imports, at its top or inside functions."""

    def names() -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: relative import"
                module = node.module or ""
                yield from ([f"pagekin.{a.name}" for a in node.names] if module == "pagekin" else [module])

    return frozenset(names())


FILES = {str(path.relative_to(ROOT).with_suffix("")): path for path in sorted(ROOT.rglob("*.py"))}


def unit(file: str) -> str:
    """The package or module of ours that a file belongs to."""
    return file.split("/")[0]


def layer(name: str) -> int:
    found = [number for number, names in enumerate(LAYERS) if name in names]
    assert len(found) == 1, f"{name} has no layer; say in LAYERS where it belongs"
    return found[0]


def may_import(ours: str, theirs: str) -> bool:
    return ours == theirs or layer(theirs) > layer(ours)


def test_there_is_something_to_check() -> None:
    assert {"cli/main", "readers/warc", "engines/spark/engine", "run/folder"} <= FILES.keys()


@pytest.mark.parametrize("file", [file for file in FILES if file != FACADE])
def test_direction(file: str) -> None:
    wrong = [
        name
        for name in sorted(imports(FILES[file]))
        if name.split(".")[0] == "pagekin" and not may_import(unit(file), name.split(".")[1])
    ]
    assert not wrong, f"{file} imports {wrong}"


def test_spark_does_without_the_local_engine() -> None:
    assert not [
        file
        for file in FILES
        if file.startswith("engines/spark") and "pagekin.engines.local" in imports(FILES[file])
    ]


OF_RUNS = {
    "first_page",
    "inputs",
    "is_done",
    "is_staged",
    "lineage",
    "tables",  # their names
    "update",
}
"""What a detector may ask a run: what there is, never for rows."""


@pytest.mark.parametrize("file", [file for file in FILES if file.startswith("detect/")])
def test_detectors_reach_rows_through_the_engine_alone(file: str) -> None:
    assert not imports(FILES[file]) & {"pagekin.engines.local", "pagekin.engines.spark", "pyarrow.parquet"}
    text = FILES[file].read_text(encoding="utf-8")
    runs = {"run", *(("old", "known", "one") if "lineage" in text else ())}
    asked = {
        node.attr
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in runs
    }
    # The one file that is no table: see docs/decisions/0034.
    if file == "detect/quilts/find":
        asked -= {"path"}
    assert asked <= OF_RUNS


def test_every_flow_has_its_property_test() -> None:
    """`whole` equals `steps`: each is named by tests that hypothesis drives."""
    flows = {
        node.name
        for file, path in FILES.items()
        if file.startswith("detect/")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.ClassDef)
        and {"steps", "whole"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    }
    assert flows >= {
        "Cluster",
        "DuplicateMembers",
        "FuzzyMembers",
        "PhraseCoverFlow",
        "Popular",
        "QuiltCoverFlow",
    }
    tested = set()
    for path in (Path(__file__).parents[1] / "engines").glob("test_*_flow.py"):
        tree = ast.parse(path.read_bytes())
        functions = {part.name: part for part in tree.body if isinstance(part, ast.FunctionDef)}
        for function in functions.values():
            if any("given" in ast.unparse(decorator) for decorator in function.decorator_list):
                reached = {function.name}
                for _ in range(3):  # and the helpers that it calls
                    names = {
                        node.id
                        for name in reached & functions.keys()
                        for node in ast.walk(functions[name])
                        if isinstance(node, ast.Name)
                    }
                    reached |= names
                tested |= reached
    assert flows <= tested


@pytest.mark.parametrize("file", FILES)
def test_packages_from_elsewhere(file: str) -> None:
    for name in sorted({name.split(".")[0] for name in imports(FILES[file])} - {"pagekin"}):
        if name in sys.stdlib_module_names:
            continue
        assert name in HOMES, f"{file} imports {name}; say in HOMES where that belongs"
        assert file in HOMES[name] or unit(file) in HOMES[name], f"{name} is imported in {file}"


def imported_by(statement: str) -> set[str]:
    """The modules that a statement loads in a fresh interpreter."""
    code = f"{statement}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


def test_import_is_light() -> None:
    loaded = imported_by("import pagekin")
    assert not loaded & {"pyarrow", "duckdb", "fastwarc", "numpy", "click", "rich", "zstandard", "pandas"}
    assert {name for name in loaded if name.startswith("pagekin")} == {"pagekin"}


def test_help_is_light() -> None:
    loaded = imported_by("import pagekin.cli.main")
    assert not loaded & {"pyarrow", "duckdb", "fastwarc", "numpy", "rich", "pagekin._core"}


def test_one_page_needs_no_tables() -> None:
    """Plain functions on one page load the native module and nothing heavy."""
    loaded = imported_by("import pagekin; pagekin.words(pagekin.text('<p>x'))")
    assert not loaded & {"pyarrow", "duckdb", "fastwarc", "numpy", "pandas"}


def test_base_install_needs_no_extra() -> None:
    """What users may not have installed is not loaded before it is needed."""
    loaded = imported_by(
        "import pagekin.pipeline, pagekin.query.show, pagekin.synth, pagekin.report, pagekin.cli.main"
    )
    assert not loaded & {"pyspark", "scrapy", "starlette", "uvicorn", "matplotlib", "jinja2", "fsspec"}


def test_public_names() -> None:
    assert pagekin.__all__ == sorted(pagekin.__all__)
    for name in pagekin.__all__:
        assert getattr(pagekin, name) is not None
        assert name in dir(pagekin)
    with pytest.raises(AttributeError, match="nosuch"):
        pagekin.nosuch  # noqa: B018


@pytest.mark.parametrize("before", ["", "pagekin.scan", "pagekin.Record", "import pagekin.readers"])
def test_read_is_the_function(before: str) -> None:
    """Not the folder of that name, whatever was imported before."""
    code = f"import pagekin\n{before}\nassert callable(pagekin.read), pagekin.read"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode().splitlines()[-1]
