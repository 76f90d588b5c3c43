from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.drills.cases import battery
from autodrill.drills.crosscheck import crosschecked_vjp
from autodrill.errors import InternalError
from autodrill.grading.oracle.expected import expected_results
from autodrill.sandbox.child.frames import PERIOD

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Expected, Part
    from autodrill.drills.case import Case
    from autodrill.drills.library import Library
    from tests.conftest import Pack


def all_expected(library: Library, name: str, seed: int = 0) -> list[tuple[Case, Expected]]:
    exercise = library.find(name)
    drill = library.drill(exercise)
    return [(case, expected_results(drill, case)) for case in battery(drill, seed)]


def accepts(part: Part, answer: Any) -> bool:
    return bool(np.all(np.abs(np.asarray(answer, np.float64) - part.value) <= part.tolerance))


def expected_of_pack(pack: Pack, change: tuple[str, str] = ("", ""), index: int = 0) -> tuple[Case, Expected]:
    pack.add(solution=change)
    drill = pack.load()
    case = battery(drill, 0)[index]
    return case, expected_results(drill, case)


def test_expected_results_match_the_closed_form(pack: Pack) -> None:
    case, expected = expected_of_pack(pack)
    (part,) = expected.parts
    assert (part.name, part.dtype.name, part.value.shape) == ("dx", "float64", case.inputs["x"].shape)
    # Three multiplications in another order: a few units in the last place.
    np.testing.assert_allclose(part.value, 3 * case.inputs["x"] ** 2 * expected.cotangents[0], rtol=1e-14)


def test_expected_results_refuse_overflow_in_the_dtype(pack: Pack) -> None:
    # 3 (1e20)² g is about 1e40; the largest float32 is 3.4e38.
    pack.add(solution=('given("x[n,m]")', 'given("x[n,m]", x=1e20, smooth=False)'))
    drill = pack.load()
    doubles, singles = ([c for c in battery(drill, 0) if c.dtype == d] for d in ("float64", "float32"))
    assert np.isfinite(expected_results(drill, doubles[0]).parts[0].value).all()
    with pytest.raises(
        InternalError, match=r"an expected result of the case `x \(n, m\) · float32` is too large for float32"
    ):
        expected_results(drill, singles[0])


def test_expected_results_match_the_matrix_product(shipped: Library) -> None:
    for case, expected in all_expected(shipped, "matmul_backward"):
        x, w = (case.inputs[n].astype(case.dtype).astype(np.float64) for n in ("X", "W"))
        g = expected.cotangents[0].astype(np.float64)
        # Other orders of summation of at most 200 terms of order 1.
        np.testing.assert_allclose(expected.parts[0].value, g @ w.T, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(expected.parts[1].value, x.T @ g, rtol=1e-12, atol=1e-12)


TORCH: dict[str, Callable[..., Any]] = {
    "matmul_backward": lambda torch, X, W: X @ W,
    "mul_broadcast_backward": lambda torch, a, b: a * b,
    "tanh_backward": lambda torch, x: torch.tanh(x),
    "relu_backward": lambda torch, x: torch.relu(x),
    "softmax_backward": lambda torch, x, axis=-1: torch.softmax(x, axis),
    # Without axes PyTorch sums over all of them, and NumPy over none.
    "sum_backward": lambda torch, x, axis, keepdims: (
        x.clone() if axis == () else torch.sum(x, tuple(range(x.ndim)) if axis is None else axis, keepdim=keepdims)
    ),
    "softmax_cross_entropy_backward": lambda torch, logits, labels: torch.nn.functional.cross_entropy(logits, labels),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", TORCH)
def test_expected_results_agree_with_pytorch(shipped: Library, torch: Any, name: str) -> None:
    compared = 0
    for case, expected in all_expected(shipped, name):
        if case.alias or case.spoiled or any(np.size(v) == 0 for v in case.inputs.values()):
            continue
        arrays = [np.asarray(v) for v in case.inputs.values()]
        inputs = [torch.tensor(a.astype(case.dtype) if a.dtype.kind == "f" else a) for a in arrays]
        wanted = [t.requires_grad_() for t in inputs if t.is_floating_point()]
        options = {"axis": None, "keepdims": False} | case.static if name == "sum_backward" else case.static
        out = TORCH[name](torch, *inputs, **options)
        answers = torch.autograd.grad(out, wanted, torch.tensor(expected.cotangents[0]))
        starts = expected.start or (0.0,) * len(answers)
        for part, answer, start in zip(expected.parts, answers, starts, strict=True):
            assert accepts(part, answer.numpy() + start), (case.label, part.name)
            compared += 1
    assert compared >= 5


def test_tolerance_allows_another_order_of_summation(shipped: Library) -> None:
    for case, expected in all_expected(shipped, "matmul_backward"):
        if case.spoiled:
            continue
        part = expected.parts[0]
        g, w = (a.astype(case.dtype) for a in (expected.cotangents[0], case.inputs["W"]))
        assert accepts(part, g[:, ::-1] @ w.T[::-1]), case.label
        assert accepts(part, sum((np.outer(a, b) for a, b in zip(g.T, w.T, strict=True)), np.zeros(part.value.shape)))
        if case.dtype == "float64" and np.any(part.value):
            assert not accepts(part, part.value * (1 + 1e-8)), case.label


def test_tolerance_of_float32_is_its_own_rounding(shipped: Library) -> None:
    expected = next(t for c, t in all_expected(shipped, "matmul_backward") if c.dtype == "float32")
    part = expected.parts[0]
    # One unit in the last place of float32 is 1.2e-7: a single rounding passes, the 11 bits of a float16 do not.
    assert accepts(part, part.value.astype(np.float32))
    assert not accepts(part, part.value.astype(np.float16))


def test_expected_results_of_nan_are_nan_where_they_depend(shipped: Library) -> None:
    (part,) = (t.parts[0] for c, t in all_expected(shipped, "dropout_backward") if c.spoiled)
    depends = np.isnan(part.value)
    assert depends.any()
    assert not depends.all()  # a dropped element depends on no cotangent, so 0 and NaN are right
    assert np.array_equal(np.isinf(part.tolerance), ~depends)


def test_tolerance_grows_with_amplified_rounding(pack: Pack) -> None:
    # d/dx sin(1e6 x) = 1e6 cos(1e6 x): rounding of an input changes the answer by 1e6 times as much.
    change = ("return x * x * x", "from autodrill import engine\n\n    return engine.sin(x * 1e6)")
    case, expected = expected_of_pack(pack, ("def forward(x):\n    " + change[0], "def forward(x):\n    " + change[1]))
    (part,) = expected.parts
    assert (part.tolerance > 1e4 * np.finfo(np.float64).eps * np.abs(part.value)).all()
    x = case.inputs["x"]
    moved = 1e6 * np.cos(1e6 * (x * (1 + np.finfo(np.float64).eps))) * expected.cotangents[0]
    assert accepts(part, moved)


def test_tolerance_allows_rounding_of_the_cotangent(pack: Pack) -> None:
    # 1 - tanh² at 14 is 3e-12, some thousand units in the last place of 1, and 0 in float32.
    pack.add(solution=("import numpy as np", "import numpy as np\nfrom autodrill import engine"))
    file = pack.solution_file()
    at_14 = file.read_text(encoding="utf-8").replace('given("x[n,m]")', 'given("x[n,m]", x=14.0)')
    file.write_text(at_14.replace("return x * x * x", "return engine.tanh(x)"), encoding="utf-8")
    drill = pack.load()
    case = battery(drill, 0)[0]
    expected = expected_results(drill, case)
    (part,) = expected.parts
    g = expected.cotangents[0]
    assert accepts(part, g * (1 - np.tanh(14.0) ** 2))
    assert accepts(part, g / np.cosh(14.0) ** 2)
    assert not accepts(part, np.zeros_like(g))


def test_expected_of_a_given_is_float32_in_a_float32_case(pack: Pack) -> None:
    pack.add(exercise=('kind = "backward"', 'kind = "program"'), solution=("def forward(x):", "def expected(g, x):"))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("x[n,m]", "g[n,m] x[n,m]")
    file.write_text(text.replace("return x * x * x\n", "return slope(x) * g\n"), encoding="utf-8")
    drill = pack.load()
    case = next(c for c in battery(drill, 0) if c.dtype == "float32")
    (part,) = expected_results(drill, case).parts
    g, x = (case.inputs[name].astype(np.float32) for name in ("g", "x"))
    assert part.dtype == np.float32
    assert accepts(part, 3 * x * x * g)
    half = (3 * x * x * g).astype(np.float16)
    assert not accepts(part, half)


def test_crosscheck_blames_the_exercise_if_oracles_disagree() -> None:
    from autodrill import engine

    at_the_kink = (np.array([0.0, 1.0]),)
    with pytest.raises(InternalError, match=r"gradient 0 by 0\.5 \(0 and 0\.5 at \[0\]\): the exercise is at fault"):
        crosschecked_vjp(engine.relu, at_the_kink, (np.ones(2),), smooth=True, thorough=True)
    (unchecked,) = crosschecked_vjp(engine.relu, at_the_kink, (np.ones(2),), smooth=False)
    np.testing.assert_array_equal(unchecked, [0, 1])


@pytest.mark.parametrize("thorough", [True, False])
@pytest.mark.parametrize("size", [1, 3, 101])
def test_crosscheck_covers_every_input_at_every_size(size: int, thorough: bool) -> None:
    from autodrill import engine

    many = np.linspace(-1, 1, size) if size > 1 else np.zeros(1)  # its middle is 0
    with pytest.raises(InternalError, match="disagree about gradient 1"):
        crosschecked_vjp(
            lambda x, y: x + engine.relu(y), (many, many), (np.ones(size),), smooth=True, thorough=thorough
        )


def test_crosscheck_along_a_direction_takes_few_calls() -> None:
    def calls(*, thorough: bool) -> int:
        count = 0

        def cube(x: Any) -> Any:
            nonlocal count
            count += 1
            assert x.sum() > 0  # each call evaluates one point
            return x * x * x

        crosschecked_vjp(cube, (np.linspace(1, 2, 40),), (np.ones(40),), smooth=True, thorough=thorough)
        return count

    assert calls(thorough=True) >= 240
    assert calls(thorough=False) <= 30


def test_expected_gradient_of_an_unused_input_is_zero(pack: Pack) -> None:
    pack.add(exercise=("(g, x)", "(g, x, y)"))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("x[n,m]", "x[n,m] y[m]").replace("forward(x)", "forward(x, y)")
    file.write_text(text.replace("cube_backward(g, x)", "cube_backward(g, x, y)"), encoding="utf-8")
    drill = pack.load()
    _, dy = expected_results(drill, battery(drill, 0)[0]).parts
    np.testing.assert_array_equal(dy.value, 0)


def test_expected_results_are_limited_to_wrt(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    forward = drill.solution.forward
    assert forward is not None
    two = replace(drill.solution, forward=lambda y, x: forward(x) * y, wrt=("x",))
    case = replace(battery(drill, 0)[0], inputs={"y": np.asarray(2.0), "x": np.asarray(3.0)})
    expected = expected_results(replace(drill, solution=two), case)
    (part,) = expected.parts
    assert part.name == "dx"
    assert float(part.value) / float(expected.cotangents[0]) == pytest.approx(54.0)


def test_expected_results_refuse_a_wrong_number_of_names(pack: Pack) -> None:
    with pytest.raises(InternalError, match="`RESULTS` name 2 results, but the number of gradients is 1"):
        expected_of_pack(pack, ("def slope", 'RESULTS = ("a", "b")\n\n\ndef slope'))


def test_expected_results_refuse_integer_inputs(pack: Pack) -> None:
    with pytest.raises(InternalError, match=r"has no floating-point input, .*: write 2.0 instead of 2"):
        expected_of_pack(pack, ('[given("x[n,m]")]', '[given("x[n]", x=[2, -3])]'))


def test_expected_results_refuse_a_ragged_list(pack: Pack) -> None:
    ragged = "def expected(x):\n    return [x, x[:1]]\n\n\ndef slope"
    with pytest.raises(InternalError, match=r"`expected` returns a value for result that is not .*a dict or a tuple"):
        expected_of_pack(pack, ("def forward(x):\n    return x * x * x\n\n\ndef slope", ragged))


def test_expected_results_of_a_program_take_given_names(pack: Pack) -> None:
    program = 'RESULTS = ("w", "n")\n\n\ndef expected(x):\n    return {}\n\n\ndef slope'
    no_forward = ("def forward(x):\n    return x * x * x\n\n\ndef slope", program.format("x.sum(), 3"))
    _, expected = expected_of_pack(pack, no_forward)
    assert [part.name for part in expected.parts] == ["w", "n"]
    with pytest.raises(InternalError, match="`RESULTS` name 2 results, but `expected` returns 1"):
        expected_of_pack(pack, (no_forward[0], program.format("x.sum()")))


def test_expected_results_report_an_error_in_forward(pack: Pack) -> None:
    with pytest.raises(InternalError, match="the exercise's `forward` raises ZeroDivisionError"):
        expected_of_pack(pack, ("return x * x * x", "return x / 0 if isinstance(x, int) else 1 / 0"))


def test_cotangents_are_random_and_never_one(shipped: Library) -> None:
    every = [(c, t.cotangents[0].ravel()) for c, t in all_expected(shipped, "softmax_backward")]
    drawn = [(c, values) for c, values in every if c.cotangent is None and not c.spoiled]
    (large,) = [values for case, values in drawn if case.large]
    assert np.array_equal(large, np.resize(large[:PERIOD], large.size))
    assert large.size > 2 * PERIOD
    everything = np.concatenate([large[:PERIOD], *(values for case, values in drawn if not case.large)])
    assert not (everything == 1).any()
    assert len(np.unique(everything)) >= len(everything) - 3  # thousands of float32: a few may be equal by chance


def test_expected_grad_of_a_node_adds_to_its_start(shipped: Library) -> None:
    every = all_expected(shipped, "mul_backward")
    assert sum(all(expected.start) for _, expected in every) > len(every) / 2  # or `=` would pass for `+=`
    for case, expected in every:
        g = float(expected.cotangents[0])
        a, b = case.inputs["self"], case.inputs["other"]
        wanted = (
            [expected.start[0] + 2 * a * g] if case.alias else [expected.start[0] + b * g, expected.start[1] + a * g]
        )
        np.testing.assert_allclose([float(p.value) for p in expected.parts], wanted, rtol=1e-14)


@pytest.mark.parametrize(
    ("answer", "names"),
    [("{'w': 1.0, 'n': 3}", ["w", "n"]), ("(1.0, 3)", ["result 0", "result 1"]), ("1.0", ["result"])],
)
def test_expected_results_of_a_program_have_names_or_numbers(pack: Pack, answer: str, names: list[str]) -> None:
    change = ("def forward(x):\n    return x * x * x", f"def expected(x):\n    return {answer}")
    _, expected = expected_of_pack(pack, change)
    assert [p.name for p in expected.parts] == names


def test_tolerance_is_zero_for_integers_only(pack: Pack) -> None:
    change = ("def forward(x):\n    return x * x * x", "def expected(x):\n    return 3, 4.0")
    _, expected = expected_of_pack(pack, change)
    assert [float(p.tolerance) for p in expected.parts] == [0.0, pytest.approx(8e-9)]
