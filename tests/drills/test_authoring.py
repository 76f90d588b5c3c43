from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.authoring import (
    away_from_zero,
    below,
    elementwise,
    given,
    gradient,
    normal,
    scenario,
    shared,
    uniform,
)
from autodrill.errors import InternalError

if TYPE_CHECKING:
    from pathlib import Path


def test_given_parses_arrays_and_dimensions() -> None:
    entry = given("X[n,d] W[d, k] b[1] s[]")
    assert entry.arrays == {"X": ("n", "d"), "W": ("d", "k"), "b": (1,), "s": ()}
    assert entry.symbols == ("n", "d", "k")


def test_given_sorts_options_by_name() -> None:
    entry = given("x[]", x=2.0, g=1.0, axis=-1, smooth=False, note="at the kink")
    assert entry.values == {"x": 2.0, "g": 1.0}
    assert entry.static == {"axis": -1}
    assert (entry.smooth, entry.note) == (False, "at the kink")


def test_given_parses_least_sizes() -> None:
    entry = given("x[n,h>=3,w] k[h >= 2,2]")
    assert entry.arrays == {"x": ("n", "h", "w"), "k": ("h", 2)}
    assert entry.least == {"h": 3}


@pytest.mark.parametrize("pattern", ["x[n", "x", "x[n] y", "[n]", "x[n>=]", "x[>=3]", "x[3>=n]", "x[n => 3]", "x[n+1]"])
def test_given_rejects_malformed_patterns(pattern: str) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        given(pattern)


def test_given_rejects_a_repeated_array() -> None:
    with pytest.raises(ValueError, match="`x` is declared twice"):
        given("x[n] x[m]")


def test_given_rejects_a_large_size_that_no_array_has() -> None:
    with pytest.raises(ValueError, match="a size for `B`"):
        given("x[n,m] y[n]", large={"n": 3, "B": 4})


def test_elementwise_repeats_its_classes_for_each_option() -> None:
    made = elementwise("u", at=[1.0], kinks=[0.0], alpha=[1.0, 0.5])
    first = ["", "chosen points", "values from 4 to 20", "next to 0", "at the kinks", "far from 0", "one number"]
    assert [e.note for e in made] == first * 2
    assert [e.static["alpha"] for e in made] == [1.0] * 7 + [0.5] * 7
    assert [e.note for e in made if not e.smooth] == ["next to 0", "at the kinks"] * 2
    assert [e.empty for e in made] == [True, *[None] * 13]
    assert {name for e in made for name in e.arrays} == {"u"}
    with pytest.raises(ValueError, match="shorter"):
        elementwise(at=[1.0], alpha=[1.0, 2.0], beta=[1.0])


def test_elementwise_keeps_random_values_off_the_kinks() -> None:
    near, *_, far, _ = elementwise(at=[1.0], kinks=[0.0, 6.0])
    drawn = near.values["x"](np.random.default_rng(0), (9999,), {})
    assert min(np.abs(drawn).min(), np.abs(drawn - 6).min()) >= 0.1
    distant = far.values["x"](np.random.default_rng(0), (9999,), {})
    assert (np.abs(distant).min() >= 9.9, distant.max(), distant.min()) == (True, 1000, -1000)
    assert list(far.values["x"](np.random.default_rng(0), (2,), {})) == [1000, -1000]


@pytest.mark.parametrize(("kinks", "note"), [([], "next to 0"), ([0.0, 6.0], "next to 0 and to each kink")])
def test_elementwise_has_values_close_to_0_and_to_the_kinks(kinks: list[float], note: str) -> None:
    made = {e.note: e for e in elementwise(at=[1.0], kinks=kinks)}
    beside = np.array(made[note].values["x"])
    assert made[note].smooth == (not kinks)
    for point in {0.0, *kinks}:
        for low, high in ((0, 1e-8), (1e-8, 0.01)):
            gaps = [float(gap) for gap in beside - point if low < abs(gap) < high]
            assert sorted(np.sign(gaps)) == [-1, 1]


def test_elementwise_has_moderate_values_of_both_signs() -> None:
    made = {e.note: e for e in elementwise(at=[1.0])}
    sizes = [4.5, 5.5, 6.5, 8.0, 12.0, 20.0]
    assert sorted(made["values from 4 to 20"].values["x"]) == [*(-size for size in reversed(sizes)), *sizes]


def test_scenario_takes_its_note_from_the_function() -> None:
    @scenario(3, 1, 2)
    def random_graph(rng: np.random.Generator, size: int) -> dict[str, int]:
        return {"size": size}

    assert (random_graph.note, random_graph.sizes) == ("random graph", (1, 2, 3))


def test_drawing_rules_follow_their_distributions() -> None:
    rng = np.random.default_rng(0)
    shape = (10_000,)
    assert np.abs(away_from_zero(0.25)(rng, shape, {})).min() >= 0.25
    drawn = uniform(2, 3)(rng, shape, {})
    assert (drawn.min() >= 2, drawn.max() < 3) == (True, True)
    # Five standard errors of a mean and of a standard deviation of 10,000 draws.
    many = normal(4.0, mean=7.0)(rng, shape, {})
    assert many.mean() == pytest.approx(7, abs=5 * 4 / 100)
    assert many.std() == pytest.approx(4, abs=5 * 4 / np.sqrt(20_000))


def test_given_number_fills_the_declared_shape() -> None:
    fill = given("x[n,m] y[n]", x=2.0).values["x"]
    np.testing.assert_array_equal(fill(np.random.default_rng(0), (2, 3), {}), [[2.0, 2.0, 2.0], [2.0, 2.0, 2.0]])


def test_below_draws_indices_under_the_bound() -> None:
    rng = np.random.default_rng(0)
    drawn = below("n")(rng, (1000,), {"n": 3})
    assert drawn.dtype == np.int64
    assert set(drawn) == {0, 1, 2}
    assert set(below(2)(rng, (1000,), {})) == {0, 1}
    assert below("n")(rng, (0,), {"n": 0}).shape == (0,)


def test_gradient_matches_the_closed_form() -> None:
    # d/dx sum(x² y) = 2xy, d/dy = x²: exact in the engine but for rounding.
    x, y = np.array([1.0, 2.0]), np.array([3.0, -1.0])
    dx, dy = gradient(lambda a, b: (a * a * b).sum(), x, y)
    np.testing.assert_allclose(dx, 2 * x * y, rtol=1e-15)
    np.testing.assert_allclose(dy, x * x, rtol=1e-15)


def test_gradient_rejects_a_kink() -> None:
    # |x| at 0: the engine returns a subgradient, and one-sided differences contradict it.
    with pytest.raises(InternalError, match="disagree"):
        gradient(lambda a: (a * a + 0.0) ** 0.5 if a > 0 else 0.0 * a, np.asarray(0.0))


def test_shared_executes_the_module_for_each_caller(tmp_path: Path) -> None:
    (tmp_path / "_graphs.py").write_text("CHAIN = [1, 2]\n", encoding="utf-8")
    mine, other = (shared(str(tmp_path / name), "_graphs") for name in ("a.py", "b.py"))
    mine.CHAIN.append(3)
    assert (mine.CHAIN, other.CHAIN) == ([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match=r"`graphs\.py` would be read as a solution file"):
        shared(str(tmp_path / "a.py"), "graphs")
