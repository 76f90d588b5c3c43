"""The question bank: every question is well formed, every proof holds, and every key agrees with its proof.

To check one file while writing it: `pytest tests/content/test_questions.py -k "<file name>"`.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from autodrill.bank.proofs import proofs_of
from autodrill.bank.question_files import load_questions, read_file
from autodrill.folders import content_root, visible_files

if TYPE_CHECKING:
    from pathlib import Path

    from autodrill.bank.proofs import Proof

SEED_IDS = [
    "computational-graph",
    "graph-nodes-edges",
    "what-is-autodiff",
    "forward-mode-when",
    "reverse-mode-why",
    "why-acyclic",
    "eager-vs-graph",
    "leaf-vs-nonleaf",
    "detach-semantics",
    "tf-stop-gradient",
    "custom-function-contract",
    "higher-order-create-graph",
    "inplace-dangers",
    "ad-vs-symbolic-vs-fd",
    "inference-vs-training-graph",
    "draw-label-tiny-graph",
    "explain-backprop",
    "mul-backward-code",
    "why-topological-order",
    "gradient-accumulation-quiz",
    "relu-backward-code",
    "gradient-at-kink",
    "heaviside-surrogate",
    "memory-vs-compute",
    "reverse-vs-forward-cost",
    "why-accumulate",
    "vanishing-gradient-diagnosis",
    "argmax-round-differentiable",
    "dynamic-control-flow",
    "backprop-complexity",
    "gradient-checkpointing",
    "retain-graph-use",
    "leaf-variable",
    "autograd-grad-vs-backward",
    "stop-gradient-uses",
    "relu-at-zero",
    "conv-jacobian-sparse",
    "requires-grad-false",
    "custom-loss-when-function",
    "reparameterization-trick",
    "eval-vs-no-grad",
    "complex-autograd",
    "gradient-clipping",
    "backprop-integer-tensor",
    "computation-graphs-significance",
    "static-vs-dynamic-graphs",
    "graph-memory-management",
    "when-to-detach",
    "autodiff-pitfalls",
    "exploding-vanishing-mitigation",
    "graph-parallelism",
    "partial-backprop-multiple-losses",
    "multiple-output-nodes",
    "second-derivatives-cost",
    "sparse-embedding-gradients",
    "debugging-gradients",
    "custom-op-practices",
    "hardware-acceleration-graphs",
    "tensor-vs-numpy",
    "requires-grad-meaning",
    "module-must-implement",
    "sequential-vs-subclass",
    "training-step-skeleton",
    "dataloader-purpose",
    "move-to-gpu",
    "eval-and-no-grad",
    "detach-vs-item",
    "ce-vs-bce-logits",
    "checkpoint-state-dict",
    "torch-compile-overview",
    "amp-overview",
    "custom-function-when",
    "pytorch-vs-tensorflow",
    "zero-grad-trick",
]

ERRORS = range(1, 64)

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


def test_bank_has_every_question_of_the_sources() -> None:
    assert sorted(set(SEED_IDS) - {question.id for question in QUESTIONS}) == []


def test_bank_corrects_each_error_of_the_sources_once() -> None:
    told = Counter(read.error for question in QUESTIONS for read in question.commonly_read)
    missing = [number for number in ERRORS if number not in told]
    repeated = [number for number, times in told.items() if times > 1]
    unknown = [number for number in told if number not in ERRORS]
    assert (missing, repeated, unknown) == ([], [], [])


def test_exercises_of_questions_are_named_by_id() -> None:
    named = {exercise for question in QUESTIONS for exercise in question.exercises}
    assert [name for name in named if not re.fullmatch(r"[a-z0-9_]+", name)] == []
