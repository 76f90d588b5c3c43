"""Mutants that pass are found, told at their line, and excused only by an argument that still applies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from autodrill.errors import ContentError
from autodrill.grading.verify.verify import prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from autodrill.grading.verify.verify import Proof
    from tests.conftest import Pack

    Place = Callable[[Path, str], int]

WEAK = 'CASES = [given("x[2]", x=[1.0, 1.0])]'
KEY = "function: np.square(x) -> x"


def proved(pack: Pack, cases: str) -> Proof:
    pack.add(solution=('CASES = [given("x[n,m]")]', cases))
    return prove(pack.library, pack.library.find("cube_backward"), seeds=2)


def test_cases_of_every_kind_leave_no_survivor(pack: Pack) -> None:
    proof = proved(pack, 'CASES = [given("x[n,m]")]')
    assert (proof.survivors, proof.equivalent, proof.problems) == (0, 0, ())
    assert proof.mutants >= 10


def test_a_survivor_is_told_at_its_line_with_what_would_catch_it(pack: Pack, place: Place) -> None:
    proof = proved(pack, WEAK)
    file = pack.solution_file()
    told = {p.message: (p.path, p.line) for p in proof.problems if KEY in p.message}
    message = (
        f"the mutant `{KEY}` passes: add cases with negative values: there it fails, "
        "or say in `EQUIVALENT` why it computes the same"
    )
    assert told == {message: (str(file), place(file, "return 3 * np.square(x)"))}
    assert proof.survivors == len([p for p in proof.problems if "passes: add" in p.message and "mutant" in p.message])


def test_an_argued_mutant_is_no_survivor(pack: Pack) -> None:
    before = proved(pack, WEAK)
    after = proved(pack, f'{WEAK}\nEQUIVALENT = {{"{KEY}": "1 is its own square"}}')
    assert (after.survivors, after.equivalent) == (before.survivors - 1, 1)
    assert not any(KEY in p.message for p in after.problems)


def test_an_argument_about_no_mutant_that_passes_is_stale(pack: Pack, place: Place) -> None:
    proof = proved(pack, f'CASES = [given("x[n,m]")]\nEQUIVALENT = {{"{KEY}": "1 is its own square"}}')
    file = pack.solution_file()
    assert [(p.path, p.line, p.message) for p in proof.problems] == [
        (str(file), place(file, "EQUIVALENT"), f"`EQUIVALENT` excuses `{KEY}`, but no such mutant passes")
    ]


def test_an_argument_must_be_words(pack: Pack, place: Place) -> None:
    pack.add(solution=("CASES =", "EQUIVALENT = {'sign: a -> b': 1}\nCASES ="))
    with pytest.raises(ContentError) as caught:
        pack.load()
    line = place(pack.solution_file(), "EQUIVALENT")
    assert f":{line}: `EQUIVALENT` must map mutants to the reasons why" in str(caught.value)


def test_a_judge_that_a_mutant_breaks_is_told(pack: Pack, place: Place) -> None:
    judge = 'def judge(dx, x):\n    return {x.shape: None}[dx.shape]\n\n\nCASES = [given("x[n,m]")]'
    pack.add(exercise=('kind = "backward"', 'kind = "program"'), solution=('CASES = [given("x[n,m]")]', judge))
    proof = prove(pack.library, pack.library.find("cube_backward"), seeds=1)
    file = pack.solution_file()
    key = "transpose: slope(x) * g -> (slope(x) * g).T"
    assert [(p.path, p.line) for p in proof.problems if f"the mutant `{key}` cannot be graded: " in p.message] == [
        (str(file), place(file, "    return slope(x) * g"))
    ]
