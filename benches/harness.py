"""What every benchmark needs: fair timing, peak memory of a child, a table of numbers against goals."""

from __future__ import annotations

import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


def cache_folder() -> Path:
    """Where corpora and results live: outside the repository, where the system keeps caches."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "pagekin-bench"


def best_of(
    callables: Mapping[str, Callable[[], object]],
    repeat: int = 5,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, float]:
    """The best seconds of each candidate.

    Candidates take turns, so that a noisy minute on the machine falls on all of them alike. What has one
    thread may be measured by `time.process_time`, which other programs hardly change.
    """
    if repeat < 1:
        raise ValueError(f"repeat must be at least 1, not {repeat}")
    best = dict.fromkeys(callables, float("inf"))
    for _ in range(repeat):
        for name, run in callables.items():
            gc.collect()
            start = clock()
            run()
            best[name] = min(best[name], clock() - start)
    return best


# Linux counts the memory of whoever started a process into that process's peak, so a bench that holds a
# corpus would be measured instead of its child. This small go-between has nothing to count.
_GO_BETWEEN = """
import json, os, sys, time
start = time.perf_counter()
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - start
with os.fdopen(int(sys.argv[1]), "w") as out:
    worked = usage.ru_utime + usage.ru_stime
    json.dump([seconds, worked, usage.ru_maxrss, os.waitstatus_to_exitcode(status)], out)
"""


def peak_rss_of(cmd: Sequence[str]) -> tuple[float, int]:
    """Run a command; its wall seconds and the peak resident bytes of its largest process."""
    seconds, _, peak = costs_of(cmd)
    return seconds, peak


def costs_of(cmd: Sequence[str]) -> tuple[float, float, int]:
    """Run a command; its wall seconds, its processor seconds, and the peak bytes of its largest process.

    The command's stdout is dropped. A command that fails is an error that ends with what it wrote on stderr.
    Peaks below about 15 MB cannot be told apart.
    """
    reader, writer = os.pipe()
    with os.fdopen(reader) as report:
        try:
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", _GO_BETWEEN, str(writer), *cmd],
                pass_fds=(writer,),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        finally:
            os.close(writer)
        answer = report.read()
    # No answer means the go-between itself failed: the command does not exist.
    failed = (0.0, 0.0, 0, done.returncode)
    seconds, worked, kilobytes, code = json.loads(answer) if answer else failed
    if code != 0:
        raise RuntimeError(f"{cmd[0]} ended with exit code {code}: {done.stderr.strip()[-2000:]}")
    return seconds, worked, kilobytes * (1 if sys.platform == "darwin" else 1024)


def resident() -> int:
    """Bytes of memory that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Row:
    """One measured number. A goal is about `ratio` where there is one, else about `value`."""

    name: str
    value: float
    unit: str
    ratio: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @property
    def goal(self) -> str:
        """The goal in words, such as "≥ 8x"; empty when there is none."""
        unit = "x" if self.ratio is not None else f" {self.unit}"
        bounds = (("≥", self.at_least), ("≤", self.at_most))
        return ", ".join(f"{sign} {_short(bound)}{unit}" for sign, bound in bounds if bound is not None)

    @property
    def passed(self) -> bool | None:
        """None when there is no goal."""
        if self.at_least is None and self.at_most is None:
            return None
        measured = self.value if self.ratio is None else self.ratio
        above = self.at_least is None or measured >= self.at_least
        below = self.at_most is None or measured <= self.at_most
        return bool(above and below)  # numbers of NumPy and pandas compare to a type that JSON does not know


def _short(number: float) -> str:
    """Three significant digits, never in scientific notation."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}" if abs(number) >= 0.001 else f"{number:.6f}"


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, for the terminal and docs/benchmarks.md alike."""
    verdict = {None: "", True: "pass", False: "**fail**"}
    lines = ["| what | value | unit | ratio | goal | |", "|---|--:|---|--:|---|---|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{_short(row.ratio)}x"
        cells = (row.name, _short(row.value), row.unit, ratio, row.goal, verdict[row.passed])
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def publish(bench: str, rows: Sequence[Row], cache: Path | None = None) -> Path:
    """Print the table and keep the numbers as `<cache>/results/<bench>.json`; returns that path."""
    print(markdown(rows))
    path = (cache or cache_folder()) / "results" / f"{bench}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    result = {
        "bench": bench,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": {"cpu": _cpu(), "cores": os.cpu_count(), "python": platform.python_version()},
        "rows": [
            {
                "name": row.name,
                "value": row.value,
                "unit": row.unit,
                "ratio": row.ratio,
                "goal": row.goal or None,
                "passed": row.passed,
            }
            for row in rows
        ],
    }
    path.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def _cpu() -> str:
    """The processor's name; `platform.processor()` is empty on Debian."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
