from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.exercise import Difficulty, kind_names, load_exercise, load_headings, parse_header
from autodrill.drills.source import Parameter
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Pack


def problems(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(ContentError) as caught:
        load_exercise(path)
    assert {p.path for p in caught.value.problems} == {str(path)}
    return [(p.line, p.message) for p in caught.value.problems]


def test_load_exercise_reads_path_header_task_and_stub(pack: Pack) -> None:
    exercise = load_exercise(pack.add())
    assert (exercise.id, exercise.track, exercise.title) == ("cube_backward", "demo", "Backward of a cube")
    assert exercise.task.startswith("`out = x * x * x`")
    assert exercise.parameters == (Parameter("g"), Parameter("x"))
    assert [parameter.name for parameter in exercise.parameters] == ["g", "x"]


def test_stub_is_the_file_without_its_header(pack: Pack) -> None:
    path = pack.add()
    stub = load_exercise(path).stub
    assert stub.startswith('"""`out = x * x * x`')
    assert path.read_text(encoding="utf-8").endswith(f"# ///\n{stub}")


def test_parameter_with_a_default_is_optional(pack: Pack) -> None:
    exercise = load_exercise(pack.add(exercise=("(g, x)", "(g, /, x, axis=0)")))
    assert exercise.parameters == (Parameter("g"), Parameter("x"), Parameter("axis", optional=True))


def test_class_stub_has_no_parameters(pack: Pack) -> None:
    path = pack.add(exercise=("def cube_backward(g, x):", "class cube_backward:"))
    assert load_exercise(path).parameters == ()


def test_load_exercise_rejects_a_stub_of_another_name(pack: Pack) -> None:
    path = pack.add(exercise=("def cube_backward", "def cube_forward"))
    assert problems(path) == [(8, "the stub must define `cube_backward` exactly once; found 0")]


def test_load_exercise_rejects_a_missing_task(pack: Pack) -> None:
    path = pack.add(exercise=('"""`out = x * x * x`, and `g` is dL/dout. Return dx."""\n', ""))
    assert problems(path) == [(8, "the task is missing: write it as the file's docstring")]


def test_load_exercise_reports_a_syntax_error_at_its_line(pack: Pack, place: Callable[[Path, str], int]) -> None:
    path = pack.add(exercise=("raise NotImplementedError", "raise (NotImplementedError"))
    ((line, _),) = problems(path)
    assert line == place(path, "raise (")


def test_load_exercise_rejects_an_invalid_id(pack: Pack) -> None:
    path = pack.add().rename(pack.root / "exercises" / "demo" / "Cube-backward.py")
    assert (
        1,
        "`Cube-backward` is not an id: name the file with lower-case letters, digits and underscores",
    ) in problems(path)


def test_load_exercise_reports_the_line_that_is_not_utf8(pack: Pack) -> None:
    path = pack.add()
    path.write_bytes(path.read_bytes().replace(b"Backward of", b"R\xfcckseite"))
    assert problems(path) == [(2, "the file is not UTF-8: save it as UTF-8")]


@pytest.mark.parametrize("sign", ["\x1b", "\x07", "\x9b", "\u202e", "\u2066"])
@pytest.mark.parametrize("passage", ["Backward of", "is dL/dout", "raise Not"])
def test_load_exercise_rejects_a_control_character(pack: Pack, sign: str, passage: str) -> None:
    path = pack.add(exercise=(passage, f"# {sign}{passage}"))
    line = path.read_text(encoding="utf-8").partition(sign)[0].count("\n") + 1
    assert problems(path) == [(line, f"the file contains the control character `{ascii(sign)[1:-1]}`: remove it")]


def test_load_exercise_rejects_an_escape_in_the_task(pack: Pack) -> None:
    path = pack.add(exercise=("is dL/dout", r"\x1b[31mis dL/dout"))
    assert problems(path) == [(8, "the task contains the control character `\\x1b`: remove it")]


def test_load_exercise_allows_tabs_and_form_feeds(pack: Pack) -> None:
    assert "\t\f" in load_exercise(pack.add(exercise=("raise Not", "x = '\t\f'\n    raise Not"))).stub


def test_load_exercise_reports_deep_nesting(pack: Pack) -> None:
    path = pack.add(exercise=("raise NotImplementedError", f"return {'-' * 100_000}g"))
    assert problems(path) == [(8, "the code is nested too deeply")]


@pytest.mark.parametrize("name", ["Cube-backward", "cube\x1b[31m", "cube\nbackward"])
def test_load_headings_rejects_an_invalid_id(pack: Pack, name: str) -> None:
    path = pack.add().rename(pack.root / "exercises" / "demo" / f"{name}.py")
    with pytest.raises(ContentError, match="is not an id"):
        load_headings([path])


def test_load_headings_rejects_a_control_character_in_a_folder(pack: Pack) -> None:
    pack.add()
    folder = (pack.root / "exercises" / "demo").rename(pack.root / "exercises" / "de\x1bmo")
    with pytest.raises(ContentError, match=r"its folder contains the control character `\\x1b`"):
        load_headings([folder / "cube_backward.py"])


def test_load_headings_ignores_a_broken_stub(pack: Pack) -> None:
    path = pack.add(exercise=("raise NotImplementedError", "raise ("))
    assert [h.title for h in load_headings([path])] == ["Backward of a cube"]


def test_load_headings_reports_every_problem(pack: Pack) -> None:
    paths = [pack.add(), pack.add("a", exercise=("minutes = 3", "minutes = 0")), pack.add("b", exercise=("///", "//"))]
    with pytest.raises(ContentError) as caught:
        load_headings(paths)
    assert [(p.path, p.line) for p in caught.value.problems] == [(str(paths[1]), 5), (str(paths[2]), 1)]


# The header

PATH = Path("cube.py")
LINES = (
    "# /// autodrill",
    '# title = "Backward of a cube"',
    '# kind = "backward"',
    '# difficulty = "easy"',
    "# minutes = 3",
    '# topics = ["chain rule"]',
    '# requires = ["square"]',
    "# ///",
)


def text(number: int = 1, line: str | None = LINES[0]) -> str:
    """Return a valid file in which one line of the header is replaced or missing."""
    lines = [*LINES[: number - 1], *([line] if line is not None else []), *LINES[number:]]
    return "\n".join([*lines, '"""The task."""', ""])


def test_parse_header_returns_the_heading() -> None:
    header, problems = parse_header(text(), PATH)
    assert problems == []
    assert header is not None
    heading = header.heading
    assert (heading.title, heading.kind, heading.difficulty) == ("Backward of a cube", "backward", Difficulty.EASY)
    assert (heading.minutes, heading.topics, heading.requires) == (3, ("chain rule",), ("square",))
    assert (header.entry, header.lines) == ("", 8)


def test_parse_header_allows_missing_prerequisites() -> None:
    header, _ = parse_header(text(7, None), PATH)
    assert header is not None
    assert header.heading.requires == ()


@pytest.mark.parametrize(
    ("number", "line", "message"),
    [
        (2, "# title = 3", '`title` must be a string, such as `"Backward of a product"`'),
        (
            3,
            '# kind = "forward"',
            f"`kind` is `forward`; it must be one of {', '.join(kind_names())}",
        ),
        (4, '# difficulty = "trivial"', "`difficulty` is `trivial`; it must be one of easy, medium, hard, expert"),
        (5, "# minutes = 0", "`minutes` must be a whole number, at least 1"),
        (5, "# minutes = true", "`minutes` must be a whole number, at least 1"),
        (5, "# minutes = 2.5", "`minutes` must be a whole number, at least 1"),
        (6, '# topics = "chain rule"', '`topics` must be a list of strings, such as `["chain rule"]`'),
        (7, "# requires = [1]", '`requires` must be a list of strings, such as `["mul_backward"]`'),
        (
            7,
            '# require = ["square"]',
            "unknown key `require`; the keys are title, kind, difficulty, entry, minutes, topics, requires",
        ),
    ],
)
def test_parse_header_reports_a_problem_at_its_line(number: int, line: str, message: str) -> None:
    header, problems = parse_header(text(number, line), PATH)
    assert header is None
    assert [(p.line, p.message) for p in problems] == [(number, message)]


@pytest.mark.parametrize(
    ("number", "line"),
    [
        (2, 'title = "Backward of a product"'),
        (3, 'kind = "backward"'),
        (4, 'difficulty = "easy"'),
        (5, "minutes = 5"),
        (6, 'topics = ["chain rule"]'),
    ],
)
def test_parse_header_reports_a_missing_key(number: int, line: str) -> None:
    _, problems = parse_header(text(number, None), PATH)
    key = line.split(maxsplit=1)[0]
    assert [str(p) for p in problems] == [f"cube.py:1: the header lacks `{key}`: add a line such as `# {line}`"]


def test_parse_header_reports_every_problem() -> None:
    spoiled = text(5, "# minutes = 0").replace('"easy"', '"trivial"').replace('"backward"', '"forward"')
    _, problems = parse_header(spoiled, PATH)
    assert sorted(p.line for p in problems) == [3, 4, 5]


@pytest.mark.parametrize("line", ["# minutes = = 3", '# title = "again"'])
def test_parse_header_reports_invalid_toml_at_its_line(line: str) -> None:
    _, problems = parse_header(text(5, line), PATH)
    assert [p.line for p in problems] == [5]
    assert "not valid TOML" in problems[0].message


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"# x = {'[' * 100_000}{']' * 100_000}", "the header is nested too deeply"),
        (f"# x = {'9' * 5000}", "the header is not valid TOML: Exceeds the limit"),
    ],
)
def test_parse_header_survives_a_bomb(line: str, message: str) -> None:
    _, problems = parse_header(text(5, line), PATH)
    assert [p.line for p in problems] == [1]
    assert problems[0].message.startswith(message)


@pytest.mark.parametrize(
    ("number", "line"), [(2, r'# title = "\u001b[2JPASS"'), (6, r'# topics = ["chain rule", "\u202eelur"]')]
)
def test_parse_header_rejects_escapes_of_control_characters(number: int, line: str) -> None:
    _, problems = parse_header(text(number, line), PATH)
    assert [p.line for p in problems] == [number]
    assert "contains the control character" in problems[0].message


@pytest.mark.parametrize("body", ["", "x = 1\n", text()[1:], " " + text(), text(8, None)])
def test_parse_header_rejects_a_file_without_a_block(body: str) -> None:
    _, problems = parse_header(body, PATH)
    assert [p.line for p in problems] == [1]
    assert "begin the file with a block" in problems[0].message
