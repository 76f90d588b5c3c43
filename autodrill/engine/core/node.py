"""The nodes of the graph: one for each recorded operation, and a leaf for each tensor that collects a gradient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.aliasing import Place, clock

if TYPE_CHECKING:
    from collections.abc import Sequence
    from operator import itemgetter

    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.core.tensor import Tensor
    from autodrill.engine.reverse.hooks import Handle

# fmt: off
__all__ = [
    "CustomNode", "DualNode", "GraphNode", "Leaf", "Node", "PackedNode", "Plan", "Rule", "Watch", "answered",
    "leading_to", "watched",
]
# fmt: on


Rule = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a call saves and which rules its backward runs, for one combination of inputs that require grad.

    Attributes:
        inputs: Positions of the inputs to save.
        origins: For each of those inputs, its index among the node's parents, or None for a constant.
        saves_out: Whether the result is saved, after the inputs.
        extras: Names of shapes, dtypes and static values to save, after the result.
        inputs_tracked: For each parent, the position of its input.
        steps: For each differentiable input that requires grad, its index among the parents, its rule, and the places
            of the rule's arguments in `saved`.
    """

    inputs: tuple[int, ...]
    origins: tuple[int | None, ...]
    saves_out: bool
    extras: tuple[str, ...]
    inputs_tracked: tuple[int, ...]
    steps: tuple[tuple[int, Rule, int | itemgetter[Any] | None], ...]

    @property
    def saves_arrays(self) -> bool:
        """Whether the node saves arrays, which backward frees; shapes do not count."""
        return self.saves_out or bool(self.inputs)


class Watch:
    """The hooks of a node and its retained gradient; most nodes have no such record.

    Hooks are stored by number, in the order of registration.

    Attributes:
        retains: Whether the gradient is kept in `grad`.
        grad: The gradient that `retain_grad()` keeps for a tensor that is not a leaf.
        hooks: Each is called with the gradient of the node's tensor and returns a gradient.
        prehooks: Each is called with the cotangent before the node's rules run and returns a cotangent.
        posthooks: Each is called with the rules' gradients, as a list, and the cotangent; it returns a list.
        accumulated: Called after backward has added to a leaf's `.grad`.
        place: The line that recorded the operation, if anomaly detection was on.
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
    """Return the record of hooks of a node, created on first use."""
    if node.watch is None:
        node.watch = Watch()
    return node.watch


class Leaf:
    """A leaf of the graph, where a gradient accumulates.

    Several tensors may share one leaf, for instance one with forward-mode tangents and one without. The leaf is the
    variable that is differentiated.
    """

    __slots__ = ("__weakref__", "dtype", "grad", "shape", "watch")

    parents: tuple[GraphNode, ...] = ()

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = shape
        self.dtype = dtype
        self.grad: Tensor | IndexedSlices | None = None
        self.watch: Watch | None = None


class Node:
    """One recorded operation: its primitive, its parents in the graph, and the values its VJP rules need.

    Attributes:
        primitive: The operation.
        plan: The rules to run and the places of their arguments in `saved`.
        parents: The graph nodes of the inputs that require grad, in the inputs' order.
        saved: The values the rules need: raw arrays, shapes and static values; for a `DualNode` also Tensors, which
            carry forward-mode tangents. None once freed.
        shape: The result's shape.
        dtype: The result's dtype.
        time: The clock of in-place writes when the values were saved.
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
        """Return the name of the input that corresponds to a parent."""
        names, chosen = self.primitive.inputs, self.plan.inputs_tracked
        return names[chosen[index]] if index < len(chosen) and chosen[index] < len(names) else f"input {index}"

    @property
    def next_functions(self) -> tuple[GraphNode, ...]:
        """The parents, under PyTorch's name."""
        return tuple(self.parents)

    if TYPE_CHECKING:  # `operators` adds these at run time

        def register_hook(self, hook: Callable[..., Any]) -> Handle: ...  # noqa: D102 - documented there
        def register_prehook(self, hook: Callable[..., Any]) -> Handle: ...  # noqa: D102 - documented there


class DualNode(Node):
    """A node with saved values that are Tensors, because they carry tangents of an open forward-mode level."""

    __slots__ = ()


class PackedNode(Node):
    """A node with saved values that `saved_tensors_hooks` hold or that a checkpoint recomputes."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Named:
    """The stand-in for a primitive at a `CustomNode`."""

    name: str
    inputs: tuple[str, ...] = ()
    add_cotangent: None = None


@dataclass(frozen=True, slots=True)
class Custom:
    """The stand-in for a plan at a `CustomNode`."""

    saves_arrays: bool
    inputs: tuple[int, ...] = ()
    origins: tuple[int | None, ...] = ()
    saves_out: bool = False
    inputs_tracked: tuple[int, ...] = ()
    steps: tuple[Any, ...] = ()


class CustomNode(Node):
    """A node with a pullback function of its own instead of a primitive's rules.

    Attributes:
        pull: `pull(node, g, create_graph)` returns the gradient of each parent, or None.
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
        """Return steps, as a plan has them, that give the gradients of `pull`."""
        return answered(self.pull(self, g, create_graph))


def answered(gradients: Sequence[Any]) -> Any:
    """Return steps, as a plan has them, that give each parent a gradient computed already; None is left out."""
    return tuple((index, lambda _, gi=gi: gi, None) for index, gi in enumerate(gradients) if gi is not None)


GraphNode = Leaf | Node


def leading_to(targets: frozenset[GraphNode], order: list[GraphNode]) -> set[GraphNode]:
    """Return the nodes of a topological order that depend on a target, targets included."""
    needed: set[GraphNode] = set()
    for node in order:
        if node in targets or not needed.isdisjoint(node.parents):
            needed.add(node)
    return needed
