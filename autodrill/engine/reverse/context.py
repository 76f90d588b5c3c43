"""The context of a custom `Function`, which carries values from forward to backward, and its nodes in the graph."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from autodrill.engine.core.backend import backend_of
from autodrill.engine.core.node import CustomNode
from autodrill.engine.core.tensor import Tensor, live_tangents, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.engine.core.node import GraphNode

__all__ = ["Bundle", "Context", "Saved", "error_node", "output_node"]


class Bundle:
    """The cotangents that the outputs of one operation have received so far."""

    __slots__ = ("parts",)

    shape = ()
    dtype = None

    def __init__(self, parts: dict[int, Any]) -> None:
        self.parts = parts

    def __add__(self, other: Bundle) -> Bundle:
        both = self.parts.keys() & other.parts.keys()
        return Bundle({**self.parts, **other.parts, **{k: self.parts[k] + other.parts[k] for k in both}})


def output_node(hub: CustomNode, place: int, data: Any) -> CustomNode:
    """Return the node of one of several outputs; it passes its cotangent to the node shared by all of them."""

    def hand_on(_: CustomNode, g: Any, create_graph: bool) -> list[Any]:  # noqa: ARG001 - as every pull
        return [Bundle({place: g})]

    return CustomNode(hub.primitive.name, (hub,), (), data.shape, data.dtype, hand_on)


def error_node(node: Any, reason: str, value: Tensor) -> CustomNode:
    """Return a node through which backward raises, for a value whose derivative the graph does not contain."""

    def refuse(_: CustomNode, g: Any, create_graph: bool) -> list[Any]:  # noqa: ARG001 - as every pull
        raise RuntimeError(
            f"`{node.primitive.name}` cannot be differentiated twice: {reason}, so the second derivative would miss "
            "its dependence on the inputs"
        )

    return CustomNode(node.primitive.name, tuple(node.parents), (), value.data.shape, value.data.dtype, refuse)


class Context:
    """The object that `forward` and `backward` of a `Function` share; it accepts further attributes.

    Save Tensors with `save_for_backward`: backward then frees them and detects in-place writes to them. Set attributes
    only for values without a derivative (shapes, masks, constants).

    Attributes:
        needs_input_grad: For each argument of forward, whether its gradient is needed.

    Example:
        >>> class Square(engine.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, g):
        ...         (x,) = ctx.saved_tensors
        ...         return 2 * x * g
        >>> x = engine.Tensor(3.0, requires_grad=True)
        >>> engine.grad(Square.apply(x), x)[0].item()
        6.0
    """

    def __init__(self, needs_input_grad: tuple[bool, ...]) -> None:
        self.needs_input_grad = needs_input_grad
        self.to_save: tuple[Any, ...] = ()
        self.dirty: tuple[Tensor, ...] = ()
        self.constant: tuple[Tensor, ...] = ()
        self.materialize = True
        self.node: Any = None
        self._unpacked: tuple[Any, ...] | None = None

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Save inputs, outputs and intermediate values.

        A backward that uses an intermediate value cannot be differentiated.
        """
        for tensor in tensors:
            if tensor is not None and type(tensor) is not Tensor:
                raise TypeError(f"save_for_backward() takes Tensors, not `{type(tensor).__name__}`")
        self.to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Declare the inputs that forward modified in place; it must return each of them as an output."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Declare the outputs that have no derivative."""
        self.constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Set whether a missing cotangent is passed as zeros (the default) or as None."""
        self.materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The values of `save_for_backward`, available inside `backward` and `jvp`.

        Raises:
            RuntimeError: It is read elsewhere.
        """
        if self._unpacked is None:
            raise RuntimeError("`saved_tensors` is available only inside `backward` and `jvp`")
        return self._unpacked

    @contextmanager
    def reached(self, node: CustomNode | None, saved: Sequence[Any]) -> Iterator[None]:
        """Provide the saved tensors inside a `with` block only, because they would form a cycle with the graph."""
        self.node, self._unpacked = node, tuple(saved)
        try:
            yield
        finally:
            self.node = self._unpacked = None


class Saved:
    """The origins of the saved tensors of one call, by which backward connects them to the graph again.

    Attributes:
        args: The arguments; dropped after recording.
        outputs: The outputs of forward; dropped after recording.
        parents: The nodes of the arguments that require grad.
        tracked: The positions of these arguments.
        tensor: For each argument, whether it is a Tensor.
    """

    def __init__(
        self, ctx: Context, args: Sequence[Any], given: Sequence[Any], outputs: Sequence[Any], parents: Sequence[Any]
    ) -> None:
        self.args = args
        self.outputs = outputs
        self.parents: tuple[GraphNode, ...] = tuple(parents)
        self.tracked = [k for k, needed in enumerate(ctx.needs_input_grad) if needed]
        self.tensor = [type(a) is Tensor for a in args]
        self._xp = backend_of(*(o.data for o in outputs if type(o) is Tensor)).xp
        self._values = ctx.to_save
        self._inputs = [next((i for i, x in enumerate(given) if x is t), None) for t in self._values]
        self._results = [next((k for k, o in enumerate(outputs) if o is t), None) for t in self._values]
        self._tangents = [
            None if i is None else live_tangents(args[i]) if type(args[i]) is Tensor else None for i in self._inputs
        ]
        self._nodes = [getattr(t, "node", None) for t in self._values]
        ctx.to_save = ()

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Tensor:
        """Return a Tensor of zeros on the device of the outputs."""
        return wrap(self._xp.zeros(shape, dtype))

    def arrays(self) -> list[Any]:
        """Return the arrays for the node to save."""
        return [None if t is None else t.data for t in self._values]

    def forget(self, results: Sequence[Any]) -> None:
        """Drop the tensors that would keep the graph alive, or memory that a freed node releases."""
        for n, k in enumerate(self._results):
            if k is not None and self._inputs[n] is None:
                self._tangents[n] = results[k].tangents
        self._values = self.args = self.outputs = ()

    def of(self, primals: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """Return the saved tensors for a forward-mode rule, with the given inputs and outputs in their places."""
        arrays = iter(self._values or [None] * len(self._inputs))
        found = []
        for i, k, value in zip(self._inputs, self._results, arrays, strict=True):
            found.append(primals[i] if i is not None else results[k] if k is not None else value)
        return found

    def unpacked(self, node: CustomNode, *, create_graph: bool) -> list[Any]:
        """Return the saved tensors for backward, connected to the graph if `create_graph`."""
        found: list[Any] = []
        for n, data in enumerate(node.saved or ()):
            if data is None:
                found.append(None)
                continue
            value = wrap(data, None, self._tangents[n])
            value.tangents = live_tangents(value)
            found.append(value)
            if not create_graph:
                continue
            i, k = self._inputs[n], self._results[n]
            if i is not None:
                value.node = self.parents[self.tracked.index(i)] if i in self.tracked else None
            elif k is not None:
                value.node = node if node.dtype is not None else output_node(node, k, data)
            elif self._nodes[n] is not None:
                value.node = self._nodes[n]
            elif data.dtype.kind in "fc":
                value.node = error_node(
                    node, "its backward uses a saved tensor that is neither an input nor an output", value
                )
        return found
