"""Fault rules: the rules of faults that need no numbers, such as wrong types, memory rules and exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np  # noqa: TID253 a grid has up to three axes

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.diagnosis.bounds_rule import bounds_rule
from autodrill.grading.diagnosis.exception_rules import raised_rule
from autodrill.grading.kernels.device_faults import DEVICE_FAULTS
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.question import Observation

__all__ = ["STRUCTURAL", "careless_rule", "judged_rule", "self_evident_rule"]

STRUCTURAL = {
    FaultKind.NOTHING: Rule(
        "returns-none", "the function returns no value on this path", "does every path end in a `return`?"
    ),
    FaultKind.ARITY: Rule(
        "arity", "the function must return one gradient per input, in signature order", "count your results"
    ),
    FaultKind.TYPE: Rule(
        "type", "each result must be a number or a NumPy array of numbers", "what type does each result have?"
    ),
    FaultKind.UNWRITTEN: Rule(
        "not-written",
        "no thread writes these elements",
        "which thread should write the first of these elements, and which condition keeps the thread from doing so?",
    ),
    FaultKind.MUTATED: Rule(
        "mutates-input",
        "your code modifies an input array in place",
        "what else uses that array? write to a copy, or compute a new array",
    ),
    FaultKind.ALIASED: Rule(
        "aliases-input",
        "a result shares memory: an engine that accumulates in place would change other values too",
        "return a new array with `.copy()`",
    ),
    FaultKind.REUSED: Rule(
        "reuses-memory",
        "two calls return the same memory: the later call overwrites the earlier result",
        "which array does your code keep between calls? make a new one in each call, or return a copy",
    ),
    FaultKind.UNREPEATABLE: Rule(
        "keeps-state",
        "the answer depends on an earlier call",
        "which state survives between two calls of your function?",
    ),
    FaultKind.TOO_SLOW: Rule(
        "too-much-work",
        "the work grows far faster than in the forward, as with a full Jacobian or finite differences",
        "you need a vector-Jacobian product, not the Jacobian",
    ),
    FaultKind.NOISY: Rule(
        "too-noisy",
        "the estimate is right on average but has more variance than needed",
        "which part of each draw does not depend on the sampled values?",
    ),
    FaultKind.TOO_MUCH_MEMORY: Rule(
        "too-much-memory",
        "memory use grows faster than the size of the inputs and results",
        "which values do you keep all at once although you use them one by one?",
    ),
}
"""The rule of each fault that needs no further evidence."""

_TOO_FEW_THREADS = Rule(
    "not-written",
    "no thread writes these elements",
    "which thread writes the last element if the grid has fewer threads than there are elements?",
)

_LABELS = Rule("missing-key", "the answer must be a dict with the keys of the task", "compare your keys with the task")

_JUDGED = {
    "twice": (
        "a node must be listed once, however many paths lead to it",
        "where do you mark a node as visited, and where do you check the mark?",
    ),
    "missing": (
        "the root and every node that it depends on must be listed",
        "which nodes does your traversal never append?",
    ),
    "order": ("a node must come after all of its inputs", "do you append a node before or after its inputs?"),
    "not-nodes": ("the answer must be a list of the nodes themselves", "what do you put into the list?"),
    "keeps-state": ("state from an earlier call survives", "is a default argument or a global variable never cleared?"),
}
"""General rules for the findings of graph exercises' judges, by key."""


def self_evident_rule(drill: Drill, observation: Observation) -> Rule | None:
    """Return the rule of a fault that needs no further evidence, or None if the numbers decide."""
    fault = observation.fault
    assert fault is not None
    if fault.kind is FaultKind.MUTATED and drill.kind.mutated is not None and not drill.solution.drive:
        return drill.kind.mutated
    if drill.solution.wants_dict and observation.got is None and _lacks_keys(observation):
        return _LABELS
    if fault.kind is FaultKind.UNWRITTEN and _has_fewer_threads(drill, observation):
        return _TOO_FEW_THREADS
    if fault.kind is FaultKind.DTYPE:
        wider = "64" in fault.summary.split(",")[0]
        return Rule(
            "dtype-upcast" if wider else "dtype",
            "a gradient must have the dtype of its input",
            "Which step makes an array that is not float32? Look for `np.zeros`, `np.empty` or `np.eye` without a "
            "dtype, for an integer count, for `np.sqrt(n)`, and for an array made of Python numbers."
            if wider
            else "Which dtype does the result of each step have?",
        )
    if isinstance(observation.outcome, ends.Raised):
        rule = raised_rule(observation.outcome)
        if rule is not None:
            from autodrill.grading.diagnosis.exception_details import with_details  # not needed for other faults

            rule = with_details(rule, observation.outcome, observation)
        return bounds_rule(drill, observation) or DEVICE_FAULTS.get(observation.outcome.type) or rule
    return drill.kind.nonlinear if fault.kind is FaultKind.NONLINEAR else STRUCTURAL.get(fault.kind)


def _lacks_keys(o: Observation) -> bool:
    """Whether the value returned is no dict, or one without every key.

    None, and a value of a wrong type, are other faults.
    """
    if o.fault is not None and o.fault.kind is FaultKind.NOTHING:
        return False
    value = o.outcome.value if isinstance(o.outcome, ends.Returned) else {}
    return not isinstance(value, dict) or (o.fault is not None and o.fault.kind is FaultKind.ARITY)


def _has_fewer_threads(drill: Drill, o: Observation) -> bool:
    """Whether a kernel's grid has fewer threads than the largest result has elements."""
    given = drill.kind.shown_arguments(drill, o.case, o.expected)
    threads = [np.prod(given[name]) for name in ("grid", "block") if name in given]
    return bool(threads) and np.prod(threads) < max(part.value.size for part in o.expected.parts)


def careless_rule(observation: Observation) -> Rule | None:
    """Return the rule of an answer that modifies an argument, if no rule explains its numbers."""
    changed = isinstance(observation.outcome, ends.Returned) and observation.outcome.changed
    return STRUCTURAL[FaultKind.MUTATED] if changed else None


def judged_rule(observation: Observation) -> Rule | None:
    """Return the rule that an exercise's judge named as `key: sentence`, with general words if there are any."""
    fault = observation.fault
    if fault is None or fault.kind is not FaultKind.WRONG:
        return None
    key, _, sentence = fault.summary.partition(": ")
    if not sentence or " " in key:
        return None
    because, hint = _JUDGED.get(key, ("", ""))
    return Rule(key, because, hint)
