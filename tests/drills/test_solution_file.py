from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.source import Parameter
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Pack

    Place = Callable[[Path, str], int]


def problems(pack: Pack) -> list[tuple[int, str]]:
    with pytest.raises(ContentError) as caught:
        pack.load()
    assert {p.path for p in caught.value.problems} == {str(pack.solution_file())}
    return [(p.line, p.message) for p in caught.value.problems]


def test_load_solution_returns_the_record(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    assert solution.explanation == "The slope of x³ is 3x²."
    assert [m.key for m in solution.mistakes] == ["no-upstream", "square"]
    assert len(solution.hints) == 3
    assert solution.forward is not None
    assert solution.forward(2.0) == 8.0


def test_solution_and_mistakes_include_their_helpers(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    assert all("def slope" in source for source in (solution.source, solution.mistakes[0].source))
    assert "def slope" not in solution.mistakes[1].source
    assert "mistake" not in solution.mistakes[0].source


def test_mistake_has_its_line(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    lines = pack.solution_file().read_text(encoding="utf-8").splitlines()
    assert [lines[m.line - 1] for m in solution.mistakes] == ["def cube_backward(g, x):"] * 2


def test_drive_has_its_source_and_parameters(pack: Pack) -> None:
    pack.add(solution=("def slope", "def drive(candidate, x, steps=1):\n    return candidate(1.0, x)\n\n\ndef slope"))
    solution = pack.load().solution
    assert solution.drive.startswith("def drive(candidate, x, steps=1):")
    assert solution.drive_parameters == (Parameter("x"), Parameter("steps", optional=True))


def test_load_solution_reports_a_missing_file(pack: Pack) -> None:
    pack.add(solution=None)
    assert problems(pack) == [(1, "the solution file of `cube_backward` is missing: write it here")]


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ('"`... * x * x * g`")', ")", "HINTS", "`HINTS` must be a tuple of three texts: the idea, the rule, the line"),
        (
            '"`... * x * x * g`")',
            '" ")',
            "HINTS",
            "`HINTS` must be a tuple of three texts: the idea, the rule, the line",
        ),
        (
            "HINTS = (",
            "HINTS = 3  # (",
            "HINTS",
            "`HINTS` must be a tuple of three texts: the idea, the rule, the line",
        ),
        ("HINTS = (", "HINT = (", '"""', "`HINTS` must be a tuple of three texts: the idea, the rule, the line"),
        (
            "CASES = [",
            "CASES = 3  # [",
            "CASES",
            "`CASES` must be a non-empty list of `given(...)` and `@scenario` functions",
        ),
        (
            '[given("x[n,m]")]',
            "[]",
            "CASES",
            "`CASES` must be a non-empty list of `given(...)` and `@scenario` functions",
        ),
        (
            '"no-upstream"',
            '"square"',
            "def cube_backward(g, x):\n    return 3",
            "another mistake has the key `square`: choose a new key",
        ),
        (
            "def forward",
            "def backward",
            '"""',
            "nothing decides which answers are right: define `forward`, `expected` or `judge`",
        ),
        ('"""The slope of x³ is 3x²."""', "", "\n", "the explanation is missing: write it as the file's docstring"),
        ("is 3x²", r"is \x1b[2J3x²", '"""', "the explanation contains the control character `\\x1b`: remove it"),
        ("Each factor", r"\u202eEach factor", "HINTS", "`HINTS` contains the control character `\\u202e`: remove it"),
        ("def slope", "raise SystemExit(0)\n\n\ndef slope", "raise", "SystemExit: 0"),
        (
            "def slope",
            'WRT = ("y",)\n\n\ndef slope',
            "WRT",
            "`WRT` names `y`, which is not an array of every `given(...)`",
        ),
        (
            'given("x[n,m]")',
            'given("x[n,m]", smoth=False)',
            "CASES",
            "`smoth` in `given(...)` is neither an array of this `given` nor an option nor an argument of `forward`",
        ),
        ("def slope", 'WRT = "x"\n\n\ndef slope', "WRT", "`WRT` must be a tuple of names"),
        ("def slope", "RESULTS = 3\n\n\ndef slope", "RESULTS", "`RESULTS` must be a tuple of names"),
        ("def slope", "saved = 3\n\n\ndef slope", "saved", "`saved` must be a function"),
    ],
)
def test_load_solution_reports_a_problem_at_its_line(
    pack: Pack, place: Place, old: str, new: str, at: str, message: str
) -> None:
    pack.add(solution=(old, new))
    assert problems(pack) == [(place(pack.solution_file(), at), message)]


def test_load_solution_interrupts_a_loop(pack: Pack, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autodrill.drills.solution_file._SECONDS", 0.2)
    pack.add(solution=("def slope", "while True:\n    pass\n\n\ndef slope"))
    ((line, message),) = problems(pack)
    assert message == "the file runs too long: it takes more than 0.2 s"
    assert line - place(pack.solution_file(), "while True") in {0, 1}


def test_load_solution_needs_the_worked_solution(pack: Pack) -> None:
    pack.add(solution=("def cube_backward", "def cube"))
    assert problems(pack) == [
        (1, "the file must define the worked solution `cube_backward` once, undecorated; found 0")
    ]


def test_load_solution_rejects_a_mistake_of_another_name(pack: Pack, place: Place) -> None:
    pack.add(solution=('"Where is g?")\ndef cube_backward', '"Where is g?")\ndef cube'))
    assert problems(pack) == [
        (
            place(pack.solution_file(), "def cube("),
            "the definition of the mistake has the wrong name: call it `cube_backward`",
        )
    ]


def test_load_solution_rejects_a_mistake_without_literals(pack: Pack, place: Place) -> None:
    pack.add(solution=('"the exponent stays"', "str(3)"))
    ((line, message),) = problems(pack)
    assert line == place(pack.solution_file(), "def cube_backward(g, x):\n    return 3")
    assert message.endswith("with literal strings")


@pytest.mark.parametrize(
    "passage", ["def cube_backward(g, x):\n    return slope(x) * g", "def cube_backward(g, x):\n    return 3"]
)
def test_load_solution_rejects_another_signature(pack: Pack, place: Place, passage: str) -> None:
    changed = passage.replace("(g, x)", "(x, g)")
    pack.add(solution=(passage, changed))
    message = "`cube_backward` takes (x, g), but the stub takes (g, x): use the stub's parameters"
    assert problems(pack) == [(place(pack.solution_file(), changed), message)]


def test_load_solution_reports_the_line_of_an_exception(pack: Pack, place: Place) -> None:
    pack.add(solution=('given("x[n,m]")', 'given("x[n,m")'))
    ((line, message),) = problems(pack)
    assert line == place(pack.solution_file(), "CASES")
    assert message.startswith("ValueError: `x[n,m` in")


def test_load_solution_reports_the_line_of_a_syntax_error(pack: Pack, place: Place) -> None:
    pack.add(solution=("return x * x * x", "return x * * x"))
    ((line, _),) = problems(pack)
    assert line == place(pack.solution_file(), "return x * * x")


def test_load_solution_reports_all_problems_in_file_order(pack: Pack) -> None:
    pack.add(solution=("HINTS", "HINT"))
    file = pack.solution_file()
    file.write_text(
        file.read_text(encoding="utf-8").replace("CASES", "CASE").replace('"the exponent stays"', "str(3)"),
        encoding="utf-8",
    )
    found = problems(pack)
    assert len(found) == 3
    assert found == sorted(found, key=lambda problem: problem[0])


@pytest.mark.parametrize(("name", "cut"), [("drive", ""), ("twice", "\n\ndrive = twice\n")])
def test_shared_drive_is_cut_out_with_its_helpers(pack: Pack, name: str, cut: str) -> None:
    pack.add(solution=("CASES =", f'both = shared(__file__, "../_both")\ndrive = both.{name}\nCASES ='))
    file = pack.solution_file()
    file.write_text(file.read_text(encoding="utf-8").replace("import given", "import shared, given"), encoding="utf-8")
    text = f"TIMES = 2\n\n\ndef {name}(candidate, g, x):\n    return [candidate(g, x) for _ in range(TIMES)]\n"
    (file.parent.parent / "_both.py").write_text(text, encoding="utf-8")
    solution = pack.load().solution
    assert solution.drive == text + cut
    assert [p.name for p in solution.drive_parameters] == ["g", "x"]


EDIT = 'MISTAKES = [edit("linear", "the slope is 3x", "What is (x³)\'?", {change})]\nCASES ='


def edited(pack: Pack, change: str) -> None:
    path = pack.add(solution=("CASES =", EDIT.format(change=change))).parents[2]
    file = path / "solutions" / "demo" / "cube_backward.py"
    file.write_text(file.read_text(encoding="utf-8").replace("import given", "import edit, given"), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ('"np.square(x) -> x"', "    return 3 * x"),
        ('"return 3 ... -> return x"', "    return x"),
        ('"3 * ->", "np.square -> np.sqrt"', "    return  np.sqrt(x)"),
    ],
)
def test_edit_changes_the_worked_solution(pack: Pack, place: Place, change: str, line: str) -> None:
    edited(pack, change)
    solution = pack.load().solution
    mistake = solution.mistakes[-1]
    assert line in mistake.source.splitlines()
    assert len(set(mistake.source.splitlines()) ^ set(solution.source.splitlines())) == 2
    assert (mistake.key, mistake.line) == ("linear", place(pack.solution_file(), "MISTAKES"))


def test_edit_may_use_an_import_of_the_file(pack: Pack) -> None:
    edited(pack, '"np.square(x) -> math.pow(x, 2)"')
    file = pack.solution_file()
    file.write_text(
        file.read_text(encoding="utf-8").replace("import numpy", "import math\nimport numpy"), encoding="utf-8"
    )
    solution = pack.load().solution
    assert "import math" not in solution.source
    assert "import math" in solution.mistakes[-1].source.splitlines()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('"cubed -> x"', "the change `cubed -> x` of the mistake `linear` occurs 0 times in the worked solution"),
        ('"x -> y"', "the change `x -> y` of the mistake `linear` occurs 4 times in the worked solution"),
        ('"np.square(x)"', "the change `np.square(x)` of the mistake `linear` is no `old -> new`"),
        ('"-> x"', "the change `-> x` of the mistake `linear` is no `old -> new`"),
        ('"3 * -> 3 *("', "the mistake `linear` is not valid Python: '(' was never closed"),
        ("", "`MISTAKES` must be a list of `edit(...)`, each with a change `old -> new`"),
    ],
)
def test_edit_without_one_place_is_a_problem(pack: Pack, place: Place, change: str, message: str) -> None:
    edited(pack, change)
    assert problems(pack) == [(place(pack.solution_file(), "MISTAKES"), message)]


def test_edit_cannot_take_the_key_of_another_mistake(pack: Pack, place: Place) -> None:
    edited(pack, '"np.square(x) -> x"')
    file = pack.solution_file()
    file.write_text(file.read_text(encoding="utf-8").replace('"linear"', '"square"'), encoding="utf-8")
    message = "another mistake has the key `square`: choose a new key"
    assert problems(pack) == [(place(file, "MISTAKES"), message)]
