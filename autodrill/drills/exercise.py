"""The records of an exercise: its metadata, its stub, and its solution side."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from autodrill.drills.authoring import Given, Mistake, Scenario
    from autodrill.drills.kind import Kind

__all__ = ["Difficulty", "Drill", "Exercise", "Heading", "Parameter", "Solution"]


class Difficulty(StrEnum):
    """The difficulty of an exercise for someone who knows calculus and Python."""

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
    """The metadata of an exercise, from its header and its path: enough to list it.

    Attributes:
        id: The name after `autodrill check`, of the file, and by default of the entry.
        track: The folder of the file: a chapter of the catalogue.
        title: A few words.
        kind: The name of its kind: a module of `autodrill.drills.kinds`.
        difficulty: See `Difficulty`.
        minutes: How long a prepared candidate takes.
        topics: The topics that it practises.
        requires: Ids of exercises that come before it.
        path: The exercise file.
    """

    id: str
    track: str
    title: str
    kind: str
    difficulty: Difficulty
    minutes: int
    topics: tuple[str, ...]
    requires: tuple[str, ...]
    path: Path


@dataclass(frozen=True, slots=True)
class Exercise(Heading):
    """The candidate's side of an exercise.

    Attributes:
        task: The task in Markdown: the docstring of the file.
        stub: The file as handed out, without its header.
        entry: What the candidate writes: the name of a function or class, `Class.method` for a method of an instance
            made without arguments, or several names separated by spaces.
        parameters: The parameters of the function or kernel. If the candidate also writes a forward, they are those of
            the forward, without `self` or `ctx`. They are empty for a class that a scenario uses.
    """

    task: str
    stub: str
    entry: str
    parameters: tuple[Parameter, ...]

    @property
    def defined(self) -> tuple[str, ...]:
        """The names that a submission must define."""
        return tuple(name.partition(".")[0] for name in self.entry.split())


@dataclass(frozen=True, slots=True)
class Solution:
    """The solution side of an exercise: what decides which answers are right, and what is shown afterwards.

    Attributes:
        path: The solution file.
        explanation: The explanation in Markdown: the derivation, the cost, and what PyTorch does.
        source: The worked solution, as a candidate would submit it.
        hints: Three texts: the idea, the rule, the line.
        mistakes: The known mistakes.
        cases: The classes of inputs that it is graded on.
        forward: The function to differentiate, in engine operations, or None.
        wrt: The names of the inputs whose gradients are asked for, or None for every floating input.
        saved: Computes further arguments for the candidate from the inputs and `out`, or None.
        sample: For an estimator, draws further arguments from a random generator and the inputs, or None.
        deviation: For an estimator, the standard deviation of one right estimate, from the cotangents and the inputs,
            or None.
        expected: For a program or a kernel, computes the right answer from the inputs, or None.
        judge: For a program with several right answers, returns what is wrong with one, or None.
        drive: The source of a function `drive(candidate, ...)`, which puts the candidate's code through a scenario in
            its own process; empty to call the code directly.
        drive_parameters: The parameters of `drive` after `candidate`.
        launch: For a kernel, returns the grid and the block from the arguments that it names, or None.
        may_alias: Whether an answer may share memory with an argument.
        remarks: The names of the customs that only earn a remark: see `autodrill.drills.customs`.
        cotangents: The names of the cotangents, one for each output of `forward`; for a JVP the names of the tangents,
            one for each differentiated input.
        results: The names of the results, which are the keys if `drive` or the candidate returns a dict. If empty,
            they are `d` and the input's name, or the keys of the dict that `expected` returns.
        outputs: The names of the outputs of a forward that the candidate also writes; empty for `out`.
        equivalent: The mutants that pass because they compute the same: their keys, each with the reason.
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
    sample: Callable[..., dict[str, Any]] | None = None
    deviation: Callable[..., Any] | None = None
    expected: Callable[..., Any] | None = None
    judge: Callable[..., str | None] | None = None
    drive: str = ""
    drive_parameters: tuple[Parameter, ...] = ()
    launch: Callable[..., tuple[Any, Any]] | None = None
    may_alias: bool = False
    remarks: tuple[str, ...] = ()
    cotangents: tuple[str, ...] = ("g",)
    results: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    equivalent: Mapping[str, str] = field(default_factory=dict)

    @property
    def wants_dict(self) -> bool:
        """Whether several results come back by name, so that a tuple is not an answer."""
        return bool(self.drive) and len(self.results) > 1


@dataclass(frozen=True, slots=True)
class Drill:
    """An exercise with its solution side and its kind: everything that grading needs.

    Attributes:
        exercise: The candidate's side.
        solution: The solution side.
        kind: Its kind.
    """

    exercise: Exercise
    solution: Solution
    kind: Kind
