"""`vmap` of every operation, at every position of the examples' axis, against a loop over the examples."""

from __future__ import annotations

import zlib
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import registry, vmap
from autodrill.engine.transforms import batching_rules
from tests.engine.exclusions import ONE_BY_ONE
from tests.engine.samples import SAMPLES, Sample
from tests.engine.walk import each

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXAMPLES = 3


def examples_of(sample: Sample, mapped: Sequence[int]) -> list[list[Any]]:
    """Draw the inputs of each example; what is not mapped is the same for all."""
    rng = np.random.default_rng(zlib.crc32(str(sample).encode()))
    shared = sample.inputs()
    drawn = [sample.inputs(rng) for _ in range(EXAMPLES)]
    return [[x if k in mapped else shared[k] for k, x in enumerate(inputs)] for inputs in drawn]


def drawn_like(rng: np.random.Generator, value: Any) -> Any:
    """Draw a direction for a value: complex for a complex one."""
    direction = rng.normal(size=value.shape)
    return np.asarray(direction + 1j * rng.normal(size=value.shape) if value.dtype.kind == "c" else direction)


def placements(sample: Sample) -> Iterator[tuple[int | None, ...]]:
    """Give every choice of mapped inputs, each at every position its examples' axis can have."""
    count = len(sample.shapes)
    for size in range(1, count + 1):
        for mapped in combinations(range(count), size):
            for turn in range(max(len(sample.shapes[k]) for k in mapped) + 1):
                yield tuple(min(turn, len(sample.shapes[k])) if k in mapped else None for k in range(count))


def stacked(examples: list[list[Any]], axes: Sequence[int | None]) -> list[Any]:
    return [
        examples[0][k] if axis is None else np.stack([inputs[k] for inputs in examples], axis=axis)
        for k, axis in enumerate(axes)
    ]


def assert_close(got: Any, expected: Any) -> None:
    """Compare two computations of the same numbers, whose sums and matrix products may be taken in another order."""
    assert got.shape == expected.shape
    assert got.dtype == expected.dtype
    size = np.max(np.abs(expected), initial=0) if expected.dtype.kind in "fc" else 0
    np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-12 * float(size) + 1e-15)


@pytest.fixture(autouse=True)
def no_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the last resort fail: where a primitive has a rule it is to be used, on every path that leads to it."""

    def one_by_one(primitive: Any, *_: Any) -> Any:
        assert primitive.name in ONE_BY_ONE, f"`{primitive.name}` was called one example at a time"
        return looped(primitive, *_)

    looped = batching_rules._one_by_one
    monkeypatch.setattr(batching_rules, "_one_by_one", one_by_one)


def test_operations_without_batching_rule_are_listed() -> None:
    assert {name for name, primitive in registry.items() if primitive.batching is None} == set(ONE_BY_ONE)


@pytest.mark.slow
@each(SAMPLES)
def test_vmap_values_agree_with_a_loop(sample: Sample) -> None:
    f = sample.function()
    for axes in placements(sample):
        examples = examples_of(sample, [k for k, axis in enumerate(axes) if axis is not None])
        expected = np.stack([np.asarray(f(*inputs)) for inputs in examples])
        got = vmap(f, axes, randomness="same")(*stacked(examples, axes))
        assert_close(got.numpy(), expected)


def with_cotangent(f: Any) -> Any:
    """Return the function (cotangent, *inputs) -> gradients of the floating inputs."""

    def pulled(cotangent: Any, *inputs: Any) -> Any:
        return [g for g in engine.vjp(f, *inputs)[1](cotangent) if g is not None]

    return pulled


def first_and_all(sample: Sample) -> Iterator[tuple[int | None, ...]]:
    """Give fewer placements, for what costs more: each input alone, and all of them, at the front."""
    count = len(sample.shapes)
    for mapped in {*((k,) for k in range(count)), tuple(range(count))}:
        yield tuple(0 if k in mapped else None for k in range(count))


@pytest.mark.slow
@each(SAMPLES)
def test_vmap_gradients_agree_with_a_loop(sample: Sample) -> None:
    f, rng = sample.function(), np.random.default_rng(7)
    for axes in first_and_all(sample):
        examples = examples_of(sample, [k for k, axis in enumerate(axes) if axis is not None])
        cotangents = [drawn_like(rng, np.asarray(f(*inputs))) for inputs in examples]
        expected = [with_cotangent(f)(g, *inputs) for g, inputs in zip(cotangents, examples, strict=True)]
        inputs, cotangent = stacked(examples, axes), np.stack(cotangents)

        inside = vmap(with_cotangent(f), (0, *axes), randomness="same")(cotangent, *inputs)
        outside = with_cotangent(vmap(f, axes, randomness="same"))(cotangent, *inputs)

        differentiable = [axis for x, axis in zip(inputs, axes, strict=True) if x.dtype.kind in "fc"]
        for k, axis in enumerate(differentiable):
            each = np.stack([gradients[k].numpy() for gradients in expected])
            assert_close(inside[k].numpy(), each)
            assert_close(outside[k].numpy(), each.sum(axis=0) if axis is None else each)


@each(SAMPLES)
def test_vmap_of_tangents_agrees_with_a_loop(sample: Sample) -> None:
    f, inputs, rng = sample.function(), sample.inputs(), np.random.default_rng(7)
    several = [np.broadcast_to(x, (EXAMPLES, *x.shape)) for x in inputs]
    tangents = [drawn_like(rng, x) if x.dtype.kind in "fc" else None for x in several]

    def push(*directions: Any) -> Any:
        return engine.jvp(f, inputs, directions)[1]

    got = vmap(push, randomness="same")(*tangents)

    expected = [push(*(None if t is None else t[k] for t in tangents)).numpy() for k in range(EXAMPLES)]
    assert_close(got.numpy(), np.stack(expected))


@pytest.mark.slow
@each(SAMPLES)
def test_vmap_second_derivatives_agree_with_a_loop(sample: Sample) -> None:
    """Forward over reverse: every rule's own operations, mapped while the rule is differentiated."""
    rng = np.random.default_rng(7)
    axes = tuple(0 for _ in sample.shapes)
    examples = examples_of(sample, range(len(axes)))
    inputs = stacked(examples, axes)
    value = np.asarray(sample.function()(*examples[0]))
    cotangent = drawn_like(rng, np.broadcast_to(value, (EXAMPLES, *value.shape)))
    tangents = [drawn_like(rng, x) if x.dtype.kind in "fc" else None for x in (cotangent, *inputs)]
    pulled = with_cotangent(sample.function())

    def push(values: Any, directions: Any) -> Any:
        return engine.jvp(pulled, values, directions)[1]

    def at(values: Any, k: int) -> list[Any]:
        return [None if v is None else v[k] for v in values]

    got = vmap(push, randomness="same")([cotangent, *inputs], tangents)

    expected = [push(at([cotangent, *inputs], k), at(tangents, k)) for k in range(EXAMPLES)]
    for part, parts in zip(got, zip(*expected, strict=True), strict=True):
        assert_close(part.numpy(), np.stack([p.numpy() for p in parts]))
