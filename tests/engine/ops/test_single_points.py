"""Values and derivatives at single points where a formula alone fails: NaN, infinities, poles and kinks."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, registry
from tests.engine.exclusions import ELSE_AT_SINGLE_POINTS
from tests.engine.samples import COUNTERPARTS, SAMPLES, Sample
from tests.engine.walk import each

NAN, INF = np.nan, np.inf

POINTS = (NAN, INF, -INF, 0.0, 1.0, -2.0, 1e-300, 800.0, -800.0, -1.0, 2.0, 0.5, -0.5, 30.0, -30.0)


def at(f: Any, *point: float) -> list[float]:
    """Return the value and the derivatives of a function of numbers."""
    inputs = [Tensor(x, requires_grad=True) for x in point]
    with np.errstate(all="ignore"):
        value = f(*inputs)
        value.backward()
    return [value.item(), *(x.grad.item() for x in inputs if x.grad is not None)]


@pytest.mark.parametrize(
    ("f", "point", "expected"),
    [
        (engine.gammaln, (INF,), [INF, INF]),
        (engine.gammaln, (-INF,), [INF, NAN]),
        (engine.digamma, (-2.0,), [NAN, INF]),
        (engine.entr, (0.0,), [0, INF]),
        (engine.entr, (-1.0,), [-INF, NAN]),
        (engine.entr, (NAN,), [NAN, NAN]),
        (engine.logit, (1.0,), [INF, INF]),
        (engine.logit, (1.5,), [NAN, NAN]),
        (engine.logit, (-1.5,), [NAN, NAN]),
        (engine.arctan2, (0.0, 0.0), [0, 0, 0]),
        (engine.arctan2, (0.0, 1e-300), [0, 1e300, 0]),
        (engine.arctan2, (1e300, 0.0), [np.pi / 2, 0, -1e-300]),
        (engine.hardshrink, (NAN,), [NAN, 1]),
        (engine.softshrink, (NAN,), [NAN, 1]),
        (lambda x: engine.threshold(x, 0.5, 2.0), (NAN,), [NAN, 1]),
        (engine.relu, (NAN,), [NAN, 1]),
        (engine.maximum, (NAN, 1.0), [NAN, 1, 1]),
        (engine.huber, (NAN,), [NAN, NAN]),
        (lambda p: engine.binary_cross_entropy(p, 1.0), (0.0,), [100, -1e12]),
        (lambda p: engine.binary_cross_entropy(p, 1.0), (1e-13,), [13 * np.log(10), (1e-13 - 1) * 1e12]),
        (lambda p: engine.binary_cross_entropy(p, 0.0), (0.0,), [0, 0]),
        (lambda p: engine.binary_cross_entropy(p, 0.0), (1.0,), [100, 1e12]),
        (engine.xlogy, (0.0, NAN), [NAN, NAN, NAN]),
        (engine.xlogy, (0.0, 0.0), [0, 0, NAN]),
        (engine.xlog1py, (0.0, NAN), [NAN, NAN, NAN]),
        (engine.power, (0.0, -2.0), [INF, -INF, -INF]),
        (engine.power, (0.0, 2.0), [0, 0, 0]),
        (lambda y: (-2.0) ** y, (2.0,), [4, NAN]),
        (lambda y: 0.0**y, (2.0,), [0, 0]),
        (lambda y: 0.0**y, (-2.0,), [INF, -INF]),
        (lambda y: 0**y, (0.0,), [1, 0]),
    ],
)
def test_single_points_have_the_limit_or_nan(f: Any, point: tuple[float, ...], expected: list[float]) -> None:
    assert at(f, *point) == pytest.approx(expected, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("axis", [None, 1])
def test_std_of_equal_elements_has_derivative_zero(axis: Any, ddof: int) -> None:
    x, t = np.array([[3.0, 3.0], [3.0, 3.0]]), np.array([[1.0, -2.0], [0.5, 4.0]])

    def f(x: Any) -> Any:
        return engine.sum(engine.std(x, axis, ddof))

    assert np.array_equal(engine.grad_of(f)(x).numpy(), np.zeros((2, 2)))
    assert engine.jvp(f, [x], [t])[1].item() == 0
    assert np.array_equal(engine.hvp(f, [x], [t]).numpy(), np.zeros((2, 2)))


def test_std_gradient_is_zero_in_the_constant_row_alone() -> None:
    x = np.array([[1.0, 1.0], [0.0, 2.0]])
    expected = [[0.0, 0.0], [-0.5, 0.5]]
    assert np.array_equal(engine.grad_of(lambda x: engine.sum(engine.std(x, 1)))(x).numpy(), expected)


def test_std_of_equal_elements_is_exactly_zero() -> None:
    """The mean of three times 0.1 is not 0.1 in floating point, so x - mean has a size and a direction."""
    x = np.full((2, 3), 0.1)
    assert np.array_equal(engine.std(x, 1), [0, 0])
    assert np.array_equal(engine.grad_of(lambda x: engine.sum(engine.std(x, 1)))(x).numpy(), np.zeros((2, 3)))
    assert np.array_equal(engine.var(x), 0)


@pytest.mark.parametrize("f", [engine.var, engine.std])
def test_variance_without_degrees_of_freedom_is_nan(f: Any) -> None:
    with pytest.warns(RuntimeWarning):
        assert np.isnan(engine.grad_of(lambda x: f(x, ddof=1))(np.ones(1)).numpy()).all()


@pytest.mark.parametrize("f", [engine.logaddexp, engine.logaddexp2])
@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e7), (np.float32, 3e8), (np.float64, 1e17), (np.float64, 3)])
def test_logaddexp_shares_are_exact_for_large_inputs(f: Any, dtype: Any, size: float) -> None:
    x = np.array(size, dtype)
    shares = [g.item() for g in engine.grad_of(f, argnums=(0, 1))(x, x)]
    assert shares == [0.5, 0.5]


@pytest.mark.parametrize("f", [engine.logsumexp, lambda x: engine.logcumsumexp(x)[-1]])
@pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e7), (np.float64, 1e16)])
def test_logsumexp_shares_are_exact_for_large_inputs(f: Any, dtype: Any, size: float) -> None:
    """The softmax of (0, 2) and of the same with a constant added."""
    expected = np.array([1, np.exp(2)]) / (1 + np.exp(2))
    x = np.array([0, 2], dtype) + dtype(size)
    rtol = 4 * np.finfo(dtype).eps
    assert np.allclose(engine.grad_of(f)(x).numpy(), expected, rtol=rtol, atol=0)
    assert np.isclose(engine.jvp(f, [x], [np.eye(2, dtype=dtype)[1]])[1].item(), expected[1], rtol=rtol)


@pytest.mark.parametrize(("f", "slope"), [(engine.elu, 1), (engine.celu, 1), (engine.selu, 1.7580993408473768)])
def test_exponential_units_keep_the_digits_of_their_slope(f: Any, slope: float) -> None:
    assert at(f, -30.0)[1] == pytest.approx(slope * np.exp(-30), rel=1e-7)
    assert at(f, -800.0)[1] == 0
    assert engine.grad_of(engine.grad_of(f))(np.array(-30.0)).item() == pytest.approx(slope * np.exp(-30), rel=1e-7)


def test_log_ndtr_keeps_its_digits_in_both_tails() -> None:
    """References of forty digits by mpmath 1.3: log Φ(x) and φ(x) / Φ(x)."""
    assert at(engine.log_ndtr, 8.0) == pytest.approx([-6.2209605742717861e-16, 5.0522710835368954e-15], rel=1e-14)
    assert at(engine.log_ndtr, 30.0) == pytest.approx([-4.9067139271481871e-198, 1.4736461348785475e-196], rel=1e-12)
    assert at(engine.log_ndtr, -8.0) == pytest.approx([-35.01343715991455, 8.1213681122361127], rel=1e-14)


@pytest.mark.parametrize("shape", [(), (2,), (2, 3)])
def test_embedding_padding_row_of_any_shape_gets_no_gradient(shape: tuple[int, ...]) -> None:
    weight = Tensor(np.ones((4, *shape)), requires_grad=True)
    rows = engine.embedding(np.array([[0, 1], [3, 0]]), weight, padding_idx=-4)
    assert rows.shape == (2, 2, *shape)
    engine.sum(rows).backward()
    assert weight.grad is not None
    expected = np.ones((4, *shape))
    expected[[0, 2]] = 0  # row 0 is padding, row 2 is not looked up
    assert np.array_equal(weight.grad.numpy(), expected)


def _elementwise(sample: Sample) -> bool:
    primitive = registry.get(sample.name)
    if primitive is None or sample.name not in COUNTERPARTS or sample.name in ELSE_AT_SINGLE_POINTS:
        return False
    elementwise = primitive.broadcasts or primitive.jvp_rule == "elementwise"
    return elementwise and sample.call is None and all(x.dtype.kind == "f" and x.ndim == 0 for x in sample.inputs())


@pytest.mark.torch
@each(s for s in SAMPLES if _elementwise(s))
def test_elementwise_operations_agree_with_pytorch_at_points(torch: Any, sample: Sample) -> None:
    theirs = COUNTERPARTS[sample.name](torch)
    count = len(sample.shapes)
    for point in product(POINTS if count == 1 else POINTS[:7], repeat=count):
        inputs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
        value = theirs(*inputs, **sample.static)
        value.backward()
        expected = [value.item(), *(x.grad.item() for x in inputs)]
        assert at(sample.function(), *point) == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True), point
