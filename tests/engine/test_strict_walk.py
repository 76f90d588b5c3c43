"""Every sample in every mode on the strict device, which refuses what CuPy refuses: values of the CPU, no waits."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.engine import registry
from tests.engine.device_modes import MODES, WAITS, compare, moved, prepared, reason_to_wait
from tests.engine.samples import SAMPLES
from tests.engine.strict.backend import registered
from tests.engine.strict.ledger import synchronisations
from tests.engine.strict.namespace import STRICT
from tests.engine.walk import each

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.engine.samples import Sample

# The memory and most calls are NumPy's; a few operations take another way on a device, and round differently.
RTOL = 1e-11

FIRST_ORDER = ("forward", "vjp", "jvp")
FURTHER = tuple(mode for mode in MODES if mode not in FIRST_ORDER)

# Of each operation the first sample is tried in all further modes, and the others in one mode each, in turn: that takes
# a third of the time. `benchmarks.gpu` tries all of them in all modes.
SHARE: dict[int, tuple[str, ...]] = {
    id(sample): FURTHER if k == 0 else (FURTHER[k % len(FURTHER)],)
    for _, group in groupby(sorted(SAMPLES, key=attrgetter("name")), key=attrgetter("name"))
    for k, sample in enumerate(group)
}

waiting: set[str] = set()


@pytest.fixture(scope="module", autouse=True)
def _strict() -> Iterator[None]:
    with registered(), np.errstate(all="ignore"):
        yield


def walk(sample: Sample, modes: tuple[str, ...]) -> None:
    waits: list[str] = []

    @contextmanager
    def watch() -> Iterator[None]:
        with synchronisations() as found:
            yield
        waits.extend(found)

    here = prepared(sample)
    there = moved(sample, here, STRICT, watch)
    for mode in modes:
        compare(mode, here, there, rtol=RTOL)
    if waits:
        waiting.add(sample.name)
    assert not waits or reason_to_wait(sample), "backward made the host wait for the device"


@each(SAMPLES)
def test_first_derivatives_agree_with_the_cpu(sample: Sample) -> None:
    walk(sample, FIRST_ORDER)


@pytest.mark.slow
@each(SAMPLES)
def test_further_modes_agree_with_the_cpu(sample: Sample) -> None:
    walk(sample, SHARE[id(sample)])


def test_operations_that_wait_are_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    """An operation is listed as one whose backward waits only if it does."""
    for sample in SAMPLES:
        if sample.name in WAITS and sample.name not in waiting:
            walk(sample, ("vjp", "reverse over reverse"))
    assert waiting == set(WAITS)
    with capsys.disabled():
        names = {sample.name for sample in SAMPLES}
        sys.stdout.write(
            f"\nstrict device: {sum(n in registry for n in names)} primitives and "
            f"{sum(n not in registry for n in names)} compositions, {len(SAMPLES)} samples in {len(FIRST_ORDER)} modes "
            f"and {sum(map(len, SHARE.values()))} times in {len(FURTHER)} more; the backward of {len(WAITS)} waits\n"
        )
