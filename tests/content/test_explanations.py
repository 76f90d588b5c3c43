"""The explanation of a worked solution: derivation, cost, PyTorch's way, and the questions asked next."""

from __future__ import annotations

import re

import pytest

from tests.shipped import SHIPPED

EXPLANATIONS = {
    heading.id: SHIPPED.drill(SHIPPED.find(heading.id)).solution.explanation for heading in SHIPPED.headings()
}
LEAST_ASKED = 2
MOST_COLUMNS = 120


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_explanation_has_its_four_parts_in_order(name: str) -> None:
    paragraphs = [paragraph.strip() for paragraph in EXPLANATIONS[name].split("\n\n")]
    heads = [
        next((p for p in paragraphs if p.startswith(f"{head}:")), "") for head in ("Cost", "PyTorch", "Asked next")
    ]
    assert all(heads), heads
    assert paragraphs.index(heads[0]) > 0, "the derivation comes first"
    asked = [p for p in paragraphs[paragraphs.index(heads[2]) + 1 :] if p]
    questions = [item for p in asked for item in re.split(r"(?m)^- ", p) if item.strip()]
    assert len(questions) >= LEAST_ASKED
    for item in questions:
        question, arrow, answer = item.partition(" → ")
        assert arrow
        assert question.strip().endswith("?")
        assert answer.strip()


@pytest.mark.parametrize("name", EXPLANATIONS)
def test_explanation_lines_fit(name: str) -> None:
    assert max(map(len, EXPLANATIONS[name].splitlines())) <= MOST_COLUMNS
