"""gradcheck: right rules pass, a wrong one is found at its element, and neither kink nor noise is taken for one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine.checks.gradcheck import gradcheck, gradgradcheck
from autodrill.engine.checks.gradcheck_report import GradcheckError, Report, Verdict

SMOOTH: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "matmul": (engine.matmul, [(2, 3), (3, 2)]),
    "broadcast product": (lambda x, y: x * y, [(2, 1), (3,)]),
    "quotient": (lambda x, y: x / (y * y + 1), [(2, 2), (2,)]),
    "softmax": (lambda x: engine.softmax(x, axis=-1), [(2, 3)]),
    "logsumexp": (lambda x: engine.logsumexp(x, axis=0), [(3, 2)]),
    "elementary": (lambda x: engine.exp(engine.sin(x)) + engine.tanh(x) * engine.erf(x), [(4,)]),
    "std": (lambda x: engine.std(x, axis=1), [(2, 3)]),
    "prod": (lambda x: engine.prod(x, axis=0), [(3, 2)]),
    "cumsum": (lambda x: engine.cumsum(x, axis=1) ** 2, [(2, 3)]),
    "selection": (lambda x: x[np.array([0, 2, 0])] * x[1:], [(4,)]),
    "several outputs": (lambda x, y: (x @ y, engine.cosh(y)), [(2, 2), (2,)]),
    "number": (lambda x: engine.log(x * x + 1), [()]),
    "nothing": (lambda x: x * 2.0, [(0, 3)]),
}


def drawn(shapes: list[tuple[int, ...]], seed: int) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [draw.normal(size=shape) for shape in shapes]


def with_derivative_of(f: Any, other: Any) -> Any:
    """A function with the values of f and, in both modes, the derivative of `other`: a wrong rule."""
    return lambda x: f(x).detach() + (other(x) - other(x).detach())


def only(report: Report) -> Verdict:
    """The one verdict that both modes agree on."""
    (verdict,) = {finding.verdict for finding in report.findings}
    return verdict


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 20))])
@pytest.mark.parametrize("name", SMOOTH)
def test_gradcheck_passes_correct_rules_in_both_orders(name: str, seed: int) -> None:
    f, shapes = SMOOTH[name]

    report = gradcheck(f, drawn(shapes, seed), seed=seed)

    assert len(report.findings) == 2 * len(shapes)
    if seed < 5:
        gradgradcheck(f, drawn(shapes, seed), seed=seed)


@pytest.mark.parametrize("off", [1.0, 1e-3, 1e-6])
def test_gradcheck_locates_a_wrong_rule(off: float) -> None:
    wrong = with_derivative_of(engine.sin, lambda x: engine.sin(x) + off * x * np.eye(3)[1])

    report = gradcheck(wrong, [np.array([0.3, -1.2, 2.0])], raise_exception=False)

    assert not report
    assert [(f.mode, f.verdict, f.index) for f in report.findings] == [
        ("reverse", Verdict.WRONG, (1,)),
        ("forward", Verdict.WRONG, (1,)),
    ]
    assert report.findings[0].counts == {Verdict.RIGHT: 2, Verdict.WRONG: 1}


def test_gradcheck_raises_with_its_report() -> None:
    wrong = with_derivative_of(lambda x: x * x, lambda x: x)

    with pytest.raises(GradcheckError, match=r"WRONG at \[0\]: the engine says .*, finite differences") as raised:
        gradcheck(wrong, [np.array([3.0])])

    assert raised.value.report.findings[0].analytic != raised.value.report.findings[0].numeric
    assert isinstance(raised.value, AssertionError)


def test_gradgradcheck_finds_a_wrong_second_derivative() -> None:
    def f(x: Any) -> Any:  # its first derivative is 3x², whose own derivative is lost
        slope = (3 * x * x).detach()
        return (x * x * x).detach() + slope * (x - x.detach())

    assert gradcheck(f, [np.array([2.0])])
    assert not gradgradcheck(f, [np.array([2.0])], raise_exception=False)


def test_gradcheck_blames_only_the_wrong_mode() -> None:
    def f(x: Any) -> Any:
        reverse = x.requires_grad  # what only one mode sees stands in for a rule wrong in only one
        return x * x if not reverse else with_derivative_of(lambda y: y * y, lambda y: y)(x)

    report = gradcheck(f, [np.array([3.0])], raise_exception=False)

    assert [finding.verdict for finding in report.findings] == [Verdict.WRONG, Verdict.RIGHT]


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (engine.relu, [1.0, 0.0, -2.0]),
        (engine.absolute, [1.0, 0.0, -2.0]),
        (lambda x: engine.maximum(x, 1e-30), [1.0, 0.0, -2.0]),
        (engine.sqrt, [1.0, 0.0, 2.0]),
        (engine.sign, [1.0, 0.0, 2.0]),
        (lambda x: engine.relu(x) + x * x * 50, [1.0, 0.0, -2.0]),
    ],
)
def test_gradcheck_reports_a_kink(f: Any, x: list[float]) -> None:
    report = gradcheck(f, [np.array(x)], raise_exception=False)

    assert only(report) is Verdict.KINK
    assert {finding.index for finding in report.findings} == {(1,)}
    assert "KINK at [1]" in str(report)


def test_gradcheck_refuses_a_value_outside_the_slopes_at_a_kink() -> None:
    wrong = with_derivative_of(engine.relu, lambda x: engine.relu(x) * 0 + x * 2)

    report = gradcheck(wrong, [np.array([0.0])], raise_exception=False)

    assert only(report) is Verdict.WRONG
    assert report.findings[0].slopes is not None


def test_gradcheck_ignores_a_kink_nearby() -> None:
    assert gradcheck(engine.relu, [np.array([1e-4, -1e-3, 5.0])])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_gradcheck_tells_strong_curvature_from_a_kink(scale: float) -> None:
    assert gradcheck(lambda x: engine.exp(5 * x / scale), [np.array([0.5, -1.0, 2.0]) * scale])


def test_gradcheck_reports_a_nondeterministic_value() -> None:
    draw = np.random.default_rng(0)

    report = gradcheck(lambda x: x * (1 + 1e-9 * draw.normal()), [np.ones(3)], raise_exception=False)

    assert only(report) is Verdict.NONDETERMINISTIC
    assert 0 < report.findings[0].error < 1e-7
    assert "two runs at the same point differ" in str(report)


def test_gradcheck_reports_a_nondeterministic_gradient() -> None:
    draw = np.random.default_rng(0)

    def f(x: Any) -> Any:
        noise = draw.normal()
        return x * x + noise * (x - x.detach())

    assert only(gradcheck(f, [np.ones(3)], raise_exception=False)) is Verdict.NONDETERMINISTIC


def test_gradcheck_reports_inconclusive_differences() -> None:
    report = gradcheck(lambda x: engine.sin(1e9 * x), [np.array([1.0, 5.0])], raise_exception=False)

    assert only(report) is Verdict.UNSURE


@pytest.mark.parametrize("value", [0.0, 1e6])
def test_gradcheck_accepts_a_constant(value: float) -> None:
    assert gradcheck(lambda x: x * 0.0 + value, [np.array([1.0, -2.0])])


def test_gradcheck_uses_the_precision_of_float32() -> None:
    x = np.array([0.5, 2.0], dtype=np.float32)

    assert gradcheck(engine.exp, [x])
    assert not gradcheck(with_derivative_of(engine.exp, lambda x: engine.exp(x) * 1.01), [x], raise_exception=False)


def test_gradcheck_accepts_integers_and_expanded_arrays() -> None:
    expanded = np.broadcast_to(np.array([1.5]), (3,))

    report = gradcheck(lambda x, k: x * x * k, [expanded, np.array([1, 2, 3])])

    assert {finding.input for finding in report.findings} == {0}


def test_gradcheck_refuses_inputs_without_derivative() -> None:
    with pytest.raises(TypeError, match="no input is floating or complex"):
        gradcheck(lambda x: x * 2, [np.array([1])])


COMPLEX: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "holomorphic": (lambda z: engine.exp(z) * z, [(2, 2)]),
    "real values": (lambda z: abs(z) ** 2 + engine.angle(z), [(3,)]),
    "of both": (lambda z, w: (z @ w.conj(), z.real), [(2, 2), (2,)]),
    "spectrum": (lambda z: engine.fft(z, 5), [(2, 3)]),
    "number": (lambda z: 1 / z, [()]),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", COMPLEX)
def test_gradcheck_checks_both_parts_of_complex_inputs(name: str, seed: int) -> None:
    f, shapes = COMPLEX[name]
    inputs = [x + 1j * y for x, y in zip(drawn(shapes, seed), drawn(shapes, seed + 50), strict=True)]

    report = gradcheck(f, inputs, seed=seed)

    assert all(finding.part for finding in report.findings)
    assert sum(report.findings[0].counts.values()) == 2 * inputs[0].size
    gradgradcheck(f, inputs, seed=seed)


def test_gradcheck_checks_complex_values_of_real_inputs() -> None:
    gradcheck(engine.rfft, [np.arange(5.0)])
    gradgradcheck(lambda x: engine.exp(1j * x), [np.arange(3.0)])


@pytest.mark.parametrize("part", ["real", "imaginary"])
def test_gradcheck_names_the_wrong_part_of_an_element(part: Any) -> None:
    wrong = with_derivative_of(engine.exp, lambda z: engine.exp(z) + 1e-3 * getattr(z, part[:4]) * np.eye(3)[1])

    report = gradcheck(wrong, [np.array([0.3 + 1j, -1.2 + 0.4j, 2.0 - 1j])], raise_exception=False)

    assert [(f.verdict, f.index, f.part) for f in report.findings] == [(Verdict.WRONG, (1,), part)] * 2
    assert f"at [1], {part} part" in str(report)


def test_gradcheck_finds_a_forgotten_conjugate() -> None:
    class Product(engine.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2 * ctx.saved_tensors[0]

    report = gradcheck(Product.apply, [np.array([1 + 2j])], modes=("reverse",), raise_exception=False)

    assert only(report) is Verdict.WRONG


def test_gradcheck_reports_a_kink_in_the_complex_plane() -> None:
    report = gradcheck(engine.absolute, [np.array([1 + 1j, 0j])], raise_exception=False)

    assert only(report) is Verdict.KINK
    assert {finding.index for finding in report.findings} == {(1,)}


@pytest.mark.torch
@pytest.mark.parametrize(
    ("name", "x", "right"),
    [("tanh", [0.3, -1.0], True), ("sqrt", [0.5, 2.0], True), ("relu", [0.0, 1.0], False), ("sin", [0.1, 4.0], True)],
)
def test_gradcheck_agrees_with_pytorchs(torch: Any, name: str, x: list[float], right: bool) -> None:
    theirs = torch.autograd.gradcheck(
        getattr(torch, name), [torch.tensor(x, dtype=torch.float64, requires_grad=True)], raise_exception=False
    )

    ours = gradcheck(getattr(engine, name), [np.array(x)], raise_exception=False)

    assert bool(ours) is bool(theirs) is right


@pytest.mark.torch
def test_gradcheck_finds_relative_errors_of_one_millionth(torch: Any) -> None:
    x = torch.tensor([2.0], dtype=torch.float64, requires_grad=True)

    assert torch.autograd.gradcheck(lambda x: (x * x).detach() + (1 + 1e-6) * (x * x - (x * x).detach()), [x])
    ours = with_derivative_of(lambda x: x * x, lambda x: (1 + 1e-6) * x * x)
    assert only(gradcheck(ours, [np.array([2.0])], raise_exception=False)) is Verdict.WRONG
