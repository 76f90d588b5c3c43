"""Kind `backward`: a pure vector-Jacobian product. Cotangent and saved values in, gradients out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kind import Kind

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Backward"]


class Backward(Kind):
    """A pure vector-Jacobian product."""

    linear = True
    large_case = True

    def template(self, name: str) -> Template:
        """Return a function of the cotangent and one input."""
        from autodrill.drills.template import function_template

        return function_template(name, "g, x", "g.copy()")


KIND = Backward()
