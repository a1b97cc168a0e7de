"""The crawl folder: WARC files, the growth curve, and `crawl.json`.

CRAWL/crawl-00000.warc.gz   what was fetched, in order; the crawl's only memory
CRAWL/curve.parquet         the growth curve
CRAWL/crawl.json            seeds, scope, parameters, counts, why it ended
CRAWL/.lock                 held while a process crawls
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pagekin import _core
from pagekin.crawl.params import CrawlParams
from pagekin.crawl.replay import is_empty
from pagekin.crawl.scope import normal_seed
from pagekin.crawl.state import FrontierCrawl
from pagekin.errors import ParamsMismatchError, RunError, RunExistsError, UsageError
from pagekin.fs import TEMP_SUFFIX, write_atomically, writing

FORMAT = 1
FIXED = ("seeds", "scope")
"""What cannot change when a crawl goes on."""


class CrawlFolder:
    """A folder that this process may write to."""

    def __init__(self, path: Path, params: CrawlParams) -> None:
        self.path = path
        self.params = params

    def save(self, state: FrontierCrawl, reason: str | None) -> None:
        """Writes the curve and `crawl.json`. `reason` is None while the crawl runs."""
        state.curve.save(self.path / "curve.parquet")
        forecast = state.saturation.forecast()
        point = state.curve.now()
        info = {
            "format": FORMAT,
            "pagekin": _core.__version__,
            "state": "running" if reason is None else "ended",
            "reason": reason,
            "params": asdict(self.params),
            "counts": {name: value for name, value in point._asdict().items() if name != "seconds"},
            "failures": dict(sorted(state.failures.items())),
            "idle": state.series.idle,
            "skipped": dict(sorted(state.skipped.items())),
            "forecast": {name: round(value, 4) for name, value in asdict(forecast).items()},
        }
        self._write(info)

    def _write(self, info: dict[str, Any]) -> None:
        data = json.dumps(info, indent=2, ensure_ascii=False) + "\n"
        write_atomically(self.path / "crawl.json", data.encode("utf-8", "backslashreplace"))


@contextmanager
def crawl_folder(path: Path, params: CrawlParams, *, resume: bool) -> Iterator[CrawlFolder]:
    """A new folder, or one in which nothing was stored; with `resume` one of the same seeds and scope."""
    with writing(path, resumable=True):
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / ".lock").open("wb")
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RunError(f"{path} is being written by another crawl; wait for it to end") from None
        _check(path, params, resume)
        for left in path.glob(f".*{TEMP_SUFFIX}"):
            left.unlink()
        folder = CrawlFolder(path, params)
        if not (path / "crawl.json").exists():
            with writing(path, resumable=True):
                folder._write({"format": FORMAT, "state": "running", "params": asdict(params)})
        yield folder


def _check(path: Path, params: CrawlParams, resume: bool) -> None:
    try:
        info = json.loads((path / "crawl.json").read_bytes())
        then = info["params"]
    except FileNotFoundError:
        # A kill may have come before crawl.json was in place.
        if any(p.name != ".lock" and not p.name.endswith(TEMP_SUFFIX) for p in path.iterdir()):
            raise RunExistsError(f"{path} exists and is not a crawl folder; choose another") from None
        return
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RunError(f"cannot read {path / 'crawl.json'}: {error!r}") from error
    if info.get("format") != FORMAT:
        raise RunError(f"{path} was written in format {info.get('format')}; this pagekin reads {FORMAT}")
    if not resume and is_empty(path, params.max_page_bytes):
        return  # nothing was stored: the folder can be used again, with other seeds too
    if not resume:
        raise RunExistsError(
            f"{path} already holds a crawl; add resume=True to go on with it, or choose another folder"
        )
    for name in FIXED:
        now = asdict(params)[name]
        if _plain(name, then.get(name)) != _plain(name, now):
            raise ParamsMismatchError(
                f"{path} was begun with other {name}: {then.get(name)} then, {now} now; give the same, "
                "or choose another folder"
            )


def _plain(name: str, value: Any) -> Any:
    """A parameter in the one way of writing it: `example.org` is the seed `http://example.org/` too."""
    if name != "seeds" or not isinstance(value, list):
        return value
    try:
        return [normal_seed(seed) for seed in value]
    except UsageError:
        return value  # no seed of ours: an older version may have let it pass
