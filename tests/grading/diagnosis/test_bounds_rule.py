"""Rules of kernels with a device fault: which known mistake has the same fault, and what an unknown one is called."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.grading.diagnosis.bounds_rule import bounds_rule
from autodrill.sandbox.outcomes import Raised
from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Rule
    from autodrill.grading.report import Report

MISSING_GUARDS = {
    "g is read first": (
        "cuda_relu_backward",
        "no-bounds-check",
        (("i < n", "i < (n + 15) / 16 * 16"), ("y[i] > 0.0f ? g[i] : 0.0f", "g[i] * (y[i] > 0.0f)")),
    ),
    "columns": ("cuda_bias_grad", "no-guard", (("if (j >= D) return;", ""),)),
    "elements": ("cuda_embedding_backward", "no-guard", (("if (k >= T * D) return;", ""),)),
}
"""Answers that a known mistake describes: the exercise, the mistake, and the changes of the solution."""

OTHER_FAULTS = {
    "next element": ("cuda_relu_backward", (("y[i] >", "y[i + 1] >"),), "out-of-bounds"),
    "guard off by one": ("cuda_embedding_backward", (("k >= T * D", "k > T * D"),), "out-of-bounds"),
    "row length": ("cuda_bias_grad", (("i * D + j", "i * (D + 1) + j"),), "out-of-bounds"),
    "previous element": ("cuda_maxpool_backward", (("g[i])", "g[i - 1])"),), "out-of-bounds"),
    "barrier before the loop": (
        "cuda_cumsum_backward",
        (("__syncthreads();\n    for", "for"),),
        "missing-barrier",
    ),
    "one element for all": ("cuda_bias_grad", (("atomicAdd(&db[j], sum);", "db[0] += sum;"),), "race"),
}
"""Answers that no known mistake describes: the exercise, the changes of the solution, and the generic rule."""


def rule_of(graded: Callable[..., Report], name: str, changes: tuple[tuple[str, str], ...]) -> Rule:
    source = SHIPPED.drill(SHIPPED.find(name)).solution.source
    for before, after in changes:
        assert before in source
        source = source.replace(before, after)
    failure = graded(name, source).failure
    assert failure is not None
    assert failure.rule is not None
    return failure.rule


@pytest.mark.compiler
@pytest.mark.parametrize("name", MISSING_GUARDS)
def test_missing_guard_is_the_known_mistake(graded: Callable[..., Report], name: str) -> None:
    exercise, key, changes = MISSING_GUARDS[name]
    rule = rule_of(graded, exercise, changes)
    assert (rule.key, rule.known) == (key, True)


@pytest.mark.compiler
@pytest.mark.parametrize("name", OTHER_FAULTS)
def test_other_device_fault_is_no_known_mistake(graded: Callable[..., Report], name: str) -> None:
    exercise, changes, key = OTHER_FAULTS[name]
    rule = rule_of(graded, exercise, changes)
    assert (rule.key, rule.known) == (key, False)


def rule_for(place: str, *, grid: Any = 2, block: Any = 16, shape: tuple[int, ...] = (61,)) -> Rule:
    def shown_arguments(*_: Any) -> dict[str, Any]:
        return {"x": np.zeros(shape), "grid": grid, "block": block}

    drill: Any = SimpleNamespace(kind=SimpleNamespace(shown_arguments=shown_arguments))
    message = f"thread 13 of block 1 accesses {place}"
    o: Any = SimpleNamespace(
        outcome=Raised("out of bounds", message, ()), case=None, expected=SimpleNamespace(parts=(), cotangents=())
    )
    rule = bounds_rule(drill, o)
    assert rule is not None
    return rule


@pytest.mark.parametrize(
    ("place", "launch", "guard"),
    [
        ("`x[61]`, which has 61 elements", {}, True),
        ("`x[64]`, which has 64 elements", {"shape": (64,)}, False),
        ("`x[32]`, which has 32 elements", {"shape": (4, 8)}, False),
        ("`x[96]`, which has 96 elements", {"shape": (2, 48)}, True),
        ("`x[48]`, which has 48 elements", {"shape": (6, 8), "grid": (1, 2), "block": (8, 3)}, False),
        ("`x[35]`, which has 35 elements", {"shape": (5, 7), "grid": (1, 2), "block": (8, 3)}, True),
        ("`x[1]`, which has 1 element", {"shape": (1,)}, True),
    ],
)
def test_guard_may_be_missing_only_with_surplus_threads(place: str, launch: dict[str, Any], guard: bool) -> None:
    rule = rule_for(place, **launch)
    assert ("guard" in rule.because) is guard
    assert "thread 13 of block 1" in rule.hint
    assert f"size {math.prod(launch.get('shape', (61,)))}" in rule.hint


def test_bounds_rule_of_negative_indices_and_shared_memory() -> None:
    assert "before the first element" in rule_for("`x[-1]`, which has 61 elements").because
    assert "shared" in rule_for("memory outside its shared arrays").because
