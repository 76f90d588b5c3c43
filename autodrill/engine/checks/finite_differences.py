"""Derivatives by finite differences, with error estimates, independent of the rest of the engine.

Central differences at three steps are extrapolated to step 0 (Richardson, 1911). The spread of the extrapolation
tableau and the rounding of the values estimate the error (Ridders, 1982). The steps are not multiples of each other:
for a function whose period divided all of them, every difference would be 0. If the estimate is poor, because the
function varies on a smaller scale than the step or has a kink or a domain boundary nearby, other steps are tried, and
each element keeps the best one.

A complex input counts as two real ones. Its gradient is dx + i dy, the gradients of the real part of
`conj(cotangent) · f` with respect to both, which is PyTorch's convention; see `complex_convention`.

The perturbed inputs are evaluated together if f allows it; see `Evaluation`. This relies on the engine's batching
rules, so two of the points are also evaluated alone and compared. No other part of the engine is used.

All computations are in float64. Outputs are copied, because a function may return a view of an input, and perturbing
that input would change both sides of the difference.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autodrill.engine.core.backend import memory
from autodrill.engine.core.pytree import flatten

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "AT_ONCE",
    "Evaluation",
    "as_complex",
    "as_reals",
    "flat_jvp",
    "flat_values",
    "numerical_jvp",
    "numerical_vjp",
    "of_reals",
    "scale_of",
    "vjp_by_differences",
]

Float: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_FEW = 20  # for fewer points a loop is faster
_SAME = 1e-9  # the effect of another order of summation; a wrong batching rule has a larger one


def as_reals(array: Any) -> Any:
    """Return complex numbers as pairs along a new last axis; return any other array unchanged."""
    return np.stack([array.real, array.imag], axis=-1) if array.dtype.kind == "c" else array


def flat_values(output: Any) -> Float:
    """Copy an output, or a container of outputs, into one flat float64 array; complex numbers as pairs."""
    if type(output) is np.ndarray:
        return np.array(as_reals(output), dtype=np.float64).reshape(-1)
    parts = [np.array(getattr(part, "data", part) if hasattr(part, "node") else part) for part in flatten(output)[0]]
    return np.concatenate([as_reals(part).astype(np.float64).reshape(-1) for part in parts]) if parts else np.zeros(0)


class Evaluation:
    """A function of raw arrays, evaluated at many values of one of them.

    The points are evaluated together if f uses only operations that `vmap` supports. The result is checked: the first
    and the last point are also evaluated alone and must give the same values. After the first failure, an error or a
    difference, all points are evaluated one by one, with the same numbers at the speed of a loop.

    Attributes:
        alone: Why points are evaluated one by one; None as long as they are evaluated together.
    """

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        self.alone: str | None = None

    def __call__(self, inputs: Sequence[Any], position: int, points: Any) -> Float:
        """Return the flat outputs at each point.

        Args:
            inputs: The arguments of f, which receives copies.
            position: The position of the argument that varies.
            points: Its values, stacked along a first axis.

        Returns:
            One row for each point.
        """
        if self.alone is None and len(points) >= _FEW:
            try:
                values = self._together(inputs, position, points.copy())
            except Exception as error:  # noqa: BLE001 - f may raise anything; one by one it may succeed
                self.alone = f"{type(error).__name__}: {error}"
            else:
                if all(_same(values[k], self._one(inputs, position, points[k])) for k in (0, -1)):
                    return values
                self.alone = "f gives other values together than one by one"
        first = self._one(inputs, position, points[0])
        values = np.empty((len(points), first.size))
        values[0] = first
        for k in range(1, len(points)):
            values[k] = self._one(inputs, position, points[k])
        return values

    def _one(self, inputs: Sequence[Any], position: int, point: Any) -> Float:
        given = [point if k == position else x for k, x in enumerate(inputs)]
        given = [x.copy() if type(x) is np.ndarray else np.array(x) for x in given]
        return flat_values(self._f(*given))

    def _together(self, inputs: Sequence[Any], position: int, points: Any) -> Float:
        from autodrill.engine.core.tensor import raw
        from autodrill.engine.transforms.batched_array import Batched
        from autodrill.engine.transforms.vmap import open_examples
        from autodrill.engine.transforms.vmap_boundary import spread

        with open_examples(len(points)) as level:
            given = [x.copy() for x in inputs]
            given[position] = Batched(points, (level,))
            parts = [raw(part) for part in flatten(self._f(*given))[0]]
            arrays = [part if type(part) is Batched else np.asarray(part) for part in parts]
            rows = [as_reals(np.asarray(memory(spread(array, level, 0)))).astype(np.float64) for array in arrays]
        none = np.zeros((len(points), 0))
        return np.concatenate([none, *(row.reshape(len(points), -1) for row in rows)], axis=1)


def _same(a: Float, b: Float) -> bool:
    """Whether two evaluations agree up to the order of summation; non-finite values must be equal."""
    if a.shape != b.shape or not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return False
    finite = np.isfinite(a)
    size = float(np.abs(b[finite]).max(initial=0))
    return bool(np.all(np.abs(a[finite] - b[finite]) <= _SAME * size)) and np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    )


_EPS = float(np.finfo(np.float64).eps)
# Relative to the input's scale. The rounding error eps/h is then near 1e-13, and the truncation error O(h⁶) below it.
_STEP = 2.0**-7
_RETRIES = (2.0**-11, 2.0**-16, 2.0**-22)  # for functions of smaller scale, or with a kink nearby
_GOOD = 1e-8  # a relative error estimate below this needs no other step
AT_ONCE = 2**20  # numbers held at once: 8 MiB each for the perturbed inputs and for their outputs
_FRACTIONS = (1.0, 0.62, 0.37)
_OFFSETS = np.array([*_FRACTIONS, *(-fraction for fraction in _FRACTIONS)])


def numerical_vjp(
    f: Callable[..., Any], primals: Sequence[Any], cotangent: Any
) -> tuple[list[Float | None], list[Float | None]]:
    """Return the VJP of f by finite differences in every element of every floating or complex input.

    Args:
        f: A function of raw arrays that returns an array or a tuple of arrays. It receives copies, in double precision
            if the input is floating or complex, and must be defined in a neighbourhood of the inputs.
        primals: Its inputs. Integers and booleans are passed on unchanged.
        cotangent: Of the output's shape; a tuple if f returns a tuple.

    Returns:
        The gradient with respect to each input, complex for a complex input, and an estimate of the absolute error of
        each element; both None for an input that is neither floating nor complex.

    Raises:
        ValueError: The cotangent does not have the number of elements of the output.

    Example:
        >>> (gradient,), (error,) = engine.numerical_vjp(np.square, [np.array(3.0)], np.array(1.0))
        >>> round(float(gradient), 6)
        6.0
    """
    given = [prepared(p) for p in primals]
    kinds = [x.dtype.kind for x in given]
    evaluate = Evaluation(of_reals(f, kinds) if "c" in kinds else f)
    gradients, errors = vjp_by_differences(evaluate, [as_reals(x) for x in given], cotangent)
    for position, kind in enumerate(kinds):
        gradient, error = gradients[position], errors[position]
        if kind == "c" and gradient is not None and error is not None:
            gradients[position], errors[position] = as_complex(gradient), error.sum(axis=-1)
    return gradients, errors


def vjp_by_differences(
    evaluate: Evaluation, primals: Sequence[Any], cotangent: Any
) -> tuple[list[Float | None], list[Float | None]]:
    """Return `numerical_vjp` of a function of real arrays, given as an evaluation that is shared with other callers."""
    inputs = [prepared(p) for p in primals]
    weights = flat_values(cotangent)
    gradients: list[Float | None] = []
    errors: list[Float | None] = []
    with np.errstate(all="ignore"):
        for position, x in enumerate(inputs):
            if x.dtype.kind != "f":
                gradients.append(None)
                errors.append(None)
                continue
            gradient, error = _partial_derivatives(evaluate, inputs, position, weights)
            gradients.append(gradient)
            errors.append(error)
    return gradients, errors


def numerical_jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """Return the JVP of f by finite differences along the tangents.

    Args:
        f: A function of raw arrays that returns an array or a tuple of arrays; see `numerical_vjp`.
        primals: Its inputs.
        tangents: One for each input, of its shape; None for a constant, such as an integer input.

    Returns:
        The tangent of the output, and an estimate of the absolute error of each element; tuples if f returns a tuple.

    Example:
        >>> tangent, error = engine.numerical_jvp(np.square, [np.array(3.0)], [np.array(1.0)])
        >>> round(float(tangent), 6)
        6.0
    """
    tangent, error, like = _slope(f, primals, tangents)
    return _shaped_like(tangent, like), _shaped_like(error, like, sizes=True)


def flat_jvp(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Float, Float]:
    """Return the results of `numerical_jvp` as flat arrays, in the order of `flat_values`."""
    tangent, error, _ = _slope(f, primals, tangents)
    return tangent, error


def _slope(f: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Float, Float, Any]:
    """Return the flat tangent of f along a line, the estimate of its error, and an output of f."""
    inputs = [prepared(p) for p in primals]
    moving = [
        (k, np.asarray(t, dtype=inputs[k].dtype))
        for k, t in enumerate(tangents)
        if t is not None and inputs[k].dtype.kind in "fc"
    ]
    like: Any = None

    def along(t: float) -> Float:
        nonlocal like
        values = [x.copy() for x in inputs]
        for k, direction in moving:
            values[k] = inputs[k] + t * direction
        like = f(*values)
        return flat_values(like)

    with np.errstate(all="ignore"):
        scale = _line_scale([(as_reals(inputs[k]), as_reals(direction)) for k, direction in moving])
        tangent, error = _along_line(along, scale)
    return tangent, error, like


def prepared(value: Any) -> Any:
    """Return a copy of an input, in double precision if it is floating or complex."""
    array = np.array(value)
    wide: Any = {"f": np.float64, "c": np.complex128}.get(array.dtype.kind, array.dtype)
    return array.astype(wide)


def as_complex(pairs: Any) -> Any:
    """Return pairs along the last axis of an array or a Tensor as complex numbers."""
    made = pairs[..., 0] + 1j * pairs[..., 1]
    return np.asarray(made) if isinstance(made, np.generic) else made


def of_reals(f: Callable[..., Any], kinds: Sequence[str]) -> Callable[..., Any]:
    """Return f as a function of real arrays: pairs of real numbers replace each complex input, kind `c`."""
    return lambda *reals: f(*(as_complex(x) if kind == "c" else x for x, kind in zip(reals, kinds, strict=True)))


def _shaped_like(flat: Float, output: Any, *, sizes: bool = False) -> Any:
    """Invert `flat_values`; of `sizes`, the two parts of a complex number are added."""
    outputs = [np.asarray(part) for part in (output if isinstance(output, tuple) else (output,))]
    ends = np.cumsum([as_reals(part).size for part in outputs])[:-1]
    shaped = []
    for part, like in zip(np.split(flat, ends), outputs, strict=True):
        values = part.reshape(as_reals(like).shape)
        shaped.append(values if like.dtype.kind != "c" else values.sum(axis=-1) if sizes else as_complex(values))
    return tuple(shaped) if isinstance(output, tuple) else shaped[0]


def scale_of(x: Float) -> Float:
    """Return the scale of each element, over which f may vary: its own size, or a tenth of the array's if larger."""
    size = np.abs(x)
    typical = float(np.sqrt(np.mean(size * size))) if size.size else 0.0
    return np.maximum(size, 0.1 * typical) if typical > 0 else np.ones_like(size)


def _line_scale(moving: Sequence[tuple[Float, Float]]) -> float:
    """Return the distance along a line over which no element moves by more than its scale."""
    ratios = [scale_of(x)[t != 0] / np.abs(t[t != 0]) for x, t in moving]
    nearest = [float(r.min()) for r in ratios if r.size]
    return min(nearest) if nearest else 1.0


def _partial_derivatives(evaluate: Evaluation, inputs: list[Any], position: int, weights: Float) -> tuple[Float, Float]:
    """Differentiate `weights · f` in every element of one input; return derivatives and error estimates."""
    x = inputs[position]
    scale = scale_of(x).reshape(-1)
    best = np.zeros(x.size)
    error = np.full(x.size, np.inf)
    unsettled = np.ones(x.size, dtype=bool)
    pending = np.arange(x.size)
    at_once = max(1, AT_ONCE // (6 * max(x.size, weights.size, 1)))
    for step in (_STEP, *_RETRIES):
        for start in range(0, pending.size, at_once):
            chosen = pending[start : start + at_once]
            found, estimate, unsettled[chosen] = _differenced(
                evaluate, inputs, position, weights, chosen, step * scale[chosen]
            )
            better = estimate < error[chosen]
            best[chosen[better]] = found[better]
            error[chosen[better]] = estimate[better]
        pending = np.flatnonzero(unsettled & (error > _GOOD * np.abs(best)))
        if not pending.size:
            break
    return best.reshape(x.shape), error.reshape(x.shape)


def _differenced(
    evaluate: Evaluation, inputs: list[Any], position: int, weights: Float, elements: Any, steps: Float
) -> tuple[Float, Float, Any]:
    """Differentiate in some elements of one input; all perturbed inputs and outputs are in memory at once."""
    x = inputs[position]
    n = elements.size
    moved = np.empty((n, 6, *x.shape))
    moved[...] = x
    flat = moved.reshape(n, 6, -1)
    flat[np.arange(n), :, elements] += _OFFSETS * steps[:, None]
    ends = flat[np.arange(n), :, elements]  # before f runs, since f may modify its arguments
    rows = evaluate(inputs, position, moved.reshape(6 * n, *x.shape))
    if rows.shape[1] != weights.size:
        raise ValueError(f"the cotangent has {weights.size} elements but the output has {rows.shape[1]}")
    outputs = rows.reshape(n, 6, weights.size)
    values = outputs @ weights
    sizes = np.abs(outputs) @ np.abs(weights)
    # Divide by the distance actually moved, after rounding.
    return _extrapolated(
        (values[:, :3] - values[:, 3:]).T,
        np.maximum(sizes[:, :3], sizes[:, 3:]).T,
        (ends[:, :3] - ends[:, 3:]).T,
    )


def _along_line(f: Callable[[float], Float], scale: float) -> tuple[Float, Float]:
    """Differentiate a vector function of one variable at 0; return derivatives and error estimates."""
    best = error = np.zeros(0)
    for step in (_STEP, *_RETRIES):
        ends = [(f(h), f(-h), 2 * h) for h in (step * fraction * scale for fraction in _FRACTIONS)]
        values = np.stack([ahead - behind for ahead, behind, _ in ends])
        sizes = np.stack([np.maximum(np.abs(ahead), np.abs(behind)) for ahead, behind, _ in ends])
        widths = np.array([width for _, _, width in ends])[:, None]
        found, estimate, unsettled = _extrapolated(values, sizes, widths)
        if step == _STEP:
            best, error = found, estimate
        else:
            better = estimate < error
            best, error = np.where(better, found, best), np.where(better, estimate, error)
        if not np.any(unsettled & (error > _GOOD * np.abs(best))):
            break
    return best, error


def _extrapolated(differences: Float, sizes: Float, widths: Float) -> tuple[Float, Float, Any]:
    """Extrapolate central differences to step 0: their error is a polynomial in the square of the step.

    Args:
        differences: f(x + h) - f(x - h), one row for each step.
        sizes: The magnitude of the subtracted values, to which their rounding is proportional.
        widths: 2h, after rounding.

    Returns:
        The derivatives; their error estimates, infinite if a value was not finite; and a mask of the elements for which
        another step may do better, because rounding does not limit this one.
    """
    coarse, middle, fine = differences / widths
    u, v, w = (fraction * fraction for fraction in _FRACTIONS)
    first, second = (u * middle - v * coarse) / (u - v), (v * fine - w * middle) / (v - w)
    derivative = (u * second - w * first) / (u - w)
    truncation = np.abs(derivative - second)
    rounding = 4 * _EPS * (sizes / widths).max(axis=0)
    error = truncation + rounding
    sound = np.isfinite(derivative) & np.isfinite(error)
    return np.where(sound, derivative, 0.0), np.where(sound, error, np.inf), ~(sound & (truncation <= rounding))
