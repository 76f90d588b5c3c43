"""Mutants that pass: reports of survivors, and declarations that a mutant is equivalent."""

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


def test_prove_finds_no_survivor_with_good_cases(pack: Pack) -> None:
    proof = proved(pack, 'CASES = [given("x[n,m]")]')
    assert (proof.survivors, proof.equivalent, proof.problems) == (0, 0, ())
    assert proof.mutants >= 10


def test_prove_reports_a_survivor_at_its_line(pack: Pack, place: Place) -> None:
    proof = proved(pack, WEAK)
    file = pack.solution_file()
    reported = {p.message: (p.path, p.line) for p in proof.problems if KEY in p.message}
    message = (
        f"the mutant `{KEY}` passes: add cases with negative values, which the mutant fails, "
        "or say in `EQUIVALENT` why the mutant computes the same result"
    )
    assert reported == {message: (str(file), place(file, "return 3 * np.square(x)"))}
    assert proof.survivors == len([p for p in proof.problems if "passes: add" in p.message and "mutant" in p.message])


def test_prove_excuses_a_mutant_declared_equivalent(pack: Pack) -> None:
    before = proved(pack, WEAK)
    after = proved(pack, f'{WEAK}\nEQUIVALENT = {{"{KEY}": "1 is its own square"}}')
    assert (after.survivors, after.equivalent) == (before.survivors - 1, 1)
    assert not any(KEY in p.message for p in after.problems)


TRANSPOSED = "transpose: slope(x) * g -> (slope(x) * g).T"


@pytest.mark.parametrize(("dims", "survives"), [("n", False), ("1,1", True)])
def test_prove_excuses_the_transpose_of_a_vector(pack: Pack, dims: str, survives: bool) -> None:
    proof = proved(pack, f'CASES = [given("x[{dims}]")]')
    assert any(TRANSPOSED in p.message for p in proof.problems) is survives
    assert (proof.survivors > 0, proof.equivalent) == (survives, 0)


def test_prove_finds_a_declaration_without_need(pack: Pack) -> None:
    proof = proved(pack, f'CASES = [given("x[n]")]\nEQUIVALENT = {{"{TRANSPOSED}": "it has one axis"}}')
    assert [p.message for p in proof.problems] == [f"`EQUIVALENT` lists `{TRANSPOSED}`, but no mutant needs this entry"]


def test_prove_reports_a_stale_declaration(pack: Pack, place: Place) -> None:
    proof = proved(pack, f'CASES = [given("x[n,m]")]\nEQUIVALENT = {{"{KEY}": "1 is its own square"}}')
    file = pack.solution_file()
    assert [(p.path, p.line, p.message) for p in proof.problems] == [
        (str(file), place(file, "EQUIVALENT"), f"`EQUIVALENT` lists `{KEY}`, but no mutant needs this entry")
    ]


def test_solution_file_requires_reasons_in_equivalent(pack: Pack, place: Place) -> None:
    pack.add(solution=("CASES =", "EQUIVALENT = {'sign: a -> b': 1}\nCASES ="))
    with pytest.raises(ContentError) as caught:
        pack.load()
    line = place(pack.solution_file(), "EQUIVALENT")
    assert f":{line}: `EQUIVALENT` must be a dict from mutants to the reasons why" in str(caught.value)


def test_prove_reports_a_judge_that_a_mutant_breaks(pack: Pack, place: Place) -> None:
    judge = 'def judge(dx, x):\n    return {x.shape: None}[dx.shape]\n\n\nCASES = [given("x[n,m]")]'
    pack.add(exercise=('kind = "backward"', 'kind = "program"'), solution=('CASES = [given("x[n,m]")]', judge))
    proof = prove(pack.library, pack.library.find("cube_backward"), seeds=1)
    file = pack.solution_file()
    key = "transpose: slope(x) * g -> (slope(x) * g).T"
    assert [(p.path, p.line) for p in proof.problems if f"the mutant `{key}` cannot be graded: " in p.message] == [
        (str(file), place(file, "    return slope(x) * g"))
    ]
