"""The engine on a GPU: every sample in every mode, every program, and the kernels of CuPy that NumPy has not.

They need an NVIDIA GPU and are skipped elsewhere. `test_strict_walk.py` and `test_strict_programs.py` run the same
comparisons on the strict device, and `test_bodies_run_on_the_strict_device` these tests themselves.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from tests.engine.device_modes import MODES, compare, moved, prepared, to_host
from tests.engine.device_programs import PROGRAMS
from tests.engine.samples import SAMPLES
from tests.engine.strict.backend import registered
from tests.engine.walk import each

if TYPE_CHECKING:
    from tests.engine.samples import Sample

# Both compute in double precision; a GPU's functions are good to a few units in the last place, and derivatives of
# decompositions lose some more digits. It has never been measured.
RTOL = 1e-8


def sample_on(xp: Any, sample: Sample, rtol: float = RTOL) -> None:
    here = prepared(sample)
    there = moved(sample, here, xp)
    for mode in MODES:
        compare(mode, here, there, rtol=rtol)


def program_on(xp: Any, name: str) -> None:
    for got, wanted in zip(
        to_host(PROGRAMS[name](xp, nullcontext)), to_host(PROGRAMS[name](np, nullcontext)), strict=True
    ):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=RTOL if wanted.dtype == float else 1e-4, atol=1e-9)


def devices_on(kind: str) -> None:
    x = engine.Tensor([1.0, 2.0], requires_grad=True)
    y = x.to(f"{kind}:0")
    assert y.device == f"{kind}:0"
    (y * y).cpu().sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]
    with pytest.raises(engine.DeviceError, match=f"`cpu` and `{kind}:0`"):
        x + y


def several_devices_on(kind: str) -> None:
    x = engine.ones(3, device=f"{kind}:1", requires_grad=True)
    (engine.gelu(x * x).to(f"{kind}:0") * 2.0).sum().backward()
    assert x.grad is not None
    assert x.grad.device == f"{kind}:1"


def streams_on(xp: Any) -> None:
    stream = xp.cuda.Stream(non_blocking=True)
    with stream:
        x = engine.Tensor(xp.ones(1000), requires_grad=True)
        engine.tanh(x * x).sum().backward()
    stream.synchronize()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), 2 / np.cosh(1.0) ** 2)


def random_numbers_on(kind: str) -> None:
    x = engine.ones(1000)
    drawn = [engine.dropout(x.to(device), 0.5, rng=engine.Generator(3)).numpy() for device in ("cpu", kind)]
    assert np.array_equal(*drawn)


@pytest.fixture
def cupy() -> Any:
    return engine.backend_named("cuda").xp


@pytest.mark.cuda
@each(SAMPLES)
def test_sample_on_a_gpu_agrees_with_the_cpu(sample: Sample, cupy: Any) -> None:
    with np.errstate(all="ignore"):
        sample_on(cupy, sample)


@pytest.mark.cuda
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_on_a_gpu_agrees_with_the_cpu(name: str, cupy: Any) -> None:
    program_on(cupy, name)


@pytest.mark.cuda
def test_devices_of_a_gpu(cupy: Any) -> None:
    devices_on("cuda")


@pytest.mark.cuda
def test_two_gpus(cupy: Any) -> None:
    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    several_devices_on("cuda")


@pytest.mark.cuda
def test_streams_of_a_gpu(cupy: Any) -> None:
    streams_on(cupy)


@pytest.mark.cuda
def test_random_numbers_of_a_gpu(cupy: Any) -> None:
    random_numbers_on("cuda")


def test_bodies_run_on_the_strict_device() -> None:
    with registered() as backend, np.errstate(all="ignore"):
        for sample in SAMPLES[:: len(SAMPLES) // 5]:
            sample_on(backend.xp, sample)
        program_on(backend.xp, "checkpoints")
        devices_on("strict")
        several_devices_on("strict")
        streams_on(backend.xp)
        random_numbers_on("strict")
