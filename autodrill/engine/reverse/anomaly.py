"""Anomaly detection: the operation, the line and the branch of `where` that a NaN came from."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import call_site
from autodrill.engine.core.backend import memory
from autodrill.engine.core.mode import mode, observed_by
from autodrill.engine.core.node import Node, watched
from autodrill.engine.core.sparse import IndexedSlices
from autodrill.engine.core.tensor import Tensor, raw

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.core.node import GraphNode
    from autodrill.engine.core.primitive import Primitive

__all__ = ["detect_anomaly", "trace_nan"]


def _note_line(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:  # noqa: ARG001 - an observer
    if isinstance(result.node, Node):
        watched(result.node).place = call_site()


@contextmanager
def detect_anomaly() -> Iterator[None]:
    """Raise FloatingPointError when a backward in this block makes a NaN, and name the operation.

    The message includes the line that recorded the operation, if that line ran inside such a block too.
    This check is slow, so use it only for debugging.

    Raises:
        FloatingPointError: A rule returned a gradient with a NaN.

    Source: as `torch.autograd.detect_anomaly`.

    Example:
        >>> x = engine.Tensor(0.0, requires_grad=True)
        >>> with engine.detect_anomaly():
        ...     try:
        ...         (engine.sqrt(x) * 0.0).backward()
        ...     except FloatingPointError:
        ...         print("found")
        found
    """
    before = mode.check_gradient
    mode.check_gradient = _demand_no_nan
    try:
        with observed_by(_note_line):
            yield
    finally:
        mode.check_gradient = before


def _has_nan(value: Any) -> bool:
    array = value.values if type(value) is IndexedSlices else memory(raw(value))
    return hasattr(array, "dtype") and array.dtype.kind in "fc" and bool((array != array).any())  # noqa: PLR0124 - as NaN does


def _watch_for_nan(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:
    if _has_nan(result) and not any(_has_nan(a) for a in args):
        raise FloatingPointError(
            f"`{primitive.name}` made a NaN from inputs without NaN, at {_first_nan(memory(result.data))} of its "
            f"result, at {call_site()}"
        )


@contextmanager
def trace_nan() -> Iterator[None]:
    """Raise FloatingPointError at the first operation in this block, in forward or backward, that makes a NaN.

    Raises:
        FloatingPointError: An operation made a NaN from inputs without NaN.

    Example:
        >>> with np.errstate(all="ignore"), engine.trace_nan():
        ...     try:
        ...         engine.log(engine.Tensor(-1.0))
        ...     except FloatingPointError:
        ...         print("found")
        found
    """
    with observed_by(_watch_for_nan), detect_anomaly():
        yield


def _first_nan(array: Any) -> str:
    index = tuple(int(k[0]) for k in (array != array).nonzero()) if array.ndim else ()  # noqa: PLR0124 - as above
    return f"index {index}"


def _demand_no_nan(node: Node, index: int, gradient: Any, g: Any, order: Sequence[GraphNode]) -> None:
    """Raise if a rule returned a gradient with a NaN.

    Args:
        node: The operation whose rule ran.
        index: The index of the parent the gradient is for.
        gradient: The gradient that the rule returned.
        g: The cotangent that the rule received.
        order: The nodes of this backward, each after its parents.

    Raises:
        FloatingPointError: The gradient has a NaN.
    """
    if not _has_nan(gradient):
        return
    array = gradient.values if type(gradient) is IndexedSlices else memory(raw(gradient))
    places = [node.watch.place] if node.watch is not None and node.watch.place is not None else []
    line = f", recorded at {places[0]}," if places else ""
    message = f"backward of `{node.primitive.name}`{line} gave parent {index} a gradient of NaN at {_first_nan(array)}"
    cotangent = memory(raw(g))
    if cotangent.shape == array.shape:
        at = (array != array) & (cotangent == 0)  # noqa: PLR0124 - as above
        if at.any():
            message += "; the cotangent there is 0, and 0 times an infinite derivative is NaN"
            branch = _branch(node, order)
            if branch is not None:
                message += (
                    f". It is 0 because `where` did not select this branch, `{branch}`, there. Backward differentiates "
                    "both branches: make the input of this one safe with another `where` inside it"
                )
    raise FloatingPointError(message)


def _branch(node: Node, order: Sequence[GraphNode]) -> str | None:
    """Return the name of the input of the nearest `where` that uses a node's result."""
    reached: set[GraphNode] = {node}
    for later in order[order.index(node) + 1 :]:
        came = [k for k, parent in enumerate(later.parents) if parent in reached]
        if not came:
            continue
        if isinstance(later, Node) and later.primitive.name == "where":
            return later.parent_name(came[0])
        reached.add(later)
    return None
