"""The generator `flops`: the FLOPs of a small network's matrix products, forward and backward."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.generated.network import draw
from autodrill.bank.generated.record import counts, make, proof, verdict
from autodrill.bank.questions import Difficulty

if TYPE_CHECKING:
    import random

    from autodrill.bank.generated.network import Network
    from autodrill.bank.questions import Question

__all__ = ["flops_of_backward"]


def flops_of_backward(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question on the FLOPs of a network's matrix products, forward and backward."""
    network = draw(rng, difficulty)
    forward = [2 * network.batch * layer.weights for layer in network.layers]
    # A layer needs dX if an earlier layer is trained, and dW if it is trained itself.
    of_inputs = [cost if k > network.first_trained else 0 for k, cost in enumerate(forward)]
    of_weights = [0 if layer.frozen else cost for layer, cost in zip(network.layers, forward, strict=True)]
    backward = sum(of_inputs) + sum(of_weights)
    rows = [
        f"layer {k}: forward {cost}, dX {dx}, dW {dw}"
        for k, (cost, dx, dw) in enumerate(zip(forward, of_inputs, of_weights, strict=True), 1)
    ]
    return make(
        __file__,
        difficulty,
        counts({"forward": sum(forward), "backward": backward}),
        minutes={Difficulty.EASY: 2, Difficulty.MEDIUM: 3, Difficulty.HARD: 5}[difficulty],
        topics=("systems",),
        exercises=("matmul_backward",),
        title="How many FLOPs do the matrix products of this training step take?",
        body=f"{network.shown}\n\nA multiplication and an addition are two FLOPs; only matrix products count. "
        "You can type arithmetic such as `2*8*16*32`.",
        answer="A product of (m, k) and (k, n) takes 2·m·k·n FLOPs, and so does each of the two products of its "
        "backward:\n\n"
        "```text\n" + "\n".join(rows) + f"\n```\n\nBackward: {sum(of_inputs)} + {sum(of_weights)} = {backward}.",
        key_points=(
            "A product takes 2·m·k·n FLOPs, and its backward takes twice as many: dX = G·Wᵀ and dW = Xᵀ·G",
            "The first layer needs no dX, because the data need no gradient",
            "A frozen layer needs no dW, and needs dX only if an earlier layer is trained",
        ),
        wrong_answers=(
            verdict(
                f"The backward takes exactly twice as many as the forward: {2 * sum(forward)}",
                f"that counts unneeded products; here the backward is {backward / sum(forward):.3g} times the forward.",
            ),
        ),
        follow_ups=(
            (
                "Why does a training step take about 6·parameters·tokens FLOPs?",
                "Each weight takes 2 FLOPs forward and 4 backward per token, if all layers are trained and need dX.",
            ),
        ),
        proofs=(proof(_on_engine(network)), proof(_on_torch(network), torch=True)),
    )


def _on_engine(network: Network) -> str:
    return f"""
import numpy as np

from autodrill import engine
from autodrill.engine.core.mode import observed_by

done = 0


def count(primitive, operands, result):
    global done
    if primitive.name == "matmul":
        done += 2 * result.size * operands[0].shape[-1]


{network.declared(torch=False)}
with observed_by(count):
{_indented(network.computed(torch=False))}
    forward = done
    # With create_graph the backward pass consists of recorded operations, which the observer sees.
    engine.grad(L, [w for w in [{network.parameters}] if w.requires_grad], create_graph=True)
computed = {{"forward": forward, "backward": done - forward}}
"""


def _on_torch(network: Network) -> str:
    return f"""
import torch
from torch.utils.flop_counter import FlopCounterMode

{network.declared(torch=True)}
with FlopCounterMode(display=False) as counter:
{_indented(network.computed(torch=True))}
    forward = counter.get_total_flops()
    L.backward()
computed = {{"forward": forward, "backward": counter.get_total_flops() - forward}}
"""


def _indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.splitlines())
