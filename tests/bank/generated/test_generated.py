"""Generated questions: the seed determines them, and the engine and PyTorch agree with every answer."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.generated import GENERATORS, generate, generated
from autodrill.bank.judge import Outcome, judge_number, judge_output
from autodrill.bank.proofs import proofs_of
from autodrill.bank.questions import ChoiceKey, Difficulty, NumericKey, PredictKey
from autodrill.errors import ContentError

if TYPE_CHECKING:
    from autodrill.bank.questions import Question

LEVELS = list(Difficulty)
QUESTIONS = pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.slow)])


def run_proofs(concept: str, count: int, *, torch: bool) -> None:
    """Run the proofs of many questions on the engine or on PyTorch; each raises if it refutes the key."""
    for number in range(count):
        question = generate(concept, LEVELS[number % 3], 6, number)
        proofs = [proof for proof in proofs_of(question) if proof.needs_torch is torch]
        assert len(proofs) == 1, question.id
        if isinstance(question.key, PredictKey):
            assert torch or repr(question.key.output) in question.proofs[0].code, question.id
        proofs[0].run()


@pytest.mark.timeout(300)  # a thousand take a few seconds on an idle machine
@pytest.mark.parametrize("concept", GENERATORS)
@QUESTIONS
def test_engine_agrees_with_generated_answers(concept: str, count: int) -> None:
    run_proofs(concept, count, torch=False)


@pytest.mark.slow
@pytest.mark.torch
@pytest.mark.timeout(300)  # the first one imports PyTorch
@pytest.mark.parametrize("concept", GENERATORS)
def test_pytorch_agrees_with_generated_answers(concept: str) -> None:
    run_proofs(concept, 1000, torch=True)


@pytest.mark.parametrize("concept", GENERATORS)
def test_generated_question_accepts_its_own_answer(concept: str) -> None:
    for number in range(30):
        question = generate(concept, LEVELS[number % 3], 1, number)
        assert question.title
        assert question.body
        assert 3 <= len(question.key_points) <= 6
        assert question.wrong_answers
        assert question.follow_ups
        match question.key:
            case NumericKey() as key:
                for label, want in key.values.items():
                    assert judge_number(key.answers[label], want, key.tolerance).outcome is Outcome.RIGHT
                    assert judge_number(f"{want} + 1", want, key.tolerance).outcome is Outcome.WRONG
            case PredictKey() as key:
                assert judge_output(key.output, key).outcome is Outcome.RIGHT
            case ChoiceKey() as key:
                assert sum(option.right for option in key.options) == 1
                assert len({option.text for option in key.options}) == len(key.options)
            case other:
                raise AssertionError(f"{question.id} has the key {other}")


@pytest.mark.parametrize("concept", GENERATORS)
def test_proof_refutes_the_key_of_another_question(concept: str) -> None:
    # Shows that the proofs above can fail: the proof of another question contradicts this key.
    numbered = (generate(concept, Difficulty.MEDIUM, 2, number) for number in range(40))
    one, other = _two_alike(list(numbered))
    if isinstance(one.key, PredictKey):
        # With PyTorch the printed output is compared. On the engine the proof itself contains the output.
        assert repr(one.key.output) in one.proofs[0].code
        one = replace(one, proofs=(replace(one.proofs[0], code=_swapped(one, other)),))
    else:
        one = replace(one, proofs=other.proofs)
    own = [proof for proof in proofs_of(one) if not proof.needs_torch]
    with pytest.raises((ContentError, AssertionError)):
        own[0].run()


def _swapped(one: Question, other: Question) -> str:
    """The proof of one question with the output of another."""
    assert isinstance(one.key, PredictKey)
    assert isinstance(other.key, PredictKey)
    return one.proofs[0].code.replace(repr(one.key.output), repr(other.key.output))


def _two_alike(found: list[Question]) -> tuple[Question, Question]:
    """Two questions of one kind whose keys are marked differently."""
    return next((a, b) for a in found for b in found if a.kind is b.kind and _marks(a) != _marks(b))


def _marks(question: Question) -> object:
    if isinstance(question.key, ChoiceKey):
        return [option.right for option in question.key.options]
    if isinstance(question.key, PredictKey):
        return question.key.output
    return question.key


def test_generated_questions_depend_on_the_seed_alone() -> None:
    few = list(islice(generated(list(GENERATORS), (), 7), 5))
    many = list(islice(generated(list(GENERATORS), (), 7), 40))
    assert many[:5] == few
    assert len({question.id for question in many}) == 40
    assert few != list(islice(generated(list(GENERATORS), (), 8), 5))


def test_generated_difficulties_go_from_easy_to_hard() -> None:
    levels = [question.difficulty for question in islice(generated(["grad", "modes"], (), 1), 6)]
    assert levels == [level for level in Difficulty for _ in range(2)]
    assert {q.difficulty for q in islice(generated(["grad"], [Difficulty.HARD], 1), 4)} == {Difficulty.HARD}
