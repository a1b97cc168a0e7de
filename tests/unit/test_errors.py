"""Errors: one hierarchy, drawn in its docstring; stable codes; sentences that say what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pagekin import errors
from pagekin.errors import MissingExtraError, PagekinError

# The codes are public: scripts match on them. Add to this list, never change it.
CODES = {
    "PagekinError": "pagekin",
    "UsageError": "usage",
    "ParamsError": "params",
    "MissingExtraError": "missing-extra",
    "InputError": "input",
    "NoPagesError": "no-pages",
    "RunError": "run",
    "RunExistsError": "run-exists",
    "ParamsMismatchError": "params-mismatch",
    "TableMissingError": "table-missing",
    "OutputError": "output",
    "OutputExistsError": "output-exists",
    "EngineError": "engine",
    "LimitError": "limit",
}


def family(base: type[PagekinError]) -> Iterator[type[PagekinError]]:
    yield base
    for child in base.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from family(child)


def drawn() -> dict[str, tuple[str | None, int | None]]:
    """The tree in the docstring: each name with its parent and the exit code beside it."""
    found: dict[str, tuple[str | None, int | None]] = {}
    stack: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        match = re.match(r" {4}((?:[│ ]   )*(?:[├└]── )?)(\w+Error)\s+(?:exit (\d+)\s+)?\S", line)
        if match:
            depth = len(match[1]) // 4
            found[match[2]] = (stack[depth - 1] if depth else None, int(match[3]) if match[3] else None)
            stack[depth:] = [match[2]]
    return found


def test_docstring_draws_the_hierarchy() -> None:
    real = {cls.__name__: cls.__bases__[0].__name__ for cls in family(PagekinError)}
    real["PagekinError"] = ""
    assert {name: parent or "" for name, (parent, _) in drawn().items()} == real


def test_docstring_tells_the_exit_codes() -> None:
    for name, (parent, code) in drawn().items():
        expected = getattr(errors, name).exit_code
        if code is not None:
            assert code == expected
        elif parent is not None and parent != "PagekinError":
            assert getattr(errors, parent).exit_code == expected, f"{name} differs from what is above it"


def test_codes_are_stable_and_unique() -> None:
    assert {cls.__name__: cls.code for cls in family(PagekinError)} == CODES
    assert len(set(CODES.values())) == len(CODES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) for code in CODES.values())


def test_everything_in_the_module_belongs_to_the_family() -> None:
    ours = {
        cls for cls in vars(errors).values() if isinstance(cls, type) and cls.__module__ == errors.__name__
    }
    assert ours == set(family(PagekinError))
    assert all(cls.__doc__ for cls in ours)


def test_missing_extra_names_the_extra() -> None:
    error = MissingExtraError("the report", "report")
    assert error.extra == "report"
    assert "`report`: pip install 'resvg-py>=" in str(error)
