"""Discrete Fourier transforms against closed forms and NumPy, for any length; the derivatives' walk is the samples'."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodrill import engine
from autodrill.engine import Tensor

UNITARY: Any = "unitary"  # no such norm
NORMS = ("backward", "ortho", "forward")
FULL = ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")
OF_REAL = ("rfft", "ihfft", "rfft2", "rfftn")
TO_REAL = ("irfft", "hfft", "irfft2", "irfftn")

lengths = st.integers(1, 9)
seeds = st.integers(0, 2**32 - 1)


def drawn(shape: tuple[int, ...], seed: int, *, real: bool = False) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) if real else rng.normal(size=shape) + 1j * rng.normal(size=shape)


def size(x: Any) -> float:
    return float(np.sum(np.abs(x) ** 2))


@st.composite
def calls(draw: Any) -> tuple[str, tuple[int, ...], dict[str, Any]]:
    """Draw a transform, the shape of its input and its arguments."""
    name = draw(st.sampled_from(FULL + OF_REAL + TO_REAL))
    shape = tuple(draw(st.lists(st.integers(2, 6), min_size=2, max_size=3)))
    static: dict[str, Any] = {"norm": draw(st.sampled_from(NORMS))}
    if name.endswith(("n", "2")):
        count = 2 if name.endswith("2") else draw(st.integers(1, len(shape)))
        static["axes"] = tuple(draw(st.permutations(range(-len(shape), 0)))[:count])
        if draw(st.booleans()):
            static["s"] = tuple(draw(st.lists(lengths, min_size=count, max_size=count)))
    else:
        static["axis"] = draw(st.integers(-len(shape), len(shape) - 1))
        static["n"] = draw(st.none() | lengths)
    return name, shape, static


def input_of(name: str, shape: tuple[int, ...], seed: int) -> Any:
    return drawn(shape, seed, real=name in OF_REAL)


@settings(max_examples=150, deadline=None)
@given(calls(), seeds)
def test_fft_agrees_with_numpy(call: Any, seed: int) -> None:
    name, shape, static = call
    x = input_of(name, shape, seed)
    expected = getattr(np.fft, name)(x, **static)
    got = getattr(engine, name)(x, **static)
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert np.allclose(got, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=150, deadline=None)
@given(calls(), seeds)
def test_fft_modes_are_adjoint(call: Any, seed: int) -> None:
    name, shape, static = call
    x, v = input_of(name, shape, seed), input_of(name, shape, seed + 1)
    value, pullback = engine.vjp(lambda t: getattr(engine, name)(t, **static), x)
    _, pushed = engine.jvp(lambda t: getattr(engine, name)(t, **static), (x,), (v,))
    w = drawn(value.shape, seed + 2, real=value.dtype.kind == "f")
    pulled: Any = pullback(w)[0]
    left = np.sum((w.conj() * pushed.numpy()).real)
    right = np.sum((pulled.numpy().conj() * v).real)
    assert abs(left - right) <= 1e-12 * np.sqrt(size(w) * size(pushed.numpy())) + 1e-14
    assert np.allclose(pushed.numpy(), getattr(np.fft, name)(v, **static), rtol=1e-12, atol=1e-12)  # it is linear


@settings(deadline=None)
@given(lengths, seeds)
def test_unitary_fft_preserves_norms(n: int, seed: int) -> None:
    x, g = drawn((n,), seed), drawn((n,), seed + 1)
    value, pullback = engine.vjp(lambda t: engine.fft(t, norm="ortho"), x)
    pulled: Any = pullback(g)[0]
    assert size(value.numpy()) == pytest.approx(size(x), rel=1e-12)
    assert size(pulled.numpy()) == pytest.approx(size(g), rel=1e-12)


@settings(deadline=None)
@given(lengths, seeds, st.sampled_from(NORMS))
def test_inverse_fft_inverts_values_and_gradients(n: int, seed: int, norm: Any) -> None:
    x, g = drawn((n,), seed, real=True), drawn((n,), seed + 1, real=True)
    pairs: tuple[Any, ...] = (
        lambda t: engine.ifft(engine.fft(t, norm=norm), norm=norm).real,
        lambda t: engine.irfft(engine.rfft(t, norm=norm), n, norm=norm),
        lambda t: engine.hfft(engine.ihfft(t, norm=norm), n, norm=norm),
        lambda t: engine.ifftshift(engine.fftshift(t)),
        lambda t: engine.irfftn(engine.rfftn(t, norm=norm), (n,), norm=norm),
    )
    for f in pairs:
        value, pullback = engine.vjp(f, x)
        pulled: Any = pullback(g)[0]
        assert np.allclose(value.numpy(), x, atol=1e-12)
        assert np.allclose(pulled.numpy(), g, atol=1e-12)


@settings(deadline=None)
@given(lengths, seeds)
def test_gradient_of_parseval_sum_is_twice_the_vector(n: int, seed: int) -> None:
    x = drawn((n,), seed)
    gradient = engine.grad_of(lambda t: (abs(engine.fft(t)) ** 2).sum() / n)(x)
    assert np.allclose(gradient.numpy(), 2 * x, atol=1e-11)
    half = engine.grad_of(lambda t: (abs(engine.rfft(t, norm="ortho")) ** 2).sum())(x.real)
    expected = x.real + np.fft.ifft(np.fft.fft(x.real) * np.isin(np.arange(n), [0, n / 2])).real  # counted once
    assert np.allclose(half.numpy(), expected, atol=1e-11)


def test_fft_convolution_has_the_gradients_of_the_sum() -> None:
    x, h, g = (drawn((6,), k, real=True) for k in range(3))
    places = (np.arange(6)[:, None] - np.arange(6)) % 6

    def by_spectra(a: Any, b: Any) -> Any:
        return engine.irfft(engine.rfft(a) * engine.rfft(b), 6)

    def by_sums(a: Any, b: Any) -> Any:
        return a[places] @ b

    for f, other in ((by_spectra, by_sums), (by_sums, by_spectra)):
        value, pullback = engine.vjp(f, x, h)
        expected, pulled = engine.vjp(other, x, h)
        assert np.allclose(value.numpy(), expected.numpy())
        for a, b in zip(pullback(g), pulled(g), strict=True):
            assert a is not None
            assert b is not None
            assert np.allclose(a.numpy(), b.numpy())


def test_irfft_ignores_parts_fixed_by_symmetry() -> None:
    spectrum = Tensor(np.array([1 + 2j, 3 - 1j, 0.5 + 4j]), requires_grad=True)
    engine.irfft(spectrum, 4).backward(np.array([1.0, 2.0, -1.0, 0.5]))
    assert spectrum.grad is not None
    assert spectrum.grad.numpy()[[0, 2]].imag == pytest.approx(0, abs=0)


@pytest.mark.parametrize("name", FULL + OF_REAL + TO_REAL)
def test_fft_keeps_single_precision(name: str) -> None:
    x = input_of(name, (3, 4), 0)
    single = x.astype(np.complex64 if x.dtype.kind == "c" else np.float32)
    assert getattr(engine, name)(single).dtype.itemsize * 2 == getattr(engine, name)(x).dtype.itemsize


def test_fft_of_integers_has_no_gradient() -> None:
    assert np.allclose(engine.rfft(np.arange(4)), np.fft.rfft(np.arange(4)))
    assert np.allclose(engine.fftn(np.eye(2, dtype=int), axes=()), np.eye(2))
    assert engine.fftn(np.eye(2), axes=()).dtype == np.complex128


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: engine.fft(x, 0), ValueError, "`fft` needs at least one point along axis 1"),
        (lambda x: engine.fft(x[:, :0]), ValueError, "`fft` needs at least one point along axis 1"),
        (lambda x: engine.irfft(x[:, :1]), ValueError, "`irfft` needs at least one point along axis 1"),
        (lambda x: engine.ifft(x, axis=2), ValueError, r"`ifft` along the axes \(2,\), but the array has 2"),
        (lambda x: engine.fftn(x, axes=(0, -2)), ValueError, r"`fftn` needs distinct axes, not \(0, -2\)"),
        (lambda x: engine.rfftn(x, (2,), (0, 1)), ValueError, "one length for each axis, not 1 for 2"),
        (lambda x: engine.irfftn(x, axes=()), ValueError, "`irfftn` needs at least one axis"),
        (lambda x: engine.rfftn(x, axes=()), ValueError, "`rfftn` needs at least one axis"),
        (lambda x: engine.hfft(x, norm=UNITARY), ValueError, "`backward`, `ortho` or `forward`, not `unitary`"),
        (lambda x: engine.ihfft(x, norm=UNITARY), ValueError, "`ihfft`: `norm`"),
        (lambda x: engine.rfft(x + 0j), TypeError, "`rfft` is not defined for complex numbers"),
        (lambda x: engine.ihfft(x + 0j), TypeError, "`ihfft` is not defined for complex numbers"),
    ],
)
def test_fft_names_invalid_arguments(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call(np.ones((2, 3)))
