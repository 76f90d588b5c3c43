"""Derivatives of functions: gradients, vector-Jacobian and Jacobian-vector products, and what follows from them.

Each takes a function of tensors and gives Tensors. They nest in any order, with each other and with `backward`: a
function is always given fresh variables, so two nested derivatives never mistake each other's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine import ops
from autodrill.engine.forward import attach, below, open_level
from autodrill.engine.graph import grad, topological_order
from autodrill.engine.mode import enable_grad, is_grad_enabled
from autodrill.engine.node import GraphNode, Leaf
from autodrill.engine.tensor import Tensor, raw, wrap
from autodrill.engine.wirtinger import is_complex

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["grad_of", "hessian", "hvp", "jacobian", "jvp", "linearize", "value_and_grad", "vhp", "vjp"]


def _is_differentiable(value: Any) -> bool:
    """Whether a primal is floating or complex; Python numbers count as the floats they would become."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (float, complex)):
        return True
    array = raw(value)
    return hasattr(array, "dtype") and array.dtype.kind in "fc"


def _variable(value: Any) -> Any:
    """Return a fresh variable with the value of a primal: differentiable again, yet distinct from the original."""
    if not _is_differentiable(value):
        return value
    if type(value) is not Tensor:
        return Tensor(value, requires_grad=True)
    with enable_grad():
        fresh = ops.positive(value)
    return fresh if fresh.node is not None else wrap(fresh.data, Leaf(fresh.shape, fresh.dtype), fresh.tangents)


def _outputs(result: Any) -> tuple[Tensor, ...]:
    results = result if isinstance(result, tuple) else (result,)
    return tuple(r if type(r) is Tensor else Tensor(r) for r in results)


def _depends_on_more(outputs: Sequence[Tensor], variables: Sequence[Any]) -> bool:
    """Whether the outputs, or the variables themselves, are part of a graph that someone else differentiates."""
    ours = {v.node for v in variables if type(v) is Tensor}
    reached: list[GraphNode] = topological_order([t.node for t in outputs if t.node is not None])
    return any(type(node) is Leaf and node not in ours for node in reached)


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Tensor | None, ...]]]:
    """Evaluate f and return the function that pulls a cotangent back through it.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a tuple of Tensors.
        primals: Tensors, arrays or numbers.

    Returns:
        The value of f, and `pullback(cotangent)`, which may be called any number of times. The cotangent is an array
        or a Tensor of the value's shape, or a tuple where f returns one. The result has one Tensor for each primal,
        zeros where the value does not depend on it and None where it is not of a floating or complex dtype.
    """
    with enable_grad():
        variables = [_variable(p) for p in primals]
        value = f(*variables)
    outputs = _outputs(value)
    inputs = [v for p, v in zip(primals, variables, strict=True) if _is_differentiable(p)]
    outer = is_grad_enabled() and _depends_on_more(outputs, variables)

    def pullback(cotangent: Any) -> tuple[Tensor | None, ...]:
        cotangents = cotangent if isinstance(value, tuple) else (cotangent,)
        if len(cotangents) != len(outputs):
            raise ValueError(f"f returned {len(outputs)} values, so its cotangent has as many, not {len(cotangents)}")
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
        found = iter([_zeros_like(x) if g is None else g for x, g in zip(inputs, gradients, strict=True)])
        return tuple(next(found) if _is_differentiable(p) else None for p in primals)

    results = tuple(t if outer else wrap(t.data, None, t.tangents) for t in outputs)
    return (results if isinstance(value, tuple) else results[0]), pullback


def _zeros_like(x: Tensor) -> Tensor:
    return wrap(x.backend.xp.zeros_like(x.data))


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Evaluate f and push tangents forward through it, in one pass.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a tuple of Tensors.
        primals: Tensors, arrays or numbers.
        tangents: One for each primal, of its shape; None for a primal that is held constant.

    Returns:
        The value of f and the tangent of that value, Tensors or tuples of them.

    Raises:
        ValueError: Primals and tangents differ in number or shape.
        TypeError: The tangent of a real primal is complex.
    """
    if len(primals) != len(tangents):
        raise ValueError(f"{len(primals)} primals need as many tangents, got {len(tangents)}")
    with open_level() as level:
        duals = []
        for index, (primal, tangent) in enumerate(zip(primals, tangents, strict=True)):
            if tangent is None or not _is_differentiable(primal):
                duals.append(primal)
                continue
            x = primal if type(primal) is Tensor else Tensor(primal)
            dx = tangent if type(tangent) is Tensor else Tensor(tangent)
            if dx.shape != x.shape:
                raise ValueError(f"tangent {index} has shape {dx.shape} but its primal has shape {x.shape}")
            if is_complex(dx) and not is_complex(x):
                raise TypeError(f"tangent {index} is complex, but its primal is `{x.dtype}`: it moves on the real line")
            duals.append(attach(x, dx if dx.dtype == x.dtype else ops.astype(dx, x.dtype), level))
        result = f(*duals)
    outputs = _outputs(result)
    values = tuple(below(y, level) for y in outputs)
    pushed = tuple(y.tangents[level] if y.tangents and level in y.tangents else _zeros_like(y) for y in outputs)
    return (values, pushed) if isinstance(result, tuple) else (values[0], pushed[0])


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., tuple[Tensor, Any]]:
    """Return a function that gives f's value, a Tensor of one element, and its gradient.

    Args:
        f: A function that returns a Tensor of one element.
        argnums: Which positional argument to differentiate with respect to, or which several.

    Returns:
        A function of f's arguments; its gradient is a Tensor, or a tuple of them where `argnums` is a sequence.
    """

    def evaluate(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        chosen = [argnums] if isinstance(argnums, int) else list(argnums)
        places = [k % len(args) for k in chosen]

        def of_chosen(*values: Any) -> Any:
            filled = list(args)
            for place, value in zip(places, values, strict=True):
                filled[place] = value
            return f(*filled, **kwargs)

        for place in places:
            if not _is_differentiable(args[place]):
                raise TypeError(f"argument {place} is not of a floating or complex dtype, so it has no gradient")
        value, pullback = vjp(of_chosen, *[args[place] for place in places])
        if type(value) is not Tensor or value.size != 1:
            what = f"shape {value.shape}" if type(value) is Tensor else f"a `{type(value).__name__}`"
            raise ValueError(f"a gradient needs a function that returns one element, this one returned {what}")
        if is_complex(value):
            raise ValueError(
                f"a gradient needs a function with real values, this one returned `{value.dtype}`: differentiate its "
                "`.real`, its `abs`, or the function itself by `vjp`"
            )
        gradients = pullback(value.backend.xp.ones_like(value.data))
        return value, gradients[0] if isinstance(argnums, int) else gradients

    return evaluate


def grad_of(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return the gradient function of f, which returns one element.

    This is JAX's `grad`; the name `grad` is PyTorch's here, `grad(outputs, inputs)`.

    Args:
        f: A function that returns a Tensor of one element.
        argnums: Which positional argument to differentiate with respect to, or which several.
    """
    both = value_and_grad(f, argnums)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def hvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the product of f's Hessian with a vector, forward over reverse: about the cost of two gradients.

    Args:
        f: A function that returns a Tensor of one element.
        primals: Where the Hessian is taken.
        tangents: The vector, one part for each primal.

    Returns:
        A tuple with one Tensor for each primal; for a single primal, that Tensor.
    """
    _, product = jvp(grad_of(f, tuple(range(len(primals)))), primals, tangents)
    return product[0] if len(product) == 1 else product


def vhp(f: Callable[..., Any], primals: Sequence[Any], cotangents: Sequence[Any]) -> Any:
    """Return the product of a vector with f's Hessian, reverse over reverse: needs no forward mode, keeps two graphs.

    Args:
        f: A function that returns a Tensor of one element.
        primals: Where the Hessian is taken.
        cotangents: The vector, one part for each primal.

    Returns:
        A tuple with one Tensor for each primal; for a single primal, that Tensor.
    """
    _, pullback = vjp(grad_of(f, tuple(range(len(primals)))), *primals)
    product = pullback(tuple(cotangents))
    return product[0] if len(product) == 1 else product


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Evaluate f once and return its differential there, a function that can be applied to any number of tangents.

    The differential is the transpose of the pullback, which is linear: recorded once and pulled back itself.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a tuple of Tensors.
        primals: Tensors, arrays or numbers.

    Returns:
        The value of f, and `push(*tangents)`: one tangent for each primal, of its shape, or None for one that is held
        constant; it returns the tangent of the value, a Tensor or a tuple of them, without evaluating f again.
    """
    value, pullback = vjp(f, *primals)
    outputs = _outputs(value)
    with enable_grad():
        # Where does not matter for a linear function.
        cotangents = [Tensor(_zeros_like(y).data, requires_grad=True) for y in outputs]
        pulled = pullback(tuple(cotangents) if isinstance(value, tuple) else cotangents[0])

    def push(*tangents: Any) -> Any:
        if len(tangents) != len(primals):
            raise ValueError(f"{len(primals)} primals need as many tangents, got {len(tangents)}")
        moved = [
            (x, t)
            for x, t in zip(pulled, tangents, strict=True)
            if x is not None and x.node is not None and t is not None
        ]
        pushed: Sequence[Tensor | None] = [None] * len(outputs)
        if moved:
            pushed = grad(
                [x for x, _ in moved], cotangents, [t for _, t in moved], retain_graph=True, allow_unused=True
            )
        results = tuple(_zeros_like(y) if t is None else t for y, t in zip(outputs, pushed, strict=True))
        return results if isinstance(value, tuple) else results[0]

    return value, push


def jacobian(f: Callable[[Any], Any], x: Any) -> Tensor:
    """Return the Jacobian of f at x by the mode that needs fewer passes.

    Forward mode, a column at a time, where x has no more elements than f(x), and for complex values; reverse mode, a
    row at a time, where it has more.

    Returns:
        A Tensor of shape `f(x).shape + x.shape`. Where x and f(x) are complex its entries are the derivatives df/dz,
        and f must be holomorphic; where f(x) alone is, they are the derivatives of both parts along the real line;
        where x alone is, its rows are gradients, dL/dx + i dL/dy.

    Raises:
        ValueError: x and f(x) are complex and f is not holomorphic, so that no complex matrix is its derivative.
    """
    value, pullback = vjp(f, x)
    shape = x.shape if hasattr(x, "shape") else ()
    xp = value.backend.xp
    source = raw(x) if hasattr(x, "shape") else xp.asarray(x, dtype=value.dtype)
    if not value.size or not source.size:
        return wrap(xp.zeros(value.shape + shape, value.dtype))
    of_complex = is_complex(source)
    forward = is_complex(value) or (source.size <= value.size and not of_complex)
    parts = []
    for index in range(source.size if forward else value.size):
        seed = xp.zeros_like(source if forward else value.data)
        seed.reshape(-1)[index] = 1
        parts.append(jvp(f, (x,), (seed,))[1] if forward else pullback(seed)[0])
        if forward and of_complex:
            turned = raw(jvp(f, (x,), (1j * seed,))[1]) - 1j * raw(parts[-1])
            if abs(turned).max() > xp.finfo(turned.dtype).eps ** 0.5 * abs(raw(parts[-1])).max(initial=0) + 1e-300:
                raise ValueError(
                    "f is not holomorphic: i times a step does not make i times the change, so no complex matrix is "
                    "its Jacobian; take that of a function of `view_as_real`"
                )
    stacked: Tensor = ops.stack(parts, axis=-1 if forward else 0)
    return stacked.reshape(value.shape + shape)


def hessian(f: Callable[[Any], Any], x: Any) -> Tensor:
    """Return the Hessian of f at real x: the Jacobian of the gradient.

    Returns:
        A Tensor of shape `x.shape + x.shape`.

    Raises:
        TypeError: x is complex: a gradient is not holomorphic, and has no complex Jacobian.
    """
    if is_complex(x):
        raise TypeError("a Hessian is of a function of real numbers; take that of a function of `view_as_real(x)`")
    return jacobian(grad_of(f), x)
