"""The Tensor: an array, the place in the graph it came from, and the forward-mode tangents it carries."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from autodrill.engine.core.backend import Array, Backend, backend_of
from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import GraphNode, Leaf, Node, watched
from autodrill.engine.core.write_versions import is_inference, mark_inference, version

if TYPE_CHECKING:
    from autodrill.engine.core.sparse import IndexedSlices
    from autodrill.engine.core.tensor_methods import TensorMethods
    from autodrill.engine.core.views import Base, View
else:
    TensorMethods = object  # `operators` adds the methods to Tensor itself: they need the operations, which need Tensor

__all__ = ["BY_OPERATIONS", "Tensor", "live_tangents", "raw", "wrap"]


class Tensor(TensorMethods):
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

    __slots__ = ("__weakref__", "alias", "data", "node", "tangents")
    __array_ufunc__ = None  # `ndarray * Tensor` is ours to answer
    __hash__ = object.__hash__  # identity: two tensors with equal elements are still two variables

    data: Array
    node: GraphNode | None
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

    # A variable of differentiation

    @property
    def requires_grad(self) -> bool:
        """Whether gradients are recorded with respect to this tensor."""
        return self.node is not None

    @property
    def grad_fn(self) -> Node | None:
        """The node of the recorded operation that made this tensor, None for a leaf."""
        return self.node if isinstance(self.node, Node) else None

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made this tensor (true of everything that does not require grad)."""
        return not isinstance(self.node, Node)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Start or stop collecting a gradient for this leaf; return the tensor itself.

        Raises:
            TypeError: The dtype is neither floating nor complex.
            RuntimeError: The tensor is the result of a recorded operation.
        """
        if isinstance(self.node, Node):
            if requires_grad:
                return self
            raise RuntimeError(
                f"only a leaf can stop requiring grad, and this tensor was made by `{self.node.primitive.name}`; "
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
                    f"only floating and complex tensors can require grad, this one is `{self.data.dtype}`; "
                    "convert it first, for example with `dtype=float`"
                )
            self.node = Leaf(self.data.shape, self.data.dtype)
        return self

    @property
    def grad(self) -> Tensor | None:
        """The gradient accumulated so far, or None. Kept for leaves, and for others after `retain_grad()`."""
        node = self.node
        if node is None:
            return None
        if isinstance(node, Leaf):
            gradient = node.grad
            if gradient is not None and not isinstance(gradient, Tensor):
                gradient = node.grad = gradient.as_tensor()  # it was a list of rows
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
        """The gradient of this leaf while it is still a list of rows, otherwise None; see `sparse`."""
        gradient = self.node.grad if isinstance(self.node, Leaf) else None
        return None if isinstance(gradient, Tensor) else gradient

    def retain_grad(self) -> None:
        """Keep the gradient of this tensor in `.grad` although it is not a leaf.

        Raises:
            RuntimeError: The tensor does not require grad.
        """
        if self.node is None:
            raise RuntimeError("retain_grad() on a tensor that does not require grad")
        if isinstance(self.node, Node):
            watched(self.node).retains = True

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


def live_tangents(tensor: Tensor) -> dict[int, Tensor] | None:
    """Return the tensor's tangents of the forward-mode levels that are still open, or None."""
    if tensor.tangents is None:
        return None
    return {k: t for k, t in tensor.tangents.items() if k in mode.levels} or None


BY_OPERATIONS: set[type] = {Tensor}
"""What is computed with by the engine's operations alone; with anything else a rule may take NumPy's short ways."""
