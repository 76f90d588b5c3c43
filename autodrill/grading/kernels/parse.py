"""Parsing of a submission with a kernel: its text and signature, or what is wrong. No code of the file runs."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from autodrill.drills.kernel_source import kernel_signature, kernel_text
from autodrill.errors import InternalError
from autodrill.sandbox.outcomes import Broken, BrokenKind, NotDefined

if TYPE_CHECKING:
    from autodrill.drills.exercise import Exercise
    from autodrill.drills.kernel_source import KernelSignature, KernelText

__all__ = ["not_compiled", "read_kernel", "signature_of"]


def signature_of(exercise: Exercise) -> KernelSignature:
    """Return the signature of an exercise's kernel, from its stub.

    Raises:
        InternalError: The stub holds no kernel.
    """
    text = kernel_text(ast.parse(exercise.stub), exercise.entry)
    signature = kernel_signature(text.text) if text is not None else None
    if signature is None:
        raise InternalError(f"the stub of `{exercise.id}` holds no kernel")
    return signature


def read_kernel(source: bytes, filename: str, entry: str, wanted: KernelSignature) -> KernelText | Broken | NotDefined:
    """Return the kernel in a file, or what is wrong with it. No code of the file runs."""
    try:
        tree = ast.parse(source, filename)
    except SyntaxError as error:
        return Broken(BrokenKind.SYNTAX, error.msg, error.lineno, error.offset, error.text)
    except (ValueError, RecursionError, MemoryError) as error:
        return Broken(BrokenKind.SYNTAX, str(error) or "the code is nested too deeply", None, None, None)
    functions = {node.name: node.lineno for node in tree.body if isinstance(node, ast.FunctionDef)}
    if entry not in functions:
        return NotDefined(tuple(functions))
    lines = source.decode("utf-8", "replace").split("\n")
    kernel = kernel_text(tree, entry)
    if kernel is None:
        message = f"`{entry}` must return the kernel's text as one string literal, because no code of the file runs"
        return not_compiled(message, lines, functions[entry])
    found = kernel_signature(kernel.text, wanted.name)
    if found is None:
        return not_compiled(f"there is no kernel `__global__ void {wanted}`", lines, kernel.line)
    if [str(p) for p in found.parameters] != [str(p) for p in wanted.parameters]:
        return not_compiled(
            f"the kernel must have the signature `{wanted}`, but yours has `{found}`", lines, kernel.line
        )
    return kernel


def not_compiled(message: str, lines: list[str], line: int | None, column: int | None = None) -> Broken:
    """Return the outcome of loading a file whose kernel does not compile.

    Args:
        message: The error message.
        lines: The file's lines.
        line: The line of the error, from 1; None if unknown.
        column: The column, from 1.
    """
    text = lines[line - 1] if line is not None and 0 < line <= len(lines) else None
    return Broken(BrokenKind.KERNEL, message, line, column, text)
