"""The engine and PyTorch under the same names, so that one program runs on both."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Engine", "Library", "PyTorch", "plain"]


def in_double(values: Any, dtype: Any) -> Any:
    array = np.array(values)
    return array.astype(dtype or (complex if array.dtype.kind == "c" else float))


class Library:
    """What a program may use besides the methods and attributes that tensors of both libraries share.

    Operations (`exp`, `where` ...), modes, `grad`, `Function`, `once_differentiable` and `saved_tensors_hooks` are
    found by their names.
    """

    tensor: Callable[..., Any]

    def leaf(self, *values: complex) -> Any:
        """Return a vector that requires grad."""
        return self.tensor(values, requires_grad=True)

    def constant(self, *values: complex) -> Any:
        """Return a vector that does not."""
        return self.tensor(values, requires_grad=False)


class Engine(Library):
    """autodrill."""

    name = "autodrill"

    def __getattr__(self, name: str) -> Any:
        return getattr(engine, name)

    def tensor(self, values: Any, requires_grad: bool, dtype: Any = None) -> Any:
        return engine.Tensor(in_double(values, dtype), requires_grad)

    def version(self, t: Any) -> int:
        return int(t.version)

    def is_inference(self, t: Any) -> bool:
        return bool(t.is_inference)

    def pieces(self, t: Any) -> Any:
        return engine.unstack(t)

    def jvp(self, f: Any, x: Any, tangent: Any) -> Any:
        return engine.jvp(f, (x,), (tangent,))[1]

    def checkpoint(self, f: Any, *args: Any) -> Any:
        return engine.checkpoint(f, *args)

    def random(self, seed: int) -> Any:
        """Return a function that draws a mask like a tensor, and how to checkpoint a function that draws."""
        rng = np.random.default_rng(seed)
        return lambda t: rng.random(t.shape) < 0.5, lambda f, *args: engine.checkpoint(f, *args, rng=rng)


class PyTorch(Library):
    """PyTorch, with float64 as everywhere here."""

    name = "PyTorch"

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.grad = torch.autograd.grad
        self.Function = torch.autograd.Function
        self.once_differentiable = torch.autograd.function.once_differentiable
        self.saved_tensors_hooks = torch.autograd.graph.saved_tensors_hooks
        self.detect_anomaly = torch.autograd.detect_anomaly
        self.trace_nan = nullcontext  # there is none

    def __getattr__(self, name: str) -> Any:
        return getattr(self.torch, name)

    def tensor(self, values: Any, requires_grad: bool, dtype: Any = None) -> Any:
        return self.torch.tensor(in_double(values, dtype), requires_grad=requires_grad)

    def version(self, t: Any) -> int:
        return int(t._version)

    def is_inference(self, t: Any) -> bool:
        return bool(t.is_inference())

    def pieces(self, t: Any) -> Any:
        return t.unbind()

    def jvp(self, f: Any, x: Any, tangent: Any) -> Any:
        forward = self.torch.autograd.forward_ad
        with forward.dual_level():
            return forward.unpack_dual(f(forward.make_dual(x, tangent))).tangent.clone()

    def checkpoint(self, f: Any, *args: Any) -> Any:
        from torch.utils.checkpoint import checkpoint

        return checkpoint(f, *args, use_reentrant=False)

    def random(self, seed: int) -> Any:
        self.torch.manual_seed(seed)
        return lambda t: self.torch.rand(t.shape) < 0.5, self.checkpoint


def plain(value: Any) -> Any:
    """Return what a program found as nested lists of Python's own values, tensors of either library as lists."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, engine.Tensor):
        return value.numpy().tolist()
    return value.detach().resolve_conj().tolist() if hasattr(value, "detach") else value
