"""The Tensor: an array, its node in the graph, and its forward-mode tangents."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from autodrill.engine.core.aliasing import is_inference, mark_inference, version
from autodrill.engine.core.backend import BACKENDS, Array, Backend, backend_of, device_name
from autodrill.engine.core.devices import moved, on_device_of, return_to
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import GraphNode, Leaf, Node, watched

if TYPE_CHECKING:
    from autodrill.engine.core.aliasing import Base, View
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.core.tensor_methods import TensorMethods
else:
    TensorMethods = object  # `operators` adds the methods, since they need the operations, which need Tensor

__all__ = ["BY_OPERATIONS", "Tensor", "live_tangents", "raw", "wrap"]


class Tensor(TensorMethods):
    """An array whose operations can be differentiated.

    The semantics are PyTorch's. A *leaf* is a tensor that was not made by a recorded operation. The gradient of a leaf
    that requires grad accumulates in `.grad` over calls of `backward()`. Operators follow NumPy's broadcasting and
    dtype promotion, in which a Python number does not determine the dtype. Comparisons return plain boolean arrays,
    because they have no derivative. Complex numbers have no order: `<`, `<=`, `>` and `>=` raise a TypeError, whereas
    NumPy compares the real parts first.

    `.data` is the array itself, for the engine's own rules. As with PyTorch's `.data`, a write to it is not detected:
    no version is counted, and a gradient that needs the old value is silently wrong. Write through the tensor
    (`x[i] = v`, `x.add_(y)`) and read through `.numpy()`, which is read-only.

    Args:
        data: Anything that converts to an array. It is copied, so later writes to it do not change the tensor.
        requires_grad: Whether to make this a leaf that collects a gradient.
        dtype: The dtype to convert to; by default the data's own.
        device: The device to copy to, such as `"cpu"` or `"cuda:0"`; by default the one that the data are on.

    Raises:
        DeviceError: There is no such device.
        TypeError: `requires_grad` is set for a dtype that is neither floating nor complex.

    Example:
        >>> x = engine.Tensor([1.0, 2.0], requires_grad=True)
        >>> (x * x).sum().backward()
        >>> x.grad.tolist()
        [2.0, 4.0]
    """

    __slots__ = ("__weakref__", "alias", "data", "node", "tangents")
    __hash__ = object.__hash__  # by identity: two tensors with equal elements are two variables

    data: Array
    node: GraphNode | None
    tangents: dict[int, Tensor] | None
    alias: Base | View | None

    def __init__(self, data: Any, requires_grad: bool = False, *, dtype: Any = None, device: str | None = None) -> None:
        source = raw(data)
        if device is not None:
            source = moved(backend_of(source).asarray(source), device)
        before = on_device_of((source,)) if len(BACKENDS) > 1 else None
        array = backend_of(source).xp.array(source, dtype=dtype)
        if before is not None:
            return_to(before)
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

    # Properties

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
        """The name of the device that holds the data, such as `"cpu"` or `"cuda:0"`."""
        return device_name(self.data)

    @property
    def version(self) -> int:
        """The number of in-place writes to this tensor's memory, through any tensor; PyTorch's `_version`."""
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

    # Gradients

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded for backward; an assignment calls `requires_grad_`."""
        return self.node is not None

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self.requires_grad_(value)

    @property
    def grad_fn(self) -> Node | None:
        """The node of the recorded operation that made this tensor; None for a leaf."""
        return self.node if isinstance(self.node, Node) else None

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor; true for every tensor that does not require grad."""
        return not isinstance(self.node, Node)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether this leaf collects a gradient; return the tensor itself.

        Raises:
            TypeError: The dtype is neither floating nor complex.
            RuntimeError: The tensor is the result of a recorded operation, or was made under `inference_mode()`.
        """
        if isinstance(self.node, Node):
            if requires_grad:
                return self
            raise RuntimeError(
                f"only a leaf can stop requiring grad, but this tensor was made by `{self.node.primitive.name}`; "
                "use `.detach()` for a tensor with the same data outside the graph"
            )
        if not requires_grad:
            self.node = None
        elif self.node is None:
            if not mode.inference and is_inference(self.data):
                raise RuntimeError(
                    "a tensor made under `inference_mode()` cannot require grad outside it; `.clone()` it first"
                )
            if self.data.dtype.kind not in "fc":
                raise TypeError(
                    f"only floating and complex tensors can require grad, but this one is `{self.data.dtype}`; "
                    "convert it first, for example with `dtype=float`"
                )
            self.node = Leaf(self.data.shape, self.data.dtype)
        return self

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None. It is kept for leaves, and for other tensors after `retain_grad()`."""
        node = self.node
        if node is None:
            return None
        if isinstance(node, Leaf):
            gradient = node.grad
            if gradient is not None and not isinstance(gradient, Tensor):
                gradient = node.grad = gradient.as_tensor()  # dense from now on
            return gradient
        if node.watch is not None and node.watch.retains:
            return node.watch.grad
        warnings.warn(
            f"`.grad` of a tensor that is not a leaf (it was made by `{node.primitive.name}`) is not kept; "
            "call `.retain_grad()` on it before `backward()`",
            UserWarning,
            stacklevel=2,
        )
        return None

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        node = self.node
        if value is not None:
            if node is None:
                raise RuntimeError("a tensor that does not require grad has no `.grad` to set")
            if type(value) is not Tensor:
                raise TypeError(f"`.grad` is a Tensor or None, not `{type(value).__name__}`")
            if value.data.shape != self.data.shape:
                raise ValueError(f"`.grad` of shape {value.data.shape} given to a tensor of shape {self.data.shape}")
        if isinstance(node, Leaf):
            node.grad = value
        elif node is not None:
            watch = watched(node)
            watch.retains = True
            watch.grad = value

    @property
    def sparse_grad(self) -> IndexedSlices | None:
        """The gradient of this leaf as a list of rows if it is still sparse, otherwise None. See `sparse`."""
        gradient = self.node.grad if isinstance(self.node, Leaf) else None
        return None if isinstance(gradient, Tensor) else gradient

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor in `.grad`, even if it is not a leaf.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        if self.node is None:
            raise RuntimeError("retain_grad() called on a tensor that does not require grad")
        if isinstance(self.node, Node):
            watched(self.node).retains = True

    # Leaving the graph

    def numpy(self) -> np.ndarray[Any, Any]:
        """Return the data as a read-only NumPy view, outside the graph.

        Values saved for backward may share this memory, so a write to it could make a later gradient silently wrong.
        """
        array: np.ndarray[Any, Any] = self.data if type(self.data) is np.ndarray else self.data.get()
        view = array.view()
        view.flags.writeable = False
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if self.node is not None or live_tangents(self) is not None:
            raise TypeError(
                "NumPy cannot record what it does to this tensor, so its gradient would be lost; use the function of "
                "`engine`, or pass `x.numpy()` for a result outside the graph"
            )
        if type(self.data) in BACKENDS and type(self.data) is not np.ndarray:
            raise TypeError(f"this tensor is on `{self.device}`, and NumPy would copy it unasked; pass `x.numpy()`")
        return np.array(self.numpy(), dtype, copy=copy)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """Return a leaf with a copy of the data and of the gradient.

        Raises:
            RuntimeError: The tensor was made by a recorded operation: its copy would be cut off from the graph.
        """
        if isinstance(self.node, Node):
            raise RuntimeError(  # noqa: TRY004 - PyTorch's class of error
                f"`deepcopy` copies only leaves, but this tensor was made by `{self.node.primitive.name}`, and a "
                "gradient would not pass to a copy; use `.clone()` for a copy in the graph, or `.detach().clone()`"
            )
        found = memo[id(self)] = Tensor(self.data, requires_grad=self.requires_grad)
        if self.node is not None and self.node.grad is not None and isinstance(found.node, Leaf):
            found.node.grad = deepcopy(self.node.grad, memo)
        return found

    def item(self) -> Any:
        """Return the only element as a Python number.

        Raises:
            ValueError: The number of elements is not 1.
        """
        if self.data.size != 1:
            raise ValueError(f"item() needs exactly one element, but this tensor of shape {self.shape} has {self.size}")
        return self.data.item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def detach(self) -> Tensor:
        """Return a tensor that does not require grad and carries no tangents, on the same memory.

        An in-place write to either changes both and counts for both: backward detects an overwritten saved value in
        either case.
        """
        return wrap(self.data)


def wrap(data: Array, node: GraphNode | None = None, tangents: dict[int, Tensor] | None = None) -> Tensor:
    """Wrap an array in a Tensor, without the copy and the checks of `Tensor(...)`."""
    tensor = Tensor.__new__(Tensor)
    tensor.data = data
    tensor.node = node
    tensor.tangents = tangents
    tensor.alias = None
    return tensor


def raw(value: Any) -> Any:
    """Return the array of a Tensor; return any other value unchanged."""
    return value.data if type(value) is Tensor else value


def live_tangents(tensor: Tensor) -> dict[int, Tensor] | None:
    """Return the tensor's tangents of the forward-mode levels that are still open, or None."""
    if tensor.tangents is None:
        return None
    return {k: t for k, t in tensor.tangents.items() if k in mode.levels} or None


BY_OPERATIONS: set[type] = {Tensor}
"""Classes that rules must compute with by the engine's operations; for others a rule may call NumPy directly."""
