"""The further questions put to an answer that is right: is it linear in the cotangent, and the same again?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.cases import battery
from autodrill.grading.limits import CHECK_LIMITS
from autodrill.grading.outcome import Loaded
from autodrill.grading.probe import put
from autodrill.grading.process import Runner
from autodrill.grading.report import FaultKind

if TYPE_CHECKING:
    from autodrill.grading.observe import Fault
    from tests.conftest import Pack


def fault_of(pack: Pack, source: str, label: str = "sizes all different") -> Fault | None:
    pack.add()
    exercise, solution = pack.load()
    case = next(c for c in battery(exercise, solution, 0) if label in c.label)
    with Runner.start(CHECK_LIMITS) as runner:
        assert isinstance(runner.load(source.encode(), "a.py", exercise.id), Loaded)
        return put(runner, exercise, solution, case).fault


RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"


@pytest.mark.parametrize("label", ["sizes all different", "float32", "zero cotangent", "= 0", "large"])
def test_a_right_answer_stays_right(pack: Pack, label: str) -> None:
    assert fault_of(pack, RIGHT, label) is None


@pytest.mark.parametrize(
    "body",
    [
        "return 3 * x * x * np.abs(g)",
        "return 3 * x * x * g if (g > 0).all() else 0 * g",
        "return 3 * x * x * g * (1 + 1e-6 * g)",
    ],
)
def test_an_answer_right_for_one_cotangent_only_is_nonlinear(pack: Pack, body: str) -> None:
    # The cotangent of the case is made the one it is right for: the file asks which call this is.
    source = f"""import numpy as np
calls = 0
def cube_backward(g, x):
    global calls
    calls += 1
    if calls == 1:
        return 3 * x * x * g
    {body}
"""
    fault = fault_of(pack, source)
    assert fault is not None
    assert fault.kind in (FaultKind.NONLINEAR, FaultKind.UNREPEATABLE)


def test_another_shape_for_another_cotangent_is_told(pack: Pack) -> None:
    source = """calls = 0
def cube_backward(g, x):
    global calls
    calls += 1
    return 3 * x * x * g if calls == 1 else (3 * x * x * g).ravel()
"""
    fault = fault_of(pack, source)
    assert fault is not None
    assert fault.kind is FaultKind.NONLINEAR


def test_an_answer_that_keeps_state_is_told(pack: Pack) -> None:
    source = """kept = []
def cube_backward(g, x):
    kept.append(1)
    return 3 * x * x * g if len(kept) <= 3 else 6 * x * x * g
"""
    fault = fault_of(pack, source)
    assert fault is not None
    assert fault.kind is FaultKind.UNREPEATABLE


def test_an_answer_from_a_cache_of_the_first_call_is_told(pack: Pack) -> None:
    source = """import functools
cache = {}
def cube_backward(g, x):
    return cache.setdefault(x.tobytes(), 3 * x * x * g).copy()
"""
    assert fault_of(pack, source) is not None


def test_finite_differences_cost_too_much_on_the_large_case(pack: Pack) -> None:
    source = """import numpy as np
def cube_backward(g, x):
    dx = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        h = np.zeros_like(x)
        h[index] = 1e-5
        dx[index] = ((((x + h) ** 3 - (x - h) ** 3) / 2e-5) * g).sum()
    return dx
"""
    fault = fault_of(pack, source, "large")
    assert fault is not None
    assert fault.kind is FaultKind.TOO_SLOW
