"""The report of a gradient check: a finding for each input and mode, and its text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

__all__ = ["Finding", "GradcheckError", "Mode", "Report", "Verdict"]

Mode: TypeAlias = Literal["reverse", "forward"]


class Verdict(StrEnum):
    """The verdict about one input, the most severe last."""

    RIGHT = "right"
    UNSURE = "unsure"
    KINK = "kink"
    WRONG = "wrong"
    NONDETERMINISTIC = "nondeterministic"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one mode of differentiation for one input, at the element that decides the verdict.

    Attributes:
        input: The input's position.
        mode: The mode of differentiation.
        verdict: The verdict.
        index: The element of the input; () for a number, None if nothing was compared.
        analytic: The engine's derivative of `cotangent · f` there.
        numeric: The derivative by finite differences.
        error: The estimated error of `numeric`; for a nondeterministic f, the difference between two runs.
        allowed: The difference allowed between the two.
        slopes: The one-sided slopes if they differ, the smaller first; infinite if they have no limit.
        counts: The number of elements with each verdict; for a complex input, of real and imaginary parts.
        part: The part of a complex element that was perturbed; empty for a real input.
    """

    input: int
    mode: Mode
    verdict: Verdict
    index: tuple[int, ...] | None
    analytic: float
    numeric: float
    error: float
    allowed: float
    slopes: tuple[float, float] | None
    counts: dict[Verdict, int]
    part: Literal["", "real", "imaginary"] = ""

    def __str__(self) -> str:
        label = f"input {self.input}  {self.mode:<7}  {self.verdict.upper()}"
        total = sum(self.counts.values())
        if self.verdict is Verdict.NONDETERMINISTIC:
            return f"{label}: two runs at the same point differ by {self.error:.2g}"
        if self.index is None:
            return f"{label}: it has no elements"
        elements = "parts" if self.part else "elements"
        if self.verdict is Verdict.RIGHT:
            return f"{label}: {total} of {total} {elements}, at worst {abs(self.analytic - self.numeric):.2g} apart"
        place = f"at {list(self.index)}" if self.index else "there"
        place += f", {self.part} part" if self.part else ""
        many = f" ({self.counts[self.verdict]} of {total} {elements})" if total > 1 else ""
        engine = f"{label} {place}: the engine says {self.analytic:.8g}"
        if self.slopes is not None:
            low, high = self.slopes
            slopes = f"slopes of {low:.6g} and {high:.6g} meet" if math.isfinite(high) else "the slope has no limit"
            return f"{engine}, but {slopes} there{many}"
        return f"{engine}, finite differences {self.numeric:.8g} ± {self.error:.1g}{many}"


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of a gradient check; true if all verdicts are `right`.

    Attributes:
        findings: One for each mode and floating input.
        seed: The seed of the random cotangent.
        alone: Why f was evaluated one point at a time; None if it was evaluated at many together.
    """

    findings: tuple[Finding, ...]
    seed: int
    alone: str | None = None

    def __bool__(self) -> bool:
        return all(finding.verdict is Verdict.RIGHT for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"gradcheck {'passed' if self else 'failed'} (seed {self.seed})", *map(str, self.findings)]
        if self.alone is not None:
            lines.append(f"f was evaluated one point at a time, because many at once failed: {self.alone}")
        return "\n".join(lines)


class GradcheckError(AssertionError):
    """A gradient check failed; `report` has the findings."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
