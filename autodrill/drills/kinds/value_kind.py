"""Kind `value`: the `_backward` closure of a scalar node, which accumulates into `.grad` of its operands."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.drills.answer_records import ULPS, Fault, FaultKind, Part, Rule
from autodrill.drills.case import RANDOM, SCALES, Case, case_of, named_arguments, plain_label
from autodrill.drills.cases import is_literal
from autodrill.drills.kind import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeGuard

    import numpy as np
    from numpy.typing import NDArray

    from autodrill.drills.answer_records import Expected
    from autodrill.drills.authoring import Given
    from autodrill.drills.exercise import Drill
    from autodrill.drills.template import Template

    Array = NDArray[Any]

__all__ = ["KIND", "Value"]

_NODES = """
class Node:
    def __init__(self, data, grad):
        self.data = data
        self.grad = grad

    def __repr__(self):
        return f"Node(data={self.data!r}, grad={self.grad!r})"


def drive(candidate, data, grads, alias, out_data, out_grad, extra):
    nodes = [Node(d, g) for d, g in zip(data, grads)][: 1 if alias else None]
    operands = nodes * len(data) if alias else nodes
    out = Node(out_data, out_grad)
    candidate(*operands, out, **extra)
    first = [n.grad for n in nodes]
    try:
        candidate(*operands, out, **extra)
        again = [n.grad for n in nodes]
    except Exception:
        again = []
    return {"grads": first, "again": again, "data": [n.data for n in nodes], "out": [out.data, out.grad]}
"""
# The nodes have only the attributes that an interviewer gives them. The second call shows a closure that marks its
# nodes: it must add its contribution again.

_SMALL_NUMBERS = (2.0, 3.0, 1.0, -1.0, -2.0, 0.5, 4.0, -3.0)

_EQUAL = "equal values, two nodes"


class Value(Kind):
    """The `_backward` closure of a scalar node.

    An exercise with its own `drive` is called and compared like a program.
    """

    any_dtype = True
    on_arrays = False
    keeps_memory_rules = False
    no_prediction = ""
    zero = Rule(
        "at-zero", "the answer is wrong if an input is 0", "do you divide by an input, or test its truth value?"
    )
    mutated = Rule(
        "writes-elsewhere",
        "a `_backward` may change only the `.grad` of its operands",
        "which line writes to another attribute or another node?",
    )

    def template(self, name: str) -> Template:
        """Return the template of a closure for one operand."""
        from autodrill.drills.template import GIVEN, WRITTEN, WRONG, Template

        head = f"def {name}(self, out):\n"
        return Template(
            stub=f"{head}    raise NotImplementedError\n",
            deciding=GIVEN.format(shapes="self[]", inputs="self").replace("return x", "return self"),
            solution=f"{head}    self.grad += out.grad{WRITTEN}\n",
            mistake=f"{head}    self.grad = out.grad{WRONG}\n",
        )

    def cases(self, entry: Given, rng: np.random.Generator, *, zero: bool) -> list[Case]:
        """Return cases with random values, zeros, unusual cotangents, an empty `.grad`, and one node twice."""
        names = list(entry.arrays)
        drawn = [n for n in names if not is_literal(entry, n)]

        def case(what: str, **changes: Any) -> Case:
            inputs = {name: _scalar(entry, name, rng) for name in names} | changes.pop("inputs", {})
            return case_of(entry, what, inputs, rng, **changes)

        cases = [case(RANDOM if drawn else "") for _ in range(3 if drawn else 1)]
        cases += [case(f"{name} = 0", inputs={name: 0.0}) for name in names if name not in entry.values]
        if "g" not in entry.values:
            cases.append(case("out.grad = 0", cotangent=0.0))
            cases.append(case("out.grad negative", cotangent=-float(rng.uniform(0.5, 2))))
        if drawn:
            cases.append(case("nothing in .grad yet", fresh=True))
            # A tiny contribution is visible only if `.grad` starts at 0.
            cases += [
                case(f"{what} out.grad", scale=scale, fresh=True) for what, scale in SCALES if "g" not in entry.values
            ]
        if len(names) > 1 and drawn == names:
            for _ in range(2):
                inputs = dict.fromkeys(names, _scalar(entry, names[0], rng))
                cases.append(case(f"{names[1]} is {names[0]}", inputs=inputs, alias=True))
            cases.append(case(_EQUAL, inputs=dict.fromkeys(names, _scalar(entry, names[0], rng))))
        return cases

    def smaller(self, entry: Given, like: Case, rng: np.random.Generator) -> Iterator[Case]:
        """Yield cases of a class like one that failed, those with simple numbers first."""
        names = list(entry.arrays)
        what = like.label.partition(" · ")[2]
        choices = [
            (float(entry.values[n]),) if is_literal(entry, n) else (0.0,) if what == f"{n} = 0" else _SMALL_NUMBERS
            for n in names
        ]
        if like.alias:
            choices = [_SMALL_NUMBERS]
        numbers = sorted(itertools.product(*choices), key=lambda vs: (len(set(vs)) < len(vs), sum(map(_plainness, vs))))
        if what == _EQUAL:
            numbers = [values for values in numbers if len(set(values)) == 1]
        cotangents: tuple[float, ...] = {"out.grad = 0": (0.0,), "out.grad negative": (-1.0, -2.0)}.get(
            what, (1.0, 2.0, -1.0)
        )
        if entry.values.get("g") is not None:
            cotangents = (entry.values["g"],)
        for values in numbers[:40]:
            inputs = dict.fromkeys(names, values[0]) if like.alias else dict(zip(names, values, strict=True))
            for cotangent in cotangents:
                yield replace(like, label=plain_label(like), inputs=inputs, cotangent=cotangent, simple=True)

    def driver(self, drill: Drill) -> str | None:
        """Return the source of a `drive` that makes the nodes."""
        return _NODES

    def arguments(self, drill: Drill, case: Case, expected: Expected, draw: int = 0) -> list[Any]:
        """Return the numbers for the nodes."""
        if drill.solution.drive:
            return super().arguments(drill, case, expected, draw)
        data = [float(v) for v in case.inputs.values()]
        out, g = float(expected.outputs[0]), float(expected.cotangents[0])
        return [data, list(expected.start), case.alias, out, g, dict(case.static)]

    def shown_arguments(self, drill: Drill, case: Case, expected: Expected) -> dict[str, Any]:
        """Return the values and starting gradients of the nodes."""
        if drill.solution.drive:
            return named_arguments(drill, case, expected)
        nodes = list(case.inputs)[: 1 if case.alias else None]
        shown: dict[str, Any] = {f"{name}.data": case.inputs[name] for name in nodes}
        shown.update((part.name, start) for part, start in zip(expected.parts, expected.start, strict=True))
        return {**shown, "out.grad": float(expected.cotangents[0])}

    def results(self, drill: Drill, value: Any) -> Any | Fault:
        """Return the gradients of the nodes. The driver sends a dict of lists; any other reply is forged."""
        if drill.solution.drive:
            return value
        if not isinstance(value, dict) or not all(isinstance(value.get(key), list) for key in ("grads", "data", "out")):
            return Fault(FaultKind.TYPE, "the child process did not send back the nodes that it was given")
        return tuple(value["grads"])

    def fault(
        self, drill: Drill, case: Case, expected: Expected, value: Any, got: Sequence[Array | None], fault: Fault | None
    ) -> Fault | None:
        """Return a write to `.data` or to `out` before any other fault: it may cause the wrong gradients."""
        if drill.solution.drive:
            return fault
        return _untouched_nodes(case, expected, value) or fault or _added_again(case, expected, value.get("again"))

    def names_of_results(self, drill: Drill, differentiated: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the operands, whose `.grad` is the result."""
        return tuple(differentiated)

    def parts(
        self, case: Case, names: Sequence[str], gradients: Sequence[Array], tolerances: Sequence[Array]
    ) -> tuple[tuple[Part, ...], tuple[float, ...]]:
        """Return each `.grad` after the call: its starting value and the contributions. One node has one `.grad`."""
        import numpy as np

        rng = np.random.default_rng([case.seed, 2])
        pool = [10.0, 20.0, 30.0] if case.simple else rng.uniform(0.2, 1.5, 3) * rng.choice([-1, 1], 3)
        start = tuple(0.0 if case.fresh else float(v) for v in pool[: len(names)])
        room = ULPS["float64"] * float(np.finfo(np.float64).eps)
        if case.alias:
            names, start = names[:1], start[:1]
            gradients, tolerances = [np.sum(gradients, axis=0)], [np.sum(tolerances, axis=0)]
        made = zip(names, start, gradients, tolerances, strict=True)
        return (
            tuple(
                Part(f"{name}.grad", np.asarray(s + g), np.asarray(t + room * abs(s)), np.dtype(np.float64))
                for name, s, g, t in made
            ),
            start,
        )


def _scalar(entry: Given, name: str, rng: np.random.Generator) -> float:
    value = entry.values.get(name)
    if value is None:
        return float(rng.normal(scale=2))
    return float(value(rng, (), {})) if callable(value) else float(value)


def _plainness(value: float) -> float:
    return _SMALL_NUMBERS.index(value) if value in _SMALL_NUMBERS else 0


def _untouched_nodes(case: Case, expected: Expected, value: Any) -> Fault | None:
    """Return the fault of a closure that writes to anything except the `.grad` of its operands."""
    data = [float(v) for v in case.inputs.values()][: 1 if case.alias else None]
    now = value.get("data") if isinstance(value, dict) else None
    if not _are_numbers(now) or len(now) != len(data):
        return Fault(FaultKind.MUTATED, "the `.data` of an operand is no longer a number")
    for name, before, after in zip(case.inputs, data, now, strict=False):
        if before != after:
            return Fault(FaultKind.MUTATED, f"`{name}.data` is {before:.4g} before the call and {after:.4g} after it")
    out = value.get("out")
    if not _are_numbers(out) or len(out) != 2:
        return Fault(FaultKind.MUTATED, "`out` no longer holds two numbers")
    given = float(expected.outputs[0]), float(expected.cotangents[0])
    for name, before, after in zip(("data", "grad"), given, out, strict=True):
        if not _same(before, float(after)):
            return Fault(FaultKind.MUTATED, f"`out.{name}` is {before:.4g} before the call and {after:.4g} after it")
    return None


def _added_again(case: Case, expected: Expected, again: Any) -> Fault | None:
    """Return the fault of a closure that is right once, and then does not add its contribution a second time."""
    if case.fresh:  # a closure that does not add at all is right there, and another case shows its fault
        return None
    if not _are_numbers(again) or len(again) != len(expected.parts):
        return Fault(FaultKind.UNREPEATABLE, "a second call on the same nodes fails")
    for part, start, now in zip(expected.parts, expected.start, again, strict=True):
        once, tolerance = float(part.value), 3 * float(part.tolerance)
        if math.isfinite(once) and not abs(float(now) - (2 * once - start)) <= tolerance:
            words = f"a second call on the same nodes leaves `{part.name}` at {float(now):.4g}"
            return Fault(FaultKind.UNREPEATABLE, f"{words}, not {2 * once - start:.4g}: it must add again")
    return None


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _are_numbers(value: Any) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(_is_number(v) for v in value)


def _is_number(value: Any) -> bool:
    import numpy as np

    if isinstance(value, np.generic):
        return value.dtype.kind in "fiu"
    return type(value) is float or (type(value) is int and abs(value) < 10**300)  # a float can represent it


KIND = Value()
