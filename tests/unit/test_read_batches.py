"""Records to Arrow batches."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime

import pyarrow as pa

from pagekin.readers import Record, batches
from pagekin.tables import RECORDS

NOW = datetime(2024, 5, 6, 7, 8, 9, 123456, tzinfo=UTC)


def page(number: int, size: int) -> Record:
    return Record(
        number, f"http://a/{number}", b"x" * size, None, "text/html", "192.0.2.1", 200, NOW, "in", number * 7
    )


def skip(number: int) -> Record:
    return Record(number, None, None, None, None, None, None, None, "in", 5, "garbage", "9 bytes")


def text(number: int, content: str) -> Record:
    return Record(number, "http://t/", None, content, None, None, None, None, "in", 0)


def test_schema_and_values() -> None:
    records = [page(0, 3), skip(1), text(2, "Grüße\0")]
    (batch,) = batches(records)
    assert batch.schema == RECORDS.schema
    # The id of a row serves those who look up pages by it; it does not travel on.
    assert {column.name for column in RECORDS.columns} == {field.name for field in fields(Record)} - {"id"}
    assert [Record(**row) for row in batch.to_pylist()] == records
    batch.validate(full=True)


def test_where_batches_are_cut() -> None:
    def sizes(records: list[Record], max_bytes: int, max_records: int) -> list[int]:
        return [batch.num_rows for batch in batches(iter(records), max_bytes, max_records)]

    pages = [page(number, 10) for number in range(10)]
    assert sizes(pages, 30, 100) == [3, 3, 3, 1]
    assert sizes(pages, 29, 100) == [3, 3, 3, 1]
    assert sizes(pages, 31, 100) == [4, 4, 2]
    assert sizes(pages, 1, 100) == [1] * 10
    assert sizes(pages, 1000, 4) == [4, 4, 2]
    assert sizes(pages, 1000, 10) == [10]
    assert sizes([], 1000, 10) == []
    assert sizes([skip(number) for number in range(10)], 1, 4) == [4, 4, 2]
    assert sizes([text(number, "é" * 5) for number in range(4)], 20, 100) == [2, 2]
    assert sizes([page(0, 1000), page(1, 1)], 10, 100) == [1, 1]


def test_records_are_taken_no_earlier_than_needed() -> None:
    taken = []

    def records() -> object:
        for number in range(10):
            taken.append(number)
            yield page(number, 10)

    stream = batches(records(), 30)  # type: ignore[arg-type]
    next(stream)
    assert taken == [0, 1, 2]


def test_names_that_are_not_utf8() -> None:
    record = page(0, 3)
    record.input = "caf\udce9"
    (batch,) = batches([record, page(1, 3)])
    assert batch.column("input").to_pylist() == ["caf\ufffd\ufffd\ufffd", "in"]
    assert isinstance(batch, pa.RecordBatch)
