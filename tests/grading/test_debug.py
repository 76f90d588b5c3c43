"""Debugging of a candidate's file on a terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from textwrap import dedent


class TestDebugging:
    def test_pdb_stops_in_the_candidates_code_and_at_an_exception(self) -> None:
        script = """
            from autodrill.grading.debug import debug
            source = b"def helper(x):\\n    return 1 / x\\ndef f(x):\\n    y = x * 2\\n    return helper(y - y)\\n"
            print("END", debug(source, "/home/someone/f.py", "f", "def drive(c, x):\\n    return c(x)", [3.0]))
        """
        screen = on_a_terminal(dedent(script), ["list", "p x", "next", "p y", "continue", "p x", "quit"])
        assert "->\t    y = x * 2" in screen
        assert "3.0" in screen
        assert "6.0" in screen
        assert "ZeroDivisionError" in screen
        assert "> /home/someone/f.py(2)helper()" in screen
        assert "debugger.py" not in screen
        assert "END Raised(type='ZeroDivisionError'" in screen

    def test_quit_in_pdb_shows_no_traceback(self) -> None:
        script = """
            from autodrill.grading.debug import debug
            print("END", debug(b"class f:\\n    def __init__(self):\\n        self.x = 1\\n", "f.py", "f", None, []))
        """
        screen = on_a_terminal(dedent(script), ["quit"])
        assert "->" in screen
        assert "Traceback (most recent call last)" not in screen
        assert "END Raised(type='BdbQuit'" in screen


def on_a_terminal(script: str, typed: list[str]) -> str:
    """Run a script on a terminal of its own, type a line at each prompt of pdb, and return the screen."""
    terminal, theirs = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", script], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    screen = b""
    while select.select([terminal], [], [], 20)[0]:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # Linux: the other end is closed
            part = b""
        if not part:
            break
        screen += part
        if screen.endswith(b"(Pdb) "):
            os.write(terminal, typed.pop(0).encode() + b"\n" if typed else b"quit\n")
    os.close(terminal)
    process.wait(20)
    return screen.decode()
