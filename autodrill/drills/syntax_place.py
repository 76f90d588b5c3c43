"""A node of a syntax tree with its context, for the rewrites."""

from __future__ import annotations

import ast
from dataclasses import dataclass

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """A node of a syntax tree with its context.

    Attributes:
        node: The node.
        ancestors: The nodes around it, nearest first.
        cotangents: The names of the parameters that hold cotangents.
    """

    node: ast.AST
    ancestors: tuple[ast.AST, ...]
    cotangents: tuple[str, ...]

    @property
    def parent(self) -> ast.AST:
        """The node directly around it."""
        return self.ancestors[0]

    @property
    def is_result(self) -> bool:
        """Whether a function returns the node: alone, in a tuple, or as a value of a dict."""
        if not isinstance(self.node, ast.expr) or isinstance(self.node, ast.Tuple | ast.Dict | ast.Constant):
            return False
        packed = isinstance(self.parent, ast.Tuple) or (
            isinstance(self.parent, ast.Dict) and self.node in self.parent.values
        )
        return isinstance(self.ancestors[1] if packed else self.parent, ast.Return)

    @property
    def is_contribution(self) -> bool:
        """Whether the node is added to an attribute in place, such as `.grad`."""
        match self.parent:
            case ast.AugAssign(target=ast.Attribute(), value=value):
                return value is self.node
        return False

    @property
    def parameters(self) -> list[str]:
        """The parameter names of the innermost function around the node."""
        function = next((a for a in self.ancestors if isinstance(a, ast.FunctionDef)), None)
        return [a.arg for a in (*function.args.posonlyargs, *function.args.args)] if function else []

    @property
    def keyword(self) -> str | None:
        """The name of the keyword argument around the node, or None."""
        return next((a.arg for a in self.ancestors[:3] if isinstance(a, ast.keyword)), None)
