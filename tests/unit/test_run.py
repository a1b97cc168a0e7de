"""The run folder: whole tables or none, one writer, no mixing, and going on after a stop at any point."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pagekin.errors import (
    OutputError,
    ParamsMismatchError,
    RunError,
    RunExistsError,
    TableMissingError,
)
from pagekin.params import Params
from pagekin.readers import Input
from pagekin.run import FORMAT, KEYS, Identity, Run
from pagekin.tables import PAGES, TABLES, TEXTS


def identity(**values: Any) -> Identity:
    made: dict[str, Any] = {
        "pagekin": "0.1.0",
        "format": FORMAT,
        "unicode": "17.0.0",
        "inputs": [{"ordinal": 0, "path": "a.warc", "format": "warc", "size": 5, "mtime_ns": 6}],
        "params": Params().to_dict(),
    }
    return Identity(**(made | values))


def write_table(folder: Path, name: str, rows: int = 1) -> None:
    """A table of the step, in its work folder."""
    schema = TABLES[name].schema
    arrays = [pa.array([None] * rows, field.type) for field in schema]
    (folder / f"{name}.parquet").mkdir(parents=True, exist_ok=True)
    pq.write_table(
        pa.Table.from_arrays(arrays, schema=schema), folder / f"{name}.parquet" / "part-000000.parquet"
    )


def test_new_run(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False) as run:
        assert run.info["state"] == "running"
        assert run.tables == []
        assert run.inputs == [Input(0, "a.warc", "warc")]
        assert run.params == Params()
    assert json.loads((tmp_path / "run" / "run.json").read_text()).keys() == KEYS
    assert "running" in repr(Run(tmp_path / "run"))


def test_resume_of_nothing_begins(tmp_path: Path) -> None:
    Run.create(tmp_path / "run", identity(), resume=True).close()
    Run.create(tmp_path / "run", identity(), resume=True).close()
    with pytest.raises(RunExistsError, match="resume=True"):
        Run.create(tmp_path / "run", identity(), resume=False)


@pytest.mark.parametrize(
    ("other", "hint"),
    [
        ({"pagekin": "0.2.0"}, "0.1.0 then, 0.2.0 now"),
        ({"unicode": "16.0.0"}, "unicode"),
        (
            {"params": Params().replace("read", keep_errors=True).to_dict()},
            "read.keep_errors: False then, True now",
        ),
        ({"inputs": []}, "not given now: a.warc"),
        (
            {"inputs": [{"ordinal": 0, "path": "a.warc", "format": "warc", "size": 7, "mtime_ns": 6}]},
            "a.warc has changed since",
        ),
    ],
)
def test_nothing_is_mixed(tmp_path: Path, other: dict[str, Any], hint: str) -> None:
    Run.create(tmp_path / "run", identity(), resume=False).close()
    before = (tmp_path / "run" / "run.json").read_bytes()
    with pytest.raises(ParamsMismatchError, match=hint):
        Run.create(tmp_path / "run", identity(**other), resume=True)
    assert (tmp_path / "run" / "run.json").read_bytes() == before
    Run.create(tmp_path / "run", identity(), resume=True).close()


def test_identity_knows_a_file_by_its_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"x" * 9)
    described = Identity.of([Input(0, str(path), "warc"), Input(1, "-", "stream")], Params()).inputs
    assert (described[0]["size"], described[0]["mtime_ns"]) == (9, path.stat().st_mtime_ns)
    assert described[1]["size"] is None


def test_one_writer(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False):
        with pytest.raises(RunError, match="another process"):
            Run.create(tmp_path / "run", identity(), resume=True)
        Run(tmp_path / "run").close()  # a reader may come and go
        with pytest.raises(RunError, match="another process"):
            Run.create(tmp_path / "run", identity(), resume=True)
    Run.create(tmp_path / "run", identity(), resume=True).close()


def test_a_reader_does_not_clear_up(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False) as run:
        work = run.work("sketch")
        work.rmdir()
        with Run(tmp_path / "run"):
            pass
        assert work.parent.exists()


def test_folders_that_are_not_ours(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    for resume in (False, True):
        with pytest.raises(RunExistsError, match="not a run folder"):
            Run.create(tmp_path, identity(), resume=resume)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
    with pytest.raises(OutputError, match="in the way"):
        Run.create(tmp_path / "notes.txt", identity(), resume=False)
    with pytest.raises(OutputError, match="UTF-8"):
        Run.create(tmp_path / os.fsdecode(b"\xe9"), identity(), resume=False)


def test_odd_file_names_are_kept(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xf0\x9f\x98\x80 \\udce9.warc")
    described = identity(inputs=[{"ordinal": 0, "path": name, "format": "warc", "size": 5, "mtime_ns": 6}])
    Run.create(tmp_path / "run", described, resume=False).close()
    assert Run(tmp_path / "run").inputs == [Input(0, name, "warc")]
    (tmp_path / "run" / "run.json").read_text(encoding="utf-8")
    Run.create(tmp_path / "run", described, resume=True).close()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"1",
        b"null",
        b"{}",
        b'{"format": 1}',
        b'{"format": 999}',
        b"\0\xff",
        b'"' + b"x" * 9999,
    ],
)
def test_damaged_run_json(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(RunError) as caught:
        Run(tmp_path)
    assert str(tmp_path) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    with pytest.raises(RunError):
        Run.create(tmp_path, identity(), resume=True)


def test_missing_run(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no such folder"):
        Run(tmp_path / "nosuch")
    with pytest.raises(RunError, match=r"no run\.json"):
        Run(tmp_path)
    (tmp_path / "run.json").mkdir()
    with pytest.raises(RunError, match="cannot read"):
        Run(tmp_path)


def test_missing_tables(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False) as run:
        with pytest.raises(TableMissingError, match="not finished"):
            run.table("pages")
        run.update(state="done")
        with pytest.raises(TableMissingError, match="has no table 'pages'"):
            run.table("pages")
        with pytest.raises(TableMissingError, match="no table is called 'nosuch'"):
            run.table("nosuch")
        with pytest.raises(TableMissingError):
            run.table("../run")


def test_a_step_appears_when_it_is_published(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False) as run:
        for name in ("pages", "texts"):
            write_table(run.work("sketch"), name)
        assert run.tables == []
        assert not run.is_staged("sketch")
        run.stage("sketch")
        run.publish("sketch", [PAGES, TEXTS])
        run.finish_step("sketch", seconds=1)
        assert run.is_done("sketch")
        assert run.tables == ["pages", "texts"]
        assert run.table("pages", ["url", "words"]).column_names == ["url", "words"]
    assert not (tmp_path / "run" / ".work").exists()
    assert Run(tmp_path / "run").is_done("sketch")


@pytest.mark.parametrize("moved", [0, 1, 2])
@pytest.mark.parametrize("recorded", [False, True])
def test_publishing_goes_on_after_a_stop(tmp_path: Path, moved: int, recorded: bool) -> None:
    """Killed after some tables were moved, or after run.json was written but before the clearing up."""
    folder = tmp_path / "run"
    with Run.create(folder, identity(), resume=False) as run:
        work = run.work("sketch")
        for name in ("pages", "texts"):
            write_table(work, name)
        run.stage("sketch")
        for name in ("pages", "texts")[: 2 if recorded else moved]:
            (work / f"{name}.parquet").rename(folder / f"{name}.parquet")
        if recorded:
            run.update(steps={"sketch": {}})
        assert run._lock is not None
        run._lock.close()  # as a kill does: nothing is cleared up
        run._lock = None
    with Run.create(folder, identity(), resume=True) as run:
        if not run.is_done("sketch"):
            assert run.is_staged("sketch")
            run.publish("sketch", [PAGES, TEXTS])
            run.finish_step("sketch")
        assert run.tables == ["pages", "texts"]
    assert not (folder / ".work").exists()


def test_run_json_is_never_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Run.create(tmp_path / "run", identity(), resume=False) as run:
        before = (tmp_path / "run" / "run.json").read_bytes()

        def fail(_: int) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OutputError, match="disk is full"):
            run.update(counts={"pages": 5})
        monkeypatch.undo()
        assert (tmp_path / "run" / "run.json").read_bytes() == before
        assert not list((tmp_path / "run").glob("*.tmp")) + list((tmp_path / "run").glob(".*.tmp"))
