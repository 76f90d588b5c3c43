"""The screen of a quiz session: one card at a time in place, or pieces that follow each other without a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from autodrill.cli.bindings import paging
from autodrill.render.card_frame import Frame, Shown, fitted
from autodrill.render.plain import ASCII, in_ascii, symbols_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType

    from autodrill.cli.bindings import Binding

__all__ = ["Screen"]

_PROMPT_ROWS = 3
"""Rows below a card for an answer that is typed. A longer answer scrolls the card, which is then drawn again."""


class Screen:
    """A console for one quiz session.

    Args:
        console: The console to print on.
        in_place: Whether a card can be redrawn. That takes single keys and a terminal that is not dumb.
    """

    def __init__(self, console: Console, *, in_place: bool) -> None:
        self._console = console
        self.in_place = in_place and console.is_terminal and not console.is_dumb_terminal
        self._started = False
        self._printed: dict[str, list[str]] = {}
        self._status = ""
        self._kept: list[str] = []
        self.symbols = symbols_for(console.file)

    def begin(self) -> None:
        """Begin a card."""
        self._printed = {}
        if not self.in_place:
            self._console.print()

    def draw(self, frame: Frame, keys: Sequence[Binding], place: int) -> tuple[Shown, tuple[Binding, ...]]:
        """Show a frame above the key bar. Without a terminal, print the pieces that are not there yet.

        Args:
            frame: The frame.
            keys: The keys of this stage.
            place: The first line of the paged text to show.

        Returns:
            What is shown, and the keys that work.
        """
        if not self.in_place:
            self._print_new(frame)
            self._console.print()
            self._console.print(*self._bar(keys), sep="\n")
            return Shown([]), tuple(keys)
        self._measure()
        free = self._console.height - 1 - bool(self._status)
        shown = fitted(frame, self._console, free - len(self._bar(keys)), place)
        if shown.left or shown.earlier is not None:
            # Every page leaves room for the widest bar, so that all pages have the same height.
            widest = self._bar(paging(keys, left=999, earlier=True))
            shown = fitted(frame, self._console, free - len(widest), place)
        working = paging(keys, left=shown.left, earlier=shown.earlier is not None)
        bar = self._bar(working)
        notes = [self._line(self._status, "dim")] if self._status else []
        self._write(shown, ["", *notes, *bar])
        self._status = ""
        return shown, working

    def draw_for_typing(self, frame: Frame, rows: int, place: int) -> None:
        """Show a frame above `rows` prompts for a typed answer."""
        if not self.in_place:
            self._print_new(frame)
            return
        self._measure()
        self._write(fitted(frame, self._console, self._console.height - rows - _PROMPT_ROWS, place), [])
        self._console.file.write("\n")
        self._console.file.flush()

    def show(self, part: RenderableType) -> None:
        """Print a line below the card, until it is drawn again."""
        self._console.print(part)

    def note(self, text: str, *, keep: bool = False) -> None:
        """Say what just happened, outside the card. What is kept stays on the terminal after the session."""
        if not self.in_place:
            self._console.print(self._line(text, "dim"))
            return
        self._status = text
        if keep:
            self._kept.append(text)

    def forget(self) -> None:
        """Drop the last note that was kept."""
        del self._kept[-1:]

    def close(self) -> None:
        """Clear the card, and print the notes that are kept."""
        if self._started:
            self._console.file.write("\x1b[H\x1b[J")
            for text in self._kept:
                self._console.print(self._line(text, "dim"))
            self._console.file.flush()

    def remark(self, text: str) -> RenderableType:
        """Return a highlighted line of text."""
        return self._line(text.replace("`", ""), "yellow", indent="")

    def spelled(self, text: str) -> str:
        """Return a text in the characters that this screen can show."""
        return in_ascii(text) if self.symbols is ASCII else text

    def key_help(self, keys: Sequence[Binding]) -> RenderableType:
        """Return a table of what each key does."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for binding in keys:
            table.add_row(Text(f"  {binding.shown}", style="bold"), Text(binding.help))
        return table

    def _bar(self, keys: Sequence[Binding]) -> list[RenderableType]:
        """Return the key bar, in lines that do not separate a key from its word."""
        from rich.text import Text

        lines = [Text()]
        for binding in keys:
            entry = Text("  ").append(binding.shown, style="bold").append(f" {binding.brief}", style="dim")
            if lines[-1] and lines[-1].cell_len + entry.cell_len > self._console.width:
                lines.append(Text())
            lines[-1].append_text(entry)
        return list(lines)

    def _print_new(self, frame: Frame) -> None:
        """Print the pieces of a frame that its last print did not have."""
        places = {"head": frame.head, "key": frame.key, "text": frame.text, "foot": frame.foot}
        places["opened"] = [frame.opened] if frame.opened is not None else []
        for place, parts in places.items():
            before = self._printed.get(place, [])
            self._printed[place] = [self._rendered(part) for part in parts]
            for part, rendered in zip(parts, self._printed[place], strict=True):
                if rendered not in before:
                    self._console.print(part)

    def _rendered(self, part: RenderableType) -> str:
        with self._console.capture() as capture:
            self._console.print(part)
        return capture.get()

    def _measure(self) -> None:
        """Read the size of the terminal, which the learner can change at any time."""
        from shutil import get_terminal_size

        size = get_terminal_size()
        self._console.width = max(size.columns, 40)
        self._console.height = size.lines

    def _write(self, shown: Shown, below: Sequence[RenderableType]) -> None:
        """Write the lines of a card from the top left corner, and clear the rest of the screen."""
        from rich.segment import Segment, Segments

        file = self._console.file
        if not self._started:  # what is on the terminal scrolls up and is not lost
            file.write("\n" * self._console.height)
            self._started = True
        lines = [*shown.lines, *(line for part in below for line in self._console.render_lines(part, pad=False))]
        with self._console.capture() as capture:
            for line in lines:
                self._console.print(Segments([*line, Segment.line()]), end="")
        text = capture.get().removesuffix("\n").replace("\n", "\x1b[K\n")
        file.write(f"\x1b[H{text}\x1b[K\x1b[J")
        file.flush()

    def _line(self, text: str, style: str, indent: str = "  ") -> RenderableType:
        from rich.text import Text

        return Text(self.spelled(indent + text), style=style)
