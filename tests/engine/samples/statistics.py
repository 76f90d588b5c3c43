"""Samples of sums that leave out what is not a number, and of covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodrill import engine
from tests.engine.samples.base import REDUCED, Counterpart, Sample, one, placed, positive_only, real, reductions

TIMES = np.array([1, 3, 2, 1])
HOLES = np.array([[False, True, False], [False, False, True]])


def holed(name: str) -> Any:
    """Put what is not a number into the function: finite differences know nothing of an input that is none."""
    return lambda x, axis: getattr(engine, name)(engine.where(placed(HOLES, x), np.float32("nan"), x), axis)


def weighted(x: Any, w: Any) -> Any:
    return engine.cov(x, fweights=TIMES, aweights=w)


SAMPLES: tuple[Sample, ...] = (
    *reductions(real, (REDUCED[2], REDUCED[5], REDUCED[6]), "nansum", "nanmean"),
    *(one(name, (2, 3), call=holed(name), axis=axis) for name in ("nansum", "nanmean") for axis in (None, 1)),
    one("cov", (5,)),
    one("cov", (1, 5)),
    one("cov", (3, 5)),
    one("cov", (2, 4), ddof=0, fweights=TIMES),
    one("cov", (2, 4), (4,), draw=(real, positive_only), call=weighted),
    one("corrcoef", (3, 5)),
    one("corrcoef", (5,), call=lambda x: engine.corrcoef(x) + x[0]),
)


def reduced(name: str) -> Counterpart:
    def make(torch: Any) -> Any:
        def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
            if x.shape == HOLES.shape and not keepdims:
                x = x.masked_fill(torch.tensor(HOLES), float("nan"))
            return getattr(torch, name)(x, dim=axis, keepdim=keepdims)

        return call

    return make


def covariances(torch: Any) -> Any:
    def call(x: Any, w: Any = None, ddof: float = 1, fweights: Any = None) -> Any:
        times = TIMES if w is not None else fweights
        counts = None if times is None else torch.tensor(times)
        return torch.cov(x, correction=ddof, fweights=counts, aweights=w)

    return call


COUNTERPARTS: dict[str, Counterpart] = {
    **{name: reduced(name) for name in ("nansum", "nanmean")},
    "cov": covariances,
    "corrcoef": lambda t: lambda x: t.corrcoef(x) + (x[0] if x.ndim == 1 else 0),
}
