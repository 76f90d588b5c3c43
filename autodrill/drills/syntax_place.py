"""A node of a syntax tree and where it stands: what a rewrite may look at."""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A node and where it stands.

    Attributes:
        node: The node.
        ancestors: What it stands in, nearest first.
        cotangents: The names of the parameters that hold cotangents.
    """

    node: ast.AST
    ancestors: tuple[ast.AST, ...]
    cotangents: tuple[str, ...]

    @property
    def parent(self) -> ast.AST:
        """What the node stands in directly."""
        return self.ancestors[0]

    @property
    def is_result(self) -> bool:
        """Whether the node is a value that a function returns, alone, in a tuple or in a dict."""
        if not isinstance(self.node, ast.expr) or isinstance(self.node, ast.Tuple | ast.Dict | ast.Constant):
            return False
        packed = isinstance(self.parent, ast.Tuple) or (
            isinstance(self.parent, ast.Dict) and self.node in self.parent.values
        )
        return isinstance(self.ancestors[1] if packed else self.parent, ast.Return)

    @property
    def is_contribution(self) -> bool:
        """Whether the node is what is added into an attribute, such as `.grad`."""
        match self.parent:
            case ast.AugAssign(target=ast.Attribute(), value=value):
                return value is self.node
        return False

    @property
    def parameters(self) -> list[str]:
        """The parameters of the innermost function around the node."""
        function = next((a for a in self.ancestors if isinstance(a, ast.FunctionDef)), None)
        return [a.arg for a in (*function.args.posonlyargs, *function.args.args)] if function else []

    @property
    def keyword(self) -> str | None:
        """The name of the keyword argument that the node stands in, or None."""
        return next((a.arg for a in self.ancestors[:3] if isinstance(a, ast.keyword)), None)
