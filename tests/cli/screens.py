"""What a terminal shows: a grid of characters that carries out the sequences which the screens use."""

from __future__ import annotations

import re

from rich.cells import cell_len

__all__ = ["bar_keys", "grid"]

_SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|(.)", re.DOTALL)


def grid(written: str, columns: int = 80, rows: int = 24) -> list[str]:
    """Return the rows of a terminal after `written`, without blanks at their ends."""
    cells: list[list[str]] = [[] for _ in range(rows)]
    row = column = 0
    for match in _SEQUENCE.finditer(written):
        arguments, sequence, letter = match.groups()
        if sequence == "H":
            assert not arguments
            row = column = 0
        elif sequence == "K":
            del cells[row][column:]
        elif sequence == "J":
            del cells[row][column:]
            cells[row + 1 :] = [[] for _ in range(rows - row - 1)]
        elif letter == "\r":
            column = 0
        elif letter == "\n":
            column = 0
            row += 1
            if row == rows:
                cells, row = [*cells[1:], []], rows - 1
        elif letter is not None and cell_len(letter) == 0:  # a combining mark
            cells[row][column - 1] += letter
        elif letter is not None:
            assert column < columns, f"row {row} is too wide: {''.join(cells[row])!r}"
            cells[row] += [" "] * (column - len(cells[row]))
            cells[row][column : column + 1] = [letter]
            column += 1
    return ["".join(line).rstrip() for line in cells]


def bar_keys(screen: list[str]) -> dict[str, str]:
    """Return the keys of the bar below a card, each with its word."""
    last = max(i for i, line in enumerate(screen) if line.startswith(("┃", "|")))
    entries = [entry for line in screen[last + 1 :] for entry in re.split(r" {2,}", line.strip()) if " " in entry]
    return dict(entry.split(" ", 1) for entry in entries)
