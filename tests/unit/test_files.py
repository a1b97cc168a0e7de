"""Small file work: whole files or none, and plain words for what the system says."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pagekin.errors import OutputError
from pagekin.fs import ADVICE, write_atomically, writing
from pagekin.tables import PAGES


def test_write_atomically(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for data in (b"one", b"", b"two" * 10_000):
        write_atomically(path, data)
        assert path.read_bytes() == data
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_failed_writes_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_atomically(tmp_path / "folder", b"x")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


@pytest.mark.parametrize("number", ADVICE, ids=lambda number: errno.errorcode[number])
def test_every_known_error_has_advice(number: int, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=ADVICE[number]) as caught, writing(tmp_path):
        raise OSError(number, "what the system says")
    assert str(tmp_path) in str(caught.value)
    # Arrow tells the number in its message only.
    with pytest.raises(OutputError, match=ADVICE[number]), writing(tmp_path):
        raise OSError(f"Error writing bytes to file. Detail: [errno {number}] what the system says")


def test_other_errors_are_told_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="Too many open files"), writing(tmp_path):
        raise OSError(errno.EMFILE, "Too many open files")
    with pytest.raises(BrokenPipeError), writing(tmp_path):
        raise BrokenPipeError(errno.EPIPE, "gone")
    with pytest.raises(ValueError, match="mine"), writing(tmp_path):
        raise ValueError("mine")


def test_what_arrow_says_about_a_full_disk() -> None:
    """Arrow's own words, not ours: a new version that changes them shows here."""
    with (
        pytest.raises(OutputError, match="disk is full"),
        writing(Path("/dev/full")),
        pq.ParquetWriter("/dev/full", PAGES.schema) as writer,
    ):
        writer.write_table(PAGES.schema.empty_table())


def test_peak_memory_is_our_own() -> None:
    """Not that of the process that started us."""
    child = "from pagekin.fs import peak_memory; held = b'x' * (50 << 20); print(peak_memory())"
    parent = (
        "import subprocess, sys; held = bytearray(b'x') * (300 << 20)\n"
        "sys.exit(subprocess.run([sys.executable, '-c', sys.argv[1]]).returncode)"
    )
    done = subprocess.run([sys.executable, "-c", parent, child], capture_output=True, check=True, timeout=60)
    assert 50 << 20 < int(done.stdout) < 200 << 20
