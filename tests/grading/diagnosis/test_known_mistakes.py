"""State kept between reports: known mistakes' answers, smaller cases and the spare runner."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.diagnosis.known_mistakes import KnownAnswers, KnownMistakes, SpareRunner
from autodrill.grading.verify.many_programs import Bench
from autodrill.sandbox.runner import Limits, Runner

if TYPE_CHECKING:
    from tests.conftest import Pack

LIMITS = Limits(seconds=0.5)
ENDS = "def cube_backward(g, x):\n    import os\n    os._exit(3)\n"


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """All sources loaded by any runner, in order."""
    seen: list[bytes] = []
    load = Runner.load

    def recorded(self: Runner, source: bytes, *arguments: Any, **settings: Any) -> Any:
        seen.append(source)
        return load(self, source, *arguments, **settings)

    monkeypatch.setattr(Runner, "load", recorded)
    return seen


def test_known_mistakes_are_not_asked_again_for_a_second_report(pack: Pack, loads: list[bytes]) -> None:
    pack.add()
    drill = pack.load()
    source = drill.solution.mistakes[-1].source
    with Bench(drill, LIMITS) as bench:
        first = bench.report(source, 0)
        known, loads[:] = len(loads) - 1, []
        second = bench.report(source, 0)
    assert known > 0
    assert loads == [source.encode()]
    assert second.failure == first.failure
    assert first.failure is not None
    assert first.failure.rule is not None
    assert first.failure.rule.key == drill.solution.mistakes[-1].key


def test_bench_names_mistakes_after_a_program_ends_its_process(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    mistake = drill.solution.mistakes[0]
    with Bench(drill, LIMITS) as bench:
        assert bench.report(ENDS, 0).failure is not None
        failure = bench.report(mistake.source, 0).failure
    assert failure is not None
    assert failure.rule is not None
    assert failure.rule.key == mistake.key


def test_known_answers_are_kept_unless_the_process_ended(pack: Pack) -> None:
    pack.add(solution=("return 3 * x * x * x * g", "import os; os._exit(3)"))
    drill = pack.load()
    case_set = CaseSet(drill, 0, LIMITS)
    questions = [case_set.question(index) for index in range(3)]
    ending = next(m for m in drill.solution.mistakes if "_exit" in m.source)
    other = next(m for m in drill.solution.mistakes if "_exit" not in m.source)
    known = KnownMistakes(drill)
    with closing(SpareRunner(lambda: Runner.start(LIMITS))) as spare:
        answers = known.of(other, spare)
        assert isinstance(answers, KnownAnswers)
        once = list(answers.to(questions))
        assert [o.question for o in once] == questions
        assert not known.unasked
        first = known.of(ending, spare)
        assert isinstance(first, KnownAnswers)
        assert len(list(first.to(questions))) == 1
        assert spare.finished
        again = known.of(ending, spare)
        assert isinstance(again, KnownAnswers)
        assert not list(again.to(questions))
        kept = known.of(other, spare)
        assert isinstance(kept, KnownAnswers)
        assert all(a is b for a, b in zip(kept.to(questions), once, strict=True))


def test_question_asked_twice_shifts_no_answer(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    case_set = CaseSet(drill, 0, LIMITS)
    questions = [case_set.question(index) for index in (0, 0, 1, 2, 1)]
    with closing(SpareRunner(lambda: Runner.start(LIMITS))) as spare:
        answers = KnownMistakes(drill).of(drill.solution.mistakes[0], spare)
        assert answers is not None
        assert [o.question for o in answers.to(questions)] == questions


def test_known_answers_are_kept_per_device(pack: Pack, loads: list[bytes]) -> None:
    pack.add()
    drill = pack.load()
    questions = [CaseSet(drill, 0, LIMITS).question(0)]
    known = KnownMistakes(drill)
    for device, times in (("a simulated device", 1), ("a simulated device", 0), ("a GPU", 1)):
        loads[:] = []
        with closing(SpareRunner(lambda: Runner.start(LIMITS), device)) as spare:
            answers = known.of(drill.solution.mistakes[0], spare)
            assert answers is not None
            assert len(list(answers.to(questions))) == 1
        assert len(loads) == times, device


def test_case_set_makes_smaller_cases_once(pack: Pack) -> None:
    pack.add()
    case_set = CaseSet(pack.load(), 0, LIMITS)
    few = list(islice(case_set.smaller(0), 3))
    more = list(islice(case_set.smaller(0), 5))
    assert all(a is b for a, b in zip(few, more, strict=False))
    assert len({id(question) for question in more}) == 5
    assert few[0].case.inputs["x"].size < case_set.cases[0].inputs["x"].size
