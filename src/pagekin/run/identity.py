"""What must be the same for a run to go on: software, inputs, parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from pagekin import _core
from pagekin.errors import ParamsError, RunError
from pagekin.params import Params
from pagekin.readers import Input

FORMAT = 1
"""Changes when an older pagekin could not read the folder."""


@dataclass(frozen=True)
class Identity:
    """The part of `run.json` that is fixed when a run begins."""

    pagekin: str
    format: int
    unicode: str
    inputs: list[dict[str, Any]]
    params: dict[str, Any]
    against: str | None = None
    """The run folder whose pages are known already."""

    @classmethod
    def of(cls, inputs: Sequence[Input], params: Params, against: Path | None = None) -> Identity:
        """The identity of a run over these inputs."""
        described = [asdict(source) | _stamp(source.path) for source in inputs]
        known = None if against is None else str(against.resolve())
        return cls(_core.__version__, FORMAT, _core.UNICODE_VERSION, described, params.to_dict(), known)


def recorded_params(path: Path, info: dict[str, Any]) -> Params:
    """The parameters in the `run.json` of a folder; an error if this version does not know them."""
    try:
        return Params.from_run(info["params"])
    except ParamsError as error:
        made_by = f"was made by another pagekin ({info['pagekin']})"
        raise RunError(f"{path} {made_by}: {error}; scan its crawl again") from None


def _stamp(path: str) -> dict[str, int | None]:
    """Size and time of a file, by which a changed input shows. Unknown for stdin, folders, remote paths."""
    try:
        stat = Path(path).stat()
    except (OSError, ValueError):
        return {"size": None, "mtime_ns": None}
    if not Path(path).is_file():
        return {"size": None, "mtime_ns": None}
    return {"size": stat.st_size, "mtime_ns": stat.st_mtime_ns}


KEYS = frozenset({f.name for f in fields(Identity)} | {"state", "steps", "counts", "skipped"})
"""What `run.json` holds from its first moment on."""


def _other_inputs(old: Sequence[str], new: Sequence[str]) -> str:
    """How two lists of files differ; nothing if they do not."""
    gone = [path for path in old if path not in new]
    more = [path for path in new if path not in old]
    if gone or more:
        said = (("not given now", gone), ("new", more))
        return "; ".join(f"{what}: {_some(paths)}" for what, paths in said if paths)
    return "" if old == new else f"the same files in another order, which began with {old[0]}"


def _some(paths: Sequence[str], max_shown: int = 3) -> str:
    rest = len(paths) - max_shown
    return ", ".join(paths[:max_shown]) + (f" and {rest:,} more" if rest > 0 else "")


def difference(old: Any, new: Any, name: str = "") -> str:
    """The first difference between two recorded values, in words."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return difference(old.get(key), new.get(key), f"{name}.{key}" if name else key)
    if isinstance(old, list) and isinstance(new, list):
        return _other_inputs([one["path"] for one in old], [one["path"] for one in new]) or next(
            f"{o['path']} has changed since" for o, n in zip(old, new, strict=True) if o != n
        )
    return f"{name}: {old} then, {new} now" if name else f"{old} then, {new} now"
