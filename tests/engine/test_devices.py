"""Devices of the engine: moves, mixing, streams and random numbers, on the two devices of the strict device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import DeviceError, Tensor
from tests.engine.strict.backend import BACKEND, registered
from tests.engine.strict.ledger import ledger, synchronisations
from tests.engine.strict.namespace import STRICT

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with registered():
        yield


def leaf(device: str = "cpu", *values: float) -> Tensor:
    return Tensor(list(values or (1.0, 2.0)), requires_grad=True, device=device)


def current() -> int:
    return int(STRICT.cuda.Device().id)


class TestMoves:
    def test_gradient_comes_back_to_the_source(self) -> None:
        for source, target in (("cpu", "strict:1"), ("strict:0", "strict:1"), ("strict:1", "cpu")):
            x = leaf(source)
            y = x.to(target)
            assert (x.device, y.device) == (source, target)
            (y * y).sum().backward()
            assert x.grad is not None
            assert x.grad.device == source
            assert x.grad.tolist() == [2.0, 4.0]
            assert current() == 0

    def test_copies_between_devices_are_ordered_without_a_wait(self) -> None:
        x = leaf("strict:0")
        ledger.clear()
        with synchronisations() as waits:
            x.to("strict:1")
        assert ledger.orders == [(0, 1), (1, 0)]
        assert waits == []

    def test_numpy_does_not_convert_what_is_on_a_device(self) -> None:
        x = engine.ones(2, device="strict:1")
        with pytest.raises(TypeError, match=r"on `strict:1`.*`x.numpy\(\)`"):
            np.asarray(x)
        assert np.asarray(x.cpu()).tolist() == x.numpy().tolist() == [1.0, 1.0]

    def test_same_device_returns_the_tensor_itself(self) -> None:
        for device in ("cpu", "strict:0", "strict:1"):
            x = leaf(device)
            assert x.to(device) is x
            assert x.to(device, "float64") is x
            assert x.to(x) is x
        assert leaf().cpu().is_leaf

    def test_to_takes_devices_and_dtypes(self) -> None:
        x = leaf()
        y = x.to("strict", np.float32)
        assert (y.device, str(y.dtype)) == ("strict:0", "float32")
        assert (x.to(y).device, str(x.to(y).dtype)) == ("strict:0", "float32")
        y.cpu().sum().backward()
        assert x.grad is not None
        assert x.grad.dtype == np.float64

    def test_current_device_is_the_default(self) -> None:
        with engine.device("strict:1") as xp:
            assert xp is STRICT
            assert leaf().to("strict").device == "strict:1"
        assert current() == 0

    def test_two_paths_over_two_devices_add_up(self) -> None:
        x = leaf("strict:0")
        y = x.to("strict:1") * 3.0
        z = x.cpu() * 2.0
        (y.cpu() + z + x.cpu()).sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [6.0, 6.0]
        assert x.grad.device == "strict:0"

    def test_moves_nest_in_every_transform(self) -> None:
        def f(x: Any) -> Any:
            return (engine.sin(x.to("strict:1")) * 2.0).cpu()

        point = np.array([0.3, 0.5])
        assert np.allclose(engine.jvp(f, (point,), (np.ones(2),))[1].numpy(), 2 * np.cos(point))
        assert np.allclose(engine.vmap(f)(point).numpy(), 2 * np.sin(point))
        assert np.allclose(engine.hessian(lambda x: f(x).sum(), point).numpy(), np.diag(-2 * np.sin(point)))
        assert engine.gradcheck(f, [point])
        assert engine.gradgradcheck(f, [point])

    def test_complex_numbers_move(self) -> None:
        x = Tensor([1 + 2j], requires_grad=True)
        y = x.to("strict")
        (y * y.conj()).real.sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [2 + 4j]

    @pytest.mark.parametrize("name", ["strict:2", "strict:x", "cpu:1", "cuda"])
    def test_unknown_devices_are_named(self, name: str) -> None:
        with pytest.raises(DeviceError, match=r"no device named|needs CuPy|finds no usable"):
            leaf().to(name)

    def test_cuda_needs_a_gpu(self) -> None:
        for number in (None, 0):
            with pytest.raises(DeviceError, match=r"needs CuPy|finds no usable"):
                leaf().cuda(number)


class TestMaking:
    @pytest.mark.parametrize(
        "make",
        [
            lambda d: engine.zeros(2, device=d),
            lambda d: engine.ones((2, 1), device=d),
            lambda d: engine.full(2, 7.0, device=d),
            lambda d: engine.eye(2, device=d),
            lambda d: engine.arange(3.0, device=d),
            lambda d: engine.tensor([1.0], device=d),
            lambda d: engine.ones_like(engine.zeros(2, device=d)),
        ],
    )
    def test_new_tensors_are_on_the_device(self, make: Any) -> None:
        assert make("strict:1").device == "strict:1"
        assert np.array_equal(make("strict:1").numpy(), make(None).numpy())

    def test_tensor_of_a_tensor_stays_where_it_is(self) -> None:
        x = engine.ones(2, device="strict:1")
        assert Tensor(x).device == "strict:1"
        assert Tensor(x, device="cpu").device == "cpu"


class TestMixing:
    @pytest.mark.parametrize(
        ("first", "second"),
        [("cpu", "strict:0"), ("strict:0", "strict:1"), ("strict:1", "cpu"), ("strict:1", "strict:0")],
    )
    def test_error_names_both_devices(self, first: str, second: str) -> None:
        calls: list[Any] = [lambda x, y: x + y, engine.matmul, lambda x, y: x * y.data]
        for call in calls:
            with pytest.raises(DeviceError, match=f"`{first}`.*`{second}`|`{second}`.*`{first}`"):
                call(leaf(first), leaf(second))

    def test_gradient_of_another_device_is_refused(self) -> None:
        y = leaf("strict:0") * 2.0
        with pytest.raises(DeviceError, match="`strict:0` and `cpu`"):
            y.backward(np.ones(2))

    def test_numbers_meet_every_device(self) -> None:
        x = leaf("strict:1")
        assert (x * 2 + np.float32(1.0) - np.float64(1)).device == "strict:1"


class TestPlaces:
    def test_operations_run_on_the_device_of_their_arrays(self) -> None:
        x = leaf("strict:1", 0.5, 2.0)
        ledger.clear()
        y = engine.layer_norm(engine.gelu(x * x), axis=0).sum() + engine.logsumexp(x)
        y.backward()
        assert ledger.launches[0] == 0
        assert ledger.launches[1] > 20
        assert x.grad is not None
        assert x.grad.device == "strict:1"

    def test_every_operation_runs_in_the_current_stream(self) -> None:
        x = leaf("strict:0")
        stream = STRICT.cuda.Stream(non_blocking=True)
        ledger.clear()
        with stream:
            (x * x).sum().backward()
        assert ledger.streams == {stream}

    def test_hooks_and_checkpoints_run_on_the_device(self) -> None:
        x, seen = leaf("strict:1"), []
        x.register_hook(lambda g: seen.append(current()))
        engine.checkpoint(lambda v: engine.softmax(v * v), x)[0].backward()
        assert seen == [1]


class TestRandom:
    def test_numbers_depend_on_the_seed_alone(self) -> None:
        found = []
        for device in ("cpu", "strict:0", "strict:1"):
            rng = engine.Generator(3)
            x = engine.ones((4, 5), device=device)
            found.append([engine.dropout(x, 0.5, rng=rng).numpy() for _ in range(2)])
            assert rng.state == (3, 40)
        assert np.array_equal(found[0], found[1])
        assert np.array_equal(found[0], found[2])
        assert not np.array_equal(found[0][0], found[0][1])

    def test_numbers_are_made_on_the_device(self) -> None:
        x = engine.ones(1000, device="strict:0")
        ledger.clear()
        with synchronisations() as waits:
            engine.dropout(x, 0.5, rng=engine.Generator(0))
        assert (waits, ledger.uploads) == ([], 0)

    def test_numbers_are_uniform_and_independent(self) -> None:
        drawn = engine.Generator(1).random(100_000)
        assert drawn.min() >= 0
        assert drawn.max() < 1
        counts = np.histogram(drawn, 100, (0, 1))[0]
        # Chi-squared with 99 degrees of freedom has a standard deviation of 14: five of them.
        assert abs(np.sum((counts - 1000) ** 2 / 1000) - 99) < 70
        # A correlation of 100,000 independent pairs has a standard deviation of 0.003.
        assert abs(np.corrcoef(drawn[1:], drawn[:-1])[0, 1]) < 0.016
        other = engine.Generator(2).random(100_000)
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.016

    def test_first_numbers_are_those_of_splitmix64(self) -> None:
        """The reference computation, in Python's integers: Steele, Lea and Flood, 2014."""
        mask, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15

        def mix(z: int) -> int:
            z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & mask
            z = (z ^ z >> 27) * 0x94D049BB133111EB & mask
            return z ^ z >> 31

        key = mix(7 + golden)
        expected = [(mix(key + (n + 1) * golden & mask) >> 11) / 2**53 for n in range(5)]
        assert engine.Generator(7).random(5).tolist() == expected

    def test_checkpoint_draws_the_same_numbers_again(self) -> None:
        rng = engine.Generator(5)
        x = Tensor(np.ones(50), requires_grad=True, device="strict:1")
        y = engine.checkpoint(lambda v: engine.dropout(v, 0.5, rng=rng) * 3.0, x, rng=rng)
        y.sum().backward()
        assert x.grad is not None
        assert np.array_equal(x.grad.numpy(), y.numpy())

    def test_generators_of_the_libraries_work_too(self) -> None:
        x = engine.ones(8, device="strict:1")
        with engine.device("strict:1") as xp:
            made = xp.random.default_rng(0)
        for rng in (np.random.default_rng(0), made):
            assert engine.gumbel_softmax(x, rng=rng).device == "strict:1"


@pytest.mark.parametrize("name", ["erf", "erfc", "erfcx", "erfinv", "ndtri", "gammaln", "digamma", "bessel_j", "gelu"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int64"])
def test_special_functions_keep_their_dtype_on_a_device(name: str, dtype: str) -> None:
    x = np.array([1, 2]) if dtype == "int64" else np.array([0.25, 0.5], dtype)
    operation = getattr(engine, name)
    with np.errstate(all="ignore"):
        here, there = operation(x), operation(STRICT.asarray(x))
    assert there.dtype == here.dtype
    assert np.array_equal(there.get(), here, equal_nan=True)


def test_backends_are_registered_once() -> None:
    engine.register_backend(BACKEND)
    other = engine.Backend("strict", np, type("Elsewhere", (np.ndarray,), {}), BACKEND.erf, BACKEND.scatter_add)
    with pytest.raises(ValueError, match="already a backend `strict`"):
        engine.register_backend(other)


def test_a_library_without_a_function_is_named() -> None:
    from dataclasses import replace

    from autodrill.engine.core import backend

    bare = replace(BACKEND, special=None)
    x = engine.ones(2, device="strict:0")
    backend.BACKENDS[BACKEND.array_type] = bare
    with pytest.raises(DeviceError, match="`erfinv` is computed on `cpu` only, and its input is on `strict:0`"):
        engine.erfinv(x)
