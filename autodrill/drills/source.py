"""Taking a Python file apart by its top-level statements, so that one function can be handed on without the rest."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from autodrill.drills.exercise import Parameter

__all__ = ["Definition", "SourceFile", "parameters_of", "signature"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A top-level statement: what it defines, what it uses, and where it stands."""

    node: ast.stmt
    defines: frozenset[str]
    uses: frozenset[str]

    @property
    def decorators(self) -> tuple[str, ...]:
        """The names of its decorators: `mistake` for `@mistake(...)`."""
        found = []
        for decorator in getattr(self.node, "decorator_list", ()):
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            found.append(ast.unparse(target).rpartition(".")[2])
        return tuple(found)


class SourceFile:
    """A parsed Python file whose definitions can be cut out together with what they need.

    Attributes:
        tree: The file as `ast` parses it.
        docstring: Its docstring, or "".
        definitions: Its top-level statements in order.

    Raises:
        SyntaxError: If the text is not Python.
    """

    def __init__(self, text: str, filename: str) -> None:
        if "\0" in text:  # Python 3.11 raises a ValueError here
            raise SyntaxError(
                "the file contains null bytes", (filename, 1 + text[: text.index("\0")].count("\n"), 1, "")
            )
        self.tree = ast.parse(text, filename)
        self._lines = text.split("\n")  # not `splitlines`: a form feed ends no line of Python's
        self.docstring = ast.get_docstring(self.tree) or ""
        self.definitions = [_definition(node) for node in self.tree.body]

    def functions(self, name: str) -> list[Definition]:
        """Every top-level function or class called `name`, in order."""
        return [d for d in self.definitions if _named(d.node) == name]

    def cut(self, *wanted: Definition) -> str:
        """Return the text of definitions, undecorated, after the imports and helpers they use.

        Decorated definitions and imports of autodrill's own modules are never taken as helpers. A class that is
        derived from one of its own name comes after that.
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

    def text(self, definition: Definition) -> str:
        """The lines of a definition without its decorators."""
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
    """Return the positional parameters of a function definition; none for anything else, such as a class."""
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
