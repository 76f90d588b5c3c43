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


def test_set_grad_enabled_acts_immediately_and_restores() -> None:
    with set_grad_enabled(False):
        assert not is_grad_enabled()
        set_grad_enabled(True)
        assert is_grad_enabled()
    assert is_grad_enabled()


class TestInference:
    def test_results_cannot_be_saved_for_backward(self) -> None:
        x = leaf(1.0, 2.0)
        with inference_mode():
            z = x * 2
        assert z.is_inference
        assert not z.requires_grad
        assert (x + z).requires_grad  # an addition saves nothing
        with pytest.raises(RuntimeError, match=r"`multiply` would save `y` for backward.*inference_mode.*clone"):
            x * z
        assert (x * z.clone()).requires_grad

    def test_refuses_writes_outside_to_inner_tensors(self) -> None:
        with inference_mode():
            z = Tensor([1.0])
            z.add_(1)
        with pytest.raises(RuntimeError, match="outside `inference_mode"):
            z.add_(1)
        with pytest.raises(RuntimeError, match="cannot require grad"):
            z.requires_grad_()

    def test_outer_tensor_stays_usable_after_inner_views(self) -> None:
        y = leaf(1.0, 2.0) * 1
        with inference_mode():
            y.add_(1)
            view = y[0]
        assert not y.is_inference
        assert y.version == 1
        with pytest.raises(RuntimeError, match=r"made under `inference_mode\(\)`"):
            view.add_(1)

    def test_mode_ends_with_an_exception(self) -> None:
        @inference_mode()
        def fail() -> None:
            raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert is_grad_enabled()
        assert not Tensor([1.0]).is_inference


class TestAnomaly:
    def test_backward_nan_names_operation_and_line(self) -> None:
        x = leaf(-1.0, 4.0)
        with detect_anomaly():
            y = engine.sqrt(x)
            with pytest.raises(
                FloatingPointError, match=r"`sqrt`, recorded at .*test_modes.py:\d+ \(`y = .*index \(0,\)"
            ):
                y.sum().backward()

    def test_nan_of_unselected_branch_names_where(self) -> None:
        x = leaf(0.0, 4.0)
        y = engine.where(x > 0, engine.sqrt(x), 1.0)
        with detect_anomaly(), pytest.raises(FloatingPointError, match=r"`sqrt`.*cotangent there is 0.*`where`.*`x`"):
            y.sum().backward()

    def test_advised_double_where_is_correct(self) -> None:
        x = leaf(0.0, 4.0)
        safe = engine.where(x > 0, x, 1.0)
        with detect_anomaly():
            engine.where(x > 0, engine.sqrt(safe), 1.0).sum().backward()
        assert x.grad is not None
        assert np.array_equal(x.grad.numpy(), [0, 0.25])

    def test_nan_passes_outside_the_block(self) -> None:
        x = leaf(-1.0)
        with detect_anomaly():
            pass
        engine.sqrt(x).backward()
        assert x.grad is not None
        assert np.isnan(x.grad.item())

    def test_trace_nan_names_first_forward_operation(self) -> None:
        x = leaf(-1.0, 1.0)
        with (
            trace_nan(),
            pytest.raises(FloatingPointError, match=r"`log` made a NaN .*index \(0,\).*test_modes.py:\d+"),
        ):
            engine.exp(engine.log(x) * 2)
