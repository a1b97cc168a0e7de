"""Questions to a run's tables in SQL: counts and groups, of which only the answer becomes Python."""

from __future__ import annotations

from typing import Any

import duckdb

from pagekin.run import Run, damaged


def sealed() -> duckdb.DuckDBPyConnection:
    """A database that sees nothing but what it is given: an expression may come from anywhere."""
    return duckdb.connect(config={"enable_external_access": "false", "lock_configuration": "true"})


class Sql:
    """All tables of a run by their names. Say the order: without it rows come in any.

    Examples:
        >>> Sql(pagekin.Run(example_run)).value("SELECT count(*) > 0 FROM pages WHERE words > ?", 5)
        True
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tables = frozenset(run.tables)
        self._db = sealed()
        for name in run.tables:
            with run.reading(name):
                self._db.register(name, run.dataset(name))

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        try:
            return self._db.execute(query, values).fetchall()
        except (duckdb.IOException, duckdb.InvalidInputException) as error:
            asked = next((name for name in sorted(self.tables) if name in query), "tables")
            raise damaged(self.run.path, asked, error) from error

    def row(self, query: str, *values: Any) -> tuple[Any, ...]:
        return self.rows(query, *values)[0]

    def value(self, query: str, *values: Any) -> Any:
        return self.row(query, *values)[0]
