"""Kind `function`: a class with static `forward(ctx, ...)` and `backward(ctx, ...)`, as `torch.autograd.Function`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kinds.forward_backward_kind import PASSES, ForwardBackward
from autodrill.drills.source import parameters_of

if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from autodrill.drills.case import Case
    from autodrill.drills.exercise import Drill
    from autodrill.drills.source import Parameter
    from autodrill.drills.template import Template

__all__ = ["KIND", "Function"]

_CONTEXT = """
class Context:
    saved_tensors = ()

    def save_for_backward(self, *values):
        self.saved_tensors = values


def passes(candidate):
    ctx = Context()
    return (lambda *inputs: candidate.forward(ctx, *inputs)), (lambda *cotangents: candidate.backward(ctx, *cotangents))
"""


class Function(ForwardBackward):
    """A class with a static forward and a static backward, and a context between them."""

    def refused_name(self, name: str) -> tuple[str, str] | None:
        """Accept every name: it is the name of the class."""
        return None

    def entry(self, name: str) -> str:
        """Return the name of the class."""
        return name

    def method_parameters(self, method: ast.FunctionDef) -> tuple[Parameter, ...]:
        """Return the parameters of a method after `ctx`."""
        return parameters_of(method)[1:]

    def template(self, name: str) -> Template:
        """Return the template of a class with both static methods."""
        from autodrill.drills.template import WRITTEN, WRONG, Template

        head = f"class {name}:\n    @staticmethod\n    def forward(ctx, x):\n        {{}}\n\n"
        tail = "    @staticmethod\n    def backward(ctx, g):\n        {}\n"
        keep = f"ctx.save_for_backward(x)\n        return x.copy(){WRITTEN}"
        return Template(
            stub=(head + tail).format(*["raise NotImplementedError"] * 2),
            solution=(head + tail).format(keep, f"return g.copy(){WRITTEN}"),
            mistake=(head + tail).format(f"return x.copy(){WRONG}", f"return g.copy(){WRONG}"),
        )

    def driver(self, drill: Drill) -> str | None:
        """Return the source of a `drive` that runs both passes with a context."""
        return f"COTANGENTS = {len(drill.solution.cotangents)}\n{_CONTEXT}\n{PASSES}"

    def absent(self, drill: Drill, case: Case, outputs: int, differentiated: Sequence[str]) -> tuple[int, ...]:
        """Return the indices of the results for arguments without a gradient: a backward returns None there."""
        handed = [p.name for p in drill.exercise.parameters if p.name in case.inputs or p.name in case.static]
        return tuple(outputs + i for i, name in enumerate(handed) if name not in differentiated)


KIND = Function()
