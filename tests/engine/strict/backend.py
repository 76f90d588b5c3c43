"""The strict device as a backend of the engine, added through `engine.register_backend`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine
from autodrill.engine import special_values
from autodrill.engine.core.backend import BACKENDS, library_backend
from tests.engine.strict.array import StrictArray, hold, unwrap
from tests.engine.strict.ledger import ledger
from tests.engine.strict.namespace import STRICT
from tests.engine.strict.surface import recorded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.engine import Backend

__all__ = ["BACKEND", "registered"]


class _Special:
    """The special functions that CuPy has, with the values that the engine computes on the CPU."""

    def __getattr__(self, name: str) -> Any:
        entry = recorded().get(("special", name))
        if entry is None:
            raise AttributeError(f"module 'cupyx.scipy.special' has no attribute '{name}'")
        function = getattr(special_values, name)

        def call(x: Any) -> Any:
            if type(x) is not StrictArray:
                raise TypeError(f"Unsupported type {type(x)}")
            result = next((loop[-1] for loop in entry.loops if np.can_cast(x.dtype, loop[0])), None)
            if result is None:
                raise TypeError(f"Wrong type ({x.dtype}) of arguments for cupyx_scipy_special_{name}")
            ledger.launch()
            with np.errstate(all="ignore"):
                return hold(np.asarray(function(unwrap(x))).astype(result))

        return call


BACKEND: Backend = library_backend("strict", STRICT, _Special())


@contextmanager
def registered() -> Iterator[Backend]:
    """Add the backend for a block."""
    engine.register_backend(BACKEND)
    try:
        yield BACKEND
    finally:
        BACKENDS.pop(StrictArray, None)
