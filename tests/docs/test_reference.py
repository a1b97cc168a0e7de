"""The generated pages say what the code says, and every command has documentation."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import click
import pyarrow.parquet as pq
import pytest
from docs.blocks import ROOT, blocks

from pagekin.cli.main import COMMANDS, INTERRUPTED, cli
from pagekin.errors import DAMAGED, PagekinError, UsageError
from pagekin.params import Params
from pagekin.synth import write_web
from pagekin.tables import TABLES


def _load() -> Any:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.append(str(ROOT / "docs"))  # what it imports
    sys.modules["generate"] = module
    spec.loader.exec_module(module)
    return module


generate = _load()


GUIDES = [*sorted((ROOT / "docs/guide").glob("*.md")), *sorted((ROOT / "docs/recipes").glob("*.md"))]
MODULES = sorted(path.relative_to(ROOT) for path in ROOT.glob("src/pagekin/detect/**/*.py"))
SAID = "\n".join(path.read_text(encoding="utf-8") for path in GUIDES)


@pytest.mark.parametrize("command", COMMANDS)
def test_guides_name_every_command(command: str) -> None:
    assert re.search(rf"pagekin {command}\b", SAID), f"no page of the guide uses `pagekin {command}`"


@pytest.mark.parametrize("table", TABLES)
def test_guides_name_every_table(table: str) -> None:
    assert re.search(rf"`{table}`|show \w+ {table}\b", SAID), f"no page of the guide names {table}"
    folder = (ROOT / "docs/guide/run-folder.md").read_text(encoding="utf-8")
    assert f"`{table}`" in folder, f"the page on the run folder does not list {table}"


def test_what_the_docs_name_exists() -> None:
    """Commands and tables in examples are those that there are."""
    for block in blocks("sh"):
        for command in re.findall(r"^pagekin ([a-z-]+)", block.text, re.MULTILINE):
            assert command in COMMANDS, f"{block.name}: pagekin {command}"
        for table in re.findall(r"^pagekin show \S+ ([a-z_]+)", block.text, re.MULTILINE):
            assert table in TABLES, f"{block.name}: {table}"


@pytest.mark.parametrize("name", sorted(generate.pages()))
def test_page_is_fresh(name: str) -> None:
    assert (ROOT / name).read_text(encoding="utf-8") == generate.pages()[name], (
        f"{name} is stale: run `make docs`"
    )


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_flows_are_shown_whole(module: Path) -> None:
    """Every line that a detector's module draws is in the walk, in its figure and in the same order."""
    told = ast.get_docstring(ast.parse((ROOT / module).read_text(encoding="utf-8"))) or ""
    drawn = [line.strip() for line in told.splitlines() if re.search("[→←─│┌┐└┘├┤┬┴┼]", line)]
    walk = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    shown = re.search(rf"^`{re.escape(str(module))}`:\n\n```text\n(.*?)^```$", walk, re.MULTILINE | re.DOTALL)
    assert ([line.strip() for line in shown[1].splitlines()] if shown else []) == drawn


def test_demo_in_readme_is_fresh() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme == generate.with_demo(readme, generate.demo_output()), "README.md is stale: run `make docs`"


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_command_is_documented(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    prose, examples = generate.split_help(command)
    assert prose
    assert examples, f"`pagekin {name} --help` has no example"
    assert all(f"pagekin {name}" in example for example in examples)
    guides = [path.read_text(encoding="utf-8") for path in ROOT.glob("docs/guide/*.md")]
    readme = (ROOT / "README.md").read_text(encoding="utf-8").replace("make demo", "pagekin demo")
    assert any(f"pagekin {name}" in text for text in [readme, *guides]), (
        f"no guide speaks of `pagekin {name}`"
    )


def test_every_command_file_is_a_command() -> None:
    helpers = {
        *("__init__", "flags", "limits", "main", "meter", "progress", "quilt_view", "sizes", "tables"),
        "allocators",
        "terminal",
        *("color", "findings", "layout", "outputs", "pipes", "speech"),
    }
    files = {path.stem for path in (ROOT / "src/pagekin/cli").glob("*.py")}
    assert files - helpers == {name.replace("-", "_") for name in COMMANDS}


def test_exit_codes_are_all_listed() -> None:
    codes = {0, PagekinError.exit_code, UsageError.exit_code, DAMAGED, INTERRUPTED}
    assert set(generate.exit_codes()) == codes
    guide = (ROOT / "docs/guide/reading-crawls.md").read_text(encoding="utf-8")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", guide, re.MULTILINE)} == codes


def test_parameter_file_holds_the_defaults(tmp_path: Path) -> None:
    text = next(block.text for block in blocks("toml") if block.file.name == "parameters.md")
    path = tmp_path / "params.toml"
    path.write_text(text)
    assert Params.from_toml(path) == Params()


def test_every_kind_of_made_up_page_is_in_the_guide(tmp_path: Path) -> None:
    truth = write_web(tmp_path / "web.warc.gz", pages=300, seed=1).truth
    kinds = set(pq.read_table(truth, columns=["kind"])["kind"].to_pylist())
    rows = re.findall(
        r"^\| (`.*?) \|", (ROOT / "docs/guide/synth.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == kinds
