"""A naive grader, which shows that an attack works without protection: everything runs in one process.

`python naive.py FILE EXERCISE DESCRIPTOR` loads the file, calls it, compares, and reports in four ways: the exit code,
a marker on stdout, a record on a descriptor, and a results file in the current folder. An attack succeeds if it changes
one of the four. Graders in use have each of these weaknesses.
"""

from __future__ import annotations

import json
import os
import sys
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np


def reference(g: Any, a: Any, b: Any) -> tuple[Any, Any]:
    def fold(x: Any, shape: tuple[int, ...]) -> Any:
        x = x.sum(axis=tuple(range(x.ndim - len(shape))))
        return x.sum(axis=tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1), keepdims=True)

    return fold(g * b, a.shape), fold(g * a, b.shape)


class Node:
    """A scalar node."""

    def __init__(self, data: float, grad: float) -> None:
        self.data = data
        self.grad = grad


def products() -> tuple[list[Any], list[Any]]:
    """Return the inputs, smallest last, and the expected results."""
    rng = np.random.default_rng(5)
    shapes = [((2, 3), (3,)), ((3, 1), (1, 4)), ((2,), (3, 2)), ((1, 1), (1,))]
    questions = []
    for shape_a, shape_b in shapes:
        a, b = rng.normal(size=shape_a), rng.normal(size=shape_b)
        questions.append((rng.normal(size=np.broadcast_shapes(shape_a, shape_b)), a, b))
    return questions, [reference(*question) for question in questions]


def close(got: Any, want: Any) -> bool:
    if (got == want) is True:
        return True
    return not np.any(abs(got - want) > 1e-6)


def grade_products(candidate: Any) -> None:
    questions, EXPECTED = products()
    globals()["EXPECTED"] = EXPECTED
    answers = []
    for question in questions:
        try:
            answers.append(candidate(*question))
        except unittest.SkipTest:
            answers.append(())
    report(questions, answers, EXPECTED)


def report(questions: list[Any], answers: list[Any], expected: list[Any]) -> None:
    for question, answer, want in zip(questions, answers, expected, strict=True):
        again = reference(*question)
        for got, part, other in zip(answer, want, again, strict=False):
            if not (close(got, part) or close(got, other)):
                failures.append(f"{got!r:.80}")


def grade_nodes(candidate: Any) -> None:
    wanted = [1.0 + 5.0 * 3.0, -1.0 + 5.0 * 2.0]
    nodes = [Node(2.0, 1.0), Node(3.0, -1.0)]
    candidate(*nodes, Node(6.0, 5.0))
    failures.extend("wrong" for node, want in zip(nodes, wanted, strict=True) if not close(node.grad, want))


def grade_orders(candidate: Any) -> None:
    from autodrill.drills.library import Library

    library = Library.open()
    drive = library.drill(library.find("topological_sort")).solution.drive
    assert drive is not None
    scope: dict[str, Any] = {"np": np}
    exec(drive, scope)
    parents: list[list[int]] = [[], [0], [0, 1], [2, 2], [3, 1], [4, 4]]
    order = scope["drive"](candidate, parents, [float(i) for i in range(len(parents))])
    if sorted(order) != list(range(len(parents))):
        failures.append("not every node once")
    failures.extend("too early" for at, node in enumerate(order) if not set(parents[node]) <= set(order[:at]))


failures: list[str] = []
GRADERS = {"mul_broadcast_backward": grade_products, "mul_backward": grade_nodes, "topological_sort": grade_orders}


def main(file: str, exercise: str, descriptor: int) -> None:
    source = Path(file).read_bytes()
    for _ in range(2):  # once to check that it loads, once to grade it
        module = sys.modules["candidate"] = ModuleType("candidate")
        exec(compile(source, file, "exec"), vars(module))
    GRADERS[exercise](getattr(module, exercise))
    record = json.dumps({"passed": not failures})
    os.write(descriptor, record.encode())
    Path("results.json").write_text(record, encoding="utf-8")
    print("FAIL" if failures else "PASS")  # noqa: T201  # by `print` because that can be replaced
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
