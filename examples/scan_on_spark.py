"""A scan as a Spark job: `spark-submit scan_on_spark.py INPUT... -o RUN`.

The driver and all workers must see the inputs and the run folder: name them by absolute paths.
"""

import argparse
import sys

from pyspark.sql import SparkSession

import pagekin
from pagekin.engines.spark import SparkEngine
from pagekin.errors import PagekinError


def main() -> None:
    parser = argparse.ArgumentParser(description="Scan a crawl with pagekin on a Spark cluster.")
    parser.add_argument("inputs", nargs="+", metavar="INPUT")
    parser.add_argument("-o", "--output", required=True, metavar="RUN")
    parser.add_argument("--only", metavar="DETECTORS", help="for instance duplicates,styles")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()

    # spark-submit has said where: the master, executors and memory are options of that command.
    spark = SparkSession.builder.appName("pagekin").getOrCreate()
    only = None if args.only is None else [name for name in args.only.split(",") if name]
    try:
        run = pagekin.scan(args.inputs, args.output, engine=SparkEngine(spark), only=only, resume=args.resume)
    except PagekinError as error:
        sys.exit(f"error: {error}")
    finally:
        spark.stop()
    print(f"{run.info['counts']['pages']:,} pages; tables: {', '.join(run.tables)}")


if __name__ == "__main__":
    main()
