"""Starting Spark: quietly, with a log that an error can name, and leaving alone what was there before."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen, TimeoutExpired
from typing import Any

from pagekin.engines.spark.failures import cause, why_not_started
from pagekin.engines.spark.log import Py4jToLog, stderr_to
from pagekin.errors import EngineError, MissingExtraError, PagekinError
from pagekin.fs import forget_peak_memory, peak_memory

try:
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark import Accumulator, AccumulatorParam, TaskContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession
except ImportError:
    raise MissingExtraError("the spark engine", "spark") from None

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    # A worker that is used again has its modules loaded.
    "spark.python.worker.reuse": "true",
    # What workers freed goes back to the system (pagekin.cli.allocators does so for little memory).
    "spark.executorEnv.ARROW_DEFAULT_MEMORY_POOL": "system",
    "spark.executorEnv.MALLOC_MMAP_THRESHOLD_": str(8 << 20),
    "spark.executorEnv.MALLOC_TRIM_THRESHOLD_": str(8 << 20),
}
"""Of a session that we start."""

QUERIES = {
    "spark.sql.session.timeZone": "UTC",
    # A row may hold a whole page's text.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "8192",
    "spark.sql.execution.arrow.maxBytesPerBatch": str(8 << 20),
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # Spark cannot know what workers make of a row: it would take anything for small enough to be everywhere.
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.adaptive.autoBroadcastJoinThreshold": str(8 << 20),
}
"""Set for our queries, also in a session that the user started."""


PARTITIONS = "spark.sql.shuffle.partitions"
"""Into how many Spark divides the rows of a join, a count or a sort."""


def partition_number() -> int:
    """The partition that this worker has."""
    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


class Largest(AccumulatorParam[int]):
    """Keeps the largest of the numbers that workers tell."""

    def zero(self, value: int) -> int:
        return 0

    def addInPlace(self, value1: int, value2: int) -> int:  # noqa: N802 - Spark's name
        return max(value1, value2)


class Latest(AccumulatorParam[dict[str, Any]]):
    """Keeps what workers note, by name. A task that is tried again notes the same."""

    def zero(self, value: dict[str, Any]) -> dict[str, Any]:
        return {}

    def addInPlace(self, value1: dict[str, Any], value2: dict[str, Any]) -> dict[str, Any]:  # noqa: N802
        return value1 | value2


@dataclass(frozen=True)
class Notes:
    """Lets a worker note a figure about its work."""

    taken: Accumulator[dict[str, Any]]

    def __call__(self, name: str, value: Any) -> None:
        self.taken.add({name: value})


@dataclass(frozen=True)
class Measured:
    """A worker's function that tells what its process took meanwhile: memory and processor time."""

    function: Callable[[Iterable[Any]], Iterator[Any]]
    peaks: Accumulator[int]
    seconds: Accumulator[float]

    def __call__(self, source: Iterable[Any]) -> Iterator[Any]:
        source = iter(source)
        # The process has done other tasks before, of other steps.
        forget_peak_memory()
        begin = time.process_time()
        yield from self.function(source)
        # A worker that leaves rows unread is not used again.
        for _ in source:
            pass
        self.seconds.add(time.process_time() - begin)
        self.peaks.add(peak_memory())


class Session:
    """A Spark session, and whether it is ours to stop."""

    def __init__(self, master: str | None, config: dict[str, str], session: SparkSession | None) -> None:
        self.log: Path | None = None
        self._chatter: Py4jToLog | None = None
        self._failed = False
        """Whether an error was told that names the log."""
        # There is one at most in a process: one that is there is used, whatever master was named.
        session = session or SparkSession.getActiveSession()
        self.ours = session is None
        self._own = session or self._start(master, config)
        # Names of views and settings of queries are ours alone; the cluster is the same.
        self.spark = self._own.newSession()
        for key, value in (QUERIES | {k: v for k, v in config.items() if k in QUERIES}).items():
            self.spark.conf.set(key, value)
        self._min_partitions = int(self.spark.conf.get(PARTITIONS) or 1)
        self.cores = max(self.spark.sparkContext.defaultParallelism, 2)
        self._peaks = self.spark.sparkContext.accumulator(0, Largest())
        self._worker_seconds = self.spark.sparkContext.accumulator(0.0)
        self.notes = Notes(self.spark.sparkContext.accumulator({}, Latest()))
        self._stages = -1
        """The last stage that figures were given of."""

    def _start(self, master: str | None, config: dict[str, str]) -> SparkSession:
        # Workers must run the Python that has pagekin; Spark's own guess is whatever is on their PATH.
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
        settings = dict(SETTINGS)
        if master is not None and master.startswith("local"):
            # Executors on this machine: nothing needs to be reachable from elsewhere, and 200 tasks for every
            # join, Spark's default, would take longer than the joins.
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            settings[PARTITIONS] = "4"
        builder = SparkSession.builder.appName("pagekin")
        if master is not None:
            builder = builder.master(master)
        for key, value in (settings | config).items():
            builder = builder.config(key, value)
        handle, name = tempfile.mkstemp(prefix="pagekin-spark-", suffix=".log")
        self.log = Path(name)
        try:
            # The JVM and its workers inherit this as their stderr and keep it.
            with stderr_to(handle):
                session = builder.getOrCreate()
            self._chatter = Py4jToLog(self.log)
            # What these say of a lost JVM, they would print.
            server: Any = session.sparkContext._accumulatorServer
            server.handle_error = self._chatter.handle_error
            return session
        except (PySparkException, Py4JError, RuntimeError, OSError) as error:
            raise EngineError(f"{why_not_started(error, self.log)}{self._where()}") from error
        finally:
            os.close(handle)

    def set_shuffle_partitions(self, wanted: int) -> None:
        """For the queries that begin now: at least as many as Spark was told to make."""
        self.spark.conf.set(PARTITIONS, str(max(wanted, self._min_partitions)))

    def measured(self, function: Callable[[Iterable[Any]], Iterator[Any]]) -> Measured:
        """The function as workers get it."""
        return Measured(function, self._peaks, self._worker_seconds)

    def stages(self, after: int = -1) -> list[Any]:
        """What Spark knows of the stages behind one that ran tasks."""
        context = self.spark.sparkContext
        gateway: Any = context._gateway
        none = gateway.new_array(gateway.jvm.double, 0), gateway.jvm.java.util.ArrayList()
        listed = context._jsc.sc().statusStore().stageList(None, False, False, *none)
        found = (listed.apply(place) for place in range(listed.size()))
        return [stage for stage in found if stage.stageId() > after and stage.numCompleteTasks()]

    def figures(self) -> dict[str, float]:
        """What the stages since the last call cost."""
        stages = self.stages(self._stages)
        self._stages = max((stage.stageId() for stage in stages), default=self._stages)
        peak, workers = self._peaks.value, self._worker_seconds.value
        self._peaks.value, self._worker_seconds.value = 0, 0.0
        self.notes.taken.value = {}
        return {
            "stages": len(stages),
            "tasks": sum(stage.numCompleteTasks() for stage in stages),
            "task_seconds": round(sum(stage.executorRunTime() for stage in stages) / 1000, 3),
            # The tasks' own threads in the JVM; not its compiler, nor its collector of garbage.
            "jvm_cpu_seconds": round(sum(stage.executorCpuTime() for stage in stages) / 10**9, 3),
            "worker_cpu_seconds": round(workers, 3),
            "shuffled_bytes": sum(stage.shuffleWriteBytes() for stage in stages),
            "worker_peak_bytes": peak,
        }

    def stop(self) -> None:
        """Ends the session if we began it. The log stays if an error names it."""
        if self.ours:
            with suppress(Py4JError, ConnectionError):  # its JVM may be what failed
                self._own.stop()
            if self._chatter is not None:
                self._chatter.close()
            if self.log is not None and not self._failed:
                self.log.unlink(missing_ok=True)

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Turns what Spark says of a failure into one line; the rest is in the log."""
        try:
            yield
        except PagekinError:
            raise
        except Exception as error:
            ended = self._ended(error)
            if ended is None and not isinstance(error, PySparkException | Py4JError | ConnectionError):
                raise
            self._failed = True
            why = cause(error) if ended is None else f"its JVM has ended with exit code {ended}"
            raise EngineError(f"Spark failed in {what}: {why}{self._where()}") from error

    def _ended(self, error: Exception) -> int | None:
        """The exit code of the JVM, if it has ended and if it was ours."""
        gateway: Any = self._own.sparkContext._gateway
        process: Popen[bytes] | None = getattr(gateway, "proc", None)
        if process is None or not self.ours:
            return None
        if not isinstance(error, PySparkException | Py4JJavaError):
            # Its connections break before it is gone.
            with suppress(TimeoutExpired):
                process.wait(timeout=2)
        return process.poll()

    def _where(self) -> str:
        return "" if self.log is None else f"; its log is {self.log}"
