"""Questions sent ahead of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind
from autodrill.grading.cases.case_set import CaseSet, put
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from tests.conftest import Pack

ONCE_NONLINEAR = """calls = 0
def cube_backward(g, x):
    global calls
    calls += 1
    return 3 * x * x * g if calls != 2 else g
"""


def test_put_resends_unanswered_questions_after_a_repeat(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    case_set = CaseSet(drill, 0)
    questions = [case_set.question(index) for index in range(6)]
    with Runner.start(CHECK_LIMITS) as runner:
        assert isinstance(runner.load(ONCE_NONLINEAR.encode(), "a.py", drill.exercise.id), Loaded)
        seen = list(put(runner, drill, questions))
    assert [o.question for o in seen] == questions
    assert [o.fault.kind if o.fault else None for o in seen] == [FaultKind.NONLINEAR, *[None] * 5]
