"""What is right for a case: the two oracles' answer, with the tolerance that follows from the problem itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 this module is numbers through and through; whoever imports it needs numpy

from autodrill.drills.author_code import authored
from autodrill.drills.crosscheck import crosschecked_jvp, crosschecked_vjp
from autodrill.drills.exercise import Kind
from autodrill.errors import InternalError
from autodrill.grading.oracle.tolerance import ULPS, amplified_rounding, largest
from autodrill.sandbox.child.call_codec import PERIOD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.oracle.tolerance import Derivative

    Array = NDArray[Any]

__all__ = ["Part", "Truth", "added_by", "truth"]

_SIGMAS = 6.0
"""Standard deviations that the mean of many draws may be off: by chance it is so once in 500 million times."""

_UNITS = 2.0
"""Units in the last place of the largest cotangent that any answer may be off, unless its author asks for the tail."""


@dataclass(frozen=True, slots=True)
class Part:
    """One result that is asked for: what it must be, and how far off it may be.

    Attributes:
        name: Such as `dX` or `self.grad`.
        value: The right value, float64 (or the integer dtype asked for).
        tolerance: Largest absolute difference allowed, elementwise.
        dtype: The dtype it must have.
        linear: Whether it is linear in the cotangents or tangents: an output of the forward is not.
        deviation: For an estimator: the standard deviation of one right estimate, elementwise.
    """

    name: str
    value: Array
    tolerance: Array
    dtype: np.dtype[Any]
    linear: bool = True
    deviation: Array | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """Everything the oracle knows about a case.

    Attributes:
        parts: The results asked for.
        cotangents: One an output of `forward`, in the case's dtype; for a JVP the tangents, one an input that moves.
        outputs: What `forward` gives, in the case's dtype.
        start: For scalar nodes: the `.grad` each operand starts with.
        absent: For a `Function`: which of its results must be None, for arguments that have no gradient.
    """

    parts: tuple[Part, ...]
    cotangents: tuple[Array, ...] = ()
    outputs: tuple[Array, ...] = ()
    start: tuple[float, ...] = ()
    absent: tuple[int, ...] = ()


def truth(exercise: Exercise, solution: Solution, case: Case, *, thorough: bool = False) -> Truth:
    """Return what is right for a case.

    Args:
        exercise: The exercise.
        solution: Its solution side.
        case: The case.
        thorough: Whether finite differences are taken in every element of a small input, and not along one direction.

    Raises:
        InternalError: If the exercise contradicts itself.
    """
    if solution.forward is None:
        if solution.expected is None:
            return Truth(())
        with authored(solution.path, "expected"):
            answer = solution.expected(**case.inputs, **case.static)
        rounded = np.dtype(np.float32) if exercise.kind is Kind.KERNEL else None
        return Truth(_expected_parts(answer, solution.results, rounded))
    dtype = np.dtype(case.dtype)
    names = list(case.inputs)
    forward, primals, raised, wrt = _posed(solution, case)
    with authored(solution.path, "forward"), np.errstate(all="ignore"):
        outputs = tuple(np.asarray(o, dtype=np.float64) for o in _tuple(forward(*raised)))
        moving = [i for i, p in enumerate(primals) if p.dtype.kind == "f"] if wrt is None else wrt
        _refuse_whole(case, moving)
        derivative = _derivative(exercise, forward, wrt)
        cotangents = _directions(case, [raised[i] for i in moving] if exercise.kind is Kind.JVP else outputs, dtype)
        high = [c.astype(np.float64) for c in cotangents]
        # What a kernel is asked for in float32 alone is differentiated in float64 all the same.
        votes = case.smooth and (case.dtype == "float64" or exercise.kind is Kind.KERNEL)
        # Of a cotangent of 0 all differences are 0.
        smooth = votes and all(np.isfinite(c).all() for c in high) and any(np.any(c) for c in high)
        gradients = derivative(raised, high, smooth=smooth, thorough=thorough)
        spread = amplified_rounding(derivative, raised, high, gradients, dtype, units=0.0 if case.tail else _UNITS)
    _refuse_overflow(case, (*outputs, *gradients))
    differentiated = [names[i] for i in moving]
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
    if case.draws:
        parts = _expected_of_draws(solution, case, cotangents, parts)
    if exercise.kind.has_forward:
        with authored(solution.path, "forward"):
            parts = (*_output_parts(forward, raised, outputs, dtype, solution.outputs), *parts)
    absent: tuple[int, ...] = ()
    if exercise.kind is Kind.FUNCTION:
        handed = [p.name for p in exercise.parameters if p.name in case.inputs or p.name in case.static]
        absent = tuple(len(outputs) + i for i, name in enumerate(handed) if name not in differentiated)
    return Truth(parts, cotangents, low, absent=absent)


def added_by(exercise: Exercise, solution: Solution, case: Case, known: Truth, others: Sequence[Array]) -> list[Array]:
    """Return what other cotangents or tangents than a case's own add to each part, by the engine alone, in float64."""
    forward, _, raised, wrt = _posed(solution, case)
    with authored(solution.path, "forward"), np.errstate(all="ignore"):
        added = _derivative(exercise, forward, wrt)(raised, [c.astype(np.float64) for c in others])
    return [np.zeros_like(part.value) for part in known.parts if not part.linear] + added


def _refuse_whole(case: Case, moving: Sequence[int]) -> None:
    """Refuse a case in which nothing is differentiated.

    Raises:
        InternalError: If it is one.
    """
    if not moving:
        raise InternalError(
            f"in the case `{case.label}` no input is floating, so that nothing is differentiated: write 2.0 for 2"
        )


def _refuse_overflow(case: Case, right: Sequence[Array]) -> None:
    """Refuse a right answer that is finite in float64 and not in the case's dtype: nobody could give it."""
    bound = float(np.finfo(case.dtype).max)
    if any(np.any(np.isfinite(value) & (np.abs(value) > bound)) for value in right):
        raise InternalError(
            f"in the case `{case.label}` what is right is too large for {case.dtype}: draw smaller values, or say in "
            "`large` how large the large case is"
        )


def _derivative(exercise: Exercise, forward: Callable[..., Any], wrt: list[int] | None) -> Derivative:
    return partial(crosschecked_jvp if exercise.kind is Kind.JVP else crosschecked_vjp, forward, wrt=wrt)


def _expected_of_draws(
    solution: Solution, case: Case, cotangents: tuple[Array, ...], parts: tuple[Part, ...]
) -> tuple[Part, ...]:
    """Allow the mean of an estimator's draws to be off what it estimates by what their number explains.

    `_SIGMAS` times the standard deviation of the mean: that of a right estimator, which the exercise knows, and not
    the one observed, which a noisy answer could make as large as it likes.
    """
    if solution.deviation is None:
        raise InternalError("the exercise asks for draws and has no `deviation`")
    given = dict(zip(solution.cotangents, cotangents, strict=True))
    with authored(solution.path, "deviation"), np.errstate(all="ignore"):
        deviations = _tuple(solution.deviation(**given, **case.inputs, **case.static))
    if len(deviations) != len(parts):
        raise InternalError(f"`deviation` returns {len(deviations)} values for {len(parts)} results")
    widened = []
    for part, deviation in zip(parts, deviations, strict=True):
        each = np.broadcast_to(np.asarray(deviation, dtype=np.float64), part.value.shape)
        tolerance = part.tolerance + _SIGMAS * each / case.draws**0.5
        widened.append(replace(part, tolerance=tolerance, deviation=each))
    return tuple(widened)


def _output_parts(
    forward: Callable[..., Any],
    primals: list[Array],
    outputs: tuple[Array, ...],
    dtype: np.dtype[Any],
    names: tuple[str, ...],
) -> tuple[Part, ...]:
    """Ask for what the forward gives as well, before any gradient: a backward can differentiate a wrong forward."""

    def given(
        primals: list[Array],
        directions: list[Array],  # noqa: ARG001 there are none
        *,
        smooth: bool = False,  # noqa: ARG001 nothing is differentiated
        thorough: bool = False,  # noqa: ARG001 likewise
        dtype: type[np.floating[Any]] = np.float64,
    ) -> list[Array]:
        cast = [p.astype(dtype) if p.dtype.kind == "f" else p for p in primals]
        return [np.asarray(o, dtype=np.float64) for o in _tuple(forward(*cast))]

    spread = amplified_rounding(given, primals, [], list(outputs), dtype)
    if not names:
        names = ("out",) if len(outputs) == 1 else tuple(f"out[{i}]" for i in range(len(outputs)))
    if len(names) != len(outputs):
        raise InternalError(f"the exercise's `OUTPUTS` name {len(names)} outputs, but `forward` has {len(outputs)}")
    return tuple(
        Part(name, output, tolerance, dtype, linear=False)
        for name, output, tolerance in zip(names, outputs, spread, strict=True)
    )


def _posed(solution: Solution, case: Case) -> tuple[Callable[..., Any], list[Array], list[Array], list[int] | None]:
    """Return the function to differentiate, its inputs in the case's dtype and in float64, and which of them count."""
    dtype = np.dtype(case.dtype)
    primals = [_as_case_dtype(value, dtype) for value in case.inputs.values()]
    raised = [p.astype(np.float64) if p.dtype.kind == "f" else p for p in primals]
    wrt = [list(case.inputs).index(name) for name in solution.wrt] if solution.wrt is not None else None

    def forward(*arrays: Any) -> Any:
        assert solution.forward is not None
        return solution.forward(*arrays, **case.static)

    return forward, primals, raised, wrt


def _directions(case: Case, outputs: Sequence[Array], dtype: np.dtype[Any]) -> tuple[Array, ...]:
    """Draw cotangents of the outputs, or tangents of the inputs that move."""
    rng = np.random.default_rng([case.seed, 1])
    made = []
    for output in outputs:
        if case.cotangent is not None:
            made.append(np.full(output.shape, case.cotangent, dtype=dtype))
        elif case.simple:
            few = np.resize([2.0, 1.0, -1.0, 3.0], output.size).reshape(output.shape)
            made.append(np.asarray(case.scale * few, dtype))
        else:
            # A large one repeats itself, after as many elements as need not travel twice.
            drawn = rng.normal(size=min(output.size, PERIOD) if case.large else output.size)
            made.append(np.asarray(case.scale * np.resize(drawn, output.shape), dtype))
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


def _expected_parts(answer: Any, names: tuple[str, ...], dtype: np.dtype[Any] | None = None) -> tuple[Part, ...]:
    """Take a program's right answer apart: a dict has names in it, a tuple is numbered where it has been given none.

    Floats are asked for in `dtype`, or as they are; in less than float64, to what rounding may cost in that.
    """
    if isinstance(answer, dict):
        named = list(answer.items())
    elif names:
        if len(names) != len(_tuple(answer)):
            raise InternalError(
                f"the exercise's `RESULTS` name {len(names)} results, but `expected` gives {len(_tuple(answer))}"
            )
        named = list(zip(names, _tuple(answer), strict=True))
    elif isinstance(answer, tuple):
        named = [(f"result {i}", a) for i, a in enumerate(answer)]
    else:
        named = [("result", answer)]
    parts = []
    for name, value in named:
        try:
            array = np.asarray(value)
        except ValueError as error:
            raise InternalError(
                f"what `expected` gives as {name} is no array ({error}): give a dict or a tuple of arrays"
            ) from error
        exact = array.dtype.kind != "f"
        asked = array.dtype if exact or dtype is None else dtype
        relative = 1e-9 if exact or dtype is None else ULPS * float(np.finfo(dtype).eps)
        tolerance = np.zeros(array.shape) if exact else relative * (np.abs(array) + largest(array))
        parts.append(Part(name, array, tolerance, asked))
    return tuple(parts)


def _as_case_dtype(value: Any, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(value)
    return array.astype(dtype) if array.dtype.kind == "f" else array


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
