"""Rules of exceptions, with the messages of the installed Python and NumPy, so that a new wording fails."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from autodrill.drills import in_step
from autodrill.grading.diagnosis.exception_rules import raised_rule
from autodrill.sandbox.outcomes import Raised

NAMES = {
    "np": np,
    "math": math,
    "in_step": in_step,
    "a": np.ones((2, 3)),
    "b": np.ones((4, 5)),
    "n": np.arange(3),
    "node": SimpleNamespace(data=1.0, grad=0.0, _prev=()),
    "nothing": None,
}


def rule_of(code: str) -> str | None:
    """Return the key of the rule for the exception that a piece of code raises."""
    try:
        exec(code, dict(NAMES))
    except Exception as error:  # noqa: BLE001  any exception may have a rule
        rule = raised_rule(Raised(type(error).__name__, str(error), ()))
        return rule.key if rule else None
    raise AssertionError(f"`{code}` raises nothing")


@pytest.mark.parametrize(
    ("code", "key"),
    [
        ("-(a > 0)", "boolean-arithmetic"),
        ("(a > 0) - (a < 0)", "boolean-arithmetic"),
        ("a + b", "shapes-do-not-align"),
        ("np.broadcast_to(a, (3, 2))", "shapes-do-not-align"),
        ("a[np.arange(2), np.arange(3)]", "shapes-do-not-align"),
        ("c = np.ones((2, 1)); c /= a", "in-place-shape"),
        ("np.broadcast_to(a, (3,))", "too-many-axes"),
        ("a @ b", "inner-sizes"),
        ("np.dot(a, b)", "inner-sizes"),
        ("a @ 2.0", "matrix-needs-axes"),
        ("np.linalg.solve(np.ones((2, 2)), np.ones(2))", "singular-matrix"),
        ("np.linalg.inv(np.zeros((2, 2)))", "singular-matrix"),
        ("a.reshape(4)", "reshape-size"),
        ("a.sum(axis=(0, 0))", "axis-twice"),
        ("a.transpose(0)", "transpose-axes"),
        ("a.squeeze(0)", "squeeze"),
        ("a.sum(axis=2)", "no-such-axis"),
        ("a and a", "array-truth"),
        ("np.broadcast_to(a, (2, 2, 3))[0] = 1", "read-only"),
        ("math.sqrt(-1.0)", "math-domain"),
        ("math.log(0.0)", "math-domain"),
        ("x, y = [1]", "unpacking"),
        ("[1][1]", "index-out-of-range"),
        ("a[np.arange(2), n[:2] + 2]", "index-out-of-range"),
        ("a[0, 0, 0]", "too-many-indices"),
        ("a[np.arange(2), a[:, 0]]", "float-index"),
        ("a[1.0]", "float-index"),
        ("nothing + 1", "none-value"),
        ("nothing.grad", "none-value"),
        ("nothing < 1", "none-value"),
        ("reversed(nothing)", "none-value"),
        ("nothing[0]", "none-value"),
        ("np.expand_dims(a, None)", "none-value"),
        ("2.0 ^ 2", "caret"),
        ("a.sum(axis=a)", "integer-needed"),
        ("range(1.5)", "float-for-integer"),
        ("np.zeros((2, 4 / 2))", "float-for-integer"),
        ("for i in xrange(3): pass", "python-2"),
        ("{}.iteritems()", "python-2"),
        ("{}.has_key(1)", "python-2"),
        ("{}.keys().sort()", "python-2"),
        ("map(abs, [1])[0]", "python-2"),
        ("range(3) + [4]", "python-2"),
        ("range(3).sort()", "no-such-attribute"),
        ("x = [1]; x[1.0]", "integer-needed"),
        ("math.tanh(n)", "scalar-needed"),
        ("float(a)", "scalar-needed"),
        ("for x, y in (1, 2): pass", "not-iterable"),
        ("for x in 1.0: pass", "not-iterable"),
        ("[*1]", "not-iterable"),
        ("len(1.0)", "no-length"),
        ("len(np.float64(1))", "no-length"),
        ("x = 1.0; x(2.0)", "not-callable"),
        ("node[0]", "not-subscriptable"),
        ("(1, 2)[0] = 3", "not-subscriptable"),
        ("(lambda x: x)()", "call-arguments"),
        ("(lambda x: x)(1, y=2)", "call-arguments"),
        ("node * 2.0", "operand-kinds"),
        ("[1] * 2.0", "operand-kinds"),
        ("-[1]", "operand-kinds"),
        ("node < node", "operand-kinds"),
        ("np.exp('x')", "operand-kinds"),
        ("n *= 0.5", "in-place-dtype"),
        ("node.gard", "no-such-attribute"),
        ("a.grad", "no-such-attribute"),
        ("a * gard", "unknown-name"),
        ("{}['x']", "no-such-key"),
        ("1.0 / 0.0", "divides-by-zero"),
        ("math.exp(1000.0)", "overflow"),
        ("assert a.ndim == 1", "own-assertion"),
        ("in_step(lambda own, reduce: reduce(own) if own else own, [[0], [1]], sum)", "collective-skipped"),
        ("raise ValueError('something of my own')", None),
        ("raise RuntimeError('out of bounds')", None),
    ],
)
def test_raised_rule_explains_an_exception(code: str, key: str | None) -> None:
    assert rule_of(code) == key


def test_raised_rule_explains_an_endless_recursion() -> None:
    rule = raised_rule(Raised("RecursionError", "maximum recursion depth exceeded", ()))
    assert rule is not None
    assert rule.key == "recursion"
