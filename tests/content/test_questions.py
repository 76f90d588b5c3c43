"""The question bank: every question is well formed, every proof holds, and every key agrees with its proof.

To check one file while writing it: `pytest tests/content/test_questions.py -k "<file name>"`.
"""

from __future__ import annotations

import re
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.bank.proofs import proofs_of
from autodrill.bank.question_files import load_questions, read_file
from autodrill.bank.questions import ChoiceKey
from autodrill.bank.retired import retired_questions
from autodrill.folders import content_root, visible_files

if TYPE_CHECKING:
    from pathlib import Path

    from autodrill.bank.proofs import Proof
    from autodrill.bank.questions import Question

FILES = visible_files(content_root() / "questions", ".md")
# A malformed file fails its own test below. The questions of the other files are collected all the same.
QUESTIONS = [question for path in FILES for question in read_file(path)[0]]


def proof_params() -> list[Any]:
    return [
        pytest.param(
            proof,
            id=f"{question.path.name}:{question.id}:{proof.label}",
            marks=[pytest.mark.slow, pytest.mark.torch] if proof.needs_torch else [],
        )
        for question in QUESTIONS
        for proof in proofs_of(question)
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_question_file_is_well_formed(path: Path) -> None:
    _, problems = read_file(path)
    assert not problems, "\n" + "\n".join(str(problem) for problem in problems)


@pytest.mark.timeout(120)  # on a busy machine the first proof takes 30 s to import PyTorch and its compiler
@pytest.mark.parametrize("proof", proof_params())
def test_proof_holds(proof: Proof) -> None:
    proof.run()


def test_question_ids_are_unique() -> None:
    assert len(load_questions()) == len({question.id for question in load_questions()})


def words(question: Question) -> int:
    """The words of a card with all its parts, without its code."""
    options = question.key.options if isinstance(question.key, ChoiceKey) else ()
    texts = [question.title, question.body, question.answer, *question.key_points, *question.wrong_answers]
    texts += [f"{option.text} {option.explanation}" for option in options]
    texts += [f"{read.claim} {read.fact}" for read in question.commonly_read]
    texts += [f"{more.question} {more.answer or ''}" for more in question.follow_ups]
    prose = [re.sub(r"(?ms)^\s*```.*?^\s*```", "", text) for text in texts]
    return sum(any(c.isalnum() for c in word) for text in prose for word in text.split())


def test_cards_are_short() -> None:
    counts = {question.id: words(question) for question in QUESTIONS}
    assert median(counts.values()) <= 250
    assert {identity: count for identity, count in counts.items() if count > 400} == {}


def test_right_option_is_not_known_by_its_length() -> None:
    right = chance = 0.0
    choices = [question.key.options for question in QUESTIONS if isinstance(question.key, ChoiceKey)]
    for options in choices:
        longest = max(len(option.text) for option in options)
        named = [option.right for option in options if len(option.text) == longest]
        right += sum(named) / len(named)
        chance += 1 / len(options)
    assert right / len(choices) <= chance / len(choices) + 0.05


def test_retired_questions_are_gone_and_lead_to_questions() -> None:
    asked = {question.id for question in QUESTIONS}
    retired = retired_questions()
    assert asked.isdisjoint(retired)
    assert {old.instead for old in retired.values()} <= asked | {""}


def test_exercises_of_questions_are_named_by_id() -> None:
    named = {exercise for question in QUESTIONS for exercise in question.exercises}
    assert [name for name in named if not re.fullmatch(r"[a-z0-9_]+", name)] == []


def test_questions_mark_which_points_are_a_bonus() -> None:
    unmarked = []
    for question in QUESTIONS:
        text = "\n".join(question.path.read_text(encoding="utf-8").splitlines()[question.line - 1 :])
        points = text.partition("### Key points\n")[2].partition("\n### ")[0]
        if len(question.key_points) > 3 and "\n+ " not in points:
            unmarked.append(question.id)
    assert unmarked == []
