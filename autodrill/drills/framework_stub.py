"""The file that a learner starts with in PyTorch, JAX or CuPy, made from the stub of the exercise."""

from __future__ import annotations

import ast
import textwrap
from contextlib import suppress
from typing import TYPE_CHECKING

from autodrill.drills.exercise import kind_named, starting_file
from autodrill.errors import UsageError
from autodrill.sandbox.libraries import Framework

if TYPE_CHECKING:
    from autodrill.drills.exercise import Drill, Exercise

__all__ = ["check_takes_frameworks", "framework_file", "unanswered_files"]

_IMPORTS = {
    Framework.TORCH: "import torch",
    Framework.JAX: "import jax\nimport jax.numpy as jnp",
    Framework.CUPY: "import cupy as cp",
}
_NOTES = {
    Framework.TORCH: "Answer in PyTorch: the arguments are tensors on the CPU, and so are the results.",
    Framework.JAX: "Answer in JAX: the arguments are arrays of JAX, and so are the results. float64 is enabled.",
    Framework.CUPY: "Answer in CuPy: the arguments are arrays on the GPU, and so are the results. Check it with "
    "`--device cuda`.",
}
_CONVENTIONS = (
    "{note} If the task mentions a helper in NumPy, it is left out here. Do not modify the arguments, and return each "
    "result with the dtype of its input. Write the formula: a call that differentiates for you earns a remark."
)
_WIDTH = 88


def check_takes_frameworks(drill: Drill, framework: Framework) -> None:
    """Check that an exercise can be answered in a framework.

    Raises:
        UsageError: Its answer does not map arrays to arrays.
    """
    if not drill.kind.on_arrays or drill.solution.drive:
        raise UsageError(
            f"`{drill.exercise.id}` is not an exercise on arrays, so it has no answer in {framework.brand}",
            hint="write the answer in plain Python or NumPy",
        )


def framework_file(exercise: Exercise, framework: Framework) -> str:
    """Return the starting file of an exercise on arrays: its task, and the entry with a body to write.

    Raises:
        UsageError: The exercise hands out NumPy code to repair.
    """
    tree = ast.parse(exercise.stub)
    lines = exercise.stub.splitlines()
    entries = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef) and n.name in exercise.defined]
    if not all("raise NotImplementedError" in ast.unparse(node) for node in entries):
        raise UsageError(
            f"`{exercise.id}` hands out NumPy code to repair",
            hint=f"`autodrill open {exercise.id}` writes that code",
        )
    note = textwrap.fill(_CONVENTIONS.format(note=_NOTES[framework]), _WIDTH)
    blocks = ["\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in entries]
    task = exercise.task.strip("\n")
    raw = "r" if "\\" in task else ""
    return f'{raw}"""{task}\n\n{note}\n"""\n\n{_IMPORTS[framework]}\n\n\n' + "\n\n\n".join(blocks) + "\n"


def unanswered_files(exercise: Exercise) -> frozenset[bytes]:
    """Return the contents of a file that has no answer yet."""
    found = {starting_file(exercise)}
    if kind_named(exercise.kind).on_arrays and kind_named(exercise.kind).linear:
        with suppress(UsageError):
            found |= {framework_file(exercise, framework) for framework in Framework}
    return frozenset(text.encode() for text in found)
