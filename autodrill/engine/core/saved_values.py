"""The values a node saved for backward: unpacked, connected to the graph again, and checked for later writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import written_after
from autodrill.engine.core.node import CustomNode
from autodrill.engine.core.tensor import Tensor, live_tangents, raw, wrap

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.node import GraphNode, Node

__all__ = ["Packed", "check_unwritten", "freed", "unpack"]


class Packed:
    """A saved value that `saved_tensors_hooks` or a checkpoint hold."""

    __slots__ = ("_kept", "_unpack")

    def __init__(self, kept: Any, unpack: Callable[[Any], Any]) -> None:
        self._kept = kept
        self._unpack = unpack

    def unpack(self) -> Any:
        """Return the value, a raw array."""
        value = self._unpack(self._kept)
        if type(value) is not Tensor:
            raise TypeError(f"the unpack hook returned a `{type(value).__name__}`, not the Tensor that was packed")
        return value.data


def unpack(node: Node, *, create_graph: bool) -> list[Any]:
    """Return the saved values of a node as its rules receive them: connected to the graph, or with tangents.

    Args:
        node: A node whose saved values have not been freed.
        create_graph: Connect the saved values to the graph again, so that the rules are recorded.
    """
    assert node.saved is not None
    values = list(node.saved)
    plan = node.plan
    origins: list[GraphNode | None] = [None if k is None else node.parents[k] for k in plan.origins]
    if plan.saves_out:
        origins.append(node)
    for index, origin in enumerate(origins):
        value = values[index]
        if type(value) is Packed:
            value = value.unpack()
        tangents = live_tangents(value) if type(value) is Tensor else None
        source = origin if create_graph else None
        values[index] = raw(value) if source is None and tangents is None else wrap(raw(value), source, tangents)
    return values


def check_unwritten(node: Node) -> None:
    """Refuse saved values that an in-place operation has overwritten since they were saved.

    Raises:
        RuntimeError: A value was overwritten; the message names it, the operation and the line.
    """
    plan, saved = node.plan, node.saved or ()
    names = [f"its input `{node.primitive.inputs[k]}`" for k in plan.inputs] + ["its result"] * plan.saves_out
    if isinstance(node, CustomNode):
        names = [f"its saved tensor {k}" for k in range(len(saved))]
    for name, value in zip(names, saved, strict=False):
        array = raw(value)
        memory = written_after(array, node.time) if hasattr(array, "dtype") else None
        if memory is not None:
            raise RuntimeError(
                f"backward of `{node.primitive.name}` needs {name} as it was, of shape {array.shape}, but "
                f"`{memory.operation}` has written to that memory since (it is at version {memory.version}), at "
                f"{memory.place}; compute out of place there, or give `{node.primitive.name}` a `.clone()`"
            )


def freed(node: Node) -> str:
    """Return the message about a node whose saved values were freed, with the usual cause."""
    return (
        f"backward reached `{node.primitive.name}` a second time, but the first backward freed its saved values; pass "
        "`retain_graph=True` to the first backward if you use the graph twice. The usual cause is another: part of the "
        "graph was built once, outside the training loop, or a loss was summed over training steps"
    )
