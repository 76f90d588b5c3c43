"""Known mistakes with an irrelevant difference, and names that would be untrue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.answer_records import Expected, Fault, FaultKind, Part
from autodrill.drills.case import Case
from autodrill.grading.cases.question import Observation
from autodrill.grading.diagnosis.similarity import Likeness, likeness, ordinary
from autodrill.sandbox.outcomes import Raised

if TYPE_CHECKING:
    from collections.abc import Callable

    from autodrill.drills.answer_records import Rule
    from autodrill.grading.report import Report

PADDING = """import numpy as np


def cross_entropy_ignore_index_backward(g, logits, y, ignore=-100):
    keep = y != ignore
    if not keep.any():
        return np.zeros_like(logits)
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    p[np.arange(len(y)), np.where(keep, y, 0)] -= keep
    return p * g / logits.dtype.type(keep.sum())
"""
DEVIATION = """import numpy as np


def var_backward(g, x, axis=-1, ddof=0):
    n = x.shape[axis] - ddof
    centred = x - x.mean(axis=axis, keepdims=True)
    root = np.sqrt((centred * centred).sum(axis=axis, keepdims=True) / n + 1e-12)
    return np.expand_dims(g, axis) * centred / (n * root)
"""
UNBIASED = """import numpy as np


def batchnorm_forward(x, gamma, beta):
    rstd = 1 / np.sqrt(x.var(axis=0) * len(x) / max(len(x) - 1, 1) + 1e-5)
    xhat = (x - x.mean(axis=0)) * rstd
    return gamma * xhat + beta, (xhat, rstd, gamma)


def batchnorm_backward(g, cache):
    xhat, rstd, gamma = cache
    h = g * gamma
    dx = rstd * (h - h.mean(axis=0) - xhat * (h * xhat).sum(axis=0) / max(len(g) - 1, 1))
    return dx, (g * xhat).sum(axis=0), g.sum(axis=0)
"""
ASSIGNED = """import numpy as np


def conv2d_backward(g, x, w, b, stride=1, pad=0):
    (_, _, H, W), (_, _, K, L) = x.shape, w.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    dx, dw = np.zeros_like(padded), np.zeros_like(w)
    for y, z in np.ndindex(g.shape[2:]):
        window = ..., slice(y * stride, y * stride + K), slice(z * stride, z * stride + L)
        dw += np.einsum("no,nckl->ockl", g[:, :, y, z], padded[window])
        dx[window] = np.einsum("no,ockl->nckl", g[:, :, y, z], w)
    return dx[:, :, pad : pad + H, pad : pad + W].copy(), dw, g.sum(axis=(0, 2, 3))
"""
EMPTY = """import numpy as np


def sort_backward(g, order):
    dx = np.empty_like(g)
    np.put_along_axis(dx, order[..., :-1], g[..., :-1], axis=-1)
    return dx
"""


def rule_of(report: Report) -> Rule | None:
    return report.failure.rule if report.failure else None


@pytest.mark.parametrize(
    ("name", "source", "key", "words"),
    [
        ("cross_entropy_ignore_index_backward", PADDING, "not-zeroed", "to the gradient, except for"),
        ("var_backward", DEVIATION, "deviation", "; something else happens for 'almost no spread'"),
        ("batchnorm_backward", UNBIASED, "unbiased-forward", "unbiased variance"),
        ("conv2d_backward", ASSIGNED, "overwritten", "only one of them counts"),
        ("sort_backward", EMPTY, "uninitialised", "never written"),
    ],
)
def test_rule_survives_an_irrelevant_difference(
    graded: Callable[..., Report], name: str, source: str, key: str, words: str
) -> None:
    rule = rule_of(graded(name, source))
    assert rule is not None
    assert rule.key == key
    assert words in rule.because


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("tanh_backward", "self.grad += (1 - math.tanh(1 / self.data) ** 2) * out.grad"),  # divides by 0 elsewhere
        ("pow_backward", "self.grad += other.data * self.data ** max(other.data - 1, 0) * out.grad"),
    ],
)
def test_rule_that_fits_other_cases_is_not_said(graded: Callable[..., Report], name: str, line: str) -> None:
    rest = "other.grad += out.data * math.log(self.data or 1) * out.grad" if name == "pow_backward" else "pass"
    operands = "self, other, out" if name == "pow_backward" else "self, out"
    report = graded(name, f"import math\n\n\ndef {name}({operands}):\n    {line}\n    {rest}\n")
    assert report.failure is not None
    rule = report.failure.rule
    assert rule is None or rule.because.startswith("line 5 divides where it must multiply")  # this makes it right


def test_result_of_a_scenario_lacks_no_key(graded: Callable[..., Report]) -> None:
    source = (
        "def ddp_bucket_allreduce(grads, capacity, all_reduce, world_size):\n"
        "    return [grads[0] / world_size] + [None] * (len(grads) - 1)\n"
    )
    rule = rule_of(graded("ddp_bucket_allreduce", source))
    assert rule is not None
    assert rule.key == "type"


def test_flags_do_not_tell_mutants_apart(graded: Callable[..., Report]) -> None:
    source = """class Tensor:
    def __init__(self, data, writes=None):
        self.data, self.writes = data, [0] if writes is None else writes

    version = property(lambda self: self.writes[0])

    def add_(self, x):
        self.data += x
        self.writes[0] += 1

    def view(self, s):
        return Tensor(self.data[s], self.writes)

    def detach(self):
        return Tensor(self.data, self.writes)

    def save(self):
        return self.data

    def load(self, handle):
        if self.version % 2:
            raise RuntimeError
        return handle
"""
    assert rule_of(graded("version_counter", source)) is None


def test_term_of_a_jvp_lacks_the_tangent(graded: Callable[..., Report]) -> None:
    source = """import numpy as np


def softmax_jvp(x, v):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return p * v - p * (p * p).sum(axis=-1, keepdims=True)
"""
    rule = rule_of(graded("softmax_jvp", source))
    assert rule is not None
    assert (rule.key, "although the tangent is 0" in rule.because) == ("term-without-tangent", True)


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("condition", "few"),
    [
        ("i + 1 < n", False),
        ("i < n && i < 33", True),
    ],
)
def test_unwritten_rule_counts_the_threads(graded: Callable[..., Report], condition: str, few: bool) -> None:
    source = f'''def cuda_relu_backward():
    return r"""
__global__ void relu_bwd(const float* g, const float* y, float* dx, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (; {condition}; i += gridDim.x * blockDim.x) dx[i] = y[i] > 0 ? g[i] : 0.0f;
}}
"""
'''
    rule = rule_of(graded("cuda_relu_backward", source))
    assert rule is not None
    assert ("fewer threads" in rule.hint) is few


# -- observations without a program ------------------------------------------------------------------------------------


def observed(
    x: list[float], *, fault: Fault | None = None, end: Raised | None = None, **settings: object
) -> Observation:
    case = Case("a class", {"x": np.array(x)}, **settings)  # type: ignore[arg-type]
    part = Part("dx", np.array(x), np.zeros(len(x)), np.dtype(float))
    outcome = end or Raised("ValueError", "", ())
    return Observation(case, Expected((part,), (np.ones(len(x)),)), outcome, None, (), fault)


@pytest.mark.parametrize(
    ("mine", "theirs", "degree"),
    [
        ("KeyError", "ValueError", Likeness.AKIN),
        ("AssertionError", "RuntimeError", Likeness.AKIN),
        ("AxisError", "IndexError", Likeness.AKIN),
        ("ZeroDivisionError", "ValueError", Likeness.DIFFERENT),
        ("NameError", "KeyError", Likeness.DIFFERENT),
    ],
)
def test_likeness_compares_kinds_of_exceptions(mine: str, theirs: str, degree: Likeness) -> None:
    fault = Fault(FaultKind.RAISED, "")
    one, other = (observed([1.0], fault=fault, end=Raised(name, name, ())) for name in (mine, theirs))
    assert likeness(one, other, set()) is degree


@pytest.mark.parametrize(("wrong", "degree"), [((False, True), Likeness.DIFFERENT), ((True, True), Likeness.PARTLY)])
def test_equal_counts_alone_name_no_mistake_that_spoils_more(wrong: tuple[bool, bool], degree: Likeness) -> None:
    case, fault = Case("a class", {"x": np.array([1.0])}), Fault(FaultKind.VALUE, "")
    parts = [
        Part("dx", np.array([1.0]), np.zeros(1), np.dtype(float)),
        Part("steps", np.array(3), np.zeros(()), np.dtype(int)),
        Part("dw", np.array([4.0]), np.zeros(1), np.dtype(float)),
    ]
    got = np.array([1.0 + wrong[0]]), np.array(0), np.array([4.0])
    expected, outcome = Expected((*parts,), (np.ones(1),)), Raised("", "", ())
    mine = Observation(case, expected, outcome, got, (*wrong, False), fault)
    theirs = Observation(case, expected, outcome, (*got[:2], np.array([9.0])), (*wrong, True), fault)
    assert likeness(mine, theirs, {i for i, off in enumerate(wrong) if off}) is degree
    assert likeness(mine, mine, {0, 1}) is Likeness.SAME


def test_ordinary_leaves_out_degenerate_cases() -> None:
    fault = Fault(FaultKind.VALUE, "")
    usual = observed([1.0, 2.0], fault=fault)
    odd = [
        observed([1.0, 2.0], scale=2.0),
        observed([1.0, 2.0], dtype="float32"),
        observed([1.0, 2.0], smooth=False),
        observed([1.0, 2.0], strided=True),
        observed([np.inf, 2.0]),
        observed([]),
        observed([1.0], fault=fault),
    ]
    assert ordinary([*odd, usual]) == [usual]
    assert ordinary(odd) == [odd[-1]]
    assert ordinary(odd[:-1]) == odd[:-1]


def test_memory_fault_is_named_after_a_mistake_that_costs_too(graded: Callable[..., Report]) -> None:
    source = """
import numpy as np

def ghost_norm(a, g):
    n, t, _ = a.shape
    A, G = a.reshape(n * t, -1), g.reshape(n * t, -1)
    blocks = ((A @ A.T + 1) * (G @ G.T)).reshape(n, t, n, t)
    return np.sqrt(np.maximum([blocks[i, :, i].sum() for i in range(n)], 0)).astype(a.dtype)
"""
    report = graded("ghost_norm", source)

    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == "all-pairs"


def test_mistake_in_another_result_explains_no_large_case(graded: Callable[..., Report]) -> None:
    # With few writes both results are right. The mistake `base-keeps` spoils dbase alone, in every case.
    source = """import numpy as np


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    last = {row: write for write, row in enumerate(idx.tolist()[:20_000])}
    alive = list(last.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return dbase, dsrc
"""
    rule = rule_of(graded("setitem_backward", source))
    assert rule is None or not rule.known


def test_random_mistake_is_steady_in_the_same_cases(graded: Callable[..., Report]) -> None:
    source = """
import numpy as np

class DropoutFromSeed:
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        rng = np.random.default_rng(seed) if seed else np.random.default_rng()
        return x * (rng.random(x.shape) >= p) / (1 - p)

    @staticmethod
    def backward(ctx, g):
        rng = np.random.default_rng(ctx.seed) if ctx.seed else np.random.default_rng()
        return g * (rng.random(g.shape) >= ctx.p) / (1 - ctx.p), None, None
"""
    report = graded("dropout_from_seed_function", source)

    assert report.failure is not None
    assert report.failure.rule is not None
    assert report.failure.rule.key == "seed-0-is-none"


def test_random_mistake_may_look_steady_in_a_few_calls(graded: Callable[..., Report]) -> None:
    # With p = 0.95, two elements are usually both dropped, so equal calls often give equal answers.
    source = """
import numpy as np

def dropout_backward(g, mask, p):
    return g * (np.random.random(g.shape) >= p) / (1 - p)
"""
    for _ in range(8):
        rule = rule_of(graded("dropout_backward", source))
        assert rule is not None
        assert rule.key == "resample"
