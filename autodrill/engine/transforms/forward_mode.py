"""Forward mode: every tensor carries a tangent for each open level.

A level is one use of `jvp`. Levels are numbered in the order of opening, and no number is used twice. A tensor may
carry tangents of several open levels; the tangent of one level itself carries tangents of earlier levels only. A rule
receives its inputs with the tangents of earlier levels only, so nested derivatives cannot confuse their perturbations
(Siskind and Pearlmutter, 2005). Tangents are recorded for backward like any other value.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import DualNode, Node
from autodrill.engine.core.tensor import Tensor, live_tangents, raw, wrap
from autodrill.engine.ops.shape import broadcast_to

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.primitive import Primitive

__all__ = ["attach", "below", "open_level"]

_numbers = count(1)


@contextmanager
def open_level() -> Iterator[int]:
    """Open a forward-mode level inside a `with` block; its number is the value of `as`."""
    level = next(_numbers)
    before = mode.levels, mode.push
    mode.levels, mode.push = (*mode.levels, level), _push_tangents
    try:
        yield level
    finally:
        mode.levels, mode.push = before


def attach(primal: Tensor, tangent: Tensor, level: int) -> Tensor:
    """Return `primal` carrying `tangent` at `level`."""
    return wrap(primal.data, primal.node, {**(primal.tangents or {}), level: tangent})


def below(tensor: Tensor, level: int) -> Tensor:
    """Return the tensor with only the tangents of levels opened before `level`."""
    if tensor.tangents is None:
        return tensor
    kept = {k: t for k, t in tensor.tangents.items() if k < level}
    return wrap(tensor.data, tensor.node, kept or None)


def _push_tangents(primitive: Primitive, args: Sequence[Any], static: dict[str, Any], result: Tensor) -> None:
    """Set the tangents of an operation's result from those of its inputs.

    Args:
        primitive: The operation.
        args: Its inputs: Tensors with or without tangents, and constants.
        static: Its static values.
        result: Its result, as recorded for reverse mode; modified in place.
    """
    levels = sorted({k for a in args if type(a) is Tensor for k in live_tangents(a) or ()})
    if not levels:
        return
    tangents: dict[int, Tensor] = {}
    if isinstance(result.node, Node):
        result.node = _resaved(result.node, args, result.data, tangents)
    for level in levels:
        primals = [below(a, level) if type(a) is Tensor else a for a in args]
        pushed = [a.tangents.get(level) if type(a) is Tensor and a.tangents else None for a in args]
        out = wrap(result.data, result.node, dict(tangents) or None)
        tangents[level] = _fitted(_tangent(primitive, primals, pushed, static, out), result)
    result.tangents = tangents


def _resaved(node: Node, args: Sequence[Any], out: Array, tangents: dict[int, Tensor]) -> DualNode:
    """Return a node whose saved values carry their tangents, so that forward mode passes through its backward.

    The result's tangents are computed from the result and recorded, so they are not known yet: the caller fills
    `tangents` afterwards.
    """
    saved = list(node.saved or ())
    for index, position in enumerate(node.plan.inputs):
        a = args[position]
        if type(a) is Tensor and a.tangents is not None:
            saved[index] = wrap(a.data, None, a.tangents)
    if node.plan.saves_out:
        saved[len(node.plan.inputs)] = wrap(out, None, tangents)
    return DualNode(node.primitive, node.plan, node.parents, saved, node.shape, node.dtype)


@np.errstate(all="ignore")  # as in backward, an infinite tangent is a value
def _tangent(
    primitive: Primitive, primals: Sequence[Any], tangents: Sequence[Tensor | None], static: dict[str, Any], out: Tensor
) -> Any:
    """Apply the primitive's JVP rule at one level; `tangents` has None for an input without a tangent."""
    rule = primitive.jvp_rule
    if rule is None:
        raise NotImplementedError(f"`{primitive.name}` has no jvp rule, so forward mode cannot differentiate it")
    if rule == "linear":
        return primitive(*_linear_inputs(primitive, primals, tangents), **static)
    if isinstance(rule, str):
        total: Any = None
        for position, tangent in enumerate(tangents):
            if tangent is None or primitive.inputs[position] not in primitive.differentiable:
                continue
            if rule == "elementwise":
                term = _diagonal(primitive, position, primals, tangent, static, out)
            else:
                term = primitive(*primals[:position], tangent, *primals[position + 1 :], **static)
            total = term if total is None else total + term
        return _zeros(out) if total is None else total
    values = []
    for name in primitive.jvp_names:
        if name[0] == "d" and name[1:] in primitive.inputs:
            position = primitive.inputs.index(name[1:])
            tangent = tangents[position]
            values.append(_zeros(primals[position]) if tangent is None else tangent)
        else:
            values.append(_value(primitive, name, primals, static, out))
    return rule(*values)


def _linear_inputs(primitive: Primitive, primals: Sequence[Any], tangents: Sequence[Tensor | None]) -> list[Any]:
    inputs: list[Any] = []
    for position, (primal, tangent) in enumerate(zip(primals, tangents, strict=True)):
        name = primitive.inputs[0 if primitive.variadic else position]
        if name not in primitive.differentiable:
            inputs.append(primal)
        else:
            inputs.append(_zeros(primal) if tangent is None else tangent)
    return inputs


def _diagonal(
    primitive: Primitive, position: int, primals: Sequence[Any], tangent: Tensor, static: dict[str, Any], out: Tensor
) -> Any:
    """Apply the VJP rule to a tangent: the Jacobian of an elementwise operation is diagonal, so it is symmetric."""
    name = primitive.inputs[position]
    rule = primitive.vjps[name]
    assert rule is not None
    values = [_value(primitive, n, primals, static, out) for n in primitive.vjp_names[name]]
    if is_complex(tangent) and not is_complex(out):
        # For a real result the rule returns g times the gradient; this is its inner product with the tangent.
        return rule(tangent.conj(), *values).real
    return rule(tangent, *values)


def _value(primitive: Primitive, name: str, primals: Sequence[Any], static: dict[str, Any], out: Tensor) -> Any:
    if name == "out":
        return out
    if name in primitive.inputs:
        return primals[primitive.inputs.index(name)]
    return primitive.lookup(name, primals, static)


def _zeros(value: Any) -> Any:
    array = raw(value)
    if isinstance(array, np.generic):
        return array.dtype.type(0)
    if isinstance(array, (int, float, complex)):
        return 0
    return backend_of(array).xp.zeros_like(array)  # not 0 * array, which is NaN for an infinite element


def _fitted(pushed: Any, result: Tensor) -> Tensor:
    """Return a tangent as a Tensor of the result's shape and dtype."""
    tangent = pushed if type(pushed) is Tensor else wrap(pushed)
    if tangent.data.shape != result.data.shape:
        tangent = broadcast_to(tangent, result.data.shape)
    return tangent if tangent.data.dtype == result.data.dtype else tangent.astype(result.data.dtype)
