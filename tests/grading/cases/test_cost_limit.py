"""The limit of cost of a large case."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from autodrill.errors import InternalError
from autodrill.grading.cases import cost_limit
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.cases.cost_limit import FACTOR, CostLimit
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from tests.conftest import Pack

BURNS = """def cube_backward(g, x):
    import time
    until = time.process_time() + 0.2
    while time.process_time() < until:
        pass
    return 3 * x * x * g
"""


def limit_of(pack: Pack, used: float = math.inf) -> float:
    drill = pack.load()
    case_set = CaseSet(drill, 0)
    index = next(i for i, case in enumerate(case_set.cases) if case.large)
    request = case_set.question(index).request
    with Runner.start(CHECK_LIMITS) as runner:
        runner.end_by(0.0)  # the limit of the file does not concern the yardsticks
        return CostLimit(drill, replace(request, allowed=None))(runner, used)


@pytest.mark.skipif(sys.platform != "linux", reason="without a clock of another process, wall time counts")
def test_cost_limit_is_a_multiple_of_the_solution(pack: Pack) -> None:
    pack.add(solution=("def cube_backward(g, x):\n    return slope(x) * g\n", BURNS))
    assert FACTOR * 0.2 <= limit_of(pack) <= FACTOR * 0.6


def test_cost_limit_measures_no_solution_that_is_not_needed(pack: Pack) -> None:
    pack.add(solution=("return slope(x) * g\n", "raise OSError\n"))
    assert limit_of(pack, 0.0) > 0
    with pytest.raises(InternalError, match="does not return"):
        limit_of(pack)


@pytest.mark.slow
def test_cost_limit_has_a_floor_that_is_measured_too(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    pack.add()
    usual = limit_of(pack)
    monkeypatch.setattr(cost_limit, "_LOOP", cost_limit._LOOP.replace("1_700_000", "17_000_000"))
    assert limit_of(pack) > 3 * usual
