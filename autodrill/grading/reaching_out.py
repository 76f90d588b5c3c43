"""Reaching out: names by which an accepted file may reach into the scenario or the harness around it.

A file that is written for it can forge what a scenario counts in its own process. So a person should read such a file.
"""

from __future__ import annotations

import ast
import re
from operator import itemgetter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["may_reach_out", "reach_of"]

_ATTRIBUTES = frozenset(
    [
        "cell_contents",
        "__closure__",
        "__globals__",
        "_getframe",
        "_current_frames",
        "f_back",
        "f_locals",
        "f_globals",
        "f_builtins",
        "tb_frame",
        "gi_frame",
        "cr_frame",
        "ag_frame",
        "__builtins__",
        "__self__",
        "__subclasses__",
        "__kwdefaults__",
        "__loader__",
        "__spec__",
        "__getattribute__",
        "__setattr__",
        "__del__",
        "get_field",
        "get_type_hints",
    ]
)
"""Attributes of any object, written as such or named by a text, as in `getattr(f, "__closure__")`."""

_OF_MODULES = frozenset(
    [
        "gc.get_objects",
        "gc.get_referrers",
        "gc.get_referents",
        "gc.callbacks",
        "sys.modules",
        "sys.settrace",
        "sys.setprofile",
        "sys.addaudithook",
        "threading.settrace",
        "threading.setprofile",
        "inspect.currentframe",
        "inspect.stack",
        "inspect.trace",
        "inspect.getclosurevars",
        "inspect.getmembers",
        "inspect.getmembers_static",
        "inspect.getattr_static",
        "inspect.getargvalues",
        "unittest.mock.patch",
    ]
)
_MODULES = frozenset({"builtins", "ctypes", "_ctypes", "importlib", "mmap", "pickle", "traceback", "tracemalloc"})
_NAMED_ONLY = frozenset({"gc", "sys", "inspect", "threading"})
"""Modules that a file must use by name, as `gc.collect`: it must not import `*`, or give the module another name."""
_INSIDE = _MODULES | _NAMED_ONLY | {"bltns"}
"""Modules that a file must not take from another module, which may call them `_sys` and the like."""

_RUNS_TEXT = frozenset({"exec", "eval", "compile", "__import__"})
_TIMES_TEXT = frozenset({"timeit", "repeat", "Timer"})
"""Functions of `timeit`: they run a text, unless they get a lambda."""
_TEXTS = frozenset({"stmt", "setup", None})
_TAKES_A_NAME = frozenset({"getattr", "setattr", "delattr", "attrgetter", "methodcaller"})
"""Functions that take the name of an attribute, which the file may compute."""

_MOST_NAMES = 10
"""The most names that are followed from one to the next."""

_ORDINARY = frozenset({"stdout", "stderr", "float", "int", "bool", "object", "str", "complex"})
"""Attributes that ordinary files set on modules, to capture output or to restore names of NumPy 1."""

_WRITE = r"(?<![\w.])(?!(?:self|cls|ctx)\b)[A-Za-z_]\w*(?:\.\w+)+\s*=(?!=)|\bsetattr\b"
_WORDS = re.compile(
    "|".join(
        [
            *map(re.escape, sorted(_ATTRIBUTES | _MODULES | _RUNS_TEXT | _TAKES_A_NAME)),
            r"\b_?(?:gc|sys|threading|inspect|vars|timeit|bltns)\b|\bmock\b|\b__dict__\b",
            r"coding[:=]|[^\x00-\x7f]|\\[xuUN0-7]",  # what Python may read as other letters
            _WRITE,
        ]
    )
)


def may_reach_out(source: bytes) -> bool:
    """Return whether a file contains a word that `reach_of` looks for; that takes a few microseconds."""
    return _WORDS.search(source.decode("latin-1")) is not None


def reach_of(source: bytes) -> str:
    """Return what a file reaches out for, such as "line 5 reads `cell_contents`", or "". Comments do not count."""
    try:
        tree = ast.parse(source)  # the bytes, because a comment may name their encoding
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it ran, so only the depth can be at fault
        return "it is nested too deeply to be searched"
    modules = _modules(tree)
    found = sorted(each for node in ast.walk(tree) for each in _reaches(node, modules))
    found += _passed_on(tree, modules)  # of one line, what it reads or writes is said first
    return "line {} {}".format(*min(found, key=itemgetter(0))) if found else ""


def _modules(tree: ast.AST) -> dict[str, str]:
    """Return each name that may be a module, with the module: from `import a as b`, `from a import b` and `c = b`."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            modules |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    assigned = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    for _ in range(_MOST_NAMES):
        known = len(modules)
        for node in assigned:
            if (root := _root(node.value)) in modules:
                module = modules[root] + _dotted(node.value).removeprefix(root)
                modules |= {t.id: module for t in node.targets if isinstance(t, ast.Name) and t.id not in modules}
        if len(modules) == known:
            break
    return modules


def _passed_on(tree: ast.AST, modules: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield where a file uses such a function or module as a value, and so may call it by another name."""
    named = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    named |= {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    followed = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Assign)}  # see `_modules`
    imported = {a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names}
    writes = any(map(_writes, ast.walk(tree)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in named:
            passed = writes and node.id in imported and id(node) not in followed
            if passed or node.id in _RUNS_TEXT | _TAKES_A_NAME or modules.get(node.id) in _NAMED_ONLY:
                yield node.lineno, f"passes on `{node.id}`"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "vars":
            yield from ((node.lineno, "reads the attributes of a module") for a in node.args if _root(a) in modules)


def _writes(node: ast.AST) -> bool:
    """Return whether it sets an attribute of a variable, which may be a module that was passed on."""
    match node:
        case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
            return name not in {"self", "cls", "ctx"}
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="setattr" | "delattr" | "vars")):
            return True
    return False


def _root(node: ast.expr) -> str:
    """Return the name that a chain of attributes begins with, or ""."""
    return _dotted(node).partition(".")[0]


def _dotted(node: ast.expr) -> str:
    """Return a chain of attributes as text, such as "sys.stdout.encoding"; "" if it does not begin with a name.

    `ast.unparse` recurses, and a chain may be deeper than Python's recursion limit.
    """
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(names)]) if isinstance(node, ast.Name) else ""


def _reaches(node: ast.AST, modules: dict[str, str]) -> Iterator[tuple[int, str]]:
    match node:
        case ast.Import() | ast.ImportFrom():
            source = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            names = [source + alias.name for alias in node.names]
            for name in names:
                module, _, last = name.rpartition(".")
                every = last == "*" and module in _NAMED_ONLY
                inside = module and last.lstrip("_") in _INSIDE
                if every or inside or name in _OF_MODULES or last in _ATTRIBUTES or name.partition(".")[0] in _MODULES:
                    yield node.lineno, f"imports `{name[:60]}`"
        case ast.Attribute(attr=name) if name in _ATTRIBUTES:
            yield node.lineno, f"{'reads' if isinstance(node.ctx, ast.Load) else 'writes'} `{name}`"
        case ast.Attribute(attr="__dict__") if _root(node) in modules:
            yield node.lineno, "reads the attributes of a module"
        case ast.Attribute(value=ast.Attribute()) if _dotted(node) in _OF_MODULES:
            yield node.lineno, f"reads `{_dotted(node)}`"
        case ast.Attribute(attr=name) if name.lstrip("_") in _INSIDE and _root(node) in modules:
            yield node.lineno, f"takes `{name}` from another module"
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name) as called, args=arguments, keywords=given) if (
            name in _TIMES_TEXT and modules.get(_root(called), "").startswith("timeit")
        ):
            if not all(isinstance(a, ast.Lambda) for a in arguments[:1]) or any(k.arg in _TEXTS for k in given):
                yield node.lineno, f"may run a text by `{name}`"
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in modules:
            if f"{modules[module]}.{name}" in _OF_MODULES:
                yield node.lineno, f"reads `{module}.{name}`"[:70]
            elif not isinstance(node.ctx, ast.Load) and name not in _ORDINARY:
                yield node.lineno, f"writes `{f'{module}.{name}'[:60]}`"
        case ast.Attribute(value=ast.Attribute() as module, ctx=ast.Store() | ast.Del()) if _root(module) in modules:
            yield node.lineno, f"writes `{_dotted(node)[:60]}`"
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=module), *_]) if module in modules:
            yield node.lineno, f"writes an attribute of `{module[:60]}`"
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments) if name in _TAKES_A_NAME:
            named = {"attrgetter": arguments, "methodcaller": arguments[:1]}.get(name, arguments[1:2])
            if not all(isinstance(argument, ast.Constant) for argument in named):
                yield node.lineno, f"computes the name of an attribute for `{name}`"
        case ast.Call(func=ast.Name(id=name)) if name in _RUNS_TEXT:
            yield node.lineno, f"calls `{name}`"
        case ast.MatchClass(kwd_attrs=names) if found := _ATTRIBUTES.intersection(names):
            yield node.lineno, f"reads `{min(found)}`"
        case ast.Name(id="__builtins__"):
            yield node.lineno, "uses `__builtins__`"
        case ast.Constant(value=str() as text) if text in _ATTRIBUTES:
            yield node.lineno, f"names `{text}`"
