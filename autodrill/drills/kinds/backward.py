"""Kind `backward`: a pure vector-Jacobian product. Cotangent and saved values in, gradients out."""

from __future__ import annotations

from autodrill.drills.kind import Kind
from autodrill.drills.template import Template, function_template

__all__ = ["KIND", "Backward"]


class Backward(Kind):
    """A pure vector-Jacobian product."""

    linear = True
    large_case = True

    def template(self, name: str) -> Template:
        """Return a function of the cotangent and one input."""
        return function_template(name, "g, x", "g.copy()")


KIND = Backward()
