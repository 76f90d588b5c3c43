"""Alias rule: two results that are one array, which a line of the submission changes in place."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.sandbox.outcomes import Returned

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

__all__ = ["one_array"]


def one_array(drill: Drill, source: bytes, shown: Observation) -> Rule | None:
    """Return the rule if a wrong result shares its memory with another result and the file changes that array in place.

    The wrong numbers then look like those of a wrong sign or factor, although the formula may be right. Shared memory
    alone says nothing: `return d, d` may just as well have a wrong formula.

    Args:
        drill: The exercise.
        source: The candidate's file.
        shown: The failing case to be shown.
    """
    end, fault = shown.outcome, shown.fault
    if not isinstance(end, Returned) or fault is None or fault.kind is not FaultKind.VALUE or drill.solution.drive:
        return None
    parts = shown.expected.parts
    for first, second in end.joined:
        if max(first, second) < len(parts) and (shown.wrong[first] or shown.wrong[second]):
            line = _changing_line(source, first, second)
            if line is None:
                return None
            return Rule(
                "one-array",
                f"{parts[first].name} and {parts[second].name} are one array, and line {line} changes it in place",
                f"which two names refer to one array when line {line} runs? Which of the results must be a new array?",
            )
    return None


def _changing_line(source: bytes, first: int, second: int) -> int | None:
    """Return the line that changes two results in place after the second one got the name of the first."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for names in _returned(function, first, second):
            since = [line for line, same in _aliases(function) if names <= same]
            changed = sorted(line for line, name in _changes(function) if since and name in names and line > min(since))
            if changed:
                return changed[0]
    return None


def _returned(function: ast.FunctionDef, first: int, second: int) -> Iterator[set[str]]:
    """Yield the names of two results, if they are two different names."""
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) > second:
            names = {n.id for n in (node.value.elts[first], node.value.elts[second]) if isinstance(n, ast.Name)}
            if len(names) > 1:
                yield names


def _aliases(function: ast.FunctionDef) -> Iterator[tuple[int, set[str]]]:
    """Yield the lines that give an array a second name, with its names: `b = a`, or `a = b = ...`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign):
            names = {n.id for n in (*node.targets, node.value) if isinstance(n, ast.Name)}
            if len(names) > 1:
                yield node.lineno, names


def _changes(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """Yield the lines that change an array in place, with its name: `a *= 2`, `a[...] = 0`, or `out=a`."""
    for node in ast.walk(function):
        targets: list[ast.expr | None] = []
        if isinstance(node, ast.AugAssign):
            targets = [node.target]
        elif isinstance(node, ast.Assign):
            targets = [t for t in node.targets if isinstance(t, ast.Subscript)]
        elif isinstance(node, ast.Call):
            targets = [keyword.value for keyword in node.keywords if keyword.arg == "out"]
        for target in targets:
            name = target.value if isinstance(target, ast.Subscript) else target
            if isinstance(name, ast.Name) and target is not None:
                yield target.lineno, name.id
