"""In-place operations: the memory is overwritten and the tensor gets a new node in the graph.

`x.exp_()` is recorded as `y = exp(x)`, after which `x` stands for y. A write to a view changes its base too: the base
becomes the result of `copy_slices`, and all its views are derived from it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.aliasing import Base, Step, View, call_site, clock, is_inference, owner, record_write, replay
from autodrill.engine.core.backend import backend_of, memory
from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import Leaf, Node, watched
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.elementwise import astype
from autodrill.engine.ops.index import _getitem
from autodrill.engine.ops.shape import reshape
from autodrill.engine.ops.write import copy_slices
from autodrill.engine.transforms.batched_array import refuse_unbatched

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.node import GraphNode
    from autodrill.engine.core.primitive import Primitive

__all__ = ["admit", "assign", "settle", "update"]


_METHODS = {
    "subtract": "sub_",
    "multiply": "mul_",
    "divide": "div_",
    "power": "pow_",
    "negative": "neg_",
}


def _base_of(target: Tensor) -> tuple[Any, tuple[Step, ...]]:
    return (target.alias.base, target.alias.steps) if type(target.alias) is View else (target, ())


def _tracked(*values: Any) -> bool:
    return any(getattr(value, "node", None) is not None for value in values)


def admit(target: Tensor, name: str, *values: Any) -> bool:
    """Return whether a write to `target` must be recorded; refuse a write that is not allowed.

    Args:
        target: The tensor to write to.
        name: The operation, for messages.
        values: The operands of the new elements.

    Raises:
        RuntimeError: `target` is a leaf that requires grad or a view of one, one of several views that one operation
            made, a view made while nothing was recorded, memory that several elements share, or a tensor made under
            `inference_mode()`.
    """
    if mode.vmaps:
        refuse_unbatched(target.data, [getattr(value, "data", value) for value in values], name)
    data = memory(target.data)
    shares = data.size and any(step == 0 and n > 1 for step, n in zip(data.strides, data.shape, strict=True))
    read_only = type(data) is np.ndarray and not data.flags.writeable
    if read_only and (data is not target.data or (mode.vmaps and not shares)):
        raise RuntimeError(
            f"`{name}` cannot write to an argument of a function under `vmap`, which is the caller's memory; "
            "`.clone()` it first"
        )
    if read_only and not shares and type(target.alias) is not View:
        raise RuntimeError(
            f"`{name}` cannot write to the gradient that a hook was given, which other parts of the backward pass use; "
            "compute a new one and return it from the hook"
        )
    if shares or read_only:
        raise RuntimeError(f"`{name}` cannot write to a tensor with elements that share memory; `.clone()` it first")
    if not mode.inference and is_inference(data):
        raise RuntimeError(
            f"`{name}` cannot write outside `inference_mode()` to a tensor made inside it; `.clone()` it first"
        )
    base, _ = _base_of(target)
    if not (mode.grad_enabled and _tracked(target, base, *values)):
        return False
    if isinstance(target.node, Leaf) or isinstance(base.node, Leaf):
        what = "a leaf that requires grad" if isinstance(target.node, Leaf) else "a view of a leaf that requires grad"
        raise RuntimeError(  # noqa: TRY004 - PyTorch's class of error
            f"`{name}` would write to {what}, which would then no longer be the variable of its gradient; update it "
            "under `no_grad()`, or write to a `.clone()` of it"
        )
    refusal = target.alias.refusal if type(target.alias) is View else None
    if refusal == "several":
        raise RuntimeError(
            f"`{name}` would write to one of several views that one operation made (iteration or `split`); index the "
            "tensor instead, or compute out of place"
        )
    if refusal is not None:
        raise RuntimeError(
            f"`{name}` would record a write to a view that was made under `{refusal}` and is not recorded itself; move "
            "both into the block or both out of it"
        )
    return True


def update(target: Tensor, primitive: Primitive, *args: Any, **static: Any) -> Tensor:
    """Replace a tensor's value by `primitive(target, *args)` and return the tensor.

    Raises:
        RuntimeError: `admit` refuses the write.
        ValueError: The result has another shape.
        TypeError: The result does not convert to the tensor's dtype, such as floats to integers.
    """
    name = _METHODS.get(primitive.name, f"{primitive.name}_")
    recorded = admit(target, name, *args)
    data = target.data
    source = wrap(data, target.node, target.tangents)
    if recorded and any(primitive.inputs[0] in names for names in primitive.vjp_names.values()):
        source.data = data.copy()  # the rules need the values that are overwritten now
    new = primitive(source, *args, **static)
    if new.data.shape != data.shape:
        raise ValueError(f"`{name}` on a tensor of shape {data.shape} has a result of shape {new.data.shape}")
    if not np.can_cast(new.data.dtype, data.dtype, "same_kind"):
        raise TypeError(
            f"`{name}` on a `{data.dtype}` tensor has a `{new.data.dtype}` result, which does not convert to it"
        )
    made = new.node
    if new.data.dtype != data.dtype:
        new = astype(new, data.dtype)
    data[...] = new.data
    record_write(data, name)
    if recorded and type(made) is Node and made is new.node:
        _save_written(made, new.data, data)
    settle(target, new)
    return target


def _save_written(node: Node, result: Array, data: Array) -> None:
    """Make a node that saves its result save the overwritten memory, so that a later write to it is detected."""
    if node.saved is None:
        return
    arguments, place = node.saved[: len(node.plan.inputs)], len(node.plan.inputs)
    if node.plan.saves_out and node.saved[place] is result:
        node.saved = [*arguments, data, *node.saved[place + 1 :]]
    holder = owner(data)
    if not any(hasattr(value, "dtype") and owner(value) is holder for value in arguments):
        node.time = clock.now


def assign(target: Tensor, values: Any, index: Any = None, name: str = "copy_") -> Tensor:
    """Replace the elements of a tensor, or those at `index`, by `values`, which broadcast; return the tensor.

    Raises:
        RuntimeError: `admit` refuses the write.
        ValueError: The values do not broadcast to the replaced elements.
        TypeError: The values are complex and the tensor is not.
    """
    parts = index if isinstance(index, tuple) else (index,)
    recorded = admit(target, name, values, *parts)
    step: tuple[Step, ...] = ()
    place: Any = ...
    if index is not None:
        place = _owned_index(index)
        step = ((_getitem, {"index": place}),)
    new = values if type(values) is Tensor else wrap(backend_of(target.data).xp.asarray(values))
    if new.data.dtype != target.data.dtype:
        if is_complex(new) and not is_complex(target):
            raise TypeError(f"`{name}` on a `{target.data.dtype}` tensor cannot hold `{new.data.dtype}` values")
        new = astype(new, target.data.dtype)
    try:
        new = _without_leading_ones(new, target.data, place)
        target.data[place] = raw(new)
    except (ValueError, IndexError) as error:
        raise type(error)(
            f"`{name}` of shape {target.shape} got values of shape {new.shape}: "
            f"{_mismatch(target.data, place, new) or error} (at {call_site()})"
        ) from error
    record_write(target.data, name)
    if recorded or new.tangents or target.tangents:
        base, steps = _base_of(target)
        _rebase(base, new, steps + step)
    return target


def _mismatch(data: Array, place: Any, new: Tensor) -> str | None:
    """Return how the values differ from what they replace; None if the index itself is refused."""
    try:
        selected = data[place].shape
    except (ValueError, IndexError):
        return None
    return f"they do not broadcast to the {selected} that they replace; reshape them" if selected != new.shape else None


def _without_leading_ones(new: Tensor, data: Array, place: Any) -> Tensor:
    """Return values without the axes of length 1 in front by which they have more axes than what they replace."""
    shape = new.data.shape
    if shape[:1] != (1,):
        return new
    extra = len(shape) - data[place].ndim
    return reshape(new, shape[extra:]) if extra > 0 and set(shape[:extra]) == {1} else new


def _owned_index(index: Any) -> Any:
    """Return an index with arrays in place of Tensors, and with copies of arrays that the caller may change later."""
    if isinstance(index, tuple):
        return tuple(_owned_index(part) for part in index)
    data = index.data if hasattr(index, "node") else index
    return data.copy() if hasattr(data, "dtype") else list(data) if isinstance(data, list) else data


def settle(target: Any, new: Tensor) -> None:
    """Give a tensor the node and tangents of `new`, whose value its memory already holds."""
    base, steps = _base_of(target)
    if base is not target:
        if new.node is not None or new.tangents or base.node is not None or base.tangents:
            _rebase(base, new, steps)
        return
    if mode.grad_enabled:
        _move(target, new.node)
    target.tangents = new.tangents
    _cut_again(target)


def _rebase(base: Any, new: Tensor, steps: tuple[Step, ...]) -> None:
    before = wrap(base.data, base.node, base.tangents)
    after = copy_slices.record((before, new), {"steps": steps}, base.data)
    if mode.grad_enabled:
        _move(base, after.node)
    base.tangents = after.tangents
    _cut_again(base)


def _move(tensor: Any, node: GraphNode | None) -> None:
    """Give a tensor another node; `retain_grad()` moves to the new node, and hooks stay with the old one."""
    watch = tensor.node.watch if tensor.node is not None else None
    if watch is not None and watch.retains and node is not None:
        watch.retains = False
        watched(node).retains = True
    tensor.node = node


def _cut_again(base: Any) -> None:
    if type(base.alias) is not Base:
        return
    source = wrap(base.data, base.node, base.tangents)
    for view in base.alias:
        assert type(view.alias) is View
        if isinstance(view.node, Leaf) or view.alias.refusal not in {None, "several"}:
            continue
        fresh = replay(source, view.alias.steps)
        if mode.grad_enabled:
            _move(view, fresh.node)
        view.tangents = fresh.tangents
