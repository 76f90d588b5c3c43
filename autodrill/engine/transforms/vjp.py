"""Vector-Jacobian products of functions, by reverse mode.

Every transform accepts functions of tensors or of nested containers of them. Transforms nest in any order, with each
other and with `backward`: a function always receives fresh variables, so nested derivatives cannot confuse them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.mode import enable_grad, is_grad_enabled
from autodrill.engine.core.node import GraphNode, Leaf
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.elementwise import positive
from autodrill.engine.reverse.backward import grad, topological_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.pytree import Structure

__all__ = ["is_differentiable", "recorded_vjp", "tensors_in", "vjp", "zeros_like"]


def is_differentiable(value: Any) -> bool:
    """Return whether a primal is floating or complex; a Python float or complex number counts too."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (float, complex)):
        return True
    array = raw(value)
    return hasattr(array, "dtype") and array.dtype.kind in "fc"


def _variable(value: Any) -> Any:
    """Return a fresh variable with the value of a primal, connected to the primal's graph."""
    if not is_differentiable(value):
        return value
    if type(value) is not Tensor:
        return Tensor(value, requires_grad=True)
    with enable_grad():
        fresh = positive(value)
    return fresh if fresh.node is not None else wrap(fresh.data, Leaf(fresh.shape, fresh.dtype), fresh.tangents)


def tensors_in(result: Any) -> tuple[list[Tensor], Structure]:
    """Return the leaves of a function's result, as Tensors, and the structure of the result."""
    leaves, structure = flatten(result)
    return [y if type(y) is Tensor else Tensor(y) for y in leaves], structure


def _depends_on_more(outputs: Sequence[Tensor], variables: Sequence[Any]) -> bool:
    """Whether the outputs depend on leaves other than the variables, so that an outer derivative needs their graph."""
    ours = {v.node for v in variables if type(v) is Tensor}
    reached: list[GraphNode] = topological_order([t.node for t in outputs if t.node is not None])
    return any(type(node) is Leaf and node not in ours for node in reached)


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Evaluate f and return its pullback, which maps a cotangent of the value to cotangents of the primals.

    Args:
        f: A function of one argument for each primal that returns a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them; see `pytree`.

    Returns:
        The value of f, and `pullback(cotangent)`, which may be called repeatedly. The cotangent is an array or a Tensor
        of the value's shape, or a container like the value. The result is a tuple with an entry for each primal, a
        Tensor or a container like the primal: zeros for a leaf that the value does not depend on, and None for a leaf
        that is neither floating nor complex.

    Raises:
        ValueError: In `pullback`: the cotangent has another structure or shape than the value.

    Source: as `jax.vjp` and `torch.func.vjp`.

    Example:
        >>> value, pullback = engine.vjp(lambda x: x * x, np.array([1.0, 3.0]))
        >>> pullback(np.array([1.0, 1.0]))[0].tolist()
        [2.0, 6.0]
    """
    return recorded_vjp(f, primals)[:2]


def recorded_vjp(f: Callable[..., Any], primals: Sequence[Any]) -> tuple[Any, Callable[[Any], tuple[Any, ...]], bool]:
    """Return the results of `vjp`, and whether they are in the graph of an outer derivative."""
    leaves, structure = flatten(tuple(primals))
    moving = [is_differentiable(p) for p in leaves]
    with enable_grad():
        variables = [_variable(p) for p in leaves]
        value = f(*structure.unflatten(variables))
    outputs, made = tensors_in(value)
    inputs = [v for v, moves in zip(variables, moving, strict=True) if moves]
    outer = is_grad_enabled() and _depends_on_more(outputs, variables)

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        cotangents = made.match(cotangent, "cotangent")
        for y, g, path in zip(outputs, cotangents, made.paths("cotangent"), strict=True):
            shape = getattr(g, "shape", None)
            if shape is not None and shape != y.shape:
                raise ValueError(f"`{path}` has shape {shape} but f returned shape {y.shape} there")
        reached = [(y, g) for y, g in zip(outputs, cotangents, strict=True) if y.node is not None]
        gradients: Sequence[Tensor | None] = [None] * len(inputs)
        if reached and inputs:
            record = outer or (is_grad_enabled() and any(type(g) is Tensor and g.requires_grad for _, g in reached))
            gradients = grad(
                [y for y, _ in reached],
                inputs,
                [g for _, g in reached],
                retain_graph=True,
                create_graph=record,
                allow_unused=True,
            )
        found = iter([zeros_like(x) if g is None else g for x, g in zip(inputs, gradients, strict=True)])
        pulled: tuple[Any, ...] = structure.unflatten([next(found) if moves else None for moves in moving])
        return pulled

    return made.unflatten([t if outer else wrap(t.data, None, t.tangents) for t in outputs]), pullback, outer


def zeros_like(x: Tensor) -> Tensor:
    """Return zeros of a tensor's shape and dtype, outside the graph."""
    return wrap(x.backend.xp.zeros_like(x.data))
