"""The screen of a quiz session: cards that scroll, with a key bar and notes below them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from autodrill.render.plain import ASCII, in_ascii, symbols_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType

    from autodrill.cli.bindings import Binding

__all__ = ["Screen"]


class Screen:
    """A console for one quiz session.

    Args:
        console: The console to print on.
        in_place: Whether printed lines can be erased and redrawn. That takes single keys and a terminal that is not
            dumb.
    """

    def __init__(self, console: Console, *, in_place: bool) -> None:
        self._console = console
        self._in_place = in_place and console.is_terminal and not console.is_dumb_terminal
        self._lines = 0
        self.symbols = symbols_for(console.file)

    def show(self, part: RenderableType) -> None:
        """Print a part of a card; it stays on the screen."""
        self._draw(part)

    def note(self, text: str) -> None:
        """Print a line about what just happened, outside the card."""
        self._draw(self._line(f"  {text}", "dim"))

    def remark(self, text: str) -> RenderableType:
        """Return a highlighted line of text."""
        return self._line(text.replace("`", ""), "yellow")

    def spelled(self, text: str) -> str:
        """Return a text in the characters that this screen can show."""
        return in_ascii(text) if self.symbols is ASCII else text

    @contextlib.contextmanager
    def key_bar(self, keys: Sequence[Binding]) -> Iterator[None]:
        """Show the key bar inside the context, and erase it at the end."""
        from rich.text import Text

        bar = Text("  ")
        for binding in keys:
            bar.append(binding.shown, style="bold")
            bar.append(f" {binding.brief}", style="dim")
            bar.append("  ")
        bar.rstrip()
        before = self._lines
        self._draw("")
        self._draw(bar)
        try:
            yield
        finally:
            self._erase(before)

    def key_help(self, keys: Sequence[Binding]) -> None:
        """Print what each key does."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for binding in keys:
            table.add_row(Text(binding.shown, style="bold"), Text(binding.help))
        self._draw(table)

    @contextlib.contextmanager
    def redrawn(self) -> Iterator[Callable[[RenderableType], None]]:
        """Yield a function that replaces everything printed since the context began."""
        before = self._lines

        def draw(part: RenderableType) -> None:
            # Lines that have scrolled off the top cannot be erased. The part is then printed again below.
            if self._lines - before < self._console.height:
                self._erase(before)
            self._draw(part)

        yield draw

    def _draw(self, part: RenderableType) -> None:
        self._lines += len(self._console.render_lines(part, pad=False))
        self._console.print(part)

    def _erase(self, before: int) -> None:
        """Erase all lines after the first `before` ones."""
        if self._in_place and self._lines > before:
            self._console.file.write(f"\x1b[{self._lines - before}F\x1b[J")
            self._console.file.flush()
            self._lines = before

    def _line(self, text: str, style: str) -> RenderableType:
        from rich.text import Text

        return Text(self.spelled(text), style=style)
