"""What the graph is made of: a node for each recorded operation, a leaf for each tensor a gradient was asked of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.primitive import Plan, Primitive
    from autodrill.engine.tensor import Tensor

__all__ = ["DualNode", "GraphNode", "Leaf", "Node", "Retained"]


class Leaf:
    """The end of a path: where a leaf tensor's gradient accumulates.

    Several tensors may share one leaf: the leaf is the identity that is differentiated, a tensor is one view of its
    value (with or without forward-mode tangents).
    """

    __slots__ = ("__weakref__", "dtype", "grad", "shape")

    parents: tuple[GraphNode, ...] = ()

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self.grad: Tensor | None = None


class Retained:
    """The gradient that `retain_grad()` keeps for a tensor that is not a leaf."""

    __slots__ = ("grad",)

    def __init__(self) -> None:
        self.grad: Tensor | None = None


class Node:
    """One recorded operation: who made the result, from whom, and what its VJP rules will need.

    Attributes:
        primitive: The operation.
        plan: Which rules run, and where in `saved` each finds its arguments.
        parents: The graph nodes of the inputs that require grad, in the inputs' order.
        saved: What the rules need: raw arrays, shapes and static values; a Tensor only where forward-mode tangents
            must travel along (`DualNode`); None once freed.
        shape: The result's shape.
        dtype: The result's dtype.
        retained: Where `retain_grad()` keeps the gradient, or None.
    """

    __slots__ = ("__weakref__", "dtype", "parents", "plan", "primitive", "retained", "saved", "shape")

    def __init__(
        self,
        primitive: Primitive,
        plan: Plan,
        parents: Sequence[GraphNode],
        saved: Sequence[Any] | None,
        shape: tuple[int, ...],
        dtype: Any,
    ) -> None:
        self.primitive = primitive
        self.plan = plan
        self.parents = parents
        self.saved = saved
        self.shape = shape
        self.dtype = dtype
        self.retained: Retained | None = None


class DualNode(Node):
    """A node some of whose saved values are Tensors, because they carry forward-mode tangents of an open level."""

    __slots__ = ()


GraphNode = Leaf | Node
