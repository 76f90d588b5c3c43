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
from autodrill.engine.core.node import Leaf, Node, PackedNode, watched
from autodrill.engine.core.saved_values import Packed
from autodrill.engine.core.sparse import IndexedSlices
from autodrill.engine.core.tensor import Tensor, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.engine.core.primitive import Primitive

    Hook = Callable[..., Any]

__all__ = ["Handle", "on_accumulation", "on_node", "on_tensor", "pack_saved", "saved_tensors_hooks", "shown"]

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


def on_tensor(tensor: Tensor, hook: Hook) -> Handle:
    """Register a tensor hook; see `Tensor.register_hook`."""
    if tensor.node is None:
        raise RuntimeError("register_hook() on a tensor that does not require grad: its gradient is never computed")

    def through(g: Any) -> Any:
        if type(g) is IndexedSlices:
            g = g.dense()
        return _taken(hook(shown(g)), g, "a tensor hook")

    return Handle(watched(tensor.node).hooks, through)


def on_accumulation(tensor: Tensor, hook: Hook) -> Handle:
    """Register a hook of a leaf's `.grad`; see `Tensor.register_post_accumulate_grad_hook`."""
    if not isinstance(tensor.node, Leaf):
        raise RuntimeError(  # noqa: TRY004 - PyTorch's class of error
            "a post-accumulate hook needs a leaf that requires grad; others accumulate nothing"
        )
    me = weakref.ref(tensor)  # the leaf lives in the graph: a hook must not keep the tensor and its graph in a cycle

    def call() -> None:
        tensor = me()
        if tensor is not None:
            hook(tensor)

    return Handle(watched(tensor.node).accumulated, call)


def on_node(node: Node, hook: Hook, *, before: bool) -> Handle:
    """Register a node hook.

    Args:
        node: The node of a recorded operation, `tensor.grad_fn`.
        hook: `hook(grad_outputs)` when `before`, otherwise `hook(grad_inputs, grad_outputs)`; each a tuple of Tensors,
            with a gradient input for each input that requires grad (None where backward does not need it). It may
            return a tuple that replaces the first, or None.
        before: Whether it runs before the node's rules.
    """

    def through(g: Any) -> Any:
        answer = hook((shown(g),))
        if answer is None:
            return g
        (first,) = answer
        return _taken(first, g, "a node pre-hook")

    def behind(gradients: list[Any], g: Any) -> list[Any]:
        answer = hook(tuple(None if gi is None else shown(gi) for gi in gradients), (shown(g),))
        if answer is None:
            return gradients
        if len(answer) != len(gradients):
            raise ValueError(f"a node hook returned {len(answer)} gradients, it was given {len(gradients)}")
        return [gi if gi is None else _taken(new, gi, "a node hook") for gi, new in zip(gradients, answer, strict=True)]

    watch = watched(node)
    return Handle(watch.prehooks, through) if before else Handle(watch.posthooks, behind)


def shown(g: Any) -> Tensor:
    """Return a gradient as hooks are to see it: a Tensor that nobody can write through."""
    if type(g) is Tensor:
        return g
    view = np.asarray(g) if isinstance(g, np.generic) else g.view()  # NumPy makes scalars of what has no dimensions
    if type(view) is np.ndarray:
        view.flags.writeable = False
    return wrap(view)


def _taken(answer: Any, before: Any, what: str) -> Any:
    """Return what a hook answered in place of a gradient, in that gradient's own speed and dtype; None keeps it."""
    if answer is None:
        return before
    if type(answer) is not Tensor:
        raise TypeError(
            f"{what} returned a `{type(answer).__name__}`; it may return a Tensor, or None to change nothing"
        )
    if answer.data.shape != before.shape:
        raise ValueError(f"{what} returned a gradient of shape {answer.data.shape}, it was given shape {before.shape}")
    if answer.data.dtype != before.dtype:
        answer = answer.astype(before.dtype)
    return answer if type(before) is Tensor else answer.data


def pack_saved(node: Node, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Node:
    """Return a node that saves through `pack` and `unpack` what `node` saved as arrays.

    Values that carry forward-mode tangents stay where they are: a hook would lose the tangents.
    """
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
