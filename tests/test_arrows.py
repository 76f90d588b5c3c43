"""Which part may know which: imports go down the list of parts, never up, wherever in a module they stand."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "autodrill"
PARTS = ("engine", "sandbox.child", "sandbox", "drills", "grading", "bank", "practice", "render", "cli")
"""From the bottom up; what runs in a candidate's process is a package of its own, below all that knows answers."""
ANYONES = ("content", "errors", "__init__")
ALONE = ("engine", "sandbox.child")
"""Parts that know nothing else of autodrill, not even its errors."""


def part_of(module: str) -> str:
    """The part that a dotted name below `autodrill` belongs to; the name itself where it belongs to none."""
    inside = [part for part in PARTS if f"{module}.".startswith(f"{part}.")]
    return max(inside, key=len) if inside else module.partition(".")[0]


def imported(path: Path) -> list[tuple[int, str]]:
    """Every name below `autodrill` that a module imports, with the line."""
    package = path.relative_to(PACKAGE).parent.parts
    found: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = ("autodrill", *package)[: len(package) + 2 - node.level] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            found += [(node.lineno, f"{base}.{alias.name}") for alias in node.names]
    return [(line, name.removeprefix("autodrill.")) for line, name in found if name.startswith("autodrill.")]


def wrong(importer: str, name: str) -> bool:
    """Whether a part may not import a name."""
    of = part_of(name)
    if of == importer:
        return False
    if importer in ALONE:
        return True
    if of not in PARTS:
        return of not in ANYONES and not name.startswith("__")  # `__version__` and its like are the package's own
    return PARTS.index(of) > PARTS.index(importer)


def test_every_folder_of_the_package_is_a_part() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders == {part for part in PARTS if "." not in part}


@pytest.mark.parametrize("part", PARTS)
def test_arrows_go_down(part: str) -> None:
    modules = [p for p in (PACKAGE / part.replace(".", "/")).rglob("*.py") if part_of(dotted(p)) == part]
    assert modules
    up = [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {name}"
        for path in modules
        for line, name in imported(path)
        if wrong(part, name)
    ]
    assert not up, "\n".join(up)


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


@pytest.mark.parametrize(
    ("importer", "name", "expected"),
    [
        ("bank", "render.tape.table", True),
        ("render", "bank.drawing.drawn", False),
        ("engine", "errors.ContentError", True),
        ("drills", "grading.grade", True),
        ("drills", "sandbox.child.collectives", False),
        ("sandbox.child", "sandbox.wire", True),
        ("cli", "cli.exits", False),
    ],
)
def test_an_arrow_up_is_seen(importer: str, name: str, expected: bool) -> None:
    assert wrong(importer, name) is expected
