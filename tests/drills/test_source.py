from __future__ import annotations

import ast

import pytest

from autodrill.drills.source import SourceFile

FILE = '''"""The derivation."""

from __future__ import annotations

import math
import numpy as np
from autodrill.drills import given

SCALE = 2.0
CASES = [given("x[]")]


def unused(x):
    return x


def inner(x):
    return math.sin(x) * SCALE


def outer(x):
    return inner(x) + 1


def answer(g, x):
    return g * outer(x)


@mistake("key", "belief", "hint")
@other
def answer(g, x):
    return outer(np.asarray(x))
'''


@pytest.fixture
def source() -> SourceFile:
    return SourceFile(FILE, "answer.py")


def test_cut_includes_only_the_helpers_it_needs(source: SourceFile) -> None:
    cut = source.cut(source.functions("answer")[0])
    tree = ast.parse(cut)
    assert [ast.unparse(node).split("\n")[0] for node in tree.body] == [
        "import math",
        "SCALE = 2.0",
        "def inner(x):",
        "def outer(x):",
        "def answer(g, x):",
    ]


def test_cut_runs_alone(source: SourceFile) -> None:
    namespace: dict[str, object] = {}
    exec(source.cut(source.functions("answer")[0]), namespace)
    answer = namespace["answer"]
    assert callable(answer)
    assert answer(2.0, 0.0) == 2.0


def test_cut_drops_decorators(source: SourceFile) -> None:
    cut = source.cut(source.functions("answer")[1])
    assert "@" not in cut
    assert "import numpy as np" in cut
    assert cut.count("def answer") == 1


def test_cut_excludes_decorated_helpers() -> None:
    source = SourceFile("@scenario(1)\ndef graph():\n    pass\n\n\ndef answer():\n    return graph()\n", "f.py")
    assert source.cut(source.functions("answer")[0]) == "def answer():\n    return graph()\n"


def test_decorators_have_their_last_name(source: SourceFile) -> None:
    assert [d.decorators for d in source.functions("answer")] == [(), ("mistake", "other")]


def test_cut_excludes_imports_from_autodrill(source: SourceFile) -> None:
    cases = next(d for d in source.definitions if "CASES" in d.defines)
    assert "autodrill" not in source.cut(cases)


def test_cut_counts_lines_across_a_form_feed() -> None:
    source = SourceFile('x = "a\\x0c"\n\x0c\ndef f():\n    return 1\n', "f.py")
    assert source.cut(source.functions("f")[0]) == "def f():\n    return 1\n"


@pytest.mark.parametrize(("text", "line"), [("x = 1\ny = (\n", 2), ("x = 1\ny = 2\0\n", 2)])
def test_source_file_reports_the_line_of_a_syntax_error(text: str, line: int) -> None:
    with pytest.raises(SyntaxError) as caught:
        SourceFile(text, "f.py")
    assert caught.value.lineno == line
