"""The wheel contains the package and the content, nothing else, and works without a checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parent.parent
CONTENT = ("exercises", "solutions", "questions")
RIGHT = """\
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what belongs in the wheel is what git knows"),
]


def ran(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def in_git(*folders: str) -> set[str]:
    """The files that a commit of the working tree would contain; in a clean checkout these are `git ls-files`."""
    listed = ran("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders, cwd=ROOT)
    return {name for name in listed.splitlines() if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def elsewhere(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment with the wheel in an empty folder and without a checkout.

    Without `site` (-S) the editable install that the tests themselves run from is not on the path.
    """
    target = tmp_path_factory.mktemp("target")
    install = ["pip", "install", "--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    ran(sys.executable, "-m", *install, "--target", target, wheel, cwd=target)
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    path = os.pathsep.join([str(target), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    return {**kept, "AUTODRILL_HOME": str(target / "home"), "PYTHONPATH": path, "TARGET": str(target)}


def autodrill(*arguments: str, cwd: Path, env: dict[str, str]) -> str:
    return ran(sys.executable, "-S", "-P", "-m", "autodrill", *arguments, cwd=cwd, env=env)


def test_wheel_holds_the_content_that_git_holds(names: set[str]) -> None:
    inside = {name.removeprefix("autodrill/_content/") for name in names if name.startswith("autodrill/_content/")}

    assert inside == in_git(*CONTENT)


def test_wheel_holds_the_package_that_git_holds(names: set[str]) -> None:
    modules = {name for name in names if name.startswith("autodrill/") and "/_content/" not in name}

    assert modules == in_git("autodrill")
    assert "autodrill/py.typed" in modules


def test_wheel_holds_nothing_else(names: set[str]) -> None:
    tops = {PurePosixPath(name).parts[0] for name in names}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"autodrill"}
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


def test_sdist_holds_every_file_that_git_holds(tmp_path: Path) -> None:
    ran(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)

    (built,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert in_git() - inside == set()


def test_wheel_leaves_out_what_git_ignores(tmp_path: Path) -> None:
    """Stale files in a checkout change nothing in the wheel that is built from it."""
    checkout = tmp_path / "checkout"
    for name in in_git("autodrill/__init__.py", "exercises", "pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_bytes((ROOT / name).read_bytes())
    ran("git", "init", "--quiet", cwd=checkout)
    track = next(folder for folder in (checkout / "exercises").iterdir() if folder.is_dir())
    (track / "__pycache__").mkdir()
    (track / "__pycache__" / "stale.cpython-311.pyc").write_bytes(b"stale")

    ran(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path, cwd=checkout)

    (built,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        assert any("/_content/exercises/" in name for name in archive.namelist())
        assert [name for name in archive.namelist() if "stale" in name] == []


def test_wheel_lists_and_grades_without_a_checkout(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    (tmp_path / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    where = "import autodrill, sys; print(autodrill.__file__, *sys.path, sep='\\n')"
    found, *path = ran(sys.executable, "-S", "-P", "-c", where, cwd=tmp_path, env=elsewhere).splitlines()

    assert Path(found).is_relative_to(elsewhere["TARGET"])
    assert str(ROOT) not in path
    assert "mul_backward" in autodrill("list", cwd=tmp_path, env=elsewhere)
    assert "PASS" in autodrill("check", "mul_backward", cwd=tmp_path, env=elsewhere)


def test_wheel_lists_the_exercises_of_the_checkout(tmp_path: Path, elsewhere: dict[str, str]) -> None:
    home = {**os.environ, "AUTODRILL_HOME": str(tmp_path / "home")}
    arguments = ("list", "--output-format", "json")

    installed = json.loads(autodrill(*arguments, cwd=tmp_path, env={**elsewhere, "AUTODRILL_HOME": str(tmp_path)}))
    checkout = json.loads(ran(sys.executable, "-m", "autodrill", *arguments, cwd=ROOT, env=home))

    assert installed["exercises"]
    assert installed == checkout
