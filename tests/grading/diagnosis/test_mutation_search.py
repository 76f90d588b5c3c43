"""Mutation search: it names an answer that equals a mutant of the solution, and quotes nothing of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.cases import battery
from autodrill.drills.mutants import mutants
from autodrill.drills.rewrites import Operator
from autodrill.grading.cases.case_set import put_case
from autodrill.grading.diagnosis.mutation_messages import PREFIX, slip_rule
from autodrill.grading.diagnosis.mutation_search import one_slip
from autodrill.grading.diagnosis.similarity import Likeness, likeness
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.outcomes import Loaded
from autodrill.sandbox.runner import Runner
from tests.shipped import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Rule
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation
    from autodrill.grading.report import Report
    from tests.conftest import Pack


TANH = "def tanh_backward(self, out):\n    t = out.data\n    self.grad = self.grad + {slope} * out.grad\n"
GRAPH = "def label_graph(x, y):\n    return {{'y': x, 'x': {dx}, 'a': x, 'b': 1}}\n"
STEP = """class Weight:
    pass


def bug_zero_grad(w, data, lr):
    for x, y in data:
        w {step} lr * 2 * (w * x - y) * x
    return w
"""


def key_of(report: Report) -> str | None:
    return report.failure.rule.key if report.failure and report.failure.rule else None


@pytest.mark.parametrize(
    ("name", "source", "key"),
    [
        ("tanh_backward", TANH.format(slope="(1 - t * t * t)"), "slip-off-by-one"),
        ("tanh_backward", TANH.format(slope="(1 - 2 ** t)"), "slip-swap"),
        ("label_graph", GRAPH.format(dx="2 * x - y"), "slip-sign"),
        ("bug_zero_grad", STEP.format(step="="), "slip-assign"),
        ("bug_zero_grad", STEP.format(step="-= 2 *"), "slip-doubled"),
    ],
)
def test_one_slip_names_an_answer_written_in_another_way(
    graded: Callable[..., Report], name: str, source: str, key: str
) -> None:
    assert key_of(graded(name, source)) == key


@pytest.mark.parametrize("slope", ["(1 - t ** 5)", "(3 - t ** 3)", "(1 - 0.9 * t * t)"])
def test_one_slip_does_not_name_an_answer_two_slips_away(graded: Callable[..., Report], slope: str) -> None:
    assert not (key_of(graded("tanh_backward", TANH.format(slope=slope))) or "").startswith(PREFIX)


@pytest.mark.parametrize(
    ("line", "after", "word"),
    [
        ("z = x * y", "x / y", "divided"),
        ("z = x * y", "y", "missing-factor"),
        ("z = x * (y / g)", "y / g", "missing-factor"),
        ("z = x / y", "x", "missing-divisor"),
        ("z = x / y", "x * y", "multiplied"),
        ("z /= y.sum()", "z *= y.sum()", "multiplied"),
        ("z *= y.sum()", "z /= y.sum()", "divided"),
        ("z = x ** 2", "x", "missing-power"),
        ("z = x @ y", "x * y", "elementwise"),
        ("x.grad += y", "x.grad += 2 * y", "doubled"),
        ("x.grad += y", "x.grad = y", "assign"),
        ("x.grad = y", "x.grad += y", "accumulate"),
        ("z = h(1).data", "h(1).grad", "attribute"),
        ("z = h(x)", "h(y)", "operand"),
        ("z = x.sum(axis=0)", "x.mean(axis=0)", "mean"),
        ("z = x.sum(axis=0)", "x", "missing-sum"),
        ("z = x.sum(axis=-1)", "x.sum(axis=1)", "axis"),
        ("z = y / x.shape[-1]", "x.shape[1]", "size"),
        ("z = y / x.shape[-1]", "x.shape[-2]", "size"),
        ("z = y / x.shape[-1]", "y.shape[-1]", "size"),
        ("z = y / x.shape[-1]", "g / x.shape[-1]", "operand"),
    ],
)
def test_slip_rule_names_what_a_mutant_does(line: str, after: str, word: str) -> None:
    made = mutants(f"def f(g, x, y):\n    {line}\n")
    assert slip_rule(next(m for m in made if m.after == after)).key == PREFIX + word


@pytest.mark.slow
def test_slip_rule_covers_every_mutant_without_quoting_it() -> None:
    rules = [
        (mutant, slip_rule(mutant))
        for exercise in map(SHIPPED.find, SHIPPED.paths)
        for solution in [SHIPPED.drill(exercise).solution]
        for mutant in mutants(solution.source, cotangents=solution.cotangents, given=exercise.stub)
    ]

    assert {mutant.operator for mutant, _ in rules} >= set(Operator) - {Operator.COPY, Operator.ORDER}
    for mutant, rule in rules:
        assert rule.key.startswith(PREFIX)
        assert rule.because
        assert "?" in rule.hint
        assert mutant.before not in rule.because + rule.hint or len(mutant.before) == 1


# -- limits of the search ----------------------------------------------------------------------------------------------


def observed(drill: Drill, source: str) -> list[Observation]:
    """Put every small case to a program."""
    with Runner.start(CHECK_LIMITS) as runner:
        loaded = runner.load(source.encode(), "a.py", drill.exercise.id, drill.kind.scenario(drill))
        assert isinstance(loaded, Loaded)
        cases = [case for case in battery(drill, 0) if not case.large]
        return [put_case(runner, drill, case) for case in cases]


def searched(drill: Drill, spare: Runner, source: str, tries: int = 400) -> Rule | None:
    """Return the rule of the mutant that equals a program."""
    seen = observed(drill, source)
    failing, passing = [o for o in seen if o.fault], [o for o in seen if not o.fault]
    return one_slip(spare, drill, failing, passing, tries=tries)


def test_one_slip_stops_after_its_tries(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    source = "def cube_backward(g, x):\n    return 3 * x * g\n"

    with Runner.start(CHECK_LIMITS) as spare:
        assert searched(drill, spare, source, tries=1) is None
        assert searched(drill, spare, source) is not None


ENDLESS = """def slope(x):
    n, total = 3, 0 * x
    while n > 0:
        n, total = n - 1, total + x * x
    return total
"""


def test_one_slip_stops_at_an_endless_mutant(pack: Pack) -> None:
    pack.add(solution=("def slope(x):\n    return 3 * np.square(x)\n", ENDLESS))
    drill = pack.load()

    with Runner.start(CHECK_LIMITS) as spare:
        began = time.monotonic()
        assert searched(drill, spare, "def cube_backward(g, x):\n    return 7 * x * g * g\n") is None
        assert time.monotonic() - began < 5  # the search takes 0.2 s; the machine may be busy
        assert spare.finished  # an endless mutant cost the process


def test_one_slip_skips_an_answer_that_raises(pack: Pack) -> None:
    pack.add()
    drill = pack.load()

    with Runner.start(CHECK_LIMITS) as spare:
        assert searched(drill, spare, "def cube_backward(g, x):\n    return 3 * x * g + unknown\n") is None


# -- similarity of answers --------------------------------------------------------------------------------------------

CUBE = "def cube_backward(g, x):\n    return {} * g\n"


@pytest.mark.parametrize(
    ("mine", "other", "degree"),
    [
        ("3 * x", "x * 3", Likeness.SAME),
        ("3 * x", "4 * x", Likeness.DIFFERENT),
        ("3 * x", "3 * x * x", Likeness.DIFFERENT),
        ("3 * x * x", "3 * x", Likeness.DIFFERENT),
        ("unknown", "unknown", Likeness.SAME),
        ("unknown", "mistyped", Likeness.AKIN),
        ("unknown", "x.nothing", Likeness.DIFFERENT),
        ("unknown", "3 * x", Likeness.DIFFERENT),
    ],
)
def test_likeness_compares_how_two_answers_are_wrong(pack: Pack, mine: str, other: str, degree: Likeness) -> None:
    pack.add()
    drill = pack.load()
    first, second = (observed(drill, CUBE.format(slope))[0] for slope in (mine, other))

    assert likeness(first, second, {0}) is degree
