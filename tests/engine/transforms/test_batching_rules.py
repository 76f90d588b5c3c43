"""Arrays under `vmap`, the declaration of batching rules, and the last resort of one example at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import BatchError, RuleError, Tensor, vmap
from autodrill.engine.checks.finite_differences import Evaluation
from autodrill.engine.core.primitive import Primitive
from autodrill.engine.transforms.batched_array import Batched
from autodrill.engine.transforms.vmap import open_examples

X = np.random.default_rng(0).normal(size=(5, 4))


def unbatched() -> Primitive:
    """A primitive with no batching rule; not in the registry."""

    def reversed_sum(xp: Any, x: Any, y: Any, *, power: Any = 1) -> Any:
        assert x.ndim == 1, "one example at a time"
        return x[::-1] ** power + xp.sum(y)

    made = Primitive(reversed_sum)
    made.vjp(x=lambda g: 1.0 * engine.flip(g), y=lambda g, y_shape: engine.broadcast_to(engine.sum(g), y_shape))
    made.jvp(lambda dx, dy: engine.flip(dx) + engine.sum(dy))
    return made


def test_vmap_calls_an_operation_without_rule_per_example() -> None:
    f = unbatched()
    assert f.batching is None
    y = np.array([1.0, 2.0])
    expected = X[:, ::-1] + 3
    assert np.array_equal(vmap(f, (0, None))(X, y).numpy(), expected)
    pairs = vmap(vmap(f, (None, 0)), (0, None))(X, np.stack([y, 2 * y]))
    assert np.allclose(pairs.numpy(), np.stack([expected, expected + 3], axis=1), rtol=1e-14)
    powers = vmap(lambda x, p: f(x, y, power=p.data))(X, np.array([1, 2, 3, 1, 2]))
    assert np.allclose(powers.numpy(), X[:, ::-1] ** np.array([[1], [2], [3], [1], [2]]) + 3)
    got = engine.grad_of(lambda v: (vmap(f, (0, None))(X, v) * X).sum())(y)
    assert np.allclose(got.numpy(), X.sum())
    with pytest.raises(ValueError, match="`reversed_sum` has no batching rule"):
        vmap(f, (0, None))(X[:0], y)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("elementwise", "`elementwise` is not a kind of vmap rule"),
        ("axis", "`axis` is not a kind of vmap rule"),
        (lambda x, out: x, "the vmap rule asks for `out`; it may ask for `batch`"),
    ],
)
def test_vmap_rule_is_checked_at_its_declaration(rule: Any, message: str) -> None:
    with pytest.raises(RuleError, match=message):
        unbatched().vmap(rule)


def test_vmap_rule_gets_the_parameters_it_names() -> None:
    seen: dict[str, Any] = {}

    def rule(x: Any, y: Any, x_shape: Any, power: Any, batch: Any) -> Any:
        seen.update(x=x.shape, y=y.shape, x_shape=x_shape, power=power, batch=batch)
        return x

    f = unbatched()
    f.vmap(rule)
    vmap(vmap(f, (0, None)), (None, 0))(X, np.ones((3, 2)))
    assert seen == {"x": (1, 5, 4), "y": (3, 1, 2), "x_shape": (4,), "power": 1, "batch": (3, 5)}


# Functions written in NumPy


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.exp(x) * 2 - x / np.float64(3),
        lambda x: np.arange(4.0) * x + (x > 0) - (~(x > 0) & (x < 1)),
        lambda x: np.sum(x * x) + np.mean(x, axis=0) + x.max() + np.prod(x),
        lambda x: np.reshape(x, (2, 2)) @ np.ones(2) + np.ones((2, 2)) @ x.reshape(2, 2),
        lambda x: np.where(x > 0, x, -x) ** 2 + np.clip(x, -1, 1) // 0.5 % 3,
        lambda x: np.linalg.inv(np.reshape(x, (2, 2)) + 3 * np.eye(2)),
        lambda x: np.matmul(np.ones((3, 4)), x),
        lambda x: np.concatenate([np.sort(x), np.argsort(x), np.cumsum(x)]),
        lambda x: np.maximum(np.stack([x, x * 2]), 0.1),
        lambda x: np.asarray(abs(-x)) if isinstance(x, np.ndarray) else abs(-x),
    ],
)
def test_vmap_maps_a_function_written_in_numpy(f: Any) -> None:
    with open_examples(5) as level:
        got = f(Batched(X, (level,)))
    assert type(got) is Batched
    np.testing.assert_allclose(got.data, np.stack([f(x) for x in X]), rtol=1e-13)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.add(np.zeros(4), x, out=np.zeros(4)),
        np.add.reduce,
        lambda x: np.digitize(x, [0.0, 1.0]),
        lambda x: np.select([x > 0], [x]),
        lambda x: np.zeros(4)[x],
        np.asarray,
        lambda x: [1, 2][x],
        lambda x: [x] if x else [],
    ],
)
def test_vmap_refuses_numpy_functions_that_need_values(f: Any) -> None:
    with open_examples(5) as level, pytest.raises((BatchError, IndexError)):
        f(Batched(X.copy(), (level,)))


def test_operator_of_tensor_and_batched_array_records() -> None:
    w = Tensor(np.ones(4), requires_grad=True)
    vmap(lambda x: (x.data * w + w * x.data).sum())(X).sum().backward()
    assert w.grad is not None
    np.testing.assert_allclose(w.grad.numpy(), 2 * X.sum(axis=0), rtol=1e-14)


# Evaluation at many points


def test_evaluation_evaluates_points_together() -> None:
    calls = 0

    def f(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return engine.exp(x), x.sum()

    evaluate = Evaluation(f)
    points = np.random.default_rng(1).normal(size=(30, 4))
    got = evaluate([X[0]], 0, points)
    np.testing.assert_allclose(got, np.column_stack([np.exp(points), points.sum(axis=1)]), rtol=1e-14)
    assert (calls, evaluate.alone) == (3, None)


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda x: x if float(x[0]) > 0 else -x, "BatchError: a value cannot become a Python number"),
        (lambda x: np.digitize(x, [-9.0, 9.0]) + x, "NumPy's `digitize`"),
        (lambda x: x - (type(x) is Batched), "other values together than one by one"),
    ],
)
def test_evaluation_falls_back_to_one_by_one(f: Any, reason: str) -> None:
    evaluate = Evaluation(f)
    points = np.random.default_rng(1).normal(size=(30, 4))
    assert np.array_equal(evaluate([X[0]], 0, points), np.stack([f(p) for p in points]))
    assert evaluate.alone is not None
    assert reason in evaluate.alone


def test_gradcheck_reports_evaluation_one_by_one() -> None:
    together = engine.gradcheck(engine.exp, [X])
    alone = engine.gradcheck(lambda x: x * 2.0 if x.sum().item() > -99 else x, [X])
    assert (together.alone, "one point at a time" in str(together)) == (None, False)
    assert alone
    assert "one point at a time, because many at once failed: BatchError" in str(alone)
    assert together.findings[0].counts == alone.findings[0].counts


def test_gradcheck_findings_are_equal_one_by_one() -> None:
    """A wrong rule, a kink and a right gradient, each once so that it can be batched and once so that it cannot."""

    class Wrong(engine.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3.0

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 3.0

    point = np.array([[0.0, 1.5, -2.0, 0.25, 3.0]] * 4)
    for f in (Wrong.apply, engine.absolute, engine.sin):

        def looks(x: Any, f: Any = f) -> Any:
            x.sum().item()
            return f(x)

        together = engine.gradcheck(f, [point], raise_exception=False)
        alone = engine.gradcheck(looks, [point], raise_exception=False)
        assert together.alone is None
        assert alone.alone is not None
        for a, b in zip(together.findings, alone.findings, strict=True):
            assert (a.verdict, a.counts, a.index) == (b.verdict, b.counts, b.index)
            assert (a.analytic, a.numeric) == pytest.approx((b.analytic, b.numeric), rel=1e-9)
