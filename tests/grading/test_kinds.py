"""Kinds of exercises other than `backward`, each with a small exercise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.errors import ContentError
from autodrill.grading.report import Verdict
from tests.grading.making import grader, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.grading.report import Report
    from tests.grading.making import Graded


@pytest.fixture
def graded(tmp_path: Path) -> Graded:
    """Grade a file against an exercise made of its parts."""
    return grader(tmp_path)


PRODUCT = 'CASES = [given("X[n,d] W[d,k]")]\n\n\ndef forward(X, W):\n    return engine.matmul(X, W)\n'


class TestJVP:
    STUB = "def matmul_jvp(X, W, dX, dW):\n    raise NotImplementedError\n"

    @pytest.fixture
    def jvp(self, graded: Graded) -> Callable[[str], Report]:
        def jvp(line: str) -> Report:
            return graded(
                f"{self.STUB.partition('    ')[0]}    return {line}\n", "jvp", self.STUB, PRODUCT, name="matmul_jvp"
            )

        return jvp

    def test_jvp_accepts_the_right_answer(self, jvp: Callable[[str], Report]) -> None:
        report = jvp("dX @ W + X @ dW")
        assert (report.verdict, report.remarks) == (Verdict.PASS, ())
        assert report.passed == report.cases >= 7

    @pytest.mark.parametrize("line", ["dX @ W", "dX @ W - X @ dW", "g_nothing", "X @ W"])
    def test_jvp_rejects_a_wrong_answer(self, jvp: Callable[[str], Report], line: str) -> None:
        assert jvp(line).verdict is Verdict.FAIL

    def test_jvp_rejects_a_second_order_term(self, jvp: Callable[[str], Report]) -> None:
        # The second-order term is invisible only where a tangent is 0.
        assert jvp("dX @ W + X @ dW + dX @ dW").verdict is Verdict.FAIL

    def test_jvp_names_a_wrong_number_or_dtype(self, jvp: Callable[[str], Report]) -> None:
        assert kind_of(jvp("(dX @ W, X @ dW)")) is FaultKind.ARITY
        assert (
            kind_of(jvp("(dX @ W + X @ dW).astype(np.float64)".replace("np", "__import__('numpy')"))) is FaultKind.DTYPE
        )


PAIR = """def thing_forward(x, w):
    out = {out}
    return out, {cache}


def thing_backward(g, cache):
    x, w = {unpacked}
    return {grads}
"""
PAIR_STUB = """def thing_forward(x, w):
    raise NotImplementedError


def thing_backward(g, cache):
    raise NotImplementedError
"""
PAIR_REST = 'CASES = [given("x[n,m] w[m]")]\n\n\ndef forward(x, w):\n    return x * w * w\n'


class TestForwardBackward:
    @pytest.fixture
    def pair(self, graded: Graded) -> Callable[..., Report]:
        right = {
            "out": "x * w * w",
            "cache": "(x, w)",
            "unpacked": "cache",
            "grads": "g * w * w, (g * 2 * x * w).sum(axis=0)",
        }

        def pair(**changes: str) -> Report:
            answer = PAIR.format(**{**right, **changes})
            return graded(answer, "forward_backward", PAIR_STUB, PAIR_REST, solution=PAIR.format(**right))

        return pair

    def test_forward_backward_accepts_any_cache(self, pair: Callable[..., Report]) -> None:
        assert pair().verdict is Verdict.PASS
        odd = pair(cache="{'b': [w], 'a': lambda: x}", unpacked="cache['a'](), cache['b'][0]")
        assert (odd.verdict, odd.remarks) == (Verdict.PASS, ())

    def test_forward_backward_names_a_wrong_forward_first(self, pair: Callable[..., Report]) -> None:
        report = pair(out="x * w", grads="g * w, (g * x).sum(axis=0)")
        assert report.failure is not None
        assert report.failure.summary.startswith("out is wrong")

    def test_forward_backward_takes_names_of_outputs(self, graded: Graded) -> None:
        answer = """def thing_forward(x, w):
    return (x * w, x + w), (x, w)


def thing_backward(g, h, cache):
    x, w = cache
    return g * w + h, (g * x + h).sum(axis=0)
"""
        wrong = answer.replace("x + w)", "x - w)")
        stub = PAIR_STUB.replace("(g, cache)", "(g, h, cache)")
        rest = PAIR_REST.replace("x * w * w", "x * w, x + w") + '\n\nCOTANGENTS = ("g", "h")\nOUTPUTS = ("y", "z")\n'
        assert graded(answer, "forward_backward", stub, rest).verdict is Verdict.PASS
        report = graded(wrong, "forward_backward", stub, rest, solution=answer)
        assert report.failure is not None
        assert report.failure.summary.startswith("z is wrong")

    def test_forward_backward_names_a_wrong_gradient(self, pair: Callable[..., Report]) -> None:
        report = pair(grads="g * w * w, (g * x * w).sum(axis=0)")
        assert report.failure is not None
        assert report.failure.summary.startswith("dw is wrong")

    def test_forward_backward_names_a_missing_cache(self, pair: Callable[..., Report]) -> None:
        report = pair(out="x * w * w\n    return out")
        assert report.failure is not None
        assert "thing_forward must return a pair of the output and the cache" in report.failure.summary

    def test_forward_backward_puts_another_forward_in_between(self, pair: Callable[..., Report]) -> None:
        answer = pair(cache="globals().update(kept=(x, w))", unpacked="kept")
        assert answer.verdict is Verdict.FAIL

    def test_forward_backward_names_a_changed_argument(self, pair: Callable[..., Report]) -> None:
        assert (
            kind_of(
                pair(
                    grads="g * w * w, (np.multiply(g, 2, out=g) * x * w).sum(axis=0)".replace(
                        "np", "__import__('numpy')"
                    )
                )
            )
            is FaultKind.MUTATED
        )

    def test_forward_backward_names_a_missing_half(self, graded: Graded) -> None:
        right = PAIR.format(
            out="x * w * w", cache="(x, w)", unpacked="cache", grads="g * w * w, (g * 2 * x * w).sum(axis=0)"
        )
        half = right[right.index("def thing_backward") :]
        report = graded(half, "forward_backward", PAIR_STUB, PAIR_REST, solution=right)
        assert report.failure is not None
        assert report.failure.summary.startswith("the file defines no `thing_forward`")

    def test_forward_backward_accepts_a_layer_with_its_cache(self, graded: Graded) -> None:
        stub = """class Scale:
    def forward(self, x, w):
        raise NotImplementedError

    def backward(self, g):
        raise NotImplementedError
"""
        layer = """class Scale:
    def forward(self, x, w):
        self.x, self.w = x, w
        return x * w * w

    def backward(self, g):
        return g * self.w**2, (g * 2 * self.x * self.w).sum(axis=0)
"""
        more = '\n# entry = "Scale"'
        assert graded(layer, "forward_backward", stub, PAIR_REST, more=more).verdict is Verdict.PASS
        shared = layer.replace("self.x", "Scale.x").replace("self.w", "Scale.w")
        shared = shared.replace("Scale.x, Scale.w =", "Scale.x, Scale.w =")
        assert graded(shared, "forward_backward", stub, PAIR_REST, more=more, solution=layer).verdict is Verdict.FAIL


FUNCTION = """class Scaled:
    @staticmethod
    def forward(ctx, x, w, power):
        ctx.save_for_backward(x, w)
        ctx.power = power
        return x * w**power

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return {grads}
"""
FUNCTION_STUB = """class Scaled:
    @staticmethod
    def forward(ctx, x, w, power):
        raise NotImplementedError

    @staticmethod
    def backward(ctx, g):
        raise NotImplementedError
"""
FUNCTION_REST = """CASES = [given("x[n] w[n]", power=2), given("x[n] w[n]", power=3)]


def forward(x, w, power):
    return x * w**power
"""
FUNCTION_GRADS = "g * w**ctx.power, g * x * ctx.power * w ** (ctx.power - 1), None"


class TestFunction:
    @pytest.fixture
    def function(self, graded: Graded) -> Callable[..., Report]:
        right = FUNCTION.format(grads=FUNCTION_GRADS)

        def function(grads: str = FUNCTION_GRADS, change: tuple[str, str] = ("", "")) -> Report:
            answer = FUNCTION.format(grads=grads)
            answer = answer.replace(*change) if change[0] else answer
            return graded(answer, "function", FUNCTION_STUB, FUNCTION_REST, more='\n# entry = "Scaled"', solution=right)

        return function

    def test_function_passes_saved_values_in_the_context(self, function: Callable[..., Report]) -> None:
        assert function().verdict is Verdict.PASS

    def test_function_requires_a_gradient_or_none_per_argument(self, function: Callable[..., Report]) -> None:
        report = function(FUNCTION_GRADS.removesuffix(", None"))
        assert report.failure is not None
        assert report.failure.summary.startswith("backward returns 2 gradients for 3 arguments of forward")
        assert kind_of(function(FUNCTION_GRADS.replace("None", "g"))) is FaultKind.TYPE
        assert function(FUNCTION_GRADS.replace("ctx.power * w", "w")).verdict is Verdict.FAIL

    def test_function_gets_a_new_context_for_each_call(self, function: Callable[..., Report]) -> None:
        assert function(change=("ctx.", "Scaled.")).verdict is Verdict.FAIL
        assert function(change=("x * w**power", "x + w**power")).verdict is Verdict.FAIL


def test_method_is_called_on_a_new_instance(graded: Graded) -> None:
    stub = "class Cube:\n    def backward(self, g, x):\n        raise NotImplementedError\n"
    answer = """class Cube:
    def __init__(self):
        self.calls = 0

    def backward(self, g, x):
        self.calls += 1
        return 3 * x * x * g * self.calls
"""
    rest = 'CASES = [given("x[n]")]\n\n\ndef forward(x):\n    return x * x * x\n'
    assert graded(answer, "backward", stub, rest, more='\n# entry = "Cube.backward"').verdict is Verdict.PASS
    report = graded(
        "class Cube:\n    pass\n", "backward", stub, rest, more='\n# entry = "Cube.backward"', solution=answer
    )
    assert report.failure is not None
    assert report.failure.summary.startswith("the file defines no `Cube.backward`")


class TestProgram:
    STUB = "def thing(x):\n    raise NotImplementedError\n"
    SCENARIO = """
from autodrill.drills import scenario

@scenario(1, 3)
def numbers(rng, size):
    return {"x": rng.normal(size=size)}

CASES = [numbers]

def drive(candidate, x):
    y = candidate(x)
    return {"doubled": y, "total": y.sum()}

def expected(x):
    return {"doubled": 2 * x, "total": 2 * x.sum()}
"""

    @pytest.mark.parametrize(("line", "verdict"), [("2 * x", Verdict.PASS), ("x + 2", Verdict.FAIL)])
    def test_program_takes_results_of_a_scenario_by_name(self, graded: Graded, line: str, verdict: Verdict) -> None:
        answer = f"def thing(x):\n    return {line}\n"
        report = graded(
            answer, "program", self.STUB, self.SCENARIO, name="thing", solution="def thing(x):\n    return 2 * x\n"
        )
        assert report.verdict is verdict


LOSS = """def mse_loss(x, y):
    n = x.size
    loss = {loss}
    return {returned}
"""
LOSS_STUB = "def mse_loss(x, y):\n    raise NotImplementedError\n"
LOSS_REST = """OUTPUTS = ("loss",)
WRT = ("x",)
CASES = [given("x[n,d] y[n,d]")]


def forward(x, y):
    return ((x - y) ** 2).mean()
"""
LOSS_RIGHT = LOSS.format(loss="((x - y) ** 2).mean()", returned="loss, 2 * (x - y) / n")


class TestLossWithItsGradient:
    @pytest.fixture
    def mse(self, graded: Graded) -> Callable[..., Report]:
        def mse(loss: str = "((x - y) ** 2).mean()", returned: str = "loss, 2 * (x - y) / n", more: str = "") -> Report:
            answer = LOSS.format(loss=loss, returned=returned)
            rest = LOSS_REST + more
            return graded(answer, "backward", LOSS_STUB, rest, name="mse_loss", solution=LOSS_RIGHT)

        return mse

    def test_loss_and_gradient_pass_together(self, mse: Callable[..., Report]) -> None:
        report = mse()
        assert report.verdict is Verdict.PASS, report
        assert report.remarks == ()
        assert report.cases >= 5

    @pytest.mark.parametrize(
        ("loss", "returned", "wrong"),
        [
            ("((x - y) ** 2).sum()", "loss, 2 * (x - y) / n", ["loss"]),
            ("((x - y) ** 2).mean()", "loss, 2 * (x - y)", ["dx"]),
            ("((x - y) ** 2).mean()", "loss, 2 * (y - x) / n", ["dx"]),
            ("((x - y) ** 2).sum()", "loss, 2 * (x - y)", ["loss", "dx"]),
        ],
    )
    def test_loss_and_gradient_are_graded_apart(
        self, mse: Callable[..., Report], loss: str, returned: str, wrong: list[str]
    ) -> None:
        report = mse(loss, returned)
        assert report.failure is not None
        assert [row.name for row in report.failure.comparisons if row.wrong] == wrong
        assert report.failure.rule is None or report.failure.rule.key not in {"ignores-upstream", "nonlinear-in-g"}

    @pytest.mark.parametrize("returned", ["2 * (x - y) / n", "loss"])
    def test_loss_without_gradient_is_one_result_short(self, mse: Callable[..., Report], returned: str) -> None:
        report = mse(returned=returned)
        assert kind_of(report) is FaultKind.ARITY
        assert report.failure is not None
        assert "must return 2 results (loss, dx)" in report.failure.summary

    def test_loss_gradient_must_use_a_cotangent_it_receives(self, graded: Graded) -> None:
        right, wrong = (
            LOSS.replace("(x, y)", "(g, x, y)").format(
                loss="((x - y) ** 2).mean()", returned=f"loss, {factor}2 * (x - y) / n"
            )
            for factor in ("g * ", "")
        )
        stub = LOSS_STUB.replace("(x, y)", "(g, x, y)")
        verdicts = [
            graded(answer, "backward", stub, LOSS_REST, name="mse_loss", solution=right).verdict
            for answer in (right, wrong)
        ]
        assert verdicts == [Verdict.PASS, Verdict.FAIL]

    def test_outputs_have_no_meaning_for_a_program(self, graded: Graded) -> None:
        with pytest.raises(ContentError, match="`OUTPUTS` has no meaning for the kind `program`"):
            graded(LOSS_RIGHT, "program", LOSS_STUB, LOSS_REST, name="mse_loss")


RUNNING_STUB = """def center_forward(x, state):
    raise NotImplementedError


def center_backward(g, cache):
    raise NotImplementedError
"""
RUNNING = """def center_forward(x, state):
    mean = x.mean(axis=0)
    state["mean"] = 0.9 * state["mean"] + 0.1 * mean
    return x - mean, x.shape


def center_backward(g, cache):
    return g - g.mean(axis=0)
"""
RUNNING_REST = """CASES = [given("x[n,d]")]


def saved(x):
    return {"state": {"mean": np.zeros(x.shape[1])}}


def forward(x):
    return x - x.mean(axis=0)
"""


@pytest.mark.parametrize("in_place", [False, True])
def test_argument_may_be_edited_if_the_exercise_says_so(graded: Graded, in_place: bool) -> None:
    answer = RUNNING
    if in_place:
        answer = answer.replace('state["mean"] = 0.9 * state["mean"] + 0.1 * mean', 'state["mean"] += 0.1 * mean')
    for more, verdict in (("", Verdict.FAIL), ('\nMAY_EDIT = ("state",)\n', Verdict.PASS)):
        report = graded(answer, "forward_backward", RUNNING_STUB, RUNNING_REST + more, name="center_backward")
        assert report.verdict is verdict, report
        if report.failure is not None:
            assert report.failure.summary == "the call changes the argument state"


def test_argument_that_may_not_be_edited_is_still_checked(graded: Graded) -> None:
    answer = RUNNING.replace("    return x - mean, x.shape", "    x -= mean\n    return x.copy(), x.shape")
    rest = RUNNING_REST + '\nMAY_EDIT = ("state",)\n'
    report = graded(answer, "forward_backward", RUNNING_STUB, rest, name="center_backward", solution=RUNNING)
    assert kind_of(report) is FaultKind.MUTATED
    assert report.failure is not None
    assert report.failure.summary == "the call changes the argument x"
