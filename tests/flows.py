"""Runs with tables made up by hand, to try one detector on several engines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from scatter import ScatterEngine

import pagekin
from pagekin.engines.base import Engine
from pagekin.engines.local import LocalEngine
from pagekin.params import Params
from pagekin.run import Identity, Run
from pagekin.synth import write_web
from pagekin.tables import Table

Rows = list[dict[str, Any]]
Find = Callable[[Run, Engine, Params], None]


def jsonl(path: Path, pages: Iterable[Mapping[str, Any]]) -> Path:
    """A crawl of texts."""
    path.write_text("".join(json.dumps(page) + "\n" for page in pages))
    return path


def sketched(crawl: Path, folder: Path, params: Params | None = None, against: Path | None = None) -> Run:
    """A run that has been read and no more."""
    return pagekin.scan(crawl, folder, only=[], params=params, against=against)


def writing(run: Run) -> Run:
    """The same run, open for writing."""
    known = None if run.against is None else run.against.path
    return Run.create(run.path, Identity.of(run.inputs, run.params, known), resume=True)


def add(run: Run, step: str, tables: Mapping[Table, Rows]) -> None:
    """Tables that another detector would have written."""
    engine = LocalEngine(1)
    with writing(run) as open_run:
        made = {t: engine.table(pa.Table.from_pylist(rows, schema=t.schema)) for t, rows in tables.items()}
        engine.publish(open_run, step, made)


def classes_by_text(run: Run) -> dict[int, list[int]]:
    """The pages of this run and those before it that have the same text as another, by the first of them."""
    by_text: dict[str, list[int]] = {}
    for known in run.lineage:
        sketches = known.table("sketches", ["page", "md5", "shingles"]).to_pylist()
        for row in sketches:
            if row["shingles"] is not None:
                by_text.setdefault(row["md5"], []).append(row["page"])
    return {pages[0]: sorted(pages) for pages in by_text.values() if len(pages) > 1}


def found(run: Run, find: Find, engine: Engine, tables: Sequence[str]) -> dict[str, Rows]:
    """The tables of a detector on a copy of the run."""
    path = run.path.with_name(f"{run.path.name}-{engine.name}-{find.__name__}")
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(run.path, path)
    with writing(type(run)(path)) as copy:
        find(copy, engine, copy.params)
        return {name: copy.table(name).to_pylist() for name in tables}


def check_classes_on_scatter(detector: str, profile: str, folder: Path) -> None:
    """Classes of copies are the same on both engines, in a crawl and in another one against it."""
    write_web(folder / "old.warc.gz", pages=300, seed=1)
    write_web(folder / "new.warc.gz", pages=200, seed=1)
    tables = []
    for name, engine in (("local", LocalEngine(2)), ("scatter", ScatterEngine(7))):
        options: dict[str, Any] = {"only": [detector], "params": Params.of(profile), "engine": engine}
        old = pagekin.scan(folder / "old.warc.gz", folder / f"{name}-old", **options)
        new = pagekin.scan(folder / "new.warc.gz", folder / f"{name}-new", against=old.path, **options)
        tables.append([run.table(detector) for run in (old, new)])
    for local, scattered in zip(*tables, strict=True):
        assert local.equals(scattered)
        assert local.num_rows > 20
        urls = dict(zip(local["page"].to_pylist(), local["url"].to_pylist(), strict=True))
        assert all(row["representative_url"] == urls[row["representative"]] for row in local.to_pylist())
