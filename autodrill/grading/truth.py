"""What is right: the engine's gradient, held against finite differences, with the tolerance that follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 this module is numbers through and through; whoever imports it needs numpy

from autodrill.drills.authored import authored
from autodrill.drills.exercise import Kind
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.cases import Case
    from autodrill.drills.exercise import Exercise, Solution

    Array = NDArray[Any]

__all__ = ["Part", "Truth", "crosschecked_vjp", "truth"]

ULPS = 1024.0
"""How many times the rounding error that the problem itself amplifies an answer may be off: another order of
summation costs tens, a wrong formula costs billions."""

FULL_CHECK_ELEMENTS = 48
"""Up to so many input elements every partial derivative is checked numerically; beyond, one random direction."""


@dataclass(frozen=True, slots=True)
class Part:
    """One result that is asked for: what it must be, and how far off it may be.

    Attributes:
        name: Such as `dX` or `self.grad`.
        value: The right value, float64 (or the integer dtype asked for).
        tolerance: Largest absolute difference allowed, elementwise.
        dtype: The dtype it must have.
    """

    name: str
    value: Array
    tolerance: Array
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything the oracle knows about a case.

    Attributes:
        parts: The results asked for.
        cotangents: One an output of `forward`, in the case's dtype.
        outputs: What `forward` gives, in the case's dtype.
        start: For scalar nodes: the `.grad` each operand starts with.
    """

    parts: tuple[Part, ...]
    cotangents: tuple[Array, ...] = ()
    outputs: tuple[Array, ...] = ()
    start: tuple[float, ...] = ()


def crosschecked_vjp(
    function: Callable[..., Any],
    primals: Sequence[Array],
    cotangents: Sequence[Array],
    *,
    smooth: bool,
    wrt: Sequence[int] | None = None,
) -> list[Array]:
    """Return the vector-Jacobian product by the engine, held against extrapolated central differences.

    Args:
        function: In engine operations; takes tensors or arrays shaped like `primals`.
        primals: Arrays; those of a floating dtype are differentiated, in float64.
        cotangents: One an output, of its shape.
        smooth: Whether the function is differentiable at `primals`; if not, only the engine is asked.
        wrt: Indices of the primals whose gradients are wanted; None for all floating ones.

    Raises:
        InternalError: If the two disagree by more than both their errors explain: the exercise is at fault.
    """
    from autodrill import engine

    wanted = [i for i, p in enumerate(primals) if p.dtype.kind == "f"] if wrt is None else list(wrt)

    def of_wanted(*arrays: Any) -> Any:
        full: list[Any] = list(primals)
        for i, array in zip(wanted, arrays, strict=True):
            full[i] = array
        return function(*full)

    chosen = [np.asarray(primals[i], dtype=np.float64) for i in wanted]
    with np.errstate(all="ignore"):
        _, pullback = engine.vjp(of_wanted, *chosen)
        many = len(cotangents) > 1
        answers = pullback(tuple(cotangents) if many else cotangents[0])
        # None: the output does not depend on that primal.
        gradients = [
            np.zeros_like(p) if a is None else np.array(a.numpy(), dtype=np.float64)
            for a, p in zip(answers, chosen, strict=True)
        ]
        if smooth:
            _hold_against_differences(of_wanted, chosen, cotangents, gradients)
    return gradients


def _hold_against_differences(
    function: Callable[..., Any], primals: list[Array], cotangents: Sequence[Array], gradients: list[Array]
) -> None:
    from autodrill.engine.numerical import numerical_jvp, numerical_vjp

    cotangent: Any = tuple(cotangents) if len(cotangents) > 1 else cotangents[0]
    if sum(p.size for p in primals) <= FULL_CHECK_ELEMENTS:
        estimates, errors = numerical_vjp(function, primals, cotangent)
        pairs = [
            (g, e, d) for g, e, d in zip(gradients, estimates, errors, strict=True) if e is not None and d is not None
        ]
    else:
        rng = np.random.default_rng(0)
        tangents = [rng.choice([-1.0, 1.0], size=p.shape) for p in primals]
        slope, error = numerical_jvp(function, primals, tangents)
        slopes = slope if isinstance(slope, tuple) else (slope,)
        bounds = error if isinstance(error, tuple) else (error,)
        estimate = sum(float(np.sum(c * s)) for c, s in zip(cotangents, slopes, strict=True))
        bound = sum(float(np.sum(np.abs(c) * e)) for c, e in zip(cotangents, bounds, strict=True))
        mine = sum(float(np.sum(g * t)) for g, t in zip(gradients, tangents, strict=True))
        pairs = [(np.asarray(mine), np.asarray(estimate), np.asarray(bound))]
    for index, (gradient, estimate_, bound_) in enumerate(pairs):
        if gradient.size == 0:
            continue
        scale = max(1e-3, float(np.max(np.abs(estimate_))))
        allowed = 10 * bound_ + 1e-6 * scale
        if not np.all(np.abs(gradient - estimate_) <= allowed):
            raise InternalError(
                f"the engine and finite differences disagree about gradient {index} by "
                f"{float(np.max(np.abs(gradient - estimate_))):.3g}: the exercise is at fault, not your answer",
                hint="if the forward has a kink there, its author marks the case `smooth=False`",
            )


def truth(exercise: Exercise, solution: Solution, case: Case) -> Truth:
    """Return what is right for a case.

    Raises:
        InternalError: If the exercise contradicts itself.
    """
    if solution.forward is None:
        if solution.expected is None:
            return Truth(())
        with authored(solution.path, "expected"):
            return Truth(_expected_parts(solution.expected(**case.inputs, **case.static)))
    dtype = np.dtype(case.dtype)
    names = list(case.inputs)
    primals = [_as_case_dtype(value, dtype) for value in case.inputs.values()]
    raised = [p.astype(np.float64) if p.dtype.kind == "f" else p for p in primals]
    wrt = [names.index(name) for name in solution.wrt] if solution.wrt is not None else None

    def forward(*arrays: Any) -> Any:
        assert solution.forward is not None
        return solution.forward(*arrays, **case.static)

    with authored(solution.path, "forward"), np.errstate(all="ignore"):
        outputs = tuple(np.asarray(o, dtype=np.float64) for o in _tuple(forward(*raised)))
        cotangents = _cotangents(case, outputs, dtype)
        high = [c.astype(np.float64) for c in cotangents]
        smooth = case.smooth and case.dtype == "float64" and all(np.isfinite(c).all() for c in high)
        gradients = crosschecked_vjp(forward, raised, high, smooth=smooth, wrt=wrt)
        spread = _amplified_rounding(forward, raised, high, gradients, wrt, dtype)
    differentiated = [n for n, p in zip(names, primals, strict=True) if p.dtype.kind == "f"]
    if wrt is not None:
        differentiated = [names[i] for i in wrt]
    low = tuple(o.astype(dtype) for o in outputs)
    if exercise.kind is Kind.VALUE:
        parts, start = _node_parts(case, differentiated, gradients, spread)
        return Truth(parts, cotangents, low, start)
    results = solution.results or tuple(f"d{name}" for name in differentiated)
    if len(results) != len(gradients):
        raise InternalError(f"the exercise's `RESULTS` name {len(results)} results, but there are {len(gradients)}")
    parts = tuple(
        Part(name, gradient, tolerance, dtype)
        for name, gradient, tolerance in zip(results, gradients, spread, strict=True)
    )
    return Truth(parts, cotangents, low)


def _amplified_rounding(
    function: Callable[..., Any],
    primals: list[Array],
    cotangents: list[Array],
    gradients: list[Array],
    wrt: list[int] | None,
    dtype: np.dtype[Any],
) -> list[Array]:
    """Derive the tolerance: what rounding of the inputs alone does to the answer, measured, times a margin.

    Each input and cotangent is moved by one unit in its last place, neighbours apart and then at random; the largest
    change of each element and of all, and one unit in the last place of the element and of the largest beside it,
    are what even a perfect algorithm in this dtype cannot avoid. Below the square of that unit, relative to the
    cotangent, nothing is asked: there the engine's own cancellation decides the digits.
    """
    eps = float(np.finfo(dtype).eps)
    floor = float(np.finfo(dtype).tiny) + eps**2 * max(map(_largest, cotangents))
    rng = np.random.default_rng(1)
    moved = [np.zeros_like(g) for g in gradients]

    def checkerboard(shape: tuple[int, ...]) -> Array:
        return np.asarray(1.0 - 2.0 * (np.indices(shape).sum(axis=0) % 2) if shape else 1.0)

    def coins(shape: tuple[int, ...]) -> Array:
        return np.asarray(rng.choice([-1.0, 1.0], size=shape))

    def nudge(a: Array, signs: Callable[[tuple[int, ...]], Array]) -> Array:
        return a * (1 + eps * signs(a.shape)) if a.dtype.kind == "f" else a

    with np.errstate(all="ignore"):
        for signs in (checkerboard, coins):
            again = crosschecked_vjp(
                function,
                [nudge(p, signs) for p in primals],
                [nudge(c, signs) for c in cotangents],
                smooth=False,
                wrt=wrt,
            )
            for total, gradient, other in zip(moved, gradients, again, strict=True):
                np.fmax(total, np.where(np.isfinite(other), np.abs(other - gradient), 0), out=total)
        return [
            ULPS * (change + _largest(change) + eps * (np.abs(g) + _largest(g)) + floor)
            for g, change in zip(gradients, moved, strict=True)
        ]


def _largest(array: Array) -> float:
    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def _cotangents(case: Case, outputs: tuple[Array, ...], dtype: np.dtype[Any]) -> tuple[Array, ...]:
    rng = np.random.default_rng([case.seed, 1])
    made = []
    for output in outputs:
        if case.cotangent is not None:
            made.append(np.full(output.shape, case.cotangent, dtype=dtype))
        elif case.simple:
            made.append(np.resize([2.0, 1.0, -1.0, 3.0], output.size).reshape(output.shape).astype(dtype))
        else:
            made.append(np.asarray(rng.normal(size=output.shape)).astype(dtype))
    return tuple(made)


def _node_parts(
    case: Case, names: list[str], gradients: list[Array], spread: list[Array]
) -> tuple[tuple[Part, ...], tuple[float, ...]]:
    """Add each contribution to the `.grad` its node starts with; operands that are one node share one."""
    rng = np.random.default_rng([case.seed, 2])
    pool = [10.0, 20.0, 30.0] if case.simple else rng.uniform(0.2, 1.5, 3) * rng.choice([-1, 1], 3)
    start = tuple(0.0 if case.fresh else float(v) for v in pool[: len(names)])
    eps = float(np.finfo(np.float64).eps)
    if case.alias:
        names, start = names[:1], start[:1]
        gradients, spread = [np.sum(gradients, axis=0)], [np.sum(spread, axis=0)]
    return (
        tuple(
            Part(f"{name}.grad", np.asarray(begin + g), np.asarray(t + ULPS * eps * abs(begin)), np.dtype(np.float64))
            for name, begin, g, t in zip(names, start, gradients, spread, strict=True)
        ),
        start,
    )


def _expected_parts(answer: Any) -> tuple[Part, ...]:
    """Take a program's right answer apart: a dict gives named parts, a tuple numbered ones."""
    if isinstance(answer, dict):
        named = list(answer.items())
    elif isinstance(answer, tuple):
        named = [(f"result {i}", a) for i, a in enumerate(answer)]
    else:
        named = [("result", answer)]
    parts = []
    for name, value in named:
        array = np.asarray(value)
        exact = array.dtype.kind != "f"
        tolerance = np.zeros(array.shape) if exact else 1e-9 * (np.abs(array) + _largest(array))
        parts.append(Part(name, array, tolerance, array.dtype))
    return tuple(parts)


def _as_case_dtype(value: Any, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(value)
    return array.astype(dtype) if array.dtype.kind == "f" else array


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
