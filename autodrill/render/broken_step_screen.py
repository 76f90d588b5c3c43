"""The tape of a failing case, for the terminal: each step of the forward with its gradient."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.bank.notation import applied_to
from autodrill.render.plain import ASCII, clean, fit, in_ascii
from autodrill.render.report_screen import paragraph

if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodrill.grading.report import TapeStep
    from autodrill.render.plain import Paint, Symbols

__all__ = ["tape_lines"]


def tape_lines(steps: Sequence[TapeStep], paint: Paint, symbols: Symbols, width: int) -> list[str]:
    """Return the tape of a failing case: the steps of the forward, with the right gradient of each and the answer's.

    Args:
        steps: The tape, the inputs first.
        paint: Colours text.
        symbols: The signs that the stream can encode.
        width: The longest line.
    """
    spell = in_ascii if symbols is ASCII else str
    texts = [
        spell(f"{step.name} = {applied_to(step.operation, step.operands) if step.operation else step.value}")
        for step in steps
    ]
    left = min(max(map(len, texts)), width // 2)
    lines = paragraph("Each step of the forward, with its gradient. The backward pass goes up.", "  ", 2, width)
    lines = [paint(line, "bold") for line in lines]
    for step, text in zip(steps, texts, strict=True):
        right = f"  {fit(text, left):<{left}}  gradient {step.right}"
        lines.append(fit(right, width))
        if step.yours and step.wrong:
            lines.append(paint(fit(f"  {'':<{left}}  yours    {step.yours}  {symbols.no}", width), "red"))
        if step.broken:
            words = paragraph(f"your numbers are as if {clean(spell(step.broken))}", "    ", 2, width)
            lines += [paint(line, "red", "bold") for line in words]
    if not any(step.broken for step in steps):
        lines += paragraph("No single wrong step of the backward pass explains your numbers.", "  ", 2, width)
    return lines
