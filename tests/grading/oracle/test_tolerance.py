"""The tolerance of a result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill.grading.oracle.tolerance import amplified_rounding

F64, F32 = np.dtype(np.float64), np.dtype(np.float32)


class Product:
    """The VJP of x * y, with a count of its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, primals: list[Any], directions: list[Any], *, dtype: Any = np.float64, **_: Any) -> list[Any]:
        self.calls += 1
        (x, y), (g,) = primals, directions
        return [(g.astype(dtype) * v.astype(dtype)).astype(np.float64) for v in (y, x)]


def spread(g: Any, dtype: np.dtype[Any]) -> tuple[int, list[Any]]:
    rng = np.random.default_rng(0)
    primals = [rng.normal(size=5), rng.normal(size=5)]
    product = Product()
    gradients = product(primals, [g])
    tolerances = amplified_rounding(product, primals, [g], gradients, dtype)
    return product.calls - 1, tolerances


@pytest.mark.parametrize(("dtype", "least", "most"), [(F64, 100, 30_000), (F32, 20, 1000)])
def test_amplified_rounding_allows_little_more_than_rounding(dtype: np.dtype[Any], least: float, most: float) -> None:
    calls, tolerances = spread(np.ones(5), dtype)
    assert calls == 3
    eps = float(np.finfo(dtype).eps)
    for tolerance in tolerances:
        assert (tolerance > least * eps).all()
        assert (tolerance < most * eps).all()


def test_amplified_rounding_of_a_large_case_allows_long_sums() -> None:
    rng = np.random.default_rng(0)
    primals, product = [rng.normal(size=5), rng.normal(size=5)], Product()
    gradients = product(primals, [np.ones(5)])
    small, large = (
        amplified_rounding(product, primals, [np.ones(5)], gradients, F32, large=each) for each in (False, True)
    )
    assert all((wide > 10 * narrow).all() for narrow, wide in zip(small, large, strict=True))


@pytest.mark.parametrize("dtype", [F64, F32])
def test_amplified_rounding_of_a_zero_cotangent_is_tiny(dtype: np.dtype[Any]) -> None:
    calls, tolerances = spread(np.zeros(5), dtype)
    assert calls == 0
    assert all((t > 0).all() and (t < 1e-30).all() for t in tolerances)


@pytest.mark.parametrize("g", [np.array([0, 0, np.inf, 0, 0.0]), np.array([0, 0, np.nan, 0, 0.0])])
def test_amplified_rounding_handles_an_infinite_cotangent(g: Any) -> None:
    calls, _ = spread(g, F64)
    assert calls == 3
