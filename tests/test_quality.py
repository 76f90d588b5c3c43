"""The tree as a whole: linter, types, lengths, paths of one machine, and the lanes of the tests."""

from __future__ import annotations

import ast
import contextlib
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.lanes import LONGEST, SAMPLED

ROOT = Path(__file__).resolve().parent.parent
LONGEST_MODULE = 450
LONGEST_NAME = 60
TABLES_OF_NAMES = {  # one line for each operation
    Path("autodrill/engine/ops/__init__.py"),
    Path("autodrill/engine/ops/examples.py"),
}
GENERATED = {"uv.lock"}

EXEMPTION = re.compile(r"# (?:noqa|type: ignore)(?::? ?(?:\[[\w,-]+\]|[A-Z]+\d+(?:, ?[A-Z]+\d+)*))?")
SHORTEST_REASON = 8
"""Characters after an exemption from a check."""

# The home or scratch folder of one machine; the home of `someone` is an example.
MACHINE_PATH = re.compile(
    r"(?<![\w.~-])/(?:home|Users|root|work|mnt|workspace)/(?!someone\b)[A-Za-z0-9_.-]+|/tmp/[a-z]+/[\w.-]+"
)
REGISTRY = re.compile(
    r"https?://[^\s\"')]*(?:pypi|artifactory|nexus|devpi|/simple)\b|--(?:extra-)?index-url|\bindex-url\s*="
)

needs_checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is tracked is what git knows")


@cache
def tracked() -> dict[Path, str]:
    """Every text file that a commit of the working tree would contain, with its text."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    texts = {}
    for path in (ROOT / name for name in listed):
        if path.is_file() and path.name not in GENERATED:
            with contextlib.suppress(UnicodeDecodeError):
                texts[path] = path.read_text(encoding="utf-8")
    return texts


@cache
def sources() -> dict[Path, str]:
    """The modules of the package, with their text."""
    return {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "autodrill").rglob("*.py"))}


def found(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path, text in tracked().items()
        if path != Path(__file__)
        for number, line in enumerate(text.splitlines(), 1)
        if (match := pattern.search(line))
    ]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.skipif(find_spec("ruff") is None, reason="ruff is not installed")
@pytest.mark.parametrize("command", [("check",), ("format", "--check")])
def test_ruff_finds_nothing(command: tuple[str, ...]) -> None:
    done = run("ruff", *command, ".")
    assert done.returncode == 0, done.stdout


@pytest.mark.skipif(find_spec("mypy") is None, reason="mypy is not installed")
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_mypy_finds_nothing() -> None:
    done = run("mypy")
    assert done.returncode == 0, done.stdout


def test_modules_are_short() -> None:
    lengths = {path.relative_to(ROOT): len(text.splitlines()) for path, text in sources().items()}

    assert lengths
    assert {path: n for path, n in lengths.items() if n > LONGEST_MODULE and path not in TABLES_OF_NAMES} == {}


def test_exemptions_from_checks_have_a_reason() -> None:
    bare = [
        f"{path.relative_to(ROOT)}:{number}: {exemption[0]}"
        for path, text in sources().items()
        for number, line in enumerate(text.splitlines(), 1)
        for exemption in EXEMPTION.finditer(line)
        if exemption[0] == "# noqa" or len(line[exemption.end() :].strip(" #-")) < SHORTEST_REASON
    ]
    assert bare == [], "say which rule, and why"


@needs_checkout
def test_no_file_contains_a_path_of_one_machine() -> None:
    assert found(MACHINE_PATH) == []


@needs_checkout
def test_no_file_names_a_package_registry() -> None:
    assert found(REGISTRY) == []


# Names of tests


def test_test_names_are_short() -> None:
    assert [f"{path}: {name}" for path, name in named_tests() if len(name.rpartition(".")[2]) > LONGEST_NAME] == []


def test_test_names_are_unique_within_a_file() -> None:
    assert [f"{path}: {name}" for (path, name), count in Counter(named_tests()).items() if count > 1] == []


def named_tests() -> list[tuple[Path, str]]:
    """The file and the name of each test, the name of a method after that of its class."""
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        module = ast.parse(path.read_text(encoding="utf-8"))
        scopes = [("", module.body), *((f"{n.name}.", n.body) for n in module.body if isinstance(n, ast.ClassDef))]
        for scope, body in scopes:
            names = [node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
            found += [(path.relative_to(ROOT), scope + name) for name in names]
    assert found
    return found


# The lanes


def test_lanes_name_paths_that_exist() -> None:
    assert [path for path in (*LONGEST, *SAMPLED) if not (ROOT / "tests" / path).exists()] == []


def test_fast_lane_has_a_test_of_every_folder(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    collected = {item.path for item in items}
    whole = {path.parent for path in collected if set(path.parent.glob("test_*.py")) <= collected}
    fast = {item.path.parent for item in items if not item.get_closest_marker("slow")}

    assert whole - fast == set()
