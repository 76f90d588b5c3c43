"""Errors of the array library in an operation, in the engine's words: the operation, the shapes, the line, a remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.aliasing import call_site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.primitive import Primitive

__all__ = ["explained"]

_SHOWN = 4
"""The number of shapes that a message lists at most."""

_REMEDIES = {  # parts of NumPy's messages, and what to do
    "at least two-dimensional": "it needs matrices, in the last two axes",
    "to unpack": "it needs matrices, in the last two axes",
    "must be square": "it needs square matrices, in the last two axes",
    "Singular matrix": "a matrix is singular; add a small multiple of the identity, or use `lstsq` or `pinv`",
    "not positive definite": "a matrix is not positive definite; add a small multiple of the identity",
}


def explained(primitive: Primitive, values: Sequence[Any], static: dict[str, Any], error: Exception) -> Exception:
    """Return the error of a forward in the engine's words, of the same class; one of the engine's own is returned."""
    message = str(error).strip()
    if "`" in message:
        return error
    shapes = [tuple(value.shape if hasattr(value, "shape") else np.shape(value)) for value in values]
    problem = _problem(primitive.name, shapes, static) if len(shapes) == 2 else None
    if problem is None and primitive.broadcasts and not _broadcast(shapes):
        problem = (
            "these do not broadcast: counted from the last axis, lengths must be equal or 1; reshape one of them, or "
            "add an axis of length 1 with `expand_dims`"
        )
    if problem is None:
        problem = next((remedy for part, remedy in _REMEDIES.items() if part in message), message)
    kind = type(error) if type(error).__module__.startswith(("builtins", "numpy")) else ValueError
    return kind(f"`{primitive.name}` got {_listed(shapes)}: {problem} (at {call_site()})")


def _problem(name: str, shapes: list[tuple[int, ...]], static: dict[str, Any]) -> str | None:
    """Return what is wrong with the shapes of a product of two arrays, and what to do."""
    x, y = shapes
    if name == "matmul" and x and y:
        inner = x[-1], y[-2 if len(y) > 1 else 0]
        if inner[0] != inner[1]:
            return (
                f"the last axis of the first has length {inner[0]}, and the axis of the second that it is multiplied "
                f"with has length {inner[1]}; transpose one of them, for example with `swapaxes(x, -1, -2)`"
            )
        return "the axes before the last two do not broadcast; reshape one of them"
    if name == "contract":
        left, right, out = static["labels"]
        return f"as `{left},{right}->{out}`, in which axes with the same label must have equal lengths"
    return None


def _broadcast(shapes: list[tuple[int, ...]]) -> bool:
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        return False
    return True


def _listed(shapes: list[tuple[int, ...]]) -> str:
    shown = [str(shape) for shape in shapes[:_SHOWN]]
    if len(shapes) > _SHOWN:
        shown.append(f"{len(shapes) - _SHOWN} more")
    first = ", ".join(shown[:-1])
    return f"shape {shown[0]}" if not first else f"shapes {first} and {shown[-1]}"
