"""Kind `program`: a function or class that a scenario puts to work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kind import Kind

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Program"]


class Program(Kind):
    """A function or class that a scenario puts to work."""

    def template(self, name: str) -> Template:
        """Return a function of one input and a scenario."""
        from autodrill.drills.template import SCENARIO, function_template

        return function_template(name, "x", "x", deciding=SCENARIO)


KIND = Program()
