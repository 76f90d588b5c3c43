"""Kind `program`: a function or class, used in a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.drills.kind import Kind

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Program"]


class Program(Kind):
    """A function or class, used in a scenario."""

    def template(self, name: str) -> Template:
        """Return the template of a function of one input, with a scenario."""
        from autodrill.drills.template import SCENARIO, function_template

        return function_template(name, "x", "x", deciding=SCENARIO)


KIND = Program()
