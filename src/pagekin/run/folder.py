"""The run folder: Parquet tables, `run.json`, and the rules that keep them whole.

    RUN/run.json            version, inputs, parameters, steps done, counts
    RUN/NAME.parquet/       a finished table; it appears in one piece
    RUN/.work/STEP/         a step that is being written
    RUN/.lock               held while a process writes

A step is written under `.work`, staged when complete, then published: its tables move into place and
`run.json` says that it is done. A kill at any point leaves a folder from which `--resume` reaches the same
end.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from pagekin.errors import OutputError, ParamsMismatchError, RunError, RunExistsError, TableMissingError
from pagekin.fs import TEMP_SUFFIX, write_atomically, writing
from pagekin.params import Params
from pagekin.readers import Input
from pagekin.readers.base import RECORD_BITS
from pagekin.run.identity import FORMAT, KEYS, Identity, difference, recorded_params
from pagekin.suggest import not_among
from pagekin.tables import TABLES, Table
from pagekin.tables.lookup import TableLookup

BATCH_ROWS = 65_536
"""Rows of a stored table that are in one batch at most."""

HALF_WRITTEN = f".run.json.*{TEMP_SUFFIX}"
"""What a kill in the middle of writing run.json leaves behind."""


class Run:
    """A run folder, open for reading; `create` opens one for writing.

    Examples:
        >>> import pagekin
        >>> run = pagekin.Run(example_run)
        >>> run.table("pages", columns=["url", "words"]).num_rows > 0
        True
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock: IO[bytes] | None = None
        file = self.path / "run.json"
        try:
            self.info: dict[str, Any] = json.loads(file.read_bytes())
        except FileNotFoundError:
            hint = "no such folder" if not self.path.exists() else "it has no run.json"
            raise RunError(f"{self.path} is not a run folder: {hint}; make one with `pagekin.scan`") from None
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"cannot read {file}: {error}") from error
        if not isinstance(self.info, dict):
            raise RunError(f"{file} is damaged: it holds no object")
        if self.info.get("format") != FORMAT:
            raise RunError(
                f"{self.path} was written in format {self.info.get('format')}; this pagekin reads {FORMAT}"
            )
        missing = sorted(KEYS - self.info.keys())
        if missing:
            raise RunError(f"{file} is damaged: it says nothing of {missing[0]}")

    @property
    def inputs(self) -> list[Input]:
        return [Input(i["ordinal"], i["path"], i["format"]) for i in self.info["inputs"]]

    @property
    def params(self) -> Params:
        return recorded_params(self.path, self.info)

    @property
    def against(self) -> Self | None:
        """The run whose pages were known when this one was made (`scan --against`)."""
        path = self.info["against"]
        return None if path is None else type(self)(path)

    @property
    def lineage(self) -> list[Self]:
        """The runs that this one was made against, oldest first, and itself."""
        runs = [self]
        while (known := runs[0].against) is not None:
            runs.insert(0, known)
        return runs

    @property
    def first_page(self) -> int:
        """The least id that a page of this run can have; those of the runs it was made against are below."""
        return min((source.ordinal for source in self.inputs), default=0) << RECORD_BITS

    @property
    def next_ordinal(self) -> int:
        """The first input ordinal that neither this run nor those it was made against have used."""
        return 1 + max((source.ordinal for source in self.inputs), default=-1)

    @property
    def unwell(self) -> str | None:
        """What to say of a scan that did not end well."""
        if self.info["state"] == "done":
            return None
        if self.info["state"] == "failed":
            return f"this scan failed: {self.info.get('failure', 'see what it said')}"
        return "this scan is not finished; go on with resume=True"

    @property
    def tables(self) -> list[str]:
        """The names of the tables that are there."""
        return [name for name in TABLES if (self.path / f"{name}.parquet").exists()]

    def dataset(self, name: str) -> ds.Dataset:
        """A table as an Arrow dataset, for reading piece by piece."""
        if name not in TABLES:
            rest = not_among(name, TABLES, "this run has", self.tables)
            raise TableMissingError(f"no table is called {name!r}{rest}")
        path = self.path / f"{name}.parquet"
        if not path.exists():
            state = "has no" if self.info["state"] == "done" else "is not finished and has no"
            raise TableMissingError(
                f"{self.path} {state} table {name!r}; it has: {', '.join(self.tables) or 'none'}"
            )
        files = sorted(str(p) for p in path.glob("*.parquet")) if path.is_dir() else [str(path)]
        return ds.dataset(files, schema=TABLES[name].schema, format="parquet")

    def batches(
        self, name: str, columns: Sequence[str] | None = None, pages: pa.Array | None = None
    ) -> Iterator[pa.RecordBatch]:
        """A table batch by batch, one in memory at a time; with `pages` only the rows of these pages.

        A scan of the dataset would read ahead: up to a gigabyte, when the reader is the faster one.
        """
        data = self.dataset(name)
        names = list(columns) if columns is not None else data.schema.names
        schema = pa.schema([data.schema.field(name) for name in names])
        wanted = None if pages is None else PageFilter(pages)
        read = names if wanted is None else list(dict.fromkeys(["page", *names]))
        with self.reading(name):
            for file in data.files:
                with pq.ParquetFile(file, pre_buffer=False) as part:
                    for group in range(part.num_row_groups):
                        if wanted is not None and not wanted.touches(part.metadata.row_group(group)):
                            continue
                        for batch in part.iter_batches(BATCH_ROWS, [group], read):
                            kept = batch if wanted is None else wanted.select(batch)
                            yield kept.select(names).cast(schema)

    def page_columns(
        self, name: str, columns: Sequence[str], pages: pa.Array | pa.ChunkedArray | Sequence[int]
    ) -> pa.Table:
        """Columns of these pages, in their order, from this run and those it was made against.

        A page that has no row in the table has a row of nulls.
        """
        if not isinstance(pages, pa.Array | pa.ChunkedArray):
            pages = pa.array(pages, pa.int64())
        ids = pages.combine_chunks() if isinstance(pages, pa.ChunkedArray) else pages
        names = list(dict.fromkeys(["page", *columns]))
        found = [
            batch for run in self.lineage if name in run.tables for batch in run.batches(name, names, ids)
        ]
        schema = pa.schema([TABLES[name].schema.field(column) for column in names])
        return TableLookup(pa.Table.from_batches(found, schema)).rows(ids).select(list(columns))

    def table(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A table, whole; `.to_pandas()` works on it."""
        data = self.dataset(name)
        with self.reading(name):
            return data.to_table(columns=None if columns is None else list(columns))

    def copies(self) -> pa.Array:
        """The pages that a duplicate class lists beside its representative; none before `duplicates` ran."""
        if "duplicates" not in self.tables:
            return pa.array([], pa.int64())
        rows = self.table("duplicates", ["page", "representative"])
        return rows["page"].filter(pc.not_equal(rows["page"], rows["representative"])).combine_chunks()

    def representatives(self, name: str, columns: Sequence[str] | None = None) -> pa.Table:
        """A table without the rows of copies: one page of each duplicate class, and all other pages."""
        wanted = None if columns is None else list(dict.fromkeys([*columns, "page"]))
        rows = self.table(name, wanted)
        kept = rows.filter(pc.invert(pc.is_in(rows["page"], value_set=self.copies())))
        return kept if columns is None else kept.select(list(columns))

    @contextmanager
    def reading(self, name: str) -> Iterator[None]:
        """Turns what Arrow says about a damaged table into a `RunError`."""
        try:
            yield
        except (pa.ArrowException, OSError) as error:
            raise damaged(self.path, name, error) from error

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r}, state={self.info['state']!r}, tables={self.tables})"

    @classmethod
    def create(cls, path: str | os.PathLike[str], identity: Identity, *, resume: bool) -> Self:
        """Opens a folder for writing: a new one, or with `resume` one begun with the same identity."""
        folder = Path(path)
        if not _is_unicode(str(folder)):
            raise OutputError(f"cannot write to {folder}: Arrow needs a path in UTF-8; choose another folder")
        with writing(folder, resumable=True):
            folder.mkdir(parents=True, exist_ok=True)
            _holds_run(folder, resume)
            lock = _lock(folder)
            # Asked again: another process may have begun, or even ended, before we had the lock.
            try:
                if not resume and _failed(folder):
                    _remove_run(folder)
                if not _holds_run(folder, resume):
                    info = asdict(identity) | {"state": "running", "steps": {}, "counts": {}, "skipped": {}}
                    _write_info(folder, info)
                run = cls(folder)
                run._require(identity)
                run._lock = lock
            except BaseException:
                lock.close()
                raise
        return run

    def _require(self, identity: Identity) -> None:
        for key, value in asdict(identity).items():
            if self.info[key] != value:
                raise ParamsMismatchError(
                    f"{self.path} was begun with other {key} ({difference(self.info[key], value)}); "
                    "give the same, or choose another folder"
                )

    def update(self, **values: Any) -> None:
        """Records something in `run.json`."""
        self.info.update(values)
        with writing(self.path, resumable=True):
            _write_info(self.path, self.info)

    def work(self, step: str) -> Path:
        """The folder in which a step is written."""
        path = self.path / ".work" / step
        path.mkdir(parents=True, exist_ok=True)
        return path

    @property
    def spill(self) -> Path | None:
        """Where a step of this run may put what does not fit in memory; None for a run that is only read."""
        return None if self._lock is None else self.path / ".work" / "spill"

    def clear_work(self, step: str) -> None:
        """Forgets what an earlier attempt at a step left."""
        shutil.rmtree(self.path / ".work" / step, ignore_errors=True)

    def is_done(self, step: str) -> bool:
        return step in self.info["steps"]

    def is_staged(self, step: str) -> bool:
        """The step's tables are complete, but perhaps not all in place."""
        return (self.path / ".work" / step / "staged").exists()

    def stage(self, step: str) -> None:
        """Declares that all the step's tables are complete."""
        write_atomically(self.work(step) / "staged", b"")

    def publish(self, step: str, tables: Sequence[Table]) -> None:
        """Moves a staged step's tables into place. Goes on where an earlier attempt was stopped."""
        work = self.work(step)
        for table in tables:
            name = f"{table.name}.parquet"
            if (work / name).exists():
                if (self.path / name).exists():  # a table that an earlier step wrote and this one completes
                    (self.path / name).rename(work / f"old-{name}")
                (work / name).rename(self.path / name)

    def finish_step(self, step: str, **metrics: Any) -> None:
        """Records that a step is done, and clears its work folder."""
        self.update(steps=self.info["steps"] | {step: metrics})
        self.clear_work(step)

    def close(self) -> None:
        """Lets other processes write."""
        if self._lock is None:
            return
        try:
            self._clear_up()
        finally:
            self._lock.close()
            self._lock = None

    def _clear_up(self) -> None:
        """Removes what a kill may have left: the work of a step that is done, and half of a run.json."""
        for step in (*self.info["steps"], "spill"):
            self.clear_work(step)
        work = self.path / ".work"
        if work.is_dir() and not any(work.iterdir()):
            work.rmdir()
        for file in self.path.glob(HALF_WRITTEN):
            file.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PageFilter:
    """Selects the rows of some pages, and the parts of a file that may hold them."""

    def __init__(self, pages: pa.Array) -> None:
        self._pages = TableLookup(pa.table({"page": pages}))
        self._sorted = memoryview(pc.drop_null(pages).sort().buffers()[1] or b"").cast("q")

    def touches(self, group: pq.RowGroupMetaData) -> bool:
        """Whether a row group may hold one of the pages, by the statistics that Parquet keeps."""
        places = range(group.num_columns)
        column = next(group.column(n) for n in places if group.column(n).path_in_schema == "page")
        known = column.statistics
        if known is None or not known.has_min_max:
            return True
        return bisect_left(self._sorted, known.min) < bisect_right(self._sorted, known.max)

    def select(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        return batch.filter(self._pages.contains(batch.column("page")))


def damaged(folder: Path, table: str, error: Exception) -> RunError:
    """What to say of a table that cannot be read."""
    first = str(error).splitlines()[0]
    return RunError(f"cannot read the table {table} of {folder}: {first}; scan again into another folder")


def _holds_run(folder: Path, resume: bool) -> bool:
    """Whether there is a run in the folder already; fails where we may not write."""
    if (folder / "run.json").exists():
        if not resume and not _failed(folder):
            raise RunExistsError(
                f"{folder} already holds a run; add resume=True to go on with it, or choose another folder"
            )
        return True
    # A kill may have come before run.json was in place.
    if any(p.name != ".lock" and not p.match(HALF_WRITTEN) for p in folder.iterdir()):
        raise RunExistsError(f"{folder} exists and is not a run folder; choose another")
    return False


def _failed(folder: Path) -> bool:
    """Whether a scan into this folder failed, so that another may begin in it."""
    try:
        return bool(json.loads((folder / "run.json").read_bytes())["state"] == "failed")
    except (OSError, ValueError, TypeError, KeyError):
        return False


def _remove_run(folder: Path) -> None:
    """Removes what a failed scan left, run.json last: until then the folder is that of a failed scan."""
    for name in (*(f"{table}.parquet" for table in TABLES), ".work"):
        shutil.rmtree(folder / name, ignore_errors=True)
    (folder / "run.json").unlink(missing_ok=True)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write_info(folder: Path, info: dict[str, Any]) -> None:
    text = json.dumps(info, indent=2, ensure_ascii=False) + "\n"
    # File names may hold bytes that are no UTF-8; `backslashreplace` happens to write them as JSON does.
    write_atomically(folder / "run.json", text.encode("utf-8", "backslashreplace"))


def _lock(folder: Path) -> IO[bytes]:
    file = (folder / ".lock").open("wb")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        raise RunError(f"{folder} is being written by another process; wait for it to end") from None
    return file
