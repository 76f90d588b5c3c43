"""Derivatives of functions: gradients, vector-Jacobian and Jacobian-vector products, and what follows from them.

Each takes a function of tensors, or of nested containers of them, and gives the like. They nest in any order, with
each other and with `backward`: a function is always given fresh variables, so two nested derivatives never mistake
each other's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.mode import enable_grad, is_grad_enabled
from autodrill.engine.core.node import GraphNode, Leaf
from autodrill.engine.core.pytree import argument_paths, flatten
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.elementwise import astype, positive
from autodrill.engine.reverse.backward import grad, topological_order
from autodrill.engine.transforms.forward_mode import attach, below, open_level

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.pytree import Structure

__all__ = [
    "grad_of",
    "hvp",
    "is_differentiable",
    "jvp",
    "linearize",
    "tensors_in",
    "value_and_grad",
    "vhp",
    "vjp",
    "zeros_like",
]


def is_differentiable(value: Any) -> bool:
    """Return whether a primal is floating or complex; Python numbers count as the floats they would become."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (float, complex)):
        return True
    array = raw(value)
    return hasattr(array, "dtype") and array.dtype.kind in "fc"


def _variable(value: Any) -> Any:
    """Return a fresh variable with the value of a primal: differentiable again, yet distinct from the original."""
    if not is_differentiable(value):
        return value
    if type(value) is not Tensor:
        return Tensor(value, requires_grad=True)
    with enable_grad():
        fresh = positive(value)
    return fresh if fresh.node is not None else wrap(fresh.data, Leaf(fresh.shape, fresh.dtype), fresh.tangents)


def tensors_in(result: Any) -> tuple[list[Tensor], Structure]:
    """Return what a function returned as a list of Tensors, and the structure of its container."""
    leaves, structure = flatten(result)
    return [y if type(y) is Tensor else Tensor(y) for y in leaves], structure


def _depends_on_more(outputs: Sequence[Tensor], variables: Sequence[Any]) -> bool:
    """Whether the outputs, or the variables themselves, are part of a graph that someone else differentiates."""
    ours = {v.node for v in variables if type(v) is Tensor}
    reached: list[GraphNode] = topological_order([t.node for t in outputs if t.node is not None])
    return any(type(node) is Leaf and node not in ours for node in reached)


def vjp(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """Evaluate f and return the function that pulls a cotangent back through it.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them; see `containers`.

    Returns:
        The value of f, and `pullback(cotangent)`, which may be called any number of times. The cotangent is an array
        or a Tensor of the value's shape, or a container like the value. The result is a tuple with an entry for each
        primal, a Tensor or a container like the primal: zeros where the value does not depend on it and None where it
        is not of a floating or complex dtype.
    """
    leaves, structure = flatten(primals)
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

    return made.unflatten([t if outer else wrap(t.data, None, t.tangents) for t in outputs]), pullback


def zeros_like(x: Tensor) -> Tensor:
    """Return zeros of a tensor's shape and dtype, outside the graph."""
    return wrap(x.backend.xp.zeros_like(x.data))


def jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Evaluate f and push tangents forward through it, in one pass.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them.
        tangents: One for each primal, of its shape, or a container like it; None for what is held constant.

    Returns:
        The value of f and the tangent of that value, Tensors or containers of them.

    Raises:
        ValueError: Primals and tangents differ in number, structure or shape; the message names the leaf.
        TypeError: The tangent of a real primal is complex.
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
                    f"the tangent of `{path}` is complex, but its primal is `{x.dtype}`: it moves on the real line"
                )
            duals.append(attach(x, dx if dx.dtype == x.dtype else astype(dx, x.dtype), level))
        result = f(*structure.unflatten(duals))
    outputs, made = tensors_in(result)
    pushed = [y.tangents[level] if y.tangents and level in y.tangents else zeros_like(y) for y in outputs]
    return made.unflatten([below(y, level) for y in outputs]), made.unflatten(pushed)


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., tuple[Tensor, Any]]:
    """Return a function that gives f's value, a Tensor of one element, and its gradient.

    Args:
        f: A function that returns a Tensor of one element.
        argnums: Which positional argument to differentiate with respect to, or which several.

    Returns:
        A function of f's arguments; its gradient is a Tensor, or a container like the argument, None at leaves that
        are not of a floating or complex dtype; or a tuple of such where `argnums` is a sequence.
    """

    def evaluate(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        chosen = [argnums] if isinstance(argnums, int) else list(argnums)
        for k in chosen:
            if not -len(args) <= k < len(args):
                raise ValueError(f"there is no argument {k} to differentiate with respect to, among {len(args)}")
        places = [k % len(args) for k in chosen]

        def of_chosen(*values: Any) -> Any:
            filled = list(args)
            for place, value in zip(places, values, strict=True):
                filled[place] = value
            return f(*filled, **kwargs)

        for place in places:
            if not any(map(is_differentiable, flatten(args[place])[0])):
                raise TypeError(
                    f"argument {place} is not of a floating or complex dtype, so it has no gradient: it is a "
                    f"`{type(args[place]).__name__}`"
                )
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
        primals: Where the Hessian is taken; Tensors, arrays, numbers, or containers of them.
        tangents: The vector, one part for each primal.

    Returns:
        A tuple with a Tensor, or a container, for each primal; for a single primal, that alone.
    """
    _, product = jvp(grad_of(f, tuple(range(len(primals)))), primals, tangents)
    return product[0] if len(product) == 1 else product


def vhp(f: Callable[..., Any], primals: Sequence[Any], cotangents: Sequence[Any]) -> Any:
    """Return the product of a vector with f's Hessian, reverse over reverse: needs no forward mode, keeps two graphs.

    Args:
        f: A function that returns a Tensor of one element.
        primals: Where the Hessian is taken; Tensors, arrays, numbers, or containers of them.
        cotangents: The vector, one part for each primal.

    Returns:
        A tuple with a Tensor, or a container, for each primal; for a single primal, that alone.
    """
    _, pullback = vjp(grad_of(f, tuple(range(len(primals)))), *primals)
    product = pullback(tuple(cotangents))
    return product[0] if len(product) == 1 else product


def linearize(f: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Evaluate f once and return its differential there, a function that can be applied to any number of tangents.

    The differential is the transpose of the pullback, which is linear: recorded once and pulled back itself.

    Args:
        f: A function of as many arguments as there are primals, returning a Tensor or a container of Tensors.
        primals: Tensors, arrays or numbers, or containers of them.

    Returns:
        The value of f, and `push(*tangents)`: one tangent for each primal, of its shape or a container like it, None
        for what is held constant; it returns the tangent of the value, without evaluating f again.
    """
    structure = flatten(primals)[1]
    value, pullback = vjp(f, *primals)
    outputs, made = tensors_in(value)
    with enable_grad():
        # Where does not matter for a linear function.
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
            pushed = grad(
                [x for x, _ in moved], cotangents, [t for _, t in moved], retain_graph=True, allow_unused=True
            )
        return made.unflatten([zeros_like(y) if t is None else t for y, t in zip(outputs, pushed, strict=True)])

    return value, push
