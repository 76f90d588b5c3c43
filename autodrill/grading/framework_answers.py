"""Answers in a framework: whether a file is written with PyTorch, JAX or CuPy, and how its entry is then called."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from autodrill.drills.exercise import kind_named
from autodrill.drills.framework_stub import check_takes_frameworks
from autodrill.errors import UsageError
from autodrill.sandbox.libraries import Framework, require
from autodrill.sandbox.limits import CHECK_LIMITS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.exercise import Drill, Exercise
    from autodrill.sandbox.limits import Limits

__all__ = ["framework_of", "limits_of", "loading", "refusal_of", "remark_of", "usable_framework"]

_ROOTS = {str(framework): framework for framework in Framework}
_DIFFERENTIATES = frozenset(
    [
        *("grad", "vjp", "jvp", "jacrev", "jacfwd", "jacobian", "hessian", "value_and_grad", "linearize"),
        *("backward", "run_backward", "make_dual"),
    ]
)
"""Functions and methods of the frameworks that differentiate."""

_SIGNS = ("No module named 'torch'", "No module named 'jax'", "has no attribute", "unexpected keyword argument")
"""What NumPy and Python say to code for a framework."""


def framework_of(exercise: Exercise, source: bytes) -> Framework | None:
    """Return the framework that an answer is written with, None for NumPy.

    What counts is the code that the entry reaches. Annotations, a test below the answer and an import inside `try` do
    not make a file an answer in a framework. A file that calls methods of its arguments alone is one if it imports a
    framework and not NumPy.

    Raises:
        UsageError: It uses both.
    """
    if not any(root.encode() in source for root in _ROOTS):  # most files
        return None
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # grading says what is wrong with it
    used = set(_used(tree, _starts(tree, exercise)))
    if len(used) > 1:
        both = " and ".join(framework.brand for framework in Framework if framework in used)
        raise UsageError(f"this answer uses both {both}", hint="write it with one of them")
    if used:
        return next(iter(used))
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    found = {root for node in imports for _, root in _imports(node)}
    return None if len(found) != 1 or any(map(_imports_numpy, imports)) else found.pop()


def usable_framework(exercise: Exercise, source: bytes, *, on_gpu: bool = False) -> Framework | None:
    """Return the framework that an answer is written with, if this machine and this exercise allow it.

    Args:
        exercise: The exercise.
        source: The answer.
        on_gpu: Whether the answer gets arrays on a GPU, which are CuPy's. It may be written with NumPy, whose functions
            hand such arrays on to CuPy.

    Raises:
        UsageError: The framework is not installed, it has no arrays on that device, or the answer uses both.
    """
    framework = framework_of(exercise, source)
    if on_gpu and framework in {None, Framework.CUPY}:
        return None if kind_named(exercise.kind).on_device else Framework.CUPY
    if on_gpu and framework is not None:
        raise UsageError(
            f"`--device cuda` hands out arrays of CuPy, and this answer uses {framework.brand}",
            hint="leave `--device cuda` out, or write the answer with NumPy or CuPy",
        )
    if framework is Framework.CUPY:
        raise UsageError("this answer uses CuPy, whose arrays are on a GPU", hint="add `--device cuda`")
    if framework is not None:
        require(framework, f"this answer uses {framework.brand}, which is not installed")
    return framework


def limits_of(framework: Framework) -> Limits:
    """Return the limits of an answer in a framework."""
    from autodrill.grading.kernels.gpu_runner import GPU_LIMITS

    return GPU_LIMITS if framework.on_gpu else CHECK_LIMITS


def loading(drill: Drill, source: bytes, framework: Framework | None) -> tuple[str, str | None]:
    """Return the name that is called, as `Runner.load` takes it, and the source of `drive`.

    Raises:
        UsageError: The exercise cannot be answered in a framework, or not in this form.
    """
    entry, scenario = drill.exercise.entry, drill.kind.scenario(drill)
    if framework is None:
        return entry, scenario
    check_takes_frameworks(drill, framework)
    if (found := _function_class(drill.exercise, source)) is not None:
        return found.name, _through_function(drill, found)
    if scenario is None:
        return entry, "def drive(candidate, *arguments):\n    return door(candidate)(*arguments)\n"
    return entry, f"{scenario}\n\ndrive_arrays = drive\n\n\n{_DOOR}"


_DOOR = "def drive(candidate, *arguments):\n    return drive_arrays(door(candidate), *arguments)\n"


def refusal_of(exercise: Exercise, source: bytes, raised: str) -> str:
    """Return why a file was not run in the framework that it is written with; empty if that is not its fault.

    Args:
        exercise: The exercise.
        source: The file.
        raised: The exception that it raised.
    """
    if not any(sign in raised for sign in _SIGNS):
        return ""
    try:
        framework = framework_of(exercise, source)
    except UsageError as error:
        return error.message
    if framework is None:
        return ""
    missing = f"No module named '{framework}'"
    refusal = f"the file is written with {framework.brand}: `check` runs it, `grade` takes answers in NumPy"
    return f"{refusal} ({missing})" if missing in raised else refusal


def remark_of(source: bytes, framework: Framework) -> tuple[str, str] | None:
    """Return the key and the text of the remark on an answer that lets the framework differentiate; None otherwise."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {name for node in imports for name, _ in _imports(node)}
    renamed = {a.asname for node in imports if any(_imports(node)) for a in node.names if a.name in _DIFFERENTIATES}
    for node in ast.walk(tree):
        verb, used, line = "calls", "", 0
        match node:
            case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), lineno=at) if name in _DIFFERENTIATES:
                used, line = name, at
            case ast.Attribute(attr=name, lineno=at) if name in _DIFFERENTIATES and _root(node) in modules:
                verb, used, line = "uses", name, at
            case ast.Name(id=name, ctx=ast.Load(), lineno=at) if name in renamed:
                verb, used, line = "uses", name, at
        if used and not (verb == "calls" and _defines(tree, used)):
            words = f"{framework.brand} differentiated for you: an interviewer asks for the formula"
            return "uses-autograd", f"line {line} {verb} `{used}`. {words}"
    return None


def _root(node: ast.expr) -> str:
    """Return the name that a chain of attributes begins with, or ""."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _defines(tree: ast.Module, name: str) -> bool:
    """Return whether a file defines a function or method of this name: a call of it is then its own."""
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in ast.walk(tree))


def _function_class(exercise: Exercise, source: bytes) -> ast.ClassDef | None:
    """Return the class whose forward and backward are called; None if the file defines the entry."""
    tree = ast.parse(source)
    names = {name for node in tree.body for name in _bound_names(node)}
    if set(exercise.defined) & names:
        return None
    found = _function_classes(tree)
    return found[-1] if found else None


def _function_classes(tree: ast.Module) -> list[ast.ClassDef]:
    return [
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and any("Function" in {getattr(base, "attr", ""), getattr(base, "id", "")} for base in node.bases)
        and {"forward", "backward"} <= {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
    ]


def _through_function(drill: Drill, found: ast.ClassDef) -> str:
    """Return the source of the `drive` that makes a backward pass of a `torch.autograd.Function`.

    Raises:
        UsageError: The exercise does not hand out what `forward` needs.
    """
    exercise, solution = drill.exercise, drill.solution
    handed = [parameter.name for parameter in exercise.parameters]
    inputs = [] if solution.forward is None else list(inspect.signature(solution.forward).parameters)
    forward = next(part for part in found.body if isinstance(part, ast.FunctionDef) and part.name == "forward")
    named = [argument.arg for argument in forward.args.args]
    with_ctx = not any(isinstance(p, ast.FunctionDef) and p.name == "setup_context" for p in found.body)
    own = named[1:] if with_ctx else named
    order = own if sorted(own) == sorted(inputs) else inputs
    if not inputs or not set(inputs) <= set(handed) or not drill.kind.linear or drill.kind.has_forward:
        raise UsageError(
            f"`{exercise.id}` hands out what the forward pass saved, not its inputs, so a class has no forward to run",
            hint=f"define the function `{exercise.entry}({', '.join(handed)})`",
        )
    if len(own) != len(inputs):
        raise UsageError(
            f"`{found.name}.forward` takes {len(own)} inputs, but the exercise has {len(inputs)}",
            hint=f"write `forward({'ctx, ' if with_ctx else ''}{', '.join(inputs)})`",
        )
    cotangents = [handed.index(name) for name in solution.cotangents]
    wanted = [order.index(name) for name in solution.wrt or inputs]
    places = f"{cotangents}, {[handed.index(name) for name in order]}, {wanted}, floating={solution.wrt is None}"
    return f"def drive(candidate, *arguments):\n    return function_door(candidate, {places})(*arguments)\n"


def _starts(tree: ast.Module, exercise: Exercise) -> set[str]:
    """Return the names of the entry, or of the classes that may replace it if the file does not define it."""
    defined = {name for node in tree.body for name in _bound_names(node)}
    return set(exercise.defined) & defined or {node.name for node in _function_classes(tree)}


def _used(tree: ast.Module, starts: set[str]) -> Iterator[Framework]:
    """Yield the frameworks that the code reached from some names uses."""
    imported = {name: root for node in tree.body for name, root in _imports(node)}
    statements = [node for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom | ast.Try)]
    reached, waiting = set(starts), list(starts)
    while waiting:
        name = waiting.pop()
        for node in statements:
            if name not in _bound_names(node):
                continue
            for inside in _without_annotations(node):
                yield from (root for _, root in _imports(inside))
                if isinstance(inside, ast.Name) and isinstance(inside.ctx, ast.Load) and inside.id not in reached:
                    reached.add(inside.id)
                    waiting.append(inside.id)
    yield from (imported[name] for name in reached if name in imported)


def _imports(node: ast.AST) -> Iterator[tuple[str, Framework]]:
    """Yield the names that an import binds to a part of a framework."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            root = _ROOTS.get(alias.name.partition(".")[0])
            if root is not None:
                yield alias.asname or alias.name.partition(".")[0], root
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        root = _ROOTS.get(node.module.partition(".")[0])
        if root is not None:
            yield from ((alias.asname or alias.name, root) for alias in node.names)


def _imports_numpy(node: ast.Import | ast.ImportFrom) -> bool:
    modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return any(module.partition(".")[0] == "numpy" for module in modules)


def _without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all nodes in it that run.

    It does not recurse, because a file may be nested deeper than Python's recursion limit.
    """
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in ast.iter_fields(node):
            if name not in {"annotation", "returns"}:
                waiting += [
                    child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
                ]


def _bound_names(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return {node.name}
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
