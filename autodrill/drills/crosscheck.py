"""The two oracles: derivatives by the engine, compared with finite differences of the same function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 every caller needs numpy

from autodrill.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Array = NDArray[Any]

__all__ = ["crosschecked_jvp", "crosschecked_vjp"]

FULL_CHECK_ELEMENTS = 48
"""The most input elements for which a thorough check estimates every partial derivative."""


def crosschecked_vjp(
    function: Callable[..., Any],
    primals: Sequence[Array],
    cotangents: Sequence[Array],
    *,
    smooth: bool = False,
    thorough: bool = False,
    wrt: Sequence[int] | None = None,
    dtype: type[np.floating[Any]] = np.float64,
) -> list[Array]:
    """Return the engine's vector-Jacobian product, compared with extrapolated central differences.

    The differences are along one random direction in each primal, which a wrong gradient matches only by chance. They
    need six calls of the function for each primal; partial derivatives need six for each element.

    Args:
        function: Written in engine operations; takes tensors or arrays shaped like `primals`.
        primals: Arrays; those of a floating dtype are differentiated.
        cotangents: One for each output, of its shape.
        smooth: Whether the function is differentiable at `primals`; if not, finite differences are not used.
        thorough: Whether to estimate every partial derivative, up to `FULL_CHECK_ELEMENTS`.
        wrt: Indices of the primals whose gradients are wanted; None for all floating ones.
        dtype: The dtype to compute in.

    Returns:
        The gradients, in float64.

    Raises:
        InternalError: The two differ by more than their errors explain, so the exercise is at fault.
    """
    from autodrill import engine

    of_wanted, chosen = _restricted(function, primals, wrt, dtype)
    cotangents = [np.asarray(c, dtype=dtype) for c in cotangents]
    with np.errstate(all="ignore"), engine.no_grad():  # an enclosing graph records nothing
        _, pullback = engine.vjp(of_wanted, *chosen)
        many = len(cotangents) > 1
        answers = pullback(tuple(cotangents) if many else cotangents[0])
        # None means that the output does not depend on that primal.
        gradients = [
            np.zeros(p.shape) if a is None else np.array(a.numpy(), dtype=np.float64)
            for a, p in zip(answers, chosen, strict=True)
        ]
        if smooth:
            _hold_against_differences(of_wanted, chosen, cotangents, gradients, thorough=thorough)
    return gradients


def crosschecked_jvp(
    function: Callable[..., Any],
    primals: Sequence[Array],
    tangents: Sequence[Array],
    *,
    smooth: bool = False,
    thorough: bool = False,  # noqa: ARG001  a JVP is one direction
    wrt: Sequence[int] | None = None,
    dtype: type[np.floating[Any]] = np.float64,
) -> list[Array]:
    """Return the Jacobian-vector product by forward mode, compared with central differences along the tangents.

    Args:
        function: See `crosschecked_vjp`.
        primals: See `crosschecked_vjp`.
        tangents: One for each differentiated primal, of its shape.
        smooth: See `crosschecked_vjp`.
        thorough: Ignored, because a JVP has only one direction.
        wrt: Indices of the differentiated primals; None for all floating ones.
        dtype: The dtype to compute in.

    Returns:
        A float64 array for each output.

    Raises:
        InternalError: The two differ by more than their errors explain.
    """
    from autodrill import engine
    from autodrill.engine.checks.finite_differences import numerical_jvp

    of_wanted, chosen = _restricted(function, primals, wrt, dtype)
    directions = [np.asarray(t, dtype=dtype) for t in tangents]
    with np.errstate(all="ignore"):
        _, pushed = engine.jvp(of_wanted, chosen, directions)
        answers = [np.array(t.numpy(), dtype=np.float64) for t in (pushed if isinstance(pushed, tuple) else (pushed,))]
        if smooth:
            slopes, errors = numerical_jvp(of_wanted, chosen, directions)
            if not isinstance(slopes, tuple):
                slopes, errors = (slopes,), (errors,)
            _hold_together(zip(answers, slopes, errors, strict=True), "tangent")
    return answers


def _restricted(
    function: Callable[..., Any], primals: Sequence[Array], wrt: Sequence[int] | None, dtype: type[np.floating[Any]]
) -> tuple[Callable[..., Any], list[Array]]:
    """Return the function of the differentiated primals alone, and these primals in `dtype`."""
    wanted = [i for i, p in enumerate(primals) if p.dtype.kind == "f"] if wrt is None else list(wrt)

    def of_wanted(*arrays: Any) -> Any:
        full: list[Any] = list(primals)
        for i, array in zip(wanted, arrays, strict=True):
            full[i] = array
        return function(*full)

    return of_wanted, [np.asarray(primals[i], dtype=dtype) for i in wanted]


def _hold_against_differences(
    function: Callable[..., Any],
    primals: list[Array],
    cotangents: Sequence[Array],
    gradients: list[Array],
    *,
    thorough: bool,
) -> None:
    from autodrill.engine.checks.finite_differences import flat_jvp, flat_values, numerical_vjp

    if thorough and sum(p.size for p in primals) <= FULL_CHECK_ELEMENTS:
        cotangent: Any = tuple(cotangents) if len(cotangents) > 1 else cotangents[0]
        estimates, errors = numerical_vjp(function, primals, cotangent)
        _hold_together(
            [
                (g, e, d)
                for g, e, d in zip(gradients, estimates, errors, strict=True)
                if e is not None and d is not None
            ],
            "gradient",
        )
        return
    rng = np.random.default_rng(0)
    weights = flat_values(tuple(cotangents))
    pairs = []
    for index, (primal, gradient) in enumerate(zip(primals, gradients, strict=True)):
        # Different elements, so that errors of equal size do not cancel.
        tangent = rng.uniform(0.5, 1.5, primal.shape) * rng.choice([-1.0, 1.0], primal.shape)
        tangents = [tangent if i == index else None for i in range(len(primals))]
        slope, error = flat_jvp(function, primals, tangents)
        estimate, bound = np.dot(weights, slope), np.dot(np.abs(weights), error)
        pairs.append((np.asarray(np.sum(gradient * tangent)), np.asarray(estimate), np.asarray(bound)))
    _hold_together(pairs, "gradient")


def _hold_together(pairs: Iterable[tuple[Array, Array, Array]], what: str) -> None:
    """Raise `InternalError` if a derivative differs from its estimate by more than the error bound explains."""
    for index, (gradient, estimate_, bound_) in enumerate(pairs):
        if gradient.size == 0:
            continue
        scale = max(1e-3, float(np.max(np.abs(estimate_))))
        allowed = 10 * bound_ + 1e-6 * scale
        gaps = np.abs(gradient - estimate_)
        if not np.all(gaps <= allowed):
            worst = np.unravel_index(int(np.argmax(gaps)), gaps.shape)
            place = f" at [{', '.join(map(str, worst))}]" if worst else ""
            raise InternalError(
                f"the engine and finite differences disagree about {what} {index} by {gaps[worst]:.3g} "
                f"({gradient[worst]:.6g} and {estimate_[worst]:.6g}{place}): the exercise is at fault, not your answer",
                hint="author: if the forward has a kink at these inputs, add `smooth=False` to the `given(...)`",
            )
