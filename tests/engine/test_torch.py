"""The same operations in PyTorch: value, gradient and forward-mode tangent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine.primitive import registry
from tests.engine.samples import SAMPLES, Sample

pytestmark = [
    pytest.mark.torch,
    # PyTorch 2.13 calls its own deprecated function when its forward mode is first imported.
    pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
]

WITHOUT_COUNTERPART = {"index_scatter", "scatter_along_axis", "expand_dims", "copy_slices"}


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch")


def reduction(function: Any) -> Any:
    """Call PyTorch's reduction, which wants every axis named where NumPy means all by None."""

    def call(x: Any, axis: Any = None, keepdims: Any = False, **more: Any) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else axis
        return function(x, axes, keepdims, **more)

    return call


def prod(torch: Any) -> Any:
    def call(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
        axes = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
        for k in sorted((a % x.ndim for a in axes), reverse=True):
            x = torch.prod(x, k, keepdim=keepdims)
        return x

    return call


def index_of(torch: Any, index: Any) -> Any:
    if isinstance(index, tuple):
        return tuple(index_of(torch, part) for part in index)
    return torch.from_numpy(index) if isinstance(index, np.ndarray) else index


def squeezed(x: Any, axis: Any = None) -> Any:
    return x.squeeze() if axis is None else x.squeeze(axis)


def counterparts(torch: Any) -> dict[str, Any]:
    f = torch.nn.functional
    renamed = {
        "power": torch.pow,
        "clip": torch.clamp,
        "where": torch.where,
        "astype": lambda x, dtype: x.to(torch.float64),
        "transpose": lambda x, axes=None: x.permute(tuple(axes or range(x.ndim - 1, -1, -1))),
        "swapaxes": lambda x, axis1, axis2: torch.swapaxes(x, axis0=axis1, axis1=axis2),
        "broadcast_to": lambda x, shape: torch.broadcast_to(x, size=shape),
        "squeeze": squeezed,
        "flip": lambda x, axis=None: torch.flip(x, list(range(x.ndim)) if axis is None else [axis]),
        "concatenate": lambda *xs, axis: torch.cat(xs, axis),
        "sum": reduction(torch.sum),
        "mean": reduction(torch.mean),
        "max": reduction(torch.amax),
        "min": reduction(torch.amin),
        "prod": prod(torch),
        "var": reduction(lambda x, a, k, ddof=0: torch.var(x, a, correction=ddof, keepdim=k)),
        "std": reduction(lambda x, a, k, ddof=0: torch.std(x, a, correction=ddof, keepdim=k)),
        "logsumexp": reduction(torch.logsumexp),
        "cumsum": lambda x, axis=None: torch.cumsum(x.reshape(-1) if axis is None else x, axis or 0),
        "getitem": lambda x, index: x[index_of(torch, index)],
        "take_along_axis": lambda x, i, axis: torch.take_along_dim(x, i, dim=axis),
        "relu": f.relu,
        "sigmoid": torch.sigmoid,
        "softplus": f.softplus,
        "silu": f.silu,
        "gelu": f.gelu,
        "softmax": lambda x, axis=-1: f.softmax(x, dim=axis),
        "log_softmax": lambda x, axis=-1: f.log_softmax(x, dim=axis),
        "cross_entropy": lambda x, t, axis: f.cross_entropy(x, t, reduction="none"),
    }
    same = {name: getattr(torch, name) for name in registry if name not in renamed and hasattr(torch, name)}
    return {**same, **renamed}


def in_torch(torch: Any, sample: Any) -> Any:
    function = counterparts(torch)[sample.name]
    return lambda *xs: function(*xs, **sample.static)


def has_negative_step(sample: Any) -> bool:
    index = sample.static.get("index")
    return isinstance(index, tuple) and any(isinstance(k, slice) and (k.step or 1) < 0 for k in index)


def tensors(torch: Any, arrays: list[Any]) -> list[Any]:
    return [torch.tensor(a) for a in arrays]


def test_every_primitive_is_compared_or_known_to_have_no_counterpart(torch: Any) -> None:
    assert set(registry) - set(counterparts(torch)) == WITHOUT_COUNTERPART


COMPARED = [s for s in SAMPLES if s.name not in WITHOUT_COUNTERPART and not has_negative_step(s)]


@pytest.mark.parametrize("sample", COMPARED, ids=str)
def test_value_gradient_and_tangent_agree(torch: Any, sample: Sample) -> Any:
    inputs = sample.inputs()
    f, g = in_torch(torch, sample), lambda *xs: registry[sample.name](*xs, **sample.static)
    theirs = [t.requires_grad_() if t.is_floating_point() else t for t in tensors(torch, inputs)]
    value, pullback = engine.vjp(g, *inputs)
    expected = f(*theirs)
    # Both compute in float64 with a handful of operations; their elementary functions differ in the last bits.
    close: Any = {"rtol": 1e-12, "atol": 1e-13}
    assert np.allclose(value.numpy(), expected.detach().numpy(), **close)
    rng = np.random.default_rng(5)
    cotangent = np.asarray(rng.normal(size=value.shape))
    floating = [k for k, t in enumerate(theirs) if t.requires_grad]
    gradients = torch.autograd.grad(expected, [theirs[k] for k in floating], torch.tensor(cotangent))
    ours: Any = pullback(cotangent)
    for k, gradient in zip(floating, gradients, strict=True):
        assert np.allclose(ours[k].numpy(), gradient.numpy(), **close)
    tangents = [np.asarray(rng.normal(size=inputs[k].shape)) for k in floating]

    def of_floating(*values: Any) -> Any:
        filled = list(tensors(torch, inputs))
        for k, v in zip(floating, values, strict=True):
            filled[k] = v
        return f(*filled)

    _, pushed = torch.func.jvp(
        of_floating, tuple(tensors(torch, [inputs[k] for k in floating])), tuple(map(torch.tensor, tangents))
    )
    directions: list[Any] = [None] * len(inputs)
    for k, t in zip(floating, tangents, strict=True):
        directions[k] = t
    assert np.allclose(engine.jvp(g, inputs, directions)[1].numpy(), pushed.numpy(), **close)


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
def test_conventions_at_kinks_are_pytorchs(torch: Any, name: str) -> None:
    f, data = KINKS[name]
    ours = [engine.Tensor(d, requires_grad=True) for d in data]
    theirs = [torch.tensor(d, dtype=torch.float64, requires_grad=True) for d in data]
    f(engine, *ours).sum().backward()
    f(torch, *theirs).sum().backward()
    for a, b in zip(ours, theirs, strict=True):
        assert a.grad is not None
        assert np.array_equal(a.grad.numpy(), b.grad.numpy())


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(("ours", "theirs"), [(engine.max, "amax"), (engine.min, "amin")])
def test_ties_of_an_extreme_share_the_gradient_as_amax_does(torch: Any, axis: Any, ours: Any, theirs: Any) -> None:
    data = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    x, t = engine.Tensor(data, requires_grad=True), torch.tensor(data, dtype=torch.float64, requires_grad=True)
    ours(x, axis).sum().backward()
    getattr(torch, theirs)(t, (0, 1) if axis is None else axis).sum().backward()
    assert x.grad is not None
    assert np.allclose(x.grad.numpy(), t.grad.numpy(), rtol=1e-15)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", ["cross_entropy", "nll_loss"])
def test_losses_agree_in_every_reduction(torch: Any, name: str, reduction: Any) -> None:
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


def test_interior_gradients_of_value_follow_a_second_backward_as_pytorchs_leaves_do(torch: Any) -> None:
    ours = engine.Value(2.0)
    theirs = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    y, z = (ours * ours).tanh(), torch.tanh(theirs * theirs)
    for _ in range(3):
        y.backward()
        z.backward(retain_graph=True)
    assert ours.grad == pytest.approx(theirs.grad.item(), rel=1e-15)
