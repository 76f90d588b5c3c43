"""Gradient checking: reverse and forward mode compared with extrapolated finite differences.

A difference has one of four explanations, which a report distinguishes: a rule is wrong; f has a kink there, so the
derivative does not exist; f returns different values for equal inputs; or the finite differences are too inaccurate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from autodrill.engine.checks.finite_differences import (
    Evaluation,
    as_complex,
    as_reals,
    of_reals,
    scale_of,
    vjp_by_differences,
)
from autodrill.engine.checks.gradcheck_report import Finding, GradcheckError, Report, Verdict
from autodrill.engine.checks.kinks import one_sided_slopes
from autodrill.engine.core.mode import no_grad
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.core.transfer import on_host
from autodrill.engine.transforms.jacobians import along_basis
from autodrill.engine.transforms.jvp import jvp
from autodrill.engine.transforms.vjp import vjp

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from autodrill.engine.checks.gradcheck_report import Mode

__all__ = ["Finding", "GradcheckError", "Report", "Verdict", "gradcheck", "gradgradcheck"]

Float: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_TRUST = 10.0  # this multiple of the error estimate is a bound; the tests of finite differences check it
_BLIND = 1e-2  # differences less accurate than this, relative to the gradient's size, are inconclusive


def gradcheck(
    f: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    modes: Sequence[Mode] = ("reverse", "forward"),
    rtol: float | None = None,
    seed: int = 0,
    raise_exception: bool = True,
) -> Report:
    """Compare the derivatives of f with finite differences, in every element of every floating or complex input.

    Both are derivatives of `cotangent · f` for one random cotangent. With probability 1, a wrong entry of the Jacobian
    changes the derivative of its own input element. Complex numbers are treated as pairs of real numbers, which are
    compared separately: the differentiated function is the real part of `conj(cotangent) · f`.

    If f can be called under `vmap`, all perturbed inputs, and all tangents of forward mode, are evaluated together.
    Otherwise (f reads a value, converts to NumPy or draws random numbers) they are evaluated one by one, with the same
    findings but much more slowly; the report states this and the reason.

    Args:
        f: A function of Tensors that returns a Tensor or a tuple of Tensors, defined in a neighbourhood of the inputs.
        inputs: Tensors, arrays or numbers, on any device. An input that is neither floating nor complex is passed on
            unchanged.
        modes: The modes of differentiation to check.
        rtol: The difference allowed in addition to the estimated error of the differences, relative to the derivative;
            by default the square root of the coarsest input dtype's precision.
        seed: The seed of the random cotangent.
        raise_exception: Whether to raise if a check fails; otherwise the report is returned in any case.

    Returns:
        The report.

    Raises:
        GradcheckError: A check failed. A kink and an inaccurate difference count as failures too.
        TypeError: No input is floating or complex.

    Source: as `torch.autograd.gradcheck`; the differences are extrapolated (Richardson, 1911; Ridders, 1982).

    Example:
        >>> bool(engine.gradcheck(engine.sin, [np.array([0.5, 1.0])]))
        True
    """
    f, inputs = on_host(f, inputs)
    report = _checked(f, [_copied(x) for x in inputs], tuple(modes), rtol, seed)
    if raise_exception and not report:
        raise GradcheckError(report)
    return report


def gradgradcheck(
    f: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    modes: Sequence[Mode] = ("reverse", "forward"),
    rtol: float | None = None,
    seed: int = 0,
    raise_exception: bool = True,
) -> Report:
    """Compare second derivatives with finite differences of the first: `gradcheck` of f's backward.

    The inputs of that backward are f's inputs, followed by one random cotangent for each output. Arguments,
    return value and errors are those of `gradcheck`.

    Args:
        f, inputs, modes, rtol, seed, raise_exception: As for `gradcheck`.

    Returns:
        The report.

    Raises:
        GradcheckError: A check failed.

    Example:
        >>> bool(engine.gradgradcheck(engine.sin, [np.array([0.5, 1.0])]))
        True
    """
    f, inputs = on_host(f, inputs)
    copies = [_copied(x) for x in inputs]
    moving = _moving(copies)
    draw = np.random.default_rng(seed + 1)
    with no_grad():
        cotangents = [_drawn_like(draw, y).astype(y.dtype) for y in _differentiable(f(*map(Tensor, copies)))]

    def pulled_back(*values: Any) -> tuple[Any, ...]:
        primals, given = values[: len(copies)], values[len(copies) :]
        _, pullback = vjp(lambda *xs: _differentiable(f(*xs)), *primals)
        gradients = pullback(tuple(given))
        return tuple(gradients[k] for k in moving)

    return gradcheck(
        pulled_back, [*copies, *cotangents], modes=modes, rtol=rtol, seed=seed, raise_exception=raise_exception
    )


def _copied(value: Any) -> Any:
    """Return a copy of an input, because elements of an expanded array share memory and must vary separately."""
    return np.array(raw(value))


def _moving(inputs: Sequence[Any]) -> list[int]:
    """Return the positions of the inputs that have a derivative."""
    return [k for k, x in enumerate(inputs) if x.dtype.kind in "fc"]


def _differentiable(result: Any) -> tuple[Tensor, ...]:
    outputs = [y if type(y) is Tensor else Tensor(y) for y in (result if isinstance(result, tuple) else (result,))]
    return tuple(y for y in outputs if y.dtype.kind in "fc")


def _drawn_like(draw: np.random.Generator, value: Any) -> Any:
    drawn = np.asarray(draw.normal(size=value.shape))
    return drawn + 1j * draw.normal(size=value.shape) if value.dtype.kind == "c" else drawn


def _checked(
    f: Callable[..., Any], inputs: list[Any], modes: tuple[Mode, ...], rtol: float | None, seed: int
) -> Report:
    moving = _moving(inputs)
    if not moving:
        raise TypeError("no input is floating or complex; pass at least one to differentiate with respect to")
    precision = max(float(np.finfo(inputs[k].dtype).eps) for k in moving)
    relative = precision**0.5 if rtol is None else rtol

    def outputs(*values: Any) -> tuple[Tensor, ...]:
        return _differentiable(f(*values))

    def on_arrays(*arrays: Any) -> tuple[Any, ...]:
        with no_grad():
            return tuple(as_reals(raw(y)) for y in outputs(*map(Tensor, arrays)))

    with no_grad():
        like = outputs(*map(Tensor, inputs))
    first = tuple(as_reals(y.numpy()) for y in like)
    draw = np.random.default_rng(seed)
    weights = tuple(_drawn_like(draw, y) for y in like)
    # From here on all compared values are real: complex numbers are pairs.
    reals, parts = [as_reals(x) for x in inputs], tuple(map(as_reals, weights))
    on_reals = of_reals(on_arrays, [x.dtype.kind for x in inputs])
    with np.errstate(all="ignore"):  # a non-finite derivative is a finding, not a warning
        analytic = {mode: _DERIVATIVES[mode](outputs, inputs, moving, weights) for mode in modes}
        again = {mode: _DERIVATIVES[mode](outputs, inputs, moving, weights) for mode in modes}
    apart = _distance(first, on_arrays(*inputs))
    evaluate = Evaluation(on_reals)
    numeric, errors = ([], []) if apart else vjp_by_differences(evaluate, reals, parts)
    slopes = {k: one_sided_slopes(evaluate, reals, k, parts) for k in moving if not apart}
    value_size = float(sum(np.sum(np.abs(w * y)) for w, y in zip(parts, first, strict=True)))
    findings = []
    for mode in modes:
        for place, k in enumerate(moving):
            unsteady = max(apart, _distance([analytic[mode][place]], [again[mode][place]]))
            if unsteady:
                counts = {Verdict.NONDETERMINISTIC: int(inputs[k].size)}
                nan = float("nan")
                findings.append(Finding(k, mode, Verdict.NONDETERMINISTIC, None, nan, nan, unsteady, 0.0, None, counts))
                continue
            gradient, error = numeric[k], errors[k]
            assert gradient is not None
            assert error is not None
            tolerances = _Tolerances(relative, value_size / scale_of(reals[k].astype(np.float64)))
            found = _finding(k, mode, analytic[mode][place], gradient, error, slopes[k], tolerances)
            findings.append(_of_complex(found) if inputs[k].dtype.kind == "c" else found)
    return Report(tuple(findings), seed, evaluate.alone)


def _reverse(
    f: Callable[..., tuple[Tensor, ...]], inputs: list[Any], moving: list[int], weights: tuple[Any, ...]
) -> list[Float]:
    """Return the gradient of `weights · f` with respect to each moving input, by one backward."""
    values, pullback = vjp(f, *inputs)
    gradients = pullback(tuple(w.astype(y.dtype) for w, y in zip(weights, values, strict=True)))
    return [as_reals(np.asarray(raw(gradients[k]))).astype(np.float64) for k in moving]


def _forward(
    f: Callable[..., tuple[Tensor, ...]], inputs: list[Any], moving: list[int], weights: tuple[Any, ...]
) -> list[Float]:
    """Return the same gradient by forward passes along every element, together if f allows it."""
    gradients = []
    for k in moving:

        def push(direction: Any, k: int = k) -> tuple[Any, ...]:
            along = as_complex(direction) if inputs[k].dtype.kind == "c" else direction
            pushed: tuple[Any, ...] = jvp(f, inputs, [along if j == k else None for j in range(len(inputs))])[1]
            return pushed

        directions = as_reals(inputs[k])
        (blocks,) = along_basis(push, [directions], weights)
        terms = [
            np.tensordot(block.numpy(), w.conj(), axes=w.ndim).real for block, w in zip(blocks, weights, strict=True)
        ]
        gradients.append(np.asarray(sum(terms, np.zeros(directions.shape)), dtype=np.float64))
    return gradients


_DERIVATIVES: dict[Mode, Callable[..., list[Float]]] = {"reverse": _reverse, "forward": _forward}


def _distance(a: Sequence[Any], b: Sequence[Any]) -> float:
    """Return the largest difference between two results, with NaN equal to NaN."""
    with np.errstate(invalid="ignore"):
        gaps = [np.abs(np.where(x == y, 0.0, np.subtract(x, y))) for x, y in zip(a, b, strict=True)]
    return max((float(np.nanmax(gap)) for gap in gaps if gap.size and not np.isnan(gap).all()), default=0.0)


def _of_complex(finding: Finding) -> Finding:
    """Return a finding about pairs as one about the real or imaginary part of a complex number."""
    if finding.index is None:
        return finding
    *index, part = finding.index
    return replace(finding, index=tuple(index), part="imaginary" if part else "real")


@dataclass(frozen=True, slots=True)
class _Tolerances:
    """The tolerances: relative to the derivative, and the size of a derivative expected from values and inputs."""

    relative: float
    unit: Float


def _finding(
    k: int, mode: Mode, analytic: Float, numeric: Float, error: Float, slopes: Float, tolerances: _Tolerances
) -> Finding:
    """Return the finding about one input: the most severe verdict, at the element with the largest deviation."""
    if not numeric.size:
        return Finding(k, mode, Verdict.RIGHT, None, 0.0, 0.0, 0.0, 0.0, None, {})
    size = float(np.abs(numeric).max())
    allowed = tolerances.relative * np.maximum(np.abs(numeric), 0.01 * size) + _TRUST * error
    left, right = slopes.reshape(*numeric.shape, 2).min(axis=-1), slopes.reshape(*numeric.shape, 2).max(axis=-1)
    kinked = ~np.isnan(left)
    with np.errstate(invalid="ignore"):
        off = np.abs(analytic - numeric)
        margin = tolerances.relative * np.maximum(np.abs(left), np.abs(right))
        outside = (analytic < left - margin) | (analytic > right + margin)
    verdicts = np.full(numeric.shape, Verdict.RIGHT, dtype=object)
    verdicts[~(off <= allowed)] = Verdict.WRONG  # NaN compares false, so it is wrong
    verdicts[_TRUST * error > _BLIND * np.maximum(size, 1e-3 * tolerances.unit)] = Verdict.UNSURE
    # An infinite derivative of one element gives 0 · ∞ = NaN along the directions of the others.
    verdicts[np.isnan(analytic) & kinked.any()] = Verdict.UNSURE
    # Any value between the two slopes may be chosen as a subgradient; a value outside may not.
    verdicts[kinked] = Verdict.KINK
    verdicts[kinked & outside] = Verdict.WRONG
    counts = {v: int(np.sum(verdicts == v)) for v in Verdict if np.any(verdicts == v)}
    gravest = max(counts, key=list(Verdict).index)
    with np.errstate(invalid="ignore"):
        excess = np.where(verdicts == gravest, np.nan_to_num(off - allowed, nan=np.inf), -np.inf)
    index = tuple(int(i) for i in np.unravel_index(int(np.argmax(excess)), numeric.shape))
    return Finding(
        input=k,
        mode=mode,
        verdict=gravest,
        index=index,
        analytic=float(analytic[index]),
        numeric=float(numeric[index]),
        error=float(error[index]),
        allowed=float(allowed[index]),
        slopes=(float(left[index]), float(right[index])) if kinked[index] else None,
        counts=counts,
    )
