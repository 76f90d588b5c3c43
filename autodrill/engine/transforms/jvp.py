"""Jacobian-vector products of functions, by forward mode or by a linearised pullback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.mode import enable_grad, is_grad_enabled
from autodrill.engine.core.pytree import argument_paths, flatten
from autodrill.engine.core.tensor import Tensor
from autodrill.engine.ops.elementwise import astype
from autodrill.engine.reverse.backward import grad
from autodrill.engine.transforms.forward_mode import attach, below, open_level
from autodrill.engine.transforms.grad import grad_of
from autodrill.engine.transforms.vjp import is_differentiable, recorded_vjp, tensors_in, zeros_like

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["hvp", "jvp", "linearize"]


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Evaluate f and its Jacobian-vector product with the tangents, in one pass of forward mode.

    Args:
        f: A function of one argument for each primal that returns a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them.
        tangents: One for each primal, of its shape, or a container like it; None for a constant.

    Returns:
        The value of f and the tangent of that value, Tensors or containers of them.

    Raises:
        ValueError: Primals and tangents differ in number, structure or shape; the message names the leaf.
        TypeError: The tangent of a real primal is complex.

    Source: as `jax.jvp` and `torch.func.jvp`.

    Example:
        >>> value, tangent = engine.jvp(lambda x: x * x, [3.0], [1.0])
        >>> value.item(), tangent.item()
        (9.0, 6.0)
    """
    if len(primals) != len(tangents):
        raise ValueError(f"{len(primals)} primals need as many tangents, got {len(tangents)}")
    leaves, structure = flatten(tuple(primals))
    with open_level() as level:
        duals = []
        for index, (primal, tangent) in enumerate(
            zip(leaves, structure.match(tuple(tangents), "tangents", none=True), strict=True)
        ):
            if tangent is None or not is_differentiable(primal):
                duals.append(primal)
                continue
            x = primal if type(primal) is Tensor else Tensor(primal)
            dx = tangent if type(tangent) is Tensor else Tensor(tangent)
            if dx.shape != x.shape:
                path = argument_paths(f, structure)[index]
                raise ValueError(f"the tangent of `{path}` has shape {dx.shape} but its primal has shape {x.shape}")
            if is_complex(dx) and not is_complex(x):
                path = argument_paths(f, structure)[index]
                raise TypeError(
                    f"the tangent of `{path}` is complex, but its primal is `{x.dtype}`; pass a real tangent"
                )
            duals.append(attach(x, dx if dx.dtype == x.dtype else astype(dx, x.dtype), level))
        result = f(*structure.unflatten(duals))
    outputs, made = tensors_in(result)
    pushed = [y.tangents[level] if y.tangents and level in y.tangents else zeros_like(y) for y in outputs]
    return made.unflatten([below(y, level) for y in outputs]), made.unflatten(pushed)


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Evaluate f once and return its differential at the primals, a function that may be applied repeatedly.

    The pullback is linear. It is recorded once, and its own pullback is the differential.

    Args:
        f: A function of one argument for each primal that returns a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them.

    Returns:
        The value of f, and `push(*tangents)`, which returns the tangent of the value without evaluating f again. It
        takes one tangent for each primal, of its shape or a container like it, or None for a constant. The tangent of
        the value is differentiable, with respect to the tangents and to tensors that the primals were computed from.

    Raises:
        ValueError: In `push`: primals and tangents differ in number, structure or shape.

    Source: as `jax.linearize`.

    Example:
        >>> value, push = engine.linearize(lambda x: x * x, 3.0)
        >>> push(1.0).item(), push(2.0).item()
        (6.0, 12.0)
    """
    structure = flatten(primals)[1]
    value, pullback, outer = recorded_vjp(f, primals)
    outputs, made = tensors_in(value)
    with enable_grad():
        # Zeros, because the derivative of a linear function is the same everywhere.
        cotangents = [Tensor(zeros_like(y).data, requires_grad=True) for y in outputs]
        pulled = structure.match(pullback(made.unflatten(cotangents)), "pulled", none=True)

    def push(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ValueError(f"{len(primals)} primals need as many tangents, got {len(tangents)}")
        given = structure.match(tangents, "tangents", none=True)
        moved = [
            (x, t) for x, t in zip(pulled, given, strict=True) if x is not None and x.node is not None and t is not None
        ]
        pushed: Sequence[Tensor | None] = [None] * len(outputs)
        if moved:
            record = is_grad_enabled() and (outer or any(type(t) is Tensor and t.requires_grad for _, t in moved))
            pushed = grad(
                [x for x, _ in moved],
                cotangents,
                [t for _, t in moved],
                retain_graph=True,
                create_graph=record,
                allow_unused=True,
            )
        return made.unflatten([zeros_like(y) if t is None else t for y, t in zip(outputs, pushed, strict=True)])

    return value, push


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the Hessian-vector product of f, by forward over reverse mode, for about the cost of two gradients.

    Args:
        f: A function that returns a Tensor of one element.
        primals: The point of the Hessian: Tensors, arrays, numbers, or containers of them.
        tangents: The vector, one part for each primal.

    Returns:
        A tuple with a Tensor or a container for each primal; for a single primal, just its entry.

    Raises:
        ValueError: The value has several elements, or primals and tangents differ in number or shape.

    Source: Pearlmutter (1994); forward over reverse as in `jax.jvp(jax.grad(f), ...)`.

    Example:
        >>> f = lambda x: x[0] ** 2 * x[1]
        >>> engine.hvp(f, [np.array([1.0, 2.0])], [np.array([1.0, 0.0])]).tolist()
        [4.0, 2.0]
    """
    _, product = jvp(grad_of(f, tuple(range(len(primals)))), primals, tangents)
    return product[0] if len(product) == 1 else product
