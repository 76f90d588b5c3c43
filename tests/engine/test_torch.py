"""The same operations in PyTorch: value, gradient and forward-mode tangent."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from tests.engine.exclusions import (
    NOT_IN_SINGLE,
    ROUNDED_IN_PYTORCH,
    WITHOUT_COUNTERPART,
    WITHOUT_FORWARD_MODE,
    WITHOUT_SECOND_ORDER,
    is_refused_by_pytorch,
)
from tests.engine.samples import COUNTERPARTS, SAMPLES, Sample
from tests.engine.walk import each

pytestmark = [
    pytest.mark.torch,
    # PyTorch 2.13 calls its own deprecated function when its forward mode is first imported.
    pytest.mark.filterwarnings("ignore:reduction. 'mean' divides:UserWarning"),  # of kl_div, as it says
    pytest.mark.filterwarnings("ignore:Using padding='same' with even:UserWarning"),  # of time, not of the result
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),  # by PyTorch itself
]


def tensors(torch: Any, arrays: list[Any]) -> list[Any]:
    return [torch.tensor(a) for a in arrays]


def in_single(value: Any) -> Any:
    """Return floating and complex numbers in single precision, and anything else as it is."""
    single: Any = {"f": np.float32, "c": np.complex64}.get(value.dtype.kind, value.dtype)
    return value.astype(single)


def array(tensor: Any) -> Any:
    return tensor.detach().resolve_conj().resolve_neg().numpy(force=True)


def test_every_operation_is_compared_or_excluded(capsys: pytest.CaptureFixture[str]) -> None:
    sampled = {sample.name for sample in SAMPLES}
    assert sampled - set(COUNTERPARTS) == set(WITHOUT_COUNTERPART)
    assert set(COUNTERPARTS) <= sampled
    with capsys.disabled():
        sys.stdout.write(f"\nagainst PyTorch: {len(COUNTERPARTS)} operations, {len(COMPARED)} samples\n")


COMPARED = [s for s in SAMPLES if s.name not in WITHOUT_COUNTERPART and not is_refused_by_pytorch(s)]


def close(sample: Sample) -> Any:
    """How closely results agree: both compute in float64, and their elementary functions differ in the last bits."""
    rounded = ROUNDED_IN_PYTORCH.get(sample.name)
    rtol = 1e-12 if rounded is None else rounded.rtol
    return {"rtol": rtol, "atol": rtol / 10}


class Both:
    """One sample in both libraries: the functions of its floating inputs, and a direction for each."""

    def __init__(self, torch: Any, sample: Sample, *, single: bool = False) -> None:
        self.inputs = [in_single(x) if single else x for x in sample.inputs()]
        self.ours = sample.function()
        self.floating = [k for k, x in enumerate(self.inputs) if x.dtype.kind in "fc"]
        counterpart = COUNTERPARTS[sample.name](torch)

        def theirs(*values: Any) -> Any:
            filled = tensors(torch, self.inputs)
            for k, v in zip(self.floating, values, strict=True):
                filled[k] = v + 0j if sample.of_complex and not v.is_complex() else v  # few operations take both kinds
            return counterpart(*filled, **sample.static)

        self.theirs = theirs
        self.rng = np.random.default_rng(5)

    def leaves(self, torch: Any) -> list[Any]:
        return [torch.tensor(self.inputs[k], requires_grad=True) for k in self.floating]

    def drawn_like(self, value: Any) -> Any:
        """Draw a direction for an array or a tensor of either library: complex for a complex one."""
        direction = self.rng.normal(size=tuple(value.shape))
        is_complex = "complex" in str(value.dtype)
        return np.asarray(direction + 1j * self.rng.normal(size=direction.shape) if is_complex else direction)


@each(COMPARED)
def test_value_and_gradient_agree(torch: Any, sample: Sample) -> None:
    both = Both(torch, sample)
    leaves = both.leaves(torch)
    value, pullback = engine.vjp(both.ours, *both.inputs)
    expected = both.theirs(*leaves)
    assert np.allclose(value.numpy(), array(expected), **close(sample))
    cotangent = both.drawn_like(value)
    gradients = torch.autograd.grad(expected, leaves, torch.tensor(cotangent))
    ours: Any = pullback(cotangent)
    for k, gradient in zip(both.floating, gradients, strict=True):
        assert np.allclose(ours[k].numpy(), array(gradient), **close(sample))


@each(s for s in COMPARED if s.of_complex and s.name not in NOT_IN_SINGLE)
def test_value_and_gradient_agree_in_single_precision(torch: Any, sample: Sample) -> None:
    both = Both(torch, sample, single=True)
    leaves = both.leaves(torch)
    value, pullback = engine.vjp(both.ours, *both.inputs)
    expected = both.theirs(*leaves)
    assert value.dtype == in_single(value.numpy()).dtype
    # A few dozen roundings of 6e-8, of numbers up to 30.
    assert np.allclose(value.numpy(), array(expected), rtol=1e-4, atol=2e-5)
    cotangent = both.drawn_like(value).astype(value.dtype)
    gradients = torch.autograd.grad(expected, leaves, torch.tensor(cotangent))
    ours: Any = pullback(cotangent)
    for k, gradient in zip(both.floating, gradients, strict=True):
        assert ours[k].dtype == array(gradient).dtype
        assert np.allclose(ours[k].numpy(), array(gradient), rtol=1e-3, atol=1e-4)


@each(s for s in COMPARED if s.name not in WITHOUT_FORWARD_MODE)
def test_forward_mode_tangent_agrees(torch: Any, sample: Sample) -> None:
    both = Both(torch, sample)
    primals = [both.inputs[k] for k in both.floating]
    tangents = [both.drawn_like(x) for x in primals]
    _, pushed = torch.func.jvp(both.theirs, tuple(tensors(torch, primals)), tuple(tensors(torch, tangents)))
    directions: list[Any] = [None] * len(both.inputs)
    for k, t in zip(both.floating, tangents, strict=True):
        directions[k] = t
    assert np.allclose(engine.jvp(both.ours, both.inputs, directions)[1].numpy(), array(pushed), **close(sample))


@each(s for s in COMPARED if s.name not in WITHOUT_SECOND_ORDER)
def test_gradient_of_the_gradient_agrees(torch: Any, sample: Sample) -> None:
    both = Both(torch, sample)
    theirs = both.leaves(torch)
    ours = [engine.Tensor(x, requires_grad=k in both.floating) for k, x in enumerate(both.inputs)]
    leaves = [ours[k] for k in both.floating]
    value = both.ours(*ours)
    cotangent = both.drawn_like(value)
    seed, their_seed = engine.Tensor(cotangent, requires_grad=True), torch.tensor(cotangent, requires_grad=True)
    first = engine.grad(value, leaves, seed, create_graph=True)
    expected = torch.autograd.grad(both.theirs(*theirs), theirs, their_seed, create_graph=True)
    weights = [both.drawn_like(g) for g in expected]
    outer = [(g, w) for g, w in zip(first, weights, strict=True) if g is not None and g.requires_grad]
    their_outer = [(g, w) for g, w in zip(expected, weights, strict=True) if g.requires_grad]
    found: Any = engine.grad([g for g, _ in outer], [*leaves, seed], [w for _, w in outer], allow_unused=True)
    wanted = torch.autograd.grad(
        [g for g, _ in their_outer],
        [*theirs, their_seed],
        tensors(torch, [w for _, w in their_outer]),
        allow_unused=True,
    )
    for got, right, like in zip(found, wanted, [*theirs, their_seed], strict=True):
        zeros = np.zeros(like.shape)  # None means that nothing depends on it
        left = zeros if got is None else got.numpy()
        assert np.allclose(left, zeros if right is None else array(right), **close(sample))


QUADRANTS = [0.4 + 0.3j, -1.3 + 0.2j, -0.6 - 1.5j, 2.5 - 0.7j, 0.3 - 0.1j, -2.5 - 0.1j]
HOLOMORPHIC = (
    *("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "arcsin", "arccos", "arctan"),
    *("sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "reciprocal", "square", "sigmoid", "rsqrt", "exp2"),
    *("sgn", "angle", "absolute", "sinc"),
)


@pytest.mark.parametrize("name", HOLOMORPHIC)
def test_branch_cuts_agree_with_pytorch(torch: Any, name: str) -> None:
    z, t = engine.Tensor(QUADRANTS, requires_grad=True), torch.tensor(QUADRANTS, dtype=torch.complex128)
    t.requires_grad_()
    value, expected = getattr(engine, name)(z), getattr(torch, name)(t)
    assert np.allclose(value.numpy(), array(expected), rtol=1e-12)
    cotangent = np.exp(1j * np.arange(6.0)) if value.dtype.kind == "c" else np.arange(1.0, 7.0)
    value.backward(cotangent)
    expected.backward(torch.tensor(cotangent))
    assert z.grad is not None
    assert np.allclose(z.grad.numpy(), array(t.grad), rtol=1e-11)


COMPLEX_KINKS: dict[str, Any] = {
    "absolute": (lambda e, z: abs(z), [[0j, 3 - 4j]]),
    "angle": (lambda e, z: e.angle(z), [[0j, 3 - 4j]]),
    "sgn": (lambda e, z: e.sgn(z).real, [[0j, 3 - 4j]]),
    "power of a negative base": (lambda e, z, w: (z**w).real, [[-2 + 0j, 0.5 + 0j], [0.5 + 1j, 2 - 1j]]),
    "number to a power": (lambda e, w: (2.5**w).imag, [[0.5 + 1j, 2 - 1j]]),
    "power of 0": (lambda e, z, w: (z**w).real, [[0j, 0j], [2 + 0j, 3 + 0j]]),
    "prod with zeros": (lambda e, z: e.prod(z).real, [[0j, 2 + 1j, 3j]]),
}


@pytest.mark.parametrize("name", COMPLEX_KINKS)
def test_complex_kinks_agree_with_pytorch(torch: Any, name: str) -> None:
    f, data = COMPLEX_KINKS[name]
    ours = [engine.Tensor(d, requires_grad=True) for d in data]
    theirs = [torch.tensor(d, dtype=torch.complex128, requires_grad=True) for d in data]
    f(engine, *ours).sum().backward()
    f(torch, *theirs).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        assert a.grad is not None
        assert np.allclose(a.grad.numpy(), array(b.grad), rtol=1e-13, atol=1e-15)


KINKS: dict[str, Any] = {
    "relu": (lambda e, x: e.relu(x), [[0.0, -1.0, 2.0]]),
    "absolute": (lambda e, x: abs(x), [[0.0, -1.0, 2.0]]),
    "maximum": (lambda e, x, y: e.maximum(x, y), [[0.0, 1.0, 2.0], [0.0, 2.0, 2.0]]),
    "minimum": (lambda e, x, y: e.minimum(x, y), [[0.0, 1.0, 2.0], [0.0, 2.0, 2.0]]),
    "clip at a bound": (lambda e, x: e.clip(x, -1.0, 1.0), [[-1.0, 1.0, 1.5, -3.0]]),
    "power of 0 to a constant 0": (lambda e, x: x**0, [[0.0, 1.0]]),
    "power of 0 to a tensor": (lambda e, x, y: x**y, [[0.0, 0.0, 2.0], [2.0, 0.0, 0.0]]),
    "0 to a tensor": (lambda e, y: 0.0**y, [[2.0, 1.0]]),
    "prod with zeros": (lambda e, x: e.prod(x), [[0.0, 2.0, 3.0]]),
    "sign": (lambda e, x: e.sign(x) * x, [[0.0, -1.0, 2.0]]),
}


@pytest.mark.parametrize("name", KINKS)
def test_kinks_agree_with_pytorch(torch: Any, name: str) -> None:
    f, data = KINKS[name]
    ours = [engine.Tensor(d, requires_grad=True) for d in data]
    theirs = [torch.tensor(d, dtype=torch.float64, requires_grad=True) for d in data]
    f(engine, *ours).sum().backward()
    f(torch, *theirs).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        assert a.grad is not None
        assert np.array_equal(a.grad.numpy(), b.grad.numpy())


STEPS: dict[str, list[float]] = {
    "relu6": [0, 6],
    "hardtanh": [-1, 1],
    "hardsigmoid": [-3, 3],
    "hardswish": [-3, 0],
    "softshrink": [-0.5, 0.5],
    "hardshrink": [-0.5, 0.5],
    "leaky_relu": [0],
    "elu": [0],
    "selu": [0],
    "softsign": [0],
}


@pytest.mark.parametrize("name", STEPS)
def test_activation_subgradients_agree_with_pytorch(torch: Any, name: str) -> None:
    x = engine.Tensor(STEPS[name], requires_grad=True, dtype=float)
    t = torch.tensor(STEPS[name], dtype=torch.float64, requires_grad=True)
    getattr(engine, name)(x).sum().backward()
    getattr(torch.nn.functional, name)(t).sum().backward()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-15)


TIES: dict[str, Any] = {
    "the first of a window's maxima": (
        lambda x: engine.max_pool1d(x[None, None], 3, 1)[0, 0],
        lambda t: lambda x: t.nn.functional.max_pool1d(x[None, None], 3, 1)[0, 0],
    ),
    "the latest of a running maximum": (engine.cummax, lambda t: lambda x: t.cummax(x, 0).values),
    "the first of two by fmax": (
        lambda x: engine.fmax(x[:-1], x[1:]),
        lambda t: lambda x: t.fmax(x[:-1], x[1:]),
    ),
    "the first in a stable sort": (
        engine.sort,
        lambda t: lambda x: t.sort(x, stable=True).values,
    ),
}


@pytest.mark.parametrize("name", TIES)
def test_choice_among_equal_elements_agrees_with_pytorch(torch: Any, name: str) -> None:
    ours, theirs = TIES[name]
    data = [2.0, 5.0, 5.0, 5.0, 1.0, 5.0]
    x, t = engine.Tensor(data, requires_grad=True), torch.tensor(data, dtype=torch.float64, requires_grad=True)
    value, expected = ours(x), theirs(torch)(t)
    weights = np.arange(1.0, value.size + 1)
    value.backward(weights)
    expected.backward(torch.tensor(weights))
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), t.grad.numpy())


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(("ours", "theirs"), [(engine.max, "amax"), (engine.min, "amin")])
def test_max_shares_the_gradient_as_amax_does(torch: Any, axis: Any, ours: Any, theirs: Any) -> None:
    data = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    x, t = engine.Tensor(data, requires_grad=True), torch.tensor(data, dtype=torch.float64, requires_grad=True)
    ours(x, axis).sum().backward()
    getattr(torch, theirs)(t, (0, 1) if axis is None else axis).sum().backward()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-15)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_losses_agree_with_pytorch_in_every_reduction(torch: Any, name: str, reduction: Any) -> None:
    scores, labels = np.random.default_rng(0).normal(size=(4, 3, 2)), np.array([[0, 2], [1, 1], [2, 0], [0, 0]])
    x, t = engine.Tensor(scores, requires_grad=True), torch.tensor(scores, requires_grad=True)
    ours = getattr(engine, name)(x, labels, reduction)
    theirs = getattr(torch.nn.functional, name)(t, torch.tensor(labels), reduction=reduction)
    assert np.allclose(ours.numpy(), theirs.detach().numpy(), rtol=1e-13)
    ours.sum().backward()
    theirs.sum().backward()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-13, atol=1e-16)


def test_gelu_tanh_approximation_agrees(torch: Any) -> None:
    data = np.linspace(-4, 4, 17)
    x, t = engine.Tensor(data, requires_grad=True), torch.tensor(data, requires_grad=True)
    engine.gelu(x, "tanh").sum().backward()
    torch.nn.functional.gelu(t, approximate="tanh").sum().backward()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-12, atol=1e-14)


def test_value_second_backward_agrees_with_pytorch(torch: Any) -> None:
    ours = engine.Value(2.0)
    theirs = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y, z = (ours * ours).tanh(), torch.tanh(theirs * theirs)
    for _ in range(3):
        y.backward()
        z.backward(retain_graph=True)
    assert ours.grad == pytest.approx(theirs.grad.item(), rel=1e-15)
