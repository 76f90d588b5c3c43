"""The generator `broadcasting`: a product of two shapes. Which shape has each gradient, and which axes are summed?"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from autodrill.bank.generated.record import make, proof, verdict
from autodrill.bank.questions import ChoiceKey, Difficulty, Option, PredictKey

if TYPE_CHECKING:
    import random

    from autodrill.bank.questions import Question

    Shape = tuple[int, ...]

__all__ = ["gradient_under_broadcasting"]

_POINTS = (
    "A gradient has exactly the shape of its input",
    "The gradient of a copied element is the sum of the gradients of its copies, over the stretched axes",
    "The gradient is summed over axes that broadcasting added in front, and these are dropped; axes of size 1 are kept",
)
_FOLLOW_UPS = (
    (
        "What is the backward of a sum?",
        "Broadcasting: it copies the cotangent to every summed element. Each operation is the other's transpose.",
    ),
)


def gradient_under_broadcasting(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question on the shapes of gradients, or on the expression that computes one."""
    rank = {Difficulty.EASY: 2, Difficulty.MEDIUM: 3, Difficulty.HARD: 4}[difficulty]
    out = tuple(rng.sample(range(2, 8), rank))
    a = _stretched(rng, out, both=difficulty is Difficulty.HARD)
    if rng.random() < 0.5:
        return _shapes(rng, difficulty, out, a)
    return _expressions(difficulty, out, a)


def _stretched(rng: random.Random, out: Shape, *, both: bool) -> Shape:
    """Draw a shape that broadcasts to `out`. With `both` it lacks leading axes and also has axes of size 1."""
    while True:
        shape = tuple(1 if rng.random() < 0.4 else size for size in out[rng.randint(0, len(out) - 1) :])
        in_front, of_one = len(shape) < len(out), 1 in shape
        if (in_front and of_one) if both else (in_front or of_one):
            return shape


def _summed(shape: Shape, out: Shape) -> tuple[int, ...]:
    """Return the axes of `out` along which `shape` was copied."""
    padded = (1,) * (len(out) - len(shape)) + shape
    return tuple(axis for axis, (size, whole) in enumerate(zip(padded, out, strict=True)) if size != whole)


def _shapes(rng: random.Random, difficulty: Difficulty, out: Shape, a: Shape) -> Question:
    """Return a question on the output of a program with two operands, each of which can be stretched."""
    # Along axes where `a` was copied, `b` must have the size of the result.
    copied = _summed(a, out)
    b = tuple(size if axis in copied or rng.random() < 0.5 else 1 for axis, size in enumerate(out))
    copies = {name: prod(out) // prod(shape) for name, shape in (("a", a), ("b", b))}
    output = f"{out} {a} {b}\n{float(copies['a'])} {float(copies['b'])}"
    program = f"""
import torch

a = torch.ones({a}, requires_grad=True)
b = torch.ones({b}, requires_grad=True)
out = a * b
out.sum().backward()
print(tuple(out.shape), tuple(a.grad.shape), tuple(b.grad.shape))
print(a.grad.max().item(), b.grad.max().item())
"""
    on_engine = f"""
import numpy as np

from autodrill import engine

a, b = (engine.Tensor(np.ones(shape), requires_grad=True) for shape in ({a}, {b}))
out = a * b
out.sum().backward()
shapes = f"{{out.shape}} {{a.grad.shape}} {{b.grad.shape}}"
largest = f"{{a.grad.numpy().max()}} {{b.grad.numpy().max()}}"
assert shapes + "\\n" + largest == {output!r}
"""
    fence = proof(program, torch=True)
    return make(
        __file__,
        difficulty,
        PredictKey(fence, output),
        minutes=2,
        topics=("shapes",),
        exercises=("mul_broadcast_backward",),
        title="What are the shapes and the largest elements of these gradients?",
        body=f"```python\n{fence.code}```",
        answer=f"`out` has shape `{out}`, and each gradient has the shape of its input. All numbers are 1, so a "
        f"gradient counts copies: {copies['a']} of each element of `a`, and {copies['b']} of each element of `b`.",
        key_points=_POINTS,
        wrong_answers=(
            verdict(f"Both gradients have the output's shape `{out}`", "they do only before the sum over copies."),
            verdict("Every element is 1", "each contribution is 1, and one arrives from every copy."),
        ),
        follow_ups=_FOLLOW_UPS,
        proofs=(proof(on_engine),),
    )


def _expressions(difficulty: Difficulty, out: Shape, a: Shape) -> Question:
    """Return a question on the expression of `a`'s gradient; `b` has the shape of the result."""
    axes = _summed(a, out)
    in_front = tuple(range(len(out) - len(a)))
    of_one = tuple(axis for axis in axes if axis not in in_front)
    right = f"(g * b).sum(axis={axes}, keepdims=True).reshape({a})"
    wrong = {
        "g * b": f"the shape is `{out}`, because the gradients of the copies are not added up",
        f"g.sum(axis={axes}, keepdims=True).reshape({a})": "the shape is right, but the other factor `b` is missing",
        f"(g * b).mean(axis={axes}, keepdims=True).reshape({a})": "the gradients of copies are added, not averaged",
    }
    if in_front and of_one:
        wrong[f"(g * b).sum(axis={in_front})"] = "only the axes added in front are summed, and not the axes of size 1"
    elif of_one:
        wrong[f"(g * b).sum(axis={axes})"] = f"the sums are right, but the axes of size 1 are lost: `a` has shape `{a}`"
    options = (
        Option(f"`{right}`", True, f"this sums over the axes {axes}, along which `a` was copied"),
        *(Option(f"`{text}`", False, why) for text, why in wrong.items()),
    )
    listed = ",\n".join(f"    lambda: {option.text.strip('`')}" for option in options)
    shapes = f"a_shape, shape = {a}, {out}"
    on_engine = f"""
import numpy as np

from autodrill import engine

{shapes}
rng = np.random.default_rng(0)
b, g = rng.standard_normal(shape), rng.standard_normal(shape)
a = engine.Tensor(rng.standard_normal(a_shape), requires_grad=True)
(a * b).backward(g)
want = a.grad.numpy()
verdicts = [got.shape == want.shape and np.allclose(got, want, rtol=1e-12) for got in (f() for f in [
{listed},
])]
"""
    on_torch = f"""
import torch

{shapes}
torch.manual_seed(0)
b, g = (torch.randn(shape, dtype=torch.float64) for _ in range(2))
a = torch.randn(a_shape, dtype=torch.float64, requires_grad=True)
(a * b).backward(g)
verdicts = [got.shape == a.grad.shape and torch.allclose(got, a.grad, rtol=1e-12) for got in (f() for f in [
{listed},
])]
"""
    return make(
        __file__,
        difficulty,
        ChoiceKey(options),
        minutes=2,
        topics=("shapes",),
        exercises=("mul_broadcast_backward",),
        title="Which expression is `dL/da` after this product with broadcasting?",
        body=f"`out = a * b`, where `a` has shape `{a}` and `b` has shape `{out}`; `g` is `dL/dout`.",
        answer=f"`{right}`. The derivative of the product with respect to `a` is `b`. Broadcasting copied `a` along "
        f"the axes {axes}, so the gradient is summed over these axes and has the shape `{a}` of `a`.",
        key_points=_POINTS,
        wrong_answers=(
            verdict("`g * b`, as without broadcasting", f"that gradient has the shape `{out}` and not `{a}`."),
        ),
        follow_ups=_FOLLOW_UPS,
        proofs=(proof(on_engine), proof(on_torch, torch=True)),
    )
