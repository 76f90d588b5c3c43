"""Kind `bugfix`: faulty code, which the candidate repairs in a scenario."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from autodrill.drills.kinds.program_kind import Program

if TYPE_CHECKING:
    from autodrill.drills.template import Template

__all__ = ["KIND", "Bugfix"]

_FAULTY = "return x  # FILL IN: the faulty code, instead of this line"


class Bugfix(Program):
    """Faulty code, which the candidate repairs."""

    def template(self, name: str) -> Template:
        """Return the template of a program with faulty code as its stub."""
        made = super().template(name)
        return replace(made, stub=made.stub.replace("raise NotImplementedError", _FAULTY))


KIND = Bugfix()
