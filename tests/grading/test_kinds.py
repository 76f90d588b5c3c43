"""Kinds of exercise beyond a plain backward, bounds, estimators and customs, each on a small exercise of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.library import Library
from autodrill.errors import ContentError
from autodrill.grading.child.ranks import in_step
from autodrill.grading.judge import Submission, grade
from autodrill.grading.report import FaultKind, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from autodrill.grading.report import Report

    Graded = Callable[..., Report]

HEADER = """# /// autodrill
# title = "A test"
# kind = "{kind}"
# difficulty = "easy"
# minutes = 3
# topics = ["testing"]{more}
# ///
"""
BEFORE = '''"""Why."""

import numpy as np

from autodrill import engine
from autodrill.drills import given, mistake

HINTS = ("a", "b", "c")
'''


@pytest.fixture
def graded(tmp_path: Path) -> Graded:
    """Grade a file against an exercise made of its parts."""

    def graded(
        answer: str,
        kind: str,
        stub: str,
        rest: str,
        *,
        name: str = "thing_backward",
        more: str = "",
        solution: str = "",
    ) -> Report:
        for folder, text in (
            ("exercises", f'{HEADER.format(kind=kind, more=more)}"""Do it."""\n\n{stub}'),
            ("solutions", f"{BEFORE}{rest}\n\n{solution or answer}"),
        ):
            path = tmp_path / folder / "demo" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        library = Library([tmp_path])
        exercise = library.find(name)
        handed_in = Submission(answer.encode(), "a.py", "a.py")
        return grade(exercise, library.solution(exercise), handed_in, seed=3)

    return graded


def kind_of(report: Report) -> FaultKind:
    assert report.failure is not None, report
    return report.failure.kind


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

    def test_the_engine_s_forward_mode_is_what_is_right(self, jvp: Callable[[str], Report]) -> None:
        report = jvp("dX @ W + X @ dW")
        assert (report.verdict, report.remarks) == (Verdict.PASS, ())
        assert report.passed == report.cases >= 7

    @pytest.mark.parametrize("line", ["dX @ W", "dX @ W - X @ dW", "g_nothing", "X @ W"])
    def test_what_is_wrong_fails(self, jvp: Callable[[str], Report], line: str) -> None:
        assert jvp(line).verdict is Verdict.FAIL

    def test_it_is_linear_in_the_tangents(self, jvp: Callable[[str], Report]) -> None:
        # The second-order term is invisible only where a tangent is 0.
        assert jvp("dX @ W + X @ dW + dX @ dW").verdict is Verdict.FAIL

    def test_it_returns_one_tangent_in_its_own_dtype(self, jvp: Callable[[str], Report]) -> None:
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

    def test_the_cache_is_the_candidate_s_own(self, pair: Callable[..., Report]) -> None:
        assert pair().verdict is Verdict.PASS
        odd = pair(cache="{'b': [w], 'a': lambda: x}", unpacked="cache['a'](), cache['b'][0]")
        assert (odd.verdict, odd.remarks) == (Verdict.PASS, ())

    def test_a_backward_that_differentiates_a_wrong_forward_fails_for_the_forward(
        self, pair: Callable[..., Report]
    ) -> None:
        report = pair(out="x * w", grads="g * w, (g * x).sum(axis=0)")
        assert report.failure is not None
        assert report.failure.summary.startswith("out is wrong")

    def test_outputs_have_the_names_they_are_given(self, graded: Graded) -> None:
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

    def test_a_right_forward_s_backward_is_judged(self, pair: Callable[..., Report]) -> None:
        report = pair(grads="g * w * w, (g * x * w).sum(axis=0)")
        assert report.failure is not None
        assert report.failure.summary.startswith("dw is wrong")

    def test_a_forward_without_a_cache_is_told_so(self, pair: Callable[..., Report]) -> None:
        report = pair(out="x * w * w\n    return out")
        assert report.failure is not None
        assert "thing_forward must return a pair, its output and its cache" in report.failure.summary

    def test_another_pass_comes_in_between(self, pair: Callable[..., Report]) -> None:
        answer = pair(cache="globals().update(kept=(x, w))", unpacked="kept")
        assert answer.verdict is Verdict.FAIL

    def test_an_argument_that_is_changed_is_a_fault(self, pair: Callable[..., Report]) -> None:
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

    def test_a_missing_half_is_named(self, graded: Graded) -> None:
        right = PAIR.format(
            out="x * w * w", cache="(x, w)", unpacked="cache", grads="g * w * w, (g * 2 * x * w).sum(axis=0)"
        )
        half = right[right.index("def thing_backward") :]
        report = graded(half, "forward_backward", PAIR_STUB, PAIR_REST, solution=right)
        assert report.failure is not None
        assert report.failure.summary.startswith("the file defines no `thing_forward`")

    def test_a_layer_may_keep_it_in_itself(self, graded: Graded) -> None:
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

    def test_what_is_saved_goes_through_the_context(self, function: Callable[..., Report]) -> None:
        assert function().verdict is Verdict.PASS

    def test_there_is_a_gradient_for_every_argument_or_none(self, function: Callable[..., Report]) -> None:
        report = function(FUNCTION_GRADS.removesuffix(", None"))
        assert report.failure is not None
        assert report.failure.summary.startswith("backward returns 2 gradients for 3 arguments of forward")
        assert kind_of(function(FUNCTION_GRADS.replace("None", "g"))) is FaultKind.TYPE
        assert function(FUNCTION_GRADS.replace("ctx.power * w", "w")).verdict is Verdict.FAIL

    def test_a_context_is_each_call_s_own(self, function: Callable[..., Report]) -> None:
        assert function(change=("ctx.", "Scaled.")).verdict is Verdict.FAIL
        assert function(change=("x * w**power", "x + w**power")).verdict is Verdict.FAIL


def test_a_method_is_asked_of_a_fresh_instance(graded: Graded) -> None:
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


class TestBounds:
    STUB = "def thing_backward(g, x):\n    raise NotImplementedError\n"
    REST = """CASES = [
    given("x[n]", large=False),
    given("x[n]", large={{"n": 2000}}, {bound}, because="the n x n matrix"),
]


def forward(x):
    return x * x
"""
    RIGHT = "def thing_backward(g, x):\n    return 2 * x * g\n"

    @pytest.fixture
    def bounded(self, graded: Graded) -> Callable[..., Report]:
        def bounded(line: str, bound: str, before: str = "POOL = []") -> Report:
            answer = (
                f"import time\nimport numpy as np\n{before}\n{self.RIGHT.replace('    ', f'    {line}{chr(10)}    ')}"
            )
            return graded(answer, "backward", self.STUB, self.REST.format(bound=bound), solution=self.RIGHT)

        return bounded

    @pytest.mark.parametrize(
        "line",
        [
            "np.diag(2 * x) @ g",
            "[bytearray(1 << 20) for _ in range(16)]",
            "POOL.append(np.ones((len(x), len(x)), np.float32))",
            "import numpy.linalg; np.ones(1 << 22)",
        ],
    )
    def test_too_much_memory_is_refused_by_its_name(self, bounded: Callable[..., Report], line: str) -> None:
        report = bounded(line, "memory=4 << 20")
        assert report.failure is not None
        assert (report.failure.kind, report.failure.summary) == (
            FaultKind.TOO_MUCH_MEMORY,
            "too much memory: the n x n matrix",
        )

    def test_memory_that_was_put_by_when_the_file_was_loaded_counts(self, bounded: Callable[..., Report]) -> None:
        report = bounded("POOL", "memory=4 << 20", "POOL = bytearray(1 << 25)")
        assert kind_of(report) is FaultKind.TOO_MUCH_MEMORY

    def test_memory_that_a_small_case_has_let_go_of_does_not(self, bounded: Callable[..., Report]) -> None:
        assert bounded("len(x) > 100 or np.ones(1 << 22)", "memory=4 << 20").verdict is Verdict.PASS

    def test_what_is_needed_is_not_refused(self, bounded: Callable[..., Report]) -> None:
        assert bounded("np.ones(1 << 17)", "memory=4 << 20").verdict is Verdict.PASS

    def test_the_candidate_cannot_take_the_bound_back(self, bounded: Callable[..., Report]) -> None:
        line = (
            "import resource; most = resource.getrlimit(resource.RLIMIT_AS)[1]\n"
            "    try:\n        resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
            "    except (ValueError, OSError):\n        pass\n    np.ones(1 << 23)"
        )
        assert kind_of(bounded(line, "memory=4 << 20")) is FaultKind.TOO_MUCH_MEMORY

    def test_too_much_time_is_refused_by_its_name(self, bounded: Callable[..., Report]) -> None:
        report = bounded("time.sleep(0.6 if len(x) > 100 else 0)", "seconds=0.5")
        assert report.failure is not None
        assert (report.failure.kind, report.failure.summary) == (
            FaultKind.TOO_SLOW,
            "too much time, no answer after 0.5 s: the n x n matrix",
        )

    def test_a_bound_says_what_costs_too_much(self, graded: Graded) -> None:
        rest = self.REST.format(bound="memory=4 << 20").replace(', because="the n x n matrix"', "")
        with pytest.raises(
            ContentError, match=r"thing_backward.py:11: ValueError: a bound on `memory` or `seconds` says"
        ):
            graded(self.RIGHT, "backward", self.STUB, rest)


class TestEstimators:
    STUB = "def thing_backward(g, x, noise):\n    raise NotImplementedError\n"
    REST = """CASES = [given("x[n]", draws=100, empty=False)]


def forward(x):
    return x * x


def sample(rng, x):
    return {"noise": rng.normal(size=x.shape)}


def deviation(g, x):
    return np.abs(g)
"""

    @pytest.fixture
    def estimator(self, graded: Graded) -> Callable[[str], Report]:
        def estimator(line: str) -> Report:
            head = self.STUB.partition("    ")[0]
            right = f"{head}    return g * (2 * x + noise.astype(x.dtype))\n"
            return graded(f"{head}    return {line}\n", "backward", self.STUB, self.REST, solution=right)

        return estimator

    @pytest.mark.parametrize(
        "line", ["g * (2 * x + noise.astype(x.dtype))", "g * (2 * x - noise.astype(x.dtype))", "2 * g * x"]
    )
    def test_what_is_right_on_average_passes(self, estimator: Callable[[str], Report], line: str) -> None:
        assert estimator(line).verdict is Verdict.PASS

    @pytest.mark.parametrize(
        ("line", "kind"),
        [
            ("g * (3 * x + noise.astype(x.dtype))", FaultKind.VALUE),
            ("g * (2 * x + abs(noise).astype(x.dtype))", FaultKind.VALUE),
            ("g * (2 * x + (3 * noise).astype(x.dtype))", FaultKind.NOISY),
            ("g * (3 * x + (1000 * noise).astype(x.dtype))", FaultKind.VALUE),
            ("(g * (2 * x + noise.astype(x.dtype)))[:-1]", FaultKind.SHAPE),
            ("g * (2 * x + noise)", FaultKind.DTYPE),
            ("None", FaultKind.NOTHING),
        ],
    )
    def test_bias_and_needless_noise_fail(self, estimator: Callable[[str], Report], line: str, kind: FaultKind) -> None:
        assert kind_of(estimator(line)) is kind


class TestCustoms:
    STUB = "def thing_backward(dout, x, b):\n    raise NotImplementedError\n"
    REST = """CASES = [given("x[n,m] b[m]")]
COTANGENTS = ("dout",)
REMARKS = {remarks}


def forward(x, b):
    return 2 * x + b
"""
    RIGHT = "def thing_backward(dout, x, b):\n    return 2 * dout, dout.sum(axis=0)\n"

    @pytest.mark.parametrize(
        ("custom", "body", "fault"),
        [
            ("writes-cotangent", "db = dout.sum(axis=0); dout *= 2; return dout.copy(), db", FaultKind.MUTATED),
            ("extra-axes", "return 2 * dout, dout.sum(axis=0, keepdims=True)", FaultKind.SHAPE),
            ("dtype", "return 2 * dout.astype(float), dout.astype(float).sum(axis=0)", FaultKind.DTYPE),
            (
                "aliases",
                "d = 2 * dout; return d, d.view() if d.ndim == 1 else (d / 2).sum(axis=0) + 0 * x[:0].sum()",
                None,
            ),
            (
                "old-numpy",
                "import numpy as np; return 2 * dout, np.sum(dout, axis=0) * np.product([1]).astype(x.dtype)",
                FaultKind.RAISED,
            ),
        ],
    )
    def test_a_custom_is_a_fault_unless_its_author_says_otherwise(
        self, graded: Graded, custom: str, body: str, fault: FaultKind | None
    ) -> None:
        answer = f"def thing_backward(dout, x, b):\n    {body}\n"
        if fault is not None:
            plain = graded(answer, "backward", self.STUB, self.REST.format(remarks="()"), solution=self.RIGHT)
            assert kind_of(plain) is fault
        report = graded(answer, "backward", self.STUB, self.REST.format(remarks=f"({custom!r},)"), solution=self.RIGHT)
        assert report.verdict is Verdict.PASS
        assert [remark.key for remark in report.remarks] == ([custom] if fault is not None else [])

    def test_an_argument_that_is_no_cotangent_may_still_not_be_written_to(self, graded: Graded) -> None:
        answer = "def thing_backward(dout, x, b):\n    x *= 2\n    return 2 * dout, dout.sum(axis=0)\n"
        rest = self.REST.format(remarks='("writes-cotangent",)')
        assert kind_of(graded(answer, "backward", self.STUB, rest, solution=self.RIGHT)) is FaultKind.MUTATED


class TestRanks:
    def test_every_rank_gets_what_all_have_contributed(self) -> None:
        def program(own: int, reduce: Callable[[int], Any]) -> tuple[Any, Any]:
            return reduce(own), reduce(10 * own)

        results, rounds = in_step(program, [[1], [2], [3]], sum)
        assert results == [(6, 60)] * 3
        assert rounds == [[1, 2, 3], [10, 20, 30]]

    def test_a_collective_that_not_all_ranks_reach_would_hang(self) -> None:
        with pytest.raises(RuntimeError, match="1 ranks wait at collective 1, 1 have ended"):
            in_step(lambda own, reduce: reduce(own) if own else own, [[0], [1]], sum)

    def test_what_is_given_and_sent_is_each_rank_s_own(self) -> None:
        def program(own: list[int], reduce: Callable[[list[int]], Any]) -> Any:
            own.append(1)
            got = reduce(own)
            own.append(2)
            return got

        given = [1, 2]
        results, _ = in_step(program, [[given], [given]], lambda lists: lists[0] + lists[1])
        assert given == [1, 2]
        assert results == [[1, 2, 1, 1, 2, 1]] * 2
