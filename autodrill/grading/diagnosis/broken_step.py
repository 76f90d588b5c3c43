"""The tape of a failing case, and the step of the backward pass at which an answer goes wrong.

A wrong gradient is often that of a backward pass with one wrong step: a contribution is left out, is passed on without
the factor of its operation, or has the wrong sign. Each step of the tape is changed in these ways. A change is the
cause if it gives the candidate's numbers in every case, right and wrong.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np  # noqa: TID253 a tape holds arrays

from autodrill import engine
from autodrill.drills.solution_file import authored
from autodrill.engine.tracing.tape import Ref
from autodrill.grading.diagnosis.short_text import compared, short
from autodrill.grading.oracle.expected import problem_of
from autodrill.grading.report import TapeStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from autodrill.drills.exercise import Drill
    from autodrill.engine.tracing.tape import Contribution, Numbers, Operand, Tape
    from autodrill.grading.cases.question import Observation

    Array = NDArray[Any]
    Change = Callable[[Numbers, Contribution], Numbers | None]

__all__ = ["NothingToDraw", "tape_steps"]

_MOST = 12
"""Cases, failing and passing each, that a change must explain."""
_LEAST = 2
"""Failing cases, without which a change explains nothing."""
_FACTOR = 1e-6
"""The largest difference between the factors of two cases, relative to the factor."""
_MOST_STEPS = 60
"""Operations of the longest tape that is drawn."""


class NothingToDraw(Exception):  # noqa: N818 not an error: the exercise has no tape
    """The exercise has no tape, or the answer has no gradients. The text says why."""


@dataclass(frozen=True, slots=True)
class _Played:
    """A failing case with its tape.

    Attributes:
        tape: The tape of the forward.
        off: For each result, the number of its input's row and the error of the answer; None without numbers.
        room: For each result, the tolerance.
    """

    tape: Tape
    off: tuple[tuple[int, Array], ...]
    room: tuple[Array, ...]


def tape_steps(drill: Drill, shown: Observation, seen: Sequence[Observation]) -> tuple[TapeStep, ...]:
    """Return the tape of the case that is shown, with the step at which the answer goes wrong.

    Args:
        drill: The exercise.
        shown: The case.
        seen: All cases put.

    Raises:
        NothingToDraw: There is no tape.
    """
    if drill.solution.forward is None:
        raise NothingToDraw("the task has no formula that can be differentiated")
    if not drill.kind.takes_cotangents:
        raise NothingToDraw("the task asks for a tangent, and a tape shows gradients")
    if shown.case.large:
        raise NothingToDraw("only a large case fails")
    case = _played(drill, shown)
    if len(case.tape.operations) > _MOST_STEPS:
        raise NothingToDraw(f"the forward has {len(case.tape.operations)} operations; at most {_MOST_STEPS} are drawn")
    # In float32 the factor of a step is not known well enough.
    usable = [o for o in seen if _has_gradients(o) and not (o.case.large or o.case.alias or o.case.dtype == "float32")]
    failing = [_played(drill, o) for o in usable if any(o.wrong)][:_MOST]
    if not _has_gradients(shown) or len(failing) < _LEAST or len(case.tape.operations) < _LEAST:
        return tuple(_steps(shown, case, None))  # a tape of one operation says no more than the rule
    passing = [_played(drill, o) for o in usable if not any(o.wrong)][:_MOST]
    return tuple(_steps(shown, case, _cause([case, *failing, *passing])))


def _has_gradients(o: Observation) -> bool:
    got = o.got or ()
    shapes = all(g is not None and g.shape == part.value.shape for g, part in zip(got, o.expected.parts, strict=False))
    return bool(got) and shapes and not o.case.spoiled


def _played(drill: Drill, o: Observation) -> _Played:
    """Record the tape of a case.

    Raises:
        NothingToDraw: The results are not the gradients of the inputs.
    """
    forward, _, inputs, wrt = problem_of(drill.solution, o.case)
    floats = [i for i, value in enumerate(inputs) if value.dtype.kind == "f"]
    names = list(o.case.inputs)
    cotangents = [c.astype(np.float64) for c in o.expected.cotangents]

    def outcome(*given: engine.Tensor) -> Any:
        arguments: list[Any] = list(inputs)
        for i, value in zip(floats, given, strict=True):
            arguments[i] = value
        out = forward(*arguments)
        if not isinstance(out, tuple):
            return out
        terms = [engine.sum(c * each) for c, each in zip(cotangents, out, strict=True)]
        return functools.reduce(engine.add, terms)

    # With several outputs the tape ends in the sum of each output times its upstream gradient.
    seed = cotangents[0] if len(cotangents) == 1 else None
    with authored(drill.solution.path, "forward"), np.errstate(all="ignore"):
        tape = engine.tape_of(outcome, {names[i]: inputs[i] for i in floats}, cotangent=seed)
    rows = {row.label: row.number for row in tape.variables}
    wanted = floats if wrt is None else wrt
    parts = [i for i, part in enumerate(o.expected.parts) if part.linear]
    if len(parts) != len(wanted) or o.case.alias:
        raise NothingToDraw("the results are not one gradient for each input")
    if not _has_gradients(o):
        return _Played(tape, (), ())
    assert o.got is not None
    off = []
    for part, index in zip(parts, wanted, strict=True):
        got = o.got[part]
        assert got is not None
        off.append((rows[names[index]], got.astype(np.float64) - o.expected.parts[part].value))
    return _Played(tape, tuple(off), tuple(o.expected.parts[i].tolerance for i in parts))


def _steps(shown: Observation, case: _Played, cause: _Cause | None) -> Iterator[TapeStep]:
    tape = case.tape
    taken = {row.label for row in tape.variables}
    letter = next(c for c in "vwuts" if c not in taken or c == "s")

    def named(row: int) -> str:
        return tape[row].label or f"{letter}{row}"

    def operand(o: Operand) -> str:
        return named(o.number) if isinstance(o, Ref) else short(o.value, 3)

    answers = {row: i for i, (row, _) in enumerate(case.off)}
    linear = [i for i, part in enumerate(shown.expected.parts) if part.linear]
    for row in tape.rows:
        right, yours, wrong = short(row.adjoint, 3), "", False
        if row.number in answers:
            part = linear[answers[row.number]]
            got, want = shown.got[part] if shown.got else None, shown.expected.parts[part].value
            wrong = shown.wrong[part]
            right, yours = compared(want, got) if wrong else (short(want), "")
        broken = ""
        if cause is not None and cause.row == row.number:
            broken = cause.words.format(by=named(row.number), to=named(cause.source))
        operands = tuple(map(operand, row.operands))
        value = short(row.primal, 3)
        yield TapeStep(named(row.number), row.operation, operands, value, right, yours, wrong, broken)


# -- the search --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Cause:
    """The wrong step: the operation, the operand that gets the wrong contribution, and what is wrong with it."""

    row: int
    source: int
    words: str


def _unchanged(adjoint: Numbers, right: Contribution) -> Numbers | None:
    return adjoint if adjoint.shape == right.amount.shape else None


def _transposed(_: Numbers, right: Contribution) -> Numbers | None:
    amount = right.amount
    return amount.swapaxes(-1, -2) if amount.ndim > 1 and amount.shape[-1] == amount.shape[-2] else None


_CHANGES: tuple[tuple[str, Change], ...] = (
    ("{by} passed its gradient to {to} unchanged", _unchanged),
    ("the gradient that {by} passes to {to} were transposed", _transposed),
)


def _cause(cases: Sequence[_Played]) -> _Cause | None:
    """Return the step of the tape whose change explains the answers, the one nearest to the output first."""
    first = cases[0].tape
    if any([r.operation for r in c.tape.rows] != [r.operation for r in first.rows] for c in cases):
        return None
    edges = [(row.number, n, c.source) for row in reversed(first.rows) for n, c in enumerate(row.contributions)]
    factors = [(_factor(cases, at, place), at, source) for at, place, source in edges]
    for factor, at, source in factors:
        if factor is not None and abs(factor) <= _FACTOR:  # a path left out is the most usual fault
            return _Cause(at, source, "{by} passed no gradient to {to}")
    for at, place, source in edges:
        for words, change in _CHANGES:
            if all(_explains(case, _effect(case.tape, at, place, change)) for case in cases):
                return _Cause(at, source, words)
    return next((_Cause(at, source, _factor_words(factor)) for factor, at, source in factors if factor), None)


def _effect(tape: Tape, row: int, place: int, change: Change) -> dict[int, Array] | None:
    """Return by how much each adjoint moves if one contribution is changed; None if the change does not apply."""
    if place >= len(tape[row].contributions):
        return None
    wanted, changed = tape[row].contributions[place], False

    def altered(at: int, adjoint: Numbers, right: Contribution) -> Numbers:
        nonlocal changed
        if at != row or (right.source, right.positions) != (wanted.source, wanted.positions):
            return right.amount
        new = change(adjoint, right)
        changed = new is not None
        return right.amount if new is None else new

    adjoints = tape.adjoints(altered)
    return {v.number: adjoints[v.number] - v.adjoint for v in tape.variables} if changed else None


def _explains(case: _Played, effect: dict[int, Array] | None) -> bool:
    if effect is None:
        return False
    pairs = zip(case.off, case.room, strict=True)
    return all(np.all(np.abs(effect[row] - off) <= 4 * room) for (row, off), room in pairs)


def _factor(cases: Sequence[_Played], row: int, place: int) -> float | None:
    """Return the factor on one contribution that explains the answers in all cases, or None."""
    found = []
    for case in cases:
        # The gradients are linear in the factor k of one contribution: they move by k - 1 times what it adds to them.
        without = _effect(case.tape, row, place, lambda _, right: 0 * right.amount)
        if without is None:
            return None
        adds = np.concatenate([-without[v].ravel() for v, _ in case.off])
        off = np.concatenate([error.ravel() for _, error in case.off])
        if not np.any(adds) or not np.all(np.isfinite(adds)):
            continue  # the step adds nothing in this case, so it does not show the factor
        more = float(adds @ off / (adds @ adds))
        if not _explains(case, {v: -more * without[v] for v, _ in case.off}):
            return None
        found.append(1 + more)
    if not found or max(found) - min(found) > _FACTOR * max(1.0, *map(abs, found)):
        return None
    return found[0]


def _factor_words(factor: float) -> str:
    if abs(factor + 1) <= _FACTOR:
        return "the gradient that {by} passes to {to} had the wrong sign"
    return f"the gradient that {{by}} passes to {{to}} were multiplied by {factor:.4g}"
