"""Generic rules: which one explains an answer that is no known mistake, and which ones must not."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.diagnosis import explain
from autodrill.grading.grade import grade
from autodrill.grading.report import Verdict
from autodrill.grading.submission import Submission
from autodrill.sandbox.child.confinement import OPEN
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.library import Library
    from autodrill.grading.report import Report
    from tests.conftest import Pack

MUL = "def mul_backward(self, other, out):\n    {}\n    {}\n"
FIRST, SECOND = "self.grad += other.data * out.grad", "other.grad += self.data * out.grad"
SPREAD = """import numpy as np


def unbroadcast(g, shape):
    added = g.ndim - len(shape)
    return g.sum(axis=(*range(added), *(i + added for i, n in enumerate(shape) if n == 1))).reshape(shape)


def mul_broadcast_backward(g, a, b):
    return unbroadcast(g * b, a.shape), {}
"""


@pytest.fixture
def graded_cube(pack: Pack) -> Callable[[str], Report]:
    """Grade a submission to the pack's exercise."""
    pack.add()
    drill = pack.load()
    return lambda source: grade(drill, Submission(source.encode(), "a.py", "a.py"), seed=0)


def key_of(report: Report) -> str | None:
    return report.failure.rule.key if report.failure and report.failure.rule else None


@pytest.mark.parametrize(
    ("first", "second", "key"),
    [
        (FIRST.replace("self.grad", "other.grad"), SECOND, "into-one-node"),
        (FIRST, SECOND.replace("other.grad +", "self.grad +"), "into-one-node"),
        (FIRST, SECOND.replace("+=", "+= 2 *"), "added-twice"),
        (FIRST, SECOND.replace("* out.grad", "/ out.grad"), "divided-not-multiplied"),
        (FIRST, SECOND.replace("* out.grad", "* out.grad * abs(out.grad)"), "nonlinear-in-g"),
    ],
)
def test_rule_names_a_wrong_line_of_a_closure(graded: Callable[..., Report], first: str, second: str, key: str) -> None:
    assert key_of(graded("mul_backward", MUL.format(first, second))) == key


@pytest.mark.parametrize(
    "line",
    [
        "self.grad = self.grad * self.data + other.data * self.data * out.grad",
        "self.grad += other.data * out.grad + other.data * self.data",
    ],
)
def test_change_of_a_grad_without_upstream_names_no_term(graded: Callable[..., Report], line: str) -> None:
    # The first line multiplies what other consumers have added. It has no term without `out.grad`.
    report = graded("mul_backward", MUL.format(line, SECOND))
    assert report.failure is not None
    assert report.failure.rule is not None
    rule = report.failure.rule
    assert (rule.key, rule.because) == (
        "term-without-upstream",
        "self.grad changes although the upstream gradient is 0",
    )
    assert "parentheses" not in rule.hint


def test_rule_of_equal_nodes_is_not_that_of_one_node(graded: Callable[..., Report]) -> None:
    source = (
        f"def mul_backward(self, other, out):\n    if self.data == other.data:\n        other = self\n    {FIRST}\n"
    )
    assert key_of(graded("mul_backward", f"{source}    {SECOND}\n")) == "equal-is-not-same"


@pytest.mark.parametrize(
    ("result", "key"),
    [
        ("unbroadcast(g, b.shape)", "ignores-input"),
        ("np.ones_like(b)", "term-without-upstream"),
        ("unbroadcast(a, b.shape)", "no-upstream"),
        ("unbroadcast(g * g * a, b.shape)", "nonlinear-in-g"),
    ],
)
def test_rule_names_one_wrong_result_of_two(graded: Callable[..., Report], result: str, key: str) -> None:
    assert key_of(graded("mul_broadcast_backward", SPREAD.format(result))) == key


def test_rule_distinguishes_a_division_from_a_missing_factor(graded: Callable[..., Report]) -> None:
    source = (
        "def layernorm_backward(g, xhat, rstd, gamma):\n    h, rows = g * gamma, tuple(range(g.ndim - 1))\n"
        "    dx = (h - h.mean(axis=-1, keepdims=True) - xhat * (h * xhat).mean(axis=-1, keepdims=True)) {}\n"
        "    return dx, (g * xhat).sum(axis=rows), g.sum(axis=rows)\n"
    )
    assert key_of(graded("layernorm_backward", source.format("/ rstd"))) == "divided-not-multiplied"
    assert key_of(graded("layernorm_backward", source.format(""))) == "missing-factor"


def test_infinities_alone_do_not_show_a_missing_factor(pack: Pack) -> None:
    # Every number divided by 0 is infinite, so the right result divided by x explains nothing at x = 0.
    special = ", ".join(f'given("x[3]", x={value}, note="all {value}")' for value in (0.0, 1.0))
    pack.add(solution=('given("x[n,m]")', f'given("x[n,m]"), {special}'))
    solution = pack.solution_file()
    solution.write_text(solution.read_text(encoding="utf-8").replace("return x * x * x", "return x * x * x + 2 * x"))
    source = b"""import numpy as np


def cube_backward(g, x):
    with np.errstate(all="ignore"):
        return g * (3 * x * x + 2) * (2 - x) / np.abs(x) ** 3
"""
    report = grade(pack.load(), Submission(source, "a.py", "a.py"), seed=0)
    assert key_of(report) != "missing-factor"


@pytest.mark.parametrize(
    "labels",
    [
        "{'b': x, 'a': 1.0, 'x': x + x + y, 'y': x}",
        "{'b': 1.0, 'a': x, 'x': x, 'y': x + x + y}",
        "{'b': 1.0, 'a': x + x + y, 'x': x, 'y': x}",
    ],
)
def test_rule_names_two_exchanged_results_among_several(graded: Callable[..., Report], labels: str) -> None:
    assert key_of(graded("label_graph", f"def label_graph(x, y):\n    return {labels}\n")) == "swapped-returns"


def test_rule_of_one_wrong_result_is_not_an_exchange(graded: Callable[..., Report]) -> None:
    labels = "{'b': 1.0, 'a': x, 'x': x, 'y': x}"
    assert key_of(graded("label_graph", f"def label_graph(x, y):\n    return {labels}\n")) != "swapped-returns"


# -- variations on the worked solution ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "body", "key", "words"),
    [
        ("lstm_step_backward", "return right(gc, gh, x, h, c, W)", "exchanged-arguments", "`gh` and `gc`"),
        ("lstm_step_backward", "return right(gh, gc, x, c, h, W)", "exchanged-arguments", "`h` and `c`"),
        ("linear_scan_backward", "a, b, c = right(g, a, b, h0, hs); return a[::-1], b, c", "misplaced", "places"),
        (
            "layernorm_backward",
            "a, b, c = right(g, xhat, rstd, gamma); return a * rstd, b, c",
            "stray-factor",
            "`rstd`",
        ),
        (
            "attention_backward",
            "dq, dk, dv = right(g, q, k, v, p); return dq, dk, dv * q.shape[-1]",
            "constant-factor",
            "the last axis of q",
        ),
        (
            "attention_backward",
            "dq, dk, dv = right(g, q, k, v, p); return g @ v.mT @ k / q.shape[-1] ** 0.5, dk, dv",
            "softmax-skipped",
            ", but only in dq",
        ),
        (  # pairs ranked right by a wide margin have gradients near 0, which show no factor
            "dpo_loss_backward",
            "return [3 * d for d in right(g, lp_chosen, lp_rejected, ref_chosen, ref_rejected, beta)]",
            "constant-factor",
            "exactly 3 times",
        ),
        (
            "conv2d_backward",
            "dx, dw, db = right(g, x, w, b, stride, pad); return dx, dw * stride, db",
            "one-option",
            "`stride` is above 1",
        ),
    ],
)
def test_rule_names_a_change_of_the_worked_solution(
    varied: Callable[[str, str], Report], name: str, body: str, key: str, words: str
) -> None:
    report = varied(name, body)
    assert key_of(report) == key
    assert report.failure is not None
    assert report.failure.rule is not None
    assert words in report.failure.rule.because


def test_rule_of_two_numbers_is_not_misplaced(pack: Pack) -> None:
    pack.add(solution=('given("x[n,m]")', 'given("x[2]")'))
    drill = pack.load()
    source = b"def cube_backward(g, x):\n    return (3 * x * x * g)[::-1].copy()\n"
    assert key_of(grade(drill, Submission(source, "a.py", "a.py"), seed=0)) != "misplaced"


def test_rule_ignores_the_numbers_of_a_scenario(graded: Callable[..., Report], shipped: Library) -> None:
    right = shipped.drill(shipped.find("custom_function_apply")).solution.source
    report = graded("custom_function_apply", right.replace("len(grads) != len(args)", "len(grads) > len(args)"))
    assert key_of(report) != "one-option"


# -- rules that would be untrue ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("other", "named"), [("a=2.0, b=3.0", True), ("a=2.0, b=5.0", False)])
def test_option_is_named_only_if_no_other_option_fails_alone(pack: Pack, other: str, *, named: bool) -> None:
    file = pack.add(
        exercise=("cube_backward(g, x)", "cube_backward(g, x, a, b)"),
        solution=('given("x[n,m]")', f'given("x[n,m]", a=1.0, b=3.0), given("x[n,m]", {other}, note="other")'),
    )
    solution = pack.solution_file(file.stem)
    text = solution.read_text(encoding="utf-8").replace("forward(x)", "forward(x, a, b)")
    solution.write_text(text.replace("cube_backward(g, x)", "cube_backward(g, x, a, b)"), encoding="utf-8")
    source = b"def cube_backward(g, x, a, b):\n    return (3 * x * x if a == 1 else 2.5**x) * g\n"
    report = grade(pack.load(), Submission(source, "a.py", "a.py"), seed=0)
    assert (key_of(report) == "one-option") is named


def test_large_values_rule_needs_ordinary_passing_values(graded: Callable[..., Report]) -> None:
    source = "def tanh_backward(self, out):\n    self.grad += (1 + 3 * out.data ** 2) * out.grad\n"
    assert key_of(graded("tanh_backward", source)) != "large-values"


def test_diagonal_of_a_jacobian_is_not_called_overwritten(pack: Pack) -> None:
    right = "def cube_backward(g, x):\n    return g * x.sum() + (g * x).sum()\n"
    pack.add(solution=("def forward(x):\n    return x * x * x\n", "def forward(x):\n    return x * x.sum()\n"))
    drill = pack.load()
    source = b"def cube_backward(g, x):\n    return g * x.sum() + g * x\n"
    assert grade(drill, Submission(right.encode(), "a.py", "a.py"), seed=0).verdict is Verdict.PASS
    assert key_of(grade(drill, Submission(source, "a.py", "a.py"), seed=0)) == "own-place-only"


def test_kernel_has_no_half_precision(graded: Callable[..., Report], shipped: Library) -> None:
    right = shipped.drill(shipped.find("cuda_adamw")).solution.source
    report = graded("cuda_adamw", right.replace("* (1.0f - lr * wd) - step", "* (1.0f - lr * wd) - 1.001f * step"))
    assert report.failure is not None
    assert report.failure.rule is None or "half precision" not in report.failure.rule.because


def test_known_overwriting_needs_the_same_place(graded: Callable[..., Report], shipped: Library) -> None:
    right = shipped.drill(shipped.find("cuda_relu_backward")).solution.source
    assert key_of(graded("cuda_relu_backward", right.replace("dx[i]", "dx[i % 8]"))) == "overwritten"


def test_one_class_rule_needs_several_passing_classes(
    graded: Callable[..., Report],
) -> None:
    source = """import numpy as np


def softmax_cross_entropy_backward(g, logits, y):
    p = np.exp(logits - logits.max(axis=1, keepdims=True)) ** 3
    p[np.arange(len(y)), y] -= 1
    return p * (g / len(y))
"""
    assert key_of(graded("softmax_cross_entropy_backward", source)) != "one-class"


@pytest.mark.parametrize(
    ("values", "key"), [("[300.0, -400.0, 500.0]", "large-values"), ("[0.0, 1.0, 0.0]", "at-the-kink")]
)
def test_kink_rule_excludes_large_values(pack: Pack, values: str, key: str) -> None:
    # With a zero cotangent the same class passes, as for nearly every program.
    special = f'given("x[3]", x={values}, smooth=False, {{}})'
    classes = ("note='special'", "g=0.0")
    pack.add(solution=('given("x[n,m]")', ", ".join(['given("x[n,m]")', *map(special.format, classes)])))
    drill = pack.load()
    source = b"""def cube_backward(g, x):
    return 3 * x * x * g + ((abs(x).max(initial=0) > 100 or 0 in x) and g.any()) * 5 * (x + 1)
"""
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0)
    assert key_of(report) == key


def test_rule_search_survives_a_forward_that_raises(pack: Pack) -> None:
    guarded = """def forward(x):
    if x.size > 1 and all(v == 1 for v in x.ravel()):
        raise np.linalg.LinAlgError("ones")
    return x * x * x
"""
    pack.add(solution=("def forward(x):\n    return x * x * x\n", guarded))
    drill = pack.load()
    source = b"def cube_backward(g, x):\n    return (7 * x - 1) * g\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0)
    assert (report.verdict, report.detail) == (Verdict.FAIL, "")


def test_explain_does_not_depend_on_the_clock(
    graded_cube: Callable[[str], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "def cube_backward(g, x):\n    return 3 * x * x * g * (2 if x.size >= 6 else 1)\n"
    swift = graded_cube(source).failure
    clock = itertools.count(step=0.08)
    monkeypatch.setattr(explain, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    slow = graded_cube(source).failure
    assert swift is not None
    assert swift.label == "x (n, m)"  # the sixth smaller case
    assert slow == swift


# -- repeated calls of a wrong answer ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ("return x * g * g", "nonlinear-in-g"),
        ("calls.append(1)\n    return len(calls) * x * g", "keeps-state"),
        ("return 3 * x * x * g * (np.random.random(g.shape) >= 0.2)", "random"),
        ("return 3 * x * x * g * (np.random.random(g.shape) >= 0.1)", "random"),
        ("return (np.random.random() - 7) * x * g", "random"),
        ("return (7 * x - 1) * g", None),
    ],
)
def test_rule_comes_from_repeated_calls_if_no_formula_fits(
    graded_cube: Callable[[str], Report], body: str, key: str | None
) -> None:
    report = graded_cube(f"import numpy as np\n\ncalls = []\n\n\ndef cube_backward(g, x):\n    {body}\n")
    assert key_of(report) == key


def test_random_rule_covers_chance_in_the_large_case_only(graded_cube: Callable[[str], Report]) -> None:
    # NumPy keeps the state, because the file itself is reloaded.
    report = graded_cube("""import numpy as np
def cube_backward(g, x):
    np.was_large = getattr(np, "was_large", False) or g.size > 1000
    return 3 * x * x * g * (np.random.random(g.shape) >= (0.5 if np.was_large else 0))
""")
    assert report.failure is not None
    assert report.failure.label.endswith("large")
    assert key_of(report) == "random"


@pytest.mark.slow
def test_grade_fails_a_program_that_ends_at_any_call(pack: Pack) -> None:
    pack.add()
    case_set = CaseSet(pack.load(), 0)
    with ForkServer(OPEN) as server:
        for last in range(1, 150, 2):
            source = f"""import os

calls = 0


def cube_backward(g, x):
    global calls
    calls += 1
    if calls == {last}:
        os._exit(0)
    return (7 * x - 1) * g
"""
            submission = Submission(source.encode(), "a.py", "a.py")
            report = grade(pack.load(), submission, seed=0, case_set=case_set, launcher=server.launch)
            assert report.verdict is Verdict.FAIL, last


def test_random_rule_holds_for_forks_of_one_server(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    source = b"import numpy as np\n\n\ndef cube_backward(g, x):\n    return np.random.normal(size=x.shape) * g\n"
    with ForkServer(OPEN) as server:
        runner = Runner.start(launcher=server.launch)
        report = grade(drill, Submission(source, "a.py", "a.py"), seed=0, runner=runner)
    assert key_of(report) == "random"


def test_random_known_mistake_precedes_the_random_rule(pack: Pack) -> None:
    pack.add(solution=("return 3 * x * x * x * g", "return np.random.normal(size=x.shape) * g"))
    drill = pack.load()
    source = b"import random\n\n\ndef cube_backward(g, x):\n    return x * g * random.random()\n"
    report = grade(drill, Submission(source, "a.py", "a.py"), seed=0)
    assert key_of(report) == "square"


@pytest.mark.parametrize("result", ["np.inf * g", "x / (0 * x) * g", "(g * 0) / (g * 0) + x", "1e308 * x * g * 1e308"])
def test_explain_emits_no_warning_for_infinite_answers(graded_cube: Callable[[str], Report], result: str) -> None:
    # pytest turns a warning into an error.
    report = graded_cube(f"import numpy as np\n\n\ndef cube_backward(g, x):\n    return {result}\n")
    assert report.failure is not None


def test_gradient_missing_for_some_inputs_is_no_short_loop(graded: Callable[..., Report], shipped: Library) -> None:
    right = shipped.drill(shipped.find("rmsnorm_backward")).solution.source.replace(
        "def rmsnorm_backward(", "def right("
    )
    report = graded(
        "rmsnorm_backward",
        right
        + """

def rmsnorm_backward(g, x, *others):
    dx, *rest = right(g, x, *others)
    return dx * (x != 0).any(axis=-1, keepdims=True), *rest
""",
    )

    assert report.failure is not None
    assert key_of(report) != "skips-slice"


def test_small_error_is_not_called_overwritten(graded: Callable[..., Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.grading.diagnosis.explain.known_rule", lambda *_: None)
    source = """
import numpy as np

def weightnorm_backward(g, v, s):
    norm = np.sqrt((v * v).sum(axis=1))[:, None] + 1e-12
    ds = (g * v / norm).sum(axis=1)
    return s[:, None] / norm * (g - ds[:, None] * v / norm), ds
"""
    keys = {key_of(graded("weightnorm_backward", source, seed=seed)) for seed in (0, 11)}
    assert not keys & {"own-place-only", "overwritten"}
