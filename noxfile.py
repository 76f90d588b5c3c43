"""The suite on several Pythons: `nox` takes each that is installed, `nox -s oldest` the oldest packages declared.

`nox -s compat` runs a part of it on the oldest and the newest Python, for CI.

What follows `--` goes to pytest: `nox -s tests-3.13 -- tests/engine`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import nox
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

nox.needs_version = ">=2025.11.12"
nox.options.sessions = ["tests"]
nox.options.default_venv_backend = "venv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False

PROJECT = nox.project.load_toml("pyproject.toml")
COMPAT_TESTS = ("tests/sandbox", "tests/grading", "tests/content", "--ignore=tests/sandbox/attacks")
"""Folders with the tests of sandbox, grading and content: what a release of Python or NumPy is most likely to break.
The attacks take as long as all of these, and are left to `tests`."""

RELEASED = 14
"""The newest minor version of Python that is known here; one that is installed and newer is found all the same."""

WITHOUT_TORCH = "not torch"


def supported() -> list[str]:
    """Return the versions that `requires-python` allows, oldest first, up to the newest that is known or installed."""
    allowed = SpecifierSet(PROJECT["project"]["requires-python"])
    versions = [f"3.{minor}" for minor in range(100) if f"3.{minor}" in allowed]
    last = max(i for i, version in enumerate(versions) if version == f"3.{RELEASED}" or find(version))
    return versions[: last + 1]


def find(version: str) -> Path | None:
    """Return an interpreter that runs and is of this version.

    A shim of pyenv's is on PATH for each version that it knows, but runs only where that version is switched on.
    """
    for folder in (*map(Path, os.get_exec_path()), *pyenv_folders(version)):
        path = folder / f"python{version}"
        if os.access(path, os.X_OK) and runs(path, version):
            return path
    return None


def pyenv_folders(version: str) -> Iterator[Path]:
    """Yield where pyenv keeps the releases of a version, newest first."""
    root = os.environ.get("PYENV_ROOT")
    if root is None and (pyenv := shutil.which("pyenv")):
        root = printed([pyenv, "root"])
    if root:
        found = Path(root, "versions").glob(f"{version}.*/bin")
        yield from sorted(found, key=lambda folder: [*map(int, folder.parent.name.split(".")[2:])], reverse=True)


def runs(path: Path, version: str) -> bool:
    """Return whether an interpreter starts, can make environments and is of a version."""
    return printed([path, "-c", "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"]) == version


def printed(command: list[str | Path]) -> str:
    """Return what a command prints, nothing if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  an interpreter or pyenv
    return "" if done.returncode else done.stdout.strip()


SUPPORTED = supported()
INSTALLED = {version: path for version in SUPPORTED if (path := find(version))}
OLDEST, NEWEST = SUPPORTED[0], [*INSTALLED][-1]
# nox looks for interpreters on PATH, and takes the first of a name.
os.environ["PATH"] = os.pathsep.join([*(str(path.parent) for path in INSTALLED.values()), os.environ["PATH"]])


def lowest(requirements: Iterable[str]) -> list[str]:
    """Return requirements that take the lowest version of each that is declared."""
    pins = []
    for requirement in map(Requirement, requirements):
        bounds = [each.version for each in requirement.specifier if each.operator in {">=", "=="}]
        if len(bounds) != 1:
            raise ValueError(f"`{requirement}` must declare one lowest version, with `>=`")
        pins.append(f"{requirement.name}=={bounds[0]}")
    return pins


def install(session: nox.Session, *groups: str, oldest: bool) -> None:
    """Install autodrill and groups of packages: the newest releases that this Python takes, or the oldest declared."""
    session.install("-U", "pip")
    if oldest:
        needed = nox.project.dependency_groups(PROJECT, *groups)
        session.install("-e", ".", *lowest([*PROJECT["project"]["dependencies"], *needed]))
    else:
        session.install("-e", ".", *(word for group in groups for word in ("--group", group)))
    session.run(
        "python", "-c", "import sys, numpy; print('Python', sys.version.split()[0], 'NumPy', numpy.__version__)"
    )


@nox.session(python=SUPPORTED)
def tests(session: nox.Session) -> None:
    """Run the suite on each Python that is installed, with the newest packages."""
    install(session, "test", "lint", oldest=False)
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=OLDEST)
def oldest(session: nox.Session) -> None:
    """Run the suite on the oldest Python with the lowest version of each package that is declared.

    What NumPy 2.0 says of its types is less than mypy needs, so linter and type checker have a session of their own.
    """
    install(session, "test", oldest=True)
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=OLDEST)
def lint(session: nox.Session) -> None:
    """Run the lowest declared linter and type checker, on the newest packages."""
    install(session, "test", oldest=False)
    session.install(*lowest(nox.project.dependency_groups(PROJECT, "lint")))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")


@nox.session
@nox.parametrize(
    ("python", "packages"),
    [(OLDEST, "oldest"), (OLDEST, "newest"), *([(NEWEST, "newest")] if NEWEST != OLDEST else [])],
)
def compat(session: nox.Session, packages: str) -> None:
    """Run the tests of sandbox, grading and content on the oldest and the newest Python, and the oldest packages."""
    install(session, "test", oldest=packages == "oldest")
    session.run("pytest", "-n", "auto", "-m", WITHOUT_TORCH, *(session.posargs or COMPAT_TESTS))
