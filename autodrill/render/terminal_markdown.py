"""Markdown for the terminal: nothing is cut, code looks like code, and text is never parsed as rich markup or HTML."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, ClassVar

from autodrill.render.plain import in_ascii

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult
    from rich.markdown import Markdown

__all__ = ["markdown"]


def markdown(text: str, *, style: str = "none", numbered: bool = False) -> Markdown:
    """Return a renderable of Markdown.

    Args:
        text: CommonMark with tables. HTML is treated as text, so that `f<g` stays whole.
        style: A rich style for the whole text.
        numbered: Whether lines of code are numbered, for questions that ask for a line.
    """
    return _classes()[numbered](text, style=style, hyperlinks=False, code_theme="ansi_dark")


@cache
def _classes() -> tuple[type[Markdown], type[Markdown]]:
    """Make the subclasses on first use, so that rich is imported only to print."""
    from markdown_it import MarkdownIt
    from rich.markdown import CodeBlock, Markdown
    from rich.padding import Padding
    from rich.syntax import Syntax

    class Code(CodeBlock):
        numbered = False

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            code = Syntax(
                str(self.text).rstrip(),
                self.lexer_name,
                theme=self.theme,
                word_wrap=True,
                line_numbers=self.numbered,
                background_color="default",
            )
            yield Padding(code, (0, 0, 0, 0 if self.numbered else 2), expand=False)

    class NumberedCode(Code):
        numbered = True

    class Text(Markdown):
        elements: ClassVar = {**Markdown.elements, "fence": Code, "code_block": Code}

        def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
            # rich's own parser drops HTML: `f<g and g>h` would lose its middle.
            text = in_ascii(self.markup) if options.ascii_only else self.markup  # before lines are broken
            self.parsed = MarkdownIt("commonmark", {"html": False}).enable("table").parse(text)
            if console.no_color or console.color_system is None:
                # Without colour, backticks set code apart from prose.
                for token in self._flatten_tokens(self.parsed):
                    if token.type == "code_inline":
                        token.content = f"`{token.content}`"
            yield from super().__rich_console__(console, options)

    class NumberedText(Text):
        elements: ClassVar = {**Markdown.elements, "fence": NumberedCode, "code_block": NumberedCode}

    return Text, NumberedText
