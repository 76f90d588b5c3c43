"""The proof of a sound pack with one fault finds that fault alone, at its file and line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from autodrill.drills.cases import battery
from autodrill.errors import ContentError
from autodrill.grading.verify.many_programs import LARGE_SEEDS
from autodrill.grading.verify.verify import check_prerequisites, prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Pack

    Place = Callable[[Path, str], int]


def found(pack: Pack) -> list[tuple[str, int, str]]:
    proof = prove(pack.library, pack.library.find("cube_backward"), seeds=1)
    return [(p.path, p.line, p.message) for p in proof.problems]


def test_prove_accepts_a_sound_exercise(pack: Pack) -> None:
    pack.add()
    proof = prove(pack.library, pack.library.find("cube_backward"), seeds=2)
    assert proof.problems == ()
    assert (proof.exercise, proof.mistakes, proof.seeds) == ("cube_backward", 2, 2)


def test_prove_finds_a_stub_that_passes(pack: Pack) -> None:
    path = pack.add(exercise=("raise NotImplementedError", "return 3 * x * x * g"))
    assert found(pack) == [(str(path), 11, "the stub passes: leave a part for the candidate to write")]


def test_prove_finds_a_wrong_solution(pack: Pack, place: Place) -> None:
    pack.add(solution=("return slope(x) * g", "return 2 * slope(x) * g"))
    ((path, line, message),) = found(pack)
    assert (path, line) == (str(pack.solution_file()), place(pack.solution_file(), "def cube_backward"))
    assert message.startswith("the worked solution does not pass with seed 0: ")
    assert re.search(r"dx is wrong in 6 of 6 places; dx expected \[\[.*\]\], got \[\[.*\]\]$", message)


def test_prove_shows_the_worst_element_of_a_large_result(pack: Pack) -> None:
    pack.add(solution=("return slope(x) * g", "return slope(x) * g if x.size < 99 else slope(x) * g * (x < 2)"))
    ((_, _, message),) = found(pack)
    assert re.search(
        r"x \(n, m\) · large: dx is wrong in .* places; dx expected \S+ at \[\d+, \d+\], got -?0 at", message
    )


def test_prove_puts_large_cases_under_several_seeds(pack: Pack) -> None:
    pack.add()
    drill = pack.load()
    (large,) = (case for case in battery(drill, LARGE_SEEDS - 1) if case.large)
    first = float(np.float32(large.inputs["x"].flat[0]))
    pack.add(solution=("return slope(x) * g", f"return slope(x) * g * (2 if float(x.flat[0]) == {first!r} else 1)"))

    def problems(seeds: int) -> list[str]:
        proof = prove(pack.library, pack.library.find("cube_backward"), seeds=seeds)
        return [problem.message for problem in proof.problems if "worked solution" in problem.message]

    assert problems(LARGE_SEEDS - 1) == []
    (message,) = problems(LARGE_SEEDS)
    assert message.startswith("the worked solution does not pass with seed 3: x (n, m) · large: dx is wrong in ")


def test_prove_skips_mistakes_of_a_wrong_solution(pack: Pack) -> None:
    # `no-upstream` returns 3x² whatever the solution is; with this one it would get another name.
    pack.add(solution=("return slope(x) * g", "return slope(x)"))
    assert len(found(pack)) == 1


def test_prove_finds_a_solution_that_raises(pack: Pack) -> None:
    pack.add(solution=("return slope(x) * g", "return slop(x) * g"))
    assert "NameError: name 'slop' is not defined" in found(pack)[0][2]


def test_prove_finds_a_mistake_that_passes(pack: Pack, place: Place) -> None:
    pack.add(solution=("return 3 * x * x * x * g", "return g * 3 * x * x"))
    file = pack.solution_file()
    message = "the mistake `square` passes: add a case that catches it, or declare it a remark"
    assert found(pack) == [(str(file), place(file, "def cube_backward(g, x):\n    return g * 3"), message)]


def test_prove_finds_a_mistake_with_an_unknown_name(pack: Pack) -> None:
    pack.add(solution=("return 3 * x * x * x * g", "return 3 * cubed(x) * g"))
    message = "the mistake `square` uses a name that it does not define: NameError: name 'cubed' is not defined"
    assert [said for _, _, said in found(pack)] == [message]


def test_prove_finds_two_indistinguishable_mistakes(pack: Pack, place: Place) -> None:
    pack.add(solution=("return 3 * x * x * x * g", "return 3 * x * x"))
    file = pack.solution_file()
    message = (
        "the mistake `square` is caught, but the report names `no-upstream`: "
        "add a case that tells the mistake apart from others"
    )
    assert found(pack) == [(str(file), place(file, "def cube_backward(g, x):\n    return 3"), message)]


def test_prove_finds_a_remark_that_fails(pack: Pack) -> None:
    pack.add(solution=('"Differentiate x³ by hand."', '"Differentiate x³ by hand.", remark=True'))
    assert [message for _, _, message in found(pack)] == ["the mistake `square` is declared a remark, but it fails"]


def test_prove_finds_a_solution_line_in_a_hint(pack: Pack, place: Place) -> None:
    pack.add(solution=("`... * x * x * g`", "`return slope(x)*g`"))
    file = pack.solution_file()
    message = "hint 3 contains a line of the solution: `returnslope(x)*g`"
    assert found(pack) == [(str(file), place(file, "HINTS"), message)]


def test_prove_finds_a_missing_hint(pack: Pack, place: Place) -> None:
    pack.add(solution=(', "`... * x * x * g`")', ")"))
    ((path, line, message),) = found(pack)
    assert (path, line) == (str(pack.solution_file()), place(pack.solution_file(), "HINTS"))
    assert "`HINTS` must be a tuple of three texts" in message


def test_prove_finds_a_forward_that_raises(pack: Pack) -> None:
    pack.add(solution=("return x * x * x", "return x * x.no_such_thing"))
    ((_, _, message),) = found(pack)
    assert message.startswith("the exercise contradicts itself: the exercise's `forward` raises AttributeError")


def test_prove_finds_an_undeclared_kink(pack: Pack) -> None:
    pack.add(solution=('given("x[n,m]")', 'given("x[2]", x=[0.0, 1.0])'))
    file = pack.solution_file()
    text = file.read_text(encoding="utf-8").replace(
        "return x * x * x\n", "from autodrill import engine\n\n    return engine.relu(x)\n", 1
    )
    file.write_text(text, encoding="utf-8")
    assert "disagree about gradient 0" in found(pack)[0][2]


def test_prove_finds_an_argument_that_nothing_provides(pack: Pack) -> None:
    path = pack.add(exercise=("(g, x)", "(g, x, extra)"))
    file = pack.solution_file()
    file.write_text(
        file.read_text(encoding="utf-8").replace("backward(g, x)", "backward(g, x, extra)"), encoding="utf-8"
    )
    messages = [message for _, _, message in found(pack)]
    assert path.exists()
    assert any("takes `extra`, which its solution file does not provide" in message for message in messages)


def test_prove_finds_a_wrong_signature(pack: Pack, place: Place) -> None:
    pack.add(
        solution=("def cube_backward(g, x):\n    return slope(x) * g", "def cube_backward(x):\n    return slope(x)")
    )
    file = pack.solution_file()
    assert found(pack) == [
        (
            str(file),
            place(file, "def cube_backward(x)"),
            "`cube_backward` takes (x), but the stub takes (g, x): use the stub's parameters",
        )
    ]


def test_prove_refuses_an_unknown_header_key(pack: Pack) -> None:
    path = pack.add(exercise=("minutes = 3", "minutes = 3\n# hard = true"))
    with pytest.raises(ContentError) as caught:
        found(pack)
    assert str(caught.value).startswith(f"{path}:6: unknown key `hard`")


def test_check_prerequisites_finds_a_missing_one(pack: Pack) -> None:
    path = pack.add(exercise=('["chain rule"]', '["chain rule"]\n# requires = ["squre_backward"]'))
    problems = check_prerequisites(pack.library.headings())
    assert [str(p) for p in problems] == [f"{path}:7: the exercise requires `squre_backward`, which does not exist"]


def test_check_prerequisites_finds_a_cycle(pack: Pack) -> None:
    names = ("a", "b", "c")
    paths = [
        pack.add(name, exercise=('["chain rule"]', f'["chain rule"]\n# requires = ["{other}"]'))
        for name, other in zip(names, ("b", "c", "b"), strict=True)
    ]
    problems = check_prerequisites(pack.library.headings())
    message = "the prerequisites of this exercise lead back to the exercise itself"
    assert {(p.path, p.line, p.message) for p in problems} == {(str(path), 7, message) for path in paths[1:]}
