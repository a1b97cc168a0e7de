"""What a scan with little memory asks of the process that it is in, and that it leaves as it was."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import pagekin
from pagekin.engines import freed
from pagekin.engines.base import Silent
from pagekin.engines.freed import FreedMemory
from pagekin.engines.local import LocalEngine


class SeesPools(Silent):
    """Notes which pool Arrow takes memory from."""

    def __init__(self) -> None:
        self.pools: set[str] = set()

    def advance(self, more: object) -> None:
        self.pools.add(pa.default_memory_pool().backend_name)


@pytest.mark.parametrize(("memory", "pool"), [(64 * 10**6, "system"), (10**9, "mimalloc")])
def test_pool_of_a_scan(small_web: Path, tmp_path: Path, memory: int, pool: str) -> None:
    before = pa.default_memory_pool()
    if before.backend_name != "mimalloc":
        pytest.skip("Arrow takes its memory from elsewhere here")
    progress = SeesPools()
    engine = LocalEngine(1, progress, memory)
    pagekin.scan(small_web, tmp_path / "run", only=["duplicates"], engine=engine)
    assert progress.pools == {pool}
    assert pa.default_memory_pool().backend_name == before.backend_name


@pytest.mark.parametrize(("memory", "kept"), [(64 * 10**6, False), (10**9, True)])
def test_a_database_goes_with_its_step(small_web: Path, tmp_path: Path, memory: int, kept: bool) -> None:
    """Unless there is memory for what it keeps."""
    engine = LocalEngine(1, memory=memory)
    pagekin.scan(small_web, tmp_path / "run", only=["duplicates"], engine=engine)
    assert (engine._database is not None) is kept
    engine.close()


def test_pool_after_a_failure() -> None:
    before = pa.default_memory_pool().backend_name
    with pytest.raises(OSError, match="full"), FreedMemory(1).step():
        raise OSError("the disk is full")
    assert pa.default_memory_pool().backend_name == before


def test_memory_is_given_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as batches bring an eighth of the budget; never with plenty."""
    batch = pa.record_batch({"n": pa.array(range(250_000), pa.int64())})
    asked: list[int] = []

    def batches_through(memory: int) -> int:
        asked.clear()
        returned = FreedMemory(memory)
        if returned._trim is not None:
            monkeypatch.setattr(returned, "_trim", asked.append)
        assert list(returned.behind(iter([batch] * 10))) == [batch] * 10
        return len(asked)

    assert batches_through(8 * 3_000_000) == 5
    assert batches_through(8 * 1_500_000) == 10
    assert batches_through(1) == 10
    assert batches_through(freed.LITTLE_MEMORY) == 0
