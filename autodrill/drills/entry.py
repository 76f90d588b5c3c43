"""What a candidate is to write: the names their file must define, and the parameters these are handed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodrill.drills.exercise import Kind, Parameter
from autodrill.drills.kernel_source import C_TYPES, kernel_signature, kernel_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["entry_of", "parameters_handed", "parameters_of", "signature"]


def entry_of(name: str, kind: Kind, given: str) -> str:
    """Return what is to be written, names separated by a space.

    Args:
        name: The exercise's id.
        kind: Its kind.
        given: What its header says; empty for the usual: the id, and for `X_backward` of kind `forward_backward` the
            two functions `X_forward X_backward`.
    """
    if given or kind is not Kind.FORWARD_BACKWARD or not name.endswith("_backward"):
        return given or name
    return f"{name.removesuffix('_backward')}_forward {name}"


def parameters_handed(entry: str, kind: Kind, defined: Mapping[str, ast.stmt]) -> tuple[Parameter, ...]:
    """Return the parameters that a case's arguments go to, those of the forward where the candidate writes that too.

    A kernel has parameters of its own; none are returned where they cannot be read.

    Args:
        entry: As `entry_of` gives it.
        kind: The exercise's kind.
        defined: The definitions by name.
    """
    name, _, method = entry.split(maxsplit=1)[0].partition(".")
    node = defined[name]
    if kind is Kind.KERNEL:
        text = kernel_text(ast.Module([node], []), name)
        kernel = kernel_signature(text.text) if text else None
        known = kernel is not None and all(p.type in C_TYPES for p in kernel.parameters)
        return tuple(Parameter(p.name) for p in kernel.parameters) if kernel and known else ()
    if isinstance(node, ast.ClassDef) and (method or kind.has_forward):
        method = method or "forward"
        found = next((m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == method), None)
        is_static = found is not None and any(ast.unparse(d) == "staticmethod" for d in found.decorator_list)
        # `ctx` is handed by autodrill, `self` by Python.
        return parameters_of(found)[0 if is_static and kind is not Kind.FUNCTION else 1 :] if found else ()
    return parameters_of(node)


def parameters_of(node: ast.stmt) -> tuple[Parameter, ...]:
    """Return the positional parameters of a function definition; none for anything else, such as a class."""
    if not isinstance(node, ast.FunctionDef):
        return ()
    arguments = [*node.args.posonlyargs, *node.args.args]
    required = len(arguments) - len(node.args.defaults)
    return tuple(Parameter(a.arg, optional=i >= required) for i, a in enumerate(arguments))


def signature(node: ast.stmt) -> dict[str, tuple[Parameter, ...]]:
    """Return the parameters of a function, or of each method of a class, by name."""
    if isinstance(node, ast.ClassDef):
        return {m.name: parameters_of(m) for m in node.body if isinstance(m, ast.FunctionDef)}
    return {node.name: parameters_of(node)} if isinstance(node, ast.FunctionDef) else {}
