"""Rows of complete groups as a list each."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pagekin.engines.base import Batch, BatchFunction


@dataclass(frozen=True)
class GroupLists:
    """The key of each complete group, and columns of its rows as one list: of structs if they are several.

    `schema` begins with the key and ends with the list.
    """

    schema: pa.Schema
    columns: tuple[str, ...]

    def open(self, threads: int) -> BatchFunction:
        def listed(batch: Batch) -> Batch:
            key, wanted = self.schema.names[0], self.schema.field(1).type
            groups = pc.run_end_encode(batch.column(key), run_end_type=pa.int32())
            ends = pa.concat_arrays([pa.array([0], pa.int32()), groups.run_ends])
            values = [batch.column(name) for name in self.columns]
            if len(values) > 1:
                values = [pa.StructArray.from_arrays(values, fields=list(wanted.value_type))]
            lists = pa.ListArray.from_arrays(ends, values[0]).cast(wanted)
            return pa.RecordBatch.from_arrays([groups.values, lists], schema=self.schema)

        return listed
