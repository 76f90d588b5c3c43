from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.drills.exercise import Parameter
from autodrill.drills.exercise_files import load_exercise, load_headings
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Pack


def problems(path: Path) -> list[tuple[int, str]]:
    with pytest.raises(ContentError) as caught:
        load_exercise(path)
    assert {p.path for p in caught.value.problems} == {str(path)}
    return [(p.line, p.message) for p in caught.value.problems]


def test_an_exercise_is_read_from_its_path_header_docstring_and_stub(pack: Pack) -> None:
    exercise = load_exercise(pack.add())
    assert (exercise.id, exercise.track, exercise.title) == ("cube_backward", "demo", "Backward of a cube")
    assert exercise.task.startswith("`out = x * x * x`")
    assert exercise.parameters == (Parameter("g"), Parameter("x"))
    assert [parameter.name for parameter in exercise.parameters] == ["g", "x"]


def test_the_stub_is_the_file_without_its_header(pack: Pack) -> None:
    path = pack.add()
    stub = load_exercise(path).stub
    assert stub.startswith('"""`out = x * x * x`')
    assert path.read_text(encoding="utf-8").endswith(f"# ///\n{stub}")


def test_a_default_makes_a_parameter_optional(pack: Pack) -> None:
    exercise = load_exercise(pack.add(exercise=("(g, x)", "(g, /, x, axis=0)")))
    assert exercise.parameters == (Parameter("g"), Parameter("x"), Parameter("axis", optional=True))


def test_a_class_has_no_parameters(pack: Pack) -> None:
    path = pack.add(exercise=("def cube_backward(g, x):", "class cube_backward:"))
    assert load_exercise(path).parameters == ()


def test_a_stub_of_another_name_is_refused_where_the_stub_begins(pack: Pack) -> None:
    path = pack.add(exercise=("def cube_backward", "def cube_forward"))
    assert problems(path) == [(8, "the stub must define `cube_backward` exactly once")]


def test_a_file_without_a_task_is_refused(pack: Pack) -> None:
    path = pack.add(exercise=('"""`out = x * x * x`, and `g` is dL/dout. Return dx."""\n', ""))
    assert problems(path) == [(8, "the task is missing: write it as the file's docstring")]


def test_a_stub_that_is_not_python_is_refused_at_its_line(pack: Pack, place: Callable[[Path, str], int]) -> None:
    path = pack.add(exercise=("raise NotImplementedError", "raise (NotImplementedError"))
    ((line, _),) = problems(path)
    assert line == place(path, "raise (")


def test_a_name_that_cannot_be_typed_is_refused(pack: Pack) -> None:
    path = pack.add().rename(pack.root / "exercises" / "demo" / "Cube-backward.py")
    assert (1, "`Cube-backward` must be lower-case letters, digits and underscores") in problems(path)


def test_a_file_that_is_not_utf8_is_refused_at_its_line(pack: Pack) -> None:
    path = pack.add()
    path.write_bytes(path.read_bytes().replace(b"Backward of", b"R\xfcckseite"))
    assert problems(path) == [(2, "the file is not UTF-8")]


def test_headings_are_read_from_broken_stubs_too(pack: Pack) -> None:
    path = pack.add(exercise=("raise NotImplementedError", "raise ("))
    assert [h.title for h in load_headings([path])] == ["Backward of a cube"]


def test_headings_tell_every_problem_of_every_file(pack: Pack) -> None:
    paths = [pack.add(), pack.add("a", exercise=("minutes = 3", "minutes = 0")), pack.add("b", exercise=("///", "//"))]
    with pytest.raises(ContentError) as caught:
        load_headings(paths)
    assert [(p.path, p.line) for p in caught.value.problems] == [(str(paths[1]), 5), (str(paths[2]), 1)]
