"""What a graph keeps alive, counted in activations: arrays of the size that one layer's result has."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from functools import partial
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, checkpoint, no_grad, registry, vmap
from tests.engine.samples import SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ELEMENTS = 100_000
ACTIVATION = 8 * ELEMENTS


def start() -> Tensor:
    return Tensor(np.full(ELEMENTS, 0.5), requires_grad=True)


def stretch(x: Tensor, layers: int) -> Tensor:
    for _ in range(layers):
        x = engine.tanh(x)
    return x


def peak(run: Callable[[], Any]) -> float:
    """Return the most memory that was in use at a time, in activations."""
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / ACTIVATION
    finally:
        tracemalloc.stop()


def backward(f: Callable[[Tensor], Tensor]) -> Callable[[], None]:
    return lambda: f(start()).backward(np.ones(ELEMENTS))


# Checkpoints


def checkpointed(x: Tensor, layers: int) -> Tensor:
    parts = isqrt(layers)
    for _ in range(parts):
        x = checkpoint(stretch, x, layers // parts)
    return x


def test_checkpoints_of_64_layers_hold_twice_the_root() -> None:
    """The inputs of 8 stretches, the 8 values saved in one, and what one rule is working on; of all layers else."""
    assert peak(backward(lambda x: stretch(x, 64))) >= 64
    assert peak(backward(lambda x: checkpointed(x, 64))) <= 2 * 8 + WORKING


WORKING = 5
"""Activations that are there at any length: the leaf and its gradient, the cotangent, and what a rule makes of it."""


def test_checkpoint_memory_grows_with_the_square_root() -> None:
    lengths = (16, 64, 256)
    held = [peak(backward(partial(checkpointed, layers=n))) for n in lengths]
    assert all(most <= 2 * isqrt(n) + WORKING for most, n in zip(held, lengths, strict=True))
    growth = (held[2] - held[1]) / (held[1] - held[0])
    assert growth == pytest.approx(2, abs=0.2)  # √256 - √64 over √64 - √16; 4 were it linear


def test_nested_checkpoints_hold_less_memory() -> None:
    """Twice nested, 4 x 4 x 4 layers: the inner checkpoints' arguments are let go too."""

    def level(x: Tensor, depth: int) -> Tensor:
        for _ in range(4):
            x = checkpoint(level, x, depth - 1) if depth else engine.tanh(x)
        return x

    assert peak(backward(lambda x: level(x, 2))) <= 3 * 4 + WORKING


# Without a graph


def test_no_grad_saves_nothing() -> None:
    def forward() -> Tensor:
        return stretch(start(), 64)

    def without() -> None:
        with no_grad():
            assert forward().node is None

    assert peak(forward) >= 64
    assert peak(without) < 3.5  # the leaf, a layer's argument and its result


def test_no_grad_frees_intermediates_immediately() -> None:
    x = Tensor(np.ones(3), requires_grad=True)
    with no_grad():
        y = engine.tanh(x)
        argument = weakref.ref(y.data)
        y = engine.tanh(y)
    assert argument() is None
    recorded = engine.tanh(x)
    argument = weakref.ref(recorded.data)
    recorded = engine.tanh(recorded)
    assert argument() is not None


def test_recording_saves_only_needed_values() -> None:
    """`x * w` saves w for x; with only w asked for, x alone, and of a sum neither."""
    x, w = Tensor(np.ones(3)), Tensor(np.ones(3), requires_grad=True)
    kept, let_go, summed = (weakref.ref((x * 1).data) for _ in range(3))
    a, b, c = x * 2, x * 3, x * 4
    kept, let_go, summed = weakref.ref(a.data), weakref.ref(b.data), weakref.ref(c.data)
    out = (w * a).sum() + (w + c).sum() + engine.tanh(b).sum()
    del a, b, c
    assert kept() is not None
    assert let_go() is None
    assert summed() is None
    del out
    assert kept() is None


# Backward


def living(layers: int, *, retain_graph: bool) -> list[int]:
    """Return how many layers' results are alive when backward comes to each layer, the last one first."""
    x = Tensor(np.full(3, 0.5), requires_grad=True)
    results: list[weakref.ref[Any]] = []
    counts: list[int] = []
    y = x
    for _ in range(layers):
        y = engine.tanh(y)
        results.append(weakref.ref(y.data))
        y.register_hook(lambda _: counts.append(sum(r() is not None for r in results)))
    out = y.sum()
    del y
    out.backward(retain_graph=retain_graph)
    return counts


def test_backward_frees_saved_values_layer_by_layer() -> None:
    assert living(20, retain_graph=False) == [20, *range(20, 1, -1)]  # with that of the rule that ran last
    assert living(20, retain_graph=True) == [20] * 20


def test_backward_needs_no_extra_memory() -> None:
    """Cotangents are let go as well: of 64 layers two are there at a time, and a rule's own."""
    x = start()
    out = stretch(x, 64)
    assert peak(lambda: out.backward(np.ones(ELEMENTS))) <= WORKING
    assert x.grad is not None


# Cycles


@pytest.fixture
def only_counted() -> Iterator[None]:
    """Leave freeing to reference counts; what is there already is not looked at."""
    gc.collect()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def every_transform(f: Callable[..., Any], inputs: list[Any]) -> None:
    value, pullback = engine.vjp(f, *inputs)
    floating = [x.dtype.kind in "fc" for x in inputs]
    cotangent = np.ones(value.shape, value.dtype)
    pullback(cotangent)
    engine.jvp(f, inputs, [np.ones_like(x) if moves else None for x, moves in zip(inputs, floating, strict=True)])
    variables = [Tensor(x, requires_grad=moves) for x, moves in zip(inputs, floating, strict=True)]
    # Not `backward(create_graph=True)`: a leaf's gradient that leads back to the leaf is a cycle, in PyTorch too.
    engine.grad(checkpoint(f, *variables), [v for v in variables if v.requires_grad], cotangent, create_graph=True)
    vmap(f, randomness="same")(*(np.stack([x, x]) for x in inputs))


@pytest.mark.usefixtures("only_counted")
def test_operations_leave_no_cycle_in_any_transform() -> None:
    """Its first sample, differentiated both ways, in a checkpoint with `create_graph`, and under `vmap`."""
    first = {s.name: s for s in reversed(SAMPLES) if s.name in registry and not s.of_complex}
    leaving = {}
    for name, sample in first.items():
        every_transform(sample.function(), sample.inputs())
        found = gc.collect()
        if found:
            leaving[name] = found
    assert leaving == {}


@pytest.mark.usefixtures("only_counted")
def test_cycle_detection_finds_a_cycle() -> None:
    x = Tensor(np.ones(3), requires_grad=True)
    y = engine.tanh(x)
    y.register_hook(lambda _, y=y: None)  # the node holds the hook, which holds the tensor, which holds the node
    del y
    assert gc.collect() > 0
