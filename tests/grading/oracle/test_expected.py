from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.cases import battery
from autodrill.drills.crosscheck import crosschecked_vjp
from autodrill.errors import InternalError
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.child.call_codec import PERIOD

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Expected, Part
    from autodrill.drills.case import Case
    from autodrill.drills.library import Library
    from tests.conftest import Pack


def truths(library: Library, name: str, seed: int = 0) -> list[tuple[Case, Expected]]:
    exercise = library.find(name)
    drill = library.drill(exercise)
    return [(case, expected_results(drill, case)) for case in battery(drill, seed)]


def accepts(part: Part, answer: Any) -> bool:
    return bool(np.all(np.abs(np.asarray(answer, np.float64) - part.value) <= part.tolerance))


def of_pack(pack: Pack, change: tuple[str, str] = ("", ""), index: int = 0) -> tuple[Case, Expected]:
    pack.add(solution=change)
    drill = pack.load()
    case = battery(drill, 0)[index]
    return case, expected_results(drill, case)


def test_a_gradient_is_that_of_the_closed_form(pack: Pack) -> None:
    case, known = of_pack(pack)
    (part,) = known.parts
    assert (part.name, part.dtype.name, part.value.shape) == ("dx", "float64", case.inputs["x"].shape)
    # Three multiplications in another order: a few units in the last place.
    np.testing.assert_allclose(part.value, 3 * case.inputs["x"] ** 2 * known.cotangents[0], rtol=1e-14)


def test_what_is_too_large_for_the_dtype_is_the_exercise_s_fault(pack: Pack) -> None:
    # 3 (1e20)² g is about 1e40; the largest float32 is 3.4e38.
    pack.add(solution=('given("x[n,m]")', 'given("x[n,m]", x=1e20, smooth=False)'))
    drill = pack.load()
    doubles, singles = ([c for c in battery(drill, 0) if c.dtype == d] for d in ("float64", "float32"))
    assert np.isfinite(expected_results(drill, doubles[0]).parts[0].value).all()
    with pytest.raises(InternalError, match=r"`x \(n, m\) · float32` what is right is too large for float32"):
        expected_results(drill, singles[0])


def test_the_matrix_product_s_gradients_are_those_of_the_closed_form(shipped: Library) -> None:
    for case, known in truths(shipped, "matmul_backward"):
        x, w = (case.inputs[n].astype(case.dtype).astype(np.float64) for n in ("X", "W"))
        g = known.cotangents[0].astype(np.float64)
        # Other orders of summation of at most 200 terms of order 1.
        np.testing.assert_allclose(known.parts[0].value, g @ w.T, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(known.parts[1].value, x.T @ g, rtol=1e-12, atol=1e-12)


TORCH: dict[str, Callable[..., Any]] = {
    "matmul_backward": lambda torch, X, W: X @ W,
    "mul_broadcast_backward": lambda torch, a, b: a * b,
    "tanh_backward": lambda torch, x: torch.tanh(x),
    "relu_backward": lambda torch, x: torch.relu(x),
    "softmax_backward": lambda torch, x, axis=-1: torch.softmax(x, axis),
    # Of no axes PyTorch sums over all, and NumPy over none.
    "sum_backward": lambda torch, x, axis, keepdims: (
        x.clone() if axis == () else torch.sum(x, tuple(range(x.ndim)) if axis is None else axis, keepdim=keepdims)
    ),
    "softmax_cross_entropy_backward": lambda torch, logits, labels: torch.nn.functional.cross_entropy(logits, labels),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", TORCH)
def test_pytorch_agrees_within_the_tolerance(shipped: Library, torch: Any, name: str) -> None:
    compared = 0
    for case, known in truths(shipped, name):
        if case.alias or any(np.size(v) == 0 for v in case.inputs.values()):
            continue
        arrays = [np.asarray(v) for v in case.inputs.values()]
        inputs = [torch.tensor(a.astype(case.dtype) if a.dtype.kind == "f" else a) for a in arrays]
        wanted = [t.requires_grad_() for t in inputs if t.is_floating_point()]
        options = {"axis": None, "keepdims": False} | case.static if name == "sum_backward" else case.static
        out = TORCH[name](torch, *inputs, **options)
        answers = torch.autograd.grad(out, wanted, torch.tensor(known.cotangents[0]))
        starts = known.start or (0.0,) * len(answers)
        for part, answer, start in zip(known.parts, answers, starts, strict=True):
            assert accepts(part, answer.numpy() + start), (case.label, part.name)
            compared += 1
    assert compared >= 5


def test_an_error_of_1e_8_is_not_rounding_but_another_order_of_summation_is(shipped: Library) -> None:
    for case, known in truths(shipped, "matmul_backward"):
        part = known.parts[0]
        g, w = (a.astype(case.dtype) for a in (known.cotangents[0], case.inputs["W"]))
        assert accepts(part, g[:, ::-1] @ w.T[::-1]), case.label
        assert accepts(part, sum((np.outer(a, b) for a, b in zip(g.T, w.T, strict=True)), np.zeros(part.value.shape)))
        if case.dtype == "float64" and np.any(part.value):
            assert not accepts(part, part.value * (1 + 1e-8)), case.label


def test_float32_is_judged_by_its_own_rounding(shipped: Library) -> None:
    known = next(t for c, t in truths(shipped, "matmul_backward") if c.dtype == "float32")
    part = known.parts[0]
    # One unit in the last place of float32 is 1.2e-7: a single rounding passes, an error of 0.1 % does not.
    assert accepts(part, part.value.astype(np.float32))
    assert not accepts(part, part.value * (1 + 1e-3))


def test_a_tolerance_grows_where_the_problem_amplifies_rounding(pack: Pack) -> None:
    # d/dx sin(1e6 x) = 1e6 cos(1e6 x): an input's last place moves the answer by 1e6 times as much.
    change = ("return x * x * x", "from autodrill import engine\n\n    return engine.sin(x * 1e6)")
    case, known = of_pack(pack, ("def forward(x):\n    " + change[0], "def forward(x):\n    " + change[1]))
    (part,) = known.parts
    assert (part.tolerance > 1e4 * np.finfo(np.float64).eps * np.abs(part.value)).all()
    x = case.inputs["x"]
    moved = 1e6 * np.cos(1e6 * (x * (1 + np.finfo(np.float64).eps))) * known.cotangents[0]
    assert accepts(part, moved)


def test_a_small_value_may_be_a_rounding_of_the_cotangent_off(pack: Pack) -> None:
    # 1 - tanh² at 14 is 3e-12, some thousand units in the last place of 1, and 0 in float32.
    pack.add(solution=("import numpy as np", "import numpy as np\nfrom autodrill import engine"))
    file = pack.solution_file()
    spoilt = file.read_text(encoding="utf-8").replace('given("x[n,m]")', 'given("x[n,m]", x=14.0)')
    file.write_text(spoilt.replace("return x * x * x", "return engine.tanh(x)"), encoding="utf-8")
    drill = pack.load()
    case = battery(drill, 0)[0]
    known = expected_results(drill, case)
    (part,) = known.parts
    g = known.cotangents[0]
    assert accepts(part, g * (1 - np.tanh(14.0) ** 2))
    assert accepts(part, g / np.cosh(14.0) ** 2)
    assert not accepts(part, np.zeros_like(g))


def test_two_oracles_that_disagree_are_the_exercise_s_fault() -> None:
    from autodrill import engine

    at_the_kink = (np.array([0.0, 1.0]),)
    with pytest.raises(InternalError, match=r"disagree about gradient 0 by 0\.5: the exercise is at fault"):
        crosschecked_vjp(engine.relu, at_the_kink, (np.ones(2),), smooth=True, thorough=True)
    (unchecked,) = crosschecked_vjp(engine.relu, at_the_kink, (np.ones(2),), smooth=False)
    np.testing.assert_array_equal(unchecked, [0, 1])


@pytest.mark.parametrize("thorough", [True, False])
@pytest.mark.parametrize("size", [1, 3, 101])
def test_the_oracles_are_compared_in_every_input_whatever_its_size(size: int, thorough: bool) -> None:
    from autodrill import engine

    many = np.linspace(-1, 1, size) if size > 1 else np.zeros(1)  # its middle is 0
    with pytest.raises(InternalError, match="disagree about gradient 1"):
        crosschecked_vjp(
            lambda x, y: x + engine.relu(y), (many, many), (np.ones(size),), smooth=True, thorough=thorough
        )


def test_a_direction_costs_a_few_calls_where_the_partial_derivatives_cost_six_an_element() -> None:
    def calls(*, thorough: bool) -> int:
        count = 0

        def cube(x: Any) -> Any:
            nonlocal count
            count += 1
            assert x.sum() > 0  # whoever asks for a value is evaluated at one point a call
            return x * x * x

        crosschecked_vjp(cube, (np.linspace(1, 2, 40),), (np.ones(40),), smooth=True, thorough=thorough)
        return count

    assert calls(thorough=True) >= 240
    assert calls(thorough=False) <= 30


def test_an_input_the_output_does_not_depend_on_has_the_gradient_zero(pack: Pack) -> None:
    pack.add(exercise=("(g, x)", "(g, x, y)"))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("x[n,m]", "x[n,m] y[m]").replace("forward(x)", "forward(x, y)")
    file.write_text(text.replace("cube_backward(g, x)", "cube_backward(g, x, y)"), encoding="utf-8")
    drill = pack.load()
    _, dy = expected_results(drill, battery(drill, 0)[0]).parts
    np.testing.assert_array_equal(dy.value, 0)


def test_only_the_gradients_asked_for_are_parts(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    forward = drill.solution.forward
    assert forward is not None
    two = replace(drill.solution, forward=lambda y, x: forward(x) * y, wrt=("x",))
    case = replace(battery(drill, 0)[0], inputs={"y": np.asarray(2.0), "x": np.asarray(3.0)})
    known = expected_results(replace(drill, solution=two), case)
    (part,) = known.parts
    assert part.name == "dx"
    assert float(part.value) / float(known.cotangents[0]) == pytest.approx(54.0)


def test_results_that_do_not_match_the_gradients_are_the_exercise_s_fault(pack: Pack) -> None:
    with pytest.raises(InternalError, match="`RESULTS` name 2 results, but there are 1"):
        of_pack(pack, ("def slope", 'RESULTS = ("a", "b")\n\n\ndef slope'))


def test_whole_numbers_are_not_differentiated_in_silence(pack: Pack) -> None:
    with pytest.raises(InternalError, match=r"no input is floating, .*: write 2.0 for 2"):
        of_pack(pack, ('[given("x[n,m]")]', '[given("x[n]", x=[2, -3])]'))


def test_an_answer_of_arrays_of_several_shapes_must_be_a_tuple(pack: Pack) -> None:
    expected = "def expected(x):\n    return [x, x[:1]]\n\n\ndef slope"
    with pytest.raises(InternalError, match=r"what `expected` gives as result is no array .*a dict or a tuple"):
        of_pack(pack, ("def forward(x):\n    return x * x * x\n\n\ndef slope", expected))


def test_a_program_s_results_have_the_names_they_are_given(pack: Pack) -> None:
    expected = 'RESULTS = ("w", "n")\n\n\ndef expected(x):\n    return {}\n\n\ndef slope'
    no_forward = ("def forward(x):\n    return x * x * x\n\n\ndef slope", expected.format("x.sum(), 3"))
    _, known = of_pack(pack, no_forward)
    assert [part.name for part in known.parts] == ["w", "n"]
    with pytest.raises(InternalError, match="`RESULTS` name 2 results, but `expected` gives 1"):
        of_pack(pack, (no_forward[0], expected.format("x.sum()")))


def test_what_the_author_s_forward_raises_is_the_exercise_s_fault(pack: Pack) -> None:
    with pytest.raises(InternalError, match="the exercise's `forward` raises ZeroDivisionError"):
        of_pack(pack, ("return x * x * x", "return x / 0 if isinstance(x, int) else 1 / 0"))


def test_cotangents_are_drawn_and_never_ones(shipped: Library) -> None:
    drawn = [(c, t.cotangents[0].ravel()) for c, t in truths(shipped, "softmax_backward") if c.cotangent is None]
    (large,) = [values for case, values in drawn if case.large]
    assert np.array_equal(large, np.resize(large[:PERIOD], large.size))
    assert large.size > 2 * PERIOD
    everything = np.concatenate([large[:PERIOD], *(values for case, values in drawn if not case.large)])
    assert not (everything == 1).any()
    assert len(np.unique(everything)) >= len(everything) - 3  # thousands of float32: a few may be equal by chance


def test_a_node_s_grad_is_what_it_starts_with_and_its_contribution(shipped: Library) -> None:
    every = truths(shipped, "mul_backward")
    assert sum(all(known.start) for _, known in every) > len(every) / 2  # or `=` would pass for `+=`
    for case, known in every:
        g = float(known.cotangents[0])
        a, b = case.inputs["self"], case.inputs["other"]
        wanted = [known.start[0] + 2 * a * g] if case.alias else [known.start[0] + b * g, known.start[1] + a * g]
        np.testing.assert_allclose([float(p.value) for p in known.parts], wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("answer", "names"),
    [("{'w': 1.0, 'n': 3}", ["w", "n"]), ("(1.0, 3)", ["result 0", "result 1"]), ("1.0", ["result"])],
)
def test_a_program_s_answer_is_taken_apart_by_name_or_number(pack: Pack, answer: str, names: list[str]) -> None:
    change = ("def forward(x):\n    return x * x * x", f"def expected(x):\n    return {answer}")
    _, known = of_pack(pack, change)
    assert [p.name for p in known.parts] == names


def test_whole_numbers_are_exact_and_floats_have_a_tolerance(pack: Pack) -> None:
    change = ("def forward(x):\n    return x * x * x", "def expected(x):\n    return 3, 4.0")
    _, known = of_pack(pack, change)
    assert [float(p.tolerance) for p in known.parts] == [0.0, pytest.approx(8e-9)]
