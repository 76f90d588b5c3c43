"""Running a submission, with tolerance for imports that the entry does not need.

If a top-level statement fails with ImportError, it is skipped, and every name that it would have bound raises the same
error when it is used. So a missing module matters only if the entry uses it. A failing import inside `try` is left to
the submission.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["ABSENT", "find", "run"]

ABSENT = object()
"""Stands for a missing value. None could be a value."""


class _Unavailable:
    """The value of a name that a skipped statement would have bound."""

    def __init__(self, error: ImportError) -> None:
        object.__setattr__(self, "_error", (type(error), str(error), error.name))

    def _fail(self, *_: object, **__: object) -> NoReturn:
        kind, message, name = object.__getattribute__(self, "_error")
        raise kind(message, name=name)

    __getattribute__ = __setattr__ = __delattr__ = _fail
    __call__ = __getitem__ = __setitem__ = __iter__ = __len__ = __enter__ = __mro_entries__ = _fail
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _fail
    __matmul__ = __rmatmul__ = __pow__ = __rpow__ = __neg__ = __bool__ = __float__ = __int__ = __index__ = _fail
    __lt__ = __le__ = __gt__ = __ge__ = __array__ = __contains__ = _fail


def run(
    code: Any, source: bytes, filename: str, namespace: dict[str, Any], execute: Callable[[Any, dict[str, Any]], object]
) -> ImportError | None:
    """Run a file.

    Args:
        code: The file, compiled.
        source: The file.
        filename: Its name in tracebacks.
        namespace: The namespace of its module.
        execute: Runs code in a namespace.

    Returns:
        The error of the first skipped statement, None if none was skipped.

    Raises:
        BaseException: Any exception of the file, except the ImportError of a skipped statement.
    """
    try:
        execute(code, namespace)
    except ImportError as error:
        if not _skip_failing_imports(source, filename, namespace, execute, error):
            raise
        return error
    return None


def _skip_failing_imports(
    source: bytes,
    filename: str,
    namespace: dict[str, Any],
    execute: Callable[[Any, dict[str, Any]], object],
    error: ImportError,
) -> bool:
    """Skip each statement that fails with ImportError; False if it cannot be found."""
    body = ast.parse(source, filename).body
    future: list[ast.stmt] = [node for node in body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    future += ast.parse("from __future__ import annotations").body  # so that annotations are not evaluated
    while True:
        line = _line_at_top(error, filename)
        at = next((i for i, node in enumerate(body) if _first_line(node) <= line <= (node.end_lineno or 0)), None)
        if at is None:
            return False
        for name in _bound(body[at]):
            namespace[name] = _Unavailable(error)
        body = body[at + 1 :]
        try:
            execute(compile(ast.Module([*future, *body], []), filename, "exec", dont_inherit=True), namespace)
        except ImportError as next_error:
            error = next_error
        else:
            return True


def _line_at_top(error: ImportError, filename: str) -> int:
    step: Any = error.__traceback__
    while step is not None:
        code = step.tb_frame.f_code
        if code.co_filename == filename and code.co_name == "<module>":
            return int(step.tb_lineno)
        step = step.tb_next
    return 0


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])


def _bound(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from ((alias.asname or alias.name.partition(".")[0]) for alias in node.names if alias.name != "*")
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name


def find(namespace: dict[str, Any], entry: str) -> Any:
    """Return the entry, `ABSENT` if it is not defined.

    For `Class.method` return a function that makes a new instance without arguments, and calls its method.

    Raises:
        ImportError: The statement that defines it was skipped.
    """
    name, _, method = entry.partition(".")
    value = namespace.get(name, ABSENT)
    if type(value) is _Unavailable:
        value()
    if not method or not callable(value):
        return value
    called = getattr(value, method, ABSENT)
    if not callable(called):
        return called

    def of_an_instance(*arguments: Any) -> Any:
        return getattr(value(), method)(*arguments)

    return of_an_instance
