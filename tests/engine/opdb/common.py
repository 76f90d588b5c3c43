"""What the modules of PyTorch's signatures share: `dim` as NumPy's `axis`, and vectors made of numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autodrill import engine as e

Call = Callable[..., Any]


def raw(x: Any) -> Any:
    return x.data if isinstance(x, e.Tensor) else x


def axes(x: Any, dim: Any) -> Any:
    """Return a reduction's axes as NumPy names them: no list, or an empty one, means all."""
    if dim is None or x.ndim == 0 or (isinstance(dim, (list, tuple)) and not dim):
        return None
    return tuple(dim) if isinstance(dim, (list, tuple)) else dim


def vector(x: Any) -> Any:
    return e.reshape(x, 1) if x.ndim == 0 else x


def lengths(value: Any) -> Any:
    return tuple(value) if isinstance(value, (list, tuple)) else value
