"""Custom `Function`s: what they save, what they may be asked for, and what they may not return."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Context, Function, Tensor, numerical_vjp, once_differentiable
from tests.engine.build import gradient_of, leaf


class Cube(Function):
    """x³, by forward and setup_context apart."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        return x * x * x

    @staticmethod
    def setup_context(ctx: Context, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Context, g: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * (3 * x * x)

    @staticmethod
    def jvp(ctx: Context, dx: Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return dx * (3 * x * x)


class Exp(Function):
    """e to the x; saves its output."""

    @staticmethod
    def forward(ctx: Context, x: Tensor) -> Any:
        y = engine.exp(x)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Context, g: Tensor) -> Any:
        return g * ctx.saved_tensors[0]


class SumAndProduct(Function):
    """Two outputs of two inputs."""

    @staticmethod
    def forward(ctx: Context, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(x, y)
        return x + y, x * y

    @staticmethod
    def backward(ctx: Context, ds: Tensor, dp: Tensor) -> tuple[Tensor, Tensor]:
        x, y = ctx.saved_tensors
        return ds + dp * y, ds + dp * x


def returning(*gradients: Any) -> type[Function]:
    class Returns(Function):
        @staticmethod
        def forward(ctx: Context, *inputs: Any) -> Any:
            return inputs[0] * 1

        @staticmethod
        def backward(ctx: Context, g: Tensor) -> Any:
            return gradients if len(gradients) != 1 else gradients[0]

    return Returns


def test_function_gradients_agree_with_differences() -> None:
    x, y = np.array([0.5, 2.0]), np.array([3.0, -1.0])

    def f(a: Any, b: Any) -> Any:
        s, p = (SumAndProduct.apply if isinstance(a, Tensor) else lambda u, v: (u + v, u * v))(a, b)
        return s * s * p

    (gx, gy), _ = numerical_vjp(f, [x, y], np.ones(2))
    a, b = Tensor(x, requires_grad=True), Tensor(y, requires_grad=True)
    f(a, b).sum().backward()
    assert gx is not None
    assert gy is not None
    assert np.allclose(gradient_of(a), gx, rtol=1e-8)
    assert np.allclose(gradient_of(b), gy, rtol=1e-8)


@pytest.mark.parametrize(("function", "orders"), [(Cube, [12, 12, 6]), (Exp, [np.exp(2)] * 3)])
def test_function_second_derivative_through_saved_tensors(function: type[Function], orders: list[float]) -> None:
    x = leaf(2.0)
    g: Tensor | None = function.apply(x)
    for expected in orders:
        assert g is not None
        (g,) = engine.grad(g, x, create_graph=True)
        assert g is not None
        assert g.item() == pytest.approx(expected)


def test_unused_output_has_zero_or_none_cotangent() -> None:
    seen: list[Any] = []

    class Pair(SumAndProduct):
        @staticmethod
        def forward(ctx: Context, x: Tensor, y: Tensor) -> Any:
            ctx.set_materialize_grads(bool(flags.pop()))
            return SumAndProduct.forward(ctx, x, y)

        @staticmethod
        def backward(ctx: Context, ds: Any, dp: Any) -> Any:
            seen.append(ds if ds is None else ds.item())
            return dp, dp

    flags = [False, True]
    for _ in range(2):
        Pair.apply(leaf(2.0), leaf(3.0))[1].backward()
    assert seen == [0, None]


def test_needs_input_grad_marks_needed_gradients() -> None:
    seen: list[Any] = []

    class Times(Function):
        @staticmethod
        def forward(ctx: Context, x: Any, y: Any, scale: float) -> Any:
            seen.append(ctx.needs_input_grad)
            return x * y * scale

        @staticmethod
        def backward(ctx: Context, g: Any) -> Any:
            return g, None, None

    Times.apply(leaf(1.0), Tensor([2.0]), 3.0).backward()
    assert seen == [(True, False, False)]


@pytest.mark.parametrize(
    ("gradients", "inputs", "message"),
    [
        ((Tensor([1.0]),), 2, "returned 1 gradients, but `forward` took 2"),
        ((Tensor([1.0]), Tensor([1.0])), 1, "returned 2 gradients, but `forward` took 1"),
        ((Tensor([1.0, 1.0, 1.0]),), 1, r"shape \(3,\) for argument 0, which has shape \(2,\)"),
    ],
)
def test_function_refuses_malformed_gradients(gradients: Any, inputs: int, message: str) -> None:
    out = returning(*gradients).apply(*[leaf(1.0, 2.0) for _ in range(inputs)])
    with pytest.raises(RuntimeError, match=message):
        out.sum().backward()


def test_function_allows_trailing_nones_only() -> None:
    x = leaf(2.0)
    returning(Tensor([5.0]), None, None).apply(x).backward()
    assert gradient_of(x) == 5
    with pytest.raises(RuntimeError, match="argument 1, which is not a Tensor"):
        returning(Tensor([1.0]), Tensor([1.0])).apply(x, 3.0).backward()


def test_function_gradient_is_copied_before_accumulation() -> None:
    kept = Tensor([1.0])
    x = leaf(2.0)
    for _ in range(3):
        returning(kept).apply(x).backward()
    assert kept.item() == 1
    assert gradient_of(x) == 3


def test_saved_intermediate_refuses_second_derivative() -> None:
    """PyTorch issue 58509: there the second derivative is silently that of a constant."""

    class Square(Function):
        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            slope = 2 * x
            ctx.save_for_backward(slope)
            return x * x

        @staticmethod
        def backward(ctx: Context, g: Tensor) -> Any:
            return g * ctx.saved_tensors[0]

    x = leaf(3.0)
    (g,) = engine.grad(Square.apply(x), x, create_graph=True)
    assert g is not None
    assert g.item() == 6
    with pytest.raises(RuntimeError, match=r"`Square` cannot be differentiated twice.*neither an input nor an output"):
        engine.grad(g, x)


def test_once_differentiable_refuses_second_derivative() -> None:
    class Once(Cube):
        backward = staticmethod(once_differentiable(Cube.backward))

    x = leaf(2.0)
    (g,) = engine.grad(Once.apply(x), x, create_graph=True)
    assert g is not None
    assert g.item() == 12
    with pytest.raises(RuntimeError, match="once_differentiable"):
        g.backward()


def test_saved_tensors_are_freed_and_checked() -> None:
    x = leaf(2.0)
    y = Cube.apply(x)
    y.backward()
    with pytest.raises(RuntimeError, match="`Cube` a second time"):
        y.backward()
    h = x * 1
    y = Cube.apply(h)
    h.add_(1)
    with pytest.raises(RuntimeError, match=r"`Cube` needs its saved tensor 0.*`add_`"):
        y.backward()


class Double_(Function):  # noqa: N801 - in place, by PyTorch's naming
    """Doubles its input in place."""

    @staticmethod
    def forward(ctx: Context, x: Tensor) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx: Context, g: Tensor) -> Any:
        return g * 2


def test_dirty_input_is_the_result() -> None:
    x = leaf(1.0, 2.0, 3.0)
    y = x * 1
    view = y[:2]
    assert Double_.apply(view) is view
    y.sum().backward()
    assert np.array_equal(gradient_of(x), [2, 2, 1])
    with pytest.raises(RuntimeError, match="leaf that requires grad"):
        Double_.apply(leaf(1.0))


def test_non_differentiable_output_has_no_grad() -> None:
    class SortWithOrder(Function):
        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            order = Tensor(np.argsort(x.numpy()).astype(float))
            ctx.mark_non_differentiable(order)
            ctx.order = order.numpy().astype(int)  # type: ignore[attr-defined]  # any attribute may be set
            return x[ctx.order], order  # type: ignore[attr-defined]  # as above

        @staticmethod
        def backward(ctx: Any, g: Tensor, _: Any) -> Any:
            return engine.index_scatter(g, index=ctx.order, shape=g.shape)

    x = leaf(3.0, 1.0, 2.0)
    values, order = SortWithOrder.apply(x)
    assert not order.requires_grad
    (values * Tensor([1.0, 10.0, 100.0])).sum().backward()
    assert np.array_equal(gradient_of(x), [100, 1, 10])


def test_function_jvp_nests_with_reverse_mode() -> None:
    def third(x: Any) -> Any:
        return engine.jvp(lambda t: engine.jvp(Cube.apply, (t,), (np.ones(1),))[1], (x,), (np.ones(1),))[1]

    x = np.array([2.0])
    assert third(x).item() == 12
    assert engine.grad_of(third)(x).item() == 6
    assert engine.hvp(lambda t: Cube.apply(t).sum(), (x,), (np.ones(1),)).item() == 12
    with pytest.raises(NotImplementedError, match="no `jvp`"):
        engine.jvp(Exp.apply, (x,), (np.ones(1),))


def test_function_leaves_no_reference_cycle() -> None:
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        out = [Exp.apply(x), *SumAndProduct.apply(x, x), Double_.apply(x * 1)]
        alive = [weakref.ref(t.node) for t in out]
        del out
        assert [r() for r in alive] == [None] * len(alive)
    finally:
        gc.enable()


def test_function_accepts_zero_dimensional_gradients() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Context, g: Tensor) -> Any:
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = Tensor(np.array(3.0), requires_grad=True)
    (3 * Square.apply(x)).backward()  # multiplying hands it what NumPy makes of a product without dimensions
    assert gradient_of(x) == 18


def test_function_names_missing_methods_and_misuse() -> None:
    class Nothing(Function):
        """Defines nothing."""

    class NoBackward(Function):
        """Has a forward alone."""

        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            return x * 2

    class SavesAnArray(NoBackward):
        """Saves what is no Tensor."""

        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            ctx.save_for_backward(x.numpy())  # type: ignore[arg-type]  # refused
            return x * 2

    class ReadsTooEarly(NoBackward):
        """Asks for the saved tensors in its forward."""

        @staticmethod
        def forward(ctx: Context, x: Tensor) -> Any:
            return ctx.saved_tensors

    class GivesANumber(NoBackward):
        """Answers with what is no Tensor."""

        @staticmethod
        def backward(ctx: Context, g: Tensor) -> Any:
            return 2.0

    with pytest.raises(NotImplementedError, match="needs a `forward`"):
        Nothing.apply(leaf(1.0))
    with pytest.raises(NotImplementedError, match="defines no `backward`"):
        NoBackward.apply(leaf(1.0)).backward()
    with pytest.raises(TypeError, match="takes Tensors, not `ndarray`"):
        SavesAnArray.apply(leaf(1.0))
    with pytest.raises(RuntimeError, match="only inside `backward`"):
        ReadsTooEarly.apply(leaf(1.0))
    with pytest.raises(TypeError, match=r"`GivesANumber\.backward` returned a `float` for argument 0"):
        GivesANumber.apply(leaf(1.0)).backward()


def test_function_jvp_gets_zeros_for_missing_tangents() -> None:
    class Product(Function):
        """The product of two."""

        @staticmethod
        def forward(ctx: Context, x: Tensor, y: Tensor) -> Any:
            ctx.save_for_backward(x, y)
            return x * y

        @staticmethod
        def jvp(ctx: Context, dx: Tensor, dy: Tensor) -> Any:
            x, y = ctx.saved_tensors
            return dx * y + x * dy

    constant = Tensor(np.array([5.0]))
    _, pushed = engine.jvp(lambda x: Product.apply(x, constant), [np.array([2.0])], [np.array([3.0])])
    assert pushed.numpy() == 15


class Affine(Function):
    """a x + b."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, a: float = 2.0, b: Tensor | None = None) -> Tensor:
        ctx.a, ctx.has_b = a, b is not None
        return a * x if b is None else a * x + b

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Any:
        return ctx.a * g, None, g if ctx.has_b else None


class AffineApart(Affine):
    """The same, with `setup_context`."""

    @staticmethod
    def forward(x: Tensor, a: float = 2.0, b: Tensor | None = None) -> Tensor:  # type: ignore[override]
        return a * x if b is None else a * x + b

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, ctx.a, b = inputs
        ctx.has_b = b is not None


@pytest.mark.parametrize("function", [Affine, AffineApart])
def test_apply_accepts_arguments_by_name(function: type[Function]) -> None:
    x, b = Tensor(3.0, requires_grad=True), Tensor(1.0, requires_grad=True)
    for y in (function.apply(x=x, b=b), function.apply(x, b=b), function.apply(b=b, x=x)):
        assert y.item() == 7
        y.backward()
    assert x.grad is not None
    assert b.grad is not None
    assert (x.grad.item(), b.grad.item()) == (6, 3)
    with pytest.raises(TypeError, match=rf"`{function.__name__}.apply`: .*'z'; `forward` takes `\(x: "):
        function.apply(x, z=1)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        function.apply(a=1.0)


def test_apply_refuses_keyword_only_arguments() -> None:
    class Scaled(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, *, by: float) -> Tensor:  # type: ignore[override]
            return x * by

    with pytest.raises(TypeError, match=r"keyword-only.*`by`; make them positional"):
        Scaled.apply(Tensor(1.0), by=2.0)
