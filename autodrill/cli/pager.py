"""Long output on a terminal, shown with the learner's pager."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from autodrill.render.plain import ascii_only, in_ascii, say

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["page"]


def page(lines: Sequence[str]) -> None:
    """Print lines. If a terminal has fewer rows, show them with $PAGER, or with `less` if that is not set."""
    if sys.stdout.isatty() and len(lines) >= os.get_terminal_size(sys.stdout.fileno()).lines:
        import shlex
        import shutil
        import subprocess

        command = shlex.split(os.environ.get("PAGER") or "less")
        if command and shutil.which(command[0]):
            text = "\n".join([*lines, ""])
            # `less` shows colours as such and leaves at once if all fits.
            environ = {"LESS": "FRX", **os.environ}
            text = in_ascii(text) if ascii_only(sys.stdout) else text
            sys.stdout.flush()
            subprocess.run(command, input=text, encoding="utf-8", env=environ, check=False)  # noqa: S603 the learner's own pager
            return
    for line in lines:
        say(line)
