"""`vmap` with itself and the other transforms; `test_vmap_walk` is about the operations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import BatchError, Tensor, grad_of, hessian, hvp, jacobian, jvp, vjp, vmap


def normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


def loss(w: Any, x: Any, y: Any) -> Any:
    return ((engine.tanh(engine.matmul(x, w)) - y) ** 2).sum()


def close(got: Any, expected: Any) -> None:
    # The same products and sums, some of a dozen terms taken in another order.
    np.testing.assert_allclose(got.numpy(), np.asarray(expected), rtol=1e-11, atol=1e-13)


# Composition

W, X, Y = normal(4, 3), normal(5, 4, seed=1), normal(5, 3, seed=2)


def each(f: Any) -> np.ndarray[Any, Any]:
    return np.stack([f(W, x, y).numpy() for x, y in zip(X, Y, strict=True)])


def test_vmap_of_grad_gives_each_examples_gradient() -> None:
    close(vmap(grad_of(loss), (None, 0, 0))(W, X, Y), each(grad_of(loss)))


def test_grad_of_vmap_sums_over_shared_arguments() -> None:
    got = grad_of(lambda w: vmap(loss, (None, 0, 0))(w, X, Y).sum())(W)
    close(got, each(grad_of(loss)).sum(axis=0))


def test_backward_of_vmap_sums_into_closed_over_tensors() -> None:
    w = Tensor(W, requires_grad=True)
    vmap(lambda x, y: loss(w, x, y))(X, Y).sum().backward()
    assert w.grad is not None
    close(w.grad, each(grad_of(loss)).sum(axis=0))


def test_gradient_of_per_example_gradient_norms() -> None:
    """Reverse mode through `vmap` of reverse mode, as gradient penalties need it."""

    def penalty(w: Any) -> Any:
        return (vmap(grad_of(loss), (None, 0, 0))(w, X, Y) ** 2).sum()

    expected = sum(
        grad_of(lambda w, x=x, y=y: (grad_of(loss)(w, x, y) ** 2).sum())(W).numpy() for x, y in zip(X, Y, strict=True)
    )
    close(grad_of(penalty)(W), expected)


@pytest.mark.parametrize(
    "derivative",
    [
        lambda w, x, y: jacobian(lambda v: engine.tanh(v @ w), x),
        lambda w, x, y: hessian(lambda v: loss(w, v, y), x),
        lambda w, x, y: jvp(lambda v: loss(w, v, y), (x,), (x * x,))[1],
        lambda w, x, y: hvp(lambda v: loss(w, v, y), (x,), (x * 2,)),
        lambda w, x, y: engine.vhp(lambda v: loss(w, v, y), (x,), (x * 2,)),
        lambda w, x, y: engine.linearize(lambda v: loss(w, v, y), x)[1](x * 2),
        lambda w, x, y: vjp(lambda v: loss(w, v, y), x)[1](3.0)[0],
    ],
    ids=["jacobian", "hessian", "jvp", "hvp", "vhp", "linearize", "vjp"],
)
def test_vmap_of_every_transform(derivative: Any) -> None:
    close(vmap(derivative, (None, 0, 0))(W, X, Y), each(lambda w, x, y: derivative(w, Tensor(x), Tensor(y))))


def test_jvp_of_vmap() -> None:
    dw, dx = normal(4, 3, seed=3), normal(5, 4, seed=4)
    _, got = jvp(lambda w, x: vmap(loss, (None, 0, 0))(w, x, Y), (W, X), (dw, dx))
    expected = [
        jvp(lambda w, x, y=y: loss(w, x, y), (W, x), (dw, t))[1].item() for x, y, t in zip(X, Y, dx, strict=True)
    ]
    close(got, expected)


@pytest.mark.parametrize("axes", [(0, 0), (0, 1), (1, 0), (-1, 1)])
def test_nested_vmap_gives_every_pair(axes: tuple[int, int]) -> None:
    a, b = normal(3, 2), normal(4, 2, seed=1)
    first = np.moveaxis(a, 0, axes[0])
    second = np.moveaxis(b, 0, axes[1])
    pairs = vmap(vmap(lambda x, y: engine.sin(x * y).sum(), (None, axes[1])), (axes[0], None))
    close(pairs(first, second), np.sin(a[:, None] * b).sum(axis=-1))


def test_gradient_between_two_vmaps() -> None:
    a, b = normal(3, 2), normal(4, 2, seed=1)
    inner = vmap(grad_of(lambda x, y: engine.sin(x * y).sum()), (None, 0))
    close(vmap(inner, (0, None))(a, b), np.cos(a[:, None] * b) * b)
    outer = grad_of(lambda y: vmap(vmap(lambda x, y: engine.sin(x * y).sum(), (None, 0)), (0, None))(a, y).sum())
    close(outer(b), (np.cos(a[:, None] * b) * a[:, None]).sum(axis=0))


def test_vmap_of_an_outer_pullback() -> None:
    _, pullback = vjp(lambda x: engine.sin(x) * x, X[0])
    g = normal(6, 4, seed=5)
    close(vmap(pullback)(g)[0], g * (np.cos(X[0]) * X[0] + np.sin(X[0])))


def test_grad_under_vmap_is_of_one_example() -> None:
    w = Tensor(W, requires_grad=True)
    got = vmap(lambda x, y: engine.grad(loss(w, x, y), w)[0])(X, Y)
    close(got, each(grad_of(loss)))


def test_vmap_gives_unused_arguments_zero_gradient() -> None:
    got = vmap(grad_of(lambda x, y: (y * y).sum(), 0), (0, 0))(X, Y)
    assert got.shape == X.shape
    assert not got.numpy().any()


def test_vmap_result_shared_by_all_examples() -> None:
    w = Tensor(W, requires_grad=True)
    same, once = vmap(lambda x: ((w * w).sum(), (w * 2).sum()), out_axes=(0, None))(X)
    assert same.shape == (5,)
    assert once.shape == ()
    same.sum().backward()
    assert w.grad is not None
    close(w.grad, 5 * 2 * W)


def test_vmap_of_a_comparison_gives_booleans() -> None:
    assert np.array_equal(vmap(lambda x: x > 0)(X).numpy(), X > 0)


@pytest.mark.parametrize("chunk", [1, 2, 5, 7])
def test_vmap_in_chunks_agrees_with_one_call(chunk: int) -> None:
    got = vmap(grad_of(loss), (None, 0, 0), out_axes=1, chunk_size=chunk)(W, X, Y)
    close(got, np.moveaxis(each(grad_of(loss)), 0, 1))
    (through,) = vjp(vmap(engine.sin, chunk_size=chunk), X)[1](np.ones(X.shape))
    close(through, np.cos(X))


def test_vmap_over_no_examples() -> None:
    got = vmap(grad_of(loss), (None, 0, 0))(W, np.zeros((0, 4)), np.zeros((0, 3)))
    assert got.shape == (0, 4, 3)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own
@pytest.mark.parametrize("kind", ["per-example gradients", "hessians", "jacobian of gradients", "nested"])
def test_vmap_compositions_agree_with_torch_func(kind: str) -> None:
    import torch
    from torch import func

    def theirs(w: Any, x: Any, y: Any) -> Any:
        return ((torch.tanh(x @ w) - y) ** 2).sum()

    makes: dict[str, Any] = {
        "per-example gradients": lambda f, m: m.vmap(m.grad(f), (None, 0, 0)),
        "hessians": lambda f, m: m.vmap(lambda w, x, y: m.hessian(lambda v: f(w, v, y))(x), (None, 0, 0)),
        "jacobian of gradients": lambda f, m: (
            lambda w, x, y: m.jacrev(lambda v: m.vmap(m.grad(f), (None, 0, 0))(v, x, y))(w)
        ),
        "nested": lambda f, m: m.vmap(m.vmap(m.grad(f, 1), (None, None, 0)), (None, 0, None)),
    }

    class Ours:
        vmap = staticmethod(vmap)
        grad = staticmethod(grad_of)

        @staticmethod
        def hessian(f: Any) -> Any:
            return lambda x: hessian(f, x)

        @staticmethod
        def jacrev(f: Any) -> Any:
            return lambda x: jacobian(f, x, mode="reverse")

    expected = makes[kind](theirs, func)(*map(torch.tensor, (W, X, Y)))
    close(makes[kind](loss, Ours)(W, X, Y), expected.numpy())


# Random numbers, writing in place, custom functions, checkpoints


def dropped(randomness: Any) -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(0)
    found: np.ndarray[Any, Any] = vmap(lambda x: engine.dropout(x, 0.5, rng=rng), randomness=randomness)(
        np.ones((4, 50))
    ).numpy()
    return found


def test_vmap_randomness_is_shared_or_separate() -> None:
    same, different = dropped("same"), dropped("different")
    assert all(np.array_equal(row, same[0]) for row in same)
    assert len({row.tobytes() for row in different}) == 4
    with pytest.raises(BatchError, match='randomness="same"'):
        dropped("error")


def test_vmap_dropout_of_a_shared_tensor_differs_by_example() -> None:
    rng = np.random.default_rng(0)
    got = vmap(lambda x: x + engine.dropout(np.ones(50), 0.5, rng=rng), randomness="different")(np.zeros(3)).numpy()
    assert len({row.tobytes() for row in got}) == 3


def test_vmap_inplace_write_to_an_examples_tensor() -> None:
    def f(x: Any) -> Any:
        y = x * 1.0
        y[0] = x[1] * x[2]
        y.mul_(x)
        y[np.array([1, 2])] += 10.0
        return y

    expected = X * X
    expected[:, 0] = X[:, 1] * X[:, 2] * X[:, 0]
    expected[:, 1:3] += 10
    close(vmap(f)(X), expected)
    got = grad_of(lambda x: vmap(f)(x).sum())(X).numpy()
    wanted = np.stack([grad_of(lambda x: f(x).sum())(row).numpy() for row in X])
    np.testing.assert_allclose(got, wanted, rtol=1e-13)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("own", [False, True])
def test_vmap_write_through_a_reshaped_view(own: bool, axis: int) -> None:
    """What is a view of one example's array is a view under `vmap`, whichever axis the examples were along."""

    def f(x: Any, k: Any) -> Any:
        y = x[..., k] if own else x * 1.0
        y.reshape(-1)[1:] *= 10.0
        return y

    x, k = normal(3, 5, 4), np.array([[0, 2, 1], [3, 3, 0], [1, 0, 2], [2, 2, 2], [0, 1, 3]])
    expected = [x[:, n][:, k[n]] if own else x[:, n] for n in range(5)]
    given = x if axis else x.swapaxes(0, 1)  # not a copy
    close(
        vmap(f, (axis, 0))(given, k), [np.append(y.ravel()[:1], 10 * y.ravel()[1:]).reshape(y.shape) for y in expected]
    )


def test_vmap_write_at_an_examples_own_index() -> None:
    def f(x: Any, k: Any) -> Any:
        y = x.clone()
        y[k] = x[0] * 3.0
        return y

    k = np.array([0, 1, 2, 3, 1])
    expected = X.copy()
    expected[np.arange(5), k] = X[:, 0] * 3
    close(vmap(f)(X, k), expected)
    got = grad_of(lambda x: (vmap(f)(x, k) ** 2).sum())(X)
    wanted = np.stack(
        [grad_of(lambda x, at=at: (f(x, at) ** 2).sum())(row).numpy() for row, at in zip(X, k, strict=True)]
    )
    close(got, wanted)


@pytest.mark.parametrize("write", ["index", "update", "copy"])
def test_vmap_refuses_example_values_in_a_shared_tensor(write: str) -> None:
    total = Tensor(np.zeros(4))

    def f(x: Any) -> Any:
        if write == "index":
            total[0] = x[0]
        elif write == "update":
            total.add_(x)
        else:
            total.copy_(x)
        return x

    with pytest.raises(BatchError, match=r"all examples share.*compute out of place"):
        vmap(f)(X)
    assert not total.numpy().any()


def test_vmap_refuses_writes_to_arguments() -> None:
    x = X.copy()
    with pytest.raises(RuntimeError, match=r"`mul_` cannot write to an argument.*`\.clone\(\)` it first"):
        vmap(lambda v: v.mul_(2.0))(Tensor(x))
    assert np.array_equal(x, X)


@pytest.mark.parametrize("index", [slice(None), np.array([True, True, False]), np.array([2, 0]), slice(1, 2), 1])
@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("ones", [0, 1, 2])
def test_vmap_write_of_fewer_or_more_axes_broadcasts(index: Any, count: int, ones: int) -> None:
    """A number for each example, by itself or in axes of length 1, as many of them as elements or not."""
    x, s, weights = normal(count, 3), normal(count, seed=1), normal(count, 3, seed=2)

    def written(x: Any, s: Any) -> Any:
        y = x * 1
        y[index] = engine.reshape(s, (1,) * ones)
        return y

    expected, slopes = x.copy(), np.zeros(count)
    for k in range(count):
        expected[k][index] = s[k]
        slopes[k] = weights[k][index].sum()
    close(vmap(written)(x, s), expected)
    close(grad_of(lambda s: (vmap(written)(x, s) * weights).sum())(s), slopes)
    pushed = vmap(lambda x, s, t: jvp(lambda s: written(x, s), [s], [t])[1])(x, s, s)
    close(pushed, expected - np.where(expected == x, x, 0))


@pytest.mark.parametrize("name", ["copy_", "fill_"])
def test_vmap_copy_and_fill_with_a_number_for_each_example(name: str) -> None:
    x, s = normal(2, 2), normal(2, seed=1)
    close(vmap(lambda x, s: getattr(x * 1, name)(s))(x, s), np.repeat(s[:, None], 2, axis=1))


def test_vmap_shared_array_takes_an_examples_index() -> None:
    table, places = normal(4, 3), np.array([2, 0, 2])
    close(vmap(lambda table, k: table[k], (None, 0))(table, places), table[places])
    given = vmap(lambda x, settings: x * settings["scale"][0], (0, None))(places, {"scale": np.array([2.0]), "n": 3})
    close(given, 2 * places)
    with pytest.raises(RuntimeError, match="the caller's memory"):
        vmap(lambda table, k: table.fill_(0) * k, (None, 0))(table, places)


class Cube(engine.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return g * 3.0 * x * x


class CubeInNumPy(Cube):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        (x,) = ctx.saved_tensors
        return Tensor(g.numpy() * 3 * x.numpy() ** 2)


def test_vmap_of_a_custom_function() -> None:
    close(vmap(grad_of(lambda x: Cube.apply(x).sum()))(X), 3 * X * X)
    close(grad_of(lambda x: vmap(Cube.apply)(x).sum())(X), 3 * X * X)
    w = Tensor(W[:, 0], requires_grad=True)
    vmap(lambda x: (Cube.apply(w) * x).sum())(X).sum().backward()
    assert w.grad is not None
    close(w.grad, 3 * W[:, 0] ** 2 * X.sum(axis=0))


class Scale(engine.Function):
    """Two outputs, of which the second knows only the first input."""

    @staticmethod
    def forward(ctx: Any, w: Any, x: Any) -> Any:
        ctx.save_for_backward(w, x)
        return w * x, w * w

    @staticmethod
    def backward(ctx: Any, g: Any, h: Any) -> Any:
        w, x = ctx.saved_tensors
        return g * x + h * 2.0 * w, g * w


def test_custom_function_sums_over_shared_arguments() -> None:
    def f(w: Any) -> Any:
        first, second = vmap(lambda x: Scale.apply(w, x))(X)
        return (first * first).sum() + (second * X).sum()

    w = W[:, 0]
    close(grad_of(f)(Tensor(w)), (2 * w * X * X + 2 * w * X).sum(axis=0))
    close(vmap(grad_of(lambda v, x: Scale.apply(v, x)[0].sum()), (None, 0))(w, X), X)


def test_custom_function_in_numpy_is_refused_under_vmap() -> None:
    with pytest.raises(BatchError, match="NumPy"):
        vmap(grad_of(lambda x: CubeInNumPy.apply(x).sum()))(X)
    close(jacobian(CubeInNumPy.apply, X[0], mode="reverse"), np.diag(3 * X[0] ** 2))


def test_checkpoint_inside_and_around_vmap() -> None:
    def stretch(x: Any) -> Any:
        return engine.sin(engine.exp(x)).sum()

    slope = np.cos(np.exp(X)) * np.exp(X)
    close(vmap(grad_of(lambda x: engine.checkpoint(stretch, x)))(X), slope)
    close(grad_of(lambda x: engine.checkpoint(vmap(stretch), x).sum())(X), slope)
    close(grad_of(lambda x: vmap(lambda v: engine.checkpoint(stretch, v))(x).sum())(X), slope)


def test_checkpoint_repeats_randomness_outside_its_vmap() -> None:
    rng = np.random.default_rng(0)

    def f(x: Any) -> Any:
        return engine.checkpoint(lambda v: engine.dropout(engine.exp(v), 0.5, rng=rng), x, rng=rng)

    def both(x: Any) -> Any:
        y = vmap(f, randomness="different")(x)
        return y.sum(), y

    value, pullback = vjp(both, X)
    (g,) = pullback((1.0, np.zeros(X.shape)))
    close(g, value[1].numpy())  # of exp, scaled or dropped alike
