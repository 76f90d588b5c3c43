"""Every exercise with its stub, its solution, its known mistakes, candidates' answers and sabotage.

The fast lane takes the first exercise of each kind with one answer of each sort, and one wrong answer for each rule
that no exercise lists, from the exercise with the fewest minutes. Kernels are compiled, so the rules of a device are
slow. `AUTODRILL_SEEDS=50` grades each solution with fifty seeds instead of two.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.exercise import kind_named, starting_file
from autodrill.grading.report import Report, Verdict
from autodrill.render.plain import UNICODE, Paint
from autodrill.render.report_screen import report_lines
from autodrill.sandbox.limits import CHECK_LIMITS
from tests.content.rules import RULES
from tests.shipped import SHIPPED, cases_of, graded_in_a_fork

if TYPE_CHECKING:
    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Drill, Exercise

EXERCISES = [SHIPPED.find(heading.id) for heading in SHIPPED.headings()]
BY_ID = {exercise.id: exercise for exercise in EXERCISES}
MISTAKES = [(e, m) for e in EXERCISES for m in SHIPPED.drill(e).solution.mistakes]
FIRST_OF_KIND = {exercise.kind: exercise for exercise in reversed(EXERCISES)}.values()


def marks_of(exercise: Exercise, *, fast: bool) -> list[pytest.MarkDecorator]:
    marks = [pytest.mark.compiler] if kind_named(exercise.kind).on_device else []
    return marks if fast else [*marks, pytest.mark.slow]


def is_sampled(exercise: Exercise, mistake: Mistake) -> bool:
    return exercise in FIRST_OF_KIND and mistake is next(m for e, m in MISTAKES if e is exercise)


EACH_EXERCISE = [pytest.param(e, id=e.id, marks=marks_of(e, fast=e in FIRST_OF_KIND)) for e in EXERCISES]
EACH_MISTAKE = [pytest.param(e, m, id=f"{e.id}-{m.key}", marks=marks_of(e, fast=is_sampled(e, m))) for e, m in MISTAKES]
SEEDS = [
    pytest.param(seed, marks=[pytest.mark.slow] if seed else [])
    for seed in range(int(os.environ.get("AUTODRILL_SEEDS", "2")))
]
RIGHT_SEEDS = range(1)  # `benchmarks/alarms.py` takes hundreds
ANSWERS = Path(__file__).parents[1] / "corpus" / "answers"

LINES, COLUMNS = 14, 80
"""The size of a report on a terminal, at most."""

FIRST = frozenset(
    [
        "add_backward",
        "backward_engine",
        "bug_visited_equality",
        "bug_zero_grad",
        "label_graph",
        "matmul_backward",
        "mul_backward",
        "mul_broadcast_backward",
        "relu_backward",
        "softmax_backward",
        "softmax_cross_entropy_backward",
        "sum_backward",
        "tanh_backward",
        "topological_sort",
        "unbroadcast",
    ]
)
"""The exercises that existed when the generic rules were written."""

LEAST_NAMED, LEAST_NAMED_OF_FIRST = 0.9, 0.95
"""The least share of these wrong answers with a rule. Exercises have listed a quarter of them as known mistakes since,
so the share is smaller among answers that no exercise lists; `benchmarks/naming.py` measures it for mutants."""


def drill_of(exercise: Exercise) -> Drill:
    return SHIPPED.drill(exercise)


def graded(exercise: Exercise, source: str | bytes, seed: int = 0) -> Report:
    return graded_in_a_fork(exercise, source if isinstance(source, bytes) else source.encode(), seed)


def message(report: Report) -> list[str]:
    return report_lines(report, Paint(on=False), UNICODE)


def rule_of(report: Report) -> str | None:
    return report.failure.rule.key if report.failure and report.failure.rule else None


def answers(side: str) -> list[Any]:
    paths = sorted(ANSWERS.glob(f"*/{side}/*.py"))
    sampled = {path.parent: path for path in reversed(paths) if exercise_of(path) in FIRST_OF_KIND}
    quickest = sorted(paths, key=lambda path: exercise_of(path).minutes)
    in_python = [path for path in quickest if not kind_named(exercise_of(path).kind).on_device]
    of_rule = {generic_rule(path): path for path in reversed(in_python)} if side == "wrong" else {}
    fast = {*sampled.values(), *(path for rule, path in of_rule.items() if rule)}
    return [
        pytest.param(path, id=name_of(path), marks=marks_of(exercise_of(path), fast=path in fast)) for path in paths
    ]


def generic_rule(path: Path) -> str | None:
    """The rule that a wrong answer breaks, None if that is a mistake which its exercise lists."""
    rule = RULES.get(name_of(path))
    own = {mistake.key for exercise, mistake in MISTAKES if exercise is exercise_of(path)}
    return None if rule in own else rule


def exercise_of(path: Path) -> Exercise:
    return BY_ID[path.parts[-3]]


def name_of(path: Path) -> str:
    return f"{path.parts[-3]}__{path.stem}"


def assert_readable(lines: list[str]) -> None:
    assert len(lines) <= LINES, "\n".join(lines)
    assert max(map(len, lines)) <= COLUMNS, "\n".join(lines)


@pytest.mark.parametrize("exercise", EACH_EXERCISE)
def test_stub_is_not_implemented_yet(exercise: Exercise) -> None:
    report = graded(exercise, exercise.stub)

    assert report.failure is not None
    assert (report.verdict, report.failure.kind) == (Verdict.FAIL, FaultKind.NOT_IMPLEMENTED)
    assert report.failure.rule is None


def test_code_of_solutions_fits_80_columns() -> None:
    # A signature is the exercise's, and may be longer.
    lines = [(e.id, line) for e in EXERCISES for line in drill_of(e).solution.source.splitlines()]
    assert [(name, line) for name, line in lines if len(line) > 80 and not line.lstrip().startswith("def ")] == []


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda e: e.id)
def test_starting_file_adds_only_conventions(exercise: Exercise) -> None:
    stub, opened = (ast.parse(text).body for text in (exercise.stub, starting_file(exercise)))
    conventions = kind_named(exercise.kind).conventions
    assert [ast.dump(node) for node in opened[1:]] == [ast.dump(node) for node in stub[1:]]
    task = ast.get_docstring(ast.Module(opened, [])) or ""
    assert task.split() == [*exercise.task.split(), *conventions.split()]


@pytest.mark.parametrize("exercise", EACH_EXERCISE)
def test_untouched_starting_file_is_not_implemented(exercise: Exercise) -> None:
    report = graded(exercise, starting_file(exercise))
    assert report.failure is not None
    assert report.failure.kind is FaultKind.NOT_IMPLEMENTED


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exercise", EACH_EXERCISE)
def test_worked_solution_passes_without_remarks(exercise: Exercise, seed: int) -> None:
    report = graded(exercise, drill_of(exercise).solution.source, seed)

    assert report.verdict is Verdict.PASS, message(report)
    assert not report.remarks


@pytest.mark.parametrize(("exercise", "mistake"), EACH_MISTAKE)
def test_known_mistake_is_caught_and_named(exercise: Exercise, mistake: Mistake) -> None:
    report = graded(exercise, mistake.source)

    named = [r.key for r in report.remarks] if mistake.remark else [rule_of(report)]
    assert mistake.key in named, message(report)
    assert (report.verdict is Verdict.PASS) is mistake.remark
    assert_readable(message(report))


@pytest.mark.parametrize("path", answers("wrong"))
def test_wrong_answer_fails_and_its_rule_is_named(path: Path) -> None:
    report = graded(exercise_of(path), path.read_bytes())

    assert report.verdict is Verdict.FAIL, report
    assert rule_of(report) == RULES[name_of(path)], "\n".join(message(report))
    assert_readable(message(report))


def test_most_wrong_answers_have_a_rule() -> None:
    names = {name_of(path) for path in ANSWERS.glob("*/wrong/*.py")}

    assert names == set(RULES)
    of_first = [rule for name, rule in RULES.items() if name.partition("__")[0] in FIRST]
    for least, rules in ((LEAST_NAMED, list(RULES.values())), (LEAST_NAMED_OF_FIRST, of_first)):
        assert sum(rule is not None for rule in rules) >= least * len(rules)


@pytest.mark.parametrize("path", answers("right"))
def test_unusual_right_answer_passes(path: Path) -> None:
    source = path.read_bytes()

    for seed in RIGHT_SEEDS:
        report = graded(exercise_of(path), source, seed)
        assert report.verdict is Verdict.PASS, (seed, message(report))


SMALL = {
    "label_graph": "four numbers",
    **dict.fromkeys(
        ("load_balancing_loss_backward", "gae_value_backward", "sigmoid_router_backward"), "all sizes are fixed"
    ),
}
"""Linear exercises without a large case, with the reason."""


def test_linear_exercises_have_cases_too_large_for_differences() -> None:
    costly = [e for e in EXERCISES if kind_named(e.kind).large_case]
    without = [e.id for e in costly if not any(case.large for case in cases_of(e, 0)[0].cases)]

    assert set(without) == SMALL.keys()
    assert len(costly) > len(EXERCISES) / 2


# Through the command line: files that must neither hang nor crash the grader, nor pass


@dataclass(frozen=True)
class Sabotage:
    """A file that misbehaves, and the one reason that the report must give."""

    body: str
    kind: FaultKind
    reason: str
    line: int | None


SABOTAGE = {
    "loops for ever": Sabotage(
        "def matmul_backward(g, X, W):\n    while True: pass\n", FaultKind.TIME, "no answer after 2 s", 2
    ),
    "loops while loading": Sabotage("while True: pass\n", FaultKind.TIME, "loading the file takes more than 2 s", 1),
    "allocates 8 GB": Sabotage(
        "def matmul_backward(g, X, W):\n    waste = bytearray(8 << 30)\n    return g @ W.T, X.T @ g\n",
        FaultKind.MEMORY,
        "1024 MiB of memory",
        2,
    ),
    "prints 100 MB": Sabotage(
        'def matmul_backward(g, X, W):\n    for _ in range(100):\n        print("x" * (1 << 20))\n',
        FaultKind.OUTPUT,
        "prints more than 1024 KiB",
        3,
    ),
    "leaves with success": Sabotage(
        "import os\n\n\ndef matmul_backward(g, X, W):\n    os._exit(0)\n", FaultKind.DIED, "exit code 0", 5
    ),
    "raises SystemExit": Sabotage(
        "def matmul_backward(g, X, W):\n    raise SystemExit(0)\n", FaultKind.RAISED, "SystemExit", 2
    ),
    "recurses for ever": Sabotage(
        "def matmul_backward(g, X, W):\n    return matmul_backward(g, X, W)\n", FaultKind.RAISED, "RecursionError", 2
    ),
    "returns NaN": Sabotage(
        "def matmul_backward(g, X, W):\n    return g @ W.T * float('nan'), X.T @ g\n",
        FaultKind.NOT_FINITE,
        "dX contains nan",
        None,
    ),
    "returns strings": Sabotage(
        "def matmul_backward(g, X, W):\n    return 'dX', 'dW'\n", FaultKind.TYPE, "not an array of numbers", None
    ),
    "returns objects that claim equality": Sabotage(
        "class Equal:\n    def __eq__(self, other):\n        return True\n\n\n"
        "def matmul_backward(g, X, W):\n    return Equal(), Equal()\n",
        FaultKind.TYPE,
        "not an array of numbers",
        None,
    ),
    "returns one result": Sabotage(
        "def matmul_backward(g, X, W):\n    return g @ W.T\n", FaultKind.ARITY, "must return 2 results", None
    ),
    "returns nothing": Sabotage("def matmul_backward(g, X, W):\n    g @ W.T\n", FaultKind.NOTHING, "None", None),
    "has a syntax error": Sabotage(
        "def matmul_backward(g, X, W):\n    return (g @ W.T, X.T @ g\n", FaultKind.SYNTAX, "never closed", 2
    ),
    "defines another name": Sabotage(
        "def matmul_backwards(g, X, W):\n    return g @ W.T, X.T @ g\n",
        FaultKind.MISSING,
        "no `matmul_backward`; it defines `matmul_backwards`",
        None,
    ),
}


EACH_SABOTAGE = pytest.mark.parametrize(
    "sabotage",
    [
        pytest.param(sabotage, id=name, marks=[] if name == "returns nothing" else pytest.mark.slow)
        for name, sabotage in SABOTAGE.items()
    ],
)


def check(home: Path, file: Path) -> tuple[int, dict[str, Any]]:
    """Run the command and return its exit code and the JSON document on its standard output."""
    command = [sys.executable, "-m", "autodrill", "check", "matmul_backward", "--seed", "0", "--output-format", "json"]
    done = subprocess.run(
        [*command, "--file", str(file)],
        capture_output=True,
        timeout=60,
        check=False,
        env={**os.environ, "AUTODRILL_HOME": str(home)},
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, document


@EACH_SABOTAGE
def test_sabotage_fails_with_one_reason_and_harms_nothing(sabotage: Sabotage, tmp_path: Path) -> None:
    file = tmp_path / "answer.py"
    file.write_text(sabotage.body, encoding="utf-8")

    code, report = check(tmp_path / "home", file)

    failure = report["failure"]
    assert code == 1
    assert (failure["kind"], failure["line"]) == (sabotage.kind, sabotage.line), failure
    assert sabotage.reason in failure["summary"]
    # Two seconds on an idle machine, and five times that on a busy one.
    assert report["seconds"] <= 3 * 5 * CHECK_LIMITS.seconds

    file.write_text(drill_of(BY_ID["matmul_backward"]).solution.source, encoding="utf-8")
    assert check(tmp_path / "home", file)[0] == 0
