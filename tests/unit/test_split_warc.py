"""Dividing a WARC file among tasks: every record is read once, by whoever has it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pagekin.params import ReadParams
from pagekin.readers import Input, read_input, split_warc
from pagekin.synth import write_web

pytest.importorskip("pyspark")
from pagekin.engines.spark.reading import Share, tasks_of


def stored(folder: Path, how: str) -> Path:
    web = folder / "web.warc.gz"
    write_web(web, pages=120, seed=4)
    if how == "members":
        return web
    plain = folder / "web.warc"
    plain.write_bytes(gzip.decompress(web.read_bytes()))
    if how == "damaged":
        data = bytearray(web.read_bytes())
        for place in range(len(data) // 5, len(data), len(data) // 4):
            data[place : place + 50] = b"\xff" * 50
        web.write_bytes(data)
        return web
    if how == "one member":
        plain.write_bytes(gzip.compress(plain.read_bytes()))
    return plain


@pytest.mark.parametrize("how", ["members", "plain", "damaged", "one member"])
def test_shares_are_the_whole(how: str, tmp_path: Path) -> None:
    path = stored(tmp_path, how)
    source = Input(3, str(path), "warc")
    params = ReadParams()
    size = path.stat().st_size // 6
    points = split_warc(source, params, size)
    # A member that holds all records has no place to begin at.
    assert len(points) == 0 if how == "one member" else 3 <= len(points) <= 6
    shares = Share(source, "web", path.stat().st_size).divided(points)
    assert len(shares) == len(points) + 1
    whole = list(read_input(source, params))
    assert [record for share in shares for record in share.records(params)] == whole
    assert all(next(iter(share.records(params)), None) is not None for share in shares)


SIZES = (1, 2, 30, 5, 40, 1)


def test_small_inputs_share_a_task(tmp_path: Path) -> None:
    shares = [
        Share(Input(n, f"{n}", "warc"), f"{n}", size << 20) for n, size in enumerate((1, 2, 30, 5, 40, 1))
    ]
    tasks = [[share.name for share in task] for task in tasks_of(shares)]
    assert tasks == [["0", "1"], ["2"], ["3"], ["4"], ["5"]]


def test_what_cannot_be_opened_is_one_share(tmp_path: Path) -> None:
    assert split_warc(Input(0, str(tmp_path / "none.warc"), "warc"), ReadParams(), 1) == []
