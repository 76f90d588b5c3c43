# ruff: noqa: N807 - the functions here are named as the methods they become
"""Tensor's operators and methods, added to the class from above: the top layer of the engine.

The operations are declared in terms of `Tensor`, so the class itself imports none of them. HIPS autograd adds operators
to its `ArrayBox` in the same way. `core/tensor_methods.pyi` lists what is added, for type checkers and for readers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from autodrill.engine import ops
from autodrill.engine.core.aliasing import mark_siblings
from autodrill.engine.core.complex_convention import check_real
from autodrill.engine.core.node import Node
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.numpy_protocol import __array_function__, __array_ufunc__
from autodrill.engine.reverse.backward import backward as run_backward

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.reverse.hooks import Handle, Hook

__all__ = ["Tensor"]

F = TypeVar("F", bound="Callable[..., Any]")

Axis = int | tuple[int, ...] | None


def _method(function: F) -> F:
    """Add a function to Tensor as a method of its name."""
    function.__qualname__ = f"Tensor.{function.__name__}"
    setattr(Tensor, function.__name__, function)
    return function


def _property(function: F) -> F:
    """Add a function to Tensor as a property of its name."""
    setattr(Tensor, function.__name__, property(function))
    return function


# Operators


@_method
def __add__(self: Tensor, other: Any) -> Tensor:
    return ops.add(self, other)


@_method
def __radd__(self: Tensor, other: Any) -> Tensor:
    return ops.add(self, other)


@_method
def __sub__(self: Tensor, other: Any) -> Tensor:
    return ops.subtract(self, other)


@_method
def __rsub__(self: Tensor, other: Any) -> Tensor:
    return ops.subtract.reflected(self, other)


@_method
def __mul__(self: Tensor, other: Any) -> Tensor:
    return ops.multiply(self, other)


@_method
def __rmul__(self: Tensor, other: Any) -> Tensor:
    return ops.multiply(self, other)


@_method
def __truediv__(self: Tensor, other: Any) -> Tensor:
    return ops.divide(self, other)


@_method
def __rtruediv__(self: Tensor, other: Any) -> Tensor:
    return ops.divide.reflected(self, other)


@_method
def __pow__(self: Tensor, other: Any) -> Tensor:
    return ops.power(self, other)


@_method
def __rpow__(self: Tensor, other: Any) -> Tensor:
    return ops.power.reflected(self, other)


@_method
def __matmul__(self: Tensor, other: Any) -> Tensor:
    return ops.matmul(self, other)


@_method
def __rmatmul__(self: Tensor, other: Any) -> Tensor:
    return ops.matmul.reflected(self, other)


@_method
def __neg__(self: Tensor) -> Tensor:
    return ops.negative(self)


@_method
def __pos__(self: Tensor) -> Tensor:
    return self


@_method
def __abs__(self: Tensor) -> Tensor:
    return ops.absolute(self)


@_method
def __getitem__(self: Tensor, index: Any) -> Tensor:
    selected: Tensor = ops.getitem(self, index)
    return selected


@_method
def __iter__(self: Tensor) -> Iterator[Tensor]:
    if not self.data.shape:
        raise TypeError("iteration over a 0-d tensor")
    rows = [self[i] for i in range(self.data.shape[0])]
    mark_siblings(rows)
    return iter(rows)


for _protocol in (__array_ufunc__, __array_function__):
    setattr(Tensor, _protocol.__name__, _protocol)


# Comparisons


@_method
def __eq__(self: Tensor, other: object) -> Array:
    return self.data == raw(other)


@_method
def __ne__(self: Tensor, other: object) -> Array:
    return self.data != raw(other)


@_method
def __lt__(self: Tensor, other: Any) -> Array:
    check_real("<", self, other)
    return self.data < raw(other)


@_method
def __le__(self: Tensor, other: Any) -> Array:
    check_real("<=", self, other)
    return self.data <= raw(other)


@_method
def __gt__(self: Tensor, other: Any) -> Array:
    check_real(">", self, other)
    return self.data > raw(other)


@_method
def __ge__(self: Tensor, other: Any) -> Array:
    check_real(">=", self, other)
    return self.data >= raw(other)


# Methods


@_property
def T(self: Tensor) -> Tensor:  # noqa: N802 - NumPy's name
    """The tensor with its axes reversed."""
    return ops.transpose(self)


@_property
def real(self: Tensor) -> Tensor:
    """A copy of the real part."""
    return ops.real(self)


@_property
def imag(self: Tensor) -> Tensor:
    """A copy of the imaginary part, which is 0 for real numbers."""
    return ops.imag(self)


@_method
def conj(self: Tensor) -> Tensor:
    """Return the complex conjugate; a real tensor is returned itself."""
    return ops.conj(self) if self.data.dtype.kind == "c" else self


@_method
def clone(self: Tensor) -> Tensor:
    """Return a copy with memory of its own, in the graph: gradients pass through."""
    return ops.positive(self)


@_method
def reshape(self: Tensor, *shape: Any) -> Tensor:
    """Return the same elements in another shape, given as one tuple or as separate lengths."""
    return ops.reshape(self, shape=shape[0] if len(shape) == 1 else shape)


@_method
def transpose(self: Tensor, *axes: Any) -> Tensor:
    """Return the tensor with its axes permuted, by default reversed."""
    chosen = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
    return ops.transpose(self, axes=chosen or None)


@_method
def astype(self: Tensor, dtype: Any) -> Tensor:
    """Return the tensor converted to `dtype`; a gradient comes back in this tensor's own dtype."""
    converted: Tensor = ops.astype(self, dtype)
    return converted


# Reverse mode


@_method
def backward(
    self: Tensor,
    gradient: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Sequence[Tensor] | Tensor | None = None,
) -> None:
    """Accumulate the gradient of this tensor into the `.grad` of the leaves it was computed from.

    Args:
        gradient: The cotangent of this tensor, of its shape; by default 1, for a single element only.
        retain_graph: Keep what was saved for backward, so that it can run again; by default `create_graph`.
        create_graph: Record the backward itself, so that the gradient can be differentiated. It warns, because a leaf
            and its gradient then form a cycle; `grad(..., create_graph=True)` makes none.
        inputs: Accumulate into these tensors only; by default into all leaves.

    Raises:
        RuntimeError: The tensor does not require grad, `gradient` is missing for more than one element or has
            another shape, or the saved values were freed by an earlier backward.
    """
    run_backward(self, gradient, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)


@_method
def register_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(grad)` each time the gradient of this tensor is computed.

    The gradient is read-only. If the hook returns a Tensor, it replaces the gradient, in `.grad` and in the rest of the
    backward pass. A hook belongs to the value the tensor has now: after a write in place it still sees the gradient of
    the earlier value.

    Raises:
        RuntimeError: The tensor does not require grad.
    """
    from autodrill.engine.reverse.hooks import on_tensor

    return on_tensor(self, hook)


@_method
def register_post_accumulate_grad_hook(self: Tensor, hook: Hook) -> Handle:
    """Call `hook(tensor)` each time backward has added to this leaf's `.grad`.

    Raises:
        RuntimeError: The tensor is not a leaf that requires grad.
    """
    from autodrill.engine.reverse.hooks import on_accumulation

    return on_accumulation(self, hook)


def _register_hook(self: Node, hook: Hook) -> Handle:
    """Call `hook(grad_inputs, grad_outputs)` after the rules of this node ran; see `hooks`."""
    from autodrill.engine.reverse.hooks import on_node

    return on_node(self, hook, before=False)


def _register_prehook(self: Node, hook: Hook) -> Handle:
    """Call `hook(grad_outputs)` before the rules of this node run; see `hooks`."""
    from autodrill.engine.reverse.hooks import on_node

    return on_node(self, hook, before=True)


for _name, _function in (("register_hook", _register_hook), ("register_prehook", _register_prehook)):
    setattr(Node, _name, _function)


# In-place operations; each returns the tensor itself, and `inplace.admit` decides what is refused


def _updated(x: Tensor, operation: Primitive, *args: Any) -> Tensor:
    from autodrill.engine.reverse.inplace import update  # imported on first use: few programs write in place

    return update(x, operation, *args)


def _assigned(x: Tensor, values: Any, index: Any, name: str) -> Tensor:
    from autodrill.engine.reverse.inplace import assign

    return assign(x, values, index, name)


@_method
def add_(self: Tensor, other: Any) -> Tensor:
    """Add `other` in place."""
    return _updated(self, ops.add, other)


@_method
def sub_(self: Tensor, other: Any) -> Tensor:
    """Subtract `other` in place."""
    return _updated(self, ops.subtract, other)


@_method
def mul_(self: Tensor, other: Any) -> Tensor:
    """Multiply by `other` in place."""
    return _updated(self, ops.multiply, other)


@_method
def div_(self: Tensor, other: Any) -> Tensor:
    """Divide by `other` in place."""
    return _updated(self, ops.divide, other)


@_method
def pow_(self: Tensor, other: Any) -> Tensor:
    """Raise to the power `other` in place."""
    return _updated(self, ops.power, other)


for _name, _method_in_place in (("add", add_), ("sub", sub_), ("mul", mul_), ("truediv", div_), ("pow", pow_)):
    setattr(Tensor, f"__i{_name}__", _method_in_place)


@_method
def neg_(self: Tensor) -> Tensor:
    """Negate in place."""
    return _updated(self, ops.negative)


@_method
def exp_(self: Tensor) -> Tensor:
    """Take the exponential in place."""
    return _updated(self, ops.exp)


@_method
def log_(self: Tensor) -> Tensor:
    """Take the natural logarithm in place."""
    return _updated(self, ops.log)


@_method
def sqrt_(self: Tensor) -> Tensor:
    """Take the square root in place."""
    return _updated(self, ops.sqrt)


@_method
def tanh_(self: Tensor) -> Tensor:
    """Take the hyperbolic tangent in place."""
    return _updated(self, ops.tanh)


@_method
def sigmoid_(self: Tensor) -> Tensor:
    """Apply the logistic function in place."""
    return _updated(self, ops.sigmoid)


@_method
def relu_(self: Tensor) -> Tensor:
    """Set negative elements to 0 in place."""
    return _updated(self, ops.relu)


@_method
def copy_(self: Tensor, values: Any) -> Tensor:
    """Replace every element by `values`, which broadcast and are converted to this tensor's dtype."""
    return _assigned(self, values, None, "copy_")


@_method
def fill_(self: Tensor, value: Any) -> Tensor:
    """Replace every element by one number."""
    return _assigned(self, value, None, "fill_")


@_method
def zero_(self: Tensor) -> Tensor:
    """Replace every element by 0."""
    return _assigned(self, 0, None, "zero_")


@_method
def __setitem__(self: Tensor, index: Any, values: Any) -> None:
    _assigned(self, values, (None,) if index is None else index, "x[...] = values")
