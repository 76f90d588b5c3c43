"""Modes: inference, recording switched by value, anomaly detection and the trace of a NaN."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, detect_anomaly, inference_mode, is_grad_enabled, set_grad_enabled, trace_nan
from autodrill.engine.core.mode import mode
from tests.engine.build import leaf

pytestmark = pytest.mark.filterwarnings("ignore:(invalid value|divide by zero):RuntimeWarning")  # NaNs are meant


@pytest.fixture(autouse=True)
def _observers_as_before() -> Any:
    before = mode.observers
    yield
    mode.observers = before


def test_set_grad_enabled_acts_at_once_and_is_undone_by_its_block() -> None:
    with set_grad_enabled(False):
        assert not is_grad_enabled()
        set_grad_enabled(True)
        assert is_grad_enabled()
    assert is_grad_enabled()


class TestInference:
    def test_results_do_not_require_grad_and_cannot_be_saved_for_backward(self) -> None:
        x = leaf(1.0, 2.0)
        with inference_mode():
            z = x * 2
        assert z.is_inference
        assert not z.requires_grad
        assert (x + z).requires_grad  # an addition saves nothing
        with pytest.raises(RuntimeError, match=r"`multiply` would save `y` for backward.*inference_mode.*clone"):
            x * z
        assert (x * z.clone()).requires_grad

    def test_writing_outside_to_what_was_made_inside_is_refused(self) -> None:
        with inference_mode():
            z = Tensor([1.0])
            z.add_(1)
        with pytest.raises(RuntimeError, match="outside `inference_mode"):
            z.add_(1)
        with pytest.raises(RuntimeError, match="cannot require grad"):
            z.requires_grad_()

    def test_a_normal_tensor_stays_normal_though_its_views_made_inside_are_not_for_recording(self) -> None:
        y = leaf(1.0, 2.0) * 1
        with inference_mode():
            y.add_(1)
            view = y[0]
        assert not y.is_inference
        assert y.version == 1
        with pytest.raises(RuntimeError, match=r"made under `inference_mode\(\)`"):
            view.add_(1)

    def test_the_mode_ends_with_the_block_even_by_an_exception(self) -> None:
        @inference_mode()
        def fail() -> None:
            raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert is_grad_enabled()
        assert not Tensor([1.0]).is_inference


class TestAnomaly:
    def test_a_nan_made_by_backward_names_operation_and_forward_line(self) -> None:
        x = leaf(-1.0, 4.0)
        with detect_anomaly():
            y = engine.sqrt(x)
            with pytest.raises(
                FloatingPointError, match=r"`sqrt`, recorded at .*test_modes.py:\d+ \(`y = .*index \(0,\)"
            ):
                y.sum().backward()

    def test_a_nan_of_a_branch_not_taken_names_where_and_the_branch(self) -> None:
        x = leaf(0.0, 4.0)
        y = engine.where(x > 0, engine.sqrt(x), 1.0)
        with detect_anomaly(), pytest.raises(FloatingPointError, match=r"`sqrt`.*cotangent there is 0.*`where`.*`x`"):
            y.sum().backward()

    def test_the_double_where_it_advises_is_silent_and_right(self) -> None:
        x = leaf(0.0, 4.0)
        safe = engine.where(x > 0, x, 1.0)
        with detect_anomaly():
            engine.where(x > 0, engine.sqrt(safe), 1.0).sum().backward()
        assert x.grad is not None
        assert np.array_equal(x.grad.numpy(), [0, 0.25])

    def test_a_nan_is_let_pass_outside_the_block(self) -> None:
        x = leaf(-1.0)
        with detect_anomaly():
            pass
        engine.sqrt(x).backward()
        assert x.grad is not None
        assert np.isnan(x.grad.item())

    def test_trace_nan_names_the_first_operation_that_makes_one_in_forward(self) -> None:
        x = leaf(-1.0, 1.0)
        with (
            trace_nan(),
            pytest.raises(FloatingPointError, match=r"`log` made a NaN .*index \(0,\).*test_modes.py:\d+"),
        ):
            engine.exp(engine.log(x) * 2)
