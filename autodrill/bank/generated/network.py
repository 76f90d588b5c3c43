"""Small networks without biases, for the questions on memory and FLOPs; some layers are frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from autodrill.bank.questions import Difficulty

if TYPE_CHECKING:
    import random

__all__ = ["Layer", "Network", "draw"]

# Unlike the others, sin needs its input for backward.
_ACTIVATIONS = {
    Difficulty.EASY: ("relu",),
    Difficulty.MEDIUM: ("relu", "tanh", "sin"),
    Difficulty.HARD: ("relu", "sin"),
}
_DEPTHS = {Difficulty.EASY: 2, Difficulty.MEDIUM: 3, Difficulty.HARD: 4}


@dataclass(frozen=True, slots=True)
class Layer:
    """A product with a weight of shape (inputs, outputs), followed by an activation unless that is empty."""

    inputs: int
    outputs: int
    frozen: bool
    activation: str

    @property
    def weights(self) -> int:
        """The number of elements of the weight."""
        return self.inputs * self.outputs


@dataclass(frozen=True, slots=True)
class Network:
    """A sequence of layers on a batch of rows. The loss is the sum of squares of the output.

    Attributes:
        batch: The number of rows of the input `x`, which needs no gradient.
        layers: The layers; at least one is trained.
    """

    batch: int
    layers: tuple[Layer, ...]

    @property
    def trained(self) -> int:
        """The number of trained weight elements."""
        return sum(layer.weights for layer in self.layers if not layer.frozen)

    @property
    def first_trained(self) -> int:
        """The index of the first trained layer, where backward stops."""
        return next(k for k, layer in enumerate(self.layers) if not layer.frozen)

    @property
    def shown(self) -> str:
        """The network in Markdown, for the learner."""
        rows = [("x", f"({self.batch}, {self.layers[0].inputs}), no gradient")]
        for k, layer in enumerate(self.layers, 1):
            frozen = ", frozen" if layer.frozen else ""
            rows.append((self._statement(k, ""), f"W{k}: ({layer.inputs}, {layer.outputs}){frozen}"))
        rows.append(("L = (out * out).sum()", ""))
        width = max(len(code) for code, _ in rows)
        return "```text\n" + "\n".join(f"{code:{width}}  {note}".rstrip() for code, note in rows) + "\n```"

    @property
    def parameters(self) -> str:
        """The names of the weights in the code."""
        return ", ".join(f"W{k}" for k in range(1, len(self.layers) + 1))

    def declared(self, *, torch: bool) -> str:
        """Return the statements that create the input and the weights: float32 zeros, as no count depends on values."""

        def zeros(shape: tuple[int, int], trained: bool) -> str:
            made = f"torch.zeros({shape}" if torch else f"engine.Tensor(np.zeros({shape}, dtype=np.float32)"
            return f"{made}, requires_grad={trained})"

        lines = [f"x = {zeros((self.batch, self.layers[0].inputs), False)}"]
        for k, layer in enumerate(self.layers, 1):
            lines.append(f"W{k} = {zeros((layer.inputs, layer.outputs), not layer.frozen)}")
        return "\n".join(lines)

    def computed(self, *, torch: bool) -> str:
        """Return the statements of the forward pass, up to the loss `L`."""
        library = "torch." if torch else "engine."
        lines = [self._statement(k, library) for k in range(1, len(self.layers) + 1)]
        return "\n".join([*lines, "L = (out * out).sum()"])

    def _statement(self, k: int, library: str) -> str:
        layer, last = self.layers[k - 1], k == len(self.layers)
        product = f"{'x' if k == 1 else f'h{k - 1}'} @ W{k}"
        applied = f"{library}{layer.activation}({product})" if layer.activation else product
        return f"{'out' if last else f'h{k}'} = {applied}"


def draw(rng: random.Random, difficulty: Difficulty) -> Network:
    """Draw a network. Harder ones are deeper and use other activations; hard ones have frozen layers."""
    depth = _DEPTHS[difficulty]
    widths = [rng.choice([8, 16, 32, 64, 128]) for _ in range(depth + 1)]
    frozen = [difficulty is Difficulty.HARD and rng.random() < 0.5 for _ in range(depth)]
    if all(frozen):
        frozen[rng.randrange(depth)] = False
    layers = tuple(
        Layer(widths[k], widths[k + 1], frozen[k], rng.choice(_ACTIVATIONS[difficulty]) if k < depth - 1 else "")
        for k in range(depth)
    )
    return Network(rng.choice([4, 8, 10, 16, 32]), layers)
