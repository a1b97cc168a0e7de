"""`write_web`: the whole made-up web into a WARC file and its truth table."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pagekin.errors import ParamsError
from pagekin.fs import writing
from pagekin.synth.plan import pages as pages_of
from pagekin.synth.truth import TruthWriter
from pagekin.synth.warc import WarcWriter
from pagekin.synth.web import Web

_REPORT_EVERY = 500


@dataclass(frozen=True)
class SynthSummary:
    """What was written."""

    path: Path
    truth: Path
    pages: int
    records: int
    families: int
    domains: int
    kinds: dict[str, int]
    html_bytes: int
    file_bytes: int
    seconds: float


def truth_path(path: Path) -> Path:
    """Where the truth about a WARC file stands: web.warc.gz has web.truth.parquet beside it."""
    return path.with_name(_stem(path) + ".truth.parquet")


def _stem(path: Path) -> str:
    for suffix in (".warc.gz", ".warc"):
        if path.name.endswith(suffix) and path.name != suffix:
            return path.name.removesuffix(suffix)
    raise ParamsError(f"{path.name}: a made-up web is a WARC file, name it *.warc.gz or *.warc")


def write_web(
    path: str | os.PathLike[str],
    pages: int = 2000,
    seed: int = 1,
    progress: Callable[[int], None] | None = None,
) -> SynthSummary:
    """Write a made-up web of `pages` pages to `path` (.warc.gz or .warc) and its truth table beside it.

    The same `pages` and `seed` give the same bytes. `progress` is called now and then with the pages written
    so far. Both files appear under their names only when they are complete.
    """
    target = Path(path)
    truth_target = truth_path(target)
    if pages < 1:
        raise ParamsError(f"pages must be at least 1, not {pages}")
    started = time.perf_counter()
    parts = [name.with_name(f".{name.name}.part") for name in (target, truth_target)]
    web = Web(seed, pages)
    kinds: Counter[str] = Counter()
    domains: set[str] = set()
    templates: set[str] = set()
    collecting = gc.isenabled()
    gc.disable()  # makes no cycles, and looking for them takes a twentieth of the time
    try:
        with writing(target):
            with parts[0].open("wb", buffering=1 << 20) as file:
                warc = WarcWriter(file, seed, target.name, target.name.endswith(".gz"))
                truth = TruthWriter(parts[1])
                for page in pages_of(web):
                    warc.page(page)
                    truth.page(page)
                    kinds[page.kind] += 1
                    domains.add(page.domain)
                    template = page.truth.get("template")
                    if template:
                        templates.add(template)
                    if progress and warc.pages % _REPORT_EVERY == 0:
                        progress(warc.pages)
                truth.close()
            for part, name in zip(parts, (target, truth_target), strict=True):
                part.replace(name)
    finally:
        if collecting:
            gc.enable()
        for part in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    if progress:
        progress(warc.pages)
    return SynthSummary(
        target,
        truth_target,
        warc.pages,
        warc.records,
        len(templates),
        len(domains),
        dict(sorted(kinds.items())),
        warc.html_bytes,
        warc.bytes,
        time.perf_counter() - started,
    )
