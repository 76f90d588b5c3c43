"""Every exercise against answers of all sorts: its stub, solution and mistakes, what candidates write, and sabotage.

`AUTODRILL_SEEDS=50` grades each solution with fifty seeds instead of two.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.drills import library as drills
from autodrill.drills.exercise import Kind
from autodrill.grading.handed_in import Submission
from autodrill.grading.judge import grade
from autodrill.grading.limits import CHECK_LIMITS
from autodrill.grading.report import FaultKind, Report, Verdict
from autodrill.render.console import UNICODE
from autodrill.render.plain import Paint
from autodrill.render.report import report_lines

if TYPE_CHECKING:
    from autodrill.drills.authoring import Mistake
    from autodrill.drills.exercise import Exercise

LIBRARY = drills.Library.open(environ={})
EXERCISES = [LIBRARY.find(heading.id) for heading in LIBRARY.headings()]
BY_ID = {exercise.id: exercise for exercise in EXERCISES}
MISTAKES = [(e, m) for e in EXERCISES for m in LIBRARY.solution(e).mistakes]


def marks_of(exercise: Exercise) -> list[pytest.MarkDecorator]:
    return [pytest.mark.compiler] if exercise.kind is Kind.KERNEL else []


EACH_EXERCISE = [pytest.param(e, id=e.id, marks=marks_of(e)) for e in EXERCISES]
EACH_MISTAKE = [pytest.param(e, m, id=f"{e.id}-{m.key}", marks=marks_of(e)) for e, m in MISTAKES]
SEEDS = range(int(os.environ.get("AUTODRILL_SEEDS", "2")))
RIGHT_SEEDS = range(3)
ANSWERS = Path(__file__).parent / "answers"

LINES, COLUMNS = 14, 80
"""What a report may take of a terminal."""

LEAST_NAMED = 0.9
"""The share of wrong answers for which a rule must be named."""

RULES = {
    "add_backward__clears_out": "writes-elsewhere",
    "add_backward__halves": "constant-factor",
    "add_backward__minus": "negated",
    "add_backward__only_if_empty": "zero",
    "add_backward__overwrites_other": "assign",
    "add_backward__product_rule": "product-rule",
    "add_backward__same_node_once": "counted-once",
    "backward_engine__breadth_first": "breadth-first",
    "backward_engine__depth_first_once": "depth-first-once",
    "backward_engine__forward_order": "forward-order",
    "backward_engine__no_seed": "no-seed",
    "backward_engine__only_leaves_kept": None,
    "backward_engine__recursive_calls": "plain-dfs",
    "backward_engine__seeds_with_data": "seed-data",
    "backward_engine__skips_root": "root-skipped",
    "backward_engine__zeroes_everything": "zeroes-leaves",
    "bug_visited_equality__appends_early": "order",
    "bug_visited_equality__data_and_inputs": "missing",
    "bug_visited_equality__half_repaired": "twice",
    "bug_visited_equality__id_of_data": "missing",
    "bug_visited_equality__list_of_nodes": "list-membership",
    "bug_visited_equality__no_check": "twice",
    "bug_zero_grad__batch_step": "one-step",
    "bug_zero_grad__climbs": "ascent",
    "bug_zero_grad__new_parameter": "starts-again",
    "bug_zero_grad__returns_parameter": "type",
    "bug_zero_grad__smaller_rate": None,
    "bug_zero_grad__zero_before_step": "cleared-before-step",
    "bug_zero_grad__zero_once": "never-cleared",
    "cuda_bias_grad__every_row_in_every_slab": "constant-factor",
    "cuda_bias_grad__no_barrier_before_the_sum": "missing-barrier",
    "cuda_bias_grad__returns_before_the_barrier": "divergent-barrier",
    "cuda_relu_backward__accumulates": "reads-unwritten",
    "cuda_relu_backward__gradient_at_zero": "identity",
    "cuda_relu_backward__in_place": "mutates-input",
    "cuda_relu_backward__strides_by_the_block": "overwritten",
    "label_graph__differences": "approximate",
    "label_graph__missing_key": "missing-key",
    "label_graph__no_fan_out": "through-a-only",
    "label_graph__rounded": "whole-numbers-only",
    "label_graph__tuple": "missing-key",
    "label_graph__values": "values-for-gradients",
    "label_graph__x_direct_only": "one-path",
    "label_graph__x_twice": None,
    "label_graph__y_is_one": "local-slope",
    "matmul_backward__batch_mean": "constant-factor",
    "matmul_backward__batch_of_one": None,
    "matmul_backward__float32": "approximate",
    "matmul_backward__forgot_transpose": "no-transpose",
    "matmul_backward__jacobian_differences": "approximate",
    "matmul_backward__last_row_missed": "skips-slice",
    "matmul_backward__minus": "negated",
    "matmul_backward__nested_lists": "type",
    "matmul_backward__ones": "no-upstream",
    "matmul_backward__reshaped": "reshape",
    "matmul_backward__returns_dict": "arity",
    "matmul_backward__scales_in_place": "mutates-input",
    "matmul_backward__swapped": "swapped-returns",
    "matmul_backward__three_results": "arity",
    "matmul_backward__transposed_weight_gradient": "order",
    "mul_backward__bracket": "scales-grad",
    "mul_backward__divides_out": "divides-by-zero",
    "mul_backward__double_equality": "equal-is-not-same",
    "mul_backward__grad_for_data": "grad-for-data-in-turn",
    "mul_backward__only_adds_to_something": "zero",
    "mul_backward__out_value": "stray-factor",
    "mul_backward__returns_instead": "zero",
    "mul_backward__second_line_overwrites": "assign",
    "mul_backward__second_line_without_upstream": "no-upstream",
    "mul_backward__skips_zero": "zero",
    "mul_backward__square_forgets_upstream": "no-upstream",
    "mul_backward__upstream_twice": "stray-factor",
    "mul_backward__writes_data": "writes-elsewhere",
    "mul_broadcast_backward__in_place": "mutates-input",
    "mul_broadcast_backward__leading_only": "shape",
    "mul_broadcast_backward__mean": "constant-factor",
    "mul_broadcast_backward__no_upstream": "no-upstream",
    "mul_broadcast_backward__not_summed": "no-unbroadcast",
    "mul_broadcast_backward__one_trailing_axis": "not-summed",
    "mul_broadcast_backward__only_a_summed": "no-unbroadcast",
    "mul_broadcast_backward__only_one_returned": "arity",
    "mul_broadcast_backward__own_factor": "own-operand",
    "mul_broadcast_backward__scalars_forgotten": "one-class",
    "mul_broadcast_backward__sums_before_multiplying": "product-of-sums",
    "relu_backward__at_zero": "ge-at-kink",
    "relu_backward__else_resets": "assign",
    "relu_backward__gates_by_gradient": "gate-on-gradient",
    "relu_backward__half_at_zero": "at-the-kink",
    "relu_backward__sign": "absolute-value",
    "relu_backward__times_value": "multiply-by-output",
    "relu_backward__tolerance": "zero",
    "relu_backward__whole_numbers": "zero",
    "softmax_backward__bracket": "weights-outside",
    "softmax_backward__diagonal": "diagonal-only",
    "softmax_backward__jacobian": "dtype-upcast",
    "softmax_backward__jacobian_rows": "too-much-work",
    "softmax_backward__jacobian_typed": "too-much-work",
    "softmax_backward__last_axis": "last-axis",
    "softmax_backward__matrices_only": "shapes-do-not-align",
    "softmax_backward__mean": "mean-not-sum",
    "softmax_backward__mutates": "mutates-input",
    "softmax_backward__negative_is_last": "one-option",
    "softmax_backward__no_correction": "no-subtract",
    "softmax_backward__no_keepdims": "shapes-do-not-align",
    "softmax_backward__plus": "plus",
    "softmax_backward__softmax_again": "softmax-again",
    "softmax_backward__sum_of_g": "sum-g-only",
    "softmax_backward__ties_dropped": "one-class",
    "softmax_backward__whole_array": "whole-sum",
    "softmax_cross_entropy_backward__clips": "large-values",
    "softmax_cross_entropy_backward__distinct_labels": None,
    "softmax_cross_entropy_backward__divides_by_size": "divide-by-NC",
    "softmax_cross_entropy_backward__epsilon": "approximate",
    "softmax_cross_entropy_backward__first_call_only": "keeps-state",
    "softmax_cross_entropy_backward__first_class_skipped": None,
    "softmax_cross_entropy_backward__global_max": "global-shift",
    "softmax_cross_entropy_backward__n_twice": "constant-factor",
    "softmax_cross_entropy_backward__no_one_hot": "no-label",
    "softmax_cross_entropy_backward__no_upstream": "no-upstream",
    "softmax_cross_entropy_backward__one_hot_before_g": "g-on-softmax-only",
    "softmax_cross_entropy_backward__overflows": "no-max-shift",
    "softmax_cross_entropy_backward__precedence": "1/N-on-the-label-only",
    "softmax_cross_entropy_backward__shifts_in_place": "mutates",
    "softmax_cross_entropy_backward__sign": "sign",
    "softmax_cross_entropy_backward__slice_labels": "every-row-every-label",
    "softmax_cross_entropy_backward__sum": "no-1/N",
    "softmax_cross_entropy_backward__wrong_axis": "batch-axis",
    "sum_backward__always_expands": "too-many-axes",
    "sum_backward__double_precision": "dtype-upcast",
    "sum_backward__list_insert": "shapes-do-not-align",
    "sum_backward__mean": "divide-by-n",
    "sum_backward__negative_axis": "reshape-size",
    "sum_backward__no_expand": "lazy-broadcast",
    "sum_backward__one_axis_at_a_time": "no-such-axis",
    "sum_backward__resize": None,
    "sum_backward__total": "total",
    "sum_backward__trailing_axis": "shapes-do-not-align",
    "sum_backward__tuple_ignored": "shapes-do-not-align",
    "sum_backward__view": "aliases-input",
    "tanh_backward__caret": "caret",
    "tanh_backward__no_square": "no-square",
    "tanh_backward__of_the_input": "input-not-output",
    "tanh_backward__overwrites": "assign",
    "tanh_backward__precedence": "brackets",
    "tanh_backward__sigmoid": "sigmoid-rule",
    "tanh_backward__square_outside": "square-outside",
    "tanh_backward__stops_when_flat": "zero",
    "tanh_backward__tanh_twice": "tanh-twice",
    "topological_sort__breadth_first": "breadth-first",
    "topological_sort__by_address": "order",
    "topological_sort__by_data": "order",
    "topological_sort__dedupe_last": "no-visited",
    "topological_sort__generator": "type",
    "topological_sort__labels": "type",
    "topological_sort__mutable_defaults": "keeps-state",
    "topological_sort__no_visited": "twice",
    "topological_sort__preorder": "pre-order",
    "topological_sort__reversed": "root-first",
    "topological_sort__seen_values": "visited-by-value",
    "topological_sort__shortest_depth": "order",
    "topological_sort__two_inputs": "missing",
    "topological_sort__without_root": "missing",
    "unbroadcast__aligned_left": "reshape-size",
    "unbroadcast__first_copy": "first-copy",
    "unbroadcast__first_stretched_axis": "shape",
    "unbroadcast__last_axes": "shape",
    "unbroadcast__leading_only": "leading-only",
    "unbroadcast__mean": "mean",
    "unbroadcast__no_keepdims": "lost-axis",
    "unbroadcast__one_extra_axis": "one-class",
    "unbroadcast__one_kind_at_a_time": None,
    "unbroadcast__single_precision": "approximate",
    "unbroadcast__stretched_only": "shape",
}
"""The rule each wrong answer breaks, read and judged by hand; None where nothing true is known to say."""


@cache
def solution_of(exercise: Exercise) -> Any:
    return LIBRARY.solution(exercise)


def graded(exercise: Exercise, source: str, seed: int = 0) -> Report:
    name = f"{exercise.id}.py"
    return grade(exercise, solution_of(exercise), Submission(source.encode(), name, name), seed=seed)


def message(report: Report) -> list[str]:
    return report_lines(report, Paint(on=False), UNICODE)


def rule_of(report: Report) -> str | None:
    return report.failure.rule.key if report.failure and report.failure.rule else None


def answers(side: str) -> list[Any]:
    paths = sorted((ANSWERS / side).glob("*.py"))
    return [pytest.param(path, id=path.stem, marks=marks_of(exercise_of(path))) for path in paths]


def exercise_of(path: Path) -> Exercise:
    return BY_ID[path.stem.split("__")[0]]


def assert_readable(lines: list[str]) -> None:
    assert len(lines) <= LINES, "\n".join(lines)
    assert max(map(len, lines)) <= COLUMNS, "\n".join(lines)


@pytest.mark.parametrize("exercise", EACH_EXERCISE)
def test_the_untouched_stub_is_not_implemented_yet(exercise: Exercise) -> None:
    report = graded(exercise, exercise.stub)

    assert report.failure is not None
    assert (report.verdict, report.failure.kind) == (Verdict.FAIL, FaultKind.NOT_IMPLEMENTED)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("exercise", EACH_EXERCISE)
def test_the_worked_solution_passes_without_a_remark(exercise: Exercise, seed: int) -> None:
    report = graded(exercise, solution_of(exercise).source, seed)

    assert report.verdict is Verdict.PASS, message(report)
    assert not report.remarks


@pytest.mark.parametrize(("exercise", "mistake"), EACH_MISTAKE)
def test_a_known_mistake_is_caught_and_named(exercise: Exercise, mistake: Mistake) -> None:
    report = graded(exercise, mistake.source)

    named = [r.key for r in report.remarks] if mistake.remark else [rule_of(report)]
    assert mistake.key in named, message(report)
    assert (report.verdict is Verdict.PASS) is mistake.remark
    assert_readable(message(report))


@pytest.mark.parametrize("path", answers("wrong"))
def test_a_wrong_answer_fails_and_the_rule_it_breaks_is_named(path: Path) -> None:
    report = graded(exercise_of(path), path.read_text(encoding="utf-8"))

    assert report.verdict is Verdict.FAIL, report
    assert rule_of(report) == RULES[path.stem], "\n".join(message(report))
    assert_readable(message(report))


def test_most_wrong_answers_are_named() -> None:
    names = {path.stem for path in (ANSWERS / "wrong").glob("*.py")}

    assert names == set(RULES)
    assert sum(rule is not None for rule in RULES.values()) >= LEAST_NAMED * len(RULES)


@pytest.mark.parametrize("path", answers("right"))
def test_an_unusual_answer_that_is_right_passes(path: Path) -> None:
    source = path.read_text(encoding="utf-8")

    for seed in RIGHT_SEEDS:
        report = graded(exercise_of(path), source, seed)
        assert report.verdict is Verdict.PASS, (seed, message(report))


# -- through the command line: what must not hang, crash or pass -------------------------------------------------------


@dataclass(frozen=True)
class Sabotage:
    """A file that misbehaves, and the one reason a learner must be given for it."""

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
        "dX is nan",
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


def check(home: Path, file: Path) -> tuple[int, dict[str, Any]]:
    """Run the real command; return its exit code and the one JSON document on its standard output."""
    command = [sys.executable, "-m", "autodrill", "check", "matmul_backward", "--seed", "0", "--output-format", "json"]
    done = subprocess.run(
        [*command, "--file", str(file)],
        capture_output=True,
        timeout=30,
        check=False,
        env={**os.environ, "AUTODRILL_HOME": str(home)},
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, document


@pytest.mark.parametrize("sabotage", SABOTAGE.values(), ids=SABOTAGE.keys())
def test_sabotage_exits_1_with_one_reason_and_harms_nothing(sabotage: Sabotage, tmp_path: Path) -> None:
    file = tmp_path / "answer.py"
    file.write_text(sabotage.body, encoding="utf-8")

    code, report = check(tmp_path / "home", file)

    failure = report["failure"]
    assert code == 1
    assert (failure["kind"], failure["line"]) == (sabotage.kind, sabotage.line), failure
    assert sabotage.reason in failure["summary"]
    assert report["seconds"] <= CHECK_LIMITS.seconds + 1

    file.write_text(solution_of(BY_ID["matmul_backward"]).source, encoding="utf-8")
    assert check(tmp_path / "home", file)[0] == 0
