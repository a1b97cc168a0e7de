"""Reads inputs of several sizes and compares the work that is counted."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import warcs
from faults.meter import counting
from warcs import http, record

from pagekin.readers import Input, ReadParams, Record, read_input

MIB = 1 << 20


def work_of(path: Path, form: str = "warc") -> tuple[int, list[Record]]:
    with counting() as meter:
        rows = list(read_input(Input(0, str(path), form), ReadParams()))
    return meter.work, rows


def plain(data: bytes) -> bytes:
    return data


def grows(
    tmp_path: Path,
    name: str,
    make: Callable[[int], bytes],
    count: int,
    factor: float,
    pack: Callable[[bytes], bytes] = plain,
) -> list[Record]:
    """Read inputs of `count` parts and of four times as many. `factor` bounds the work for each byte made."""
    works = []
    for parts in (count, 4 * count):
        data = make(parts)
        path = tmp_path / name
        path.write_bytes(pack(data))
        work, rows = work_of(path, name.split(".")[1])
        works.append(work)
    assert works[1] <= works[0] * 4**1.15 + MIB, works
    assert works[1] <= factor * len(data) + 20 * MIB, (works[1], len(data))
    return rows


def liar(number: int, length: int) -> bytes:
    return record("response", http(b"<p>%d</p>" % number), warcs.url(number), length=length)


def one_frame(data: bytes) -> bytes:
    return gzip.compress(data, 1)
