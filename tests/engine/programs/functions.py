"""Functions of one's own, checkpoints, NaN and complex numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tests.engine.libraries import plain
from tests.engine.programs import program

if TYPE_CHECKING:
    from collections.abc import Callable


def two_outputs(e: Any) -> Any:
    class SumAndProduct(e.Function):  # type: ignore[misc]  # a class of whichever library
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.save_for_backward(x, y)
            return x + y, x * y

        @staticmethod
        def backward(ctx: Any, ds: Any, dp: Any) -> Any:
            x, y = ctx.saved_tensors
            return ds + dp * y, ds + dp * x

    return SumAndProduct


@program("save_for_backward", "of inputs can be differentiated again, and an unused output's cotangent is zeros")
def _(e: Any) -> Any:
    x, y = e.leaf(2.0), e.leaf(3.0)
    s, p = two_outputs(e).apply(x, y)
    (g,) = e.grad((s * s * p).sum(), x, create_graph=True)
    (alone,) = e.grad(two_outputs(e).apply(x, y)[1].sum(), x)
    return g, e.grad(g.sum(), [x, y]), alone


@program("mark_dirty", "makes the written input the result, in the graph, and its base follows")
def _(e: Any) -> Any:
    class Double(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    x = e.leaf(1.0, 2.0, 3.0)
    y = x * 1
    same = Double.apply(y) is y
    y.sum().backward()
    return same, e.version(y) > 0, y, x.grad  # PyTorch counts the write and the mark, two


@program("mark_non_differentiable", "gives an output that requires no grad")
def _(e: Any) -> Any:
    class SignAndSize(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            sign = e.sign(x)
            ctx.mark_non_differentiable(sign)
            ctx.save_for_backward(sign)
            return sign, abs(x)

        @staticmethod
        def backward(ctx: Any, _: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    x = e.leaf(-1.0, 2.0)
    sign, size = SignAndSize.apply(x)
    size.sum().backward()
    return sign, sign.requires_grad, size.requires_grad, x.grad


@program("once_differentiable", "leaves the first derivative as it is, without a graph")
def _(e: Any) -> Any:
    class Square(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @e.once_differentiable  # type: ignore[untyped-decorator]  # as above
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    x = e.leaf(3.0)
    return e.grad(Square.apply(x).sum(), x)


@program("needs_input_grad", "tells which gradients are asked for; None is allowed for the others")
def _(e: Any) -> Any:
    asked = []

    class Scale(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(ctx: Any, x: Any, factor: float, y: Any) -> Any:
            return x * factor + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            asked.append(tuple(ctx.needs_input_grad))
            return g * 3, None, None

    x = e.leaf(1.0)
    Scale.apply(x, 3.0, e.constant(1.0)).sum().backward()
    return asked, x.grad


@program("jvp", "of a Function of one's own, through the rest of the program")
def _(e: Any) -> Any:
    class Cube(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(x: Any) -> Any:
            return x * x * x

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs) if hasattr(ctx, "save_for_forward") else ctx.save_for_backward(*inputs)

        @staticmethod
        def jvp(ctx: Any, dx: Any) -> Any:
            (x,) = ctx.saved_tensors
            return dx * 3 * x * x

    return e.jvp(lambda x: e.exp(Cube.apply(x)) * x, e.constant(0.5, 1.0), e.constant(1.0, -2.0))


def stretch(e: Any) -> Callable[..., Any]:
    return lambda x, w: e.tanh(x * w) * x


@program("checkpoint", "has the gradients of the function, also for what it uses without being given it")
def _(e: Any) -> Any:
    x, w = e.leaf(0.5, -1.0), e.leaf(2.0, 3.0)
    e.checkpoint(lambda t: stretch(e)(t, w) + w, x).sum().backward()
    return x.grad, w.grad


@program("nested checkpoint", "has the gradients of the function")
def _(e: Any) -> Any:
    x, w = e.leaf(0.5, -1.0), e.leaf(2.0, 3.0)
    e.checkpoint(lambda t: stretch(e)(e.checkpoint(stretch(e), t, w), w), x).sum().backward()
    return x.grad, w.grad


@program("checkpoint under create_graph", "can be differentiated again")
def _(e: Any) -> Any:
    x, w = e.leaf(0.5, -1.0), e.leaf(2.0, 3.0)
    (g,) = e.grad(e.checkpoint(stretch(e), x, w).sum(), x, create_graph=True)
    return g, e.grad(g.sum(), [x, w])


@program("checkpoint with random state", "draws the same numbers the second time and leaves the state after them")
def _(e: Any) -> Any:
    masked, checkpoint = e.random(0)
    x = e.leaf(*np.linspace(1.0, 2.0, 32))
    y = checkpoint(lambda t: (t * masked(t)) ** 2, x)
    between = masked(x).tolist()
    y.sum().backward()
    return plain(x.grad * x) == plain(2 * y), between != masked(x).tolist(), 0 < sum(map(bool, plain(y))) < 32


@program("NaN", "comes out of the branch that `where` did not take, and not with a second `where` inside")
def _(e: Any) -> Any:
    x, y = e.leaf(0.0, 4.0), e.leaf(0.0, 4.0)
    e.where(x > 0, e.sqrt(x), x * 0 + 1).sum().backward()
    safe = e.where(y > 0, y, y * 0 + 1)
    e.where(y > 0, e.sqrt(safe), y * 0 + 1).sum().backward()
    return [plain(x.grad)[1], plain(x.grad)[0] != plain(x.grad)[0]], y.grad


@program("complex", "gradients are twice the derivative by the conjugate: the direction of steepest ascent")
def _(e: Any) -> Any:
    found = []
    functions: tuple[Callable[[Any], Any], ...] = (
        lambda z: (z * z.conj()).real,
        lambda z: (z * z).real,
        lambda z: (z * z).imag,
        lambda z: abs(z) ** 3,
        lambda z: (e.exp(z) * z.conj()).real,
    )
    for f in functions:
        z = e.leaf(1.0 + 2.0j, -0.5 - 1.0j)
        f(z).sum().backward()
        found.append(plain(z.grad))
    return found


@program("complex", "a cotangent is conjugated by a holomorphic rule, and a real input gets a real gradient")
def _(e: Any) -> Any:
    z, x = e.leaf(1.0 + 2.0j), e.leaf(3.0)
    y = z * x * (2.0 - 1.0j)
    (gz, gx) = e.grad(y, [z, x], e.constant(0.5 + 1.0j))
    return gz, gx
