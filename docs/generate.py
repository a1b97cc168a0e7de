"""Writes what comes from the code: the reference pages, the flows in architecture.md, the demo in README.md.

    python docs/generate.py          (or `make docs`)

`tests/docs/test_reference.py` fails when a file here says something else than the code.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from drawn_flows import with_flows

from pagekin import errors
from pagekin.cli import main as cli
from pagekin.params import Params
from pagekin.readers import INPUT_FAILURES, READ_REASONS
from pagekin.synth.truth import COLUMNS as TRUTH
from pagekin.tables import RECORDS, SKETCHED, TABLES, Table
from pagekin.web.context import Settings
from pagekin.web.openapi import described

ErrorClass = type[errors.PagekinError]

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Written by docs/generate.py from the code: change it there and run `make docs`. -->"
DEMO = re.compile(r"(?<=<!-- demo -->\n```text\n).*?(?=```\n<!-- end of demo -->)", re.DOTALL)


def main() -> None:
    for name, text in pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")
    readme = ROOT / "README.md"
    readme.write_text(with_demo(readme.read_text(encoding="utf-8"), demo_output()), encoding="utf-8")


def pages() -> dict[str, str]:
    """The generated pages by path."""
    parts = {
        "commands": commands(),
        "tables": tables(),
        "parameters": parameters(),
        "errors": failures(),
        "api": api(),
    }
    written = {
        f"docs/reference/{name}.md": "\n\n".join(block.strip("\n") for block in blocks if block) + "\n"
        for name, blocks in parts.items()
    }
    walk = "docs/architecture.md"
    return written | {walk: with_flows((ROOT / walk).read_text(encoding="utf-8"))}


# API --------------------------------------------------------------------------------------------------


def api() -> Iterator[str]:
    """The JSON API, from its own description."""
    spec = described(Settings().max_pages)
    yield "# The API"
    yield NOTE
    yield (
        "`pagekin serve RUN` answers JSON requests under `/api/`. `/api/openapi.json` is the same as "
        "OpenAPI, `/api/docs` as a page. A request that cannot be answered gets "
        '`{"error": code, "message": what to do}`. '
        "With `--token` send "
        "`Authorization: Bearer TOKEN`."
    )
    for path, methods in spec["paths"].items():
        for method, one in methods.items():
            yield f"## {method.upper()} {path}"
            yield f"{one['summary']}. {one.get('description', '')}".strip()
            found = [
                [code(p["name"]), p["in"], _values(p["schema"]), p.get("description", "")]
                for p in one.get("parameters", [])
            ]
            yield grid(["parameter", "where", "value", "meaning"], found) if found else ""
            body = one.get("requestBody")
            yield (
                fenced(
                    "json", json.dumps(body["content"]["application/json"]["schema"], indent=1).split("\n")
                )
                if body
                else ""
            )
            yield f"Answers: {', '.join(one['responses'])}."
    yield "## Schemas"
    for name, schema in spec["components"]["schemas"].items():
        yield f"### {name}"
        yield fenced("json", json.dumps(schema, indent=1).split("\n"))


def _values(schema: dict[str, Any]) -> str:
    return ", ".join(map(code, schema["enum"])) if "enum" in schema else str(schema["type"])


# Commands ---------------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    """All commands with their arguments, options and examples."""
    group = click.Context(cli.cli, info_name="pagekin")
    yield "# Commands"
    yield NOTE
    yield grid(["command", "what it does"], [[f"[{n}](#pagekin-{n})", d] for n, d in cli.COMMANDS.items()])
    yield "Results go to stdout, progress and messages to stderr. Exit codes are in [errors.md](errors.md)."
    yield "Every command takes `--color auto|always|never`; `NO_COLOR` is obeyed."
    yield "A size is a number of bytes, or has a unit: `500MB` and `4GB` by thousands, `64MiB` by 1,024."
    for name in cli.COMMANDS:
        command = cli.cli.get_command(group, name)
        assert command is not None
        yield from command_page(command, click.Context(command, info_name=name, parent=group))


def command_page(command: click.Command, context: click.Context) -> Iterator[str]:
    text, examples = split_help(command)
    yield f"## {context.command_path}"
    yield text
    yield fenced("text", [f"{context.command_path} {' '.join(command.collect_usage_pieces(context))}"])
    options = [o for o in command.params if isinstance(o, click.Option) and "--color" not in o.opts]
    yield grid(["option", "meaning"], [[code(option_name(o)), option_meaning(o)] for o in options])
    yield fenced("sh", examples)


def option_name(option: click.Option) -> str:
    """An option as one types it. Not by click's own words, which change from version to version."""
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {'|'.join(option.type.choices)}"
    kind = "N" if isinstance(option.type, click.types.IntParamType) else option.type.name.upper()
    return f"{names} {option.metavar or kind}"


def option_meaning(option: click.Option) -> str:
    """What an option does, and its default."""
    default = f"[default: {option.default}]" if option.show_default else ""
    required = "[required]" if option.required else ""
    return " ".join([*(option.help or "").split(), *filter(None, (default, required))])


def split_help(command: click.Command) -> tuple[str, list[str]]:
    """A help text as prose, and the examples at its end."""
    prose, _, tail = inspect.cleandoc(command.help or "").replace("\b", "").partition("Example")
    return prose.strip(), [line.strip() for line in tail.splitlines() if line.startswith("  ")]


# Tables -----------------------------------------------------------------------------------------------


def tables() -> Iterator[str]:
    """All tables of a run folder, what flows between them, and the truth table."""
    yield "# Tables"
    yield NOTE
    yield (
        "A run folder holds each table as `NAME.parquet`, a folder of Parquet files. Read in the order of\n"
        "their names, they give the rows in the order stated. A column is null where it does not apply."
    )
    yield grid(["table", "what it holds"], [[f"[{t.name}](#{t.name})", t.doc] for t in TABLES.values()])
    for table in TABLES.values():
        yield from table_page(table)
    yield "## Between the steps"
    yield "Not stored: what readers give to the sketch pass, and what the pass gives to the tables."
    for table in (RECORDS, SKETCHED):
        yield from table_page(table, "###")
    yield "## Truth"
    yield (
        "`pagekin synth` writes one row for each page beside the made-up web: `web.warc.gz` has\n"
        "`web.truth.parquet`. [The guide](../guide/synth.md) says what the kinds are."
    )
    yield columns(TRUTH)


def table_page(table: Table, level: str = "##") -> Iterator[str]:
    yield f"{level} {table.name}"
    order = ", ".join(
        f"{name}{' (largest first)' if way == 'descending' else ''}" for name, way in table.keys
    )
    yield f"{table.doc} Row order: {order}."
    yield columns([(c.name, c.type, c.doc) for c in table.columns])


def columns(rows: Iterable[tuple[str, object, str]]) -> str:
    """Columns with their Arrow types."""
    cells = [[code(name), code(str(kind)), doc] for name, kind, doc in rows]
    return grid(["column", "type", "meaning"], cells)


# Parameters -------------------------------------------------------------------------------------------


def parameters() -> Iterator[str]:
    """All parameters, and a parameter file that holds the defaults."""
    yield "# Parameters"
    yield NOTE
    yield (
        "Parameters decide what a run's tables hold. They are recorded in `run.json`, and a run folder\n"
        "never mixes two sets of them. Give them in a TOML file, or, where\n"
        "[pagekin scan](commands.md#pagekin-scan) has an option for one, by that; the option counts more\n"
        "than the file. In Python they are `pagekin.Params`."
    )
    yield from profiles()
    docs = {part.name: part.metadata["doc"] for part in dataclasses.fields(Params) if part.metadata}
    for part, kind in Params.parts().items():
        yield f"## [{part}]"
        yield f"{docs[part].capitalize()}."
        cells = [
            [code(f.name), type(f.default).__name__, toml(f.default), toml(paper(f)), f.metadata["doc"]]
            for f in dataclasses.fields(kind)
        ]
        yield grid(["parameter", "type", "default", "paper", "meaning"], cells)
    yield "## A parameter file"
    yield "The defaults, written out as `params.toml`:"
    yield fenced("toml", toml_lines(Params()))
    yield fenced("sh", ["pagekin scan crawl.warc.gz -o run --params params.toml"])


def profiles() -> Iterator[str]:
    """What the profiles are, and where they differ."""
    yield "## Profiles"
    yield (
        "A profile is the set of values that you begin with. `default` has what gave the best findings on\n"
        "real pages; `paper` has exactly what the four papers define. Choose one with `--profile paper`, or\n"
        'with the line `profile = "paper"` at the top of a parameter file. `run.json` records it.'
    )
    rows = [
        [code(f"{part}.{f.name}"), toml(f.default), toml(paper(f)), f.metadata["evidence"]]
        for part, kind in Params.parts().items()
        for f in dataclasses.fields(kind)
        if "paper" in f.metadata
    ]
    yield grid(["parameter", "default", "paper", "why the default differs"], rows)
    yield (
        "What bounds the work is no part of a profile: `style.budget`, `phrases.holders`, and how many\n"
        "digests with seven characters in common are compared. Where the papers leave something open\n"
        "or slip, both profiles do what the guide says."
    )
    yield "How these figures were measured: [benchmarks](../benchmarks.md#truth-benchestruthpy)."


def paper(field: dataclasses.Field[object]) -> object:
    """A field's value in the profile `paper`."""
    return field.metadata.get("paper", field.default)


def toml_lines(params: Params) -> Iterator[str]:
    """The parameters as a TOML file."""
    yield f'profile = "{params.profile}"'
    for part in Params.parts():
        values = dataclasses.asdict(getattr(params, part))
        yield f"[{part}]"
        yield from (f"{name} = {toml(value)}" for name, value in values.items())


def toml(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


# Errors -----------------------------------------------------------------------------------------------


def failures() -> Iterator[str]:
    """Exit codes, error classes, skip reasons."""
    yield "# Exit codes, errors, skip reasons"
    yield NOTE
    yield "## Exit codes"
    yield grid(["code", "meaning"], [[str(number), meaning] for number, meaning in exit_codes().items()])
    yield "## Errors"
    yield (
        "Every error that pagekin raises on purpose is a `pagekin.PagekinError`. Its `code` is stable and\n"
        "may be matched on; its message may change. The command line prints the message and ends with the\n"
        "exit code."
    )
    cells = [
        ["&nbsp;" * 4 * depth + code(e.__name__), code(e.code), str(e.exit_code), e.__doc__ or ""]
        for depth, e in hierarchy(errors.PagekinError)
    ]
    yield grid(["class", "code", "exit", "meaning"], cells)
    yield "## Skip reasons"
    yield (
        "A record that is not a page has a row in the table [skipped](tables.md#skipped), with one of these\n"
        "reasons. *Damage* means that the input itself is damaged: `scan` then ends with exit code 3, or\n"
        "fails with `--strict`."
    )
    cells = [[code(r), "damage" if r in INPUT_FAILURES else "", doc] for r, doc in sorted(reasons().items())]
    yield grid(["reason", "", "meaning"], cells)


def reasons() -> dict[str, str]:
    """Why a record is not a page: the readers' reasons, and the one of the sketch pass."""
    source = (ROOT / "crates/core/src/page/batch.rs").read_text(encoding="utf-8")
    failed = re.findall(r'const FAILED: &str = "(.+)";', source)
    return dict.fromkeys(failed, "the sketch pass failed on this page; please report it") | READ_REASONS


def exit_codes() -> dict[int, str]:
    """Exit codes and their meanings, from the one place that lists them: the docstring of `cli/main.py`."""
    found = re.findall(r"^ *(\d+) {2,}(.+)$", cli.__doc__ or "", re.MULTILINE)
    return {int(number): meaning for number, meaning in found}


def hierarchy(top: ErrorClass, depth: int = 0) -> Iterator[tuple[int, ErrorClass]]:
    """A class and all below it, with their depths."""
    yield depth, top
    for below in top.__subclasses__():
        if below.__module__ == errors.__name__:
            yield from hierarchy(below, depth + 1)


# The demo in README.md ----------------------------------------------------------------------------------


def demo_output() -> str:
    """What `pagekin demo` prints at 80 columns: its first table, and its last lines."""
    command = [sys.executable, "-c", "from pagekin.cli.main import main; main()", "demo"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            command, cwd=folder, env=os.environ | {"PYTHONUNBUFFERED": "1", "COLUMNS": "80"}, check=True,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    second = lines.index("Pages quilted from others")
    told = next(number for number, line in enumerate(lines) if " words, " in line)
    return "\n".join([*lines[:second], "…", *lines[told:]]) + "\n"


def with_demo(readme: str, output: str) -> str:
    """README.md with the demo's output in its place."""
    assert DEMO.search(readme), "README.md has lost the marks around the demo's output"
    return DEMO.sub(lambda _: output, readme)


# Markdown -----------------------------------------------------------------------------------------------


def grid(names: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    # A pipe ends a cell, even inside code.
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def fenced(kind: str, lines: Iterable[str]) -> str:
    """A block of code, or nothing if there is none."""
    text = "\n".join(lines)
    return f"```{kind}\n{text}\n```" if text else ""


def code(text: str) -> str:
    return f"`{text}`"


if __name__ == "__main__":
    main()
