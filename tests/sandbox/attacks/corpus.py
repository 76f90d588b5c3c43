"""The corpus: hostile files, which are right only if their attack succeeds, and honest files of unusual style."""

from __future__ import annotations

import codecs
import platform
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["SCORE", "Submission", "honest", "hostile", "tricks"]

FOLDER = Path(__file__).parents[2] / "corpus" / "attacks"
EXERCISE = "mul_broadcast_backward"

SCORE = frozenset({"forging", "patching", "memory", "lying", "gaming"})
"""The families that attack the verdict, which process separation must stop. The others attack the machine."""


@dataclass(frozen=True, slots=True)
class Submission:
    """One file of the corpus.

    Attributes:
        family: Its target; the name of its folder.
        name: The name of the file.
        exercise: The id of its exercise.
        text: Its text, with placeholders `@NAME@`.
        needs: What the machine must have; empty if nothing.
        not_live: Why it may fail even without protection; empty if it succeeds.
    """

    family: str
    name: str
    exercise: str
    text: bytes
    needs: str = ""
    not_live: str = ""

    @property
    def title(self) -> str:
        """Family and name."""
        return f"{self.family}/{self.name}"

    def source(self, values: Mapping[str, str]) -> bytes:
        """Return the file with its placeholders filled in.

        Args:
            values: The value of each `@NAME@`.
        """
        text = self.text
        for key, value in values.items():
            text = text.replace(f"@{key}@".encode(), value.encode())
        return text

    def is_possible(self) -> bool:
        """Whether this machine has what the file needs."""
        match self.needs:
            case "":
                return True
            case "x86_64":
                return platform.machine() == "x86_64"
            case path if path.startswith("/"):
                return Path(path).exists()
            case module:
                return find_spec(module) is not None


def hostile(families: Iterable[str] = ()) -> list[Submission]:
    """Return the hostile files, of some families or of all, in order."""
    wanted = set(families)
    return [
        _read(path, path.parent.name)
        for path in sorted(FOLDER.glob("*/*.py"))
        if path.parent.name in wanted or (not wanted and path.parent.name != "honest")
    ]


def honest() -> list[Submission]:
    """Return the honest files, in order."""
    return [_read(path, "honest") for path in sorted((FOLDER / "honest").glob("*.py"))]


def _read(path: Path, family: str) -> Submission:
    text = path.read_bytes()
    header = {}
    for line in text.decode("utf-8-sig").splitlines():
        if not line.startswith("#"):
            break
        key, _, value = line[1:].partition(":")
        header[key.strip()] = value.strip()
    if b"def attempt(" in text:
        text += b"\n\n" + _epilogue()
    needs = header.get("needs", header.get("machine", ""))
    return Submission(family, path.stem, header.get("exercise", EXERCISE), text, needs, header.get("not live", ""))


@cache
def _epilogue() -> bytes:
    return (FOLDER / "epilogue.py").read_bytes()


def tricks() -> list[Submission]:
    """Return files that are hard to read or compile. They are generated, because they are large or not text.

    All of them are wrong. The grader must give a verdict in time, and without harm to itself.
    """
    wrong = b"def mul_broadcast_backward(g, a, b):\n    return a * 0 + 7, b * 0 + 7\n"
    texts = {
        "bidirectional_text": "# \u202e\u2066 ) cte ,a * g( :nruter\n".encode() + wrong,
        "byte_order_mark_inside": wrong + codecs.BOM_UTF8 + b"x = 1\n",
        "null_byte": wrong + b"x = '\0'\n",
        "null_byte_first": b"\0" + wrong,
        "not_utf8": wrong + b"x = '\xff\xfe'\n",
        "utf16": codecs.BOM_UTF16_LE + wrong.decode().encode("utf-16-le"),
        "cookie_of_an_unknown_coding": b"# coding: autodrill-attack\n" + wrong,
        "cookie_of_a_coding_that_is_none": b"# coding: rot13\n" + wrong,
        "cookie_with_escapes": b"# coding: unicode_escape\n" + wrong + b"# \\ngarbage(\n",
        "cookie_of_utf7": b"# coding: utf-7\n" + wrong + b"# +AAo-import os\n",
        "line_of_ten_megabytes": b"x = '" + b"a" * 10_000_000 + b"'\n" + wrong,
        "million_lines": b"x = 1\n" * 1_000_000 + wrong,
        "parentheses_nested": b"x = " + b"(" * 100_000 + b")" * 100_000 + b"\n" + wrong,
        "operators_nested": b"x = " + b"-" * 200_000 + b"1\n" + wrong,
        "attributes_nested": b"def f(x):\n    return x" + b".a" * 100_000 + b"\n" + wrong,
        "blocks_nested": b"".join(b" " * i + b"if 1:\n" for i in range(150)) + b" " * 150 + b"pass\n" + wrong,
        "decimal_of_a_million_digits": b"x = " + b"9" * 1_000_000 + b"\n" + wrong,
        "power_folded_by_the_compiler": b"x = ((2 ** 100) ** 100) ** 100 ** 100\n" + wrong,
        "string_folded_by_the_compiler": b"x = 'a' * 10 ** 12\n" + wrong,
        "formatted_strings_nested": b"x = f'{" + b"1" * 200_000 + b"}'\n" + wrong,
        "names_of_a_megabyte": b"a" * 1_000_000 + b" = 1\n" + wrong,
        "tabs_and_spaces": b"if 1:\n\tx = 1\n        y = 2\n" + wrong,
        "form_feeds_and_odd_line_ends": b"x = 1\x0c\r" + wrong.replace(b"\n", b"\r"),
        "end_of_file_within_a_string": wrong + b'"""',
        "nothing": b"",
        "exercise_named_twice": wrong + b"mul_broadcast_backward = 7\n",
        "homoglyph_name": wrong.replace(b"mul_", "mul\u02cd".encode()),
    }
    return [Submission("source", name, EXERCISE, text) for name, text in texts.items()]
