"""Kind `backward`: a vector-Jacobian product, a pure function of the cotangent and saved values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kind import Kind

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Backward"]


class Backward(Kind):
    """A vector-Jacobian product: it returns the gradients."""

    linear = True
    large_case = True
    may_return_outputs = True
    no_prediction = ""

    def template(self, name: str) -> Template:
        """Return the template of a function of the cotangent and one input."""
        from autodrill.drills.template import function_template

        return function_template(name, "g, x", "g.copy()")


KIND = Backward()
