"""The modes in which every sample is compared on another device with the CPU: for the strict device and for a GPU."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine
from autodrill.engine import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from tests.engine.samples import Sample

__all__ = ["MODES", "WAITS", "Run", "compare", "reason_to_wait", "to_device", "to_host"]

WAITS: dict[str, str] = {
    "det": "of a singular matrix the gradient is found another way, so the rule looks whether the determinant is 0",
    "logdet": "as `det`",
    "eig": "the rule refuses a defective matrix, equal eigenvalues, and a loss that depends on phases",
    "eigvals": "as `eig`",
    "eigh": "the rule refuses equal eigenvalues, and a loss that depends on phases",
    "eigvalsh": "as `eigh`",
    **dict.fromkeys(("cond", "norm", "svdvals"), "as `svd`"),
    "svd": "the rule refuses equal singular values, and a loss that depends on phases",
    "getitem": "of an index with a mask: the number of elements depends on values",
    "masked_select": "the number of elements depends on values",
    "masked_scatter": "the number of elements depends on values",
}
"""Operations whose backward makes the host wait for the device, each with the reason; of the others none does."""


def reason_to_wait(sample: Sample) -> str | None:
    """Return why the backward of a sample may look at values, or None if it must not."""
    return WAITS.get(sample.name)


def to_device(value: Any, xp: Any) -> Any:
    """Return NumPy's arrays in nested containers as arrays of a library."""
    if isinstance(value, np.ndarray):
        return xp.asarray(value)
    if isinstance(value, Tensor):
        return Tensor(xp.asarray(value.data))
    if isinstance(value, dict):
        return {key: to_device(part, xp) for key, part in value.items()}
    if type(value) in {tuple, list}:
        return type(value)(to_device(part, xp) for part in value)
    return value


def to_host(value: Any) -> Any:
    """Return arrays and Tensors in nested containers as NumPy's arrays; this waits for the device."""
    if isinstance(value, Tensor):
        return np.array(value.numpy())
    if isinstance(value, (tuple, list)):
        return [to_host(part) for part in value]
    return value.get() if hasattr(value, "get") else None if value is None else np.asarray(value)


@dataclass(frozen=True)
class Run:
    """One sample on one device.

    Attributes:
        f: The sampled function.
        inputs: Its inputs, on the device.
        cotangent: A cotangent of its result.
        tangents: A tangent of each input, None for one of integers.
        xp: The device's array library.
        watch: Entered around the backward passes, to count synchronisations.
    """

    f: Callable[..., Any]
    inputs: Sequence[Any]
    cotangent: Any
    tangents: Sequence[Any]
    xp: Any
    watch: Callable[[], AbstractContextManager[Any]] = nullcontext

    def pulled(self) -> Callable[..., Any]:
        """Return the function (cotangent, *inputs) -> gradients."""

        def gradients(cotangent: Any, *inputs: Any) -> Any:
            return tuple(g for g in engine.vjp(self.f, *inputs)[1](cotangent) if g is not None)

        return gradients


def _drawn_like(rng: np.random.Generator, value: Any) -> Any:
    direction = rng.normal(size=value.shape)
    return np.asarray(direction + 1j * rng.normal(size=value.shape) if value.dtype.kind == "c" else direction)


def _forward(run: Run) -> Any:
    return [run.f(*run.inputs)]


def _vjp(run: Run) -> Any:
    _, pullback = engine.vjp(run.f, *run.inputs)
    with run.watch():
        return pullback(run.cotangent)


def _jvp(run: Run) -> Any:
    return [engine.jvp(run.f, run.inputs, run.tangents)[1]]


def _reverse_over_reverse(run: Run) -> Any:
    """Differentiate the gradients, which backward records with `create_graph=True`, once more."""
    variables = [Tensor(x, requires_grad=x.dtype.kind in "fc") for x in run.inputs]
    leaves = [v for v in variables if v.requires_grad]
    first = engine.grad(run.f(*variables), leaves, run.cotangent, create_graph=True, allow_unused=True)
    recorded = [g for g in first if g is not None and g.requires_grad]
    if not recorded:
        return [g for g in first if g is not None]
    with run.watch():
        return engine.grad(recorded, leaves, [run.xp.ones_like(g.data) for g in recorded], allow_unused=True)


def _forward_over_reverse(run: Run) -> Any:
    directions = [run.xp.ones_like(run.cotangent), *run.tangents]
    return engine.jvp(run.pulled(), [run.cotangent, *run.inputs], directions)[1]


def _twice(run: Run) -> tuple[list[Any], Any]:
    """Return two examples of the inputs and the cotangent: the sample, and the same as a copy."""
    stack = run.xp.stack
    return [stack([x, x]) for x in run.inputs], stack([run.cotangent, 2 * run.cotangent])


def _vmap(run: Run) -> Any:
    inputs, _ = _twice(run)
    return [engine.vmap(run.f, randomness="same")(*inputs)]


def _vmap_of_gradients(run: Run) -> Any:
    inputs, cotangents = _twice(run)
    return engine.vmap(run.pulled(), randomness="same")(cotangents, *inputs)


MODES: dict[str, Callable[[Run], Any]] = {
    "forward": _forward,
    "vjp": _vjp,
    "jvp": _jvp,
    "reverse over reverse": _reverse_over_reverse,
    "forward over reverse": _forward_over_reverse,
    "vmap": _vmap,
    "vmap of gradients": _vmap_of_gradients,
}
"""What is compared of each sample."""


def prepared(sample: Sample) -> Run:
    """Return a sample on the CPU, with the directions of its derivatives."""
    f, inputs, rng = sample.function(), sample.inputs(), np.random.default_rng(1)
    cotangent = _drawn_like(rng, np.asarray(f(*inputs)))
    return Run(f, inputs, cotangent, [_drawn_like(rng, x) if x.dtype.kind in "fc" else None for x in inputs], np)


def moved(sample: Sample, run: Run, xp: Any, watch: Callable[[], AbstractContextManager[Any]] = nullcontext) -> Run:
    """Return the same sample on another device."""
    f = replace(sample, static=to_device(sample.static, xp)).function()
    inputs, tangents = ([to_device(x, xp) for x in part] for part in (run.inputs, run.tangents))
    return Run(f, inputs, xp.asarray(run.cotangent), tangents, xp, watch)


def compare(mode: str, here: Run, there: Run, *, rtol: float) -> None:
    """Assert that a mode gives the same on a device as on the CPU, shapes and dtypes included."""
    expected, found = to_host(MODES[mode](here)), to_host(MODES[mode](there))
    assert len(found) == len(expected)
    for got, wanted in zip(found, expected, strict=True):
        if wanted is None:
            assert got is None
            continue
        assert got is not None
        assert got.shape == wanted.shape
        assert got.dtype == wanted.dtype
        size = np.max(np.abs(wanted), initial=0) if wanted.dtype.kind in "fc" else 0
        np.testing.assert_allclose(got, wanted, rtol=rtol, atol=rtol * float(size) + 1e-14)
