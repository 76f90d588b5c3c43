"""The starting file of an answer in PyTorch or JAX."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.framework_stub import check_takes_frameworks, framework_file, unanswered_files
from autodrill.errors import UsageError
from autodrill.grading.framework_answers import framework_of
from autodrill.sandbox.libraries import Framework, is_installed

if TYPE_CHECKING:
    from autodrill.drills.library import Library


@pytest.mark.parametrize("framework", Framework)
def test_framework_file_asks_for_the_entry(shipped: Library, framework: Framework) -> None:
    exercise = shipped.find("batchnorm_backward")
    tree = ast.parse(framework_file(exercise, framework))
    task = ast.get_docstring(tree) or ""
    assert task.startswith(exercise.task.strip().splitlines()[0])
    assert f"Answer in {framework.brand}" in task
    assert [n.name for n in tree.body if isinstance(n, ast.FunctionDef)] == ["batchnorm_forward", "batchnorm_backward"]
    imported = {a.name.partition(".")[0] for n in tree.body if isinstance(n, ast.Import) for a in n.names}
    assert imported == {str(framework)}


@pytest.mark.torch
def test_methods_in_a_framework_file_get_tensors(shipped: Library) -> None:
    exercise = shipped.find("matmul_backward")
    text = framework_file(exercise, Framework.TORCH).replace("raise NotImplementedError", "return g @ W.T, X.T @ g")
    assert framework_of(exercise, text.encode()) is Framework.TORCH


def test_framework_file_of_a_bugfix_is_refused(shipped: Library) -> None:
    with pytest.raises(UsageError, match="hands out NumPy code to repair") as raised:
        framework_file(shipped.find("bug_where_nan"), Framework.TORCH)
    assert raised.value.hint == "`autodrill open bug_where_nan` writes that code"


@pytest.mark.parametrize("name", ["mul_backward", "topological_sort"])
def test_exercises_on_nodes_take_no_framework(shipped: Library, name: str) -> None:
    with pytest.raises(UsageError, match="is not an exercise on arrays, so it has no answer in JAX"):
        check_takes_frameworks(shipped.drill(shipped.find(name)), Framework.JAX)


def test_framework_files_are_unanswered(shipped: Library) -> None:
    exercise = shipped.find("matmul_backward")
    files = {framework_file(exercise, framework).encode() for framework in Framework}
    assert files < unanswered_files(exercise)
    assert len(unanswered_files(shipped.find("mul_backward"))) == 1


@pytest.mark.slow
def test_is_installed_asks_the_import_system() -> None:
    try:
        import torch  # noqa: F401
    except ImportError:
        assert not is_installed(Framework.TORCH)
    else:
        assert is_installed(Framework.TORCH)
