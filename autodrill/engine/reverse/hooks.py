"""Hooks: functions that are told of a gradient on its way, or that keep what is saved for backward.

For one tensor, backward calls them in this order, which is PyTorch's: the tensor's own hooks, as they were registered;
then the gradient is retained, or captured for `grad(...)`, or added to a leaf's `.grad`; then, for a leaf, the
post-accumulate hooks; for another, the pre-hooks of the node that made it, its rules, and its hooks.
"""

from __future__ import annotations

import weakref
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from autodrill.engine.core.mode import mode, observed_by
from autodrill.engine.core.node import Leaf, Node, PackedNode, Watch, answered
from autodrill.engine.core.sparse import IndexedSlices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.engine.core.node import GraphNode
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.core.tensor import Tensor

    Hook = Callable[..., Any]

__all__ = [
    "Handle",
    "Hookable",
    "Packed",
    "on_node",
    "pack_saved",
    "saved_tensors_hooks",
    "shown",
    "through_hooks",
    "through_posthooks",
    "through_prehooks",
    "watched",
]

_numbers = count()


class Handle:
    """What a registration returns: `remove()` undoes it; in a `with`, so does the end of the block."""

    __slots__ = ("_hooks", "_number")

    def __init__(self, hooks: dict[int, Hook], hook: Hook) -> None:
        self._hooks = hooks
        self._number = next(_numbers)
        hooks[self._number] = hook

    def remove(self) -> None:
        """Stop calling the hook; nothing happens if it was removed before."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def watched(node: GraphNode) -> Watch:
    """Return a node's record of hooks, made on first use."""
    if node.watch is None:
        node.watch = Watch()
    return node.watch


def on_node(node: Node, hook: Hook, *, before: bool) -> Handle:
    """Register a node hook.

    Args:
        node: The node of a recorded operation, `tensor.grad_fn`.
        hook: `hook(grad_outputs)` when `before`, otherwise `hook(grad_inputs, grad_outputs)`; each a tuple of Tensors,
            with a gradient input for each input that requires grad (None where backward does not need it). It may
            return a tuple that replaces the first, or None.
        before: Whether it runs before the node's rules.
    """
    watch = watched(node)
    return Handle(watch.prehooks if before else watch.posthooks, hook)


class Hookable:
    """The part of a Tensor that lets its gradient be watched."""

    __slots__ = ()

    data: Any
    node: GraphNode | None

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor in `.grad` although it is not a leaf.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        if self.node is None:
            raise RuntimeError("retain_grad() on a tensor that does not require grad")
        if isinstance(self.node, Node):
            watched(self.node).retains = True

    def register_hook(self, hook: Hook) -> Handle:
        """Call `hook(grad)` each time the gradient of this tensor is computed.

        The gradient is read-only; return another Tensor to have it replaced, for what follows and for `.grad`.
        A hook belongs to the value the tensor has now: after a write in place it still sees the earlier one's.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        if self.node is None:
            raise RuntimeError("register_hook() on a tensor that does not require grad: its gradient is never computed")
        return Handle(watched(self.node).hooks, hook)

    def register_post_accumulate_grad_hook(self, hook: Hook) -> Handle:
        """Call `hook(tensor)` each time backward has added to this leaf's `.grad`.

        Raises:
            RuntimeError: The tensor is not a leaf that requires grad: nothing is accumulated into it.
        """
        if not isinstance(self.node, Leaf):
            raise RuntimeError(  # noqa: TRY004 - PyTorch's class of error
                "a post-accumulate hook needs a leaf that requires grad; others accumulate nothing"
            )
        me = weakref.ref(self)  # the leaf lives in the graph: a hook must not keep the tensor and its graph in a cycle

        def call() -> None:
            tensor = me()
            if tensor is not None:
                hook(tensor)

        return Handle(watched(self.node).accumulated, call)


def shown(g: Any) -> Tensor:
    """Return a gradient as hooks are to see it: a Tensor that nobody can write through."""
    from autodrill.engine.core.tensor import Tensor, wrap

    if type(g) is Tensor:
        return g
    view = np.asarray(g) if isinstance(g, np.generic) else g.view()  # NumPy makes scalars of what has no dimensions
    if type(view) is np.ndarray:
        view.flags.writeable = False
    return wrap(view)


def _taken(answer: Any, before: Any, what: str) -> Any:
    """Return what a hook answered in place of a gradient, in that gradient's own speed and dtype."""
    from autodrill.engine.core.tensor import Tensor

    if type(answer) is not Tensor:
        raise TypeError(
            f"{what} returned a `{type(answer).__name__}`; it may return a Tensor, or None to change nothing"
        )
    if answer.data.shape != before.shape:
        raise ValueError(f"{what} returned a gradient of shape {answer.data.shape}, it was given shape {before.shape}")
    if answer.data.dtype != before.dtype:
        answer = answer.astype(before.dtype)
    return answer if type(before) is Tensor else answer.data


def through_hooks(watch: Watch, g: Any) -> Any:
    """Show a gradient to the hooks of its tensor and return what they make of it."""
    if watch.hooks and type(g) is IndexedSlices:
        g = g.dense()
    for hook in tuple(watch.hooks.values()):
        answer = hook(shown(g))
        if answer is not None:
            g = _taken(answer, g, "a tensor hook")
    return g


def through_prehooks(watch: Watch, g: Any) -> Any:
    """Show a node's cotangent to its pre-hooks and return what they make of it."""
    for hook in tuple(watch.prehooks.values()):
        answer = hook((shown(g),))
        if answer is not None:
            (first,) = answer
            g = _taken(first, g, "a node pre-hook")
    return g


def through_posthooks(watch: Watch, node: Node, steps: Any, g: Any, saved: Any) -> Any:
    """Run a node's rules, show their answers to its hooks, and return steps that give what the hooks made of them."""
    from autodrill.engine.ops.shape import unbroadcast

    found: list[Any] = [None] * len(node.parents)
    for index, rule, pick in steps:
        arguments = () if pick is None else (saved[pick],) if isinstance(pick, int) else pick(saved)
        found[index] = unbroadcast(rule(g, *arguments), node.parents[index].shape)
    given = (shown(g),)
    for hook in tuple(watch.posthooks.values()):
        answer = hook(tuple(None if gi is None else shown(gi) for gi in found), given)
        if answer is None:
            continue
        if len(answer) != len(found):
            raise ValueError(f"a node hook returned {len(answer)} gradients, it was given {len(found)}")
        found = [
            gi if gi is None or new is None else _taken(new, gi, "a node hook")
            for gi, new in zip(found, answer, strict=True)
        ]
    return answered(found)


class Packed:
    """A saved value in the keeping of somebody else."""

    __slots__ = ("_kept", "_unpack")

    def __init__(self, kept: Any, unpack: Callable[[Any], Any]) -> None:
        self._kept = kept
        self._unpack = unpack

    def unpack(self) -> Any:
        """Fetch the value, a raw array."""
        value = self._unpack(self._kept)
        if not isinstance(value, Hookable):
            raise TypeError(f"the unpack hook returned a `{type(value).__name__}`, not the Tensor that was packed")
        return value.data


def pack_saved(node: Node, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Node:
    """Return a node that saves through `pack` and `unpack` what `node` saved as arrays.

    Values that carry forward-mode tangents stay where they are: a hook would lose the tangents.
    """
    from autodrill.engine.core.tensor import wrap

    plan, saved = node.plan, list(node.saved or ())
    for index in range(len(plan.inputs) + plan.saves_out):
        if hasattr(saved[index], "dtype") and not hasattr(saved[index], "node"):
            before = mode.observers
            mode.observers = ()  # what a hook computes is not itself observed
            try:
                saved[index] = Packed(pack(wrap(saved[index])), unpack)
            finally:
                mode.observers = before
    packed = PackedNode(node.primitive, plan, node.parents, saved, node.shape, node.dtype)
    packed.watch = node.watch
    return packed


@contextmanager
def saved_tensors_hooks(pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Iterator[None]:
    """Keep what operations in this block save for backward as `pack(tensor)`, and fetch it by `unpack(kept)`.

    Of nested blocks the innermost decides. The Tensors are outside the graph; `unpack` returns one of the same shape
    and dtype. A packed value is the hooks' own affair: writing to the original in place is not checked.
    """

    def observe(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:  # noqa: ARG001 - an observer
        # A node that is packed already was packed by an inner block; a view or `clone` may save nothing at all.
        if type(result.node) is Node and result.node.plan.saves_arrays:
            result.node = pack_saved(result.node, pack, unpack)

    with observed_by(observe):
        yield
