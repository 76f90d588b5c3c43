"""What a gradient check found: a record for each input and mode, and how it is told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

__all__ = ["Finding", "GradcheckError", "Mode", "Report", "Verdict"]

Mode: TypeAlias = Literal["reverse", "forward"]


class Verdict(StrEnum):
    """What was found about one input, the gravest last."""

    RIGHT = "right"
    UNSURE = "unsure"
    KINK = "kink"
    WRONG = "wrong"
    NONDETERMINISTIC = "nondeterministic"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one mode of differentiation says about one input, at the element that decides the verdict.

    Attributes:
        input: The input's position.
        mode: Which mode of the engine was asked.
        verdict: What was found.
        index: The element of the input; () for a number, None where nothing was compared.
        analytic: The engine's derivative of `cotangent · f` there.
        numeric: That of finite differences.
        error: The estimated error of `numeric`; for a nondeterministic f, how far two of its runs are apart.
        allowed: How far apart the two may be.
        slopes: The slopes of the two sides where they differ, the lesser first; infinite where they have no limit.
        counts: How many elements have each verdict; of a complex input, how many real and imaginary parts.
        part: Of a complex input, in which part of the element it was moved; empty for a real one.
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
    """The findings of a gradient check; it is true if all is right.

    Attributes:
        findings: One for each mode and floating input.
        seed: What the cotangent was drawn with.
        alone: Why f was evaluated at one point at a time; None where it was evaluated at many together.
    """

    findings: tuple[Finding, ...]
    seed: int
    alone: str | None = None

    def __bool__(self) -> bool:
        return all(finding.verdict is Verdict.RIGHT for finding in self.findings)

    def __str__(self) -> str:
        lines = [f"gradcheck {'passed' if self else 'failed'} (seed {self.seed})", *map(str, self.findings)]
        if self.alone is not None:
            lines.append(f"f was evaluated at one point at a time, since many together fail: {self.alone}")
        return "\n".join(lines)


class GradcheckError(AssertionError):
    """The derivatives of f are not what they should be; `report` says which, where and how sure that is."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report
