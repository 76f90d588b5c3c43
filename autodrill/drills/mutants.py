"""Mutants: programs that differ from a right one by one small change, as a candidate would submit them."""

from __future__ import annotations

import ast
import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from autodrill.drills.kernel_rewrites import kernel_rewrites
from autodrill.drills.rewrites import REWRITES, Operator
from autodrill.drills.same_results import PROBING, is_same_by_syntax, probe
from autodrill.drills.syntax_place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from autodrill.drills.rewrites import Rewrite

__all__ = ["Mutant", "each_mutant", "mutants"]

_SIGNATURES = (ast.arguments, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
"""Nodes that are not visited: the exercise fixes signatures, and the rewrite of an expression changes its operator."""

_NOT_BEHAVIOUR = ("decorator_list", "returns", "annotation", "bases")


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program that differs from a right one in one place.

    Attributes:
        operator: The kind of change.
        line: The changed line of the right program.
        before: The code before the change, on one line.
        after: The code after the change.
        source: The whole changed program.
        old: The syntax node before the change.
        new: The syntax node after the change.
        probe: A program that passes only if this mutant computes the same by construction: see `same_results`. Empty
            if nothing suggests that it does.
    """

    operator: Operator
    line: int
    before: str
    after: str
    source: str
    old: ast.AST = field(repr=False, compare=False)
    new: ast.AST = field(repr=False, compare=False)
    probe: str = field(default="", repr=False, compare=False)

    @property
    def key(self) -> str:
        """The key of the mutant in `EQUIVALENT`, which does not change with edits elsewhere in the program."""
        return f"{self.operator}: {self.before} -> {self.after}"


def mutants(source: str, *, cotangents: Sequence[str] = ("g",), given: str = "") -> list[Mutant]:
    """Return a list of the mutants that `each_mutant` yields, with their probes."""
    return list(each_mutant(source, cotangents=cotangents, given=given, probes=True))


def each_mutant(
    source: str,
    *,
    cotangents: Sequence[str] = ("g",),
    given: str = "",
    probes: bool = False,
    rewrites: Sequence[tuple[Operator, Rewrite]] = REWRITES,
) -> Iterator[Mutant]:
    """Yield the mutants of a program in a fixed order. All differ from each other and from the program.

    Args:
        source: A valid program.
        cotangents: The names of the parameters that hold cotangents.
        given: The stub; definitions that the stub also has are not changed.
        probes: Whether to make the probes of the mutants.
        rewrites: What makes the changes.
    """
    tree = ast.parse(source)
    handed_out = {ast.unparse(node) for node in ast.parse(given).body}
    own = [i for i, node in enumerate(tree.body) if ast.unparse(node) not in handed_out]
    parts = [ast.unparse(node) for node in tree.body]
    seen = {_joined(parts)}

    def program(at: int) -> str:
        return _joined([*parts[:at], ast.unparse(tree.body[at]), *parts[at + 1 :]])

    for at, place, slot in ((i, *pair) for i in own for pair in _places(tree.body[i], (tree,), tuple(cotangents))):
        if isinstance(place.node, ast.Constant) and isinstance(place.node.value, str):
            yield from _of_kernel(tree, place.node, slot)
        for operator, rewrite in rewrites:
            for replacement in rewrite(place):
                if is_same_by_syntax(place, replacement):
                    continue
                shown = _shown(place)
                before = _text(shown)
                slot.put(replacement)
                text = program(at)
                after = _text(replacement if shown is place.node else shown)
                slot.put(place.node)
                if text not in seen:
                    seen.add(text)
                    probing = ""
                    if probes and (node := probe(place, replacement)) is not None:
                        slot.put(node)
                        probing = f"{PROBING}{program(at)}\n"
                        slot.put(place.node)
                    yield Mutant(operator, _line(place), before, after, text + "\n", place.node, replacement, probing)


def _joined(statements: Sequence[str]) -> str:
    """Return the text of a program from the texts of its statements."""
    return "\n\n".join(statements)


def _of_kernel(tree: ast.Module, kernel: ast.Constant, slot: _Slot) -> Iterator[Mutant]:
    """Yield the mutants of a program with a string literal that holds a kernel; none for another string."""
    for change in kernel_rewrites(str(kernel.value)):
        new = ast.Constant(change.text)
        slot.put(new)
        source = ast.unparse(tree) + "\n"
        slot.put(kernel)
        line = kernel.lineno + change.line
        yield Mutant(change.operator, line, change.before, change.after, source, kernel, new)


@dataclass(frozen=True, slots=True)
class _Slot:
    """A field of a syntax node, or an index of a list in that field."""

    owner: ast.AST
    field: str
    index: int | None

    def put(self, node: ast.AST) -> None:
        if self.index is None:
            setattr(self.owner, self.field, node)
        else:
            getattr(self.owner, self.field)[self.index] = node


def _places(
    node: ast.AST, ancestors: tuple[ast.AST, ...], cotangents: tuple[str, ...]
) -> Iterator[tuple[Place, _Slot]]:
    """Yield every node below `node` with its slot, in the order of the text."""
    above = (node, *ancestors)
    for name, value in ast.iter_fields(node):
        if name in _NOT_BEHAVIOUR:
            continue
        children = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for index, child in children:
            if isinstance(child, ast.AST) and not isinstance(child, _SIGNATURES):
                yield Place(child, above, cotangents), _Slot(node, name, index)
                yield from _places(child, above, cotangents)


def _shown(place: Place) -> ast.AST:
    """Return the node that makes a change readable: `x[1]` instead of `1`, the whole call instead of `axis=0`."""
    chain = (place.node, *place.ancestors)
    for node, parent in itertools.pairwise(chain):
        is_header = isinstance(parent, ast.If | ast.While | ast.For | ast.comprehension)
        if isinstance(node, ast.stmt) or not (is_header or _is_short(node)):
            return node
    return place.node


def _is_short(node: ast.AST) -> bool:
    match node:
        case ast.UnaryOp(operand=inner) | ast.Attribute(value=inner) | ast.Starred(value=inner):
            return _is_short(inner)
    return isinstance(node, ast.Constant | ast.Name | ast.keyword | ast.Slice)


def _text(node: ast.AST) -> str:
    return ast.unparse(node).strip().splitlines()[0]


def _line(place: Place) -> int:
    lines = (getattr(node, "lineno", None) for node in (place.node, *place.ancestors))
    return next((line for line in lines if line is not None), 1)
