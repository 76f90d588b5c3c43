"""Holding one answer of the candidate's code against what is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np  # noqa: TID253 answers are arrays

from autodrill.drills.author_code import authored
from autodrill.drills.exercise import Kind
from autodrill.grading.cases.arguments import arguments, named_arguments
from autodrill.grading.kernels.device_faults import DEVICE_FAULTS
from autodrill.grading.kernels.launch import left_unwritten
from autodrill.grading.report import FaultKind
from autodrill.sandbox import outcomes as ends
from autodrill.sandbox.child.wire import Opaque

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Exercise, Solution
    from autodrill.grading.cases.question import Question
    from autodrill.grading.oracle.expected import Part, Truth
    from autodrill.sandbox.runner import Runner

    Array = NDArray[Any]

__all__ = ["Fault", "Observation", "answer_budget", "ask", "examine", "results"]

_SPARE_BYTES = 1 << 16
"""Room for an answer beyond the bytes that the right one has: shapes may be wrong, and lists are wordy."""


_TYPES = {
    **{name: f"a {name}" for name in ("generator", "map", "zip", "filter", "set", "frozenset", "range", "matrix")},
    "MaskedArray": "a masked array",
    "builtin_function_or_method": "a function",
    "complex": "complex",
    "dict_values": "the values of a dict",
    "function": "a function",
    "longdouble": "a longdouble",
    **{f"ndarray of dtype {each}": f"an array of dtype {each}" for each in ("float128", "float96", "object")},
}
"""How to call what is no result, by the name of its type."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with one answer."""

    kind: FaultKind
    summary: str
    line: int | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Observation:
    """A case, what is right, and what came back.

    Attributes:
        case: The case.
        truth: What is right for it.
        outcome: How the call ended.
        got: The results as arrays, aligned with `truth.parts`; None for a result that is not an array; None
            altogether if there is nothing to compare.
        wrong: Which results are wrong.
        fault: What is wrong, or None.
        customs: What would be a fault if the exercise did not accept it: names from `drills.customs`.
        asked: The question it answers, to be put to other code as it is; None where only the case was put.
    """

    case: Case
    truth: Truth
    outcome: ends.CallOutcome
    got: tuple[Array | None, ...] | None
    wrong: tuple[bool, ...]
    fault: Fault | None
    customs: tuple[str, ...] = ()
    asked: Question | None = None


def ask(
    runner: Runner, exercise: Exercise, solution: Solution, case: Case, truth: Truth, *, seconds: float | None = None
) -> Observation:
    """Put a case to the loaded code and examine what comes back."""
    args = arguments(exercise, solution, case, truth)
    end = runner.call(args, budget=answer_budget(case, truth), seconds=seconds)
    return examine(exercise, solution, case, truth, end)


def answer_budget(case: Case, truth: Truth) -> int:
    """Return how many bytes an answer may hold before it counts as far too large; a judge's may be like the inputs."""
    like = [p.value for p in truth.parts] or [v for v in case.inputs.values() if isinstance(v, np.ndarray)]
    return 4 * sum(array.nbytes for array in like) + _SPARE_BYTES


def examine(exercise: Exercise, solution: Solution, case: Case, truth: Truth, end: ends.CallOutcome) -> Observation:
    """Say what is wrong with how a call ended, if anything."""
    if not isinstance(end, ends.Returned):
        return Observation(case, truth, end, None, (), _not_returned(end))
    if solution.judge is not None:
        return Observation(case, truth, end, None, (), _judged(solution, case, end.value))
    got, fault = results(exercise, solution, truth, end)
    if got is None:
        return Observation(case, truth, end, None, (), fault)
    any_dtype = exercise.kind is Kind.VALUE or "dtype" in solution.remarks
    checks = [_compare(part, g, any_dtype=any_dtype) for part, g in zip(truth.parts, got, strict=True)]
    wrong = tuple(c is not None for c in checks)
    fault = next((c for c in checks if c is not None), None)
    if exercise.kind is Kind.KERNEL and fault is not None:
        fault = _unwritten(truth, got) or fault
    if exercise.kind is Kind.VALUE and not solution.drive:
        # What is written to `.data` or to `out` explains why the gradients are wrong, never the other way round.
        fault = _untouched_nodes(case, truth, end.value) or fault
    conduct = _conduct(exercise, solution, case, truth, end)
    customs = _customs(solution, truth, end, got) if solution.remarks and fault is None and conduct is None else ()
    shown = tuple(None if g is None or g.dtype.kind not in "fiu" else g for g in got)
    return Observation(case, truth, end, shown, wrong, fault or conduct, customs)


def _not_returned(end: ends.CallOutcome) -> Fault:
    match end:
        case ends.Raised(not_implemented=True):
            return Fault(FaultKind.NOT_IMPLEMENTED, "not implemented yet", end.line, _code(end))
        case ends.Raised(type="SystemExit" | "KeyboardInterrupt"):
            return Fault(FaultKind.RAISED, f"it raises {end.type}: an answer returns", end.line, _code(end))
        case ends.Raised(type=kind) if kind in DEVICE_FAULTS:
            return Fault(FaultKind.DEVICE, f"{kind}: {end.message}", end.line, _code(end))
        case ends.Raised():
            message = f"{end.type}: {end.message}" if end.message else end.type
            return Fault(FaultKind.RAISED, message, end.line, _code(end))
        case ends.Oversized(what=what):
            return Fault(FaultKind.TYPE, f"it returns {what}, far more than was asked for")
        case ends.OutOfMemory(limit=limit, line=line):
            return Fault(FaultKind.MEMORY, f"it asks for more than {limit >> 20} MiB of memory", line)
        case ends.TimedOut(limit=limit, line=line):
            return Fault(FaultKind.TIME, f"no answer after {limit:g} s", line)
        case ends.Flooded(limit=limit, line=line):
            return Fault(FaultKind.OUTPUT, f"it prints more than {limit >> 10} KiB", line)
        case ends.Died(how=how, line=line):
            return Fault(FaultKind.DIED, f"it ended its process ({how}): an answer returns", line)
        case ends.Unreadable():  # why, in its own figures, could be anything it means to have shown
            return Fault(FaultKind.DIED, "what came back is not an answer")
        case _:
            raise TypeError(f"not a way for a call to fail: {end!r}")


def _code(end: ends.Raised) -> str:
    return end.frames[-1].text.strip() if end.frames else ""


def _judged(solution: Solution, case: Case, value: Any) -> Fault | None:
    assert solution.judge is not None
    if value is None:
        return Fault(FaultKind.NOTHING, "it returns None")
    with authored(solution.path, "judge"):
        message = solution.judge(value, **case.inputs, **case.static)
    return Fault(FaultKind.WRONG, message) if message else None


def results(
    exercise: Exercise, solution: Solution, truth: Truth, end: ends.CallOutcome
) -> tuple[list[Array | None] | None, Fault | None]:
    """Take what a call returned apart: one array a part, None for what is no array, or nothing and the reason."""
    if not isinstance(end, ends.Returned):
        return None, _not_returned(end)
    value = end.value
    if value is None:
        return None, Fault(FaultKind.NOTHING, "it returns None")
    if exercise.kind is Kind.VALUE and not solution.drive:
        # The scenario sends this and nothing else; whatever else comes is forged.
        if not isinstance(value, dict) or not all(isinstance(value.get(key), list) for key in ("grads", "data", "out")):
            return None, Fault(FaultKind.TYPE, "what came back are not the nodes it was given")
        value = tuple(value["grads"])
    names = [p.name for p in truth.parts]
    if solution.wants_dict and not isinstance(value, dict):
        wanted = ", ".join(f"`{n}`" for n in names)
        return None, Fault(FaultKind.TYPE, f"it does not return a dict with the keys {wanted}")
    if isinstance(value, dict) and (solution.results or solution.drive):
        missing = [n for n in names if n not in value]
        if missing:
            return None, Fault(FaultKind.ARITY, f"the key `{missing[0]}` is missing from the dict it returns")
        items: Sequence[Any] = [value[n] for n in names]
    elif isinstance(value, tuple | list) and not (len(names) == 1 and _numbers(value)):
        items = value
    else:
        items = [value]
    if truth.absent:
        items, fault = _without_absent(truth, items)
        if fault is not None:
            return None, fault
    if len(items) != len(names):
        wanted = f"{len(names)} results ({', '.join(names)})" if len(names) > 1 else f"one result ({names[0]})"
        count = "1 result" if len(items) == 1 else f"{len(items)} results"
        count = "a dict" if isinstance(value, dict) else _known_type(value) or count
        return None, Fault(FaultKind.ARITY, f"it returns {count}, must return {wanted}")
    for name, item in zip(names, items, strict=True):
        if item is None:
            return None, Fault(FaultKind.NOTHING, f"{name} is None")
        if (known := _known_type(item)) is not None:
            return None, Fault(FaultKind.TYPE, f"{name} is {known}, must be a plain array of numbers")
    got = [_as_array(item) for item in items]
    if "extra-axes" in solution.remarks:
        got = [_without_extra_axes(g, part) for g, part in zip(got, truth.parts, strict=True)]
    return got, None


def _known_type(value: Any) -> str | None:
    """Name what came back if it is of a type of Python's or NumPy's; a class of the candidate's is not named."""
    return _TYPES.get(value.type_name) if isinstance(value, Opaque) else None


def _without_extra_axes(got: Array | None, part: Part) -> Array | None:
    """Return a result in the shape it must have, if only axes of size 1 are in the way."""
    if got is None or got.size != part.value.size or np.squeeze(got).shape != np.squeeze(part.value).shape:
        return got
    return got.reshape(part.value.shape)


def _without_absent(truth: Truth, items: Sequence[Any]) -> tuple[Sequence[Any], Fault | None]:
    """Take out what must be None: a `Function` returns one gradient for each argument of its forward."""
    wanted = len(truth.parts) + len(truth.absent)
    outputs = sum(not part.linear for part in truth.parts)
    if len(items) != wanted:
        words = f"backward returns {len(items) - outputs} gradients for {wanted - outputs} arguments of forward"
        return items, Fault(FaultKind.ARITY, f"{words}: None belongs where there is none")
    for place in truth.absent:
        if items[place] is not None:
            return items, Fault(FaultKind.TYPE, f"gradient {place - outputs} belongs to no float: it must be None")
    return [item for place, item in enumerate(items) if place not in truth.absent], None


def _numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(v) in (int, float) or _numpy_number(v) for v in value)


def _numpy_number(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic) and value.ndim == 0 and value.dtype.kind in "fiu"


def _as_array(item: Any) -> Array | None:
    if isinstance(item, np.ndarray | np.generic):
        return np.asarray(item)
    if type(item) in (int, float) or _numbers(item):
        return np.asarray(item, dtype=np.float64) if _fits(item) else None
    return None


def _fits(item: Any) -> bool:
    """Whether Python integers fit a float64."""
    values = item if isinstance(item, list) else [item]
    return all(not isinstance(v, int) or abs(v) < 10**300 for v in values)


def _compare(part: Part, got: Array | None, *, any_dtype: bool) -> Fault | None:
    if got is None:
        return Fault(FaultKind.TYPE, f"{part.name} is not {'an array of numbers' if part.value.ndim else 'a number'}")
    if got.dtype.kind not in "fiu":
        return Fault(FaultKind.TYPE, f"{part.name} has dtype {got.dtype}, must be {part.dtype}")
    if got.shape != part.value.shape:
        of = f" like {part.name[1:]}" if part.name.startswith("d") and part.name != "dout" else ""
        return Fault(FaultKind.SHAPE, f"{part.name} has shape {got.shape}, must be {part.value.shape}{of}")
    with np.errstate(all="ignore"):
        off = ~(np.abs(got.astype(np.float64, copy=False) - part.value) <= part.tolerance)
        if off.any():  # what is not close may still be the same infinity, or NaN where that is right
            off &= ~((got == part.value) | (np.isnan(got) & np.isnan(part.value)))
    if off.any():
        where = np.unravel_index(int(np.argmax(off)), off.shape) if off.shape else ()
        if not np.isfinite(got[where]) and np.isfinite(part.value[where]):
            return Fault(FaultKind.NOT_FINITE, f"{part.name} is {got[where]} where it must be finite")
        count = "" if not off.shape or off.size == 1 else f" in {int(off.sum())} of {off.size} places"
        return Fault(FaultKind.VALUE, f"{part.name} is wrong{count}")
    if part.dtype.kind == "f" and got.dtype != part.dtype and got.ndim and not any_dtype and got.size:
        return Fault(FaultKind.DTYPE, f"{part.name} is {got.dtype}, must be {part.dtype} like its input")
    return None


def _unwritten(truth: Truth, got: Sequence[Array | None]) -> Fault | None:
    """A kernel's result holds what nobody could have computed where no thread has written."""
    for part, array in zip(truth.parts, got, strict=True):
        count = 0 if array is None else left_unwritten(array)
        if array is not None and count:
            where = f" in {count} of {array.size} places" if count < array.size else ""
            return Fault(FaultKind.UNWRITTEN, f"{part.name} is never written{where}")
    return None


def _conduct(exercise: Exercise, solution: Solution, case: Case, truth: Truth, end: ends.Returned) -> Fault | None:
    """Faults of an answer whose numbers are right."""
    if solution.drive or exercise.kind in {Kind.VALUE, Kind.KERNEL}:
        return None
    if not (end.changed or end.shared or end.readonly or end.joined or end.reused):
        return None
    names = dict(enumerate(named_arguments(exercise, solution, case, truth)))
    accepted = solution.cotangents if "writes-cotangent" in solution.remarks else ()
    if changed := [i for i in end.changed if names.get(i) not in accepted]:
        name = names.get(changed[0], "that it was given")  # the number is a claim like any other
        return Fault(FaultKind.MUTATED, f"the argument {name} is not what it was before the call")
    parts = [p.name for p in truth.parts]
    own = {output for output, _ in end.shared}  # not its own, but the argument's that both calls have been given
    for output in end.reused:
        if output < len(parts) and output not in own and truth.parts[output].value.size:
            return Fault(FaultKind.REUSED, f"{parts[output]} of one call lies in the memory of an earlier call's")
    if solution.may_alias or "aliases" in solution.remarks:
        return None
    for output, argument in end.shared:
        if output < len(parts) and truth.parts[output].value.size:
            name = names.get(argument, "that it was given")
            return Fault(FaultKind.ALIASED, f"{parts[output]} shares memory with the argument {name}")
    for output in end.readonly:
        if output < len(parts) and truth.parts[output].value.size:
            return Fault(FaultKind.ALIASED, f"{parts[output]} cannot be written to: it is a view that repeats elements")
    for first, second in end.joined:
        if first < len(parts) and second < len(parts):
            return Fault(FaultKind.ALIASED, f"{parts[first]} and {parts[second]} share memory")
    return None


def _customs(solution: Solution, truth: Truth, end: ends.Returned, got: Sequence[Array | None]) -> tuple[str, ...]:
    """Name what the exercise accepts of an answer that is right."""
    items = end.value if isinstance(end.value, tuple | list) else [end.value]
    shown = list(zip(items, truth.parts, strict=False))
    seen = {
        "writes-cotangent": bool(end.changed),
        "aliases": bool(end.shared or end.readonly or end.joined) and not solution.may_alias,
        "extra-axes": any(np.shape(item) != part.value.shape for item, part in shown),
        "dtype": any(g is not None and g.ndim and g.dtype != p.dtype for g, p in zip(got, truth.parts, strict=True)),
    }
    return tuple(name for name in solution.remarks if seen.get(name))


def _untouched_nodes(case: Case, truth: Truth, value: Any) -> Fault | None:
    """A closure adds to `.grad` of its operands and leaves everything else alone."""
    data = [float(v) for v in case.inputs.values()][: 1 if case.alias else None]
    now = value.get("data") if isinstance(value, dict) else None
    if not _is_numbers(now) or len(now) != len(data):
        return Fault(FaultKind.MUTATED, "the `.data` of an operand is no number any more")
    for name, before, after in zip(case.inputs, data, now, strict=False):
        if before != after:
            return Fault(FaultKind.MUTATED, f"`{name}.data` is {after:.4g} after the call, {before:.4g} before it")
    out = value.get("out")
    if not _is_numbers(out) or len(out) != 2:
        return Fault(FaultKind.MUTATED, "`out` does not hold two numbers any more")
    given = float(truth.outputs[0]), float(truth.cotangents[0])
    for name, before, after in zip(("data", "grad"), given, out, strict=True):
        if not _same(before, float(after)):
            return Fault(FaultKind.MUTATED, f"`out.{name}` is {after:.4g} after the call, {before:.4g} before it")
    return None


def _same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def _is_numbers(value: Any) -> TypeGuard[list[float]]:
    return isinstance(value, list) and all(_is_number(v) for v in value)


def _is_number(value: Any) -> bool:
    if isinstance(value, np.generic):
        return value.dtype.kind in "fiu"
    return type(value) in (int, float) and _fits(value)
