"""A wrong key breaks the build: two keys of each kind here; the script `broken_keys.py` tries 20 at random, or all."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from autodrill.bank.proofs import proofs_of
from autodrill.bank.question_files import load_questions
from autodrill.bank.questions import Kind
from tests.content.broken_keys import breaks, noticed

if TYPE_CHECKING:
    from pathlib import Path

KEYED = [question for question in load_questions() if question.key is not None]


def test_break_exists_for_every_key() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in {question.path for question in KEYED}}
    assert [question.id for question in KEYED if not breaks(question, texts[question.path])] == []


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.RECALL])
def test_proof_refutes_broken_key(kind: Kind, tmp_path: Path) -> None:
    rng = random.Random(kind)
    of_kind = [q for q in KEYED if q.kind is kind and not any(proof.needs_torch for proof in proofs_of(q))]
    for question in rng.sample(of_kind, 2):
        for broken in breaks(question, question.path.read_text(encoding="utf-8")):
            assert noticed(question, broken, tmp_path), f"{question.id}: {broken.what}"


def test_proof_accepts_unbroken_key(tmp_path: Path) -> None:
    question = next(q for q in KEYED if q.kind is Kind.NUMERIC)
    broken = breaks(question, question.path.read_text(encoding="utf-8"))[0]
    lines = question.path.read_text(encoding="utf-8").splitlines()
    same = type(broken)("nothing", broken.first, broken.last, tuple(lines[broken.first : broken.last]))
    assert noticed(question, same, tmp_path) is None
