"""Complex numbers: PyTorch's convention of the gradient, what is refused, and what the sample walk cannot reach."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Function, Tensor, gradcheck, gradgradcheck, registry
from tests.engine.build import gradient_of, leaf
from tests.engine.samples import SAMPLES, Sample
from tests.engine.samples.linalg import gram, hermitian, regular


def drawn(*shape: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


# The convention


def test_gradient_is_dx_plus_i_dy() -> None:
    z = leaf(3 + 4j)
    (z.real**2 * z.imag).sum().backward()  # x² y: 2xy and x²
    assert np.array_equal(gradient_of(z), [24 + 9j])


def test_step_against_the_gradient_decreases_the_loss() -> None:
    z = leaf(1 + 2j, -0.3 + 0.1j)
    loss = (abs(engine.exp(z) - 2j) ** 2).sum()
    loss.backward()
    moved = engine.Tensor(z.numpy() - 1e-4 * gradient_of(z))
    expected = loss.item() - 1e-4 * np.sum(np.abs(gradient_of(z)) ** 2)
    assert (abs(engine.exp(moved) - 2j) ** 2).sum().item() == pytest.approx(expected, rel=1e-5)


def test_pullback_conjugates_and_pushforward_does_not() -> None:
    z, g = np.array([1 + 2j]), np.array([3 - 1j])
    pulled: Any = engine.vjp(lambda t: t * t, z)[1](g)[0]
    assert np.array_equal(pulled.numpy(), g * np.conj(2 * z))
    assert np.array_equal(engine.jvp(lambda t: t * t, (z,), (g,))[1].numpy(), g * 2 * z)


def test_real_factor_gets_the_real_part() -> None:
    x, z = leaf(2.0), leaf(1 + 1j)
    (x * z).backward([3 - 2j])
    assert gradient_of(x).dtype == np.float64
    assert np.array_equal(gradient_of(x), [np.real((3 - 2j) * np.conj(1 + 1j))])
    assert np.array_equal(gradient_of(z), [(3 - 2j) * 2])


def test_backward_accepts_a_real_gradient_of_a_complex_result() -> None:
    z = leaf(1 + 1j)
    (z * 1j).backward([2.0])
    assert np.array_equal(gradient_of(z), [-2j])


def test_gradients_accumulate_and_keep_single_precision() -> None:
    z = Tensor(np.array([1 + 1j], dtype=np.complex64), requires_grad=True)
    for _ in range(2):
        (abs(z * np.array([2.0], dtype=np.float32)) ** 2).sum().backward()
    assert gradient_of(z).dtype == np.complex64
    assert np.allclose(gradient_of(z), [16 + 16j], rtol=1e-6)


def test_hooks_and_retained_gradients_use_the_convention() -> None:
    z, seen = leaf(1 + 2j), []
    w = z * (1 + 1j)
    w.retain_grad()
    w.register_hook(lambda g: seen.append(g.numpy().copy()))
    w.imag.sum().backward()
    assert np.array_equal(gradient_of(w), [1j])
    assert np.array_equal(seen, [[1j]])
    assert np.array_equal(gradient_of(z), [1j * (1 - 1j)])


class Product(Function):
    """x y as PyTorch's users write it, conjugates and all."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y.conj(), g * x.conj()


def test_custom_function_uses_the_convention() -> None:
    gradcheck(Product.apply, [drawn(3), drawn(3, seed=1)], modes=("reverse",))
    gradgradcheck(Product.apply, [drawn(3), np.arange(3.0)], modes=("reverse",))


def test_checkpoint_of_complex_values() -> None:
    z, w = leaf(*drawn(3)), leaf(*drawn(3))
    abs(engine.checkpoint(lambda t: engine.exp(t) * t, z)).sum().backward()
    abs(engine.exp(w) * w).sum().backward()
    assert np.array_equal(gradient_of(z), gradient_of(w))


def test_inplace_operation_on_complex_values() -> None:
    z = leaf(1 + 2j, 3 - 1j)
    w = z * 1
    w.mul_(2j)
    w[0] = w[1] * 1j
    w.real.sum().backward()
    assert np.array_equal(gradient_of(z), [0, np.conj(2j) * (1 - 1j)])


# Derivatives of functions


def test_jacobian_of_holomorphic_function_has_complex_entries() -> None:
    z = drawn(3)
    assert np.allclose(engine.jacobian(lambda t: t * t, z).numpy(), np.diag(2 * z), rtol=1e-15)
    rotation = engine.jacobian(engine.fft, drawn(4)).numpy()
    k = np.arange(4)
    assert np.allclose(rotation, np.exp(-2j * np.pi * np.outer(k, k) / 4), atol=1e-15)


@pytest.mark.parametrize("f", [lambda z: z.conj(), lambda z: z * abs(z)])
def test_jacobian_refuses_non_holomorphic_functions(f: Any) -> None:
    with pytest.raises(ValueError, match="not holomorphic"):
        engine.jacobian(f, drawn(2))


def test_jacobian_of_complex_values_of_real_inputs() -> None:
    x = np.array([0.1, 0.7])
    assert np.allclose(engine.jacobian(lambda t: engine.exp(1j * t), x).numpy(), np.diag(1j * np.exp(1j * x)))
    summed = engine.jacobian(lambda t: engine.exp(1j * t).sum(), x).numpy()
    assert np.allclose(summed, 1j * np.exp(1j * x))


def test_jacobian_of_real_values_of_complex_inputs() -> None:
    z = drawn(3)
    assert np.allclose(engine.jacobian(lambda t: abs(t) ** 2, z).numpy(), np.diag(2 * z), rtol=1e-15)


def test_hvp_of_complex_inputs() -> None:
    def loss(t: Any) -> Any:
        return (abs(engine.exp(t)) ** 2 * t.real).sum()

    z, v = drawn(3), drawn(3, seed=1)
    change, error = engine.numerical_jvp(lambda t: engine.grad_of(loss)(t).numpy(), [z], [v])
    assert np.all(np.abs(engine.hvp(loss, (z,), (v,)).numpy() - change) <= 10 * error + 1e-12)
    assert np.allclose(engine.vhp(loss, (z,), (v,)).numpy(), change, rtol=1e-9)  # the Hessian of the plane is symmetric


def test_linearize_agrees_with_jvp() -> None:
    z, v = drawn(3), drawn(3, seed=1)
    for f in (lambda t: engine.exp(t) * t.conj(), abs, lambda t: engine.fft(t.real)):
        _, push = engine.linearize(f, z)
        assert np.allclose(push(v).numpy(), engine.jvp(f, (z,), (v,))[1].numpy(), rtol=1e-13, atol=1e-14)


# Refusals

COMPLEX = {sample.name for sample in SAMPLES if sample.of_complex}


def first_of_each() -> list[Sample]:
    """Return one real sample of each operation that is not sampled with complex numbers and has floating inputs."""
    found: dict[str, Sample] = {}
    for sample in SAMPLES:
        if sample.name not in COMPLEX and any(x.dtype.kind == "f" for x in sample.inputs()):
            found.setdefault(sample.name, sample)
    return list(found.values())


@pytest.mark.parametrize("sample", first_of_each(), ids=lambda s: s.name)
def test_operations_without_complex_samples_refuse_complex(sample: Sample) -> None:
    of_complex = sample.in_complex()
    named = f"`{sample.name}` is" if sample.name in registry else "a loss is|is"
    for inputs in (of_complex.inputs(), [Tensor(x, requires_grad=x.dtype.kind == "c") for x in of_complex.inputs()]):
        with pytest.raises(TypeError, match=f"({named}) not defined for complex numbers"):
            of_complex.function()(*inputs)


@pytest.mark.parametrize("name", ["argsort", "argmax", "argmin", "heaviside"])
def test_order_and_step_functions_refuse_complex_numbers(name: str) -> None:
    arguments = (drawn(3), 0.5) if name == "heaviside" else (drawn(3),)
    with pytest.raises(TypeError, match=f"`{name}` is not defined for complex numbers"):
        getattr(engine, name)(*arguments)


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
@pytest.mark.parametrize(
    "other", [2 + 1j, 1.0, np.ones(2), Tensor([1j, 2])], ids=["complex", "real", "array", "tensor"]
)
def test_comparisons_refuse_complex_numbers(compare: Any, other: Any) -> None:
    """As in Python and PyTorch; NumPy would compare real parts, and imaginary ones where those are equal."""
    z = Tensor([1j, 2 + 1j])
    with pytest.raises(TypeError, match=r"is not defined for complex numbers.*absolute value"):
        compare(z, other)
    with pytest.raises(TypeError, match="is not defined for complex numbers"):
        compare(other, z)
    with pytest.raises(TypeError, match="is not defined for complex numbers"):
        compare(Tensor([1.0, 2.0]), 1j)


def test_equality_accepts_complex_numbers() -> None:
    z = Tensor([1j, 2])
    assert np.array_equal(z == np.array([1j, 1]), [True, False])
    assert np.array_equal(z != 2, [True, False])


def test_backward_from_a_complex_result_gives_advice() -> None:
    with pytest.raises(RuntimeError, match=r"only a real output.*complex128.*`\.real`"):
        (leaf(1j) * 2).sum().backward()


def refused() -> dict[str, tuple[Any, type[Exception], str]]:
    z, x = drawn(2), np.ones(2)
    return {
        "complex cotangent of a real result": (
            lambda: leaf(1.0).sum().backward(Tensor(1j)),
            RuntimeError,
            "the output is real",
        ),
        "complex tangent of a real primal": (
            lambda: engine.jvp(engine.exp, (x,), (z,)),
            TypeError,
            "is complex, but its primal",
        ),
        "gradient of complex values": (lambda: engine.grad_of(lambda t: t.sum())(z), ValueError, "a real function"),
        "Hessian in complex numbers": (lambda: engine.hessian(lambda t: abs(t).sum(), z), TypeError, "`view_as_real"),
        "complex of complex parts": (lambda: engine.complex(z, x), TypeError, "`complex` is not defined"),
        "polar of complex parts": (lambda: engine.polar(x, z), TypeError, "not defined for complex"),
        "real numbers taken apart": (lambda: engine.view_as_real(x), TypeError, "`float64`"),
        "threes as complex": (lambda: engine.view_as_complex(np.ones((2, 3))), ValueError, r"\(2, 3\)"),
        "a number as complex": (lambda: engine.view_as_complex(np.ones(())), ValueError, "last axis of length 2"),
        "complex into real, in place": (lambda: Tensor(x).mul_(1j), TypeError, "does not convert"),
        "complex into real, by index": (lambda: Tensor(x).__setitem__(0, 1j), TypeError, "cannot hold"),
    }


@pytest.mark.parametrize("name", refused())
def test_undefined_complex_calls_are_refused_by_name(name: str) -> None:
    call, error, message = refused()[name]
    with pytest.raises(error, match=message):
        call()


def test_astype_to_real_warns_as_numpy_does() -> None:
    with pytest.warns(np.exceptions.ComplexWarning):
        converted = Tensor([1 + 2j]).astype(float)
    assert np.array_equal(converted.numpy(), [1])


# What infinite parts and free phases make hard


def test_complex_keeps_infinite_parts() -> None:
    assert engine.complex(np.array(1.0), np.array(np.inf)).real == 1
    assert np.array_equal(engine.view_as_real(engine.complex(np.float32(2), np.zeros(1, np.float32))), [[2, 0]])


def test_sigmoid_does_not_overflow_in_either_half_plane() -> None:
    z = np.array([1000 + 1j, -1000 + 1j])
    assert np.allclose(engine.sigmoid(z), [1, 0])


def test_slogdet_sign_is_differentiable_only_for_complex() -> None:
    assert isinstance(engine.slogdet(Tensor(np.eye(2)))[0], np.ndarray)
    assert isinstance(engine.slogdet(Tensor(1j * np.eye(2), requires_grad=True))[0], Tensor)


def of_qr(x: Any) -> Any:
    q, r = engine.qr(x)
    return engine.exp(q), r * r


def relative_phases(x: Any) -> Any:
    """Return what singular vectors leave open together only: the phase of u against that of v."""
    u, s, vh = engine.svd(x)
    return u[..., 0, :2] * vh[..., :2, 0] * s[..., :2]


DECOMPOSED: dict[str, Any] = {
    "cholesky": (lambda x: engine.cholesky(gram(x)) ** 2, (3, 3)),
    "qr": (of_qr, (3, 3)),
    "qr of more rows": (of_qr, (4, 2)),
    "qr of more columns": (of_qr, (2, 3)),
    "absolute eigenvectors": (lambda x: abs(engine.eigh(hermitian(x))[1]) ** 2, (3, 3)),
    "eigenvalues": (lambda x: engine.eigvalsh(hermitian(x)), (2, 3, 3)),
    "phases of singular vectors": (relative_phases, (3, 3)),
    "phases of more rows": (relative_phases, (4, 2)),
    "sign of a determinant": (lambda x: engine.slogdet(x)[0], (3, 3)),
    "pseudo-inverse": (engine.pinv, (3, 2)),
}


@pytest.mark.parametrize("name", DECOMPOSED)
def test_complex_decompositions_agree_with_differences(name: str) -> None:
    f, shape = DECOMPOSED[name]
    x = regular(np.random.default_rng(3), shape) + 0.4 * drawn(*shape)
    gradcheck(f, [x])
    gradgradcheck(f, [x])


def test_complex_decompositions_reconstruct_the_matrix() -> None:
    x = drawn(4, 3)
    q, r = engine.qr(x)
    u, s, vh = engine.svd(x)
    values, vectors = engine.eigh(hermitian(x[:3]))
    assert np.allclose(q @ r, x)
    assert np.allclose((u * s) @ vh, x)
    assert np.allclose((vectors * values) @ vectors.conj().T, hermitian(x[:3]))
    assert s.dtype == values.dtype == np.float64
