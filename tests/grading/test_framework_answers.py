"""Answers in PyTorch and JAX: they get the verdicts and the rules of the same answers in NumPy."""

from __future__ import annotations

import select
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.errors import UsageError
from autodrill.grading.cases.case_set import CaseSet
from autodrill.grading.framework_answers import framework_of, remark_of, usable_framework
from autodrill.grading.grade import grade
from autodrill.grading.report import Report, Verdict
from autodrill.grading.submission import Submission
from autodrill.grading.warm_grader import WarmGrader
from autodrill.sandbox import libraries
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.libraries import Framework

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.library import Library
    from autodrill.sandbox.launcher import Launcher

CORPUS = Path(__file__).parents[1] / "corpus"
NUMPY_TWINS = {"not_summed_in_function": "not_summed"}
"""Wrong answers whose twin in NumPy has another name."""


def answers(side: str) -> list[Any]:
    found = sorted(CORPUS.glob(f"frameworks/*/*/{side}/*.py"))
    return [
        pytest.param(path, id=f"{path.parts[-4]}-{path.parts[-3]}-{path.stem}", marks=[getattr(pytest.mark, name)])
        for path in found
        for name in [path.parts[-4]]
    ]


@pytest.fixture(scope="module")
def graded(shipped: Library) -> Iterator[Any]:
    """Grade an answer, in a process that was forked from one with its framework."""
    with ExitStack() as stack:

        @cache
        def launcher(framework: Framework | None) -> Launcher:
            return stack.enter_context(own_code_launcher(framework))

        @cache
        def cases(name: str) -> CaseSet:
            return CaseSet(shipped.drill(shipped.find(name)), 3)

        def graded(name: str, source: bytes, framework: Framework | None = None) -> Report:
            made = cases(name)
            submission = Submission(source, f"{name}.py", f"{name}.py", framework)
            return grade(made.drill, submission, seed=3, case_set=made, launcher=launcher(framework))

        yield graded


def of(graded: Any, path: Path) -> Report:
    source, name = path.read_bytes(), path.parts[-3]
    framework = Framework(path.parts[-4])
    report: Report = graded(name, source, framework)
    return report


@pytest.mark.parametrize("path", answers("right"))
def test_right_answers_in_a_framework_pass(graded: Any, path: Path) -> None:
    report = of(graded, path)
    assert report.verdict is Verdict.PASS, report.failure or report.detail
    assert report.remarks == ()
    assert report.passed == report.cases > 10


@pytest.mark.parametrize("path", answers("wrong"))
def test_wrong_answers_break_the_rule_of_numpy(graded: Any, path: Path) -> None:
    report, name = of(graded, path), path.parts[-3]
    twin = CORPUS / "answers" / name / "wrong" / f"{NUMPY_TWINS.get(path.stem, path.stem)}.py"
    expected = graded(name, twin.read_bytes())
    assert report.verdict is expected.verdict is Verdict.FAIL
    assert report.failure is not None
    assert expected.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == expected.failure.rule.key


@pytest.mark.parametrize("path", [*answers("right"), *answers("wrong")])
def test_framework_is_found_in_the_file(shipped: Library, path: Path) -> None:
    assert framework_of(shipped.find(path.parts[-3]), path.read_bytes()) is Framework(path.parts[-4])


TORCH_MUL = """import torch


def mul_broadcast_backward(g, a, b):
    {}return torch.mul(g, b).sum_to_size(a.shape), torch.mul(g, a).sum_to_size(b.shape)
"""
CLASS = """import torch


class Mul(torch.autograd.Function):
    @staticmethod
    def forward({forward}):
        {body}

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        {result}
"""
SETUP = """return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)"""
DOWN = "return (g * b).sum_to_size(a.shape), (g * a).sum_to_size(b.shape)"


@pytest.mark.torch
def test_autograd_call_earns_a_remark(graded: Any) -> None:
    source = """import torch


def mul_broadcast_backward(g, a, b):
    a, b = (x.detach().requires_grad_() for x in (a, b))
    return torch.autograd.grad(a * b, (a, b), g)
"""
    report = graded("mul_broadcast_backward", source.encode(), Framework.TORCH)
    assert report.verdict is Verdict.PASS, report.failure
    (remark,) = report.remarks
    assert remark.key == "uses-autograd"
    assert remark.text.startswith("line 6 calls `grad`. PyTorch differentiated for you")


DIFFERENTIATING = {
    "renamed": ("from torch.autograd import grad as of", "of(y, x, g)", "line 6 uses `of`"),
    "in-a-table": ("import torch", "[torch.autograd.grad][0](y, x, g)", "line 6 uses `grad`"),
    "own-name": ("import torch\ndef grad(): pass", "torch.autograd.grad(y, x, g)", "line 7 uses `grad`"),
    "engine": (
        "import torch",
        "torch.autograd.Variable._execution_engine.run_backward(y)",
        "line 6 calls `run_backward`",
    ),
    "unused": ("from torch.autograd import grad as of", "g", None),
    "own": ("import torch\ndef grad(y, x, g): return g", "grad(y, x, g)", None),
    "attribute": ("import torch", "x.grad", None),
}


@pytest.mark.parametrize(("top", "result", "remark"), DIFFERENTIATING.values(), ids=DIFFERENTIATING)
def test_autograd_by_another_name_earns_a_remark(top: str, result: str, remark: str | None) -> None:
    source = f"{top}\n\n\ndef f(g, x):\n    y = x\n    return {result}\n"
    found = remark_of(source.encode(), Framework.TORCH)
    assert (found and found[1].partition(".")[0]) == remark


@pytest.mark.jax
def test_vjp_of_jax_earns_a_remark(graded: Any) -> None:
    source = (
        b"import jax\n\n\ndef mul_broadcast_backward(g, a, b):\n    return jax.vjp(lambda a, b: a * b, a, b)[1](g)\n"
    )
    report = graded("mul_broadcast_backward", source, Framework.JAX)
    assert report.verdict is Verdict.PASS, report.failure
    assert [remark.key for remark in report.remarks] == ["uses-autograd"]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("forward", "body", "result", "verdict", "summary"),
    [
        ("ctx, a, b", "ctx.save_for_backward(a, b)\n        return a * b", DOWN, Verdict.PASS, ""),
        (
            "ctx, b, a",
            "ctx.save_for_backward(a, b)\n        return a * b",
            "return (g * a).sum_to_size(b.shape), (g * b).sum_to_size(a.shape)",
            Verdict.PASS,
            "",
        ),
        (
            "a, b",
            SETUP,
            DOWN,
            Verdict.PASS,
            "",
        ),
        (
            "ctx, a, b",
            "ctx.save_for_backward(a, b)\n        return a * b",
            "return (g * b).sum_to_size(a.shape)",
            Verdict.FAIL,
            "Mul.backward returned an incorrect number of gradients (expected 2, got 1)",
        ),
    ],
    ids=["saved", "own-order", "setup-context", "one-gradient"],
)
def test_function_class_is_graded(
    graded: Any, forward: str, body: str, result: str, verdict: Verdict, summary: str
) -> None:
    source = CLASS.format(forward=forward, body=body, result=result)
    report = graded("mul_broadcast_backward", source.encode(), Framework.TORCH)
    assert report.verdict is verdict, report.failure or report.detail
    assert summary in (report.failure.summary if report.failure else "")


@pytest.mark.torch
def test_function_class_needs_the_inputs(graded: Any) -> None:
    source = CLASS.format(forward="ctx, x", body="return x", result="return g")
    with pytest.raises(UsageError, match="hands out what the forward pass saved") as raised:
        graded("softmax_backward", source.encode(), Framework.TORCH)
    assert raised.value.hint == "define the function `softmax_backward(g, out, axis)`"


@pytest.mark.torch
def test_class_with_other_inputs_is_refused(graded: Any) -> None:
    source = CLASS.format(forward="ctx, a", body="return a", result="return g")
    with pytest.raises(UsageError, match=r"`Mul.forward` takes 1 inputs, but the exercise has 2") as raised:
        graded("mul_broadcast_backward", source.encode(), Framework.TORCH)
    assert raised.value.hint == "write `forward(ctx, a, b)`"


@pytest.mark.torch
def test_exercise_on_nodes_takes_no_framework(graded: Any) -> None:
    source = b"import torch\n\n\ndef mul_backward(self, other, out):\n    self.grad += torch.tensor(1.0)\n"
    with pytest.raises(UsageError, match="`mul_backward` is not an exercise on arrays"):
        graded("mul_backward", source, Framework.TORCH)


@pytest.mark.torch
def test_memory_bound_holds_for_torch(graded: Any) -> None:
    source = b"""import torch


def flash_attention_backward(g, q, k, v, out, lse, bq, bk, causal):
    s = q @ k.T * q.shape[1] ** -0.5 - lse[:, None]
    if causal:
        s = s.masked_fill(torch.triu(torch.ones_like(s), 1) > 0, -torch.inf)
    p = torch.exp(s)
    ds = p * (g @ v.T - (g * out).sum(-1, keepdim=True))
    return ds @ k * q.shape[1] ** -0.5, ds.T @ q * q.shape[1] ** -0.5, p.T @ g
"""
    report = graded("flash_attention_backward", source, Framework.TORCH)
    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == "materialised"


@pytest.mark.jax
@pytest.mark.parametrize(
    ("line", "rule"),
    [("g[0] = 0.0", "immutable-array"), ("g = g[..., None] @ g", "inner-sizes"), ("g.sum(axis=9)", "no-such-axis")],
)
def test_errors_of_jax_have_rules(graded: Any, line: str, rule: str) -> None:
    source = f"import jax\n\n\ndef softmax_jvp(x, v):\n    g = jax.nn.softmax(x)\n    {line}\n    return g * v\n"
    report = graded("softmax_jvp", source.encode(), Framework.JAX)
    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == rule


@pytest.mark.torch
@pytest.mark.parametrize(
    ("line", "rule"),
    [("g = g[..., None] @ g", "inner-sizes"), ("g.sum(9)", "no-such-axis"), ("g.reshape(77)", "reshape-size")],
)
def test_errors_of_torch_have_rules(graded: Any, line: str, rule: str) -> None:
    source = f"import torch\n\n\ndef softmax_jvp(x, v):\n    g = torch.softmax(x, -1)\n    {line}\n    return g * v\n"
    report = graded("softmax_jvp", source.encode(), Framework.TORCH)
    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == rule


ENTRY = "\n\ndef mul_broadcast_backward(g: torch.Tensor, a, b):\n    return "
USES = {
    "imported-only": ("import numpy as np\nimport torch\n{}np.sin(g)", None),
    "annotation": ("import numpy\nimport torch\nkept: torch.Tensor\n{}g", None),
    "in-try": ("try:\n    import torch\nexcept ImportError:\n    pass\n{}g", None),
    "in-test": ("import numpy\nimport torch\ndef test():\n    torch.sin(1)\n{}g", None),
    "helper": ("import numpy\nimport torch\ndef help(g):\n    return torch.sin(g)\n{}help(g)", "torch"),
    "inside": ("def help(g):\n    import jax.numpy as jnp\n    return jnp.sin(g)\n{}help(g)", "jax"),
    "alias": ("from torch.nn.functional import relu\nact = relu\n{}act(g)", "torch"),
    "named-np": ("from jax import numpy as np\n{}np.sin(g)", "jax"),
    "broken": ("import torch as\n{}g", None),
}


@pytest.mark.parametrize(("source", "found"), USES.values(), ids=USES)
def test_framework_is_what_the_entry_uses(shipped: Library, source: str, found: str | None) -> None:
    assert framework_of(shipped.find("mul_broadcast_backward"), source.format(ENTRY).encode()) == found


def test_framework_of_a_deep_file_is_found(shipped: Library) -> None:
    for line in (f"torch.sin(g){'.a' * 1200}", f"g{'.a' * 1200}"):
        source = f"import torch\n\n\ndef mul_broadcast_backward(g, a, b):\n    return {line}\n"
        assert framework_of(shipped.find("mul_broadcast_backward"), source.encode()) == "torch"


def test_both_frameworks_are_refused(shipped: Library) -> None:
    source = b"import jax\nimport torch\n\ndef mul_broadcast_backward(g, a, b):\n    return jax.jit(torch.sin)(g)\n"
    with pytest.raises(UsageError, match="uses both PyTorch and JAX"):
        framework_of(shipped.find("mul_broadcast_backward"), source)


def test_missing_framework_is_named(shipped: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "is_installed", lambda _: False)
    exercise = shipped.find("mul_broadcast_backward")
    with pytest.raises(UsageError, match="this answer uses PyTorch, which is not installed") as raised:
        usable_framework(exercise, TORCH_MUL.format("").encode())
    assert raised.value.hint == "`pip install torch`, or write the answer with NumPy"
    numpy = b"import numpy\nimport torch\n\n\ndef mul_broadcast_backward(g, a, b):\n    return g * b, g * a\n"
    assert usable_framework(exercise, numpy) is None


@pytest.mark.jax
def test_half_written_file_keeps_the_process_of_jax(shipped: Library) -> None:
    exercise = shipped.find("sin_cos_backward")
    path = CORPUS / "frameworks" / "jax" / "sin_cos_backward" / "right" / "formula.py"
    kept = []
    with own_code_launcher() as launcher, WarmGrader(shipped, launcher, 3) as grader:
        for source in (path.read_bytes(), b"", path.read_bytes()):
            grader.submit(exercise, Submission(source, "x.py", "x.py"))
            select.select([grader.fileno()], [], [])
            (graded,) = grader.results()
            assert isinstance(graded.outcome, Report)
            assert graded.outcome.verdict is (Verdict.PASS if source else Verdict.ERROR)
            kept.append(grader._standby[Framework.JAX])
    assert kept[0] is kept[1] is kept[2]
