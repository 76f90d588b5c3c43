"""Every line of the tables of exclusions has a reason, is about something that exists, and is still needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import ops, registry
from tests.engine import exclusions
from tests.engine.exclusions import (
    NOT_IN_SINGLE,
    REFUSED_BY_PYTORCH,
    ROUNDED_IN_PYTORCH,
    WITHOUT_COMPLEX_NUMBERS,
    WITHOUT_FORWARD_MODE,
    WITHOUT_SECOND_ORDER,
)
from tests.engine.opdb.calls import CALLS, MISSES
from tests.engine.samples import COUNTERPARTS, SAMPLES, Sample
from tests.engine.samples.in_complex import OF_REAL_NUMBERS

NAMED: dict[str, dict[str, str]] = {
    "of real numbers": OF_REAL_NUMBERS,
    **{name: table for name, table in vars(exclusions).items() if name.isupper() and isinstance(table, dict)},
    "ROUNDED_IN_PYTORCH": {name: rounded.reason for name, rounded in ROUNDED_IN_PYTORCH.items()},
}


@pytest.mark.parametrize("table", NAMED)
def test_exclusions_name_an_operation_and_a_reason(table: str) -> None:
    for name, reason in NAMED[table].items():
        assert name in registry or name in ops.names()
        assert len(reason.split()) >= 3, f"`{name}`: `{reason}` explains nothing"


def test_misses_and_refusals_have_a_reason() -> None:
    assert all(name in CALLS or name.rpartition(".")[0] in CALLS for name, _ in MISSES)
    for reason in (*MISSES.values(), *(refusal.reason for refusal in REFUSED_BY_PYTORCH)):
        assert len(reason.split()) >= 3
    for refusal in REFUSED_BY_PYTORCH:
        assert any(map(refusal.holds, SAMPLES)), f"no sample is left out because of {refusal.reason}"


def test_complex_samples_are_complete_or_excluded() -> None:
    """That those with a reason refuse complex numbers is tested, one by one, in test_complex.py."""
    sampled = {s.name for s in SAMPLES}
    assert {s.name for s in SAMPLES if s.of_complex} == sampled - set(OF_REAL_NUMBERS)
    assert {name for name, primitive in registry.items() if primitive.on_complex is None} <= set(OF_REAL_NUMBERS)


@pytest.mark.parametrize("name", NOT_IN_SINGLE)
def test_single_precision_exclusions_are_needed(name: str) -> None:
    sample = next(s for s in SAMPLES if s.name == name)
    assert sample.function()(*(x.astype(np.float32) for x in sample.inputs())).dtype == np.float64


def in_pytorch(torch: Any, sample: Sample) -> tuple[Any, list[Any], list[Any]]:
    """Return a sample's function of its floating inputs in PyTorch, these inputs, and directions for them."""
    inputs = [torch.tensor(x) for x in sample.inputs()]
    places = [k for k, x in enumerate(inputs) if x.is_floating_point() or x.is_complex()]

    def call(*values: Any) -> Any:
        filled = list(inputs)
        for k, value in zip(places, values, strict=True):
            filled[k] = value
        return COUNTERPARTS[sample.name](torch)(*filled, **sample.static)

    moving = [inputs[k].clone().requires_grad_() for k in places]
    return call, moving, [torch.ones_like(x) for x in moving]


def gradient(torch: Any, call: Any, inputs: list[Any], *, again: bool = False) -> Any:
    value = call(*inputs)
    return torch.autograd.grad(value, inputs, torch.ones_like(value), create_graph=again)


def second(torch: Any, call: Any, inputs: list[Any]) -> Any:
    first = gradient(torch, call, inputs, again=True)
    return torch.autograd.grad([g for g in first if g.requires_grad], inputs, [g for g in first if g.requires_grad])


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")  # PyTorch's own
class TestWhatPyTorchRefuses:
    """A newer PyTorch that no longer does makes these fail, and a line of the tables superfluous."""

    @pytest.mark.parametrize("name", WITHOUT_FORWARD_MODE)
    def test_forward_mode(self, torch: Any, name: str) -> None:
        call, inputs, tangents = in_pytorch(torch, next(s for s in SAMPLES if s.name == name))
        with pytest.raises((RuntimeError, NotImplementedError)):
            torch.func.jvp(call, tuple(x.detach() for x in inputs), tuple(tangents))

    @pytest.mark.parametrize("name", WITHOUT_SECOND_ORDER)
    def test_second_order(self, torch: Any, name: str) -> None:
        call, inputs, _ = in_pytorch(torch, next(s for s in SAMPLES if s.name == name and 0 not in s.shapes[0]))
        with pytest.raises((RuntimeError, NotImplementedError)):
            second(torch, call, inputs)

    @pytest.mark.parametrize("name", [name for name in WITHOUT_COMPLEX_NUMBERS if name != "rotary_embedding"])
    def test_complex_numbers(self, torch: Any, name: str) -> None:
        call, inputs, _ = in_pytorch(torch, next(s for s in SAMPLES if s.name == name and s.of_complex))
        with pytest.raises((RuntimeError, NotImplementedError)):
            gradient(torch, call, inputs)


def test_declared_refusals_do_refuse() -> None:
    for name in ("argsort", "argmax", "argmin"):
        assert getattr(engine, name)(engine.Tensor([1.0, 2.0], requires_grad=True)).dtype.kind == "i"
