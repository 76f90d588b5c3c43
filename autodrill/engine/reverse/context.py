"""What a custom `Function` remembers between its forward and its backward, and the nodes it leaves in the graph."""

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
    """The cotangents of several outputs of one operation, those that have arrived so far."""

    __slots__ = ("parts",)

    shape = ()
    dtype = None

    def __init__(self, parts: dict[int, Any]) -> None:
        self.parts = parts

    def __add__(self, other: Bundle) -> Bundle:
        both = self.parts.keys() & other.parts.keys()
        return Bundle({**self.parts, **other.parts, **{k: self.parts[k] + other.parts[k] for k in both}})


def output_node(hub: CustomNode, place: int, data: Any) -> CustomNode:
    """Return the node of one of several outputs, which hands its cotangent on to the node they share."""

    def hand_on(_: CustomNode, g: Any, create_graph: bool) -> list[Any]:  # noqa: ARG001 - as every pull
        return [Bundle({place: g})]

    return CustomNode(hub.primitive.name, (hub,), (), data.shape, data.dtype, hand_on)


def error_node(node: Any, reason: str, value: Tensor) -> CustomNode:
    """Return a node for a value whose derivative is not known to the graph: backward through it raises."""

    def refuse(_: CustomNode, g: Any, create_graph: bool) -> list[Any]:  # noqa: ARG001 - as every pull
        raise RuntimeError(
            f"`{node.primitive.name}` cannot be differentiated twice: {reason}, so the second derivative would be "
            "computed as if that did not depend on the inputs"
        )

    return CustomNode(node.primitive.name, tuple(node.parents), (), value.data.shape, value.data.dtype, refuse)


class Context:
    """What `forward` and `backward` of a `Function` share; any other attribute may be set on it too.

    Save Tensors with `save_for_backward`, which lets them be freed and checked for writes in place; put on the
    context itself only what has no derivative (shapes, masks, constants).

    Attributes:
        needs_input_grad: For each argument of forward, whether its gradient is needed.
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
        """Save inputs, outputs and intermediates; through intermediates backward cannot be differentiated again."""
        for tensor in tensors:
            if tensor is not None and type(tensor) is not Tensor:
                raise TypeError(f"save_for_backward() takes Tensors, not `{type(tensor).__name__}`")
        self.to_save = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs were written to in place; each must be returned as an output."""
        self.dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no derivative."""
        self.constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Choose whether a cotangent that does not arrive is zeros (the default) or None."""
        self.materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What `save_for_backward` saved, within `backward` and `jvp`.

        Raises:
            RuntimeError: Asked for elsewhere.
        """
        if self._unpacked is None:
            raise RuntimeError("`saved_tensors` are there only inside `backward` and `jvp`")
        return self._unpacked

    @contextmanager
    def reached(self, node: CustomNode | None, saved: Sequence[Any]) -> Iterator[None]:
        """Lend the saved tensors for the length of a `with` block; kept, they would hold the graph in a cycle."""
        self.node, self._unpacked = node, tuple(saved)
        try:
            yield
        finally:
            self.node = self._unpacked = None


class Saved:
    """Where each saved tensor of one call came from, so that backward can connect it to the graph again.

    Attributes:
        args: The arguments as they were given; forgotten once recorded.
        outputs: The outputs as forward made them; forgotten once recorded.
        parents: The nodes of the arguments that require grad.
        tracked: Which arguments those are.
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
        """Return a Tensor of zeros on the outputs' device."""
        return wrap(self._xp.zeros(shape, dtype))

    def arrays(self) -> list[Any]:
        """Return the arrays a node is to save."""
        return [None if t is None else t.data for t in self._values]

    def forget(self, results: Sequence[Any]) -> None:
        """Let go of tensors that would keep the graph, or memory a freed node is to give back, alive."""
        for n, k in enumerate(self._results):
            if k is not None and self._inputs[n] is None:
                self._tangents[n] = results[k].tangents
        self._values = self.args = self.outputs = ()

    def of(self, primals: Sequence[Any], results: Sequence[Any]) -> list[Any]:
        """Return the saved tensors for a forward-mode rule: the inputs and outputs it is to see in their place."""
        arrays = iter(self._values or [None] * len(self._inputs))
        found = []
        for i, k, value in zip(self._inputs, self._results, arrays, strict=True):
            found.append(primals[i] if i is not None else results[k] if k is not None else value)
        return found

    def unpacked(self, node: CustomNode, *, create_graph: bool) -> list[Any]:
        """Return the saved tensors for backward: in the graph if its work is recorded."""
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
                    node, "its backward uses a saved tensor that is neither input nor output", value
                )
        return found
