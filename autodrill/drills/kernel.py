"""The CUDA C++ in a file of kind `kernel`: the text that its function returns, and the signature of the kernel."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

__all__ = ["C_TYPES", "CParameter", "KernelSignature", "KernelText", "kernel_signature", "kernel_text"]

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_KERNEL = re.compile(r"__global__\b[^{};]*?\b(?P<name>[A-Za-z_]\w*)\s*\((?P<parameters>[^(){};]*)\)\s*\{")
_PARAMETER = re.compile(r"(?P<type>.*?)(?P<pointer>\*?)\s*(?P<name>[A-Za-z_]\w*)\Z", re.DOTALL)
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
"""The types that a kernel's parameters may have or point to, with NumPy's names for them."""


@dataclass(frozen=True, slots=True)
class KernelText:
    """The text of a kernel and where it stands.

    Attributes:
        text: What the function returns.
        line: The line of the Python file that the text's first line stands in.
    """

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class CParameter:
    """A parameter of a kernel.

    Attributes:
        name: Its name, by which it is given its argument.
        type: The type of the number, or of those pointed to, such as `float`.
        pointer: Whether it is a pointer.
        const: Whether it, or what it points to, is not to be written to.
    """

    name: str
    type: str
    pointer: bool
    const: bool

    @property
    def dtype(self) -> str:
        """NumPy's name of the type."""
        return C_TYPES[self.type]

    def __str__(self) -> str:
        return f"{'const ' if self.const else ''}{self.type}{'*' if self.pointer else ''}"


@dataclass(frozen=True, slots=True)
class KernelSignature:
    """What is launched: a kernel's name and parameters."""

    name: str
    parameters: tuple[CParameter, ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{p} {p.name}' for p in self.parameters)})"


def kernel_text(tree: ast.Module, entry: str) -> KernelText | None:
    """Return the text that the function `entry` of a file returns; None if that is no single string literal."""
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == entry]
    returns = [n for n in ast.walk(functions[-1]) if isinstance(n, ast.Return)] if functions else []
    if len(returns) != 1:
        return None
    match returns[0].value:
        case ast.Constant(value=str() as text, lineno=line):
            return KernelText(text, line)
    return None


def kernel_signature(text: str, name: str | None = None) -> KernelSignature | None:
    """Return the signature of the kernel called `name`, or of the first one; None if there is none that can be read."""
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
