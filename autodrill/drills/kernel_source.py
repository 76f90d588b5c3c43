"""CUDA C++ source: the text of a kernel in a Python file, and its signature."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["C_TYPES", "CParameter", "KernelSignature", "KernelText", "kernel_signature", "kernel_text"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(r"__global__\b[^{};]*?\b(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^(){};]*)\)\s*\{")
_PARAMETER = re.compile(r"(?P<type>.*?)(?P<pointer>\*?)\s*(?P<name>[A-Za-z_]\w*)\Z", re.DOTALL)
_HOST_HEADER = re.compile(
    r"^[ \t]*#[ \t]*include[ \t]*[<\"]"
    r"(?:cuda|cuda_runtime|cuda_runtime_api|device_launch_parameters|math)\.h[>\"][^\n]*$"
    r"|^[ \t]*#[ \t]*include[ \t]*<cmath>[^\n]*$",
    re.MULTILINE,
)
_RESTRICT = re.compile(r"\b(?:__restrict__|__restrict)\b")


C_TYPES = {
    "float": "f4",
    "double": "f8",
    "int": "i4",
    "unsigned": "u4",
    "unsigned int": "u4",
    "long long": "i8",
    "size_t": "u8",
    "unsigned char": "u1",
    "bool": "?",
}
"""The types that parameters of a kernel may have or point to, with their names in NumPy."""


@dataclass(frozen=True, slots=True)
class KernelText:
    """The text of a kernel with its position.

    Attributes:
        text: The text that the function returns.
        line: The line of the Python file on which the text begins.
    """

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of a kernel.

    Attributes:
        name: Its name, which decides its argument.
        type: The type of the number or of the elements that it points to, such as `float`.
        pointer: Whether it is a pointer.
        const: Whether it is `const`, or points to `const` elements.
    """

    name: str
    type: str
    pointer: bool
    const: bool

    @property
    def dtype(self) -> str:
        """The name of the type in NumPy."""
        return C_TYPES[self.type]

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.type}{'*' if self.pointer else ''}"


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """The name and the parameters of a kernel."""

    name: str
    parameters: tuple[CParameter, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{p} {p.name}' for p in self.parameters)})"


def kernel_text(tree: ast.Module, entry: str) -> KernelText | None:
    """Return the text that the function `entry` of a file returns, without running the file.

    The function must return one string literal, or a name that is bound once to one, in the function or in the file.
    Otherwise the result is None.
    """
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == entry]
    returns = [n for n in ast.walk(functions[-1]) if isinstance(n, ast.Return)] if functions else []
    value = returns[0].value if len(returns) == 1 else None
    if isinstance(value, ast.Name):
        inside = _values_of(value.id, functions[-1].body)
        known = inside or _values_of(value.id, tree.body)
        value = known[0] if len(known) == 1 else None
    match value:
        case ast.Constant(value=str() as text, lineno=line):
            return KernelText(_without_host_headers(text), line)
    return None


def _values_of(name: str, body: Sequence[ast.stmt]) -> list[ast.expr | None]:
    """Return the values bound to a name in a body, with None for a value that only execution would show."""
    given: list[ast.expr | None] = []
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                given.append(value)
            case ast.AnnAssign(target=ast.Name(id=target), value=value) if target == name:
                given.append(value)
            case ast.FunctionDef() | ast.ClassDef():
                pass
            case _ if any(isinstance(n, ast.Name) and n.id == name and _is_set(n) for n in ast.walk(statement)):
                given.append(None)
    return given


def _is_set(name: ast.Name) -> bool:
    return not isinstance(name.ctx, ast.Load)


def _without_host_headers(text: str) -> str:
    """Blank the lines that include host headers: NVRTC compiles the kernel and does not have these files."""
    return _HOST_HEADER.sub("", text)


def kernel_signature(text: str, name: str | None = None) -> KernelSignature | None:
    """Return the signature of the kernel called `name`, by default of the first one; None if it cannot be read."""
    bare = _COMMENT.sub(" ", text)
    for found in _KERNEL.finditer(bare):
        if name not in (None, found["name"]):
            continue
        listed = [each for each in found["parameters"].split(",") if each.strip()]
        parameters = [_parameter(each) for each in listed]
        read = tuple(p for p in parameters if p is not None)
        return KernelSignature(found["name"], read) if len(read) == len(listed) else None
    return None


def _parameter(text: str) -> CParameter | None:
    match = _PARAMETER.match(_RESTRICT.sub(" ", text).strip())
    words = match["type"].split() if match else []
    plain = [word for word in words if word != "const"]
    if match is None or not plain:
        return None
    return CParameter(match["name"], " ".join(plain), bool(match["pointer"]), "const" in words)
