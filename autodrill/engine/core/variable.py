"""A tensor as a variable of differentiation: whether it requires grad, its `.grad`, `backward()`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self, cast

from autodrill.engine.core.mode import mode
from autodrill.engine.core.node import GraphNode, Leaf, Node
from autodrill.engine.core.sparse import IndexedSlices
from autodrill.engine.core.write_versions import is_inference
from autodrill.engine.reverse.hooks import watched

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.engine.core.backend import Array
    from autodrill.engine.core.tensor import Tensor

__all__ = ["Variable"]


class Variable:
    """The part of a Tensor that collects a gradient; semantics and words are PyTorch's."""

    __slots__ = ("data", "node")

    data: Array
    node: GraphNode | None

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
            if type(gradient) is IndexedSlices:
                from autodrill.engine.core.tensor import wrap

                gradient = node.grad = wrap(gradient.dense())
            assert not isinstance(gradient, IndexedSlices)
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
            if not isinstance(value, Variable):
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
        return gradient if type(gradient) is IndexedSlices else None

    def backward(
        self,
        gradient: Any = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Sequence[Tensor] | Tensor | None = None,
    ) -> None:
        """Accumulate the gradient of this tensor into the `.grad` of the leaves it was computed from.

        Args:
            gradient: The cotangent of this tensor, of its shape; 1 for a single element when left out.
            retain_graph: Keep what was saved for backward, so that it can run again; by default `create_graph`.
            create_graph: Record the backward itself, so that the gradient can be differentiated.
            inputs: Accumulate into these tensors only.

        Raises:
            RuntimeError: The tensor does not require grad, `gradient` is missing for more than one element or has
                another shape, or the saved values were freed by an earlier backward.
        """
        from autodrill.engine.reverse.backward import backward

        backward(cast("Tensor", self), gradient, retain_graph=retain_graph, create_graph=create_graph, inputs=inputs)
