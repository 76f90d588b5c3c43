"""Comparison of outcomes made by hand, one test per kind of fault."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.answer_records import Fault, FaultKind
from autodrill.drills.cases import battery
from autodrill.drills.library import Library
from autodrill.errors import InternalError
from autodrill.grading.cases.case_set import put_once
from autodrill.grading.cases.compare import compare_call
from autodrill.grading.cases.question import answer_budget
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox import outcomes as ends
from autodrill.sandbox.child.wire import Opaque
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from autodrill.grading.cases.question import Observation
    from tests.conftest import Pack


@pytest.fixture
def seen(shipped: Library) -> Callable[..., Observation]:
    """Compare an outcome of `matmul_backward`, or the answer that a function makes from the right one."""

    def seen(end: Any, *, name: str = "matmul_backward", label: str = "", **memory: Any) -> Observation:
        exercise = shipped.find(name)
        drill = shipped.drill(exercise)
        case = next(c for c in battery(drill, 0) if label in c.label)
        expected = expected_results(drill, case)
        if callable(end):
            end = ends.Returned(end(*(p.value.astype(p.dtype) for p in expected.parts)), **memory)
        return compare_call(drill, case, expected, end)

    return seen


def fault_of(observation: Observation) -> Fault:
    assert observation.fault is not None
    return observation.fault


def test_compare_call_accepts_the_right_answer(seen: Callable[..., Observation]) -> None:
    observation = seen(lambda dx, dw: (dx, dw))
    assert (observation.fault, observation.wrong) == (None, (False, False))


def test_compare_call_accepts_a_list(seen: Callable[..., Observation]) -> None:
    assert seen(lambda dx, dw: [dx, dw]).fault is None


FRAMES = (ends.TracebackFrame(3, "matmul_backward", "    helper()"), ends.TracebackFrame(7, "helper", "    raise X"))


@pytest.mark.parametrize(
    ("end", "kind", "summary"),
    [
        (
            ends.Raised("NotImplementedError", "", FRAMES, not_implemented=True),
            FaultKind.NOT_IMPLEMENTED,
            "not implemented",
        ),
        (ends.Raised("ValueError", "no", FRAMES), FaultKind.RAISED, "ValueError: no"),
        (ends.Raised("ValueError", "", FRAMES), FaultKind.RAISED, "ValueError"),
        (
            ends.Raised("SystemExit", "0", FRAMES),
            FaultKind.RAISED,
            "the call raises SystemExit instead of returning a result",
        ),
        (ends.Oversized("an array of 9 GB"), FaultKind.TYPE, "the call returns an array of 9 GB, far more"),
        (ends.OutOfMemory(1 << 30, 7), FaultKind.MEMORY, "the call asks for more than 1024 MiB of memory"),
        (ends.TimedOut(2.0, 7), FaultKind.TIME, "no answer after 2 s"),
        (ends.Overspent(1.44, 7), FaultKind.TOO_SLOW, "the call takes more than 1.4 s of processor time"),
        (ends.Flooded(1 << 20, 7), FaultKind.OUTPUT, "the call prints more than 1024 KiB"),
        (ends.Died("exit code 0", 7), FaultKind.DIED, "the call ended its process (exit code 0) instead of returning"),
        (ends.Unreadable("half a frame"), FaultKind.DIED, "the child process sent a reply that cannot be read"),
    ],
)
def test_compare_call_names_a_call_that_did_not_return(
    seen: Callable[..., Observation], end: Any, kind: FaultKind, summary: str
) -> None:
    fault = fault_of(seen(end))
    assert fault.kind is kind
    assert fault.summary.startswith(summary)


def test_compare_call_places_an_exception_at_its_line(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(ends.Raised("ValueError", "no", FRAMES)))
    assert (fault.line, fault.code) == (7, "raise X")


@pytest.mark.parametrize(
    ("answer", "kind", "summary"),
    [
        (lambda dx, dw: None, FaultKind.NOTHING, "the call returns None"),
        (lambda dx, dw: (dx, None), FaultKind.NOTHING, "dW is None"),
        (lambda dx, dw: dx, FaultKind.ARITY, "the call returns 1 result, but must return 2 results (dX, dW)"),
        (
            lambda dx, dw: (dx, dw, dw),
            FaultKind.ARITY,
            "the call returns 3 results, but must return 2 results (dX, dW)",
        ),
        (lambda dx, dw: (dx, "dw"), FaultKind.TYPE, "dW is not an array of numbers"),
        (lambda dx, dw: (dx, Opaque("Tensor")), FaultKind.TYPE, "dW is not an array of numbers"),
        (lambda dx, dw: (dx.astype(complex), dw), FaultKind.TYPE, "dX has dtype complex128, but must have float64"),
        (lambda dx, dw: (dx > 0, dw), FaultKind.TYPE, "dX has dtype bool, but must have float64"),
        (lambda dx, dw: (dx.T, dw), FaultKind.SHAPE, "dX must have X's shape "),
        (lambda dx, dw: (dx, dw[..., None]), FaultKind.SHAPE, "dW must have W's shape "),
        (lambda dx, dw: (dx * np.nan, dw), FaultKind.NOT_FINITE, "dX contains nan, but must be finite"),
        (lambda dx, dw: (dx, -dw), FaultKind.VALUE, "dW is wrong in "),
    ],
)
def test_compare_call_names_a_wrong_value(
    seen: Callable[..., Observation], answer: Callable[..., Any], kind: FaultKind, summary: str
) -> None:
    fault = fault_of(seen(answer))
    assert fault.kind is kind
    assert fault.summary.startswith(summary)


def test_compare_call_marks_only_wrong_results(seen: Callable[..., Observation]) -> None:
    assert seen(lambda dx, dw: (dx, -dw)).wrong == (False, True)


def test_compare_call_finds_one_wrong_element(seen: Callable[..., Observation]) -> None:
    def last_moved(dx: Any, dw: Any) -> Any:
        dw[-1, -1] += 1e-6
        return dx, dw

    assert "in 1 of " in fault_of(seen(last_moved)).summary


def test_compare_call_names_a_wider_dtype(seen: Callable[..., Observation]) -> None:
    observation = seen(lambda dx, dw: (dx.astype(np.float64), dw), label="float32")
    fault = fault_of(observation)
    assert (fault.kind, fault.summary) == (FaultKind.DTYPE, "all values right; `dX` is float64, but must be float32")


def test_compare_call_names_every_wider_dtype(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(lambda dx, dw: (dx.astype(np.float64), dw.astype(np.float64)), label="float32"))
    assert fault.summary == "all values right; `dX` and `dW` are float64, but must be float32"


def test_compare_call_prefers_a_wrong_value_to_a_dtype(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(lambda dx, dw: (dx.astype(np.float64), -dw), label="float32"))
    assert fault.summary.startswith("dW is wrong")


def test_compare_call_names_a_replaced_nan(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(lambda dx, dw: (np.nan_to_num(dx), dw), label="NaN cotangent"))
    assert (fault.kind, fault.summary) == (FaultKind.VALUE, "dX contains 0 where it must be NaN")


def test_compare_call_names_a_changed_argument(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(lambda dx, dw: (dx, dw), changed=(0,)))
    assert fault == Fault(FaultKind.MUTATED, "the call changes the argument g")


@pytest.mark.parametrize(
    ("index", "words"), [(0, "the argument p"), (1, "an argument that comes from `grads` of the case")]
)
def test_changed_input_of_a_scenario_is_named_by_its_parameter(
    seen: Callable[..., Observation], index: int, words: str
) -> None:
    fault = fault_of(seen(lambda p, m, v: {"p": p, "m": m, "v": v}, name="adamw_step", changed=(index,)))
    assert fault == Fault(FaultKind.MUTATED, f"the call changes {words}")


@pytest.mark.parametrize(
    ("memory", "summary"),
    [
        ({"shared": ((1, 2),)}, "dW shares memory with the argument W"),
        ({"readonly": (0,)}, "dX is read-only: it is a view that repeats elements"),
        ({"joined": ((0, 1),)}, "dX and dW share memory"),
    ],
)
def test_compare_call_names_shared_memory(
    seen: Callable[..., Observation], memory: dict[str, Any], summary: str
) -> None:
    assert fault_of(seen(lambda dx, dw: (dx, dw), **memory)) == Fault(FaultKind.ALIASED, summary)


@pytest.fixture
def after(shipped: Library) -> Callable[..., Fault | None]:
    """The fault of a product's closure that leaves its nodes in a given state."""

    def after(**changes: Any) -> Fault | None:
        exercise = shipped.find("mul_backward")
        drill = shipped.drill(exercise)
        case = battery(drill, 0)[0]
        expected = expected_results(drill, case)
        left = {
            "grads": [float(p.value) for p in expected.parts],
            "again": [2 * float(p.value) - start for p, start in zip(expected.parts, expected.start, strict=True)],
            "data": list(case.inputs.values()),
            "out": [float(expected.outputs[0]), float(expected.cotangents[0])],
        }
        return compare_call(drill, case, expected, ends.Returned({**left, **changes})).fault

    return after


def test_compare_call_accepts_a_closure_that_adds_to_grad(after: Callable[..., Fault | None]) -> None:
    assert after() is None


@pytest.mark.parametrize(
    ("changes", "kind", "name"),
    [
        ({"grads": [1.0, 1.0]}, FaultKind.VALUE, "self.grad"),
        ({"grads": ["x", 1.0]}, FaultKind.TYPE, "self.grad"),
        ({"data": [0.25, 0.5]}, FaultKind.MUTATED, "data"),
        ({"data": ["x", 0.5]}, FaultKind.MUTATED, "data"),
        ({"data": [10**400, 0.5]}, FaultKind.MUTATED, "data"),
        ({"data": [np.str_("x"), 0.5]}, FaultKind.MUTATED, "data"),
        ({"again": [0.25, 0.5]}, FaultKind.UNREPEATABLE, "self.grad"),
        ({"again": [1.0]}, FaultKind.UNREPEATABLE, "second call"),
        ({"again": ["x", 1.0]}, FaultKind.UNREPEATABLE, "second call"),
        ({"out": [0.25, 0.5]}, FaultKind.MUTATED, "out"),
        ({"out": [1j, 0.5]}, FaultKind.MUTATED, "out"),
    ],
)
def test_compare_call_names_a_closure_that_spoils_its_nodes(
    after: Callable[..., Fault | None], changes: dict[str, Any], kind: FaultKind, name: str
) -> None:
    fault = after(**changes)
    assert fault is not None
    assert fault.kind is kind
    assert name in fault.summary


PATHS = Library.open(environ={}).paths


def judged(path: Path) -> bool:
    """Whether an exercise's solution has a judge."""
    solution = Path(str(path).replace("exercises", "solutions"))
    return "\ndef judge(" in solution.read_text(encoding="utf-8") or "judge = " in solution.read_text(encoding="utf-8")


ODD: list[Any] = [
    *(None, True, 0, 10**400, 1.5, float("nan"), float("inf"), 1j, "text", b"bytes", (), [], {}, Opaque("Node")),
    *((1, (2, [3, {"k": 4}])), [[1.0, 2.0], [3.0]], {"x": None}, {"grads": []}, {"grads": [1, 2], "data": 3, "out": 4}),
    *(np.float16(1), np.str_("x"), np.complex128(1j), np.datetime64("2026-01-01"), np.bool_(True)),
    *(np.zeros((1,) * 20), np.array(["a"]), np.array([1j]), np.zeros(0), np.array([np.nan]), np.array(1, dtype="i1")),
    *([10**400, 10**400], (np.array("x"), np.array("y")), [Opaque("Node")] * 2, [[0, 1], [1, 0]], [-1, 7], ["a", "b"]),
]


@pytest.mark.parametrize("name", sorted(PATHS))
def test_compare_call_survives_any_value(shipped: Library, name: str) -> None:
    exercise = shipped.find(name)
    drill = shipped.drill(exercise)
    case = next(c for c in battery(drill, 0) if not c.remark)
    expected = expected_results(drill, case)
    for odd in ODD:
        fault = compare_call(drill, case, expected, ends.Returned(odd)).fault
        assert fault is not None or isinstance(odd, bool | int | float | np.generic), (
            f"{odd!r} is taken for the right answer"
        )


@pytest.mark.parametrize("name", [name for name, path in sorted(PATHS.items()) if judged(path)])
def test_judge_rejects_malformed_parts(shipped: Library, name: str) -> None:
    exercise = shipped.find(name)
    drill = shipped.drill(exercise)
    for case in battery(drill, 0):
        if case.remark or case.large:
            continue
        with Runner.start(CHECK_LIMITS) as runner:
            source = drill.kind.scenario(drill)
            assert isinstance(runner.load(drill.solution.source.encode(), "a.py", exercise.entry, source), ends.Loaded)
            right = put_once(runner, drill, case, expected := expected_results(drill, case))
        assert right.fault is None
        assert isinstance(right.outcome, ends.Returned)
        for odd in with_odd_parts(right.outcome.value):
            fault = compare_call(drill, case, expected, ends.Returned(odd)).fault
            assert fault is None or "Opaque" not in fault.summary


def with_odd_parts(value: Any) -> Iterator[Any]:
    """Yield an answer with each of its parts in turn missing or replaced."""
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: odd} for odd in [*ODD, *with_odd_parts(value[key])])
    elif isinstance(value, list | tuple):
        for at in range(min(len(value), 3)):
            for odd in [*ODD, *with_odd_parts(value[at])]:
                yield type(value)([*value[:at], odd, *value[at + 1 :]])


def test_compare_call_names_a_missing_key(seen: Callable[..., Observation]) -> None:
    fault = fault_of(seen(lambda *parts: {"b": 1.0}, name="label_graph"))
    assert fault == Fault(FaultKind.ARITY, "the returned dict has no key `a`")


def test_compare_call_asks_the_exercise_s_judge(pack: Pack) -> None:
    change = (
        "def forward(x):\n    return x * x * x",
        "def judge(value, x):\n    return None if value > 0 else 'too small'",
    )
    pack.add(solution=change)
    drill = pack.load()
    case = battery(drill, 0)[0]
    expected = expected_results(drill, case)
    assert compare_call(drill, case, expected, ends.Returned(1.0)).fault is None
    assert fault_of(compare_call(drill, case, expected, ends.Returned(0.0))) == Fault(FaultKind.WRONG, "too small")
    assert fault_of(compare_call(drill, case, expected, ends.Returned(None))).kind is FaultKind.NOTHING
    with pytest.raises(InternalError, match="the exercise's `judge` raises TypeError"):
        compare_call(drill, case, expected, ends.Returned("text"))


def test_answer_budget_exceeds_the_expected_results(shipped: Library) -> None:
    exercise = shipped.find("matmul_backward")
    drill = shipped.drill(exercise)
    case = battery(drill, 0)[-1]
    expected = expected_results(drill, case)
    right = sum(p.value.nbytes for p in expected.parts)
    assert 2 * right < answer_budget(case, expected) < 5 * right + (1 << 20)
