"""Solution files: execution of the author's code, and a problem with its line for each malformed part."""

from __future__ import annotations

import ast
import inspect
import re
import signal
import sys
import threading
import time
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeGuard

from autodrill.drills.authoring import Given, Mistake, Scenario
from autodrill.drills.exercise import Drill, Solution, control_sign, kind_named, read_text
from autodrill.drills.source import SourceFile, parameters_of, signature
from autodrill.errors import AutodrillError, ContentError, InternalError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from autodrill.drills.exercise import Exercise, Heading
    from autodrill.drills.source import Definition, Parameter

    Complain = Callable[[str, int], None]

__all__ = ["authored", "line_in", "load_solution", "solution_path"]


_SECONDS = 60.0
"""Wall time that the author's code may take at once."""


class _LoopError(BaseException):
    """The author's code runs too long. It is no `Exception`, so that this code does not catch it."""


@contextmanager
def _bounded() -> Iterator[None]:
    """Interrupt the block when it takes more than `_SECONDS`, if this is the main thread of a POSIX process.

    What the author's code prints goes to standard error, because standard output may be a document.

    Raises:
        _LoopError: It took longer.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise _LoopError(f"it takes more than {_SECONDS:g} s")

    before = signal.signal(signal.SIGALRM, interrupt)
    started = time.monotonic()
    left, _ = signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, max(left - time.monotonic() + started, 0.001) if left else 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def authored(path: Path, name: str) -> Iterator[None]:
    """Convert exceptions of the author's function `name`, from the solution file at `path`.

    Raises:
        InternalError: The block raised an exception that is not an `AutodrillError`, or took too long. The message
            gives the line of the solution file, unless no code of that file was running.
    """
    try:
        with _bounded():
            yield
    except AutodrillError:
        raise
    except _LoopError as error:
        place = f"{path.name}, line {line_in(error, path)}"
        raise InternalError(f"the exercise's `{name}` runs too long: {error} ({place})") from None
    except (Exception, SystemExit) as error:
        what = f"raises {type(error).__name__}: {error}"
        if (line := _line(error, path)) is None:
            raise InternalError(f"what autodrill derives from the exercise's `{name}` {what}") from error
        raise InternalError(f"the exercise's `{name}` {what} ({path.name}, line {line})") from error


def line_in(error: BaseException, path: Path) -> int:
    """Return the innermost line of the file at `path` in an exception's traceback, or 1 if there is none."""
    return _line(error, path) or 1


def _line(error: BaseException, path: Path) -> int | None:
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename == str(path):
            line = step.tb_lineno
        step = step.tb_next
    return line


_PARTS = ("forward", "saved", "sample", "deviation", "expected", "judge", "answer", "launch")
_DECIDING = ("forward", "expected", "judge")


def solution_path(exercise: Heading) -> Path:
    """Return the path of the solution file of an exercise: `solutions/TRACK/ID.py` in the same pack."""
    return exercise.path.parent.parent.parent / "solutions" / exercise.track / exercise.path.name


def load_solution(exercise: Exercise) -> Solution:
    """Read and execute the solution file of an exercise, which is trusted like its pack.

    Raises:
        ContentError: The file is missing or malformed; the error lists every problem.
    """
    path = solution_path(exercise)
    if not path.is_file():
        raise ContentError([Problem(str(path), 1, f"the solution file of `{exercise.id}` is missing: write it here")])
    source, namespace = _executed(exercise, path)
    problems: list[Problem] = []

    def complain(message: str, line: int) -> None:
        problems.append(Problem(str(path), line, message))

    worked = _worked_solution(exercise, source, complain)
    mistakes = _mistakes(exercise, source, worked, complain)
    if worked is not None:
        mistakes += _edited(source, namespace.get("MISTAKES", []), source.cut(*worked), mistakes, complain)
    _check_settings(source, namespace, complain)
    kind = kind_named(exercise.kind)
    for message in kind.solution_problems(namespace):
        complain(message, 1)
    if namespace.get("OUTPUTS") and not kind.may_return_outputs:
        complain(f"`OUTPUTS` has no meaning for the kind `{exercise.kind}`: remove it", 1)
    if problems or worked is None:
        raise ContentError(sorted(problems, key=lambda problem: problem.line))
    drive, drive_parameters = _drive(source, namespace)
    solution = Solution(
        path=path,
        explanation=source.docstring,
        source=source.cut(*worked),
        hints=tuple(namespace["HINTS"]),
        mistakes=tuple(mistakes),
        cases=_cases(namespace),
        wrt=kind.differentiated(exercise, namespace),
        drive=drive,
        drive_parameters=drive_parameters,
        may_alias=namespace.get("MAY_ALIAS", False),
        may_edit=tuple(namespace.get("MAY_EDIT", ())),
        remarks=tuple(namespace.get("REMARKS", ())),
        cotangents=kind.directions(exercise, namespace),
        results=tuple(namespace.get("RESULTS", kind.default_results)),
        outputs=tuple(namespace.get("OUTPUTS", ())),
        equivalent=dict(namespace.get("EQUIVALENT", {})),
        **{part: namespace.get(part) for part in _PARTS},
    )
    if Drill(exercise, solution, kind).has_unit_cotangent:
        fixed = (replace(c, values={**c.values, "g": 1.0}) if isinstance(c, Given) else c for c in solution.cases)
        return replace(solution, cases=tuple(fixed))
    return solution


def _executed(exercise: Exercise, path: Path) -> tuple[SourceFile, dict[str, Any]]:
    text = read_text(path)
    namespace: dict[str, Any] = {"__name__": f"autodrill_solution_{exercise.id}", "__file__": str(path)}
    try:
        source = SourceFile(text, str(path))
        with _bounded():
            exec(compile(source.tree, str(path), "exec", dont_inherit=True), namespace)  # noqa: S102 the author's own
    except SyntaxError as error:
        raise ContentError([Problem(str(path), error.lineno or 1, error.msg)]) from None
    except _LoopError as error:
        raise ContentError([Problem(str(path), line_in(error, path), f"the file runs too long: {error}")]) from None
    except (Exception, SystemExit) as error:
        raise ContentError([Problem(str(path), line_in(error, path), f"{type(error).__name__}: {error}")]) from error
    return source, namespace


def _drive(source: SourceFile, namespace: dict[str, Any]) -> tuple[str, tuple[Parameter, ...]]:
    """Return the source of `drive` and its parameters after the first. A shared file may give it another name."""
    found = source.functions("drive")
    given = namespace.get("drive")
    if not found and given is not None:
        path = Path(given.__code__.co_filename)
        source = SourceFile(read_text(path), str(path))
        found = source.functions(given.__name__)
    if not found:
        return "", ()
    name = getattr(found[0].node, "name", "drive")
    return source.cut(found[0]) + (f"\n\ndrive = {name}\n" if name != "drive" else ""), parameters_of(found[0].node)[1:]


def _worked_solution(exercise: Exercise, source: SourceFile, complain: Complain) -> tuple[Definition, ...] | None:
    found = []
    for name in exercise.defined:
        worked = [d for d in source.functions(name) if not d.decorators]
        if len(worked) != 1:
            complain(f"the file must define the worked solution `{name}` once, undecorated; found {len(worked)}", 1)
            return None
        _check_signature(exercise, worked[0], complain)
        found += worked
    return tuple(found)


def _mistakes(
    exercise: Exercise, source: SourceFile, worked: Sequence[Definition] | None, complain: Complain
) -> list[Mistake]:
    """Return the known mistakes. If a mistake replaces one of two functions, the worked solution gives the other."""
    found: list[Mistake] = []
    for definition in source.definitions:
        if "mistake" not in definition.decorators:
            continue
        node = definition.node
        wrong = next((name for name in exercise.defined if definition in source.functions(name)), None)
        if wrong is None:
            wanted = " or ".join(f"`{name}`" for name in exercise.defined)
            complain(f"the definition of the mistake has the wrong name: call it {wanted}", node.lineno)
            continue
        call = next(d for d in getattr(node, "decorator_list", ()) if "mistake" in ast.unparse(d))
        try:
            arguments = [ast.literal_eval(a) for a in call.args]
            options = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
            record = Mistake(*arguments, **options)
        except (ValueError, TypeError, AttributeError):
            form = '`@mistake("key", "what its author believes", "a question")`'
            complain(f"the mistake cannot be read: write {form} with literal strings", node.lineno)
            continue
        if record.key in {m.key for m in found}:
            complain(f"another mistake has the key `{record.key}`: choose a new key", node.lineno)
        _check_signature(exercise, definition, complain)
        whole = [definition if d in source.functions(wrong) else d for d in worked or ()] or [definition]
        found.append(replace(record, line=node.lineno, source=source.cut(*whole)))
    return found


def _edited(
    source: SourceFile, declared: Any, worked: str, others: Sequence[Mistake], complain: Complain
) -> list[Mistake]:
    """Return the known mistakes in `MISTAKES`: each is the text of the worked solution with changes."""
    lines = {d.node: d.node.lineno for d in source.definitions if "MISTAKES" in d.defines}
    first = next(iter(lines.values()), 1)
    if not isinstance(declared, list | tuple) or not all(isinstance(m, Mistake) and m.changes for m in declared):
        complain("`MISTAKES` must be a list of `edit(...)`, each with a change `old -> new`", first)
        return []
    keys = {
        n.value: n.lineno for top in lines for n in ast.walk(top) if isinstance(n, ast.Constant) and _is_text(n.value)
    }
    found: list[Mistake] = []
    for record in declared:
        line = keys.get(record.key, first)
        if record.key in {m.key for m in (*others, *found)}:
            complain(f"another mistake has the key `{record.key}`: choose a new key", line)
        text = worked
        for change in record.changes:
            old, arrow, new = (part.strip() for part in change.partition("->"))
            start = old.removesuffix("...")
            pattern = re.escape(start) + ("[^\n]*" if start != old else "")
            places = [match.span() for match in re.finditer(pattern, text)] if start else []
            if not arrow or len(places) != 1:
                times = f"occurs {len(places)} times in the worked solution"
                wrong = times if arrow and start else "is no `old -> new`"
                complain(f"the change `{change}` of the mistake `{record.key}` {wrong}", line)
            else:
                text = text[: places[0][0]] + new + text[places[0][1] :]
        try:
            text = source.with_imports(text)
        except SyntaxError as error:
            complain(f"the mistake `{record.key}` is not valid Python: {error.msg}", line)
        found.append(replace(record, line=line, source=text))
    return found


def _check_signature(exercise: Exercise, definition: Definition, complain: Complain) -> None:
    asked = next(iter(_parsed(exercise.stub).functions(getattr(definition.node, "name", ""))), None)
    wanted = signature(asked.node) if asked else {}
    for name, mine in signature(definition.node).items():
        asked_for = wanted.get(name) or mine
        if mine[: len(asked_for)] != asked_for or not all(p.optional for p in mine[len(asked_for) :]):
            takes, stub = (", ".join(p.name for p in each) for each in (mine, wanted[name]))
            complain(
                f"`{name}` takes ({takes}), but the stub takes ({stub}): use the stub's parameters",
                definition.node.lineno,
            )


@lru_cache(maxsize=1)  # all mistakes of a file have one stub
def _parsed(stub: str) -> SourceFile:
    return SourceFile(stub, "stub")


def _check_settings(source: SourceFile, namespace: dict[str, Any], complain: Complain) -> None:
    def line(name: str) -> int:
        return next((d.node.lineno for d in source.definitions if name in d.defines), 1)

    if not source.docstring:
        complain("the explanation is missing: write it as the file's docstring", 1)
    if (sign := control_sign(source.docstring)) is not None:
        complain(f"the explanation contains the control character {sign}: remove it", 1)
    hints = namespace.get("HINTS")
    if not _texts(hints) or len(hints) != 3 or not all(hint.strip() for hint in hints):
        complain("`HINTS` must be a tuple of three texts: the idea, the rule, the line", line("HINTS"))
    elif (sign := control_sign("".join(hints))) is not None:
        complain(f"`HINTS` contains the control character {sign}: remove it", line("HINTS"))
    cases = namespace.get("CASES")
    if not isinstance(cases, list | tuple) or not cases or not all(isinstance(c, Given | Scenario) for c in cases):
        complain("`CASES` must be a non-empty list of `given(...)` and `@scenario` functions", line("CASES"))
        cases = []
    for name in ("WRT", "COTANGENTS", "TANGENTS", "RESULTS", "OUTPUTS", "MAY_EDIT", "REMARKS"):
        if namespace.get(name) is not None and not _texts(namespace[name]):
            complain(f"`{name}` must be a tuple of names", line(name))
            namespace[name] = None
    if namespace.get("REMARKS"):
        from autodrill.drills.customs import CUSTOMS
    for name in namespace.get("REMARKS") or ():
        if name not in CUSTOMS:
            complain(f"`REMARKS` names `{name}`; the customs are {', '.join(CUSTOMS)}", line("REMARKS"))
    for name in _untaken(namespace.get("forward"), cases):
        complain(
            f"`{name}` in `given(...)` is neither an array of this `given` nor an option nor an argument of `forward`",
            line("CASES"),
        )
    for name in namespace.get("WRT") or ():
        if any(isinstance(case, Given) and name not in case.arrays for case in cases):
            complain(f"`WRT` names `{name}`, which is not an array of every `given(...)`", line("WRT"))
    equivalent = namespace.get("EQUIVALENT", {})
    if not isinstance(equivalent, dict) or not _texts([*equivalent, *equivalent.values()]):
        complain(
            "`EQUIVALENT` must be a dict from mutants to the reasons why they compute the same result",
            line("EQUIVALENT"),
        )
    if any(isinstance(case, Given) and case.draws for case in cases):
        for part in ("forward", "sample", "deviation"):
            if not callable(namespace.get(part)):
                complain(f"a `given(...)` with `draws` needs a function `{part}`: define it", line("CASES"))
    for part in _PARTS:
        if namespace.get(part) is not None and not callable(namespace[part]):
            complain(f"`{part}` must be a function", line(part))
    if not any(callable(namespace.get(part)) for part in _DECIDING):
        complain("nothing decides which answers are right: define `forward`, `expected` or `judge`", 1)


def _untaken(forward: Any, cases: Sequence[Given | Scenario]) -> list[str]:
    """Return the static arguments of the cases that are not parameters of `forward`, such as a misspelt option."""
    if not isinstance(forward, FunctionType):
        return []
    taken = inspect.signature(forward).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in taken):
        return []
    passed = dict.fromkeys(name for case in cases if isinstance(case, Given) for name in case.static)
    return [name for name in passed if name not in {p.name for p in taken}]


def _cases(namespace: dict[str, Any]) -> tuple[Given | Scenario, ...]:
    """Return the classes of inputs: `EMPTY` decides about sizes of 0 for those that do not say it themselves."""
    empty = namespace.get("EMPTY", False)
    return tuple(replace(c, empty=empty) if isinstance(c, Given) and c.empty is None else c for c in namespace["CASES"])


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str)


def _texts(value: Any) -> TypeGuard[Sequence[str]]:
    return isinstance(value, list | tuple) and all(_is_text(item) for item in value)
