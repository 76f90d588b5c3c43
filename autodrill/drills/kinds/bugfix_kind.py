"""Kind `bugfix`: code with a fault is given, and the candidate repairs it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.kinds.program_kind import Program

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Bugfix"]

_FAULTY = "return x  # FILL IN: the code with its fault; then drop this line"


class Bugfix(Program):
    """Code with a fault, to be repaired."""

    def template(self, name: str) -> Template:
        """Return the template of a program whose stub is faulty code."""
        made = super().template(name)
        return replace(made, stub=made.stub.replace("raise NotImplementedError", _FAULTY))


KIND = Bugfix()
