"""The three traces agree line by line with those that surveys of the field print for their example."""

from __future__ import annotations

import pytest

from autodrill.bank.notation import cells, number
from autodrill.bank.traced_expression import trace_expression
from autodrill.engine import Value
from autodrill.engine.tracing.recording import tape_of_value
from autodrill.render.plain import in_ascii
from autodrill.render.trace_tables import Step, adjoint_trace, lines_of, primal_trace, tangent_trace, traces

SURVEY = trace_expression("ln(x1)+x1*x2-sin(x2)", {"x1": 2.0, "x2": 5.0}, "x1")


def read(steps: list[Step]) -> list[str]:
    """Steps in ASCII, as written by hand."""
    return [in_ascii(" = ".join(filter(None, (s.name, s.formula, s.numbers, s.value)))) for s in steps]


def test_primal_trace_is_that_of_the_survey() -> None:
    assert read(primal_trace(SURVEY)) == [
        "v-1 = x1 = 2",
        "v0 = x2 = 5",
        "v1 = ln v-1 = ln 2 = 0.693",
        "v2 = v-1 x v0 = 2 x 5 = 10",
        "v3 = sin v0 = sin 5 = -0.959",
        "v4 = v1 + v2 = 0.693 + 10 = 10.693",
        "v5 = v4 - v3 = 10.693 - (-0.959) = 11.652",
        "y = v5 = 11.652",
    ]


def test_tangent_trace_is_that_of_the_survey() -> None:
    assert read(tangent_trace(SURVEY)) == [
        "vdot-1 = xdot1 = 1",
        "vdot0 = xdot2 = 0",
        "vdot1 = vdot-1 / v-1 = 1 / 2 = 0.5",
        "vdot2 = vdot-1 x v0 + vdot0 x v-1 = 1 x 5 + 0 x 2 = 5",
        "vdot3 = vdot0 x cos v0 = 0 x cos 5 = 0",
        "vdot4 = vdot1 + vdot2 = 0.5 + 5 = 5.5",
        "vdot5 = vdot4 - vdot3 = 5.5 - 0 = 5.5",
        "ydot = vdot5 = 5.5",
    ]


def test_adjoint_trace_is_that_of_the_survey() -> None:
    assert read(adjoint_trace(SURVEY)) == [
        "vbar5 = ybar = 1",
        "vbar4 = vbar5 x 1 = 1 x 1 = 1",
        "vbar3 = vbar5 x (-1) = 1 x (-1) = -1",
        "vbar1 = vbar4 x 1 = 1 x 1 = 1",
        "vbar2 = vbar4 x 1 = 1 x 1 = 1",
        "vbar0 = vbar3 x cos v0 = -1 x cos 5 = -0.284",
        "vbar-1 = vbar2 x v0 = 1 x 5 = 5",
        "vbar0 = vbar0 + vbar2 x v-1 = -0.284 + 1 x 2 = 1.716",
        "vbar-1 = vbar-1 + vbar1 / v-1 = 5 + 1 / 2 = 5.5",
        "xbar1 = vbar-1 = 5.5",
        "xbar2 = vbar0 = 1.716",
    ]


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("x/3", "vdot1 = vdot0 / 3 = 1 / 3 = 0.333"),
        ("3/x", "vdot1 = -vdot0 x v1 / v0 = -1 x 1.5 / 2 = -0.75"),
        ("x^2", "vdot1 = vdot0 x 2 x v0 = 1 x 2 x 2 = 4"),
        ("x^-1", "vdot1 = vdot0 x (-1) x v0^(-2) = 1 x (-1) x 2^(-2) = -0.25"),
        ("2^x", "vdot1 = vdot0 x v1 x ln 2 = 1 x 4 x ln 2 = 2.773"),
        ("cos(x)", "vdot1 = -vdot0 x sin v0 = -1 x sin 2 = -0.909"),
        ("exp(x)", "vdot1 = vdot0 x v1 = 1 x 7.389 = 7.389"),
        ("sqrt(x)", "vdot1 = vdot0 / (2 x v1) = 1 / (2 x 1.414) = 0.354"),
        ("tan(x)", "vdot1 = vdot0 x (1 + v1^2) = 1 x (1 + (-2.185)^2) = 5.774"),
        ("tanh(x)", "vdot1 = vdot0 x (1 - v1^2) = 1 x (1 - 0.964^2) = 0.07065"),
        ("sigmoid(x)", "vdot1 = vdot0 x v1 x (1 - v1) = 1 x 0.881 x (1 - 0.881) = 0.105"),
        ("relu(x)", "vdot1 = vdot0 x [v0 > 0] = 1 x [2 > 0] = 1"),
        ("abs(x)", "vdot1 = vdot0 x sign v0 = 1 x sign 2 = 1"),
        ("-x", "vdot1 = -vdot0 = -1"),
        ("1-x", "vdot1 = -vdot0 = -1"),
    ],
)
def test_operation_states_its_derivative(expression: str, line: str) -> None:
    assert read(tangent_trace(trace_expression(expression, {"x": 2.0}, "x")))[1] == line


def test_square_collects_both_products_in_one_step() -> None:
    x = Value(3.0)

    steps = adjoint_trace(tape_of_value(x * x, {"x": x}))

    assert read(steps)[1] == "vbar0 = vbar1 x v0 + vbar1 x v0 = 1 x 3 + 1 x 3 = 6"


def test_tangent_trace_needs_a_direction() -> None:
    x = Value(3.0)

    titles = [title for title, _ in traces(tape_of_value(x * x, {"x": x}))]

    assert [title.split()[0] for title in titles] == ["Forward", "Reverse"]


@pytest.mark.parametrize(("taken", "names"), [("v1", ("w0", "y")), ("y", ("v0", "f")), ("x", ("v0", "y"))])
def test_names_in_a_trace_are_unique(taken: str, names: tuple[str, str]) -> None:
    steps = primal_trace(trace_expression(taken, {taken: 1.0}, taken))

    assert (steps[0].name, steps[-1].name) == names


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("width", [58, 40, 24])
def test_lines_fit_and_keep_every_value(width: int, ascii_only: bool) -> None:
    for _, steps in traces(SURVEY):
        lines = lines_of(steps, width, ascii_only=ascii_only)

        assert width == 24 or max(map(cells, lines)) <= width
        assert [line.rpartition("= ")[2] for line in lines if "=" in line][-1] == steps[-1].value
        assert not ascii_only or all(line.isascii() for line in lines)


@pytest.mark.parametrize(
    ("x", "written"),
    [
        (0.0, "0"), (-0.0, "0"), (5.5, "5.5"), (-0.28366, "-0.284"), (1 / 30, "0.03333"), (1e-9, "1e-09"),
        (123456.78, "123456.78"), (1.5e12, "1.5e+12"), (100.0, "100"), (0.9999, "1"),
    ],
)  # fmt: skip
def test_numbers_are_written_as_in_a_textbook(x: float, written: str) -> None:
    assert number(x) == written
