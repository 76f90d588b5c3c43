"""Programs of the whole engine on the strict device: the CPU's results, and no wait in a backward pass."""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.engine.device_modes import to_host
from tests.engine.device_programs import MAY_WAIT, PROGRAMS
from tests.engine.strict.backend import registered
from tests.engine.strict.ledger import ledger, synchronisations
from tests.engine.strict.namespace import STRICT

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("device", [0, 1])
def test_program_agrees_with_the_cpu_and_does_not_wait(name: str, device: int) -> None:
    waits: list[str] = []

    @contextmanager
    def watch() -> Iterator[None]:
        found: list[str] = []
        try:
            with synchronisations() as found:
                yield
        finally:
            waits.extend(found)

    expected = to_host(PROGRAMS[name](np, nullcontext))
    with registered():
        with STRICT.cuda.Device(device):
            results = PROGRAMS[name](STRICT, watch)
        ledger.clear()
        found = to_host(results)
    assert len(found) == len(expected) > 0
    for got, wanted in zip(found, expected, strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=1e-11 if wanted.dtype == float else 1e-4, atol=1e-12)
    assert bool(waits) == (name in MAY_WAIT), waits
