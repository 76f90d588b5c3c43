"""The records of an exercise, and the loading of its file.

The file has a TOML header in comments, as PEP 723 writes the metadata of a script; then the task and the stub.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from autodrill.drills.authoring import Given, Mistake, Scenario
    from autodrill.drills.kind import Kind
    from autodrill.drills.source import Parameter

__all__ = [
    "HEADER_KEYS",
    "Difficulty",
    "Drill",
    "Exercise",
    "Header",
    "Heading",
    "Solution",
    "control_sign",
    "kind_named",
    "kind_names",
    "load_exercise",
    "load_headings",
    "parse_header",
    "read_text",
    "starting_file",
]


class Difficulty(StrEnum):
    """The difficulty of an exercise for someone who knows calculus and Python."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    EXPERT = "expert"


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
        answer: Answers in the parent what `drive` asks by `ask(value)`, from the value and the inputs, or None.
        drive_parameters: The parameters of `drive` after `candidate`.
        launch: For a kernel, returns the grid, the block and perhaps the bytes of dynamic shared memory, or None.
        may_alias: Whether an answer may share memory with an argument.
        may_edit: The names of the arguments that a call may change in place.
        remarks: The names of the customs that only earn a remark: see `autodrill.drills.customs`.
        cotangents: The names of the cotangents, one for each output of `forward`; for a JVP the names of the tangents,
            one for each differentiated input.
        results: The names of the results, which are the keys if `drive` or the candidate returns a dict. If empty,
            they are `d` and the input's name, or the keys of the dict that `expected` returns.
        outputs: The names of the outputs of the forward that the candidate's code also returns. If empty, a forward
            that the candidate writes returns `out`, and other code returns no output.
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
    answer: Callable[..., Any] | None = None
    drive: str = ""
    drive_parameters: tuple[Parameter, ...] = ()
    launch: Callable[..., tuple[Any, ...]] | None = None
    may_alias: bool = False
    may_edit: tuple[str, ...] = ()
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

    @property
    def has_outputs(self) -> bool:
        """Whether the candidate's code also returns the outputs of the forward."""
        return self.kind.has_forward or (self.kind.may_return_outputs and bool(self.solution.outputs))

    @property
    def has_unit_cotangent(self) -> bool:
        """Whether the candidate's code receives no cotangent, because it returns a loss with its gradient."""
        taken = {parameter.name for parameter in self.exercise.parameters}
        return self.has_outputs and not self.kind.has_forward and taken.isdisjoint(self.solution.cotangents)


_KINDS, _SUFFIX = "autodrill.drills.kinds", "_kind"

_ID = re.compile(r"[a-z][a-z0-9_]*\Z")

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Signs that a terminal may obey, or that reverse text. Tabs, line ends and form feeds are allowed."""

_BLOCK = re.compile(r"(?m)\A# /// autodrill$\n(?P<body>(?:^#(?:| .*)$\n)+?)^# ///$\n")

_STRINGS = {"title": '"Backward of a product"', "kind": '"backward"', "difficulty": '"easy"', "entry": '"Layer"'}
_LISTS = {"topics": '["chain rule"]', "requires": '["mul_backward"]'}
_EXAMPLES = {**_STRINGS, "minutes": "5", **_LISTS}
_OPTIONAL = ("entry", "requires")

HEADER_KEYS = tuple(_EXAMPLES)
"""The keys that a header may have."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of an exercise file.

    Attributes:
        heading: The metadata.
        entry: The value of the key `entry`; empty if the header does not have it.
        lines: The number of lines of the block.
    """

    heading: Heading
    entry: str
    lines: int


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds in alphabetical order, without importing their modules."""
    names = (module.name for module in iter_modules([str(Path(__file__).parent / "kinds")]))
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


@cache
def kind_named(name: str) -> Kind:
    """Return a kind by its name, which must be one of `kind_names()`."""
    kind: Kind = import_module(f"{_KINDS}.{name}{_SUFFIX}").KIND
    return kind


def load_headings(paths: Iterable[Path]) -> list[Heading]:
    """Read the headers of exercise files, in the order given.

    Raises:
        ContentError: At least one header is malformed; the error lists every problem of every header.
    """
    headings: list[Heading] = []
    problems: list[Problem] = []
    for path in paths:
        try:
            header, found = parse_header(read_text(path), path)
        except ContentError as error:
            problems += error.problems
            continue
        problems += [*found, *_name_problems(path)]
        if header is not None:
            headings.append(header.heading)
    if problems:
        raise ContentError(problems)
    return headings


def load_exercise(path: Path) -> Exercise:
    """Read an exercise file.

    Raises:
        ContentError: The file is malformed; the error lists every problem.
    """
    from autodrill.drills.source import SourceFile

    text = read_text(path)
    header, problems = parse_header(text, path)
    problems += _name_problems(path)
    skipped = header.lines if header else 0
    stub = text.split("\n", skipped)[-1]
    try:
        source = SourceFile(stub, str(path))
    except SyntaxError as error:
        raise ContentError([*problems, Problem(str(path), skipped + (error.lineno or 1), error.msg)]) from None
    if not source.docstring:
        problems.append(Problem(str(path), skipped + 1, "the task is missing: write it as the file's docstring"))
    if (sign := control_sign(source.docstring)) is not None:
        problems.append(Problem(str(path), skipped + 1, f"the task contains the control character {sign}: remove it"))
    kind = kind_named(header.heading.kind if header else "program")
    entry = (header.entry if header else "") or kind.entry(path.stem)
    defined = {}
    for name in (part.partition(".")[0] for part in entry.split()):
        found = source.functions(name)
        if len(found) != 1:
            message = f"the stub must define `{name}` exactly once; found {len(found)}"
            problems.append(Problem(str(path), skipped + 1, message))
        else:
            defined[name] = found[0].node
    if problems or header is None:
        raise ContentError(problems)
    parameters = kind.parameters(entry, defined)
    if (wrong := kind.stub_problem(entry, parameters)) is not None:
        line = skipped + next(iter(defined.values())).lineno
        raise ContentError([Problem(str(path), line, wrong)])
    heading = {field.name: getattr(header.heading, field.name) for field in fields(Heading)}
    return Exercise(**heading, task=source.docstring, stub=stub, entry=entry, parameters=parameters)


def _name_problems(path: Path) -> list[Problem]:
    problems = []
    if not _ID.match(path.stem):
        message = f"`{path.stem}` is not an id: name the file with lower-case letters, digits and underscores"
        problems.append(Problem(str(path), 1, message))
    if (sign := control_sign(path.parent.name)) is not None:
        problems.append(Problem(str(path), 1, f"the name of its folder contains the control character {sign}"))
    return problems


def control_sign(text: str) -> str | None:
    """Return the first control character of a text, escaped, or the first sign that reverses text; None without one."""
    found = _CONTROL.search(text)
    return None if found is None else f"`{ascii(found[0])[1:-1]}`"


def starting_file(exercise: Exercise) -> str:
    """Return the file that a learner starts with: the stub, with the conventions of its kind in the docstring."""
    conventions = kind_named(exercise.kind).conventions
    if not conventions:
        return exercise.stub
    import ast
    import textwrap

    docstring = ast.parse(exercise.stub).body[0]
    assert docstring.end_lineno is not None
    lines = exercise.stub.splitlines(keepends=True)
    head, code = "".join(lines[: docstring.end_lineno]), "".join(lines[docstring.end_lineno :])
    text, quotes, _ = head.rpartition('"""')
    return f"{text.rstrip()}\n\n{textwrap.fill(conventions, 88)}\n{quotes}\n{code}"


def read_text(path: Path) -> str:
    """Read an exercise file or a solution file.

    Raises:
        ContentError: The file cannot be read, is not UTF-8, or contains control characters.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = 1 + error.object[: error.start].count(b"\n")
        raise ContentError([Problem(str(path), line, "the file is not UTF-8: save it as UTF-8")]) from None
    except OSError as error:
        raise ContentError([Problem(str(path), 1, f"the file cannot be read: {error.strerror}")]) from None
    if (found := _CONTROL.search(text)) is not None and found[0] != "\0":  # the parser reports null bytes
        message = f"the file contains the control character {control_sign(found[0])}: remove it"
        raise ContentError([Problem(str(path), 1 + text[: found.start()].count("\n"), message)])
    return text


def parse_header(text: str, path: Path) -> tuple[Header | None, list[Problem]]:
    """Parse the block at the top of an exercise file.

    Returns:
        The header and no problem, or None and every problem with its line.
    """
    import tomllib

    match = _BLOCK.match(text)
    if match is None:
        message = "the header is missing: begin the file with a block `# /// autodrill` ... `# ///`"
        return None, [Problem(str(path), 1, message)]
    body = "\n".join(line[2:] for line in match["body"].splitlines())
    lines = match[0].count("\n")
    try:
        table = tomllib.loads(body)
    except RecursionError:
        return None, [Problem(str(path), 1, "the header is nested too deeply")]
    except ValueError as error:  # a TOMLDecodeError, or that of a number with thousands of digits
        found = re.search(r"line (\d+)", str(error))
        return None, [Problem(str(path), 1 + int(found[1]) if found else 1, f"the header is not valid TOML: {error}")]
    problems: list[Problem] = []

    def complain(key: str, message: str) -> None:
        at = re.search(rf"(?m)^# {re.escape(key)}\b", match[0])
        problems.append(Problem(str(path), 1 + match[0][: at.start()].count("\n") if at else 1, message))

    for key in table:
        if key not in HEADER_KEYS:
            complain(key, f"unknown key `{key}`; the keys are {', '.join(HEADER_KEYS)}")
    for key, example in _EXAMPLES.items():
        if key not in table and key not in _OPTIONAL:
            complain(key, f"the header lacks `{key}`: add a line such as `# {key} = {example}`")
    for key, example in _STRINGS.items():
        if key in table and not isinstance(table[key], str):
            complain(key, f"`{key}` must be a string, such as `{example}`")
    for key, example in _LISTS.items():
        if not _is_list_of_strings(table.get(key, [])):
            complain(key, f"`{key}` must be a list of strings, such as `{example}`")
    for key, value in table.items():
        texts = value if _is_list_of_strings(value) else [value] if isinstance(value, str) else []
        if (sign := control_sign("".join(texts))) is not None:
            complain(key, f"`{key}` contains the control character {sign}: remove it")
    minutes = table.get("minutes", 1)
    if type(minutes) is not int or minutes < 1:
        complain("minutes", "`minutes` must be a whole number, at least 1")
    for key, known in (("kind", kind_names()), ("difficulty", tuple(Difficulty))):
        if isinstance(table.get(key), str) and table[key] not in known:
            complain(key, f"`{key}` is `{table[key]}`; it must be one of {', '.join(known)}")
    if problems:
        return None, problems
    heading = Heading(
        id=path.stem,
        track=path.parent.name,
        title=table["title"],
        kind=table["kind"],
        difficulty=Difficulty(table["difficulty"]),
        minutes=minutes,
        topics=tuple(table["topics"]),
        requires=tuple(table.get("requires", ())),
        path=path,
    )
    return Header(heading, table.get("entry", ""), lines), []


def _is_list_of_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
