"""Compare one operation of PyTorch's `op_db` with the engine's: value, gradient, tangent and second derivative."""

from __future__ import annotations

import sys
import types
import unittest
import warnings
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

MODES = ("value", "gradient", "tangent", "second")
"""What is compared: the value, a vector-Jacobian product, a Jacobian-vector product, and the gradient of the first."""

RTOL = 1e-9
"""Of the largest element: both compute in float64, and samples of 5 by 5 matrices lose some six digits at worst."""

REFUSED = "PyTorch raises an error of its own"


VALUE_ONLY: dict[str, str] = {
    f"nn.functional.max_unpool{dims}d": "PyTorch keeps the last of several maxima at one place, and differentiates all"
    for dims in (1, 2, 3)
}
"""Variants whose derivatives PyTorch's own tests leave to another variant, here `max_unpool2d.grad`, and why."""


class NotOfferedError(Exception):
    """The sample asks for an option that the engine's operation does not have, or for random numbers."""


@dataclass(frozen=True)
class Check:
    """One comparison.

    Attributes:
        name: The operation, with its variant after a point, as in `op_db`.
        sample: Which of its samples.
        mode: One of `MODES`.
        error: The largest difference over the largest element, infinite where shapes or NaNs differ.
        note: What else is to be said of a miss: the error that was raised.

    Samples hold poles and zeros on purpose: an infinity or a NaN in the same place is agreement.
    """

    name: str
    sample: int
    mode: str
    error: float
    note: str = ""

    @property
    def agrees(self) -> bool:
        """Whether the two are the same to rounding."""
        return self.error <= RTOL


@dataclass(frozen=True)
class Comparison:
    """What came of the samples of one operation.

    Attributes:
        name: The operation, with its variant after a point.
        checks: Each mode of each sample that was compared.
        left_out: Samples, or modes of one, that were not, and why.
    """

    name: str
    checks: tuple[Check, ...]
    left_out: tuple[str, ...]


def load_op_db() -> list[Any]:
    """Return PyTorch's list of sampled operations.

    PyTorch's testing helpers import the package `expecttest` for a test class that the samples never use; where it is
    not installed an empty module stands in for it.
    """
    if "expecttest" not in sys.modules:
        try:
            __import__("expecttest")
        except ImportError:
            stub = types.ModuleType("expecttest")
            stub.TestCase = unittest.TestCase  # type: ignore[attr-defined]  # a module made on the spot
            sys.modules["expecttest"] = stub
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    operations: list[Any] = op_db
    return operations


def served(operations: Sequence[Any], name: str, calls: Mapping[str, Any]) -> list[Any]:
    """Return the operations that a name's call is for: all variants that have none of their own."""
    return [
        op
        for op in operations
        if (named(op) == name or (op.name == name and named(op) not in calls)) and op.supports_autograd
    ]


def without_equivalent(operations: Sequence[Any], calls: Mapping[str, Any]) -> tuple[int, set[str]]:
    """Return the number of differentiable names in `op_db`, and those of which the engine has no equivalent."""
    names: dict[str, set[str]] = {}
    for op in operations:
        if op.supports_autograd:
            names.setdefault(op.name, {op.name}).add(named(op))
    return len(names), {name for name, variants in names.items() if variants.isdisjoint(calls)}


def named(op: Any) -> str:
    """Return an operation's name with its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else str(op.name)


def samples(torch: Any, op: Any, most: int, *, spread: bool) -> list[Any]:
    """Return up to `most` samples of an operation in double precision, the same ones each time.

    They are complex if the operation takes no real numbers.

    Args:
        torch: PyTorch.
        op: An entry of `op_db`.
        most: How many.
        spread: Evenly spread over all there are; otherwise the first ones, which takes less time.
    """
    torch.manual_seed(0)
    with _quiet():
        dtype = torch.float64 if torch.float64 in op.dtypes else torch.complex128
        made = op.sample_inputs("cpu", dtype, requires_grad=True)
        every = list(made if spread else islice(made, most))
    if len(every) <= most:
        return every
    return [every[k * (len(every) - 1) // (most - 1)] for k in range(most)]


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence warnings of both libraries: samples lie at kinks, poles and deprecated spellings on purpose."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


_PROJECTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "gradcheck_wrapper_hermitian_input": (lambda x: x + x.mH, lambda x: x + engine.swapaxes(x, -1, -2)),
    "gradcheck_wrapper_ctc_loss": (lambda x: x.log_softmax(2), lambda x: engine.log_softmax(x, axis=2)),
}
"""What PyTorch's own gradient checks put before an operation on symmetric matrices or log-probabilities, twice."""


_TRIANGULAR = {"cholesky_inverse": 0, "cholesky_solve": 1, "triangular_solve": 1}
"""The place of a triangular matrix, whose other triangle PyTorch does not read but gives a gradient.

PyTorch's own gradient checks cut it off too.
"""


def _triangular(name: str, arguments: Sequence[Any], options: Mapping[str, Any]) -> list[Any]:
    """Return the arguments with the triangle that is not read set to 0."""
    if name not in _TRIANGULAR:
        return list(arguments)
    place = _TRIANGULAR[name]
    matrix = arguments[place]
    library: Any = engine if isinstance(matrix, engine.Tensor) else sys.modules["torch"]
    cut = library.triu if options.get("upper", name == "triangular_solve") else library.tril
    return [*arguments[:place], cut(matrix), *arguments[place + 1 :]]


def _without_signs(usv: Any) -> Any:
    u, s, v = usv
    k = s.shape[-1]
    vt = v[..., :k, :] if type(usv).__name__ == "linalg_svd" else v[..., :k].mT
    return u[..., :k].abs(), s, vt.abs()


_COMPARED: dict[str, Callable[[Any], Any]] = {
    "svd": _without_signs,
    "linalg.svd": _without_signs,
    "linalg.lstsq": lambda result: result[0],
}
"""What to compare of PyTorch's results, in place of what its samples say: all up to signs, and no residuals."""


def _drawn_like(rng: np.random.Generator, value: Any) -> Any:
    """Draw a direction in double precision, which is complex for a complex value."""
    shape = tuple(value.shape)
    real = rng.normal(size=shape)
    return np.asarray(real + 1j * rng.normal(size=shape) if value.is_complex() else real)


class _Both:
    """One sample as a function of its differentiable tensors, in both libraries; complex results as real pairs."""

    def __init__(self, torch: Any, op: Any, sample: Any, call: Callable[..., Any]) -> None:
        from torch.utils import _pytree as pytree

        self.torch, self.op, self.sample, self.call = torch, op, sample, call
        flat, self.structure = pytree.tree_flatten((sample.input, sample.args, sample.kwargs))
        self.flat = [self._in_double(v.detach().clone()) if isinstance(v, torch.Tensor) else v for v in flat]
        self.places = [k for k, v in enumerate(flat) if isinstance(v, torch.Tensor) and v.requires_grad]
        self.pytree = pytree
        wrapper = op.gradcheck_wrapper.__name__
        self.projection = wrapper if wrapper in _PROJECTIONS else None

    @staticmethod
    def _in_double(value: Any) -> Any:
        """Some samples hold a few float32 numbers, weights for one, of which PyTorch rounds everything to float32."""
        return value.double() if value.is_floating_point() else value

    def _filled(self, values: Sequence[Any], convert: Callable[[Any], Any]) -> Any:
        flat = [convert(v) for v in self.flat]
        for place, value in zip(self.places, values, strict=True):
            flat[place] = value
        return self.pytree.tree_unflatten(flat, self.structure)

    def theirs(self, *values: Any) -> tuple[Any, ...]:
        torch = self.torch
        # Cloned, because some operations write to their arguments (running statistics).
        given, args, kwargs = self._filled(values, lambda v: v.clone() if isinstance(v, torch.Tensor) else v)
        if self.projection:
            given = _PROJECTIONS[self.projection][0](given)
        given, *args = _triangular(self.op.name, [given, *args], kwargs)
        result = self.op(given, *args, **kwargs)
        process = _COMPARED.get(self.op.name, self.sample.output_process_fn_grad)
        found, _ = self.pytree.tree_flatten(process(result))
        tensors = (t for t in found if isinstance(t, torch.Tensor))
        parts = (torch.stack([t.real, t.imag], -1) if t.is_complex() else t for t in tensors)
        return tuple(t for t in parts if t.is_floating_point())

    def ours(self, *values: Any) -> tuple[Any, ...]:
        torch = self.torch
        given, args, kwargs = self._filled(values, lambda v: v.numpy() if isinstance(v, torch.Tensor) else v)
        if self.projection:
            given = _PROJECTIONS[self.projection][1](given)
        given, *args = _triangular(self.op.name, [given, *args], kwargs)
        result = self.call(given, *args, **kwargs)
        found = list(result) if isinstance(result, (tuple, list)) else [result]
        tensors = (t if isinstance(t, engine.Tensor) else engine.Tensor(t) for t in found)
        return tuple(engine.view_as_real(t) if t.dtype.kind == "c" else t for t in tensors)


def compare(torch: Any, op: Any, call: Callable[..., Any], cases: Sequence[Any]) -> Comparison:
    """Compare an operation on samples, in every mode that PyTorch has of it.

    Args:
        torch: PyTorch.
        op: An entry of `op_db`.
        call: The same operation in the engine's functions, with PyTorch's signature.
        cases: Samples of it.
    """
    name = named(op)
    checks: list[Check] = []
    left_out: list[str] = []
    with _quiet():
        for number, sample in enumerate(cases):
            both = _Both(torch, op, sample, call)
            try:
                checks += _checks(both, name, number, left_out)
            except NotOfferedError as reason:
                left_out.append(str(reason))
    return Comparison(name, tuple(checks), tuple(left_out))


def _checks(both: _Both, name: str, number: int, left_out: list[str]) -> Iterator[Check]:
    rng = np.random.default_rng(zlib.crc32(f"{name} {number}".encode()))
    evaluations = {"value": _value, "gradient": _gradient, "tangent": _tangent, "second": _second}
    for mode in MODES:
        if mode == "tangent" and not both.op.supports_forward_ad:
            continue
        if mode == "second" and not both.op.supports_gradgrad:
            continue
        if mode != "value" and name in VALUE_ONLY:
            left_out.append(f"{VALUE_ONLY[name]} ({mode})")
            continue
        expected = found = None
        try:
            expected, found = evaluations[mode](both, rng)
        except NotOfferedError:
            raise
        except _NoDerivativeError:
            continue
        except _RefusedError:
            left_out.append(f"{REFUSED} ({mode})")
            if mode == "value":
                return
            continue
        except Exception as error:  # noqa: BLE001 - whatever an operation raises on a sample is a miss to be listed
            yield Check(name, number, mode, np.inf, f"{type(error).__name__}: {error}".splitlines()[0][:150])
            if mode == "value":
                return
            continue
        yield Check(name, number, mode, distance(found, expected))


class _NoDerivativeError(Exception):
    """PyTorch's result depends on no differentiable input."""


class _RefusedError(Exception):
    """PyTorch itself does not get through this sample in this mode."""


@contextmanager
def _in_pytorch() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise _RefusedError from error


def distance(found: Sequence[Any], expected: Sequence[Any]) -> float:
    """Return the largest difference between two lists of arrays over the largest finite element of the second."""
    if len(found) != len(expected):
        return np.inf
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        if a.shape != b.shape or not np.array_equal(np.isnan(a), np.isnan(b)):
            return np.inf
        same = (a == b) | np.isnan(b)
        if same.all():
            continue
        if not (np.isfinite(a) == np.isfinite(b)).all():
            return np.inf
        finite = np.isfinite(b)
        size = np.abs(b[finite]).max(initial=1e-3)
        worst = max(worst, float(np.where(same, 0, np.abs(a - b)).max() / size))
    return worst


def _leaves(both: _Both) -> tuple[list[Any], list[Any]]:
    theirs = [both.flat[k].clone().requires_grad_() for k in both.places]
    ours = [engine.Tensor(both.flat[k].numpy(), requires_grad=True) for k in both.places]
    return theirs, ours


def _numbers(values: Sequence[Any], likes: Sequence[Any]) -> list[Any]:
    """Return arrays; None means that nothing depends on it, and so does a 0 of the shape of `likes`."""
    arrays = []
    for value, like in zip(values, likes, strict=True):
        if value is None:
            arrays.append(np.zeros(tuple(like.shape)))
        else:
            arrays.append(np.asarray(value.numpy() if isinstance(value, engine.Tensor) else value.numpy(force=True)))
    return arrays


def _value(both: _Both, _: np.random.Generator) -> tuple[list[Any], list[Any]]:
    theirs, ours = _leaves(both)
    with _in_pytorch():
        expected = both.theirs(*theirs)
    found = both.ours(*ours)
    return _numbers(expected, expected), _numbers(found, found)


def _first_gradients(
    both: _Both, rng: np.random.Generator, *, again: bool
) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """Return leaves and seeds, and the gradients, of each library; `again` to differentiate once more."""
    torch = both.torch
    theirs, ours = _leaves(both)
    with _in_pytorch():
        expected = both.theirs(*theirs)
    found = both.ours(*ours)
    kept = [k for k, t in enumerate(expected) if t.requires_grad]
    if not kept:
        raise _NoDerivativeError
    weights = [_drawn_like(rng, expected[k]) for k in kept]
    seeds = [torch.tensor(w, requires_grad=again) for w in weights]
    our_seeds = [engine.Tensor(w, requires_grad=again) for w in weights]
    with _in_pytorch():
        first = torch.autograd.grad([expected[k] for k in kept], theirs, seeds, create_graph=again, allow_unused=True)
    pairs = [(found[k], s) for k, s in zip(kept, our_seeds, strict=True) if found[k].requires_grad]
    our_first: Sequence[Any] = [None] * len(ours)
    if pairs:
        values, cotangents = zip(*pairs, strict=True)
        our_first = engine.grad(values, ours, cotangents, create_graph=again, allow_unused=True)
    return [*theirs, *seeds], list(first), [*ours, *our_seeds], list(our_first)


def _gradient(both: _Both, rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    leaves, first, _, our_first = _first_gradients(both, rng, again=False)
    return _numbers(first, leaves[: len(first)]), _numbers(our_first, leaves[: len(first)])


def _second(both: _Both, rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    torch = both.torch
    leaves, first, our_leaves, our_first = _first_gradients(both, rng, again=True)
    weights = [_drawn_like(rng, leaf) for leaf in leaves[: len(first)]]
    outer = [(g, torch.tensor(w)) for g, w in zip(first, weights, strict=True) if g is not None and g.requires_grad]
    if not outer:
        raise _NoDerivativeError
    with _in_pytorch():
        expected = torch.autograd.grad([g for g, _ in outer], leaves, [w for _, w in outer], allow_unused=True)
    our_outer = [(g, w) for g, w in zip(our_first, weights, strict=True) if g is not None and g.requires_grad]
    found: Sequence[Any] = [None] * len(our_leaves)
    if our_outer:
        found = engine.grad([g for g, _ in our_outer], our_leaves, [w for _, w in our_outer], allow_unused=True)
    return _numbers(expected, leaves), _numbers(found, leaves)


def _tangent(both: _Both, rng: np.random.Generator) -> tuple[list[Any], list[Any]]:
    torch = both.torch
    forward = torch.autograd.forward_ad
    primals = [both.flat[k] for k in both.places]
    directions = [_drawn_like(rng, x) for x in primals]
    if not primals:
        raise _NoDerivativeError
    with _in_pytorch(), forward.dual_level():
        duals = [forward.make_dual(x.clone(), torch.tensor(d)) for x, d in zip(primals, directions, strict=True)]
        expected = [forward.unpack_dual(t) for t in both.theirs(*duals)]
    pushed = _numbers([t.tangent for t in expected], [t.primal for t in expected])
    _, found = engine.jvp(both.ours, [x.numpy() for x in primals], directions)
    return pushed, _numbers(found, found)
