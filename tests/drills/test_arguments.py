from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.case import named_arguments
from autodrill.drills.cases import battery
from autodrill.errors import InternalError
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.runner import Arg, Layout

if TYPE_CHECKING:
    from autodrill.drills.answer_records import Expected
    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.drills.library import Library
    from tests.conftest import Pack

    Question = tuple[Drill, Case, Expected]


def asked(library: Library, name: str, label: str = "") -> Question:
    exercise = library.find(name)
    drill = library.drill(exercise)
    case = next(c for c in battery(drill, 0) if label in c.label)
    return drill, case, expected_results(drill, case)


def put_arguments(drill: Drill, case: Case, expected: Expected) -> list[Any]:
    return drill.kind.arguments(drill, case, expected)


def shown_arguments(drill: Drill, case: Case, expected: Expected) -> dict[str, Any]:
    return drill.kind.shown_arguments(drill, case, expected)


def test_arguments_follow_parameter_names(shipped: Library) -> None:
    drill, case, known = asked(shipped, "softmax_backward")
    named = named_arguments(drill, case, known)
    assert list(named) == ["g", "out", "axis"]
    np.testing.assert_array_equal(named["g"], known.cotangents[0])
    np.testing.assert_allclose(named["out"].sum(axis=case.static["axis"]), 1, rtol=1e-15)


def test_arguments_include_a_requested_shape(shipped: Library) -> None:
    drill, case, known = asked(shipped, "sum_backward")
    assert named_arguments(drill, case, known)["x_shape"] == case.inputs["x"].shape


def test_arguments_omit_options_without_a_value(shipped: Library) -> None:
    named = named_arguments(*asked(shipped, "sum_backward"))
    assert "keepdims" not in named


def test_arguments_convert_only_floats_to_the_case_dtype(shipped: Library) -> None:
    args = put_arguments(*asked(shipped, "softmax_cross_entropy_backward", "float32"))
    assert [a.value.dtype for a in args] == [np.float32, np.float32, np.int64]


def test_arguments_have_the_layout_of_the_case(shipped: Library) -> None:
    for label, layout in (("not contiguous", Layout.STRIDED), ("float32", Layout.C)):
        args = put_arguments(*asked(shipped, "matmul_backward", label))
        assert all(isinstance(a, Arg) and a.layout is layout for a in args)


def test_value_arguments_are_data_start_and_alias(shipped: Library) -> None:
    question = asked(shipped, "mul_backward", "other is self")
    data, start, alias, out, g, extra = put_arguments(*question)
    assert alias is True
    assert data[0] == data[1]
    assert out == pytest.approx(data[0] ** 2)
    assert (start, g, extra) == (list(question[2].start), float(question[2].cotangents[0]), {})
    assert all(type(v) is float for v in (*data, *start, out, g))


def test_scenario_arguments_follow_drive_parameters(shipped: Library) -> None:
    drill, case, known = asked(shipped, "topological_sort")
    assert drill.kind.scenario(drill) == drill.solution.drive
    assert list(named_arguments(drill, case, known)) == ["edges", "data", "root"]


def test_pure_function_has_no_scenario(shipped: Library) -> None:
    drill, _, _ = asked(shipped, "matmul_backward")
    assert drill.kind.scenario(drill) is None


def test_arguments_include_the_results_of_saved(pack: Pack) -> None:
    pack.add(
        exercise=("(g, x)", "(g, x, square)"),
        solution=("def slope", "def saved(x):\n    return {'square': x * x}\n\n\ndef slope"),
    )
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("cube_backward(g, x)", "cube_backward(g, x, square)")
    file.write_text(text, encoding="utf-8")
    question = asked(pack.library, "cube_backward")
    named = named_arguments(*question)
    np.testing.assert_array_equal(named["square"], question[1].inputs["x"] ** 2)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("g, x, extra", "takes `extra`, which its solution file does not provide"),
        ("g, extra=1, x=2", "takes `extra` before `x`, but its solution file provides only `x`"),
    ],
)
def test_missing_argument_is_an_internal_error(pack: Pack, parameters: str, message: str) -> None:
    pack.add(exercise=("(g, x)", f"({parameters})"))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("cube_backward(g, x)", f"cube_backward({parameters})")
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InternalError, match=message):
        named_arguments(*asked(pack.library, "cube_backward"))


def shown(library: Library, name: str, label: str) -> dict[str, Any]:
    return shown_arguments(*asked(library, name, label))


def test_shown_arguments_of_a_node_are_data_and_grad(shipped: Library) -> None:
    names = list(shown(shipped, "mul_backward", "random values"))
    assert names == ["self.data", "other.data", "self.grad", "other.grad", "out.grad"]


def test_shown_arguments_list_an_aliased_node_once(shipped: Library) -> None:
    names = list(shown(shipped, "mul_backward", "other is self"))
    assert names == ["self.data", "self.grad", "out.grad"]
