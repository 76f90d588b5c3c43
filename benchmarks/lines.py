"""The number of lines of an exercise, by kind: stub and solution file without prose.

Run `python benchmarks/lines.py [--exercises]`. Only lines with code count. Prose is the comments and the header, the
docstrings, the hints, the texts of a mistake (an `edit` counts as one line), and the reasons in `EQUIVALENT`.
"""

from __future__ import annotations

import argparse
import ast
import io
import statistics
import tokenize
from typing import TYPE_CHECKING

from autodrill.drills.library import Library
from autodrill.drills.solution_file import solution_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.drills.exercise import Heading

_NOTHING = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
_PROSE = {"HINTS", "EQUIVALENT"}


def code_lines(text: str) -> int:
    """Return the number of lines of a file that hold code."""
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NOTHING:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - set(_prose_lines(ast.parse(text))))


def lines_of(exercise: Heading) -> int:
    """Return the number of lines of both files of an exercise that hold code."""
    return sum(code_lines(path.read_text(encoding="utf-8")) for path in (exercise.path, solution_path(exercise)))


def _prose_lines(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of docstrings and of `_PROSE`, and those of each decorator and each `edit` after its first."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                yield from _lines(node)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in _PROSE:
                yield from _lines(node)
            case ast.Call(func=ast.Name(id="edit")):
                yield from _lines(node)[1:]
            case ast.FunctionDef() | ast.ClassDef():
                for decorator in node.decorator_list:
                    yield from _lines(decorator)[1:]


def _lines(node: ast.stmt | ast.expr) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def main() -> None:
    """Print the numbers by kind, and with `--exercises` for each exercise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exercises", action="store_true", help="print each exercise too")
    options = parser.parse_args()
    by_kind: dict[str, list[tuple[int, str]]] = {}
    for exercise in Library.open(environ={}).headings():
        by_kind.setdefault(exercise.kind, []).append((lines_of(exercise), f"{exercise.track}/{exercise.id}"))
    print(f"{'kind':18}{'exercises':>9}{'least':>7}{'median':>8}{'most':>6}")
    for kind, rows in sorted(by_kind.items(), key=lambda item: statistics.median(n for n, _ in item[1])):
        counts = [n for n, _ in rows]
        print(f"{kind:18}{len(rows):9}{min(counts):7}{statistics.median(counts):8.0f}{max(counts):6}")
        if options.exercises:
            print("".join(f"{n:12}  {name}\n" for n, name in sorted(rows)), end="")


if __name__ == "__main__":
    main()
