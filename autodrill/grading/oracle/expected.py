"""Expected results of a case from both oracles, with the tolerance that follows from the problem itself."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 the whole module computes with arrays

from autodrill.drills.answer_records import ULPS, Expected, Part
from autodrill.drills.solution_file import authored
from autodrill.errors import InternalError
from autodrill.grading.oracle.tolerance import amplified_rounding, largest
from autodrill.sandbox.child.frames import PERIOD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill, Solution

    Array = NDArray[Any]

__all__ = ["added_by", "expected_results", "problem_of"]

_SIGMAS = 6.0
"""Standard deviations by which the mean of many draws may be off: chance alone exceeds that once in 500 million."""

_NOTHING = 1e-3
"""What counts as the largest number of a result in which every number is 0."""

_UNITS = 2.0
"""Units in the last place of the largest cotangent by which any answer may be off, unless the case sets `tail`."""


def expected_results(drill: Drill, case: Case, *, thorough: bool = False, differences: bool = True) -> Expected:
    """Return the expected results of a case, with their tolerances.

    Args:
        drill: The exercise.
        case: The case.
        thorough: Whether finite differences are taken in every element of a small input instead of along one direction.
        differences: Whether finite differences are taken at all.

    Raises:
        InternalError: If the exercise contradicts itself.
    """
    solution, kind = drill.solution, drill.kind
    if solution.forward is None:
        if solution.expected is None:
            return Expected(())
        # The candidate's code receives the inputs of a `given` rounded to the dtype of the case.
        given = not case.size
        inputs = {name: _rounded(value, case.dtype) for name, value in case.inputs.items()} if given else case.inputs
        with authored(solution.path, "expected"):
            answer = solution.expected(**inputs, **case.static)
        rounded = np.dtype(np.float32) if kind.single_precision or (given and case.dtype == "float32") else None
        return Expected(_expected_parts(answer, solution.results, rounded))
    dtype = np.dtype(case.dtype)
    names = list(case.inputs)
    forward, primals, in_float64, wrt = problem_of(solution, case)
    with authored(solution.path, "forward"), np.errstate(all="ignore"):
        outputs = tuple(np.asarray(o, dtype=np.float64) for o in _tuple(forward(*in_float64)))
        differentiated_at = [i for i, p in enumerate(primals) if p.dtype.kind == "f"] if wrt is None else wrt
        _refuse_whole(case, differentiated_at)
        derivative = kind.derivative(forward, wrt)
        cotangents = _directions(case, kind.aim(outputs, [in_float64[i] for i in differentiated_at]), dtype)
        high = [c.astype(np.float64) for c in cotangents]
        # A kind that is graded only in float32 is still differentiated in float64.
        votes = case.smooth and (case.dtype == "float64" or kind.single_precision)
        # With a zero cotangent every difference is 0.
        smooth = differences and votes and all(np.isfinite(c).all() for c in high) and any(np.any(c) for c in high)
        gradients = derivative(in_float64, high, smooth=smooth, thorough=thorough)
        units = 0.0 if case.tail else _UNITS
        spread = amplified_rounding(derivative, in_float64, high, gradients, dtype, units=units, large=case.large)
    _refuse_overflow(case, (*outputs, *gradients))
    differentiated = [names[i] for i in differentiated_at]
    low = tuple(o.astype(dtype) for o in outputs)
    results = kind.names_of_results(drill, differentiated)
    if len(results) != len(gradients):
        raise InternalError(
            f"the exercise's `RESULTS` name {len(results)} results, but the number of gradients is {len(gradients)}"
        )
    parts, start = kind.parts(case, results, gradients, spread)
    if case.draws:
        parts = _expected_of_draws(solution, case, cotangents, parts)
    if drill.has_outputs:
        with authored(solution.path, "forward"):
            parts = (*_output_parts(case, forward, in_float64, outputs, solution.outputs), *parts)
    if case.spoiled:
        cotangents = tuple(np.full_like(c, np.nan) for c in cotangents)
        parts = tuple(_spoiled(part) if part.linear else part for part in parts)
    return Expected(parts, cotangents, low, start, kind.absent(drill, case, len(outputs), differentiated))


def _spoiled(part: Part) -> Part:
    """Return a result for cotangents of NaN: NaN wherever it depends on them. Any value is right elsewhere."""
    depends = np.abs(part.value) > part.tolerance
    return replace(part, value=np.where(depends, np.nan, 0.0), tolerance=np.where(depends, 0.0, np.inf))


def added_by(drill: Drill, case: Case, expected: Expected, others: Sequence[Array]) -> list[Array]:
    """Return the contribution of other cotangents or tangents to each result, from the engine alone, in float64."""
    forward, _, in_float64, wrt = problem_of(drill.solution, case)
    with authored(drill.solution.path, "forward"), np.errstate(all="ignore"):
        added = drill.kind.derivative(forward, wrt)(in_float64, [c.astype(np.float64) for c in others])
    return [np.zeros_like(part.value) for part in expected.parts if not part.linear] + added


def _refuse_whole(case: Case, differentiated_at: Sequence[int]) -> None:
    """Refuse a case without a floating-point input.

    Raises:
        InternalError: If there is none, so that nothing is differentiated.
    """
    if not differentiated_at:
        raise InternalError(
            f"the case `{case.label}` has no floating-point input, so nothing is differentiated: write 2.0 instead of 2"
        )


def _refuse_overflow(case: Case, right: Sequence[Array]) -> None:
    """Refuse an expected result that overflows in the case's dtype but not in float64: no answer could match it."""
    bound = float(np.finfo(case.dtype).max)
    if any(np.any(np.isfinite(value) & (np.abs(value) > bound)) for value in right):
        raise InternalError(
            f"an expected result of the case `{case.label}` is too large for {case.dtype}: draw smaller values, or "
            "give the sizes of the large case in `large`"
        )


def _expected_of_draws(
    solution: Solution, case: Case, cotangents: tuple[Array, ...], parts: tuple[Part, ...]
) -> tuple[Part, ...]:
    """Widen the tolerances of an estimator's mean by the sampling error of its number of draws.

    They grow by `_SIGMAS` standard deviations of the mean of a right estimator, which the exercise provides. The
    observed deviation would not do: a noisy answer could make it arbitrarily large.
    """
    if solution.deviation is None:
        raise InternalError("the exercise asks for draws but defines no `deviation`")
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
    case: Case,
    forward: Callable[..., Any],
    primals: list[Array],
    outputs: tuple[Array, ...],
    names: tuple[str, ...],
) -> tuple[Part, ...]:
    """Return the outputs of the forward as expected results: a backward can be right for a wrong forward."""

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

    dtype = np.dtype(case.dtype)
    spread = amplified_rounding(given, primals, [], list(outputs), dtype, large=case.large)
    if not names:
        names = ("out",) if len(outputs) == 1 else tuple(f"out[{i}]" for i in range(len(outputs)))
    if len(names) != len(outputs):
        raise InternalError(f"the exercise's `OUTPUTS` name {len(names)} outputs, but `forward` has {len(outputs)}")
    return tuple(
        Part(name, output, tolerance, dtype, linear=False)
        for name, output, tolerance in zip(names, outputs, spread, strict=True)
    )


def problem_of(solution: Solution, case: Case) -> tuple[Callable[..., Any], list[Array], list[Array], list[int] | None]:
    """Return the function to differentiate, its inputs in the case's dtype and in float64, and `wrt` as positions."""
    dtype = np.dtype(case.dtype)
    primals = [_as_case_dtype(value, dtype) for value in case.inputs.values()]
    in_float64 = [p.astype(np.float64) if p.dtype.kind == "f" else p for p in primals]
    wrt = [list(case.inputs).index(name) for name in solution.wrt] if solution.wrt is not None else None

    def forward(*arrays: Any) -> Any:
        assert solution.forward is not None
        return solution.forward(*arrays, **case.static)

    return forward, primals, in_float64, wrt


def _directions(case: Case, outputs: Sequence[Array], dtype: np.dtype[Any]) -> tuple[Array, ...]:
    """Draw cotangents of the outputs, or tangents of the differentiated inputs."""
    rng = np.random.default_rng([case.seed, 1])
    made = []
    for output in outputs:
        if case.cotangent is not None:
            made.append(np.full(output.shape, case.cotangent, dtype=dtype))
        elif case.simple:
            few = np.resize([2.0, 1.0, -1.0, 3.0], output.size).reshape(output.shape)
            made.append(np.asarray(case.scale * few, dtype))
        else:
            # A large cotangent is periodic, so that one period of it is sent to the candidate's process.
            drawn = rng.normal(size=min(output.size, PERIOD) if case.large else output.size)
            made.append(np.asarray(case.scale * np.resize(drawn, output.shape), dtype))
    return tuple(made)


def _expected_parts(answer: Any, names: tuple[str, ...], dtype: np.dtype[Any] | None = None) -> tuple[Part, ...]:
    """Return the results in a program's expected answer: a dict names them, a tuple without `names` is numbered.

    Floats are expected in `dtype`, or in their own if it is None. The tolerance allows for rounding in that dtype.
    """
    if isinstance(answer, dict):
        named = list(answer.items())
    elif names:
        if len(names) != len(_tuple(answer)):
            raise InternalError(
                f"the exercise's `RESULTS` name {len(names)} results, but `expected` returns {len(_tuple(answer))}"
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
                f"`expected` returns a value for {name} that is not an array ({error}): "
                "return a dict or a tuple of arrays"
            ) from error
        exact = array.dtype.kind != "f"
        asked = array.dtype if exact or dtype is None else dtype
        relative = 1e-9 if exact or dtype is None else ULPS[dtype.name] * float(np.finfo(dtype).eps)
        # If every number is 0, a sum that cancels leaves rounding.
        tolerance = np.zeros(array.shape) if exact else relative * (np.abs(array) + (largest(array) or _NOTHING))
        parts.append(Part(name, array, tolerance, asked))
    return tuple(parts)


def _rounded(value: Any, dtype: str) -> Any:
    """Return an array rounded to a dtype, in float64."""
    array = np.asarray(value)
    return array.astype(dtype).astype(np.float64) if array.dtype.kind == "f" else value


def _as_case_dtype(value: Any, dtype: np.dtype[Any]) -> Array:
    array = np.asarray(value)
    return array.astype(dtype) if array.dtype.kind == "f" else array


def _tuple(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)
