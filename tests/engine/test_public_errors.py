"""What docstrings of public names other than operations say under `Raises`: each error is raised by a call here."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor
from tests.engine.test_docstrings import section
from tests.engine.test_public_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable


class _Twice(engine.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2


class _TwoGradients(_Twice):
    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g, g


class _OnceOnly(_Twice):
    @staticmethod
    @engine.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        return g * 2


def leaf(value: Any = 1.0) -> Tensor:
    return Tensor(value, requires_grad=True)


def checkpoint_that_changes() -> None:
    runs: list[int] = []

    def f(x: Tensor) -> Any:
        runs.append(0)
        return x * x if len(runs) == 1 else engine.exp(x * x) * x

    engine.checkpoint(f, leaf()).backward()


def save_a_tensor_of_inference() -> None:
    with engine.inference_mode():
        x = Tensor(1.0)
    leaf() * x


def make_a_nan() -> None:
    with engine.trace_nan():
        engine.log(Tensor(-1.0))


def make_a_nan_in_backward() -> None:
    x = leaf(0.0)
    with engine.detect_anomaly():
        (engine.sqrt(x) * 0).backward()


def differentiate_twice() -> None:
    x = leaf()
    (gradient,) = engine.grad(_OnceOnly.apply(x), x, create_graph=True)
    engine.grad(gradient, x)


def wrong_cotangents() -> None:
    f = engine.custom_vjp(lambda x: x * 2)
    f.defvjp(lambda x: (x * 2, None), lambda _, g: (g, g))
    engine.grad_of(f)(1.0)


def wrong_tangent() -> None:
    f = engine.custom_jvp(lambda x: x * 2)
    f.defjvp(lambda x, t: (x[0] * 2, (t[0], t[0])))
    engine.jvp(f, (1.0,), (1.0,))


ERRORS: list[tuple[str, Callable[[], Any], str]] = [
    ("backend_named", lambda: engine.backend_named("tpu"), "DeviceError"),
    ("register_container", lambda: engine.register_container(int), "TypeError"),
    ("Tensor", lambda: engine.Tensor([1, 2], requires_grad=True), "TypeError"),
    ("Tensor", lambda: engine.Tensor([1, 2], device="tpu"), "DeviceError"),
    ("device", lambda: engine.device("tpu").__enter__(), "DeviceError"),
    ("register_backend", lambda: engine.register_backend(replace(engine.backend_named("cpu"), name="x")), "ValueError"),
    ("Value", lambda: engine.Value(1.0) + "one", "TypeError"),  # type: ignore[operator]  # refused
    ("backward", lambda: engine.backward(engine.Tensor(1.0)), "RuntimeError"),
    ("backward", lambda: engine.backward(engine.Tensor([1.0, 2.0], requires_grad=True) * 2), "RuntimeError"),
    ("backward", lambda: engine.backward(1.0), "TypeError"),  # type: ignore[arg-type]  # refused
    (
        "grad",
        lambda: engine.grad(engine.Tensor(1.0, requires_grad=True) * 2, engine.Tensor(1.0, requires_grad=True)),
        "RuntimeError",
    ),
    ("grad", lambda: engine.grad(engine.Tensor(1.0, requires_grad=True) * 2, engine.Tensor(1.0)), "RuntimeError"),
    ("grad", lambda: engine.grad(lambda x: x, 1.0), "TypeError"),
    ("grad", lambda: engine.grad(engine.Tensor(1.0, requires_grad=True) * 2, []), "ValueError"),
    ("Function", lambda: engine.Function.apply(1.0), "NotImplementedError"),
    ("grad_of", lambda: engine.grad_of(lambda x: x * 2)(np.ones(2)), "ValueError"),
    ("grad_of", lambda: engine.grad_of(lambda x: x, 3)(1.0), "ValueError"),
    ("grad_of", lambda: engine.grad_of(lambda x: x * 1.0)(1), "TypeError"),
    ("value_and_grad", lambda: engine.value_and_grad(lambda x: x * 2)(np.ones(2)), "ValueError"),
    ("value_and_grad", lambda: engine.value_and_grad(lambda x: x * 1.0)(1), "TypeError"),
    ("vhp", lambda: engine.vhp(lambda x: x * 2, (np.ones(2),), (np.ones(2),)), "ValueError"),
    ("vhp", lambda: engine.vhp(lambda x: (x * x).sum(), (np.ones(2),), (np.ones(3),)), "ValueError"),
    ("hvp", lambda: engine.hvp(lambda x: x * 2, (np.ones(2),), (np.ones(2),)), "ValueError"),
    ("hvp", lambda: engine.hvp(lambda x: (x * x).sum(), (np.ones(2),), (np.ones(3),)), "ValueError"),
    ("jvp", lambda: engine.jvp(lambda x: x, (1.0, 2.0), (1.0,)), "ValueError"),
    ("jvp", lambda: engine.jvp(lambda x: x, (np.ones(2),), (np.ones(3),)), "ValueError"),
    ("jvp", lambda: engine.jvp(lambda x: x, (1.0,), (1j,)), "TypeError"),
    ("linearize", lambda: engine.linearize(lambda x: x * 2, 1.0)[1](1.0, 2.0), "ValueError"),
    ("vjp", lambda: engine.vjp(lambda x: x * 2, np.ones(2))[1](np.ones(3)), "ValueError"),
    ("jacobian", lambda: engine.jacobian(lambda x: x * 1.0, np.array([1, 2])), "TypeError"),
    ("jacobian", lambda: engine.jacobian(lambda z: z.conj(), np.array([1j])), "ValueError"),
    ("hessian", lambda: engine.hessian(lambda x: abs(x) ** 2, 1j), "TypeError"),
    ("hessian", lambda: engine.hessian(lambda x: x * x, np.ones(2)), "ValueError"),
    ("vmap", lambda: engine.vmap(lambda x: x, in_axes=5)(np.ones(2)), "ValueError"),
    ("vmap", lambda: engine.vmap(lambda x, y: x)(np.ones(2), np.ones(3)), "ValueError"),
    ("vmap", lambda: engine.vmap(lambda x: x, in_axes="rows")(np.ones(2)), "TypeError"),
    ("vmap", lambda: engine.vmap(lambda x: x if x > 0 else -x)(np.ones(2)), "BatchError"),
    ("cond", lambda: engine.cond(np.array([True, False]), lambda x: x, lambda x: x, 1.0), "ValueError"),
    ("scan", lambda: engine.scan(lambda c, x: (c, x), 0.0), "ValueError"),
    ("scan", lambda: engine.scan(lambda c, x: (c, x), 0.0, (np.ones(2), np.ones(3))), "ValueError"),
    ("while_loop", lambda: engine.while_loop(lambda x: x < 10, lambda x: x * 2, np.ones(2)), "ValueError"),
    ("custom_vjp", lambda: engine.custom_vjp(lambda x: x * 2)(1.0), "TypeError"),
    ("custom_jvp", lambda: engine.custom_jvp(lambda x: x * 2)(1.0), "TypeError"),
    ("gradcheck", lambda: engine.gradcheck(abs, [np.array(0.0)]), "GradcheckError"),
    ("gradcheck", lambda: engine.gradcheck(lambda x: x * 1.0, [np.array([1, 2])]), "TypeError"),
    ("numerical_vjp", lambda: engine.numerical_vjp(np.exp, [np.ones(2)], np.ones(3)), "ValueError"),
    ("tape_of", lambda: engine.tape_of(lambda x: 1.0, {"x": 1.0}), "TypeError"),  # type: ignore[arg-type, return-value]  # refused
    ("tape_of", lambda: engine.tape_of(lambda x: engine.Tensor(1.0), {"x": 1.0}), "ValueError"),
    ("tape_of_value", lambda: engine.tape_of_value(engine.Value(1.0), {"x": engine.Value(2.0)}), "ValueError"),
    ("checkpoint", checkpoint_that_changes, "RuntimeError"),
    ("Function", lambda: _TwoGradients.apply(leaf()).backward(), "RuntimeError"),
    ("Function", lambda: _Twice.apply(leaf()).backward(), "NotImplementedError"),
    ("Function", lambda: _Twice.apply(1.0, 2.0), "TypeError"),
    ("inference_mode", save_a_tensor_of_inference, "RuntimeError"),
    ("trace_nan", make_a_nan, "FloatingPointError"),
    ("detect_anomaly", make_a_nan_in_backward, "FloatingPointError"),
    ("custom_vjp", wrong_cotangents, "ValueError"),
    ("custom_jvp", wrong_tangent, "RuntimeError"),
    ("once_differentiable", differentiate_twice, "RuntimeError"),
    ("gradgradcheck", lambda: engine.gradgradcheck(lambda x: abs(x) * x, [np.array(0.0)]), "GradcheckError"),
]
"""A name, a call of it, and the class of the error that the call raises."""


@pytest.mark.parametrize("name", NAMES)
def test_documented_errors_of_a_public_name_have_calls(name: str) -> None:
    text = inspect.cleandoc(getattr(engine, name).__doc__)
    documented = re.findall(r"^    (\w+): ", section(text, "Raises"), re.MULTILINE)
    assert set(documented) == {error for about, _, error in ERRORS if about == name}


@pytest.mark.parametrize(("name", "call", "error"), ERRORS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_documented_errors_of_a_public_name_are_raised(name: str, call: Callable[[], Any], error: str) -> None:
    with pytest.raises(Exception) as caught:
        call()
    assert caught.type.__name__ == error, name
