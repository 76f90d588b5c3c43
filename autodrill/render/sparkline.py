"""Sparklines and bars: small charts in one line of text, with signs of every terminal or in ASCII."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["bar", "sparkline"]

_LEVELS, _ASCII_LEVELS = "▁▂▃▄▅▆▇█", "_-=+*#"


def sparkline(values: Sequence[int], *, plain: bool, most: int | None = None) -> str:
    """Return one sign for each number: a dot for 0, and otherwise the higher the larger.

    Args:
        values: The numbers, none of them negative.
        plain: Whether to use ASCII.
        most: The number of the highest sign; by default the largest number.

    >>> sparkline([0, 1, 4, 8], plain=False), sparkline([0, 1, 4, 8], plain=True)
    ('·▁▄█', '._=#')
    """
    levels, nothing = (_ASCII_LEVELS, ".") if plain else (_LEVELS, "·")
    top = max([*values, 1]) if most is None else max(most, 1)
    # Rounded up, so that a small number does not look like 0.
    return "".join(levels[-(-min(v, top) * len(levels) // top) - 1] if v else nothing for v in values)


def bar(share: float, length: int, *, plain: bool) -> str:
    """Return a bar, filled from the left to a share.

    >>> bar(0.7, 10, plain=False), bar(0.7, 10, plain=True)
    ('███████░░░', '#######...')
    """
    full, rest = ("#", ".") if plain else ("█", "░")
    filled = min(length, max(0, round(share * length)))
    return full * filled + rest * (length - filled)
