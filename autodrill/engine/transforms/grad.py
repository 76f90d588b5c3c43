"""Gradients of functions that return one element, as in JAX's `grad`, and vector-Hessian products by reverse mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.declaration import integers
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor
from autodrill.engine.transforms.vjp import is_differentiable, vjp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["grad_of", "value_and_grad", "vhp"]


def value_and_grad(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., tuple[Tensor, Any]]:
    """Return a function that computes the value of f, a Tensor of one element, and its gradient.

    Args:
        f: A function that returns a Tensor of one element.
        argnums: The position of the argument to differentiate with respect to, or several positions.

    Returns:
        A function of f's arguments. The gradient is a Tensor, or a container like the argument with None for leaves
        that are neither floating nor complex; if `argnums` is a sequence, a tuple of these.

    Raises:
        ValueError: The value has several elements or is complex, or there is no such argument.
        TypeError: The argument is neither floating nor complex.

    Source: as `jax.value_and_grad`.

    Example:
        >>> value, gradient = engine.value_and_grad(lambda x: x * x)(3.0)
        >>> value.item(), gradient.item()
        (9.0, 6.0)
    """

    def evaluate(*args: Any, **kwargs: Any) -> tuple[Tensor, Any]:
        chosen = integers(argnums)
        for k in chosen:
            if not -len(args) <= k < len(args):
                raise ValueError(f"`argnums` names argument {k} of {len(args)}")
        places = [k % len(args) for k in chosen]

        def of_chosen(*values: Any) -> Any:
            filled = list(args)
            for place, value in zip(places, values, strict=True):
                filled[place] = value
            return f(*filled, **kwargs)

        for place in places:
            if not any(map(is_differentiable, flatten(args[place])[0])):
                raise TypeError(
                    f"argument {place} is neither floating nor complex, so it has no gradient: it is a "
                    f"`{type(args[place]).__name__}`"
                )
        value, pullback = vjp(of_chosen, *[args[place] for place in places])
        if type(value) is not Tensor or value.size != 1:
            what = f"shape {value.shape}" if type(value) is Tensor else f"a `{type(value).__name__}`"
            raise ValueError(f"a gradient needs a function that returns one element, but this one returned {what}")
        if is_complex(value):
            raise ValueError(
                f"a gradient needs a real function, but this one returned `{value.dtype}`; differentiate its `.real` "
                "or its `abs`, or use `vjp`"
            )
        gradients = pullback(value.backend.xp.ones_like(value.data))
        return value, gradients[0] if isinstance(argnums, (int, np.integer)) else gradients

    return evaluate


def grad_of(f: Callable[..., Any], argnums: int | Sequence[int] = 0) -> Callable[..., Any]:
    """Return a function that computes the gradient of f; f must return one element.

    This is JAX's `grad`. In the engine `grad(outputs, inputs)` is PyTorch's.

    Args:
        f: A function that returns a Tensor of one element.
        argnums: The position of the argument to differentiate with respect to, or several positions.

    Returns:
        A function of f's arguments. The gradient is a Tensor, or a container like the argument with None for leaves
        that are neither floating nor complex; if `argnums` is a sequence, a tuple of these.

    Raises:
        ValueError: The value has several elements or is complex, or there is no such argument.
        TypeError: The argument is neither floating nor complex.

    Source: as `jax.grad`.

    Example:
        >>> engine.grad_of(lambda x, y: x * y, argnums=(0, 1))(2.0, 5.0)[1].item()
        2.0
    """
    both = value_and_grad(f, argnums)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


def vhp(f: Callable[..., Any], primals: Sequence[Any], cotangents: Sequence[Any]) -> Any:
    """Return the vector-Hessian product of f, by reverse over reverse mode, which keeps two graphs in memory.

    Args:
        f: A function that returns a Tensor of one element.
        primals: The point of the Hessian: Tensors, arrays, numbers, or containers of them.
        cotangents: The vector, one part for each primal.

    Returns:
        A tuple with a Tensor or a container for each primal; for a single primal, just its entry.

    Raises:
        ValueError: The value has several elements, or primals and cotangents differ in number or shape.

    Source: as `torch.autograd.functional.vhp`, without the value.

    Example:
        >>> f = lambda x: x[0] ** 2 * x[1]
        >>> engine.vhp(f, [np.array([1.0, 2.0])], [np.array([1.0, 0.0])]).tolist()
        [4.0, 2.0]
    """
    _, pullback = vjp(grad_of(f, tuple(range(len(primals)))), *primals)
    product = pullback(tuple(cotangents))
    return product[0] if len(product) == 1 else product
