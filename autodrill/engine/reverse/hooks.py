"""Hooks: functions that backward calls with a gradient, or that store the values saved for backward.

For one tensor, backward takes these steps, in PyTorch's order. It calls the tensor's own hooks, in the order of
registration. It retains the gradient, returns it from `grad(...)`, or adds it to a leaf's `.grad`. For a leaf it then
calls the post-accumulate hooks. For any other tensor it calls the pre-hooks of the node that made it, the node's rules,
and the node's hooks.
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
    """The handle of a registered hook: `remove()` or the end of a `with` block removes the hook.

    Example:
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> handle = x.register_hook(lambda g: 10 * g)
        >>> (x * x).backward()
        >>> handle.remove()
        >>> x.grad.item()
        60.0
    """

    __slots__ = ("_hooks", "_number")

    def __init__(self, hooks: dict[int, Hook], hook: Hook) -> None:
        self._hooks = hooks
        self._number = next(_numbers)
        hooks[self._number] = hook

    def remove(self) -> None:
        """Remove the hook; a second call has no effect."""
        self._hooks.pop(self._number, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def on_tensor(tensor: Tensor, hook: Hook) -> Handle:
    """Register a tensor hook; see `Tensor.register_hook`."""
    if tensor.node is None:
        raise RuntimeError(
            "register_hook() called on a tensor that does not require grad, whose gradient is never computed"
        )

    def through(g: Any) -> Any:
        if type(g) is IndexedSlices:
            g = g.dense()
        return _taken(hook(shown(g)), g, "a tensor hook")

    return Handle(watched(tensor.node).hooks, through)


def on_accumulation(tensor: Tensor, hook: Hook) -> Handle:
    """Register a hook of a leaf's `.grad`; see `Tensor.register_post_accumulate_grad_hook`."""
    if not isinstance(tensor.node, Leaf):
        raise RuntimeError(  # noqa: TRY004 - PyTorch's class of error
            "a post-accumulate hook needs a leaf that requires grad; other tensors accumulate nothing"
        )
    me = weakref.ref(tensor)  # weak, because the node would otherwise form a cycle with its tensor

    def call() -> None:
        tensor = me()
        if tensor is not None:
            hook(tensor)

    return Handle(watched(tensor.node).accumulated, call)


def on_node(node: Node, hook: Hook, *, before: bool) -> Handle:
    """Register a node hook.

    Args:
        node: The node of a recorded operation, `tensor.grad_fn`.
        hook: `hook(grad_outputs)` if `before`, otherwise `hook(grad_inputs, grad_outputs)`. Both arguments are tuples
            of Tensors; `grad_inputs` has an entry for each input that requires grad, or None if it was not needed.
            The hook returns None, or a tuple that replaces its first argument.
        before: Whether the hook runs before the node's rules.
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
            raise ValueError(f"a node hook returned {len(answer)} gradients for {len(gradients)}")
        return [gi if gi is None else _taken(new, gi, "a node hook") for gi, new in zip(gradients, answer, strict=True)]

    watch = watched(node)
    return Handle(watch.prehooks, through) if before else Handle(watch.posthooks, behind)


def shown(g: Any) -> Tensor:
    """Return a gradient as hooks receive it: a Tensor, read-only unless it is part of a graph."""
    if type(g) is Tensor:
        return g
    view = np.asarray(g) if isinstance(g, np.generic) else g.view()  # NumPy returns scalars in place of 0-d arrays
    if type(view) is np.ndarray:
        view.flags.writeable = False
    return wrap(view)


def _taken(answer: Any, before: Any, what: str) -> Any:
    """Return the gradient that a hook returned, as an array or a Tensor like the old one; None keeps the old one."""
    if answer is None:
        return before
    if type(answer) is not Tensor:
        raise TypeError(f"{what} returned a `{type(answer).__name__}`; return a Tensor, or None to keep the gradient")
    if answer.data.shape != before.shape:
        raise ValueError(f"{what} returned a gradient of shape {answer.data.shape} for one of shape {before.shape}")
    if answer.data.dtype != before.dtype:
        answer = answer.astype(before.dtype)
    return answer if type(before) is Tensor else answer.data


def pack_saved(node: Node, pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Node:
    """Return a copy of a node with its saved arrays packed by `pack`.

    Values that carry forward-mode tangents are not packed, because a hook would lose the tangents.
    """
    plan, saved = node.plan, list(node.saved or ())
    for index in range(len(plan.inputs) + plan.saves_out):
        if hasattr(saved[index], "dtype") and not hasattr(saved[index], "node"):
            before = mode.observers
            mode.observers = ()  # the hook's own operations are not observed
            try:
                saved[index] = Packed(pack(wrap(saved[index])), unpack)
            finally:
                mode.observers = before
    packed = PackedNode(node.primitive, plan, node.parents, saved, node.shape, node.dtype)
    packed.watch = node.watch
    return packed


@contextmanager
def saved_tensors_hooks(pack: Callable[[Tensor], Any], unpack: Callable[[Any], Any]) -> Iterator[None]:
    """Store the values that operations in this block save as `pack(tensor)`; backward calls `unpack(stored)`.

    The innermost of nested blocks is used. The Tensors are outside the graph, and `unpack` returns one of the same
    shape and dtype. In-place writes to the original of a packed value are not detected.

    Args:
        pack: Maps a saved Tensor to what is stored.
        unpack: Maps what is stored back to a Tensor or an array.

    Source: as `torch.autograd.graph.saved_tensors_hooks`.

    Example:
        >>> saved = []
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> with engine.saved_tensors_hooks(lambda t: saved.append(t.item()) or t, lambda t: t):
        ...     y = engine.sin(x)
        >>> saved
        [3.0]
    """

    def observe(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:  # noqa: ARG001 - an observer
        # An inner block may have packed the node already; a view or `clone` may save nothing.
        if type(result.node) is Node and result.node.plan.saves_arrays:
            result.node = pack_saved(result.node, pack, unpack)

    with observed_by(observe):
        yield
