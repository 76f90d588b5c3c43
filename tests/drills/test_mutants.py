"""Mutants: the changes of each rewrite, and the validity, uniqueness and description of every mutant."""

from __future__ import annotations

import ast

import pytest

from autodrill.drills.mutants import Mutant, mutants
from autodrill.drills.rewrites import Operator
from tests.shipped import SHIPPED


def made(line: str, operator: Operator, parameters: str = "g, x, y") -> list[str]:
    found = mutants(f"def f({parameters}):\n    {line}\n")
    return [m.after for m in found if m.operator is operator]


@pytest.mark.parametrize(
    ("operator", "line", "after"),
    [
        (Operator.SIGN, "z = g + y", ["g - y"]),
        (Operator.SIGN, "z = -g", ["z = g"]),
        (Operator.SIGN, "x.grad -= g", ["x.grad += g"]),
        (Operator.SIGN, "return g @ x, y.sum()", ["-(g @ x)", "-y.sum()"]),
        (Operator.SIGN, "return {'a': g * x}", ["-(g * x)"]),
        (Operator.FACTOR, "z = g * x", ["g", "x", "g / x"]),
        (Operator.FACTOR, "z = g / x", ["g", "g * x"]),
        (Operator.FACTOR, "z = g @ x", ["g", "x", "g * x"]),
        (Operator.FACTOR, "z = x ** 2", ["x"]),
        (Operator.FACTOR, "z /= g.sum()", ["z *= g.sum()"]),
        (Operator.FACTOR, "x.grad += g.sum()", ["2 * g.sum()"]),
        (Operator.FACTOR, "return x.sum()", ["2 * x.sum()"]),
        (Operator.SWAP, "z = g - x", ["x - g"]),
        (Operator.SWAP, "return g.sum(), x.sum()", ["(x.sum(), g.sum())"]),
        (Operator.SWAP, "return {'a': g.sum(), 'b': x.sum()}", ["{'a': x.sum(), 'b': g.sum()}"]),
        (Operator.SWAP, "z = h(x, y, 2)", ["h(y, x, 2)"]),
        (Operator.TRANSPOSE, "z = x.T", ["z = x"]),
        (Operator.TRANSPOSE, "z = g @ x.T", ["g.T @ x.T", "g @ x"]),
        (Operator.TRANSPOSE, "return g * x", ["(g * x).T"]),
        (Operator.AXIS, "z = x.max(axis=1)", ["x.max(axis=None)", "x.max(axis=2)", "x.max(axis=0)"]),
        (Operator.AXIS, "z = x.max(axis=None, keepdims=True)", ["x.max(axis=None, keepdims=False)"]),
        (Operator.SUM, "z = x.sum(axis=0)", ["x", "x.mean(axis=0)"]),
        (Operator.SUM, "z = np.mean(x * y)", ["x * y", "np.sum(x * y)"]),
        (Operator.TERM, "z = g + x", ["g", "x"]),
        (Operator.TERM, "z = g - x", ["g", "-x"]),
        (Operator.ASSIGN, "x.grad += g", ["x.grad = g"]),
        (Operator.ASSIGN, "x.grad = g", ["x.grad += g"]),
        (Operator.ASSIGN, "z[0] = g", ["z[0] += g"]),
        (Operator.COMPARISON, "z = x > y", ["x >= y", "x < y", "x <= y", "x == y", "x != y"]),
        (Operator.COMPARISON, "z = x in y", ["x not in y"]),
        (Operator.CONDITION, "z = x if y else g", ["x if False else g", "x if True else g"]),
        (Operator.CONDITION, "z = [i for i in x if i]", ["for i in x if False", "for i in x if True"]),
        (Operator.CONDITION, "z = not g", ["z = g"]),
        (Operator.CONDITION, "z = g and x", ["g or x", "g", "x"]),
        (Operator.OPERAND, "z = g * 2", ["x * 2", "y * 2"]),
        (Operator.OPERAND, "for i in x: h(i)", ["for i in g:", "for i in y:"]),
        (Operator.OPERAND, "z = x.dtype", []),  # all floating inputs share one dtype
        (Operator.OPERAND, "z = h(1).data", ["h(1).grad"]),
        (Operator.OPERAND, "h(1).grad = 3", ["h(1).data"]),
        (Operator.UPSTREAM, "z = g * x", ["g ** 0 * x"]),
        (Operator.UPSTREAM, "z = g.shape", []),
        (Operator.UPSTREAM, "z = out.grad * x", ["1.0 * x"]),
        (Operator.OFF_BY_ONE, "z = x[1]", ["x[2]", "x[0]"]),
        (Operator.OFF_BY_ONE, "z = x[:n]", ["x[:n + 1]", "x[:n - 1]"]),
        (Operator.OFF_BY_ONE, "z = range(n)", ["range(n + 1)", "range(n - 1)"]),
        (Operator.CONSTANT, "z = 1.0", ["z = 0.0", "z = 2.0", "z = -1.0"]),
        (Operator.CONSTANT, "z = x.max(axis=-2)", []),  # `sign` makes 2 of it, `axis` -1 and -3
        (Operator.CONSTANT, "z = True", ["z = False"]),
        (Operator.COPY, "z = (x + y).copy()", ["x + y"]),
        (Operator.COPY, "z = np.array(x)", ["x"]),
        (Operator.ORDER, "z = reversed(x)", ["x"]),
        (Operator.ORDER, "z = x[::-1]", ["x"]),
        (Operator.FUNCTION, "z = max(x, y)", ["min(x, y)"]),
        (Operator.FUNCTION, "z = np.exp(x)", ["x", "np.log(x)"]),
        (Operator.FUNCTION, "z = x.reshape(y)", ["x"]),
        (Operator.FUNCTION, "z = np.expand_dims(g, 0)", ["g"]),
        (Operator.FUNCTION, "seen.add(id(x))", ["x"]),
        (Operator.STATEMENT, "x.grad += g", ["pass"]),
        (Operator.STATEMENT, "return g", ["pass"]),
        (Operator.STATEMENT, "g = h(g)", ["pass"]),
        (Operator.STATEMENT, "z = h(g)", []),  # the mutant would just raise a NameError
    ],
)
def test_rewrite_yields_these_changes(operator: Operator, line: str, after: list[str]) -> None:
    assert made(line, operator) == after


def test_mutant_of_a_condition_shows_its_statement() -> None:
    found = mutants("def f(x):\n    if x > 0:\n        x.clear()\n")
    keys = {m.key for m in found if m.operator is Operator.CONDITION}
    assert keys == {"condition: if x > 0: -> if False:", "condition: if x > 0: -> if True:"}


def test_mutant_of_a_constant_shows_the_call_around_it() -> None:
    (mutant,) = [m for m in mutants("def f(x):\n    return x.sum(axis=0)\n") if m.after == "x.sum(axis=1)"]
    assert mutant.key == "axis: x.sum(axis=0) -> x.sum(axis=1)"


def test_mutant_has_the_line_of_the_change() -> None:
    source = "import numpy as np\n\ndef f(g, x):\n    g = np.exp(g)\n    return (\n        x +\n        g)\n"
    lines = {m.after: m.line for m in mutants(source)}
    assert (lines["np.log(g)"], lines["x - g"]) == (4, 6)


def test_mutants_skip_decorators_signatures_and_docstrings() -> None:
    source = (
        'import numpy as np\n\n\n@np.vectorize\ndef f(x: int = 1, *, y: int = 0) -> "max":\n    """Add 1 to 2."""\n'
    )
    assert mutants(source) == []


def test_mutants_skip_definitions_of_the_stub() -> None:
    helper = "def helper(x):\n    return x + 1\n"
    found = mutants(f"{helper}\n\ndef f(x):\n    return helper(x)\n", given=f'"""Task."""\n\n\n{helper}')
    assert found
    assert all("return x + 1" in m.source for m in found)


def test_mutants_swap_parameters_of_one_function() -> None:
    source = "def f(a, b):\n    def h(c, d):\n        return c\n    return h\n"
    assert [m.after for m in mutants(source) if m.operator is Operator.OPERAND] == ["return d"]


@pytest.fixture(scope="module", params=sorted(SHIPPED.paths))
def shipped(request: pytest.FixtureRequest) -> tuple[str, list[Mutant]]:
    exercise = SHIPPED.find(request.param)
    drill = SHIPPED.drill(exercise)
    return drill.solution.source, mutants(
        drill.solution.source, cotangents=drill.solution.cotangents, given=exercise.stub
    )


def test_mutants_of_a_solution_are_valid_and_distinct(shipped: tuple[str, list[Mutant]]) -> None:
    source, found = shipped
    programs = [ast.unparse(ast.parse(m.source)) for m in found]
    assert len(found) >= 5
    assert len({*programs, ast.unparse(ast.parse(source))}) == len(found) + 1
    for mutant in found:
        compile(mutant.source, "mutant", "exec", dont_inherit=True)


def test_mutants_describe_the_change_in_one_line(shipped: tuple[str, list[Mutant]]) -> None:
    source, found = shipped
    for mutant in found:
        assert mutant.before != mutant.after
        assert "\n" not in mutant.key
        assert 1 <= mutant.line <= source.count("\n")


def test_mutants_have_a_fixed_order(shipped: tuple[str, list[Mutant]]) -> None:
    source, _ = shipped
    assert mutants(source) == mutants(source)
