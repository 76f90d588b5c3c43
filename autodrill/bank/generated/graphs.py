"""The generator `graph`: a small random graph. What is the derivative of the output with respect to each variable?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from autodrill.bank.generated.record import make, proof, verdict
from autodrill.bank.questions import Difficulty, NumericKey

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Mapping, Sequence

    from autodrill.bank.questions import Fence, Question
    from autodrill.engine.tracing.tape import Tape

__all__ = ["labelled_graph"]

_WIDTH = 72
_LARGEST, _LARGEST_ADJOINT, _FINEST = 40, 200, 12


@dataclass(frozen=True, slots=True)
class _Rule:
    """The value and the partial derivatives of an operation, in exact fractions; None if there is no value."""

    arity: int
    value: Callable[..., Fraction | None]
    partials: Callable[..., tuple[Fraction, ...]]


# Keyed by the name that the engine, NumPy and PyTorch share.
_RULES: Mapping[str, _Rule] = {
    "add": _Rule(2, lambda x, y: x + y, lambda x, y: (Fraction(1), Fraction(1))),
    "subtract": _Rule(2, lambda x, y: x - y, lambda x, y: (Fraction(1), Fraction(-1))),
    "multiply": _Rule(2, lambda x, y: x * y, lambda x, y: (y, x)),
    "divide": _Rule(2, lambda x, y: x / y if y else None, lambda x, y: (1 / y, -x / y**2)),
    # At the kink 0 the value is None, so that no question is asked there.
    "relu": _Rule(1, lambda x: max(x, Fraction(0)) if x else None, lambda x: (Fraction(x > 0),)),
    "absolute": _Rule(1, lambda x: abs(x) if x else None, lambda x: (Fraction(1 if x > 0 else -1),)),
}
_BASIC = ("add", "subtract", "multiply", "multiply")


@dataclass(frozen=True, slots=True)
class _Level:
    variables: int
    operations: int
    rules: tuple[str, ...]
    minutes: float


_LEVELS = {
    Difficulty.EASY: _Level(2, 3, _BASIC, 2),
    Difficulty.MEDIUM: _Level(2, 5, (*_BASIC, "relu", "absolute"), 4),
    Difficulty.HARD: _Level(3, 7, (*_BASIC, "relu", "absolute", "divide"), 6),
}


@dataclass(frozen=True, slots=True)
class _Graph:
    """A graph: variables first, then operations in order of evaluation, with the output last."""

    names: tuple[str, ...]
    operations: tuple[tuple[str, tuple[int, ...]], ...]
    primals: tuple[Fraction, ...]

    def adjoints(self, *, overwrite: bool = False) -> list[Fraction]:
        """Return all adjoints. `overwrite` makes the mistake of keeping only the last contribution."""
        bars = [Fraction(0)] * len(self.primals)
        bars[-1] = Fraction(1)
        for at in reversed(range(len(self.operations))):
            name, operands = self.operations[at]
            partials = _RULES[name].partials(*(self.primals[o] for o in operands))
            for operand, partial in zip(operands, partials, strict=True):
                amount = bars[len(self.names) + at] * partial
                bars[operand] = amount if overwrite else bars[operand] + amount
        return bars


def labelled_graph(rng: random.Random, difficulty: Difficulty) -> Question:
    """Return a question on the derivatives at the leaves of a small graph with a fork."""
    level = _LEVELS[difficulty]
    while (graph := _attempt(rng, level)) is None:
        pass
    bars = graph.adjoints()[: len(graph.names)]
    overwritten = graph.adjoints(overwrite=True)
    tape = _tape(graph)
    answers = {f"∂y/∂{name}": bar for name, bar in zip(graph.names, bars, strict=True)}
    slips = [
        f"`∂y/∂{name}` = {wrong}"
        for name, bar, wrong in zip(graph.names, bars, overwritten, strict=False)
        if bar != wrong
    ]
    overwriting = f"here this gives {', '.join(slips)}" if slips else "here this happens to change no leaf"
    return make(
        __file__,
        difficulty,
        NumericKey({k: str(v) for k, v in answers.items()}, {k: float(v) for k, v in answers.items()}, 1e-3),
        minutes=level.minutes,
        topics=("graph",),
        exercises=("label_graph", "mul_backward"),
        title="What is ∂y/∂v for each leaf v of this graph?",
        body=_drawn(tape, adjoints=False),
        answer="Start at `y`, whose adjoint is 1, and go back to the leaves. If a value has several "
        "consumers, add their contributions:\n\n" + _drawn(tape, adjoints=True),
        key_points=(
            "The adjoint of the output is 1",
            "Each edge multiplies the adjoint by the local derivative at the values of the forward pass",
            "If a value has several consumers, their contributions add",
        ),
        wrong_answers=(verdict("The derivative is the contribution of the last consumer alone", overwriting),),
        follow_ups=(
            (
                "In which orders may the backward pass visit the operations?",
                "In any order that visits each operation after all of its consumers.",
            ),
        ),
        proofs=(_proof(graph, torch=False), _proof(graph, torch=True)),
    )


def _attempt(rng: random.Random, level: _Level) -> _Graph | None:
    """Draw a graph; None if it makes a bad question: unwieldy numbers, a kink, no fork, or all derivatives 0."""
    primals = [Fraction(rng.choice([n for n in range(-4, 6) if n])) for _ in range(level.variables)]
    operations: list[tuple[str, tuple[int, ...]]] = []
    unused = set(range(level.variables))
    while len(operations) < level.operations:
        name = rng.choice(level.rules)
        rule = _RULES[name]
        # One operand is always a value without a consumer, so that every value reaches the output in the end.
        operands = [rng.choice(sorted(unused))]
        operands += [rng.randrange(len(primals)) for _ in range(rule.arity - 1)]
        rng.shuffle(operands)
        value = rule.value(*(primals[o] for o in operands))
        if value is None or abs(value) > _LARGEST or value.denominator > _FINEST:
            return None
        operations.append((name, tuple(operands)))
        unused = unused - set(operands) | {len(primals)}
        primals.append(value)
    uses = Counter(operand for _, operands in operations for operand in operands)
    trivial = any(name in {"subtract", "divide"} and len(set(operands)) == 1 for name, operands in operations)
    if len(unused) > 1 or max(uses.values()) < 2 or trivial:
        return None
    graph = _Graph(tuple("abc"[: level.variables]), tuple(operations), tuple(primals))
    bars = graph.adjoints()
    wieldy = all(abs(bar) <= _LARGEST_ADJOINT and bar.denominator <= _FINEST**2 for bar in bars)
    return graph if wieldy and any(bars[: level.variables]) else None


def _tape(graph: _Graph) -> Tape:
    from autodrill import engine
    from autodrill.engine.tracing.tape import levelled

    def f(*leaves: engine.Tensor) -> engine.Tensor:
        values = list(leaves)
        for name, operands in graph.operations:
            values.append(getattr(engine, name)(*(values[o] for o in operands)))
        return values[-1]

    return levelled(engine.tape_of(f, {name: float(v) for name, v in zip(graph.names, graph.primals, strict=False)}))


def _drawn(tape: Tape, *, adjoints: bool) -> str:
    """Return the drawing that `autodrill trace --picture table` makes, as a code block."""
    from autodrill.bank.tape_text import drawn

    return "```text\n" + "\n".join(drawn(tape, _WIDTH, adjoints=adjoints)) + "\n```"


def _proof(graph: _Graph, *, torch: bool) -> Fence:
    names: Sequence[str] = [*graph.names, *(f"v{k}" for k in range(1, len(graph.operations) + 1))]
    lines = ["import torch as lib" if torch else "from autodrill import engine as lib"]
    for name, primal in zip(graph.names, graph.primals, strict=False):
        made = f"tensor({float(primal)}, dtype=lib.float64" if torch else f"Tensor({float(primal)}"
        lines.append(f"{name} = lib.{made}, requires_grad=True)")
    for at, (operation, operands) in enumerate(graph.operations, len(graph.names)):
        lines.append(f"{names[at]} = lib.{operation}({', '.join(names[o] for o in operands)})")
    lines.append(f"{names[-1]}.backward()")
    computed = ", ".join(f'"∂y/∂{name}": {name}.grad.item()' for name in graph.names)
    lines.append(f"computed = {{{computed}}}")
    return proof("\n".join(lines), torch=torch)
