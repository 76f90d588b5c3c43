"""The generator `memory`: the bytes of weights, gradients, optimiser state and saved arrays in a training step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.generated.network import Network, draw
from autodrill.bank.generated.record import counts, make, proof, verdict
from autodrill.bank.questions import Difficulty

if TYPE_CHECKING:
    import random

    from autodrill.bank.questions import Question

__all__ = ["memory_of_step"]

_BYTES = 4  # of a float32
# For each optimiser, the numbers it keeps per weight and the PyTorch expression that creates it.
_OPTIMISERS = {
    "plain SGD": (0, "torch.optim.SGD(trained, lr=0.1)"),
    "SGD with momentum": (1, "torch.optim.SGD(trained, lr=0.1, momentum=0.9)"),
    "Adam": (2, "torch.optim.Adam(trained)"),
}


def memory_of_step(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question on the bytes of a training step, by purpose."""
    network = draw(rng, difficulty)
    optimiser = rng.choice(list(_OPTIMISERS))
    moments, made = _OPTIMISERS[optimiser]
    saved = _saved(network)
    weights = sum(layer.weights for layer in network.layers)
    answers = {
        "weights": _BYTES * weights,
        "gradients": _BYTES * network.trained,
        "optimiser": _BYTES * moments * network.trained,
        "saved": _BYTES * network.batch * sum(saved.values()),
    }
    every = _BYTES * network.batch * sum(layer.inputs + layer.outputs for layer in network.layers)
    kept = ", ".join(f"`{name}` ({network.batch}, {width})" for name, width in saved.items())
    return make(
        __file__,
        difficulty,
        counts(answers),
        minutes={Difficulty.EASY: 3, Difficulty.MEDIUM: 4, Difficulty.HARD: 6}[difficulty],
        topics=("memory",),
        title=f"How many bytes of memory does this training step with {optimiser} hold?",
        body=f"{network.shown}\n\nEverything is float32. `saved` is what autograd keeps between forward and backward, "
        "without the weights. As in PyTorch, each array counts once. You can type arithmetic such as `4*8*16`.",
        answer=f"There are {weights} weights of 4 bytes, and {network.trained} of them are trained. Each trained "
        f"weight has a gradient and {moments} further number{'s' if moments != 1 else ''}. Saved for backward: {kept}.",
        key_points=(
            "Only trained weights have gradients and optimiser state; the state is zero, one or two numbers per weight",
            "A product `X @ W` keeps X if W is trained; relu and tanh keep their output, sin and squares their input",
            "An array saved for two reasons is stored once",
            "Before the first trained layer nothing is saved, because backward stops there",
        ),
        wrong_answers=(
            verdict(
                f"Every product saves its input and its output: {every} bytes",
                "a product's output is saved only if its consumer needs it, and each array is stored once.",
            ),
        ),
        follow_ups=(
            (
                "Which of the four numbers grows with the batch size?",
                "Only the saved bytes grow; the other three numbers depend on the weights alone.",
            ),
        ),
        proofs=(
            proof(_ON_ENGINE.format(code=_Code(network, torch=False), moments=moments)),
            proof(_ON_TORCH.format(code=_Code(network, torch=True), made=made), torch=True),
        ),
    )


def _saved(network: Network) -> dict[str, int]:
    """Return the width of each array saved for backward, without the weights, by its name."""
    saved: dict[str, int] = {}
    for k, layer in enumerate(network.layers, 1):
        if not layer.frozen:
            saved["x" if k == 1 else f"h{k - 1}"] = layer.inputs
        if k - 1 < network.first_trained:
            continue
        if layer.activation == "sin":
            saved[f"the input of sin in layer {k}"] = layer.outputs
        elif layer.activation:
            saved[f"h{k}"] = layer.outputs
    saved["out"] = network.layers[-1].outputs
    return saved


class _Code:
    """The parts of a network's program, as attributes for `str.format`."""

    def __init__(self, network: Network, *, torch: bool) -> None:
        self.declared = network.declared(torch=torch)
        self.computed = "\n".join(f"    {line}" for line in network.computed(torch=torch).splitlines())
        self.parameters = network.parameters


_ON_ENGINE = """
import numpy as np

from autodrill import engine

{code.declared}
weights = [{code.parameters}]
trained = [w for w in weights if w.requires_grad]
kept = {{}}


def pack(tensor):
    kept[tensor.data.__array_interface__["data"][0]] = tensor.data.nbytes
    return tensor


with engine.saved_tensors_hooks(pack, lambda tensor: tensor):
{code.computed}
for w in weights:
    kept.pop(w.data.__array_interface__["data"][0], None)
L.backward()
grads = [w.grad.data for w in trained]
# The engine has no optimisers. These are the arrays that the update rules keep.
state = [np.zeros_like(g) for g in grads for _ in range({moments})]
computed = {{
    "weights": sum(w.data.nbytes for w in weights),
    "gradients": sum(g.nbytes for g in grads),
    "optimiser": sum(s.nbytes for s in state),
    "saved": sum(kept.values()),
}}
"""
_ON_TORCH = """
import torch

{code.declared}
weights = [{code.parameters}]
trained = [w for w in weights if w.requires_grad]
optimiser = {made}
kept = {{}}


def pack(tensor):
    kept[tensor.untyped_storage().data_ptr()] = tensor.nbytes
    return tensor


with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
{code.computed}
for w in weights:
    kept.pop(w.untyped_storage().data_ptr(), None)
L.backward()
optimiser.step()
# Adam also counts its steps, in one number a weight.
state = [s for w in trained for s in optimiser.state[w].values() if s is not None and s.shape == w.shape]
computed = {{
    "weights": sum(w.nbytes for w in weights),
    "gradients": sum(w.grad.nbytes for w in trained),
    "optimiser": sum(s.nbytes for s in state),
    "saved": sum(kept.values()),
}}
"""
