"""Gradients of functions that return one element, as JAX's `grad` takes them, and their products with a Hessian."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor
from autodrill.engine.transforms.vjp import is_differentiable, vjp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["grad_of", "value_and_grad", "vhp"]


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
