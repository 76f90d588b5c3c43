"""Kind `program`: a function or class that a scenario puts to work."""

from __future__ import annotations

from autodrill.drills.kind import Kind
from autodrill.drills.template import SCENARIO, Template, function_template

__all__ = ["KIND", "Program"]


class Program(Kind):
    """A function or class that a scenario puts to work."""

    def template(self, name: str) -> Template:
        """Return a function of one input and a scenario."""
        return function_template(name, "x", "x", deciding=SCENARIO)


KIND = Program()
