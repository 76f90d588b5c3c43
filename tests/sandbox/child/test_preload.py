"""What of NumPy an answer may use in a confined process: all of it, whatever a release loads only at its first use."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from functools import cache
from importlib.util import resolve_name
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.sandbox.child.confinement import OPEN, SEALED
from autodrill.sandbox.child.preload import MODULES
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import Loaded, Returned
from autodrill.sandbox.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.sandbox.launcher import Launcher

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux confines a process so that it cannot load")

TOOLS = {"conftest", "distutils", "doc", "f2py", "mypy_plugin", "print_coercion_tables", "setup", "tests"}
"""Parts of NumPy that compile, test, check or describe NumPy; no answer uses them."""

FOR_FILES = {"bz2", "gzip", "lzma", "urllib.error", "urllib.parse", "urllib.request"}
"""Modules that functions of NumPy import to read files that are compressed or elsewhere; a candidate has none."""

FOR_DEVELOPERS = {"numpy.distutils", "numpy.f2py", "pydoc", "pytest"}
"""Modules that functions of NumPy import to compile, test or document."""

NUMPY = Path(np.__file__).parent

LIST = """
import importlib, io, json, sys, warnings
warnings.simplefilter("ignore")
names, left_out = json.load(sys.stdin)
found = {}
for name in names:
    try:
        module = importlib.import_module(name)
    except Exception:
        continue
    public = {*dir(module), *getattr(module, "__all__", ())}.difference(left_out)
    found[name] = sorted(each for each in public if not each.startswith("_") and hasattr(module, each))
json.dump(found, sys.stdout)
"""

USE = """
import importlib
def f(expected):
    lacking = []
    for name, attributes in expected.items():
        try:
            module = importlib.import_module(name)
        except ImportError as error:
            lacking.append(f"{name}: {error}")
            continue
        lacking += [f"{name}.{each}" for each in attributes if not hasattr(module, each)]
    return lacking
"""


def where_nothing_is_confined(names: list[str]) -> dict[str, list[str]]:
    """Return which of some modules can be imported, and their public names."""
    done = subprocess.run(
        [sys.executable, "-c", LIST],
        input=json.dumps([names, sorted(TOOLS)]),
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def files() -> Iterator[tuple[str, Path]]:
    """Yield NumPy's modules by the files of this release, and not by what `preload` looks for."""
    for path in sorted(chain(NUMPY.rglob("*.py"), NUMPY.rglob("*.so"))):
        parts = [part.partition(".")[0] for part in ("numpy", *path.relative_to(NUMPY).parts)]
        if not TOOLS & {*parts}:
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


@cache
def public() -> dict[str, list[str]]:
    return where_nothing_is_confined([name for name, _ in files() if "._" not in name])


@cache
def imported_by_functions() -> dict[str, list[str]]:
    """Return what functions of NumPy import when they are called, of what can be imported here."""
    wanted: set[str] = set()
    for name, path in files():
        if path.suffix != ".py" or "testing" in name:
            continue
        package = name if path.stem == "__init__" else name.rpartition(".")[0]
        tree = ast.parse(path.read_bytes())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                wanted.update(chain.from_iterable(imports(node, package) for node in ast.walk(function)))
    return {name: [] for name in where_nothing_is_confined(sorted(wanted - FOR_FILES - FOR_DEVELOPERS))}


def imports(node: ast.AST, package: str) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [resolve_name("." * node.level + (node.module or ""), package)]
    return []


@pytest.fixture(scope="module")
def sealed() -> Iterator[Launcher]:
    with ForkServer(SEALED) as server:
        yield server.launch


@pytest.fixture(scope="module")
def open_fork() -> Iterator[Launcher]:
    with ForkServer(OPEN) as server:
        yield server.launch


def lacking(launcher: Launcher, expected: dict[str, list[str]], limits: Limits) -> list[str]:
    with Runner.start(limits, launcher=launcher) as runner:
        assert runner.load(USE.encode(), "f.py", "f") == Loaded()
        end = runner.call([expected], budget=1 << 20)
    assert isinstance(end, Returned), end
    names: list[str] = end.value
    return names


ROOMY, TIGHT = Limits(seconds=30), Limits(seconds=30, memory=1 << 20)


@pytest.mark.slow
def test_public_modules_of_this_release_are_found() -> None:
    assert {"numpy.fft", "numpy.lib.recfunctions", "numpy.ma.extras", "numpy.polynomial.hermite"} <= public().keys()
    assert "default_rng" in public()["numpy.random"]
    assert {"numpy", "numpy.random", "zipfile"} <= imported_by_functions().keys()


def test_sealed_process_has_every_public_name_of_numpy(sealed: Launcher) -> None:
    assert lacking(sealed, public(), ROOMY) == []


def test_sealed_process_has_what_functions_of_numpy_import(sealed: Launcher) -> None:
    assert lacking(sealed, imported_by_functions(), ROOMY) == []


def test_open_process_has_every_public_name_of_numpy() -> None:
    assert lacking(launch, public(), ROOMY) == []


def test_open_process_has_what_functions_of_numpy_import() -> None:
    assert lacking(launch, imported_by_functions(), ROOMY) == []


def test_open_process_has_the_modules_of_a_sealed_one() -> None:
    needs_libbz2 = "encodings.bz2_codec"  # of the system; no source is written in it
    assert lacking(launch, {name: [] for name in MODULES if name != needs_libbz2}, ROOMY) == []


def test_fork_of_an_open_server_has_every_public_name_of_numpy(open_fork: Launcher) -> None:
    assert lacking(open_fork, public(), ROOMY) == []


@pytest.mark.parametrize("forked", [False, True])
def test_numpy_takes_nothing_of_a_tight_memory_bound(open_fork: Launcher, forked: bool) -> None:
    modules: dict[str, list[str]] = {name: [] for name in public()}
    assert lacking(open_fork if forked else launch, modules, TIGHT) == []
