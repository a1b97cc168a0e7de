"""What a study measured stays with the run: RUN/studies/NAME.json, for the report to show."""

from __future__ import annotations

import json
from typing import Any

from pagekin.errors import OutputError, RunError
from pagekin.fs import write_atomically, writing
from pagekin.run import Run

SWEEP, CALIBRATION, AUDIT = "sweep", "fuzzy-threshold", "audit"
NAMES = (SWEEP, CALIBRATION, AUDIT)


def keep(run: Run, name: str, measured: dict[str, Any]) -> bool:
    """Stores a measurement, in place of an earlier one. False where the folder cannot be written."""
    path = run.path / "studies" / f"{name}.json"
    try:
        with writing(path):
            path.parent.mkdir(exist_ok=True)
            write_atomically(
                path, (json.dumps(measured, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")
            )
    except OutputError:
        return False
    return True


def kept(run: Run, name: str) -> dict[str, Any] | None:
    """The last measurement of that name; None if there was none."""
    path = run.path / "studies" / f"{name}.json"
    if not path.exists():
        return None
    try:
        measured: dict[str, Any] = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {path}: {error}; measure again, or remove it") from error
    return measured
