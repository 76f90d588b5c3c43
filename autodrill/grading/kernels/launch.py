"""How a kernel is launched for a case: its grid and block, its arguments, and the arrays its results go to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 arguments are arrays

from autodrill.drills.author_code import authored
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.oracle.expected import Part, Truth

__all__ = ["launched", "left_unwritten", "not_written_yet", "shown_launch"]

_UNWRITTEN = 0x7FD1DEAD
"""In every 32 bits of a result before a kernel writes to it: a NaN that no arithmetic makes."""

_MOST_THREADS = 1024


def not_written_yet(part: Part) -> NDArray[Any]:
    """Return an array for a result, filled with what `left_unwritten` knows again."""
    words = part.dtype.itemsize // 4
    if not words:
        return np.zeros(part.value.shape, part.dtype)
    filled = np.full((*part.value.shape, words), _UNWRITTEN, np.uint32)
    return filled.view(part.dtype).reshape(part.value.shape)


def left_unwritten(array: NDArray[Any]) -> int:
    """Return how many elements of a result nobody has written to."""
    if array.dtype.itemsize % 4 or not array.size:
        return 0
    words = np.ascontiguousarray(array).reshape(-1, 1).view(np.uint32)
    return int((words == _UNWRITTEN).all(axis=1).sum())


def launched(exercise: Exercise, solution: Solution, named: Mapping[str, Any], truth: Truth) -> list[Any]:
    """Return what the scenario of a kernel is called with: the launch, which arguments are what, and they themselves.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        named: The kernel's arguments by name, in order.
        truth: What is right.

    Raises:
        InternalError: A result is none of the kernel's parameters, or the launch is not possible.
    """
    order = list(named)
    for part in truth.parts:
        if part.name not in named:
            raise InternalError(
                f"`{exercise.id}` asks for the result `{part.name}`, which is no parameter of its kernel"
            )
    results = tuple(order.index(part.name) for part in truth.parts)
    bare = tuple(i for i in results if left_unwritten(np.asarray(named[order[i]])))
    return [_launch(solution, named), results, bare, *named.values()]


def shown_launch(solution: Solution, named: Mapping[str, Any]) -> dict[str, Any]:
    """Return the grid and the block, axes of size 1 at the end left out, as a report shows them."""
    return {
        name: axes[0] if axes[1:] == (1, 1) else axes[:2] if axes[2] == 1 else axes
        for name, axes in zip(("grid", "block"), _launch(solution, named), strict=True)
    }


def _launch(solution: Solution, named: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if solution.launch is None:
        raise InternalError("the exercise has no `launch`")
    with authored(solution.path, "launch"):
        code = solution.launch.__code__
        wanted = code.co_varnames[: code.co_argcount]
        grid, block = (_axes(each) for each in solution.launch(**{name: named[name] for name in wanted}))
    if min(*grid, *block) < 1 or math.prod(block) > _MOST_THREADS:
        raise InternalError(f"the exercise's `launch` gives a grid of {grid} and a block of {block}")
    return grid, block


def _axes(given: Any) -> tuple[int, ...]:
    axes = tuple(int(n) for n in (given if isinstance(given, tuple) else (given,)))
    return (*axes, 1, 1)[:3]
