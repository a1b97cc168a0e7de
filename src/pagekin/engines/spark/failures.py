"""What Spark says of a failure, in one line."""

from __future__ import annotations

import re
from pathlib import Path

MAX_LENGTH = 300

ERROR = re.compile(r'(?:^|\s)(?:ERROR \S+:|Error:|Exception in thread "\S+") (?:\S+Exception: )?(.+)')
"""A line of the JVM's log that tells of an error, and what it tells."""

SAYS_NOTHING = ("Error initializing SparkContext", "A fatal exception has occurred", "Uncaught exception")
CHATTER = ("WARN", "INFO", "Using ", "Setting ", "To adjust", "Picked up", "at ", ":: ")
"""How lines begin, or what they hold behind the time, that tell of no failure."""


def cause(error: Exception) -> str:
    """The line of a Spark failure that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if any("No module named 'pagekin'" in line for line in lines):
        return (
            "the workers have no pagekin; install its wheel there, or send an environment "
            "(docs/guide/spark.md)"
        )
    telling = [
        line
        for line in lines
        if not line.startswith(("at ", "File ")) and ("Error" in line or "Exception" in line)
    ]
    return (telling or lines or ["unknown"])[-1][:MAX_LENGTH]


def why_not_started(error: Exception, log: Path) -> str:
    """Why Spark did not start. The JVM tells its log; Python often sees no more than that it is gone."""
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    told = [found[1] for line in lines if (found := ERROR.search(line))]
    telling = [what for what in told if not what.startswith(SAYS_NOTHING)]
    plain = [line for line in lines if line and not any(word in line[:40] for word in CHATTER)]
    # The last error is the one that Spark gave up at; without Java the first line is that of the shell.
    why = telling[-1] if telling else (plain[0] if plain else cause(error))
    spark_ran = any(re.search(r"org[./]apache[./]spark", line) for line in lines)
    java = "" if spark_ran else "; it needs Java 17 or newer on the PATH"
    return f"Spark did not start: {why[:MAX_LENGTH]}{java}"
