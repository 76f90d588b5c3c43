"""The Tensor: an array, the place in the graph it came from, and the forward-mode tangents it carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine import ops
from autodrill.engine.core.backend import Array, Backend, backend_of
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import GraphNode, Node
from autodrill.engine.core.variable import Variable
from autodrill.engine.core.views import Base, View, mark_siblings
from autodrill.engine.core.write_versions import is_inference, mark_inference, version
from autodrill.engine.reverse.hooks import Hookable
from autodrill.engine.reverse.inplace import Mutable
from autodrill.engine.transforms.batched_array import Batched

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BY_OPERATIONS", "Tensor", "raw"]


class Tensor(Variable, Hookable, Mutable):
    """An array whose operations can be differentiated.

    Semantics are PyTorch's: a *leaf* is a tensor that no recorded operation made; the gradient of a leaf that
    requires grad accumulates in `.grad` over calls of `backward()`. Operators follow NumPy's broadcasting and dtype
    promotion, in which a Python number does not decide the dtype. Comparisons return plain boolean arrays: they have
    no derivative. Complex numbers have no order: `<` and its like raise a TypeError, where NumPy compares real parts
    first.

    `.data` is the array itself, which the engine's own rules compute with. Writing to it goes unnoticed, as it does
    with PyTorch's `.data`: no version is counted, and a gradient that needs the old value is silently wrong. Write
    through the tensor (`x[i] = v`, `x.add_(y)`) and read through `.numpy()`, which is read-only.

    Args:
        data: Anything an array can be made of; copied, so that writing to it later changes nothing here.
        requires_grad: Whether to make this a leaf that collects a gradient.
        dtype: The dtype to convert to; by default the data's own.

    Raises:
        TypeError: `requires_grad` was asked of a dtype that is neither floating nor complex.
    """

    __slots__ = ("__weakref__", "alias", "tangents")
    __array_ufunc__ = None  # `ndarray * Tensor` is ours to answer
    __hash__ = object.__hash__  # identity: two tensors with equal elements are still two variables

    tangents: dict[int, Tensor] | None
    alias: Base | View | None

    def __init__(self, data: Any, requires_grad: bool = False, *, dtype: Any = None) -> None:
        source = raw(data)
        backend = backend_of(source)
        array = backend.xp.array(source, dtype=dtype)
        if array.dtype.kind not in "biufc":
            raise TypeError(f"a tensor holds numbers, not `{array.dtype}`")
        self.data = array
        self.node = None
        self.tangents = None
        self.alias = None
        if mode.inference:
            mark_inference(array)
        if requires_grad:
            self.requires_grad_()

    # What it is

    @property
    def shape(self) -> tuple[int, ...]:
        """The length of each axis."""
        shape: tuple[int, ...] = self.data.shape
        return shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.data.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.data.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The elements' dtype."""
        dtype: np.dtype[Any] = self.data.dtype
        return dtype

    @property
    def backend(self) -> Backend:
        """The array library that holds the data."""
        return backend_of(self.data)

    @property
    def device(self) -> str:
        """The name of the device that holds the data."""
        return self.backend.name

    @property
    def version(self) -> int:
        """How often the memory of this tensor was written in place, through whichever tensor; PyTorch's `_version`."""
        return version(self.data)

    @property
    def is_inference(self) -> bool:
        """Whether the memory was allocated under `inference_mode()`."""
        return is_inference(self.data)

    def __repr__(self) -> str:
        if hasattr(self.data, "levels"):
            parts = [repr(self.data)]
        else:
            parts = [np.array2string(np.asarray(self.numpy()), separator=", ", prefix="tensor(")]
        if self.data.dtype != np.float64:
            parts.append(f"dtype={self.data.dtype}")
        if isinstance(self.node, Node):
            parts.append(f"made_by={self.node.primitive.name}")
        elif self.node is not None:
            parts.append("requires_grad=True")
        return f"tensor({', '.join(parts)})"

    def __len__(self) -> int:
        if not self.data.shape:
            raise TypeError("len() of a 0-d tensor")
        return int(self.data.shape[0])

    def __iter__(self) -> Iterator[Tensor]:
        if not self.data.shape:
            raise TypeError("iteration over a 0-d tensor")
        rows = [self[i] for i in range(self.data.shape[0])]
        mark_siblings(rows)
        return iter(rows)

    # Leaving the graph

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the data as a read-only NumPy view, outside the graph.

        Read-only because values saved for backward may share this memory: writing to it would make a later
        gradient silently wrong.
        """
        array: np.ndarray[Any, Any] = self.data if type(self.data) is np.ndarray else self.data.get()
        view = array.view()
        view.flags.writeable = False
        return view

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: There is not exactly one element.
        """
        if self.data.size != 1:
            raise ValueError(f"item() needs exactly one element, this tensor of shape {self.shape} has {self.size}")
        return self.data.item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def detach(self) -> Tensor:
        """Return a tensor that does not require grad and carries no tangents, on the same memory.

        Writing to either in place changes both, and counts as a write to both: a value that was saved for backward
        is found to be overwritten whichever of the two was written to.
        """
        return wrap(self.data)

    def clone(self) -> Tensor:
        """Return a copy with memory of its own, in the graph: gradients pass through."""
        return ops.positive(self)

    # Operators

    def __add__(self, other: Any) -> Tensor:
        return ops.add(self, other)

    def __radd__(self, other: Any) -> Tensor:
        return ops.add(self, other)

    def __sub__(self, other: Any) -> Tensor:
        return ops.subtract(self, other)

    def __rsub__(self, other: Any) -> Tensor:
        return ops.subtract.reflected(self, other)

    def __mul__(self, other: Any) -> Tensor:
        return ops.multiply(self, other)

    def __rmul__(self, other: Any) -> Tensor:
        return ops.multiply(self, other)

    def __truediv__(self, other: Any) -> Tensor:
        return ops.divide(self, other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return ops.divide.reflected(self, other)

    def __pow__(self, other: Any) -> Tensor:
        return ops.power(self, other)

    def __rpow__(self, other: Any) -> Tensor:
        return ops.power.reflected(self, other)

    def __matmul__(self, other: Any) -> Tensor:
        return ops.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Tensor:
        return ops.matmul.reflected(self, other)

    def __neg__(self) -> Tensor:
        return ops.negative(self)

    def __pos__(self) -> Tensor:
        return self

    def __abs__(self) -> Tensor:
        return ops.absolute(self)

    def __getitem__(self, index: Any) -> Tensor:
        selected: Tensor = ops.getitem(self, index)
        return selected

    def __eq__(self, other: object) -> Array:
        return self.data == raw(other)

    def __ne__(self, other: object) -> Array:
        return self.data != raw(other)

    def __lt__(self, other: Any) -> Array:
        check_real("<", self, other)
        return self.data < raw(other)

    def __le__(self, other: Any) -> Array:
        check_real("<=", self, other)
        return self.data <= raw(other)

    def __gt__(self, other: Any) -> Array:
        check_real(">", self, other)
        return self.data > raw(other)

    def __ge__(self, other: Any) -> Array:
        check_real(">=", self, other)
        return self.data >= raw(other)

    # Methods that are operations

    @property
    def T(self) -> Tensor:  # noqa: N802 - NumPy's name
        """The tensor with its axes reversed."""
        return ops.transpose(self)

    @property
    def real(self) -> Tensor:
        """The real part, a copy."""
        return ops.real(self)

    @property
    def imag(self) -> Tensor:
        """The imaginary part, a copy; zeros for real numbers."""
        return ops.imag(self)

    def conj(self) -> Tensor:
        """Return the complex conjugate; of real numbers the tensor itself."""
        return ops.conj(self) if self.data.dtype.kind == "c" else self

    def reshape(self, *shape: Any) -> Tensor:
        """Return the same elements in another shape, given as one tuple or as separate lengths."""
        return ops.reshape(self, shape=shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> Tensor:
        """Return the tensor with its axes permuted, by default reversed."""
        chosen = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return ops.transpose(self, axes=chosen or None)

    def astype(self, dtype: Any) -> Tensor:
        """Return the tensor converted to `dtype`; a gradient comes back in this tensor's own dtype."""
        converted: Tensor = ops.astype(self, dtype)
        return converted

    def sum(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """Return the sum over `axis`, by default over everything."""
        return ops.sum(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """Return the mean over `axis`, by default over everything."""
        return ops.mean(self, axis=axis, keepdims=keepdims)

    def max(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """Return the maximum over `axis`; ties share the gradient equally."""
        return ops.max(self, axis=axis, keepdims=keepdims)

    def min(self, axis: int | tuple[int, ...] | None = None, keepdims: bool = False) -> Tensor:
        """Return the minimum over `axis`; ties share the gradient equally."""
        return ops.min(self, axis=axis, keepdims=keepdims)


def wrap(data: Array, node: GraphNode | None = None, tangents: dict[int, Tensor] | None = None) -> Tensor:
    """Make a Tensor of an array as it is, without the copy and the checks of `Tensor(...)`."""
    tensor = Tensor.__new__(Tensor)
    tensor.data = data
    tensor.node = node
    tensor.tangents = tangents
    tensor.alias = None
    return tensor


def raw(value: Any) -> Any:
    """Return a Tensor's array, and anything else as it is."""
    return value.data if type(value) is Tensor else value


BY_OPERATIONS = frozenset({Tensor, Batched})
"""What is computed with by the engine's operations alone; with anything else a rule may take NumPy's short ways."""
