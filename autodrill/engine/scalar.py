"""The scalar engine of the interview question: one number for each node, one closure for each operation's backward.

It shows reverse mode in its smallest form. It shares no code with the tensor engine, because a candidate writes exactly
this much on a whiteboard.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Value"]


def _nothing() -> None:
    """Do nothing: the backward of a leaf."""


class Value:
    """A number that remembers how it was computed.

    `data` is the number and `grad` its gradient. `_prev` holds the values it was computed from, `_op` names the
    operation, and `_backward` adds this value's contribution to their gradients. A leaf is a value that was not
    computed. Its gradient accumulates over calls of `backward()`, as in PyTorch, until `grad` is set to 0.

    Args:
        data: The number.
        _prev: The values it was computed from.
        _op: The operation that computed it.

    Raises:
        TypeError: An operand of an operator is no number.

    Example:
        >>> a, b = engine.Value(2.0), engine.Value(3.0)
        >>> (a * b + a).backward()
        >>> a.grad, b.grad
        (4.0, 2.0)
    """

    __slots__ = ("__weakref__", "_backward", "_op", "_prev", "data", "grad")

    def __init__(self, data: float, _prev: tuple[Value, ...] = (), _op: str = "") -> None:
        self.data = data
        self.grad = 0.0
        self._prev = _prev
        self._op = _op
        self._backward: Callable[[], None] = _nothing

    def __repr__(self) -> str:
        return f"Value(data={self.data}, grad={self.grad})"

    # Each closure uses += because a value may be used more than once. Its gradient is the sum over all uses.

    def __add__(self, other: Value | float) -> Value:
        right = _as_value(other)
        out = Value(self.data + right.data, (self, right), "+")

        def _backward() -> None:
            self.grad += out.grad
            right.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Value | float) -> Value:
        right = _as_value(other)
        out = Value(self.data * right.data, (self, right), "*")

        def _backward() -> None:
            self.grad += out.grad * right.data
            right.grad += out.grad * self.data

        out._backward = _backward
        return out

    def __truediv__(self, other: Value | float) -> Value:
        right = _as_value(other)
        out = Value(self.data / right.data, (self, right), "/")

        def _backward() -> None:
            self.grad += out.grad / right.data
            right.grad -= out.grad * out.data / right.data

        out._backward = _backward
        return out

    def __pow__(self, other: Value | float) -> Value:
        right = _as_value(other)
        out = Value(self.data**right.data, (self, right), "**")

        def _backward() -> None:
            if right.data != 0:
                self.grad += out.grad * right.data * self.data ** (right.data - 1)
            # The logarithm of a negative base is undefined, so the exponent then counts as a constant.
            if self.data > 0:
                right.grad += out.grad * out.data * math.log(self.data)

        out._backward = _backward
        return out

    def __neg__(self) -> Value:
        return self._unary(-self.data, -1.0, "neg")

    def relu(self) -> Value:
        """Return max(x, 0); its subgradient at 0 is 0."""
        return self._unary(max(self.data, 0.0), float(self.data > 0), "relu")

    def tanh(self) -> Value:
        """Return the hyperbolic tangent."""
        t = math.tanh(self.data)
        return self._unary(t, 1 - t * t, "tanh")

    def exp(self) -> Value:
        """Return e to the power x."""
        e = math.exp(self.data)
        return self._unary(e, e, "exp")

    def log(self) -> Value:
        """Return the natural logarithm.

        Raises:
            ValueError: The value is not positive.
        """
        return self._unary(math.log(self.data), 1 / self.data, "log")

    def sigmoid(self) -> Value:
        """Return 1 / (1 + exp(-x)), without overflow."""
        small = math.exp(-abs(self.data))
        s = (1.0 if self.data >= 0 else small) / (1 + small)
        return self._unary(s, s * (1 - s), "sigmoid")

    def _unary(self, data: float, slope: float, op: str) -> Value:
        """Return the result of a function of one value whose derivative here is `slope`."""
        out = Value(data, (self,), op)

        def _backward() -> None:
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def __sub__(self, other: Value | float) -> Value:
        return self + (-other)

    def __radd__(self, other: float) -> Value:
        return self + other

    def __rsub__(self, other: float) -> Value:
        return (-self) + other

    def __rmul__(self, other: float) -> Value:
        return self * other

    def __rtruediv__(self, other: float) -> Value:
        return Value(other) / self

    def __rpow__(self, other: float) -> Value:
        return Value(other) ** self

    def backward(self) -> None:
        """Set the gradient of this value to 1 and propagate it to everything it was computed from.

        It may be called again: leaves accumulate, and all other gradients start from 0 each time. The traversal is
        iterative, so a long chain does not exceed Python's recursion limit.
        """
        order = self._topological_order()
        for value in order:
            if value._prev:
                value.grad = 0.0
        self.grad += 1.0
        for value in reversed(order):
            value._backward()

    def _topological_order(self) -> list[Value]:
        """Return this value and everything it depends on, each after its operands."""
        order: list[Value] = []
        seen: set[Value] = set()
        stack = [(self, False)]
        while stack:
            value, done = stack.pop()
            if done:
                order.append(value)
            elif value not in seen:
                seen.add(value)
                stack.append((value, True))
                stack.extend((parent, False) for parent in value._prev)
        return order


def _as_value(number: Value | float) -> Value:
    return number if isinstance(number, Value) else Value(number)
