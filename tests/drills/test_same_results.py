"""Probes: each passes exactly where its mutant computes the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill.drills.mutants import mutants

SQUARE, WIDE, VECTOR = np.ones((2, 2)), np.arange(6.0).reshape(2, 3), np.arange(3.0)
CUBE = np.arange(24.0).reshape(2, 3, 4)


def called(source: str, *arguments: Any) -> Any:
    namespace: dict[str, Any] = {"np": np}
    exec(source, namespace)
    return namespace["f"](*arguments)


def probe_of(body: str, after: str) -> str:
    (mutant,) = [m for m in mutants(f"def f(g, x):\n    {body}\n") if m.after == after]
    return mutant.probe


@pytest.mark.parametrize(
    ("body", "after", "same", "other"),
    [
        ("return x.T", "return x", (VECTOR, VECTOR), (VECTOR, WIDE)),
        ("return g * x", "(g * x).T", (VECTOR, VECTOR), (VECTOR, WIDE)),
        ("return WIDE @ x", "WIDE @ x.T", (VECTOR, VECTOR), (VECTOR, WIDE.T)),
        ("return x.sum(axis=1)", "x.sum(axis=-1)", (VECTOR, WIDE), (VECTOR, CUBE)),
        ("return x.sum(axis=-1)", "x.sum(axis=1)", (VECTOR, WIDE), (VECTOR, CUBE)),
        ("return x.sum(axis=-2)", "x.sum(axis=-3)", None, (VECTOR, CUBE)),
        ("return np.max(x, axis=(0, 1))", "(0, -1)", (VECTOR, WIDE), (VECTOR, CUBE)),
        ("return np.concatenate([g, x], axis=1)", "np.concatenate([g, x], axis=-1)", (WIDE, WIDE), (CUBE, CUBE)),
        ("return np.stack([g, x], axis=1)", "np.stack([g, x], axis=-1)", (VECTOR, VECTOR), (WIDE, WIDE)),
        ("return x.shape[1]", "x.shape[-1]", (VECTOR, WIDE), (VECTOR, CUBE)),
        ("return np.ones(g.shape)", "np.ones(x.shape)", (VECTOR, VECTOR), (VECTOR, WIDE)),
        ("return g.shape[0]", "x.shape[0]", (WIDE, SQUARE), (WIDE, VECTOR)),
        ("return len(g)", "len(x)", (WIDE, SQUARE), (WIDE, VECTOR)),
        ("return np.zeros_like(g)", "np.zeros_like(x)", (VECTOR, VECTOR), (VECTOR, np.arange(3))),
    ],
)
def test_probe_fails_where_the_mutant_differs(body: str, after: str, same: Any, other: Any) -> None:
    probe = f"WIDE = np.arange(6.0).reshape(2, 3)\n{probe_of(body, after)}"
    if same is not None:
        np.testing.assert_array_equal(
            called(probe, *same), called(f"WIDE = np.arange(6.0).reshape(2, 3)\ndef f(g, x):\n    {body}\n", *same)
        )
    with pytest.raises(AssertionError):
        called(probe, *other)


@pytest.mark.parametrize(("target", "is_overwritten"), [("z[:]", True), ("z[1:]", False)])
def test_probe_of_zeros_shows_values_never_written(target: str, is_overwritten: bool) -> None:
    probe = probe_of(f"z = np.zeros(3); {target} = 5.0; return z", "np.ones(3)")
    assert np.isfinite(called(probe, VECTOR, VECTOR)).all() == is_overwritten


@pytest.mark.parametrize("body", ["return g + x", "return x > 0", "return x[1]", "return x.sum(axis=None)", "return g"])
def test_mutants_that_values_decide_have_no_probe(body: str) -> None:
    made = mutants(f"def f(g, x):\n    {body}\n")
    assert made
    assert not any(m.probe for m in made if not m.after.endswith(".T"))


def test_sizes_that_numpy_infers_are_not_mutated() -> None:
    made = {
        m.after for m in mutants("def f(g, x):\n    return x.reshape(-1, 3), x.reshape((1, 3)), x.reshape(-2 + 4)\n")
    }
    assert {"x.reshape(1, 3)", "x.reshape(-1, 4)", "x.reshape(-1, -3)", "(2, 3)", "(0, 3)"} <= made
    assert not made & {"x.reshape(-2, 3)", "(-1, 3)", "(1, -3)"}
