"""The stub of the native module says what the module has: names, arguments and defaults."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import pagekin
from pagekin import _core

STUB = ast.parse(Path(pagekin.__file__).with_name("_core.pyi").read_text())
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
CONSTANTS = {
    node.target.id: ast.unparse(node.annotation)
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
}


def stub_arguments(node: ast.FunctionDef) -> list[tuple[str, str | None]]:
    """Names and defaults, without `self` and `cls`."""
    assert not any((node.args.vararg, node.args.kwarg, node.args.kwonlyargs, node.args.posonlyargs))
    names = [argument.arg for argument in node.args.args]
    defaults: list[str | None] = [None] * (len(names) - len(node.args.defaults))
    defaults += [ast.unparse(default) for default in node.args.defaults]
    pairs = list(zip(names, defaults, strict=True))
    return [pair for pair in pairs if pair[0] not in ("self", "cls")]


def module_arguments(thing: object) -> list[tuple[str, str | None]]:
    signature = inspect.signature(thing)  # type: ignore[arg-type]
    # A default that is no literal is an ellipsis on both sides, spelt differently.
    return [
        (
            name,
            None
            if parameter.default is parameter.empty
            else repr(parameter.default).replace("Ellipsis", "..."),
        )
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]


def test_same_names() -> None:
    public = {name for name in dir(_core) if not name.startswith("_")} | {"__version__"}
    assert public == FUNCTIONS.keys() | CLASSES.keys() | CONSTANTS.keys()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name: str) -> None:
    assert stub_arguments(FUNCTIONS[name]) == module_arguments(getattr(_core, name))
    assert FUNCTIONS[name].returns is not None
    assert all(argument.annotation is not None for argument in FUNCTIONS[name].args.args)


@pytest.mark.parametrize("name", CLASSES)
def test_class(name: str) -> None:
    cls = getattr(_core, name)
    methods = {node.name: node for node in CLASSES[name].body if isinstance(node, ast.FunctionDef)}
    # A class without a constructor comes only from other calls.
    special = {"__new__", "__iter__", "__next__"} & vars(cls).keys()
    public = {method for method in vars(cls) if not method.startswith("_")} | special
    assert public == methods.keys()
    for method, node in methods.items():
        assert stub_arguments(node) == module_arguments(
            cls if method == "__new__" else getattr(cls, method)
        ), method


@pytest.mark.parametrize("name", CONSTANTS)
def test_constant(name: str) -> None:
    assert type(getattr(_core, name)).__name__ == CONSTANTS[name].partition("[")[0]


def test_pagekin_uses_all_of_it() -> None:
    """What only tests or benches call is not in the package: benches have `benches/native`."""
    folder = Path(pagekin.__file__).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    wanted = [rf'_core\.{name}\b|"{name}"' for name in FUNCTIONS.keys() | CONSTANTS.keys()]
    for name, node in CLASSES.items():
        methods = [method.name for method in node.body if isinstance(method, ast.FunctionDef)]
        # A class without a constructor comes only from other calls.
        wanted += [rf"_core\.{name}\b"] if "__new__" in methods else []
        wanted += [rf'\.{method}\b|"{method}"' for method in methods if not method.startswith("__")]
    assert not [name for name in wanted if not re.search(name, code)]


def test_errors_cross_the_border() -> None:
    """What is wrong with an argument is a Python exception, not a panic."""
    with pytest.raises(ValueError, match="threads"):
        _core.Sketcher(0)
    with pytest.raises(TypeError):
        _core.noise(b"bytes")  # type: ignore[arg-type]
    with pytest.raises(UnicodeEncodeError):
        _core.words("\ud800")
