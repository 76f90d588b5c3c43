"""The operators and methods that are added to Tensor, held against the list that type checkers see."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from autodrill.engine import Tensor, methods, operators

STUB = Path(operators.__file__).parent / "core" / "tensor_methods.pyi"
(LISTED,) = (node for node in ast.parse(STUB.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef))
METHODS = {node.name: node for node in LISTED.body if isinstance(node, ast.FunctionDef)}


def parameters(node: ast.FunctionDef) -> list[tuple[str, str]]:
    """The names and kinds of a declared function's parameters, with their defaults."""
    namespace: dict[str, object] = {}
    body = ast.FunctionDef(node.name, node.args, [ast.Pass()], [], None, lineno=1, col_offset=0)
    code = ast.unparse(ast.fix_missing_locations(body))
    exec(f"from __future__ import annotations\n{code}", namespace)
    return described(namespace[node.name])


def described(function: object) -> list[tuple[str, str]]:
    assert callable(function)
    return [(p.name, f"{p.kind.name} {p.default!r}") for p in inspect.signature(function).parameters.values()]


def added() -> dict[str, object]:
    """What `operators` and `methods` have put on Tensor: functions of their own, properties of them, and operations."""
    own = {name: value.fget if isinstance(value, property) else value for name, value in vars(Tensor).items()}
    modules = {operators.__name__, methods.__name__}
    operations = {name: getattr(Tensor, name) for name in methods.OPERATIONS}
    return {name: f for name, f in own.items() if getattr(f, "__module__", None) in modules} | operations


def test_added_methods_are_listed_for_type_checkers() -> None:
    assert set(added()) == set(METHODS)


@pytest.mark.parametrize("name", METHODS)
def test_added_method_has_the_listed_parameters(name: str) -> None:
    listed, found = parameters(METHODS[name]), described(added()[name])
    if name.startswith("__"):  # an operator passes its operands by position: `x += y` is `x.add_(y)`
        assert [kind for _, kind in found] == [kind for _, kind in listed]
    else:
        assert found == listed
