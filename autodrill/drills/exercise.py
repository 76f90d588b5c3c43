"""The records an exercise is made of: its header, its stub, and its solution side."""

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
        kind: The name of its kind: see `autodrill.drills.kinds`.
        difficulty: See `Difficulty`.
        minutes: How long a prepared candidate takes.
        topics: What it practises.
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
    """What the candidate sees of an exercise.

    Attributes:
        task: The task in Markdown: the file's docstring.
        stub: The file as handed out, without its header block.
        entry: What is to be written, as the candidate's process is told: the name of a function or class,
            `Class.method` for a method of an instance made without arguments, or the names of a forward and a backward.
        parameters: What it is handed: the parameters of the function; of the forward, without `self` or `ctx`, where
            the candidate writes that too; of the kernel there; empty for a class put through a scenario.
    """

    task: str
    stub: str
    entry: str
    parameters: tuple[Parameter, ...]

    @property
    def defined(self) -> tuple[str, ...]:
        """The names that the candidate's file must define."""
        return tuple(name.partition(".")[0] for name in self.entry.split())


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
        sample: Draws what is random for an estimator, from a random generator and the inputs. Or None.
        deviation: The standard deviation of one right estimate, from the cotangents and the inputs. Or None.
        expected: Computes the right answer of a program. Or None.
        judge: Says what is wrong with a program's answer, or None if nothing is. Or None.
        drive: Source of a function `drive(candidate, ...)` that puts the candidate's code through a scenario in
            its own process; empty to call it directly.
        drive_parameters: The parameters of `drive` after `candidate`.
        launch: For a kernel: gives the grid and the block, from those of its arguments that it names. Or None.
        may_alias: Whether an answer may share memory with an argument.
        remarks: Names of the customs that earn a remark instead of failing: see `drills.customs`.
        cotangents: The names of the cotangents, one an output of `forward`; for a JVP those of the tangents, one an
            input that is differentiated.
        results: The names of the results asked for; empty for `d` and the input's name, or where `expected` returns
            a dict for its keys. Where `drive` or the candidate returns a dict, these are its keys.
        outputs: The names of what a forward returns that the candidate writes too; empty for `out`.
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
        """Whether several results come back by name, so that a tuple in whatever order is no answer."""
        return bool(self.drive) and len(self.results) > 1


@dataclass(frozen=True, slots=True)
class Drill:
    """An exercise together with its solution side: all that grading needs to know of it.

    Attributes:
        exercise: What the candidate sees.
        solution: What proves it.
        kind: Its kind.
    """

    exercise: Exercise
    solution: Solution
    kind: Kind
