from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.exercise import Parameter
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


def test_a_solution_file_gives_its_record(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    assert solution.explanation == "The slope of x³ is 3x²."
    assert [m.key for m in solution.mistakes] == ["no-upstream", "square"]
    assert len(solution.hints) == 3
    assert solution.forward is not None
    assert solution.forward(2.0) == 8.0


def test_the_worked_solution_and_each_mistake_come_with_their_helpers(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    assert all("def slope" in source for source in (solution.source, solution.mistakes[0].source))
    assert "def slope" not in solution.mistakes[1].source
    assert "mistake" not in solution.mistakes[0].source


def test_a_mistake_knows_its_line(pack: Pack) -> None:
    pack.add()
    solution = pack.load().solution
    lines = pack.solution_file().read_text(encoding="utf-8").splitlines()
    assert [lines[m.line - 1] for m in solution.mistakes] == ["def cube_backward(g, x):"] * 2


def test_a_scenario_is_cut_out_and_its_own_parameters_are_known(pack: Pack) -> None:
    pack.add(solution=("def slope", "def drive(candidate, x, steps=1):\n    return candidate(1.0, x)\n\n\ndef slope"))
    solution = pack.load().solution
    assert solution.drive.startswith("def drive(candidate, x, steps=1):")
    assert solution.drive_parameters == (Parameter("x"), Parameter("steps", optional=True))


def test_a_missing_solution_file_is_named(pack: Pack) -> None:
    pack.add(solution=None)
    assert problems(pack) == [(1, "the solution file of `cube_backward` is missing")]


@pytest.mark.parametrize(
    ("old", "new", "at", "message"),
    [
        ('"`... * x * x * g`")', ")", "HINTS", "`HINTS` must be three texts: the idea, the rule, the line"),
        ('"`... * x * x * g`")', '" ")', "HINTS", "`HINTS` must be three texts: the idea, the rule, the line"),
        ("HINTS = (", "HINTS = 3  # (", "HINTS", "`HINTS` must be three texts: the idea, the rule, the line"),
        ("HINTS = (", "HINT = (", '"""', "`HINTS` must be three texts: the idea, the rule, the line"),
        ("CASES = [", "CASES = 3  # [", "CASES", "`CASES` must be a list of `given(...)` or `@scenario` functions"),
        ('[given("x[n,m]")]', "[]", "CASES", "`CASES` must be a list of `given(...)` or `@scenario` functions"),
        ('"no-upstream"', '"square"', "def cube_backward(g, x):\n    return 3", "the mistake `square` stands twice"),
        (
            "def forward",
            "def backward",
            '"""',
            "it must define `forward`, `expected` or `judge`: what decides what is right",
        ),
        ('"""The slope of x³ is 3x²."""', "", "\n", "the explanation is missing: write it as the file's docstring"),
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
            "`smoth` in `given(...)` is no array of it, no option and no argument of `forward`",
        ),
        ("def slope", 'WRT = "x"\n\n\ndef slope', "WRT", "`WRT` must be a tuple of names"),
        ("def slope", "RESULTS = 3\n\n\ndef slope", "RESULTS", "`RESULTS` must be a tuple of names"),
        ("def slope", "saved = 3\n\n\ndef slope", "saved", "`saved` must be a function"),
    ],
)
def test_a_problem_is_told_at_its_line(pack: Pack, place: Place, old: str, new: str, at: str, message: str) -> None:
    pack.add(solution=(old, new))
    assert problems(pack) == [(place(pack.solution_file(), at), message)]


def test_a_solution_under_another_name_is_missed(pack: Pack) -> None:
    pack.add(solution=("def cube_backward", "def cube"))
    assert problems(pack) == [(1, "it must define the worked solution `cube_backward` once, undecorated; found 0")]


def test_a_mistake_under_another_name_is_told_at_its_line(pack: Pack, place: Place) -> None:
    pack.add(solution=('"Where is g?")\ndef cube_backward', '"Where is g?")\ndef cube'))
    assert problems(pack) == [
        (place(pack.solution_file(), "def cube("), "a mistake is a wrong `cube_backward`; this one has another name")
    ]


def test_a_mistake_whose_words_are_not_literal_is_told_at_its_line(pack: Pack, place: Place) -> None:
    pack.add(solution=('"the exponent stays"', "str(3)"))
    ((line, message),) = problems(pack)
    assert line == place(pack.solution_file(), "def cube_backward(g, x):\n    return 3")
    assert "all literal texts" in message


@pytest.mark.parametrize(
    "passage", ["def cube_backward(g, x):\n    return slope(x) * g", "def cube_backward(g, x):\n    return 3"]
)
def test_an_implementation_with_another_signature_than_the_stub_is_told(pack: Pack, place: Place, passage: str) -> None:
    changed = passage.replace("(g, x)", "(x, g)")
    pack.add(solution=(passage, changed))
    message = "it takes (x, g), but the stub is `cube_backward(g, x)`"
    assert problems(pack) == [(place(pack.solution_file(), changed), message)]


def test_what_the_file_raises_is_told_at_the_line_it_passed_through(pack: Pack, place: Place) -> None:
    pack.add(solution=('given("x[n,m]")', 'given("x[n,m")'))
    ((line, message),) = problems(pack)
    assert line == place(pack.solution_file(), "CASES")
    assert message.startswith("ValueError: `x[n,m` in")


def test_a_file_that_is_not_python_is_told_at_its_line(pack: Pack, place: Place) -> None:
    pack.add(solution=("return x * x * x", "return x * * x"))
    ((line, _),) = problems(pack)
    assert line == place(pack.solution_file(), "return x * * x")


def test_every_problem_is_told_at_once_in_the_order_of_the_file(pack: Pack) -> None:
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
def test_a_drive_may_be_shared_and_is_cut_out_with_what_it_uses(pack: Pack, name: str, cut: str) -> None:
    pack.add(solution=("CASES =", f'both = shared(__file__, "../_both")\ndrive = both.{name}\nCASES ='))
    file = pack.solution_file()
    file.write_text(file.read_text(encoding="utf-8").replace("import given", "import shared, given"), encoding="utf-8")
    text = f"TIMES = 2\n\n\ndef {name}(candidate, g, x):\n    return [candidate(g, x) for _ in range(TIMES)]\n"
    (file.parent.parent / "_both.py").write_text(text, encoding="utf-8")
    solution = pack.load().solution
    assert solution.drive == text + cut
    assert [p.name for p in solution.drive_parameters] == ["g", "x"]
