"""Python source split into its top-level statements, so that a function can be cut out with its helpers."""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = ["Definition", "Parameter", "SourceFile", "parameters_of", "signature"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of the stub: its name and whether it has a default."""

    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Definition:
    """A top-level statement, with the names that it defines and the names that it uses."""

    node: ast.stmt
    defines: frozenset[str]
    uses: frozenset[str]

    @property
    def decorators(self) -> tuple[str, ...]:
        """The names of its decorators, such as `mistake` for `@mistake(...)`."""
        found = []
        for decorator in getattr(self.node, "decorator_list", ()):
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            found.append(ast.unparse(target).rpartition(".")[2])
        return tuple(found)


class SourceFile:
    """A parsed Python file, from which definitions can be cut out with their helpers.

    Attributes:
        tree: The syntax tree of the file.
        docstring: The docstring, or "".
        definitions: The top-level statements, in order.

    Raises:
        SyntaxError: The text is not valid Python, or it is nested too deeply.
    """

    def __init__(self, text: str, filename: str) -> None:
        if "\0" in text:  # for which `ast.parse` of Python 3.11 raises a ValueError
            raise SyntaxError(
                "the file contains null bytes", (filename, 1 + text[: text.index("\0")].count("\n"), 1, "")
            )
        try:
            self.tree = ast.parse(text, filename)
        except (RecursionError, MemoryError):
            raise SyntaxError("the code is nested too deeply", (filename, 1, 1, "")) from None
        self._lines = text.split("\n")  # not `splitlines`, because a form feed does not end a line in Python
        self.docstring = ast.get_docstring(self.tree) or ""
        self.definitions = [_definition(node) for node in self.tree.body]

    def functions(self, name: str) -> list[Definition]:
        """Return every top-level function or class called `name`, in order."""
        return [d for d in self.definitions if _named(d.node) == name]

    def cut(self, *wanted: Definition) -> str:
        """Return the text of definitions without decorators, after the imports and helpers that they use.

        Decorated definitions and imports from autodrill are not helpers. A class may derive from a class of its own
        name, which then precedes it.
        """
        own = {_named(d.node) for d in wanted if not _derives_from_its_name(d.node)}
        helpers = [d for d in self.definitions if not d.decorators and d not in wanted and _named(d.node) not in own]
        needed: set[int] = set()
        names = {name for d in wanted for name in d.uses}
        while True:
            more = [d for d in helpers if id(d) not in needed and d.defines & names and not _imports_autodrill(d.node)]
            if not more:
                break
            for definition in more:
                needed.add(id(definition))
                names |= definition.uses
        imports = [self.text(d) for d in helpers if id(d) in needed and _is_import(d.node)]
        parts = [d for d in self.definitions if (id(d) in needed and not _is_import(d.node)) or d in wanted]
        blocks = ["".join(imports)] if imports else []
        return "\n\n".join([*blocks, *map(self.text, parts)])

    def with_imports(self, text: str) -> str:
        """Return the text of a program after the imports of this file that only the text uses.

        Raises:
            SyntaxError: The text is not valid Python.
        """
        program = [_definition(node) for node in ast.parse(text).body]
        missing = {name for d in program for name in d.uses} - {name for d in program for name in d.defines}
        imports = [d for d in self.definitions if _is_import(d.node) and not _imports_autodrill(d.node)]
        return "".join(self.text(d) for d in imports if d.defines & missing) + text

    def text(self, definition: Definition) -> str:
        """Return the lines of a definition without its decorators."""
        node = definition.node
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno]) + "\n"


def _named(node: ast.stmt) -> str | None:
    return node.name if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef) else None


def _derives_from_its_name(node: ast.stmt) -> bool:
    return isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == node.name for b in node.bases)


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _imports_autodrill(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").split(".")[0] in ("autodrill", "__future__")
    return isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "autodrill" for alias in node.names)


def _definition(node: ast.stmt) -> Definition:
    defines: set[str] = set()
    name = _named(node)
    if name:
        defines.add(name)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        defines |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    else:
        defines |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    uses = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    return Definition(node, frozenset(defines), frozenset(uses))


def parameters_of(node: ast.stmt) -> tuple[Parameter, ...]:
    """Return the positional parameters of a function definition; none for any other statement, such as a class."""
    if not isinstance(node, ast.FunctionDef):
        return ()
    arguments = [*node.args.posonlyargs, *node.args.args]
    required = len(arguments) - len(node.args.defaults)
    return tuple(Parameter(a.arg, optional=i >= required) for i, a in enumerate(arguments))


def signature(node: ast.stmt) -> dict[str, tuple[Parameter, ...]]:
    """Return the parameters of a function, or of each method of a class, by name."""
    if isinstance(node, ast.ClassDef):
        return {m.name: parameters_of(m) for m in node.body if isinstance(m, ast.FunctionDef)}
    return {node.name: parameters_of(node)} if isinstance(node, ast.FunctionDef) else {}
