"""The architecture of the package: imports between its parts, circles of imports, and unique names."""

from __future__ import annotations

import ast
import textwrap
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parent.parent / "autodrill"
PARTS = ("engine", "sandbox.child", "sandbox", "drills", "grading", "bank", "practice", "render", "cli")
"""From the bottom up. `sandbox.child` runs in a candidate's process, below every part that knows an answer."""
ANYONES = ("errors", "folders", "__init__")
"""Modules that every part may import."""
ALONE = ("engine", "sandbox.child")
"""Parts that import nothing else of autodrill, not even its errors."""


@dataclass(frozen=True)
class Import:
    """A name below `autodrill` that a module imports."""

    name: str
    line: int
    typing_only: bool


def part_of(module: str) -> str:
    """The part that a dotted name below `autodrill` belongs to, or else the first component of the name."""
    inside = [part for part in PARTS if f"{module}.".startswith(f"{part}.")]
    return max(inside, key=len) if inside else module.partition(".")[0]


def dotted(path: Path, package: Path = PACKAGE) -> str:
    """The dotted name of a module, without `autodrill`; that of an `__init__.py` is its folder's."""
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path, package: Path = PACKAGE) -> list[Import]:
    """Every import of a module, at module level and inside functions."""
    folder = ("autodrill", *path.relative_to(package).parent.parts)
    return list(_imports(parsed(path), folder, typing_only=False))


def _imports(node: ast.AST, folder: tuple[str, ...], *, typing_only: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            for name in _names(child, folder):
                if name.startswith("autodrill."):
                    yield Import(name.removeprefix("autodrill."), child.lineno, typing_only)
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for statement in child.body:
                yield from _imports(ast.Module([statement], []), folder, typing_only=True)
            yield from _imports(ast.Module(child.orelse, []), folder, typing_only=typing_only)
        else:
            yield from _imports(child, folder, typing_only=typing_only)


def _names(node: ast.Import | ast.ImportFrom, folder: tuple[str, ...]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    above = folder[: len(folder) + 1 - node.level] if node.level else ()
    base = ".".join([*above, *([node.module] if node.module else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


# Arrows


def is_wrong(importer: str, name: str) -> bool:
    """Whether a part may not import a name."""
    of = part_of(name)
    if of == importer:
        return False
    if importer in ALONE:
        return True
    if of not in PARTS:
        return of not in ANYONES and not name.startswith("__")  # `__version__` and its like belong to the package
    return PARTS.index(of) > PARTS.index(importer)


def modules_of(part: str) -> list[Path]:
    found = [p for p in sorted((PACKAGE / part.replace(".", "/")).rglob("*.py")) if part_of(dotted(p)) == part]
    assert found
    return found


def test_parts_are_the_folders_of_the_package() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders == {part for part in PARTS if "." not in part}


@pytest.mark.parametrize("part", PARTS)
def test_imports_go_down(part: str) -> None:
    up = [
        f"{path.relative_to(PACKAGE.parent)}:{found.line}: {found.name}"
        for path in modules_of(part)
        for found in imports(path)
        if is_wrong(part, found.name)
    ]
    assert not up, "\n".join(up)


@pytest.mark.parametrize(
    ("importer", "name", "expected"),
    [
        ("bank", "render.tape.table", True),
        ("render", "bank.drawing.drawn", False),
        ("engine", "errors.ContentError", True),
        ("drills", "grading.grade", True),
        ("drills", "sandbox.child.collectives", False),
        ("sandbox.child", "sandbox.wire", True),
        ("cli", "cli.options", False),
    ],
)
def test_an_import_up_is_detected(importer: str, name: str, expected: bool) -> None:
    assert is_wrong(importer, name) is expected


# Circles


@cache
def import_graph(package: Path = PACKAGE) -> dict[str, set[str]]:
    """For each module, the modules of the package that it imports at run time, now or when a function is called.

    An import of a submodule also runs the `__init__.py` of each package above it. Those edges are left out: they would
    make a circle of every package that collects the names of its modules.
    """
    paths = {dotted(path, package): path for path in package.rglob("*.py")}
    graph: dict[str, set[str]] = {}
    for module, path in paths.items():
        names = [found.name for found in imports(path, package) if not found.typing_only]
        targets = {name if name in paths else name.rpartition(".")[0] or "__init__" for name in names}
        graph[module] = {target for target in targets if target in paths and target != module}
    return graph


def circle_in(graph: dict[str, set[str]]) -> list[str]:
    """The modules of one circle, each before one that imports it; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def within(graph: dict[str, set[str]], part: str) -> dict[str, set[str]]:
    return {
        module: {target for target in targets if part_of(target) == part}
        for module, targets in graph.items()
        if part_of(module) == part
    }


@pytest.mark.parametrize("part", PARTS)
def test_no_import_circle_within_a_part(part: str) -> None:
    assert circle_in(within(import_graph(), part)) == []


def test_no_import_circle_through_several_parts() -> None:
    between: dict[str, set[str]] = defaultdict(set)
    for module, targets in import_graph().items():
        between[part_of(module)] |= {part_of(target) for target in targets} - {part_of(module)}
    assert circle_in(between) == []


@pytest.mark.parametrize(
    ("second", "circle"),
    [
        ("from autodrill import first", True),
        ("from .first import VALUE", True),
        ("def f():\n    import autodrill.first", True),
        ("if TYPE_CHECKING:\n    from autodrill.first import VALUE", False),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    from autodrill.first import VALUE", True),
        ("from autodrill import third", False),
    ],
)
def test_an_import_circle_is_detected(tmp_path: Path, second: str, circle: bool) -> None:
    sources = {"first": "from autodrill.second import f", "second": second, "third": "VALUE = 1"}
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(source), encoding="utf-8")

    assert set(circle_in(import_graph(tmp_path))) == ({"first", "second"} if circle else set())


# Names


def test_file_names_are_unique() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        places[path.name].append(str(path.relative_to(PACKAGE.parent)))
    assert [found for name, found in places.items() if not name.startswith("__") and len(found) > 1] == []


@pytest.mark.parametrize("part", PARTS)
def test_class_names_are_unique_within_a_part(part: str) -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for path in modules_of(part):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(PACKAGE.parent)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
