"""PySpark: the same kernels, single-threaded inside each Python worker.

The run folder and the inputs must be on a file system that driver and workers share. Rows that meet by key
travel as packed blocks: a worker cuts its batches by key, Spark moves a block for each target, and the worker
on the other side sorts and groups them natively. So the JVM handles thousands of rows instead of millions.

    session    starting Spark quietly, and its log
    workers    what runs on the workers; knows nothing of Spark
    engine     the verbs
"""

from pagekin.engines.spark import session  # noqa: F401 - says what is missing if pyspark is
from pagekin.engines.spark.engine import SparkEngine

__all__ = ["SparkEngine"]
