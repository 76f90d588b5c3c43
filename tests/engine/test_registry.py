"""Every primitive in the registry, in every mode, against finite differences."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, numerical_jvp, numerical_vjp, ops, registry
from tests.engine.exclusions import NOT_IN_SINGLE, WITHOUT_DERIVATIVE, WITHOUT_EDGE_OF_SHAPE
from tests.engine.samples import SAMPLES, Sample
from tests.engine.walk import each


def is_floating(value: Any) -> bool:
    return np.asarray(value).dtype.kind in "fc"


def drawn_like(rng: np.random.Generator, value: Any) -> Any:
    """Draw a direction for a value: complex for a complex one."""
    direction = rng.normal(size=value.shape)
    return np.asarray(direction + 1j * rng.normal(size=value.shape) if value.dtype.kind == "c" else direction)


def cotangent_for(sample: Sample, value: Any) -> Any:
    return drawn_like(np.random.default_rng(1), value)


def tangents_for(sample: Sample) -> list[Any]:
    rng = np.random.default_rng(2)
    return [drawn_like(rng, x) if is_floating(x) else None for x in sample.inputs()]


def in_single(value: Any) -> Any:
    """Return floating and complex numbers in single precision, and anything else as it is."""
    single: Any = {"f": np.float32, "c": np.complex64}.get(value.dtype.kind, value.dtype)
    return value.astype(single)


def assert_agrees(got: Any, expected: Any, error: Any) -> None:
    """Compare within ten times the finite differences' own error estimate, plus rounding of the answer itself.

    The estimate is held to a factor of ten against closed forms in `test_numerical.py`. It sees the rounding of
    results, not of what they are computed through, which is of size 1 here and rounded some thousand times.
    """
    got, expected, error = np.asarray(got), np.asarray(expected), np.asarray(error)
    assert got.shape == expected.shape
    assert np.all(error <= 1e-6 * (1 + np.abs(expected))), "the finite differences know nothing here"
    assert np.all(np.abs(got - expected) <= 10 * error + 1e-12 * (1 + np.abs(expected))), (got, expected, error)


def pulled_back(sample: Sample) -> Any:
    """Return the function (inputs, cotangent) -> gradients, for Tensors or raw arrays alike."""
    f = sample.function()

    def gradients(*inputs_and_cotangent: Any) -> Any:
        *inputs, cotangent = inputs_and_cotangent
        raw = all(not isinstance(v, Tensor) for v in inputs_and_cotangent)
        found = engine.vjp(f, *inputs)[1](cotangent)
        return tuple(g.numpy() if raw else g for g in found if g is not None)

    return gradients


LINEAR = [name for name, primitive in registry.items() if primitive.jvp_rule == "linear"]


def test_every_operation_has_samples(capsys: pytest.CaptureFixture[str]) -> None:
    sampled = {sample.name for sample in SAMPLES}
    assert sampled == {*registry, *ops.names()} - set(WITHOUT_DERIVATIVE)
    with capsys.disabled():
        composites = len(sampled) - len(registry)
        of_complex = sum(bool(s.of_complex) for s in SAMPLES)
        sys.stdout.write(
            f"\nregistry walk: {len(registry)} primitives ({len(LINEAR)} linear) and {composites} compositions, "
            f"{len(SAMPLES)} samples, {of_complex} of them of complex numbers\n"
        )


def test_every_primitive_is_sampled_at_an_edge_case() -> None:
    """Each has a sample that is 0-d, of one element or empty, where reductions and broadcasting go wrong first."""
    edges = {s.name for s in SAMPLES if any(np.prod(shape) <= 1 for shape in s.shapes)}
    assert set(registry) - edges == set(WITHOUT_EDGE_OF_SHAPE)


@each(SAMPLES)
def test_reverse_mode_agrees_with_differences(sample: Sample) -> None:
    f, inputs = sample.function(), sample.inputs()
    value, pullback = engine.vjp(f, *inputs)
    cotangent = cotangent_for(sample, value)
    expected, errors = numerical_vjp(f, inputs, cotangent)
    for got, wanted, error in zip(pullback(cotangent), expected, errors, strict=True):
        if wanted is None:
            assert got is None
        else:
            assert got is not None
            assert_agrees(got.numpy(), wanted, error)


@each(SAMPLES)
def test_forward_mode_agrees_with_differences(sample: Sample) -> None:
    f, inputs, tangents = sample.function(), sample.inputs(), tangents_for(sample)
    value, tangent = engine.jvp(f, inputs, tangents)
    expected, error = numerical_jvp(f, inputs, tangents)
    assert np.array_equal(value.numpy(), f(*inputs))
    assert_agrees(tangent.numpy(), expected, error)


@pytest.mark.slow
@each(SAMPLES)
def test_forward_and_reverse_mode_are_adjoint(sample: Sample) -> None:
    f, inputs, tangents = sample.function(), sample.inputs(), tangents_for(sample)
    value, pullback = engine.vjp(f, *inputs)
    cotangent = cotangent_for(sample, value)
    _, pushed = engine.jvp(f, inputs, tangents)
    pulled = pullback(cotangent)
    # In the inner product Re Σ conj(a) b, which makes two real numbers of a complex one.
    left = np.sum((cotangent.conj() * pushed.numpy()).real)
    products = [v.conj() * g.numpy() for v, g in zip(tangents, pulled, strict=True) if g is not None]
    right = sum(np.sum(t.real) for t in products)
    # Two sums of a handful of rounded products: a few hundred roundings of the largest magnitude they pass through.
    size = sum(np.sum(np.abs(t)) for t in products) + np.sum(np.abs(cotangent * pushed.numpy()))
    assert abs(left - right) <= 1e-13 * size


@pytest.mark.slow
@each(SAMPLES)
def test_reverse_over_reverse_agrees_with_differences(sample: Sample) -> None:
    gradients, inputs = pulled_back(sample), sample.inputs()
    cotangent = cotangent_for(sample, sample.function()(*inputs))
    first = gradients(*inputs, cotangent)
    seeds = tuple(drawn_like(np.random.default_rng(3), g) for g in first)
    _, pullback = engine.vjp(gradients, *(Tensor(v) for v in (*inputs, cotangent)))
    expected, errors = numerical_vjp(gradients, [*inputs, cotangent], seeds)
    for got, wanted, error in zip(pullback(seeds), expected, errors, strict=True):
        if wanted is not None:
            assert got is not None
            assert_agrees(got.numpy(), wanted, error)


@pytest.mark.slow
@each(SAMPLES)
def test_forward_over_reverse_agrees_with_differences(sample: Sample) -> None:
    gradients, inputs, tangents = pulled_back(sample), sample.inputs(), tangents_for(sample)
    cotangent = cotangent_for(sample, sample.function()(*inputs))
    directions = [*tangents, drawn_like(np.random.default_rng(4), cotangent)]
    _, pushed = engine.jvp(gradients, [*inputs, cotangent], directions)
    expected, errors = numerical_jvp(gradients, [*inputs, cotangent], directions)
    for got, wanted, error in zip(pushed, expected, errors, strict=True):
        assert_agrees(got.numpy(), wanted, error)


@pytest.mark.slow
@each(SAMPLES)
def test_reverse_over_forward_agrees_with_differences(sample: Sample) -> Any:
    f, inputs, tangents = sample.function(), sample.inputs(), tangents_for(sample)

    def pushed(*values: Any) -> Any:
        tangent = engine.jvp(f, values, tangents)[1]
        return tangent if any(isinstance(v, Tensor) for v in values) else tangent.numpy()

    value, pullback = engine.vjp(pushed, *(Tensor(x) for x in inputs))
    cotangent = cotangent_for(sample, value)
    expected, errors = numerical_vjp(pushed, inputs, cotangent)
    for got, wanted, error in zip(pullback(cotangent), expected, errors, strict=True):
        if wanted is not None:
            assert got is not None
            assert_agrees(got.numpy(), wanted, error)


@pytest.mark.slow
@each(s for s in SAMPLES if s.name not in NOT_IN_SINGLE)
def test_single_precision_is_kept_in_every_mode(sample: Sample) -> None:
    f, doubles = sample.function(), sample.inputs()
    singles = [in_single(x) for x in doubles]
    value, pullback = engine.vjp(f, *singles)
    cotangent = cotangent_for(sample, value)
    expected, exactly = engine.vjp(f, *doubles)
    assert value.dtype == in_single(expected).dtype
    assert f(*singles).dtype == value.dtype
    for single, double, given in zip(pullback(in_single(cotangent)), exactly(cotangent), singles, strict=True):
        if double is not None:
            assert single is not None
            assert single.dtype == given.dtype
            # Inputs are at most 2 in size and slopes at most 30: a few dozen float32 roundings of 6e-8.
            assert np.allclose(single.numpy(), double.numpy(), rtol=1e-4, atol=1e-5)
    tangents = [None if t is None else in_single(t) for t in tangents_for(sample)]
    assert engine.jvp(f, singles, tangents)[1].dtype == value.dtype


@each(SAMPLES)
def test_operations_return_arrays_for_arrays(sample: Sample) -> None:
    result = sample.function()(*sample.inputs())
    # NumPy answers operators on 0-d arrays with scalars; what is composed of operators does too.
    assert isinstance(result, np.ndarray if sample.name in registry else (np.ndarray, np.generic))


@pytest.mark.parametrize("name", LINEAR)
def test_linear_operation_and_pullback_are_adjoint(name: str) -> None:
    """<A x, y> = <x, Aᴴ y> of the operation itself, real and complex, in the inner product Re Σ conj(a) b."""
    kinds = set()
    for sample in (s for s in SAMPLES if s.name == name):
        f, inputs = sample.function(), sample.inputs()
        value, pullback = engine.vjp(f, *inputs)
        y = cotangent_for(sample, value)
        pulled = [(x, g.numpy()) for x, g in zip(inputs, pullback(y), strict=True) if g is not None]
        terms = [(x.conj() * g).real for x, g in pulled]
        # A few hundred roundings of the largest magnitude that the two sums pass through.
        size = sum(np.sum(np.abs(t)) for t in terms) + np.sum(np.abs(y * value.numpy()))
        assert abs(np.sum((y.conj() * value.numpy()).real) - sum(np.sum(t) for t in terms)) <= 1e-13 * size
        kinds |= {v.dtype.kind for v in (value, *inputs)}
    assert {"f", "c"} <= kinds, "it was tried with real or with complex numbers only"


@pytest.mark.parametrize("name", LINEAR)
def test_rule_declared_linear_is_linear(name: str) -> None:
    for sample in (s for s in SAMPLES if s.name == name):
        f, x, y = sample.function(), sample.inputs(), tangents_for(sample)
        y = [a if b is None else b for a, b in zip(x, y, strict=True)]
        both = [a + 2 * b if is_floating(a) else a for a, b in zip(x, y, strict=True)]
        assert np.allclose(f(*both), f(*x) + 2 * f(*y), rtol=1e-12, atol=1e-12)
