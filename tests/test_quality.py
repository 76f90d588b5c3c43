"""The tree as a whole: lint, types, lengths, and nothing of the machine it was written on."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.lanes import SAMPLED

ROOT = Path(__file__).resolve().parent.parent
LONGEST_MODULE = 450
TABLES_OF_NAMES = {Path("autodrill/engine/ops/__init__.py")}  # as long as there are operations
GENERATED = {"uv.lock"}

# The home or scratch folder of one machine; the home of `someone` is an example.
MACHINE_PATH = re.compile(
    r"(?<![\w.~-])/(?:home|Users|root|work|mnt|workspace)/(?!someone\b)[A-Za-z0-9_.-]+|/tmp/[a-z]+/[\w.-]+"
)
REGISTRY = re.compile(
    r"https?://[^\s\"')]*(?:pypi|artifactory|nexus|devpi|/simple)\b|--(?:extra-)?index-url|\bindex-url\s*="
)

needs_checkout = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what is tracked is what git knows")


def tracked() -> list[Path]:
    """Every text file that a commit of the working tree would hold."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in listed if (ROOT / name).is_file() and (ROOT / name).name not in GENERATED]


def found(pattern: re.Pattern[str]) -> list[str]:
    hits = []
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if path != Path(__file__) and (match := pattern.search(line)):
                hits.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    return hits


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


@pytest.mark.parametrize(
    "path",
    [p for p in sorted((ROOT / "autodrill").rglob("*.py")) if p.relative_to(ROOT) not in TABLES_OF_NAMES],
    ids=lambda path: path.stem,
)
def test_module_is_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= LONGEST_MODULE


@pytest.mark.parametrize("path", sorted((ROOT / "autodrill").rglob("*.py")), ids=lambda path: path.stem)
def test_exemptions_from_checks_have_a_reason(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        for exemption in re.finditer(
            r"# (?:noqa|type: ignore)(?::? ?(?:\[[\w,-]+\]|[A-Z]+\d+(?:, ?[A-Z]+\d+)*))?", line
        ):
            assert exemption[0] != "# noqa", f"say which rule: {line}"
            assert len(line[exemption.end() :].strip(" #-")) >= 8, f"say why: {line}"


@needs_checkout
def test_no_file_contains_a_path_of_one_machine() -> None:
    assert found(MACHINE_PATH) == []


@needs_checkout
def test_no_file_names_a_package_registry() -> None:
    assert found(REGISTRY) == []


# The lanes


def test_fast_lane_samples_paths_that_exist() -> None:
    assert [path for path in SAMPLED if not (ROOT / "tests" / path).exists()] == []


def test_fast_lane_has_a_test_of_every_folder(request: pytest.FixtureRequest) -> None:
    items = request.session.items
    collected = {item.path for item in items}
    whole = {path.parent for path in collected if set(path.parent.glob("test_*.py")) <= collected}
    fast = {item.path.parent for item in items if not item.get_closest_marker("slow")}

    assert whole - fast == set()
