"""The records an exercise is made of: its header, its stub, and its solution side."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from autodrill.drills.authoring import Given, Mistake, Scenario

__all__ = ["Difficulty", "Exercise", "Heading", "Kind", "Parameter", "Solution"]


class Kind(StrEnum):
    """What the candidate writes; one pipeline grades them all."""

    VALUE = "value"
    """The `_backward` closure of a scalar node: reads `.data` and `out.grad`, adds into `.grad`."""
    BACKWARD = "backward"
    """A pure vector-Jacobian product: cotangent and saved values in, gradients out."""
    PROGRAM = "program"
    """A function or class that is put through a scenario."""
    BUGFIX = "bugfix"
    """Given code with a fault; the candidate repairs it."""


class Difficulty(StrEnum):
    """How hard an exercise is for someone who knows calculus and Python."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the stub: its name and whether it has a default."""

    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """What is known of an exercise from its header alone: enough to list it.

    Attributes:
        id: The name typed after `autodrill check`, of the file and of the function to write.
        track: The folder it stands in, a chapter of the catalogue.
        title: A few words.
        kind: What the candidate writes.
        difficulty: See `Difficulty`.
        minutes: How long a prepared candidate takes.
        topics: What it practises.
        requires: Ids of exercises that come before it.
        path: The exercise file.
    """

    id: str
    track: str
    title: str
    kind: Kind
    difficulty: Difficulty
    minutes: int
    topics: tuple[str, ...]
    requires: tuple[str, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class Exercise(Heading):
    """What the candidate sees of an exercise.

    Attributes:
        task: The task in Markdown: the file's docstring.
        stub: The file as handed out, without its header block.
        parameters: The signature of the function to write; empty for a class.
    """

    task: str
    stub: str
    parameters: tuple[Parameter, ...]

    @property
    def signature(self) -> str:
        """The line to write under, such as `mul_backward(self, other, out)`."""
        return f"{self.id}({', '.join(p.name for p in self.parameters)})"


@dataclass(frozen=True, slots=True)
class Solution:
    """What proves an exercise and is shown afterwards.

    Attributes:
        path: The solution file.
        explanation: Markdown: the derivation, the cost, what PyTorch does.
        source: The worked solution as a candidate would hand it in.
        hints: Three stages: the idea, the rule, the line.
        mistakes: Known wrong answers, each with its misconception.
        cases: The classes of inputs it is graded on.
        forward: The function differentiated, in engine operations; its gradient is the answer. Or None.
        wrt: Names of the inputs whose gradients are asked for, or None for every floating input.
        saved: Computes further arguments for the candidate from the inputs and `out`. Or None.
        expected: Computes the right answer of a program. Or None.
        judge: Says what is wrong with a program's answer, or None if nothing is. Or None.
        drive: Source of a function `drive(candidate, ...)` that puts the candidate's code through a scenario in
            its own process; empty to call it directly.
        drive_parameters: The parameters of `drive` after `candidate`.
        may_alias: Whether an answer may share memory with an argument.
        cotangents: The names of the cotangents, one an output of `forward`.
        results: The names of the results asked for; empty for `d` and the input's name. Where `drive` or the
            candidate returns a dict, these are its keys.
        equivalent: Mutants of the solution that pass because they compute the same, by key, with the reason.
    """

    path: Path
    explanation: str
    source: str
    hints: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    cases: tuple[Given | Scenario, ...]
    forward: Callable[..., Any] | None = None
    wrt: tuple[str, ...] | None = None
    saved: Callable[..., dict[str, Any]] | None = None
    expected: Callable[..., Any] | None = None
    judge: Callable[..., str | None] | None = None
    drive: str = ""
    drive_parameters: tuple[Parameter, ...] = ()
    may_alias: bool = False
    cotangents: tuple[str, ...] = ("g",)
    results: tuple[str, ...] = ()
    equivalent: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants_dict(self) -> bool:
        """Whether several results come back by name, so that a tuple in whatever order is no answer."""
        return bool(self.drive) and len(self.results) > 1
