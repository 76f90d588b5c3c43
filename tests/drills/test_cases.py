from __future__ import annotations

import signal
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.cases import LARGE_ELEMENTS, battery, case_at, small_cases
from autodrill.drills.library import Library
from autodrill.errors import InternalError, UsageError

if TYPE_CHECKING:
    from autodrill.drills.case import Case
    from tests.conftest import Pack


@pytest.fixture(scope="module")
def shipped() -> Library:
    return Library.open(environ={})


def cases_of(library: Library, name: str, seed: int = 0) -> list[Case]:
    exercise = library.find(name)
    return battery(library.drill(exercise), seed)


def with_cases(pack: Pack, cases: str) -> list[Case]:
    pack.add(solution=('[given("x[n,m]")]', cases))
    return battery(pack.load(), 0)


def put(cases: list[Case]) -> list[str]:
    """Return the arguments of the cases as texts, for comparison."""
    return [repr((case.inputs, case.static)) for case in cases]


@pytest.mark.parametrize("name", ["mul_backward", "matmul_backward", "backward_engine"])
def test_battery_depends_only_on_the_seed(shipped: Library, name: str) -> None:
    first, again, other = (cases_of(shipped, name, seed) for seed in (5, 5, 6))
    assert [c.label for c in first] == [c.label for c in again] == [c.label for c in other]
    assert [c.seed for c in first] == [c.seed for c in again] != [c.seed for c in other]
    assert put(first) == put(again) != put(other)


def test_sizes_are_at_least_their_least(pack: Pack) -> None:
    cases = with_cases(pack, '[given("x[n>=1,m>=4]")]')
    shapes = {c.label.split(" · ")[1]: c.inputs["x"].shape for c in cases}
    assert {n for n, _ in shapes.values()} & {0} == set()
    assert min(m for _, m in shapes.values()) == 4
    assert (shapes["smallest sizes"], shapes["all sizes 4"]) == ((1, 4), (4, 4))
    assert len(set(shapes["sizes all different"])) == 2
    drill = pack.load()
    small = [c.inputs["x"].shape for c in small_cases(drill, cases[0], 0)]
    assert min(small) == (1, 4)
    assert all(n >= 1 and m >= 4 for n, m in small)


@pytest.mark.parametrize(
    ("before", "options", "empty"),
    [("", "", 0), ("EMPTY = True\n", "", 2), ("EMPTY = True\n", ", empty=False", 0), ("", ", empty=True", 2)],
)
def test_battery_has_sizes_of_0_only_where_asked(pack: Pack, before: str, options: str, empty: int) -> None:
    pack.add(solution=('CASES = [given("x[n,m]")]', f'{before}CASES = [given("x[n,m]"{options})]'))
    assert sum(0 in case.sizes.values() for case in battery(pack.load(), 0)) == empty


def test_array_cases_cover_layouts_sizes_and_cotangents(pack: Pack) -> None:
    cases = with_cases(pack, '[given("x[n,m]", empty=True)]')
    what = [c.label.split(" · ")[1] for c in cases]
    assert what == [
        "sizes all different",
        "float32",
        "not contiguous",
        "every size 1",
        "every size 3",
        "n = 0",
        "m = 0",
        "zero cotangent",
        "tiny cotangent",
        "huge cotangent",
        "NaN cotangent",
        "large",
    ]
    assert cases[1].dtype == "float32"
    assert cases[2].strided
    n, m = cases[0].inputs["x"].shape
    assert [c.inputs["x"].shape for c in cases[3:7]] == [(1, 1), (3, 3), (0, m), (n, 0)]
    assert cases[7].cotangent == 0.0
    assert [(c.scale, c.dtype) for c in cases[8:10]] == [(2.0**-100, "float64"), (2.0**40, "float32")]
    assert [c.spoiled for c in cases[9:]] == [False, True, False]


def test_array_cases_may_leave_out_the_nan_cotangent(pack: Pack) -> None:
    assert not any(case.spoiled for case in with_cases(pack, '[given("x[n,m]", nan=False)]'))


def test_array_cases_alias_two_inputs_unless_forbidden(pack: Pack) -> None:
    for options, labels in (("", ["y is x"]), (", alias=False", []), (", y=normal(2)", [])):
        text = f"from autodrill.drills import normal\nCASES = [given('x[n,m] y[n,m]'{options})]"
        pack.add(solution=('CASES = [given("x[n,m]")]', text))
        shared = [c for c in battery(pack.load(), 0) if c.alias]
        assert [c.label.split(" · ")[1] for c in shared] == labels
        assert all(c.inputs["x"] is c.inputs["y"] for c in shared)


def test_distinct_sizes_differ_and_exceed_1(pack: Pack) -> None:
    pack.add(solution=("x[n,m]", "x[n,m,k] y[k,3]"))
    for seed in range(5):
        sizes = battery(pack.load(), seed)[0].inputs["x"].shape
        assert sorted(sizes) == [2, 3, 4]


def test_symbol_has_one_size_per_case(pack: Pack) -> None:
    for case in with_cases(pack, '[given("x[n,m] y[m]")]'):
        assert case.inputs["x"].shape[1:] == case.inputs["y"].shape


def test_literal_values_fix_shared_sizes(pack: Pack) -> None:
    for case in with_cases(pack, '[given("x[n] y[n,m]", x=[1.0, 2.0, 3.0])]'):
        assert case.inputs["y"].shape[0] == 3


def test_large_case_uses_the_entry_with_given_sizes(pack: Pack) -> None:
    *_, large = with_cases(pack, '[given("x[n,1] y[1,m]"), given("x[n]", large={"n": 70_000})]')
    assert large.large
    assert large.inputs["x"].shape == (70_000,)


def test_large_case_is_last_and_near_its_size(pack: Pack) -> None:
    cases = with_cases(pack, '[given("x[n,m]"), given("x[n]")]')
    assert [c.large for c in cases] == [False] * (len(cases) - 1) + [True]
    assert LARGE_ELEMENTS / 2 < cases[-1].inputs["x"].size < LARGE_ELEMENTS * 2


@pytest.mark.parametrize(
    ("arrays", "name", "shape"),
    [
        ("x[n,m] y[n]", "x", (2, 50_000)),
        ("y[k] x[k,n,m>=7]", "x", (2, 3, 16_666)),
        ("x[n,4]", "x", (25_000, 4)),
        ("W[n,n] x[n]", "W", (316, 316)),
        ("x[n,1] y[1,m>=9]", "y", (1, 9)),
    ],
)
def test_large_case_has_one_long_axis(pack: Pack, arrays: str, name: str, shape: tuple[int, ...]) -> None:
    *_, large = with_cases(pack, f'[given("{arrays}")]')
    assert large.inputs[name].shape == shape


def test_given_can_omit_empty_and_large_cases(pack: Pack) -> None:
    cases = with_cases(pack, '[given("x[n,m]", empty=False, large=False)]')
    assert not any("= 0" in c.label or c.large for c in cases)


def test_literal_values_give_one_case(pack: Pack) -> None:
    (case,) = with_cases(pack, '[given("x[2]", x=[1.0, 2.0], note="ties")]')
    assert case.label == "ties"
    np.testing.assert_array_equal(case.inputs["x"], [1.0, 2.0])


def test_value_cases_cover_zeros_cotangents_and_aliases(shipped: Library) -> None:
    labels = [c.label.partition(" · ")[2] for c in cases_of(shipped, "mul_backward")]
    expected = {"random values", "self = 0", "other = 0", "out.grad = 0", "out.grad negative", "other is self"}
    assert set(labels) >= expected


def test_aliased_value_case_has_equal_operands(shipped: Library) -> None:
    aliased = [c for c in cases_of(shipped, "mul_backward") if c.alias]
    assert aliased
    assert all(c.inputs["self"] == c.inputs["other"] for c in aliased)


def test_scenario_gives_a_case_per_size(shipped: Library) -> None:
    cases = [c for c in cases_of(shipped, "topological_sort") if c.label == "a random graph"]
    assert [c.size for c in cases] == [1, 2, 3, 5, 8, 12]


def test_small_cases_grow_within_the_class(pack: Pack) -> None:
    pack.add(solution=('[given("x[n,m]")]', '[given("x[n,m]", power=2), given("x[n,m]", power=3)]'))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace("def forward(x)", "def forward(x, power)")
    file.write_text(text, encoding="utf-8")
    drill = pack.load()
    like = next(c for c in battery(drill, 0) if c.static["power"] == 3 and c.dtype == "float32")
    small = list(islice(small_cases(drill, like, 0), 9))
    shapes = [c.inputs["x"].shape for c in small if max(c.inputs["x"].shape) > 1]
    assert shapes == sorted(shapes, key=sum)
    assert max(shapes[0]) <= 2
    assert {(c.static["power"], c.dtype, c.simple, c.large) for c in small} == {(3, "float32", True, False)}


def test_small_cases_leave_no_alarm_between_two(shipped: Library) -> None:
    """An alarm for the author's code that stays set ends the process while it grades another file."""
    drill = shipped.drill(shipped.find("mul_broadcast_backward"))
    suspended = small_cases(drill, battery(drill, 0)[0], 0)
    handler = signal.getsignal(signal.SIGALRM)
    next(suspended)
    assert signal.getsignal(signal.SIGALRM) is handler


def test_small_cases_begin_with_small_integers(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    first = battery(drill, 0)[0]
    values = np.concatenate([c.inputs["x"].ravel() for c in islice(small_cases(drill, first, 0), 9)])
    assert set(np.abs(values)) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_small_value_cases_begin_with_simple_numbers(shipped: Library) -> None:
    exercise = shipped.find("mul_backward")
    drill = shipped.drill(exercise)
    like = battery(drill, 0)[0]
    first = next(small_cases(drill, like, 0))
    assert set(first.inputs.values()) <= {1.0, 2.0, 3.0}
    assert len(set(first.inputs.values())) == 2
    assert (first.cotangent, first.simple) == (1.0, True)


def test_small_cases_of_an_aliased_case_are_aliased(shipped: Library) -> None:
    exercise = shipped.find("mul_backward")
    drill = shipped.drill(exercise)
    like = next(c for c in battery(drill, 0) if c.alias)
    assert all(c.alias and len(set(c.inputs.values())) == 1 for c in small_cases(drill, like, 0))


def test_case_at_returns_the_case_of_an_index(shipped: Library) -> None:
    cases = cases_of(shipped, "mul_backward")
    assert case_at(cases, 2) is cases[2]
    for index in (-1, len(cases)):
        with pytest.raises(UsageError, match=f"no case {index}: this exercise has cases 0 to {len(cases) - 1}"):
            case_at(cases, index)


def test_failing_drawing_rule_is_an_internal_error(pack: Pack) -> None:
    with pytest.raises(InternalError, match="the exercise's `CASES` raises ZeroDivisionError"):
        with_cases(pack, '[given("x[n]", x=lambda rng, shape, sizes: 1 / 0)]')


def test_estimator_has_fewer_draws_in_secondary_cases(shipped: Library) -> None:
    cases = cases_of(shipped, "reinforce_backward")
    drawn = [c for c in cases if " · " in c.label and c.label.startswith("logits")]
    draws = {c.label.split(" · ")[1]: c.draws for c in drawn}
    assert draws == {
        "sizes all different": 120,
        "float32": 30,
        "not contiguous": 30,
        "every size 1": 120,
        "every size 3": 120,
        "zero cotangent": 30,
    }
