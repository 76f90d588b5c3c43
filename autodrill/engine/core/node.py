"""What the graph is made of: a node for each recorded operation, a leaf for each tensor a gradient was asked of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.write_versions import Place, clock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.plan import Plan
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.core.tensor import Tensor
    from autodrill.engine.reverse.hooks import Handle

__all__ = ["CustomNode", "DualNode", "GraphNode", "Leaf", "Node", "PackedNode", "Watch", "answered"]


class Watch:
    """What somebody wants to know of a gradient on its way: most nodes have none.

    Hooks are kept by number, in the order they were registered.

    Attributes:
        retains: Whether the gradient is kept in `grad`.
        grad: The gradient that `retain_grad()` keeps for a tensor that is not a leaf.
        hooks: Called with the gradient of the node's tensor, which each may replace.
        prehooks: Called with what the node's rules are about to be given.
        posthooks: Called with what the rules answered.
        accumulated: Called after a leaf's gradient was added to `.grad`.
        place: The line that recorded the operation, where anomaly detection was on.
    """

    __slots__ = ("accumulated", "grad", "hooks", "place", "posthooks", "prehooks", "retains")

    def __init__(self) -> None:
        self.retains = False
        self.grad: Tensor | None = None
        self.hooks: dict[int, Callable[..., Any]] = {}
        self.prehooks: dict[int, Callable[..., Any]] = {}
        self.posthooks: dict[int, Callable[..., Any]] = {}
        self.accumulated: dict[int, Callable[..., Any]] = {}
        self.place: Place | None = None


class Leaf:
    """The end of a path: where a leaf tensor's gradient accumulates.

    Several tensors may share one leaf: the leaf is the identity that is differentiated, a tensor is one view of its
    value (with or without forward-mode tangents).
    """

    __slots__ = ("__weakref__", "dtype", "grad", "shape", "watch")

    parents: tuple[GraphNode, ...] = ()

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self.grad: Tensor | IndexedSlices | None = None
        self.watch: Watch | None = None


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
        time: What the clock of writes in place said when the values were saved.
        watch: Hooks and a retained gradient, or None.
    """

    __slots__ = ("__weakref__", "dtype", "parents", "plan", "primitive", "saved", "shape", "time", "watch")

    def __init__(
        self,
        primitive: Primitive | Named,
        plan: Plan | Custom,
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
        self.time = clock.now
        self.watch: Watch | None = None

    def __repr__(self) -> str:
        return f"<node of {self.primitive.name}>"

    def parent_name(self, index: int) -> str:
        """Return the name of the input that one of the parents made."""
        names, chosen = self.primitive.inputs, self.plan.inputs_tracked
        return names[chosen[index]] if index < len(chosen) and chosen[index] < len(names) else f"input {index}"

    @property
    def next_functions(self) -> tuple[GraphNode, ...]:
        """The nodes backward goes to from here; PyTorch's name for the parents."""
        return tuple(self.parents)

    def register_hook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(grad_inputs, grad_outputs)` after the rules of this node ran; see `hooks`."""
        from autodrill.engine.reverse.hooks import on_node

        return on_node(self, hook, before=False)

    def register_prehook(self, hook: Callable[..., Any]) -> Handle:
        """Call `hook(grad_outputs)` before the rules of this node run; see `hooks`."""
        from autodrill.engine.reverse.hooks import on_node

        return on_node(self, hook, before=True)


class DualNode(Node):
    """A node some of whose saved values are Tensors, because they carry forward-mode tangents of an open level."""

    __slots__ = ()


class PackedNode(Node):
    """A node some of whose saved values are held by `saved_tensors_hooks`, or are a checkpoint's to recompute."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Named:
    """What stands for the primitive at a node that has none."""

    name: str
    inputs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Custom:
    """What stands for the plan at a node that has no primitive."""

    saves_arrays: bool
    inputs: tuple[int, ...] = ()
    origins: tuple[int | None, ...] = ()
    saves_out: bool = False
    inputs_tracked: tuple[int, ...] = ()
    steps: tuple[Any, ...] = ()


class CustomNode(Node):
    """A node that is differentiated by a function of its own instead of a primitive's rules.

    Attributes:
        pull: `pull(node, g, create_graph)`, the gradients of the parents; None where there is none.
    """

    __slots__ = ("pull",)

    def __init__(
        self,
        name: str,
        parents: Sequence[GraphNode],
        saved: Sequence[Any],
        shape: tuple[int, ...],
        dtype: Any,
        pull: Any,
    ) -> None:
        super().__init__(Named(name), Custom(bool(saved)), parents, saved, shape, dtype)
        self.pull = pull

    def steps(self, g: Any, create_graph: bool) -> Any:
        """Return the gradients as a primitive's steps would give them."""
        return answered(self.pull(self, g, create_graph))


def answered(gradients: Sequence[Any]) -> Any:
    """Return steps that give each parent the gradient that is known already; None gives it none."""
    return tuple((index, lambda _, gi=gi: gi, None) for index, gi in enumerate(gradients) if gi is not None)


GraphNode = Leaf | Node
