"""Loops and branches as functions, under JAX's names, and the identity without a derivative.

A Python loop or `if` works in the engine too. These functions are for programs written for JAX, and for conditions that
differ by examples under `vmap`, which no Python `if` can follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.ops.elementwise import where
from autodrill.engine.ops.index import getitem
from autodrill.engine.ops.shape import stack
from autodrill.engine.transforms.batched_array import levels_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["cond", "scan", "stop_gradient", "while_loop"]


def stop_gradient(x: Any) -> Any:
    """Return x without its graph and without its tangents: its derivative is 0 in every mode.

    Args:
        x: A Tensor, which is detached; or a container of Tensors, arrays and numbers.

    Returns:
        A Tensor, or a container like x.

    Source: as `jax.lax.stop_gradient`.

    Example:
        >>> engine.grad_of(lambda x: x * engine.stop_gradient(x))(3.0).item()
        3.0
    """
    leaves, structure = flatten(x)
    return structure.unflatten([leaf.detach() if type(leaf) is Tensor else leaf for leaf in leaves])


def _selected(condition: Any, first: Any, second: Any, what: str) -> Any:
    """Return two results of one structure, each leaf chosen by the condition of its example."""
    leaves, structure = flatten(first)
    others = structure.match(second, what)
    return structure.unflatten([where(condition, a, b) for a, b in zip(leaves, others, strict=True)])


def _condition(value: Any, name: str) -> Any:
    """Return a condition as an array, or as a bool if it does not differ by examples."""
    condition = raw(value)
    if getattr(condition, "shape", ()) != ():
        raise ValueError(f"`{name}` needs one condition, not an array of shape {condition.shape}")
    return condition if levels_of(condition) else bool(condition)


def cond(
    pred: Any, true_fun: Callable[..., Any] | None = None, false_fun: Callable[..., Any] | None = None, *operands: Any
) -> Any:
    """Return `true_fun(*operands)` if the condition holds, and `false_fun(*operands)` otherwise.

    Two libraries use this name: `cond(x)` without functions is the condition number of the matrices x, as in NumPy.

    Only the function that is called gets a gradient. If the condition differs by examples under `vmap`, both functions
    are called, and each example keeps one result: the other result must then be finite, as with `where`.

    Args:
        pred: A bool, or an array or Tensor without axes; without functions, matrices.
        true_fun: A function of the operands.
        false_fun: A function of the operands, with a result of the same structure.
        operands: Tensors, arrays and containers of them.

    Returns:
        The value of the function that was called; without functions, the condition numbers.

    Raises:
        ValueError: The condition has axes, or the structures of the results differ under `vmap`.

    Example:
        >>> engine.cond(True, lambda x: 2 * x, lambda x: -x, engine.Tensor(3.0)).item()
        6.0
    """
    if true_fun is None or false_fun is None:
        from autodrill.engine.ops.decomposition import cond as condition_number

        return condition_number(pred)
    condition = _condition(pred, "cond")
    if condition is True or condition is False:
        return true_fun(*operands) if condition else false_fun(*operands)
    return _selected(condition != 0, true_fun(*operands), false_fun(*operands), "false_fun's result")


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any) -> Any:
    """Apply `body_fun` while `cond_fun` holds, and return the last value.

    Unlike in JAX, reverse mode works, because the graph has the steps that were taken. If the condition differs by
    examples under `vmap`, the loop runs as long as any example needs it, and an example that is finished keeps its
    value.

    Args:
        cond_fun: A function of the value, whose result is a condition as in `cond`.
        body_fun: A function of the value, with a result of the same structure.
        init_val: The first value: a Tensor, an array, or a container of them.

    Returns:
        The last value, a container like `init_val`.

    Raises:
        ValueError: The condition has axes.

    Source: as `jax.lax.while_loop`.

    Example:
        >>> engine.while_loop(lambda x: x < 10.0, lambda x: 2 * x, engine.Tensor(3.0)).item()
        12.0
    """
    value = init_val
    while True:
        condition = _condition(cond_fun(value), "while_loop")
        if condition is False:
            return value
        if condition is True:
            value = body_fun(value)
        elif not condition.data.any():
            return value
        else:
            value = _selected(condition != 0, body_fun(value), value, "init_val")


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
) -> tuple[Any, Any]:
    """Apply `carry, y = f(carry, x)` to the elements along the first axis, and return the last carry and all y.

    Args:
        f: A function of the carry and of one element.
        init: The first carry: a Tensor, an array, or a container of them.
        xs: An array, or a container of arrays that have one length of the first axis; None to pass None to f.
        length: The number of steps; needed if `xs` has no arrays.
        reverse: Whether to begin with the last element. The results are in the order of the elements even then.

    Returns:
        The last carry, and the results of f stacked along a new first axis, in a container like y; None if f was not
        called.

    Raises:
        ValueError: The lengths differ, or there is none.

    Source: as `jax.lax.scan`.

    Example:
        >>> last, sums = engine.scan(lambda carry, x: (carry + x, carry + x), np.array(0.0), np.array([1.0, 2.0, 3.0]))
        >>> sums.tolist()
        [1.0, 3.0, 6.0]
    """
    leaves, structure = flatten(xs)
    lengths = {int(leaf.shape[0]) for leaf in leaves} | ({length} if length is not None else set())
    if len(lengths) != 1:
        found = ", ".join(map(str, sorted(lengths))) or "none"
        raise ValueError(f"`scan` needs one length, from `xs` or from `length`; here it found {found}")
    (count,) = lengths
    carry, results = init, []
    for k in reversed(range(count)) if reverse else range(count):
        carry, y = f(carry, structure.unflatten([getitem(leaf, k) for leaf in leaves]))
        results.append(y)
    if not results:
        return carry, None
    if reverse:
        results.reverse()
    first, made = flatten(results[0])
    columns = zip(first, *(made.match(y, "y") for y in results[1:]), strict=True)
    return carry, made.unflatten([stack([_array(v) for v in column]) for column in columns])


def _array(value: Any) -> Any:
    return value if hasattr(value, "dtype") else Tensor(value)
