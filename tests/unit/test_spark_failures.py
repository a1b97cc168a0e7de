"""What Spark says of a failure, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyspark")

from pagekin.engines.spark.failures import cause, why_not_started

WARNINGS = """\
WARNING: Using incubator modules: jdk.incubator.vector
Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties
26/11/19 21:31:25 WARN Utils: Your hostname, vm, resolves to a loopback address: 127.0.0.1
"""
NOWHERE = """\
26/11/19 21:30:15 WARN StandaloneAppClient$ClientEndpoint: Failed to connect to master 127.0.0.1:1
org.apache.spark.SparkException: Exception thrown in awaitResult:
\tat org.apache.spark.util.SparkThreadUtils$.awaitResult(SparkThreadUtils.scala:53)
26/11/19 21:30:35 ERROR StandaloneSchedulerBackend: Application has been killed. Reason: All masters are unresponsive! Giving up.
26/11/19 21:30:37 ERROR SparkContext: Error initializing SparkContext.
"""  # noqa: E501
WRONG_MASTER = (
    'Exception in thread "main" org.apache.spark.SparkException: Master must start with spark or local\n'
    "\tat org.apache.spark.deploy.SparkSubmit.error(SparkSubmit.scala:1068)\n"
)
NO_JAVA = "/opt/spark/bin/spark-class: line 97: /usr/lib/nothing/bin/java: No such file or directory\n"


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (WARNINGS + NOWHERE, "Application has been killed. Reason: All masters are unresponsive! Giving up."),
        (WARNINGS + WRONG_MASTER, "Master must start with spark or local"),
        (NO_JAVA, f"{NO_JAVA.strip()}; it needs Java 17 or newer on the PATH"),
        (WARNINGS, "Answer from Java side is empty"),
        ("", "Answer from Java side is empty; it needs Java 17 or newer on the PATH"),
    ],
)
def test_why_it_did_not_start(log: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(log)
    error = OSError("Answer from Java side is empty")
    assert why_not_started(error, tmp_path / "log") == f"Spark did not start: {said}"


def test_the_line_that_says_what_happened() -> None:
    trace = (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        '  File "worker.py", line 1\nOSError: [Errno 28] No space left on device\n'
        "\tat org.apache.spark.api.python.BasePythonRunner (Exception)\n"
    )
    assert cause(RuntimeError(trace)) == "OSError: [Errno 28] No space left on device"
    assert "the workers have no pagekin" in cause(
        RuntimeError("ModuleNotFoundError: No module named 'pagekin'")
    )
    assert cause(RuntimeError("")) == "unknown"
