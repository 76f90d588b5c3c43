"""The proof of a question: run its programs and compare its key with what they compute. The tests run every proof.

A proof is code of the bank's author and runs in this process. Learners' code never runs here.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from autodrill.bank.judge import FORMULA_TOLERANCE, probe
from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, Fence, Key, NumericKey, PredictKey, Question
from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Proof", "key_name", "proofs_of"]

# The author rounds the key, and the learner rounds the answer. The key may use a quarter of the tolerance, so an
# answer with the required digits is always accepted.
_SHARE_OF_KEY = 0.25
_FORMULA_POINTS = 7

Namespace = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Proof:
    """One program of a proof: a label, whether it needs PyTorch, and a function that runs it and raises on failure."""

    label: str
    needs_torch: bool
    run: Callable[[], None]


def key_name(key: Key | None) -> str | None:
    """Return the name that a proof must bind, so that the key can be compared; None if the kind needs none."""
    match key:
        case ChoiceKey():
            return "verdicts"
        case NumericKey() | DeriveKey():
            return "computed"
        case BugKey():
            return "check"
        case _:
            return None


def proofs_of(question: Question) -> tuple[Proof, ...]:
    """Return the programs that prove a question: the program of a predicted output, and each fence of its proof.

    A run raises ContentError if the key is refuted or never compared. It also raises whatever the author's code raises.
    """
    proofs: list[Proof] = []
    if isinstance(question.key, PredictKey):
        program = question.key.program
        proofs.append(Proof("output", program.needs_torch, partial(_prove_output, question, question.key)))
    program_needs_torch = isinstance(question.key, BugKey) and question.key.program.needs_torch
    proofs += [
        Proof(f"proof{number}", fence.needs_torch or program_needs_torch, partial(_prove_fence, question, fence))
        for number, fence in enumerate(question.proofs, 1)
    ]
    return tuple(proofs)


def _prove_output(question: Question, key: PredictKey) -> None:
    _, printed = _execute(question, key.program)
    if _trimmed(printed) != _trimmed(key.output):
        raise _refuted(
            question, key.program, f"the program prints\n{printed.rstrip()}\nbut the key is\n{key.output.rstrip()}"
        )


def _trimmed(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _prove_fence(question: Question, fence: Fence) -> None:
    names, _ = _execute(question, fence)
    name = key_name(question.key)
    if name is None:
        return
    if name not in names:
        # Another fence can bind the name; at least one fence must.
        if not any(name in other.code for other in question.proofs):
            raise _refuted(
                question, fence, f"no code fence of the proof assigns `{name}`, so the proof does not prove the key"
            )
        return
    match question.key:
        case ChoiceKey() as key:
            marks = [option.right for option in key.options]
            verdicts = [bool(verdict) for verdict in names[name]]
            if verdicts != marks:
                raise _refuted(question, fence, f"the options are marked {marks}, but the proof computes {verdicts}")
        case NumericKey() as key:
            _same_labels(question, fence, key.answers, names[name])
            _compare_numbers(question, fence, key, names[name])
        case DeriveKey() as key:
            _same_labels(question, fence, key.answers, names[name])
            _compare_formulas(question, fence, key, names[name])
        case BugKey() as key:
            _compare_programs(question, fence, key, names[name])


def _compare_numbers(question: Question, fence: Fence, key: NumericKey, computed: Mapping[str, Any]) -> None:
    for label, want in key.values.items():
        got = float(computed[label])
        if not abs(got - want) <= _SHARE_OF_KEY * key.tolerance * (abs(want) or 1.0):
            raise _refuted(
                question, fence, f"`{label}` is {key.answers[label]} in the key, but the proof computes {got!r}"
            )


def _compare_formulas(question: Question, fence: Fence, key: DeriveKey, computed: Mapping[str, Any]) -> None:
    for label, formula in key.answers.items():
        points = probe(formula, key.variables)
        if len(points) < _FORMULA_POINTS:
            raise _refuted(question, fence, f"`{label}` has a value at only {len(points)} of the points tried")
        for point, want in points:
            got = float(computed[label](*point.values()))
            if not math.isclose(got, want, rel_tol=FORMULA_TOLERANCE, abs_tol=FORMULA_TOLERANCE):
                at = ", ".join(f"{name} = {value:.4g}" for name, value in point.items())
                raise _refuted(
                    question, fence, f"`{label}` at {at} is {want!r} in the key, but the proof computes {got!r}"
                )


def _compare_programs(question: Question, fence: Fence, key: BugKey, check: Callable[[Namespace], object]) -> None:
    try:
        works = bool(check(_execute(question, key.program)[0]))
    except Exception:  # noqa: BLE001 - a bug can raise anything
        works = False
    if works:
        raise _refuted(question, fence, "`check` accepts the program with the bug, so the proof does not prove the bug")
    if not check(_execute(question, key.fixed)[0]):
        raise _refuted(question, fence, f"`check` still fails with line {key.line} replaced by `{key.fix.strip()}`")


def _same_labels(question: Question, fence: Fence, answers: Mapping[str, str], computed: Mapping[str, Any]) -> None:
    if set(answers) != set(computed):
        raise _refuted(
            question, fence, f"the key has the labels {sorted(answers)}, but `computed` has {sorted(computed)}"
        )


def _execute(question: Question, fence: Fence) -> tuple[Namespace, str]:
    """Run a fence. Tracebacks name the lines of the question file."""
    source = "\n" * (fence.line - 1) + fence.code
    names: Namespace = {"__name__": "proof", "__file__": str(question.path)}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        if fence.needs_torch:
            # PyTorch's modules warn when they are imported and compiled, which does not concern the proof.
            warnings.simplefilter("ignore")
        exec(compile(source, str(question.path), "exec"), names)  # noqa: S102 - the bank author's own program
    return names, printed.getvalue()


def _refuted(question: Question, fence: Fence, message: str) -> ContentError:
    return ContentError([Problem(str(question.path), fence.line, f"{question.id}: {message}")])
