"""Rows of complete groups as a list each."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def group_lists(keys: pa.Array, values: pa.Array) -> tuple[pa.Array, pa.ListArray]:
    """The keys of complete groups, and the values of each as a list."""
    runs = pc.run_end_encode(keys, run_end_type=pa.int32())
    ends = pa.concat_arrays([pa.array([0], pa.int32()), runs.run_ends])
    return runs.values, pa.ListArray.from_arrays(ends, values)
