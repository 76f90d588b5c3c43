# ruff: noqa: N802, N807 - the functions here are named as the methods they become
"""Tensor's methods that are operations: `x.exp()` is `exp(x)`, with the same parameters.

`operators` adds the operators and what a Tensor does besides. A method is made on its first use, because the families
of operations are imported on first use too. `core/tensor_methods.pyi` lists the methods for type checkers and readers.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from autodrill.engine import ops
from autodrill.engine.core.devices import is_device
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.operators import _method, _property

if TYPE_CHECKING:
    from autodrill.engine.core.backend import Array

__all__ = ["OPERATIONS", "Tensor"]

# fmt: off
OPERATIONS = (
    "abs", "absolute", "acos", "acosh", "add", "addbmm", "addcdiv", "addcmul", "addmm", "addmv", "addr", "all",
    "amax", "amin", "angle", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "argmax", "argmin", "argsort", "as_strided", "asin", "asinh", "atan", "atan2", "atanh", "baddbmm", "bmm",
    "ceil", "cholesky", "cholesky_inverse", "cholesky_solve", "chunk", "clamp", "clamp_max", "clamp_min", "clip",
    "copysign", "corrcoef", "cos", "cosh", "cov", "cross", "cummax", "cummin", "cumprod", "cumsum", "deg2rad",
    "det", "diag", "diag_embed", "diagonal", "diff", "digamma", "div", "divide", "dot", "erf", "erfc", "erfinv",
    "exp", "exp2", "expm1", "fix", "flatten", "flip", "fliplr", "flipud", "float_power", "floor", "floor_divide",
    "fmax", "fmin", "fmod", "frac", "gather", "ger", "hypot", "i0", "index_add", "index_copy", "index_fill",
    "index_put", "index_reduce", "index_select", "inner", "inverse", "isfinite", "isinf", "isnan", "kron",
    "kthvalue", "lerp", "lgamma", "log", "log10", "log1p", "log2", "log_softmax", "logaddexp", "logaddexp2",
    "logcumsumexp", "logdet", "logit", "logsumexp", "masked_fill", "masked_scatter", "masked_select", "matmul",
    "matrix_exp", "matrix_power", "max", "maximum", "mean", "median", "min", "minimum", "mm", "moveaxis", "movedim",
    "mul", "multiply", "mv", "mvlgamma", "nan_to_num", "nanmean", "nanmedian", "nanquantile", "nansum", "narrow",
    "neg", "negative", "norm", "outer", "pinverse", "pow", "prod", "put_along_axis", "qr", "quantile", "rad2deg",
    "ravel", "reciprocal", "relu", "remainder", "repeat", "repeat_interleave", "roll", "rot90", "round", "rsqrt",
    "scatter", "scatter_add", "scatter_reduce", "select", "sgn", "sigmoid", "sign", "sin", "sinc", "sinh",
    "slogdet", "softmax", "sort", "sqrt", "square", "squeeze", "std", "sub", "subtract", "sum", "svd", "swapaxes",
    "swapdims", "take", "take_along_dim", "tan", "tanh", "tensor_split", "tile", "topk", "trace", "tril", "triu",
    "true_divide", "trunc", "unbind", "unflatten", "unsqueeze", "var", "vdot", "xlogy",
)
# fmt: on
"""The operations of which a Tensor has a method: those that are one in PyTorch or NumPy."""


class _Operation:
    """The method of an operation before its first use."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: Tensor | None, owner: type[Tensor]) -> Any:
        method = _method_of(self.name, getattr(ops, self.name))
        setattr(owner, self.name, method)
        return method if tensor is None else method.__get__(tensor, owner)


def _method_of(name: str, operation: Any) -> Any:
    def method(self: Tensor, *args: Any, **keywords: Any) -> Any:
        return operation(self, *args, **keywords)

    first, *others = inspect.signature(operation).parameters.values()
    itself = first.replace(name="self", annotation=inspect.Parameter.empty)
    method.__signature__ = inspect.Signature([itself, *others])  # type: ignore[attr-defined] # functions may have it
    method.__name__, method.__qualname__, method.__doc__ = name, f"Tensor.{name}", operation.__doc__
    return method


for _name in OPERATIONS:
    setattr(Tensor, _name, _Operation(_name))


# Operators


@_method
def __mod__(self: Tensor, other: Any) -> Tensor:
    return ops.remainder(self, other)


@_method
def __rmod__(self: Tensor, other: Any) -> Tensor:
    return ops.remainder.reflected(self, other)


@_method
def __floordiv__(self: Tensor, other: Any) -> Tensor:
    return ops.floor_divide(self, other)


@_method
def __rfloordiv__(self: Tensor, other: Any) -> Tensor:
    return ops.floor_divide.reflected(self, other)


# Methods with PyTorch's parameters


def _lengths(lengths: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(lengths[0]) if len(lengths) == 1 and isinstance(lengths[0], (list, tuple)) else lengths


@_method
def view(self: Tensor, *shape: Any) -> Tensor:
    """Return the same elements in another shape; unlike PyTorch's, it copies them if it has to, as `reshape` does."""
    return ops.reshape(self, shape=_lengths(shape))


@_method
def view_as(self: Tensor, other: Array) -> Tensor:
    """Return the same elements in the shape of another tensor."""
    return ops.reshape(self, shape=other.shape)


@_method
def reshape_as(self: Tensor, other: Array) -> Tensor:
    """Return the same elements in the shape of another tensor."""
    return ops.reshape(self, shape=other.shape)


@_method
def expand(self: Tensor, *shape: Any) -> Tensor:
    """Return the tensor repeated along new axes and axes of length 1; a length of -1 keeps the tensor's own."""
    found: Tensor = ops.expand(self, _lengths(shape))
    return found


@_method
def expand_as(self: Tensor, other: Array) -> Tensor:
    """Return the tensor repeated along new axes and axes of length 1 to the shape of another tensor."""
    return ops.broadcast_to(self, shape=other.shape)


@_method
def permute(self: Tensor, *axes: Any) -> Tensor:
    """Return the tensor with its axes in the given order."""
    return ops.transpose(self, axes=_lengths(axes))


@_method
def where(self: Tensor, condition: Any, other: Any) -> Tensor:
    """Return the elements of this tensor where the condition holds, and those of `other` elsewhere."""
    chosen: Tensor = ops.where(condition, self, other)
    return chosen


@_method
def t(self: Tensor) -> Tensor:
    """Return the transpose of a matrix, or a vector as it is.

    Raises:
        ValueError: The tensor has more than two axes.
    """
    if self.ndim > 2:
        raise ValueError(f"`t` transposes matrices, and this tensor has shape {self.shape}; use `.mT` or `.permute`")
    return ops.transpose(self)


@_property
def mT(self: Tensor) -> Tensor:
    """The tensor with its last two axes exchanged."""
    return ops.swapaxes(self, axis1=-2, axis2=-1)


@_property
def mH(self: Tensor) -> Tensor:
    """The conjugate of the tensor with its last two axes exchanged."""
    return self.mT.conj()


@_property
def H(self: Tensor) -> Tensor:
    """The conjugate transpose of a matrix."""
    return self.t().conj()


# Conversion


@_method
def to(self: Tensor, *targets: Any) -> Tensor:
    """Return the tensor on a device, in a dtype, or both; the tensor itself if it is there and has that dtype.

    A move to another device is a copy that gradients pass through: they come back to this tensor's device.

    Args:
        targets: A device, such as `"cpu"`, `"cuda"` (the current one) or `"cuda:1"`; a dtype; or a tensor, for its
            device and dtype.

    Raises:
        DeviceError: There is no such device.
    """
    from autodrill.engine.core.transfer import transferred

    found = self
    for target in targets:
        if isinstance(target, Tensor):
            found = found.to(target.device).to(target.dtype)
        elif isinstance(target, str) and is_device(target):
            found = transferred(found, target)
        elif found.dtype != target:
            found = found.astype(target)
    return found


@_method
def cpu(self: Tensor) -> Tensor:
    """Return the tensor on the CPU, itself if it is there; gradients come back to its device."""
    return self.to("cpu")


@_method
def cuda(self: Tensor, number: int | None = None) -> Tensor:
    """Return the tensor on a GPU, itself if it is there; gradients come back to its device.

    Args:
        number: The number of the GPU, by default the current one.

    Raises:
        DeviceError: There is no such GPU, or CuPy is not installed.
    """
    return self.to("cuda" if number is None else f"cuda:{number}")


@_method
def double(self: Tensor) -> Tensor:
    """Return the tensor in float64."""
    return self.to("float64")


@_method
def float(self: Tensor) -> Tensor:
    """Return the tensor in float32, as in PyTorch; `float(x)` is the Python number."""
    return self.to("float32")


@_method
def half(self: Tensor) -> Tensor:
    """Return the tensor in float16."""
    return self.to("float16")


@_method
def contiguous(self: Tensor) -> Tensor:
    """Return the tensor itself: whether its memory is in order makes no difference here."""
    return self


@_method
def tolist(self: Tensor) -> Any:
    """Return the elements as nested lists of Python numbers, outside the graph; a number if there is no axis."""
    return self.numpy().tolist()


@_method
def numel(self: Tensor) -> int:
    """Return the number of elements, which NumPy calls `size`."""
    return self.size


@_method
def dim(self: Tensor) -> int:
    """Return the number of axes, which NumPy calls `ndim`."""
    return self.ndim


@_method
def is_complex(self: Tensor) -> bool:
    """Return whether the elements are complex numbers."""
    return bool(raw(self).dtype.kind == "c")


@_method
def is_floating_point(self: Tensor) -> bool:
    """Return whether the elements are floating, that is neither integers nor complex."""
    return bool(raw(self).dtype.kind == "f")
