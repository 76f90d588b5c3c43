"""What is refused, beside what PyTorch says of the same program: ours names the operation or input, and what to do.

A row gives a program, a piece of PyTorch's message (or None where PyTorch goes on, and what it does then), and what
ours must name and advise.
"""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.engine.libraries import Engine, PyTorch

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:(invalid value|divide by zero):RuntimeWarning"),  # NaNs are meant
    pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning"),  # what is said when it is
    pytest.mark.filterwarnings("ignore:Error detected in:UserWarning"),  # anomaly mode's copy of the forward stack
]

HERE = r"test_messages\.py:\d+ \(`.+`\)"
"""A line of this file, with its source."""


@dataclass(frozen=True)
class Refusal:
    """One program that ends in an error.

    Attributes:
        run: The program.
        theirs: A pattern of PyTorch's message; None where PyTorch does not refuse.
        names: Patterns of what our message must name: the operation, the input, the shape, the line.
        advice: A pattern of what it must say to do, or why there is nothing to do.
        better: What is deliberately better than in PyTorch.
    """

    run: Callable[[Any], Any]
    theirs: str | None
    names: tuple[str, ...]
    advice: str
    better: str


def backward_twice(e: Any) -> None:
    x = e.leaf(2.0)
    loss = (x * x).sum()
    loss.backward()
    loss.backward()


def overwritten(e: Any) -> None:
    h, w = e.leaf(1.0, 2.0) * 1, e.leaf(3.0, 4.0)
    y = h * w
    h.add_(1)
    y.sum().backward()


def overwritten_through_a_view(e: Any) -> None:
    h = e.leaf(1.0, 2.0) * 1
    y = e.exp(h)
    y.detach()[0] = 7.0
    y.sum().backward()


def one_of_several_views(e: Any) -> None:
    first, _ = e.pieces(e.leaf(1.0, 2.0) * 1)
    first.mul_(2)


def writes_another_shape(e: Any) -> None:
    x = e.constant(1.0, 2.0, 3.0)
    x[:] = e.constant(1.0, 2.0)


def writes_to_a_hooks_gradient(e: Any) -> None:
    x = e.leaf(1.0, 2.0)
    x.register_hook(lambda g: g.mul_(2))
    (x * 1).sum().backward()


def view_of_no_grad(e: Any) -> None:
    x = e.leaf(1.0, 2.0) * 1
    with e.no_grad():
        view = x[:1]
    view.mul_(2)


def saves_inference(e: Any) -> None:
    x = e.leaf(1.0)
    with e.inference_mode():
        z = x * 2
    x * z


def writes_inference(e: Any) -> None:
    with e.inference_mode():
        z = e.constant(1.0)
    z.add_(1)


def of_another_shape_by_a_hook(e: Any) -> None:
    x = e.leaf(1.0, 2.0)
    x.register_hook(lambda g: g.sum())
    (x * 1).sum().backward()


def unpacked_as_nothing(e: Any) -> None:
    with e.saved_tensors_hooks(lambda t: t, lambda t: None):
        y = e.exp(e.leaf(1.0))
    y.sum().backward()


def nan_in_backward(e: Any) -> None:
    with e.detect_anomaly():
        y = e.sqrt(e.leaf(-1.0, 4.0))
        y.sum().backward()


def nan_of_a_branch(e: Any) -> None:
    x = e.leaf(0.0, 4.0)
    with e.detect_anomaly():
        e.where(x > 0, e.sqrt(x), x * 0 + 1).sum().backward()


def nan_in_forward(e: Any) -> None:
    with e.trace_nan():
        y = e.log(e.leaf(-1.0, 1.0))
        e.exp(y * 2)


def custom(e: Any, backward: Callable[..., Any] | None = None, saved: Callable[[Any], Any] = lambda x: x) -> Any:
    class Square(e.Function):  # type: ignore[misc]  # a class of whichever library
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(saved(x))
            return x * x

    if backward is not None:
        Square.backward = staticmethod(backward)
    return Square


def twice(e: Any, function: Any) -> None:
    x = e.leaf(3.0)
    (g,) = e.grad(function.apply(x).sum(), x, create_graph=True)
    (g.sum() + 0 * x.sum()).backward()


def writes_to_a_dirty_leaf(e: Any) -> None:
    class Double(e.Function):  # type: ignore[misc]  # as above
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

    Double.apply(e.leaf(1.0))


def other_the_second_time(e: Any) -> None:
    runs: list[int] = []

    def f(x: Any) -> Any:
        runs.append(1)
        return e.exp(x * x) if len(runs) == 1 else e.exp(x)

    e.checkpoint(f, e.leaf(1.0)).sum().backward()


def argument_overwritten(e: Any) -> None:
    h = e.leaf(1.0) * 1
    y = e.checkpoint(e.exp, h)
    h.add_(1)
    y.sum().backward()


def written_through_numpy(e: Any) -> None:
    x, w = e.constant(1.0, 2.0), e.leaf(3.0, 4.0)
    y = w * x
    x.numpy()[0] = 100.0
    y.sum().backward()


def expanded(e: Any) -> None:
    e.broadcast_to(e.constant(1.0), (3,)).add_(1)


def vectors_of_equal_eigenvalues(e: Any) -> None:
    x = e.tensor([[2.0, 0.0], [0.0, 2.0]], requires_grad=True)
    vectors = e.linalg.eigh(x)[1] if e.name == "PyTorch" else e.eigh(x)[1]
    (vectors[0] * e.constant(1.0, 2.0)).sum().backward()


def phase_of_an_eigenvector(e: Any) -> None:
    x = e.tensor([[0.0, 1.0], [-1.0, 0.5]], requires_grad=True)
    vectors = e.linalg.eig(x)[1] if e.name == "PyTorch" else e.eig(x)[1]
    (vectors * (1.0 + 2.0j)).imag.sum().backward()


L = Refusal

REFUSALS: dict[str, Refusal] = {
    "backward of a vector": L(
        lambda e: (e.leaf(1.0, 2.0) * 2).backward(), "implicitly created only for scalar", (r"\(2,\)",), r"\.sum\(\)",
        "says the shape and how to go on"),
    "shapes that do not broadcast": L(
        lambda e: e.leaf(1.0, 2.0) + e.leaf(1.0, 2.0, 3.0), "must match the size",
        ("`add`", r"\(2,\)", r"\(3,\)", HERE), "expand_dims", "names the operation, both shapes and the line"),
    "a product of matrices that do not fit": L(
        lambda e: e.tensor([[1.0, 2.0, 3.0]], False) @ e.tensor([[1.0, 2.0]], False), "cannot be multiplied",
        ("`matmul`", r"\(1, 3\)", r"\(1, 2\)", "length 3", "length 1", HERE), "transpose", "says which axes differ"),
    "a factorisation of a vector": L(
        lambda e: (e.linalg.qr if e.name == "PyTorch" else e.qr)(e.leaf(1.0, 2.0)), "at least 2 dimensions",
        ("`qr`", r"\(2,\)"), "needs matrices", "names the operation"),
    "a singular matrix": L(
        lambda e: (e.linalg.inv if e.name == "PyTorch" else e.inv)(e.tensor([[1.0, 1.0], [1.0, 1.0]], False)),
        "singular", ("`inv`", r"\(2, 2\)", HERE), "identity.*`pinv`", "offers two ways out"),
    "an index out of bounds": L(
        lambda e: e.leaf(1.0, 2.0)[5], "out of bounds", ("`getitem`", "index 5", r"\(2,\)", HERE), "size 2",
        "says the line"),
    "values of another shape written": L(
        writes_another_shape, "expanded size", (r"\(3,\)", r"\(2,\)", HERE), "reshape",
        "says both shapes and the line"),
    "NumPy's function on a Tensor": L(
        lambda e: np.sin(e.leaf(1.0)), r"detach\(\)\.numpy\(\)", (r"`np\.sin`", "gradient"), r"`engine\.sin`.*x\.numpy",
        "names our function"),
    "an array of a tensor that requires grad": L(
        lambda e: np.asarray(e.leaf(1.0)), r"detach\(\)\.numpy\(\)", ("gradient would be lost",), r"x\.numpy\(\)",
        "says why"),
    "a copy of a result by deepcopy": L(
        lambda e: deepcopy(e.leaf(1.0) * 2), "created explicitly by the user", ("`multiply`",),
        r"\.clone\(\).*\.detach", "says what made it, and how to copy it"),
    "the gradient in a hook written to": L(
        writes_to_a_hooks_gradient, None, ("`mul_`", "gradient that a hook was given"), "return it",
        "PyTorch lets it through, and other gradients change too"),
    "backward of a complex number": L(
        lambda e: (e.leaf(1.0 + 1.0j) * 2).backward(), "only for real scalar outputs", ("complex128",), r"\.real",
        "offers real functions"),
    "backward of a constant": L(
        lambda e: e.constant(1.0).backward(), "does not require grad", ("output 0",), r"no_grad\(\)",
        "says how that comes about"),
    "a cotangent of another shape": L(
        lambda e: (e.leaf(1.0, 2.0) * 2).backward(e.constant(1.0)), "Mismatch in shape", (r"\(1,\)", r"\(2,\)"),
        "shape", "the same"),
    "an unused input": L(
        lambda e: e.grad((e.leaf(1.0) * 2).sum(), [e.leaf(2.0)]), "appears to not have been used", ("input 0",),
        "allow_unused=True", "the same"),
    "integers that require grad": L(
        lambda e: e.tensor([True], requires_grad=True, dtype=bool),
        "floating point", ("`bool`",), "convert", "names the dtype"),
    "a result that is to stop requiring grad": L(
        lambda e: (e.leaf(1.0) * 2).requires_grad_(False), "change requires_grad flags of leaf", ("`multiply`",),
        r"\.detach\(\)", "names what made it"),
    "retain_grad on a constant": L(
        lambda e: e.constant(1.0).retain_grad(), "retain_grad", ("retain_grad",), "does not require grad", "the same"),
    "a hook on a constant": L(
        lambda e: e.constant(1.0).register_hook(print), "register a hook", ("register_hook",), "never computed",
        "says why"),
    "a post-accumulate hook on a result": L(
        lambda e: (e.leaf(1.0) * 1).register_post_accumulate_grad_hook(print), "non-leaf", ("post-accumulate",),
        "needs a leaf", "says why"),
    "a hook that changes the shape": L(
        of_another_shape_by_a_hook, "changed the size", (r"\(\)", r"\(2,\)"), "returned a gradient",
        "says both shapes"),
    "an unpack hook without a tensor": L(
        unpacked_as_nothing, "Tensor", ("`NoneType`",), "not the Tensor that was packed", "names what came"),
    "backward twice": L(
        backward_twice, "a second time", ("`multiply`",), "retain_graph=True.*outside the training loop",
        "names the operation and the usual cause"),
    "an input overwritten": L(
        overwritten, "modified by an inplace operation",
        ("`multiply`", "input `x`", r"\(2,\)", "`add_`", "version 1", HERE), r"\.clone\(\)",
        "names operation, input, writer and the line that wrote; PyTorch a type and a number"),
    "a result overwritten through a view of an alias": L(
        overwritten_through_a_view, "modified by an inplace operation", ("`exp`", "its result", HERE), r"\.clone\(\)",
        "as above"),
    "a leaf written to": L(
        lambda e: e.leaf(1.0).add_(1), "a leaf Variable that requires grad", ("`add_`", "a leaf"),
        r"no_grad\(\).*\.clone\(\)", "names the operation, offers both ways out"),
    "a view of a leaf written to": L(
        lambda e: e.leaf(1.0, 2.0)[0].mul_(2), "a view of a leaf Variable", ("`mul_`", "a view of a leaf"),
        r"no_grad\(\).*\.clone\(\)", "as above"),
    "a leaf marked dirty": L(
        writes_to_a_dirty_leaf, "leaf Variable that requires grad", ("`Double`",), r"\.clone\(\)",
        "names the Function"),
    "one of several views written to": L(
        one_of_several_views, "returns multiple views", ("`mul_`", "one of several views"), "out of place", "the same"),
    "a view made under no_grad written to": L(
        view_of_no_grad, "created in no_grad mode", ("`mul_`", r"`no_grad\(\)`"), "both into the block or both",
        "the same, shorter"),
    "memory that elements share written to": L(
        expanded, "single memory location", ("`add_`",), r"\.clone\(\)", "the same"),
    "an inference tensor saved for backward": L(
        saves_inference, "cannot be saved for backward", ("`multiply`", "`y`"), r"\.clone\(\)",
        "names the operation and its input"),
    "an inference tensor written to outside": L(
        writes_inference, "outside InferenceMode", ("`add_`",), r"\.clone\(\)", "names the operation"),
    "a Function without backward": L(
        lambda e: custom(e).apply(e.leaf(1.0)).sum().backward(), "must implement", ("backward",),
        "defines no `backward`", "the same"),
    "a Function's gradient of a wrong count": L(
        lambda e: custom(e, lambda ctx, g: (g, g)).apply(e.leaf(1.0)).sum().backward(), "incorrect number of gradients",
        ("`Square.backward`", "2 gradients"), "`forward` took 1", "the same"),
    "a Function that saved an intermediate, differentiated twice": L(
        lambda e: twice(e, custom(e, lambda ctx, g: g * ctx.saved_tensors[0], lambda x: 2 * x)), None, ("`Square`",),
        "neither an input nor an output", "PyTorch answers with a graph without this path: a wrong second derivative"),
    "once_differentiable, differentiated twice": L(
        lambda e: twice(e, custom(e, e.once_differentiable(lambda ctx, g: g * 2 * ctx.saved_tensors[0]))), None,
        ("`Square`",), "once_differentiable", "PyTorch takes the gradient for a constant where it is added to others"),
    "a checkpoint that does another thing the second time": L(
        other_the_second_time, "saved", ("checkpoint",), "first run", "the same"),
    "a checkpoint's argument overwritten": L(
        argument_overwritten, "modified by an inplace operation", ("argument 0", "`add_`", HERE), "other values",
        "names the argument and the line that wrote"),
    "a NaN in backward": L(
        nan_in_backward, "returned nan values in its 0th output", ("`sqrt`", HERE, r"index \(0,\)"), "NaN",
        "the line in the error itself, and the element"),
    "a NaN of the branch not taken": L(
        nan_of_a_branch, "returned nan values", ("`sqrt`", "`where`", "`x`"), "`where` inside", "names the branch"),
    "a NaN in forward": L(
        nan_in_forward, None, ("`log`", r"index \(0,\)", HERE), "from inputs without NaN",
        "PyTorch looks for NaN in backward only"),
    "writing through .numpy()": L(
        written_through_numpy, None, ("read-only",), "read-only",
        "PyTorch lets it through uncounted, and the gradient of w is silently wrong"),
    "eigenvectors of equal eigenvalues": L(
        vectors_of_equal_eigenvalues, None, ("`eigh`", "two equal eigenvalues"), "`matrix_exp`",
        "PyTorch answers with NaN or infinity"),
    "the phase of an eigenvector": L(
        phase_of_an_eigenvector, r"specified up to multiplication by e\^\{i phi\}", ("`eig`", "phases"), "`absolute",
        "says what to use"),
}  # fmt: skip


ERRORS = (RuntimeError, TypeError, ValueError, IndexError, FloatingPointError, NotImplementedError)


@pytest.mark.parametrize("name", REFUSALS)
def test_message_says_at_least_as_much_as_pytorch(torch: Any, name: str) -> None:
    row = REFUSALS[name]
    with pytest.raises(ERRORS) as caught:
        row.run(Engine())
    for pattern in (*row.names, row.advice):
        assert re.search(pattern, str(caught.value), re.DOTALL), f"{pattern!r} is not in: {caught.value}"
    if row.theirs is None:
        row.run(PyTorch(torch))
    else:
        with pytest.raises(ERRORS, match=row.theirs):
            row.run(PyTorch(torch))


@pytest.mark.parametrize("name", [n for n, row in REFUSALS.items() if row.theirs is not None])
def test_error_class_is_pytorchs(torch: Any, name: str) -> None:
    """So that an `except` moved from one to the other still catches; a narrower or wider one will do."""
    row, classes = REFUSALS[name], []
    for library in (Engine(), PyTorch(torch)):
        with pytest.raises(ERRORS) as caught:
            row.run(library)
        classes.append(caught.type)
    ours, theirs = classes
    assert (issubclass(ours, theirs) or issubclass(theirs, ours)) != (name in OTHER_CLASS)


OTHER_CLASS: dict[str, str] = {
    **dict.fromkeys(("a NaN in backward", "a NaN of the branch not taken"), "Python's own class for it, in all modes"),
    **dict.fromkeys(
        ("shapes that do not broadcast", "a product of matrices that do not fit", "values of another shape written"),
        "NumPy's class of error",
    ),
    **dict.fromkeys(("a factorisation of a vector", "a singular matrix"), "NumPy's class of error, a ValueError"),
    **dict.fromkeys(
        ("NumPy's function on a Tensor", "an array of a tensor that requires grad"),
        "a TypeError, as the type is what is wrong",
    ),
    "integers that require grad": "a TypeError, as the type is what is wrong",
    "a hook that changes the shape": "a ValueError, as of every hook's answer",
}
"""Where the class differs, and why."""
