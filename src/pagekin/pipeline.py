"""The ordered list of steps, and `scan`, which runs those that are wanted."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from pagekin.detect.causes.find import find_causes
from pagekin.detect.duplicates.find import find_duplicates
from pagekin.detect.fuzzy.find import find_fuzzy
from pagekin.detect.phrases.find import find_phrases
from pagekin.detect.quilts.find import find_quilts
from pagekin.detect.sketch import sketch_crawl
from pagekin.detect.styles.find import find_styles
from pagekin.engines.base import Engine, Progress, Silent
from pagekin.engines.local import LocalEngine
from pagekin.errors import (
    InputError,
    NoPagesError,
    ParamsError,
    ParamsMismatchError,
    RunError,
    UsageError,
)
from pagekin.fs import peak_memory, writing
from pagekin.look.words import plural
from pagekin.params import Params
from pagekin.query.run import Run
from pagekin.readers import CUT, INPUT_FAILURES, READ_REASONS, expand
from pagekin.run import Identity
from pagekin.run import Run as RunFolder
from pagekin.suggest import not_among

Step = Callable[[Run, Engine, Params], None]


@dataclass(frozen=True)
class Detector:
    """A step that `--only` can name, and the detectors whose tables it needs."""

    run: Step
    needs: tuple[str, ...] = ()


DETECTORS: dict[str, Detector] = {
    "duplicates": Detector(find_duplicates),
    "styles": Detector(find_styles),
    "quilts": Detector(find_quilts, needs=("duplicates",)),
    "fuzzy": Detector(find_fuzzy),
    "phrases": Detector(find_phrases, needs=("duplicates",)),
    "causes": Detector(find_causes, needs=("fuzzy",)),
}
"""In the order in which they run. A detector comes after what it needs."""


SKETCH_PARTS = {"style": ("n", "m", "seed", "content"), "shingles": None}
"""Parameters that must be the same for the pages of two runs to be comparable."""


def wanted_detectors(only: Sequence[str] | None) -> list[str]:
    """The detectors to run: those named and what they need; all of them when nothing is named."""
    if only is None:
        return list(DETECTORS)
    wanted: set[str] = set()
    queue = [name for name in only if name]
    while queue:
        name = queue.pop()
        if name not in DETECTORS:
            raise UsageError(f"there is no detector {name!r}{not_among(name, DETECTORS, 'there are')}")
        if name not in wanted:
            wanted.add(name)
            queue.extend(DETECTORS[name].needs)
    return [name for name in DETECTORS if name in wanted]


def scan(
    inputs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    only: Sequence[str] | None = None,
    params: Params | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
    resume: bool = False,
    strict: bool = False,
    against: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Reads a crawl, sketches its pages, runs the detectors, and returns the run.

    Args:
        inputs: WARC, WET, WACZ, JSONL or Parquet files, folders or zips of HTML files, globs, or `-`.
        output: The run folder to make.
        only: Detectors to run (what they need runs too); all by default, none with an empty list.
        params: Parameters; by default those of the profile `default`.
        engine: The engine; by default the local one with `threads` threads.
        threads: How many threads the local engine may use; by default all cores.
        resume: Go on with a run that was stopped.
        strict: Fail when any input is damaged or unreadable.
        against: A run folder whose pages are known: page ids go on behind its own, and what is found among
            the new pages is told in terms of the old (`Run.against`).
        progress: Is told how the work goes on.

    Examples:
        >>> import pagekin
        >>> run = pagekin.scan(example_warc, tmp_path / "run", only=[])
        >>> len(run.table("pages").to_pandas()) == run.info["counts"]["pages"]
        True
    """
    params = params or Params()
    if threads is not None and threads < 1:
        raise ParamsError(f"threads must be at least 1, not {threads}")
    names = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    known = None if against is None else _known_run(against, params)
    first = 0 if known is None else known.next_ordinal
    sources = expand([os.fspath(name) for name in names], first, params.read.follow_links)
    steps: dict[str, Step] = {"sketch": sketch_crawl}
    steps |= {name: DETECTORS[name].run for name in wanted_detectors(only)}
    progress = progress or Silent()
    engine = engine or LocalEngine(threads, progress)
    if params.quilts.keep_grams and "quilts" in steps and not engine.one_machine:
        raise UsageError(
            "keep_grams=True writes one file, grams.index, which needs all grams in one place; "
            f"take the local engine, not {engine.name}, or leave it out"
        )
    identity = Identity.of(sources, params, None if known is None else known.path)
    with Run.create(output, identity, resume=resume) as run, writing(Path(output), resumable=True):
        try:
            for name, step in steps.items():
                if not run.is_done(name):
                    progress.step(name)
                    _timed(run, engine, params, name, step)
                if name == "sketch":
                    _check(run, strict)
        except (InputError, UsageError) as error:
            # What was asked for cannot be done: a corrected scan may use the folder.
            run.update(state="failed", failure=str(error))
            raise
        run.update(state="done")
    return run


def _known_run(path: str | os.PathLike[str], params: Params) -> Run:
    """The run to compare with, if it can be compared with: same sketches, and complete."""
    run = Run(path)
    if run.info["state"] != "done":
        raise RunError(f"{run.path} is not finished; go on with it (resume=True) before you scan against it")
    if bool(run.params.style.structure_t) != bool(params.style.structure_t):
        has, needs = ("no ", "style.structure_t 0") if not run.params.style.structure_t else ("", "the same")
        raise ParamsMismatchError(f"{run.path} has {has}fingerprints of structure; give {needs}")
    for part, names in SKETCH_PARTS.items():
        old, new = (
            {k: v for k, v in p.to_dict()[part].items() if names is None or k in names}
            for p in (run.params, params)
        )
        if old != new:
            raise ParamsMismatchError(
                f"{run.path} was made with other parameters [{part}]: {old} then, {new} now; give the same"
            )
    return run


def _timed(run: Run, engine: Engine, params: Params, name: str, step: Step) -> None:
    begin = time.monotonic()
    engine.metrics.clear()
    with engine.running(name):
        step(run, engine, params)
    metrics: dict[str, Any] = {
        "engine": engine.name,
        "seconds": round(time.monotonic() - begin, 3),
        "memory_bytes": engine.memory,
        "peak_memory_bytes": peak_memory(),
        **engine.metrics,
    }
    if name == "sketch":
        run.update(counts=_counts(run), skipped=_skipped(run))
    run.finish_step(name, **metrics)


def _counts(run: Run) -> dict[str, int]:
    counts = dict.fromkeys(("pages", "html_bytes", "words", "lossy", "truncated"), 0)
    for batch in run.batches("pages", ["html_bytes", "words", "lossy", "truncated"]):
        counts["pages"] += batch.num_rows
        counts["truncated"] += pc.sum(pc.equal(batch.column("truncated"), CUT)).as_py() or 0
        for name in ("html_bytes", "words", "lossy"):
            counts[name] += pc.sum(batch.column(name)).as_py() or 0
    return counts


def _skipped(run: Run) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for batch in run.batches("skipped", ["reason"]):
        for entry in pc.value_counts(batch.column("reason")).to_pylist():
            counts[entry["values"]] += entry["counts"]
    return {reason: counts[reason] for reason in sorted(counts, key=lambda r: (-counts[r], r))}


def _check(run: Run, strict: bool) -> None:
    """Fails loudly when nothing was a page, or, if strict, when an input was damaged."""
    skipped = run.info["skipped"]
    if strict and (failures := damages(run)):
        raise InputError(
            f"an input is damaged: {say_reasons(failures)}; see the table `skipped`, or drop strict=True"
        )
    if run.info["counts"]["pages"] == 0:
        empty = "it is empty" if len(run.inputs) == 1 else "they are empty"
        why = f"{empty}; check that the crawl or download has ended"
        if skipped:
            why = f"{say_reasons(skipped)}; the table `skipped` says more"
        raise NoPagesError(f"found no page in {plural(len(run.inputs), 'input')}: {why}")


def damages(run: RunFolder) -> dict[str, int]:
    """How often the inputs were damaged, by reason. A kept page whose end is missing counts too."""
    found = {reason: n for reason, n in run.info["skipped"].items() if reason in INPUT_FAILURES}
    cut = run.info["counts"].get("truncated", 0)
    return found | ({"truncated": found.get("truncated", 0) + cut} if cut else {})


def say_reasons(skipped: dict[str, int]) -> str:
    """Reasons in words, with the records that were skipped for them."""
    return "; ".join(
        f"{READ_REASONS.get(reason, reason)} ({plural(n, 'record')})" for reason, n in skipped.items()
    )
