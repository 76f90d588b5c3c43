"""Functions with a derivative of their own: decorators with JAX's names and rules.

`Function` in `reverse/function.py` is PyTorch's form of the same.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor
from autodrill.engine.reverse.function import Function
from autodrill.engine.transforms.vjp import is_differentiable, vjp

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.engine.core.pytree import Structure

__all__ = ["custom_jvp", "custom_vjp"]


class _Custom:
    """What both decorators share: a function of containers as an operation on their leaves."""

    __name__: str
    giver: str
    """The method that gives the rule."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self.f = f
        self.defined = False
        functools.update_wrapper(self, f)

    def __call__(self, *args: Any) -> Any:
        """Call the function; its derivative is that of the rule."""
        if not self.defined:
            raise TypeError(
                f"`{self.f.__name__}` has no rule for its derivative; give it with `{self.f.__name__}.{self.giver}` "
                "before the first call"
            )
        leaves, structure = flatten(args)
        made: list[Structure] = []
        operation = self._operation(structure, made)
        if not any(type(leaf) is Tensor for leaf in leaves):
            return self.f(*args)
        found = operation.apply(*leaves)
        return made[0].unflatten(list(found) if isinstance(found, tuple) else [found])

    def _operation(self, structure: Structure, made: list[Structure]) -> type[Function]:
        raise NotImplementedError


def _outputs(value: Any, made: list[Structure]) -> Any:
    """Return the leaves of a result as Tensors, and note its structure."""
    leaves, structure = flatten(value)
    made.append(structure)
    return tuple(y if type(y) is Tensor else Tensor(y) for y in leaves)


class custom_vjp(_Custom):  # noqa: N801 - a decorator
    """Decorate a function, whose derivative `defvjp` then gives; `jax.custom_vjp`.

    The function takes Tensors, arrays and containers of them by position. Forward mode pushes tangents through the
    transpose of `bwd`, which must therefore be linear in the cotangent. The rule may be differentiated itself, if it is
    made of the engine's operations.

    Args:
        f: The function.

    Raises:
        TypeError: The function is called before `defvjp`.
        ValueError: The cotangents of `bwd` do not fit the arguments.

    Source: as `jax.custom_vjp`.

    Example:
        >>> @engine.custom_vjp
        ... def clipped(x):
        ...     return x
        >>> clipped.defvjp(lambda x: (x, None), lambda _, g: (engine.clip(g, -1.0, 1.0),))
        >>> engine.grad_of(lambda x: 5 * clipped(x))(2.0).item()
        1.0
    """

    giver = "defvjp"
    fwd: Callable[..., tuple[Any, Any]]
    bwd: Callable[[Any, Any], tuple[Any, ...]]

    def defvjp(self, fwd: Callable[..., tuple[Any, Any]], bwd: Callable[[Any, Any], tuple[Any, ...]]) -> None:
        """Give the derivative.

        Args:
            fwd: Takes the arguments of the function, and returns its result and what `bwd` needs, the residuals.
            bwd: Takes the residuals and the cotangent of the result, and returns a tuple with the cotangent of each
                argument, or None for one that has none.
        """
        self.fwd, self.bwd, self.defined = fwd, bwd, True

    def _operation(self, structure: Structure, made: list[Structure]) -> type[Function]:
        fwd, bwd = self.fwd, self.bwd

        def pulled(inputs: tuple[Any, ...], cotangents: tuple[Any, ...]) -> list[Any]:
            """Run the rule again from the inputs, so that it is differentiable with respect to them."""
            _, residuals = fwd(*structure.unflatten(list(inputs)))
            found = bwd(residuals, made[0].unflatten(list(cotangents)))
            return structure.match(tuple(found), "the cotangents of `bwd`", none=True)

        class VjpRule(Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Any) -> Any:
                _keep(ctx, inputs)
                return _outputs(self.f(*structure.unflatten(list(inputs))), made)

            @staticmethod
            def backward(ctx: Any, *cotangents: Any) -> Any:
                inputs = _inputs(ctx)
                found = zip(inputs, pulled(inputs, cotangents), strict=True)
                return tuple(_tensor_or_none(g) if type(x) is Tensor else None for x, g in found)

            @staticmethod
            def jvp(ctx: Any, *tangents: Any) -> Any:
                inputs = _inputs(ctx)
                moving = [k for k, t in enumerate(tangents) if t is not None]
                zeros = [x * 0 for x in _outputs(self.f(*structure.unflatten(list(inputs))), [])]

                def transpose(*cotangents: Any) -> Any:
                    found = pulled(inputs, cotangents)
                    return tuple(inputs[k] * 0 if found[k] is None else found[k] for k in moving)

                return vjp(transpose, *zeros)[1](tuple(tangents[k] for k in moving))

        VjpRule.__name__ = self.f.__name__
        return VjpRule


class custom_jvp(_Custom):  # noqa: N801 - a decorator
    """Decorate a function, whose derivative `defjvp` then gives; `jax.custom_jvp`.

    Reverse mode transposes the rule. It must therefore be linear in the tangents, and made of the engine's operations.

    Args:
        f: The function, of Tensors, arrays and containers of them by position.

    Raises:
        TypeError: The function is called before `defjvp`.
        RuntimeError: The tangent of the rule has another shape than the result.

    Source: as `jax.custom_jvp`.

    Example:
        >>> @engine.custom_jvp
        ... def cube(x):
        ...     return x * x * x
        >>> cube.defjvp(lambda primals, tangents: (cube(*primals), 3 * primals[0] ** 2 * tangents[0]))
        >>> engine.jvp(cube, [2.0], [1.0])[1].item()
        12.0
    """

    giver = "defjvp"
    rule: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, Any]]

    def defjvp(self, rule: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, Any]]) -> None:
        """Give the derivative: a function of the primals and the tangents, both tuples like the arguments.

        It returns the result and the tangent of the result. An argument without a derivative has the tangent None.
        """
        self.rule, self.defined = rule, True

    def _operation(self, structure: Structure, made: list[Structure]) -> type[Function]:
        def pushed(inputs: tuple[Any, ...], tangents: list[Any]) -> tuple[Any, ...]:
            primals = structure.unflatten(list(inputs))
            _, tangent = self.rule(primals, structure.unflatten(tangents))
            return tuple(
                t if type(t) is Tensor else Tensor(t) for t in made[0].match(tangent, "the tangent of the rule")
            )

        class JvpRule(Function):
            @staticmethod
            def forward(ctx: Any, *inputs: Any) -> Any:
                _keep(ctx, inputs)
                return _outputs(self.f(*structure.unflatten(list(inputs))), made)

            @staticmethod
            def backward(ctx: Any, *cotangents: Any) -> Any:
                inputs = _inputs(ctx)
                moving = [k for k, x in enumerate(inputs) if type(x) is Tensor and is_differentiable(x)]

                def push(*tangents: Any) -> Any:
                    given: list[Any] = [None] * len(inputs)
                    for k, t in zip(moving, tangents, strict=True):
                        given[k] = t
                    return pushed(inputs, given)

                gradients = vjp(push, *(inputs[k] * 0 for k in moving))[1](cotangents)
                found: list[Any] = [None] * len(inputs)
                for k, g in zip(moving, gradients, strict=True):
                    found[k] = g
                return tuple(found)

            @staticmethod
            def jvp(ctx: Any, *tangents: Any) -> Any:
                return pushed(_inputs(ctx), list(tangents))

        JvpRule.__name__ = self.f.__name__
        return JvpRule


def _keep(ctx: Any, inputs: tuple[Any, ...]) -> None:
    """Save the arguments of forward for `_inputs`: Tensors as such, and everything else as it is."""
    ctx.save_for_backward(*(x if type(x) is Tensor else None for x in inputs))
    ctx.constants = [None if type(x) is Tensor else x for x in inputs]


def _inputs(ctx: Any) -> tuple[Any, ...]:
    """Return the arguments of forward: the saved Tensors, and what is none."""
    return tuple(x if c is None else c for x, c in zip(ctx.saved_tensors, ctx.constants, strict=True))


def _tensor_or_none(g: Any) -> Any:
    return g if g is None or type(g) is Tensor else Tensor(g)
