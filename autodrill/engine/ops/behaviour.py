"""What an operation does with shapes and dtypes, as a paragraph of its docstring.

All elementwise operations behave alike, and so do all reductions. So the paragraph follows from the declaration of a
primitive; a composition of primitives declares its behaviour with `behaves`. `tests/engine/test_behaviour.py` compares
each paragraph with calls of the operation.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from autodrill.engine.core.primitive import Primitive

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Behaviour", "behaves", "behaviour_of", "paragraph", "show"]

_INDENT = "" if sys.version_info >= (3, 13) else "    "
"""How the lines of an operation's docstring begin: from 3.13 on Python takes the indentation away."""

Kind = Literal["elementwise", "reduction"]
Result = Literal["complex", "real"]

_Function = TypeVar("_Function", bound="Callable[..., Any]")


class Behaviour:
    """What an operation does with shapes and dtypes.

    Attributes:
        kind: `"elementwise"`: the inputs broadcast to the shape of the result. `"reduction"`: the parameters `axis`
            and `keepdims` determine the shape of the result.
        complex: What the result for complex numbers is, or None if the operation is not defined for them.
        integers: Whether the result for integers is integers.
    """

    __slots__ = ("complex", "integers", "kind")  # making a dataclass would take longer than the rest of the import

    def __init__(self, kind: Kind, complex: Result | None, integers: bool) -> None:
        self.kind = kind
        self.complex = complex
        self.integers = integers


_declared: dict[str, Behaviour] = {}


def behaves(kind: Kind, *, complex: Result | None = None, integers: bool = False) -> Callable[[_Function], _Function]:
    """Declare the behaviour of an operation that is no primitive, or whose rules do not show it; see `Behaviour`."""

    def declare(function: _Function) -> _Function:
        _declared[function.__name__] = Behaviour(kind, complex, integers)
        return function

    return declare


def behaviour_of(operation: Any) -> Behaviour | None:
    """Return the declared behaviour of an operation, or None if it is neither elementwise nor a reduction."""
    if not isinstance(operation, Primitive) or operation.__name__ in _declared:
        return _declared.get(operation.__name__)
    kind: Kind
    if {"axis", "keepdims"} <= operation.static.keys():
        kind = "reduction"
    elif operation.jvp_rule == "elementwise" or (
        operation.broadcasts and operation.vmap_rule is None and isinstance(operation.jvp_rule, str)
    ):
        kind = "elementwise"
    else:
        return None
    return Behaviour(kind, None if operation.on_complex is None else "complex", operation.integers)


def paragraph(operation: Any) -> str:
    """Return what the declaration of an operation says of its inputs and its result, a sentence a line.

    The result is left to a docstring with `Returns`. A docstring that describes the first input under `Args` gets no
    paragraph.
    """
    own = operation.__doc__ or ""
    behaviour = behaviour_of(operation)
    inputs = _inputs(operation)
    if behaviour is None or f"\n{_INDENT}    {inputs[0]}: " in own:
        return ""
    lines = _SENTENCES[behaviour.kind](operation, inputs, describes_result="Returns:" not in own, behaviour=behaviour)
    return f"\n{_INDENT}".join(lines)


def show(operation: Any, name: str) -> None:
    """Put what the declaration of an operation says, and its example, at the end of its docstring."""
    from autodrill.engine.ops.examples import EXAMPLES

    parts = [(operation.__doc__ or "").rstrip()]
    declared = paragraph(operation)
    if declared:
        parts.append(declared)
    if name in EXAMPLES:
        parts.append(f"Example:\n{_INDENT}    {EXAMPLES[name]}")
    operation.__doc__ = f"\n\n{_INDENT}".join(parts) + f"\n{_INDENT}"


def _inputs(operation: Any) -> tuple[str, ...]:
    if isinstance(operation, Primitive):
        return operation.inputs
    return tuple(name for name, kind in operation.__annotations__.items() if kind == "Array" and name != "return")


def _elementwise(_: Any, inputs: tuple[str, ...], describes_result: bool, behaviour: Behaviour) -> list[str]:
    if len(inputs) == 1:
        shape, result = f"`{inputs[0]}` has any shape", f"the result has the shape and the dtype of `{inputs[0]}`"
    else:
        shape, result = f"{_listed(inputs)} broadcast against each other", "the result has their common shape and dtype"
    if describes_result:
        lines = [f"Elementwise: {shape}, and {result}.", _INTEGERS[behaviour.integers]]
    else:
        lines = [f"Elementwise: {shape}."]
    lines.append(_COMPLEX[behaviour.complex])
    if len(inputs) > 1:
        lines.append("Shapes that do not broadcast raise a ValueError.")
    return lines


_AXES = {  # the annotation of `axis`
    "Axis": "an axis, a tuple of axes, or None",
    "int | tuple[int, ...] | None": "an axis, a tuple of axes, or None",
    "int | None": "an axis or None",
    "int": "an axis",
}


def _reduction(operation: Any, inputs: tuple[str, ...], describes_result: bool, behaviour: Behaviour) -> list[str]:
    forward = getattr(operation, "forward", operation)
    axes = _AXES[forward.__annotations__["axis"]]
    everything = ", the default, for all axes" if "None" in axes else ""
    lines = [
        f"Reduction: `{inputs[0]}` has any shape; `axis` is {axes}{everything}.",
        "The reduced axes are removed, or kept with length 1 if `keepdims` is true.",
    ]
    if describes_result:
        lines.append(f"The result has the dtype of `{inputs[0]}`. {_INTEGERS[behaviour.integers]}")
    lines.append(_COMPLEX[behaviour.complex])
    lines.append(f"An axis that `{inputs[0]}` lacks raises an AxisError.")
    return lines


_SENTENCES: dict[Kind, Callable[..., list[str]]] = {"elementwise": _elementwise, "reduction": _reduction}


_INTEGERS = {True: "Integers stay integers.", False: "Integers become floating-point numbers."}

_COMPLEX: dict[Result | None, str] = {
    "complex": "Complex numbers are accepted.",
    "real": "Complex numbers are accepted, and the result is real.",
    None: "Complex numbers raise a TypeError.",
}


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"
