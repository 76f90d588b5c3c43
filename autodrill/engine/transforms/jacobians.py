"""Jacobians and Hessians: derivatives along all basis vectors at once, by `vmap`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.backend import BatchError, backend_of, memory
from autodrill.engine.core.complex_convention import is_complex
from autodrill.engine.core.pytree import flatten
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.shape import concatenate, reshape, stack, transpose
from autodrill.engine.transforms.grad import grad_of
from autodrill.engine.transforms.jvp import jvp
from autodrill.engine.transforms.vjp import is_differentiable, tensors_in, vjp
from autodrill.engine.transforms.vmap import vmap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.core.pytree import Structure

__all__ = ["along_basis", "hessian", "jacobian"]

JacobianMode = Literal["forward", "reverse"]


def jacobian(
    f: Callable[[Any], Any], x: Any, *, mode: JacobianMode | None = None, chunk_size: int | None = None
) -> Any:
    """Return the Jacobian of f at x.

    Forward mode computes the JVP of every basis vector of x, reverse mode the VJP of every basis vector of f(x). All
    basis vectors are computed together, as examples under `vmap`. If that raises `BatchError`, for instance because a
    `Function` computes in NumPy, they are computed one after the other: the numbers are the same, at the speed of a
    loop.

    Args:
        f: A function of one argument.
        x: A Tensor, an array or a number, or a container of them.
        mode: By default the mode with the shorter basis, or forward if both are equally long. Complex values require
            forward mode, and real values at complex x use reverse mode: the other mode would see only one of two
            directions.
        chunk_size: The number of basis vectors computed at once, by default all. It bounds memory, because the
            intermediate values of f are held once for each.

    Returns:
        A Tensor of shape `f(x).shape + x.shape`. If f(x) is a container, the result is a container like it of the
        Jacobians of its leaves. If x is a container, each Jacobian is a container like x, with None for leaves that
        are neither floating nor complex.

        If x and f(x) are complex, the entries are the derivatives df/dz, and f must be holomorphic. If only f(x) is
        complex, they are the derivatives of both parts along the real line. If only x is complex, the rows are
        gradients, dL/dx + i dL/dy.

    Raises:
        TypeError: No leaf of x is of a floating or complex dtype.
        ValueError: x and f(x) are complex and f is not holomorphic, so its derivative is not a complex matrix; or
            `mode` is `"reverse"` and the values are complex.

    Source: as `jax.jacobian` and `torch.func.jacrev`.

    Example:
        >>> engine.jacobian(lambda x: x * x, np.array([1.0, 3.0])).tolist()
        [[2.0, 0.0], [0.0, 6.0]]
    """
    leaves, structure = flatten(x)
    moving = [k for k, leaf in enumerate(leaves) if is_differentiable(leaf)]
    if not moving:
        raise TypeError("the Jacobian needs an argument with a floating or complex leaf")
    xp = backend_of(*map(raw, leaves)).xp
    points = [p if hasattr(p, "shape") else Tensor(xp.asarray(p)) for p in leaves]

    value, pullback = vjp(f, structure.unflatten([points[k] if k in moving else leaf for k, leaf in enumerate(leaves)]))
    outputs, made = tensors_in(value)
    inputs = [points[k] for k in moving]
    columns, rows = _count(inputs), _count(outputs)
    from_complex, to_complex = any(map(is_complex, inputs)), any(map(is_complex, outputs))
    if mode is None:
        mode = "forward" if to_complex or (columns <= rows and not from_complex) else "reverse"
    if mode == "reverse" and to_complex:
        raise ValueError("the Jacobian of complex values needs forward mode; reverse mode is for real values")

    def push(*tangents: Any) -> list[Any]:
        given: list[Any] = [None] * len(leaves)
        for k, tangent in zip(moving, tangents, strict=True):
            given[k] = tangent
        return flatten(jvp(f, (structure.unflatten(points),), (structure.unflatten(given),))[1])[0]

    def pull(*cotangents: Any) -> list[Any]:
        (found,) = pullback(made.unflatten(cotangents))
        gradients = structure.match(found, "gradient", none=True)
        return [gradients[k] for k in moving]

    if mode == "forward":
        found = along_basis(push, inputs, outputs, chunk_size)
        if from_complex:
            turned = along_basis(lambda *ts: push(*(1j * t if is_complex(t) else t for t in ts)), inputs, outputs)
            _check_holomorphic(inputs, found, turned)
        blocks = [[_moved_last(block, len(x.shape)) for block in row] for row, x in zip(found, inputs, strict=True)]
        table = [[blocks[i][j] for i in range(len(inputs))] for j in range(len(outputs))]
    else:
        table = along_basis(pull, outputs, inputs, chunk_size)
    return made.unflatten([_like(structure, moving, row) for row in table])


def _check_holomorphic(inputs: Sequence[Any], found: list[list[Any]], turned: list[list[Any]]) -> None:
    """Check that i times a step gives i times the change."""
    for x, row, others in zip(inputs, found, turned, strict=True):
        for block, other in zip(row, others, strict=True) if is_complex(x) else ():
            change, size = (abs(memory(raw(v))) for v in (other - 1j * block, block))
            precision = float(np.finfo(x.dtype).eps) ** 0.5
            if change.size and change.max() > precision * size.max() + 1e-300:
                raise ValueError(
                    "f is not holomorphic: i times a step does not give i times the change, so its Jacobian is not a "
                    "complex matrix; differentiate a function of `view_as_real` instead"
                )


def hessian(f: Callable[[Any], Any], x: Any, *, chunk_size: int | None = None) -> Any:
    """Return the Hessian of f at real x, the Jacobian of the gradient; f must return one element.

    Args:
        f: A function of one argument.
        x: A Tensor, an array or a number, or a container of floating ones.
        chunk_size: The number of columns computed at once; see `jacobian`.

    Returns:
        A Tensor of shape `x.shape + x.shape`; if x is a container, a container of containers like it.

    Raises:
        TypeError: x is complex. A gradient is not holomorphic, so it has no complex Jacobian.
        ValueError: The value has several elements.

    Source: as `jax.hessian` and `torch.func.hessian`.

    Example:
        >>> engine.hessian(lambda x: x[0] ** 2 * x[1], np.array([1.0, 2.0])).tolist()
        [[4.0, 2.0], [2.0, 0.0]]
    """
    if any(map(is_complex, flatten(x)[0])):
        raise TypeError(
            "a Hessian needs a function of real numbers; differentiate a function of `view_as_real(x)` instead"
        )
    return jacobian(grad_of(f), x, chunk_size=chunk_size)


def along_basis(
    derivative: Callable[..., Sequence[Any]],
    sources: Sequence[Any],
    results: Sequence[Any],
    chunk_size: int | None = None,
) -> list[list[Any]]:
    """Apply a linear function of several tensors to every vector of their standard basis.

    Args:
        derivative: A function of one tensor for each source that returns one for each result.
        sources: Arrays or Tensors like its arguments.
        results: Arrays or Tensors like its results.
        chunk_size: The number of vectors at once; by default all.

    Returns:
        For each source and each result a Tensor of shape `source.shape + result.shape`.
    """
    sizes = [_size(s) for s in sources]
    total = sum(sizes)
    starts = np.cumsum([0, *sizes])
    step = max(1, total if chunk_size is None else chunk_size)
    parts: list[list[Any]] = [[] for _ in results]
    together = True
    for low in range(0, total, step):
        high = min(low + step, total)
        seeds = [_basis(s, low - int(at), high - int(at)) for s, at in zip(sources, starts, strict=False)]
        found = None
        if together:
            try:
                found = vmap(lambda *vectors: list(derivative(*vectors)))(*seeds)
            except BatchError:
                together = False  # an error with another cause is raised again below
        if found is None:
            rows = [derivative(*(seed[k] for seed in seeds)) for k in range(high - low)]
            found = [stack(column) for column in zip(*rows, strict=True)]
        for part, block in zip(parts, found, strict=True):
            part.append(block)
    whole = [_whole(part, total, r) for part, r in zip(parts, results, strict=True)]
    return [
        [
            reshape(w[int(start) : int(start) + n], tuple(s.shape) + tuple(r.shape))
            for w, r in zip(whole, results, strict=True)
        ]
        for s, n, start in zip(sources, sizes, starts, strict=False)
    ]


def _whole(parts: list[Any], total: int, like: Any) -> Any:
    if not parts:
        return wrap(backend_of(raw(like)).xp.zeros((total, *like.shape), like.dtype))
    return parts[0] if len(parts) == 1 else concatenate(parts)


def _basis(like: Any, low: int, high: int) -> Any:
    """Return the basis vectors `low` to `high` of an array's elements, stacked; vectors out of range are zero."""
    array = raw(like)
    n = _size(like)
    seeds = backend_of(array).xp.zeros((high - low, n), array.dtype)
    first, last = max(low, 0), min(high, n)
    if first < last:
        places = np.arange(first, last)
        seeds[places - low, places] = 1
    return seeds.reshape(high - low, *like.shape)


def _size(value: Any) -> int:
    return int(np.prod(value.shape, dtype=int))


def _count(values: Sequence[Any]) -> int:
    return sum(map(_size, values))


def _moved_last(block: Any, count: int) -> Any:
    """Return a block with its first `count` axes, those of the input, moved to the end."""
    ndim = len(block.shape)
    return transpose(block, (*range(count, ndim), *range(count)))


def _like(structure: Structure, moving: Sequence[int], row: Sequence[Any]) -> Any:
    filled: list[Any] = [None] * structure.size
    for k, block in zip(moving, row, strict=True):
        filled[k] = block
    return structure.unflatten(filled)
