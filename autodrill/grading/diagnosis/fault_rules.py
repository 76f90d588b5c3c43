"""Naming faults that are their own explanation: the wrong kind of result, bad manners, an exception, a judge's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.answer_records import FaultKind, Rule
from autodrill.grading.diagnosis.exception_rules import raised_rule
from autodrill.grading.kernels.device_faults import DEVICE_FAULTS
from autodrill.sandbox import outcomes as ends

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill
    from autodrill.grading.cases.records import Observation

__all__ = ["STRUCTURAL", "careless_rule", "judged_rule", "self_evident_rule"]

STRUCTURAL = {
    FaultKind.NOTHING: Rule("returns-none", "no value is returned on this path", "is there a `return` on every path?"),
    FaultKind.ARITY: Rule("arity", "there must be one gradient an input, in signature order", "count them"),
    FaultKind.TYPE: Rule(
        "type", "results must be numbers or NumPy arrays of them", "what type is each of your results?"
    ),
    FaultKind.UNWRITTEN: Rule(
        "not-written",
        "no thread writes there",
        "which thread is it that takes the last element, when the grid has fewer threads than there are elements?",
    ),
    FaultKind.MUTATED: Rule(
        "mutates-input",
        "it writes into memory it was lent",
        "who else holds that array? copy first, or compute a new one",
    ),
    FaultKind.ALIASED: Rule(
        "aliases-input",
        "the result is a view: an engine that accumulates in place would overwrite it",
        "return an array of your own: `.copy()`",
    ),
    FaultKind.REUSED: Rule(
        "reuses-memory",
        "two calls return the same memory: the later one overwrites what the earlier one has returned",
        "which array outlives a call of yours? make a new one in each, or return a copy",
    ),
    FaultKind.UNREPEATABLE: Rule(
        "keeps-state", "the answer depends on an earlier call", "what survives between two calls of your function?"
    ),
    FaultKind.TOO_SLOW: Rule(
        "too-much-work",
        "the work grows far faster than the forward's: a full Jacobian, or finite differences",
        "you need a vector-Jacobian product, not the Jacobian",
    ),
    FaultKind.NOISY: Rule(
        "too-noisy",
        "the estimate is right on average and scatters more than it need",
        "which part of each draw has nothing to do with what was chosen?",
    ),
    FaultKind.TOO_MUCH_MEMORY: Rule(
        "too-much-memory",
        "the memory grows faster than that of the inputs and results",
        "what do you hold all of, although you use it piece by piece?",
    ),
}
"""The rule of each fault that says by itself what is wrong."""

_LABELS = Rule("missing-key", "a dict with one label for every node is asked for", "compare your keys with the task's")

_JUDGED = {
    "twice": (
        "a node must be listed once, however many paths lead to it",
        "where do you mark a node, and where do you ask?",
    ),
    "missing": (
        "every node the root depends on must be listed, the root too",
        "which nodes does your walk never append?",
    ),
    "order": ("a node must stand after all of its inputs", "when do you append a node: before or after its inputs?"),
    "not-nodes": ("a list of the nodes themselves is asked for", "what do you return, and what do you put into it?"),
    "keeps-state": ("something survives from an earlier call", "a default argument or a global that is never emptied?"),
}
"""The general words for what the judges of graph exercises find, by key."""


def self_evident_rule(drill: Drill, observation: Observation) -> Rule | None:
    """Return the rule a fault names by itself, or None if numbers must be looked at."""
    fault = observation.fault
    assert fault is not None
    if fault.kind is FaultKind.MUTATED and drill.kind.mutated is not None and not drill.solution.drive:
        return drill.kind.mutated
    if fault.kind in (FaultKind.ARITY, FaultKind.TYPE) and drill.solution.wants_dict and observation.got is None:
        return _LABELS
    if fault.kind is FaultKind.DTYPE:
        wider = "64" in fault.summary.split(",")[0]
        return Rule(
            "dtype-upcast" if wider else "dtype",
            "a gradient has the dtype of what it is the gradient of",
            "which constant or cast changed it?" if wider else "what dtype does each step have?",
        )
    if isinstance(observation.outcome, ends.Raised):
        return DEVICE_FAULTS.get(observation.outcome.type) or raised_rule(observation.outcome)
    return drill.kind.nonlinear if fault.kind is FaultKind.NONLINEAR else STRUCTURAL.get(fault.kind)


def careless_rule(observation: Observation) -> Rule | None:
    """Return what else is wrong with an answer whose numbers nothing explains: it writes where it must not."""
    changed = isinstance(observation.outcome, ends.Returned) and observation.outcome.changed
    return STRUCTURAL[FaultKind.MUTATED] if changed else None


def judged_rule(observation: Observation) -> Rule | None:
    """Return what an exercise's own judge said as `key: sentence`, in general words where there are any."""
    fault = observation.fault
    if fault is None or fault.kind is not FaultKind.WRONG:
        return None
    key, _, sentence = fault.summary.partition(": ")
    if not sentence or " " in key:
        return None
    because, hint = _JUDGED.get(key, ("", ""))
    return Rule(key, because, hint)
