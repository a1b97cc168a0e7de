"""Python as it is on a machine without pagekin: stands in for the interpreter of Spark's workers.

What the environment variable PYTHONPATH names is still found, and so is a package that Spark has sent.
"""

import os
import runpy
import sys
from pathlib import Path

named = {Path(path).absolute() for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path}
sys.path = [
    path for path in sys.path if Path(path).absolute() in named or not (Path(path) / "pagekin").is_dir()
]
sys.argv = sys.argv[2:]  # python -m MODULE
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
