"""What the graph is made of: a node for each recorded operation, a leaf for each tensor a gradient was asked of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.write_versions import Place, clock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from operator import itemgetter

    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.core.tensor import Tensor
    from autodrill.engine.reverse.hooks import Handle

# fmt: off
__all__ = [
    "CustomNode", "DualNode", "GraphNode", "Leaf", "Node", "PackedNode", "Plan", "Rule", "Watch", "answered", "watched",
]
# fmt: on


Rule = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What one call must save and what its backward will run, for one combination of inputs that require grad.

    Attributes:
        inputs: Positions of the inputs to save.
        origins: For each of those, which parent it is (its index in the node's parents), or None for a constant.
        saves_out: Whether the result is saved, after the inputs.
        extras: Names of shapes, dtypes and static values to save, after the result.
        inputs_tracked: For each parent, the position of its input.
        steps: For each differentiable input that requires grad: which parent it is, its rule, and where in `saved`
            the rule's arguments are.
    """

    inputs: tuple[int, ...]
    origins: tuple[int | None, ...]
    saves_out: bool
    extras: tuple[str, ...]
    inputs_tracked: tuple[int, ...]
    steps: tuple[tuple[int, Rule, int | itemgetter[Any] | None], ...]

    @property
    def saves_arrays(self) -> bool:
        """Whether there is memory to free after backward, as PyTorch counts it: shapes are not."""
        return self.saves_out or bool(self.inputs)


class Watch:
    """What somebody wants to know of a gradient on its way: most nodes have none.

    Hooks are kept by number, in the order they were registered.

    Attributes:
        retains: Whether the gradient is kept in `grad`.
        grad: The gradient that `retain_grad()` keeps for a tensor that is not a leaf.
        hooks: Called with the gradient of the node's tensor; each returns what it makes of it.
        prehooks: Likewise, with the cotangent that the node's rules are about to be given.
        posthooks: Called with the list of the gradients the rules returned and the cotangent; each returns such a list.
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


def watched(node: GraphNode) -> Watch:
    """Return a node's record of hooks, made on first use."""
    if node.watch is None:
        node.watch = Watch()
    return node.watch


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

    if TYPE_CHECKING:  # `operators` adds these at run time

        def register_hook(self, hook: Callable[..., Any]) -> Handle: ...  # noqa: D102 - documented there
        def register_prehook(self, hook: Callable[..., Any]) -> Handle: ...  # noqa: D102 - documented there


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
