"""Recording of a tape: of a function of tensors, by one run in forward mode, or of the graph of a `Value`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from autodrill.engine.core.mode import enable_grad, observed_by
from autodrill.engine.core.node import Node
from autodrill.engine.core.saved_values import unpack
from autodrill.engine.core.tensor import Tensor, raw
from autodrill.engine.ops.shape import unbroadcast
from autodrill.engine.tracing.tape import Constant, Contribution, Ref, Row, Tape, reverse
from autodrill.engine.transforms.forward_mode import attach, open_level

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from autodrill.engine.core.primitive import Primitive
    from autodrill.engine.scalar import Value
    from autodrill.engine.tracing.tape import Numbers, Operand, Pullback

__all__ = ["tape_of", "tape_of_value"]

_NAMES = {
    "+": "add",
    "*": "multiply",
    "/": "divide",
    "**": "power",
    "neg": "negative",
}  # `Value` names operations by their signs


def tape_of(
    f: Callable[..., Tensor],
    primals: Mapping[str, Any],
    *,
    tangents: Mapping[str, Any] | None = None,
    cotangent: Any = None,
) -> Tape:
    """Evaluate f once and record its tape: primals, tangents and adjoints.

    Args:
        f: A function of one argument for each primal, in the engine's operations, that returns a Tensor.
        primals: The name and value of each argument, in f's order.
        tangents: The tangents of the primals by name, 0 if left out; None records no tangents.
        cotangent: Of the output's shape; by default 1, for an output of one element.

    Returns:
        The tape, with a row for each primal and each operation.

    Raises:
        TypeError: A primal is not of a floating dtype, or f does not return a Tensor.
        ValueError: The output depends on no argument, a tangent has an unknown name or the wrong shape, or the
            cotangent is missing or has the wrong shape.

    Example:
        >>> tape = engine.tape_of(lambda x, y: x * y, {"x": np.array(2.0), "y": np.array(5.0)})
        >>> len(tape.rows)
        3
    """
    _check_names(tangents, primals)
    tape = _Tape(len(primals))
    numbers: dict[Any, int] = {}

    def watch(primitive: Primitive, args: tuple[Any, ...], result: Tensor) -> None:
        if result.tangents is None or level not in result.tangents:
            return  # computed from constants, or inside a rule
        operands = [_operand(a, numbers) for a in args]
        pushed = None if tangents is None else raw(result.tangents[level])
        pull = _pull_of_node(result.node, args, operands) if isinstance(result.node, Node) else None
        numbers[_identity(result)] = tape.add(primitive.name, "", operands, result.data, pushed, pull)

    with enable_grad(), open_level() as level, observed_by(watch):
        arguments = []
        for name, value in primals.items():
            x = Tensor(float(value) if isinstance(value, (int, float)) else raw(value), requires_grad=True)
            dx = Tensor((tangents or {}).get(name, np.zeros(x.shape)), dtype=x.dtype)
            if dx.shape != x.shape:
                raise ValueError(f"the tangent of `{name}` has shape {dx.shape} but its primal has shape {x.shape}")
            arguments.append(attach(x, dx, level))
            numbers[x.node] = tape.add("", name, [], x.data, None if tangents is None else dx.data, None)
        result = f(*arguments)
    if type(result) is not Tensor:
        raise TypeError(
            f"a tape needs a function that returns a Tensor, but this one returned a `{type(result).__name__}`"
        )
    output = numbers.get(_identity(result))
    if output is None:
        raise ValueError("the result depends on none of the arguments")
    return tape.finished(output, _seed(cotangent, result.data))


def tape_of_value(
    output: Value, variables: Mapping[str, Value], *, tangents: Mapping[str, float] | None = None
) -> Tape:
    """Record the tape of a computation on scalar `Value`s, without changing their gradients.

    The rows are in Python's order of evaluation: operands from left to right. A value that was not computed and is not
    a variable is a constant.

    Args:
        output: The result.
        variables: The independent variables by name.
        tangents: The tangents of the variables by name, 0 if left out; None records no tangents.

    Returns:
        The tape, with a row for each variable and each operation.

    Raises:
        ValueError: The output depends on no variable, or a tangent has an unknown name.

    Example:
        >>> x = engine.Value(3.0)
        >>> len(engine.tape_of_value(x * x, {"x": x}).rows)
        2
    """
    _check_names(tangents, variables)
    tape = _Tape(len(variables))
    numbers: dict[Value, int] = {}
    pushed: dict[int, Numbers | None] = {}
    for name, value in variables.items():
        seed = None if tangents is None else _number(tangents.get(name, 0.0))
        numbers[value] = number = tape.add("", name, [], _number(value.data), seed, None)
        pushed[number] = seed
    for value in _evaluation_order(output, frozenset(numbers)):
        operands: list[Operand] = [Ref(numbers[v]) if v in numbers else Constant(_number(v.data)) for v in value._prev]
        if not any(isinstance(o, Ref) for o in operands):
            continue  # a constant: given, or computed from constants
        pull = _pull_of_value(value, operands)
        tangent = None
        if tangents is not None:
            tangent = _number(sum(float(c.amount) * float(pushed[c.source] or 0) for c in pull(_number(1.0))))
        operation = _NAMES.get(value._op, value._op)
        numbers[value] = number = tape.add(operation, "", operands, _number(value.data), tangent, pull)
        pushed[number] = tangent
    if output not in numbers:
        raise ValueError("the result depends on none of the variables")
    return tape.finished(numbers[output], _number(1.0))


class _Tape:
    """A tape during recording: its rows without adjoints, and the pullback of each row."""

    def __init__(self, variables: int) -> None:
        self._variables = variables
        self._rows: list[Row] = []
        self._pulls: dict[int, Pullback] = {}

    def add(
        self,
        operation: str,
        label: str,
        operands: Sequence[Operand],
        primal: Numbers,
        tangent: Numbers | None,
        pull: Pullback | None,
    ) -> int:
        """Append a row and return its number."""
        number = len(self._rows) + 1 - self._variables
        frozen = None if tangent is None else _frozen(tangent)
        kept = _frozen(primal)
        self._rows.append(Row(number, operation, label, tuple(operands), kept, frozen, np.zeros_like(kept), ()))
        if pull is not None:
            self._pulls[number] = pull
        return number

    def finished(self, output: int, seed: Numbers) -> Tape:
        """Run reverse mode from the output."""
        adjoints = {row.number: row.adjoint for row in self._rows}
        adjoints[output] = seed
        pulls = self._pulls

        def pull(number: int, adjoint: Numbers) -> list[Contribution]:
            return pulls[number](adjoint) if number in pulls else []

        found = dict(reverse([row.number for row in self._rows], adjoints, output, pull))
        rows = [
            replace(row, adjoint=_frozen(adjoints[row.number]), contributions=tuple(found[row.number]))
            for row in self._rows
        ]
        return Tape(tuple(rows), output, pulls)


def _check_names(tangents: Mapping[str, Any] | None, variables: Mapping[str, Any]) -> None:
    for name in tangents or ():
        if name not in variables:
            raise ValueError(
                f"a tangent names the variable `{name}`, but there are only {', '.join(f'`{v}`' for v in variables)}"
            )


def _identity(tensor: Tensor) -> Any:
    """Return the identity of a variable, shared by all its tensors: its node, or the tensor if it has none."""
    return tensor if tensor.node is None else tensor.node


def _operand(value: Any, numbers: Mapping[Any, int]) -> Operand:
    number = numbers.get(_identity(value)) if type(value) is Tensor else None
    return Constant(_frozen(np.asarray(raw(value)))) if number is None else Ref(number)


def _pull_of_node(node: Node, args: Sequence[Any], operands: Sequence[Operand]) -> Pullback:
    """Return the pullback of a recorded operation: its VJP rules, on arrays."""
    saved = unpack(node, create_graph=False)
    # A parent without a row is a tensor from outside f.
    positions = [k for k, a in enumerate(args) if type(a) is Tensor and a.node is not None]

    def pull(g: Numbers) -> list[Contribution]:
        found = []
        for index, rule, pick in node.plan.steps:
            operand = operands[positions[index]]
            if isinstance(operand, Constant):
                continue
            given = () if pick is None else (saved[pick],) if isinstance(pick, int) else pick(saved)
            parent = node.parents[index]
            amount = np.asarray(unbroadcast(raw(rule(g, *given)), parent.shape), dtype=parent.dtype)
            found.append(Contribution(operand.number, (positions[index],), _frozen(amount)))
        return found

    return pull


def _pull_of_value(value: Value, operands: Sequence[Operand]) -> Pullback:
    """Return the pullback of a `Value`: its closure, after which all gradients it changed are restored."""

    def pull(g: Numbers) -> list[Contribution]:
        touched = {value, *value._prev}
        before = {v: v.grad for v in touched}
        for v in touched:
            v.grad = 0.0
        value.grad = float(g)
        try:
            value._backward()
            positions: dict[Value, list[int]] = {}
            for position, (parent, operand) in enumerate(zip(value._prev, operands, strict=True)):
                if isinstance(operand, Ref):
                    positions.setdefault(parent, []).append(position)
            sources = [o.number if isinstance(o, Ref) else 0 for o in operands]
            return [Contribution(sources[at[0]], tuple(at), _number(v.grad)) for v, at in positions.items()]
        finally:
            for v, gradient in before.items():
                v.grad = gradient

    return pull


def _evaluation_order(output: Value, variables: frozenset[Value]) -> list[Value]:
    """Return a value and everything it was computed from, operands from left to right, each once."""
    order: list[Value] = []
    seen = set(variables)
    stack = [(output, False)]
    while stack:
        value, done = stack.pop()
        if done:
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, True))
            stack.extend((parent, False) for parent in reversed(value._prev))
    return order


def _seed(cotangent: Any, output: Any) -> Numbers:
    if cotangent is None:
        if output.size != 1:
            raise ValueError(
                f"an output of shape {output.shape} needs a `cotangent`; only one element has the default 1"
            )
        return np.ones_like(output)
    seed = np.asarray(raw(cotangent), dtype=output.dtype)
    if seed.shape != output.shape:
        raise ValueError(f"the cotangent has shape {seed.shape} but the output has shape {output.shape}")
    return seed


def _number(value: float) -> Numbers:
    return _frozen(np.asarray(value, dtype=np.float64))


def _frozen(array: Any) -> Numbers:
    """Return a read-only copy: a record must not change with its source."""
    copied: Numbers = np.array(array)
    copied.flags.writeable = False
    return copied
