"""`vmap`: vectorisation of a function of one example over many examples."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from autodrill.engine.core.backend import BACKENDS, WRAPPERS, Wrapper
from autodrill.engine.core.mode import mode
from autodrill.engine.core.pytree import argument_names, argument_paths, flatten
from autodrill.engine.core.tensor import Tensor, raw, wrap
from autodrill.engine.ops.shape import concatenate
from autodrill.engine.transforms.batched_array import Batched, Level, levels_of
from autodrill.engine.transforms.batched_namespace import backend_of_batched
from autodrill.engine.transforms.batching_rules import apply, crossing
from autodrill.engine.transforms.vmap_boundary import enter, spread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodrill.engine.core.pytree import Structure

__all__ = ["Randomness", "open_examples", "vmap"]

Randomness = Literal["error", "same", "different"]

_numbers = count(1)

WRAPPERS[Batched] = Wrapper(backend_of_batched, apply, crossing)


@contextmanager
def open_examples(size: int, randomness: Randomness = "error") -> Iterator[Level]:
    """Compute with `size` examples at once inside a `with` block; the level is the value of `as`."""
    # The second run of a checkpoint must use the same levels as the first.
    again = None if mode.reopened is None else next(mode.reopened, None)
    level = Level(next(_numbers), size, randomness) if again is None else again
    if mode.opened is not None:
        mode.opened.append(level)
    before = mode.vmaps
    mode.vmaps = (*before, level)
    try:
        yield level
    finally:
        mode.vmaps = before


def vmap(
    f: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    randomness: Randomness = "error",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Return a function that applies f to every example along an axis of its arguments, and stacks the results.

    Each operation runs once, on all examples, by its batching rule; an operation without a rule
    (`registry[name].batching is None`) runs once for each example. `vmap` nests with itself and with every other
    transform, in either order. `vmap(grad_of(loss), in_axes=(None, 0, 0))` is the gradient of each example's loss. The
    gradient of a `vmap` with respect to a shared argument is summed over the examples.

    Inside, a tensor has the shape of one example. Operations that are undefined for many examples raise `BatchError`:
    an `if` on a tensor's value, `.item()`, `.numpy()`, a shape that depends on values. The same holds for an in-place
    write to an argument, and for a write of values that differ by example to a tensor that does not.

    Args:
        f: A function of Tensors, or of nested containers of them, that returns the same.
        in_axes: The axis of the examples in each argument; None for an argument that all examples share. Either one
            number for all arguments, or a tuple with an entry for each argument. An entry may be a container like the
            argument. Arrays reach f as Tensors in both cases.
        out_axes: The axis of the examples in the results, likewise; None for a result that all examples share.
        randomness: The behaviour of operations that draw random numbers, with PyTorch's names: raise (`"error"`),
            draw once for all examples (`"same"`), or draw for each example (`"different"`).
        chunk_size: The number of examples computed at once; by default all.

    Returns:
        A function of the same arguments, whose results are Tensors. Keyword arguments are passed on unchanged.

    Raises:
        ValueError: An axis does not exist, arguments have different numbers of examples, no argument is mapped,
            `chunk_size` is less than 1, or the structure of `in_axes` or `out_axes` does not match.
        TypeError: An entry of `in_axes` is neither a number nor None, or f returns something else than arrays.
        BatchError: f does something that is undefined for many examples.

    Source: as `jax.vmap` and `torch.func.vmap`.

    Example:
        >>> per_example = engine.vmap(engine.grad_of(lambda w, x: w * x), in_axes=(None, 0))
        >>> per_example(2.0, np.array([1.0, 3.0])).tolist()
        [1.0, 3.0]
    """

    def mapped(*args: Any, **kwargs: Any) -> Any:
        leaves, structure = flatten(args)
        axes = _axes(f, args, in_axes, leaves, structure)
        sizes = {leaf.shape[axis] for leaf, axis in zip(leaves, axes, strict=True) if axis is not None}
        (size,) = sizes
        if chunk_size is None or size <= chunk_size:
            return _run(f, leaves, axes, structure, kwargs, size, out_axes, randomness)
        if chunk_size < 1:
            raise ValueError(f"`chunk_size` is at least 1, not {chunk_size}")
        parts = []
        for start in range(0, size, chunk_size):
            cut = slice(start, min(start + chunk_size, size))
            some = [
                leaf if axis is None else leaf[(slice(None),) * axis + (cut,)]
                for leaf, axis in zip(leaves, axes, strict=True)
            ]
            parts.append(_run(f, some, axes, structure, kwargs, cut.stop - start, out_axes, randomness))
        return _joined(parts, out_axes)

    return mapped


def _run(
    f: Callable[..., Any],
    leaves: Sequence[Any],
    axes: Sequence[int | None],
    structure: Structure,
    kwargs: dict[str, Any],
    size: int,
    out_axes: Any,
    randomness: Randomness,
) -> Any:
    with open_examples(size, randomness) as level:
        given = [
            _shared(leaf)
            if axis is None
            else enter(leaf if type(leaf) is Tensor else wrap(leaf), level=level, axis=axis)
            for leaf, axis in zip(leaves, axes, strict=True)
        ]
        results, made = flatten(f(*structure.unflatten(given), **kwargs))
        chosen = made.match(out_axes, "out_axes", prefix=True, none=True)
        paths = made.paths("result")
        return made.unflatten([_out(*each, level) for each in zip(results, chosen, paths, strict=True)])


def _shared(leaf: Any) -> Any:
    """Return an argument that all examples share; an array becomes a Tensor, which accepts an example's index."""
    if type(leaf) not in BACKENDS:
        return leaf
    data = leaf
    if type(leaf) is np.ndarray:
        data = leaf.view()
        data.flags.writeable = False  # the memory is the caller's
    return wrap(data)


def _out(result: Any, axis: int | None, path: str, level: Level) -> Any:
    value = raw(result)
    if (
        not isinstance(value, (bool, int, float, complex))
        and type(value) not in BACKENDS
        and type(value) is not Batched
    ):
        raise TypeError(f"f returned a `{type(value).__name__}` as `{path}` under `vmap`; return arrays or Tensors")
    if type(result) is not Tensor:
        result = Tensor(value)
    if axis is None:
        if level in levels_of(value):
            raise ValueError(f"`out_axes` is None for `{path}`, which differs by example")
        return result
    ndim = len(result.shape) + 1
    if not -ndim <= axis < ndim:
        raise ValueError(f"`out_axes` is {axis} for `{path}`, which has shape {result.shape} for one example")
    return spread(result, level, axis % ndim)


def _axes(
    f: Callable[..., Any], args: tuple[Any, ...], in_axes: Any, leaves: list[Any], structure: Structure
) -> list[int | None]:
    """Return the axis of each leaf, counted from the front, or None."""
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        raise ValueError(f"`in_axes` has {len(in_axes)} entries for {len(args)} arguments: {in_axes}")
    if not isinstance(in_axes, (tuple, list, int, np.integer, type(None))):
        raise TypeError(f"`in_axes` is a number, None, or a tuple with an entry for each argument, not `{in_axes!r}`")
    names = argument_names(f, len(args))
    axes: list[Any] = []
    for k, part in enumerate(structure.parts):
        entry = in_axes[k] if isinstance(in_axes, (tuple, list)) else in_axes
        axes += part.match(entry, f"in_axes for {names[k]}", prefix=True, none=True)
    paths = argument_paths(f, structure)
    found: dict[int, str] = {}
    for k, (axis, path) in enumerate(zip(axes, paths, strict=True)):
        if axis is None:
            continue
        shape = getattr(leaves[k], "shape", None)
        if not isinstance(axis, (int, np.integer)):
            raise TypeError(f"`in_axes` for `{path}` is a number or None, not `{axis!r}`")
        if shape is None:
            raise ValueError(
                f"`in_axes` is {axis} for `{path}`, a `{type(leaves[k]).__name__}` without axes; "
                "pass None for an argument that all examples share"
            )
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"`in_axes` is {axis} for `{path}`, which has shape {shape}, without such an axis")
        axes[k] = axis % len(shape)
        found.setdefault(shape[axis], f"`{path}` of shape {shape} has {shape[axis]} along axis {axis}")
    if not found:
        raise ValueError("`vmap` needs at least one mapped argument, but `in_axes` is None for all of them")
    if len(found) > 1:
        raise ValueError("arguments have different numbers of examples: " + ", ".join(found.values()))
    return axes


def _joined(parts: Sequence[Any], out_axes: Any) -> Any:
    """Return the concatenated results of the chunks."""
    flat = [flatten(part) for part in parts]
    structure = flat[0][1]
    axes = structure.match(out_axes, "out_axes", prefix=True, none=True)
    joined = [
        pieces[0] if axis is None else concatenate(pieces, axis=axis)
        for axis, *pieces in zip(axes, *(leaves for leaves, _ in flat), strict=True)
    ]
    return structure.unflatten(joined)
