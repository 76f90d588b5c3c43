"""Programs of the whole engine, written for any array library: on a device they must give what they give on the CPU.

Each takes the library and a context manager for its backward passes, and returns tensors or arrays.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill import engine
from autodrill.engine import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    Watch = Callable[[], AbstractContextManager[Any]]
    Program = Callable[[Any, Watch], list[Any]]

__all__ = ["MAY_WAIT", "PROGRAMS"]

PROGRAMS: dict[str, Program] = {}

MAY_WAIT: dict[str, str] = {"anomalies": "`detect_anomaly` looks for NaN after each operation"}
"""Programs whose backward waits, each with the reason."""


def program(function: Program) -> Program:
    PROGRAMS[function.__name__.strip("_").replace("_", " ")] = function
    return function


def drawn(xp: Any, *shape: int, seed: int = 0, dtype: Any = float) -> Any:
    return xp.asarray(np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype))


def leaf(array: Any) -> Tensor:
    return Tensor(array, requires_grad=True)


@program
def mlp_steps(xp: Any, watch: Watch) -> list[Any]:
    """Three steps of gradient descent with momentum and clipping, without a look at a value."""
    sizes = (6, 8, 8, 4)
    x, labels = drawn(xp, 5, 6), xp.asarray(np.array([0, 3, 1, 1, 2]))
    parameters = [leaf(drawn(xp, *shape) / 2) for pair in pairwise(sizes) for shape in (pair, pair[1:])]
    velocities = [xp.zeros_like(p.data) for p in parameters]
    losses = []
    for _ in range(3):
        h = Tensor(x)
        for k in range(0, len(parameters), 2):
            h = h @ parameters[k] + parameters[k + 1]
            h = engine.gelu(h) if k < len(parameters) - 2 else h
        loss = engine.cross_entropy(h, labels)
        with watch():
            loss.backward()
            with engine.no_grad():
                norm = sum((p.grad * p.grad).sum() for p in parameters if p.grad is not None) ** 0.5
                for k, p in enumerate(parameters):
                    assert p.grad is not None
                    velocities[k] = 0.9 * velocities[k] + p.grad.data / engine.maximum(norm.data, 1.0)
                    p.sub_(0.1 * velocities[k])
                    p.grad = None
        losses.append(loss)
    return [*losses, *parameters]


@program
def transformer_step(xp: Any, watch: Watch) -> list[Any]:
    """One block of a causal transformer over token and position embeddings, with tied output weights."""
    batch, length, width, heads, words = 2, 4, 6, 2, 7
    tokens = xp.asarray(np.random.default_rng(0).integers(0, words, (batch, length + 1)))
    names = ("table", "places", "qkv", "out", "up", "down", "scale", "shift")
    shapes = ((words, width), (length, width), (width, 3 * width), (width, width), (width, 8), (8, width), (width,))
    p = {
        n: leaf(drawn(xp, *shape, seed=k) / 2)
        for k, (n, shape) in enumerate(zip(names, (*shapes, (width,)), strict=True))
    }
    x = engine.embedding(tokens[:, :-1], p["table"]) + p["places"]
    h = engine.layer_norm(x, -1, p["scale"], p["shift"]) @ p["qkv"]
    q, k, v = (
        part.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3) for part in engine.split(h, 3, axis=-1)
    )
    a = engine.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + a.transpose(0, 2, 1, 3).reshape(batch, length, width) @ p["out"]
    x = x + engine.silu(engine.rms_norm(x) @ p["up"]) @ p["down"]
    x = engine.dropout(x, 0.25, rng=engine.Generator(1))
    loss = engine.cross_entropy((x @ p["table"].transpose(1, 0)).reshape(-1, words), tokens[:, 1:].reshape(-1))
    with watch():
        loss.backward()
    return [loss, *(part.grad for part in p.values())]


@program
def sparse_gradients(xp: Any, watch: Watch) -> list[Any]:
    table = leaf(drawn(xp, 6, 3))
    index = xp.asarray(np.array([[0, 5, 0], [2, 2, 5]]))
    with watch():
        (engine.embedding(index, table, sparse=True) ** 2).sum().backward()
        (engine.embedding(index, table, sparse=True) * 3.0).sum().backward()
    found = table.sparse_grad
    assert found is not None
    return [found.dense(), table.grad]


@program
def checkpoints(xp: Any, watch: Watch) -> list[Any]:
    x, w, rng = leaf(drawn(xp, 4)), leaf(drawn(xp, 4, 4)), engine.Generator(2)
    y = engine.checkpoint(lambda v: engine.dropout(engine.tanh(v @ w), 0.5, rng=rng), x, rng=rng)
    with watch():
        (y * y).sum().backward()
    return [y, x.grad, w.grad]


@program
def hooks(xp: Any, watch: Watch) -> list[Any]:
    seen = []
    x = leaf(drawn(xp, 3))
    y = x * x
    y.retain_grad()
    y.register_hook(lambda g: g * 2.0)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad * 1.0))
    with watch():
        (y.exp()).sum().backward()
    return [x.grad, y.grad, *seen]


@program
def writes_in_place(xp: Any, watch: Watch) -> list[Any]:
    x = leaf(drawn(xp, 3, 4))
    y = x * 1.0
    view = y[1:, ::2]
    view.mul_(3.0)
    y[0] = x[2] * x[1]
    y[:, xp.asarray(np.array([0, 3]))] = 0.5
    y.add_(x)
    versions = np.array([x.version, y.version, view.version])
    with watch():
        (y * y).sum().backward()
    return [y, x.grad, versions]


@program
def overwritten_values(xp: Any, watch: Watch) -> list[Any]:
    x = leaf(drawn(xp, 3))
    y = x.exp()
    z = y * y
    y.add_(1.0)
    try:
        with watch():
            z.sum().backward()
    except RuntimeError as error:
        return [np.array("version" in str(error) or "in place" in str(error) or "written" in str(error))]
    raise AssertionError("the overwritten value was not detected")


@program
def gradcheck(xp: Any, watch: Watch) -> list[Any]:
    def f(x: Any, y: Any) -> Any:
        return engine.tanh(x @ y).sum(axis=0)

    inputs = [drawn(xp, 2, 3), drawn(xp, 3, 2)]
    checks = [engine.gradcheck(f, inputs), engine.gradgradcheck(f, inputs)]
    wrong = engine.custom_vjp(lambda x: x * 1.0)
    wrong.defvjp(lambda x: (x * 1.0, None), lambda _, g: (2.0 * g,))
    checks.append(engine.gradcheck(wrong, inputs[:1], raise_exception=False))
    return [np.array([bool(check) for check in checks])]


@program
def anomalies(xp: Any, watch: Watch) -> list[Any]:
    x = leaf(xp.asarray(np.array([0.0, 1.0])))
    try:
        with watch(), engine.detect_anomaly():
            (x.sqrt() * 0.0).sum().backward()
    except FloatingPointError as error:
        return [np.array("sqrt" in str(error))]
    raise AssertionError("the NaN was not found")


@program
def branches_and_loops(xp: Any, watch: Watch) -> list[Any]:
    x = leaf(drawn(xp, 3))

    def step(carry: Any, row: Any) -> Any:
        return engine.tanh(carry * row + 1.0), carry

    last, seen = engine.scan(step, x, Tensor(drawn(xp, 4, 3)))
    chosen = engine.cond((x.data > 100).any(), lambda v: v * 2.0, lambda v: v * v, x)
    grown = engine.while_loop(lambda v: (v.data < 5).all(), lambda v: v * v + 1.5, x * 0.1)
    with watch():
        (last.sum() + seen.sum() + chosen.sum() + grown.sum()).backward()
    return [last, seen, chosen, grown, x.grad]


@program
def scans(xp: Any, watch: Watch) -> list[Any]:
    x = leaf(drawn(xp, 3))
    last, _ = engine.scan(lambda c, row: (engine.tanh(c * row), None), x, Tensor(drawn(xp, 5, 3)))
    with watch():
        last.sum().backward()
    return [x.grad]


@program
def rules_of_ones_own(xp: Any, watch: Watch) -> list[Any]:
    class Cube(engine.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x * x * g

    reversed_ = engine.custom_vjp(lambda x: x * 1.0)
    reversed_.defvjp(lambda x: (x * 1.0, None), lambda _, g: (-g,))
    doubled = engine.custom_jvp(lambda x: x * 2.0)
    doubled.defjvp(lambda primals, tangents: (primals[0] * 2.0, tangents[0] * 2.0))
    x = leaf(drawn(xp, 3))
    with watch():
        (Cube.apply(x) + reversed_(x) * doubled(x)).sum().backward()
    tangent = engine.jvp(lambda v: doubled(v) * v, (x.data,), (xp.ones_like(x.data),))[1]
    return [x.grad, tangent]


@program
def functional_transforms(xp: Any, watch: Watch) -> list[Any]:
    def f(x: Any) -> Any:
        return (engine.sin(x) * x).sum() ** 2

    x, v = drawn(xp, 4), drawn(xp, 4, seed=1)
    with watch():
        gradient = engine.grad_of(f)(x)
    _, pushed = engine.linearize(f, x)
    return [
        gradient,
        engine.jacobian(lambda y: y * y[::-1], x),
        engine.hessian(f, x),
        engine.hvp(f, (x,), (v,))[1],
        engine.vhp(f, (x,), (v,))[1],
        pushed(v),
        engine.vmap(engine.grad_of(f))(drawn(xp, 3, 4)),
    ]


@program
def convolutions(xp: Any, watch: Watch) -> list[Any]:
    x, w = leaf(drawn(xp, 2, 3, 5, 5, dtype=np.float32)), leaf(drawn(xp, 4, 3, 3, 3, dtype=np.float32))
    y = engine.max_pool2d(engine.relu(engine.conv2d(x, w, padding=1)), 2)
    with watch():
        engine.batch_norm(y.reshape(2, -1), training=True).abs().sum().backward()
    return [y, x.grad, w.grad]
