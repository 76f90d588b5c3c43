from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.cases import battery
from autodrill.errors import InternalError
from autodrill.grading.cases.arguments import arguments, named_arguments, scenario_source, shown_arguments
from autodrill.grading.oracle.expected import Truth, truth
from autodrill.sandbox.runner import Arg, Layout

if TYPE_CHECKING:
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.drills.library import Library
    from tests.conftest import Pack

    Question = tuple[Exercise, Solution, Case, Truth]


def asked(library: Library, name: str, label: str = "") -> Question:
    exercise = library.find(name)
    solution = library.solution(exercise)
    case = next(c for c in battery(exercise, solution, 0) if label in c.label)
    return exercise, solution, case, truth(exercise, solution, case)


def test_a_parameter_s_name_decides_what_it_gets(shipped: Library) -> None:
    exercise, solution, case, known = asked(shipped, "softmax_backward")
    named = named_arguments(exercise, solution, case, known)
    assert list(named) == ["g", "out", "axis"]
    np.testing.assert_array_equal(named["g"], known.cotangents[0])
    np.testing.assert_allclose(named["out"].sum(axis=case.static["axis"]), 1, rtol=1e-15)


def test_a_shape_is_handed_over_where_it_is_asked_for(shipped: Library) -> None:
    exercise, solution, case, known = asked(shipped, "sum_backward")
    assert named_arguments(exercise, solution, case, known)["x_shape"] == case.inputs["x"].shape


def test_an_option_nothing_is_known_about_keeps_its_default(shipped: Library) -> None:
    named = named_arguments(*asked(shipped, "sum_backward"))
    assert "keepdims" not in named


def test_floats_come_in_the_case_s_dtype_and_whole_numbers_as_they_are(shipped: Library) -> None:
    args = arguments(*asked(shipped, "softmax_cross_entropy_backward", "float32"))
    assert [a.value.dtype for a in args] == [np.float32, np.float32, np.int64]


def test_a_strided_case_asks_for_strided_arrays(shipped: Library) -> None:
    for label, layout in (("not contiguous", Layout.STRIDED), ("float32", Layout.C)):
        args = arguments(*asked(shipped, "matmul_backward", label))
        assert all(isinstance(a, Arg) and a.layout is layout for a in args)


def test_a_scalar_node_gets_floats_its_start_and_whether_operands_are_one_node(shipped: Library) -> None:
    question = asked(shipped, "mul_backward", "other is self")
    data, start, alias, out, g, extra = arguments(*question)
    assert alias is True
    assert data[0] == data[1]
    assert out == pytest.approx(data[0] ** 2)
    assert (start, g, extra) == (list(question[3].start), float(question[3].cotangents[0]), {})
    assert all(type(v) is float for v in (*data, *start, out, g))


def test_a_scenario_gets_what_it_asks_for_and_runs_apart(shipped: Library) -> None:
    exercise, solution, case, known = asked(shipped, "topological_sort")
    assert scenario_source(exercise, solution) == solution.drive
    assert list(named_arguments(exercise, solution, case, known)) == ["edges", "data"]


def test_a_pure_function_is_called_without_a_scenario(shipped: Library) -> None:
    exercise, solution, _, _ = asked(shipped, "matmul_backward")
    assert scenario_source(exercise, solution) is None


def test_what_saved_computes_is_handed_over(pack: Pack) -> None:
    pack.add(
        exercise=("(g, x)", "(g, x, square)"),
        solution=("def slope", "def saved(x):\n    return {'square': x * x}\n\n\ndef slope"),
    )
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("cube_backward(g, x)", "cube_backward(g, x, square)")
    file.write_text(text, encoding="utf-8")
    question = asked(pack.library, "cube_backward")
    named = named_arguments(*question)
    np.testing.assert_array_equal(named["square"], question[2].inputs["x"] ** 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("g, x, extra", "asks for `extra`, which its solution file does not provide"),
        ("g, extra=1, x=2", "provides `x` but not `extra`, which stands before it"),
    ],
)
def test_what_the_exercise_does_not_provide_is_its_own_fault(pack: Pack, parameters: str, message: str) -> None:
    pack.add(exercise=("(g, x)", f"({parameters})"))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("cube_backward(g, x)", f"cube_backward({parameters})")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InternalError, match=message):
        named_arguments(*asked(pack.library, "cube_backward"))


def shown(library: Library, name: str, label: str) -> dict[str, Any]:
    return shown_arguments(*asked(library, name, label))


def test_a_report_shows_a_node_s_value_and_what_its_grad_was_before(shipped: Library) -> None:
    names = list(shown(shipped, "mul_backward", "random values"))
    assert names == ["self.data", "other.data", "self.grad", "other.grad", "out.grad"]


def test_a_report_shows_one_node_once(shipped: Library) -> None:
    names = list(shown(shipped, "mul_backward", "other is self"))
    assert names == ["self.data", "self.grad", "out.grad"]
