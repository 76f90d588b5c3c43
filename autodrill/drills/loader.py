"""Reading exercises and their solution files from a folder, by path and never by import name."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autodrill.content import visible_files
from autodrill.drills.authoring import Given, Mistake, Scenario
from autodrill.drills.exercise import Exercise, Parameter, Solution
from autodrill.drills.header import parse_header
from autodrill.drills.source import SourceFile
from autodrill.errors import ContentError, Problem

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["load_exercise", "load_exercises", "load_solution", "solution_path"]

_ID = re.compile(r"[a-z][a-z0-9_]*\Z")
_PARTS = ("forward", "saved", "expected", "judge")


def load_exercises(root: Path) -> list[Exercise]:
    """Read every exercise below `root/exercises`, by track and id.

    Raises:
        ContentError: Carrying every problem of every file.
    """
    exercises, problems = [], []
    for path in visible_files(root / "exercises", ".py"):
        try:
            exercises.append(load_exercise(path))
        except ContentError as error:
            problems.extend(error.problems)
    if problems:
        raise ContentError(problems)
    return exercises


def load_exercise(path: Path) -> Exercise:
    """Read one exercise file.

    Raises:
        ContentError: If it is malformed; every problem is carried.
    """
    text = path.read_text(encoding="utf-8")
    header, problems = parse_header(text, path)
    if not _ID.match(path.stem):
        problems.append(Problem(str(path), 1, f"`{path.stem}` must be lower-case letters, digits and underscores"))
    skipped = header.lines if header else 0
    stub = "".join(text.splitlines(keepends=True)[skipped:])
    try:
        source = SourceFile(stub, str(path))
    except SyntaxError as error:
        raise ContentError([*problems, Problem(str(path), skipped + (error.lineno or 1), str(error.msg))]) from None
    if not source.docstring:
        problems.append(Problem(str(path), skipped + 1, "the task is missing: write it as the file's docstring"))
    entry = source.functions(path.stem)
    if len(entry) != 1:
        problems.append(Problem(str(path), skipped + 1, f"the stub must define `{path.stem}` exactly once"))
    if problems or header is None:
        raise ContentError(problems)
    return Exercise(
        id=path.stem,
        track=path.parent.name,
        title=header.title,
        kind=header.kind,
        difficulty=header.difficulty,
        minutes=header.minutes,
        topics=header.topics,
        requires=header.requires,
        path=path,
        task=source.docstring,
        stub=stub,
        parameters=_parameters(entry[0].node),
    )


def solution_path(exercise: Exercise) -> Path:
    """The solution file of an exercise: the same place below `solutions` as its own below `exercises`."""
    return exercise.path.parent.parent.parent / "solutions" / exercise.track / exercise.path.name


def load_solution(exercise: Exercise) -> Solution:
    """Read and execute the solution file of an exercise: code of the pack's author, trusted as the pack is.

    Raises:
        ContentError: If it is missing or malformed; every problem is carried.
    """
    path = solution_path(exercise)
    if not path.is_file():
        raise ContentError([Problem(str(path), 1, f"the solution file of `{exercise.id}` is missing")])
    text = path.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {"__name__": f"autodrill_solution_{exercise.id}", "__file__": str(path)}
    try:
        source = SourceFile(text, str(path))
        exec(compile(source.tree, str(path), "exec", dont_inherit=True), namespace)  # noqa: S102 the author's own code
    except SyntaxError as error:
        raise ContentError([Problem(str(path), error.lineno or 1, str(error.msg))]) from None
    except Exception as error:
        raise ContentError([Problem(str(path), _line_in(error, path), f"{type(error).__name__}: {error}")]) from error
    problems: list[Problem] = []

    def complain(message: str, line: int = 1) -> None:
        problems.append(Problem(str(path), line, message))

    solutions = [d for d in source.functions(exercise.id) if not d.decorators]
    if len(solutions) != 1:
        complain(f"it must define the worked solution `{exercise.id}` once, undecorated; found {len(solutions)}")
    mistakes = _mistakes(exercise, source, complain)
    cases = tuple(namespace.get("CASES", ()))
    if not cases or not all(isinstance(case, Given | Scenario) for case in cases):
        complain("`CASES` must be a list of `given(...)` or `@scenario` functions")
    hints = namespace.get("HINTS", ())
    if len(hints) != 3 or not all(isinstance(hint, str) and hint.strip() for hint in hints):
        complain("`HINTS` must be three texts: the idea, the rule, the line", _line_of(source, "HINTS"))
    if not source.docstring:
        complain("the explanation is missing: write it as the file's docstring")
    if not any(callable(namespace.get(part)) for part in ("forward", "expected", "judge")):
        complain("it must define `forward`, `expected` or `judge`: what decides what is right")
    if problems:
        raise ContentError(problems)
    drive = source.functions("drive")
    return Solution(
        path=path,
        explanation=source.docstring,
        source=source.cut(solutions[0]),
        hints=tuple(hints),
        mistakes=tuple(mistakes),
        cases=cases,
        wrt=namespace.get("WRT"),
        drive=source.cut(drive[0]) if drive else "",
        drive_parameters=_parameters(drive[0].node)[1:] if drive else (),
        may_alias=namespace.get("MAY_ALIAS", False),
        cotangents=tuple(namespace.get("COTANGENTS", ("g",))),
        results=tuple(namespace.get("RESULTS", ())),
        **{part: namespace.get(part) for part in _PARTS},
    )


def _mistakes(exercise: Exercise, source: SourceFile, complain: Any) -> list[Mistake]:
    found: list[Mistake] = []
    for definition in source.definitions:
        if "mistake" not in definition.decorators:
            continue
        node = definition.node
        line = node.lineno
        if getattr(node, "name", None) != exercise.id:
            complain(f"a mistake is a wrong `{exercise.id}`; this one has another name", line)
            continue
        call = next(d for d in getattr(node, "decorator_list", ()) if "mistake" in ast.unparse(d))
        try:
            arguments = [ast.literal_eval(a) for a in call.args]
            options = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
            record = Mistake(*arguments, **options)
        except (ValueError, TypeError, AttributeError):
            complain('write `@mistake("key", "what is believed", "what to ask oneself")`, all literal texts', line)
            continue
        if record.key in {m.key for m in found}:
            complain(f"the mistake `{record.key}` stands twice", line)
        found.append(replace(record, line=line, source=source.cut(definition)))
    return found


def _parameters(node: ast.stmt) -> tuple[Parameter, ...]:
    if not isinstance(node, ast.FunctionDef):
        return ()
    arguments = [*node.args.posonlyargs, *node.args.args]
    required = len(arguments) - len(node.args.defaults)
    return tuple(Parameter(a.arg, optional=i >= required) for i, a in enumerate(arguments))


def _line_of(source: SourceFile, name: str) -> int:
    return next((d.node.lineno for d in source.definitions if name in d.defines), 1)


def _line_in(error: BaseException, path: Path) -> int:
    line, step = 1, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = step.tb_lineno
        step = step.tb_next
    return line
