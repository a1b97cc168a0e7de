"""PySpark: the same kernels, single-threaded inside each Python worker.

The run folder and the inputs must be on a file system that driver and workers share. Rows that meet by key
travel as packed blocks: a worker cuts its batches by key, Spark moves a block for each target, and the worker
on the other side sorts and groups them natively. So the JVM handles thousands of rows instead of millions.

    session    starting Spark quietly, what its stages cost
    log        what would else be printed
    failures   what Spark says of a failure, in one line
    workers    what runs on the workers: chains of kernels, cutting rows, grouping them
    pieces     rows in files
    writers    workers that write files
    reading    who reads what of a crawl
    dataset    what verbs take and give
    engine     the verbs
"""

from pagekin.engines.spark import session  # noqa: F401 - says what is missing if pyspark is
from pagekin.engines.spark.engine import TASK_MEMORY, SparkEngine

__all__ = ["TASK_MEMORY", "SparkEngine"]
