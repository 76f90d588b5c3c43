"""A slice of PyTorch's own operation samples: the first two of each operation; `benchmarks/opdb.py` takes twenty."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.opdb.agreement import Comparison, compare, load_op_db, samples, served, without_equivalent
from tests.engine.opdb.calls import ABSENT, CALLS, MISSES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.torch,
    pytest.mark.timeout(300),  # a busy machine takes a while to import the samples
]


@pytest.fixture(scope="module")
def operations(torch: Any) -> list[Any]:
    return load_op_db()


def test_most_differentiable_names_have_an_equivalent(operations: list[Any]) -> None:
    """Of the 487 names of PyTorch 2.13 there are 463. Each of the others has a reason."""
    count, missing = without_equivalent(operations, CALLS)
    assert count - len(missing) >= 440
    assert missing == set(ABSENT)


@pytest.mark.parametrize("name", CALLS)
def test_engine_agrees_with_pytorch_on_its_samples(torch: Any, operations: list[Any], name: str) -> None:
    variants = served(operations, name, CALLS)
    assert variants, "PyTorch has no such operation, or each of its variants has a call of its own"
    compared: list[Comparison] = [
        compare(torch, op, CALLS[name], samples(torch, op, 2, spread=False)) for op in variants
    ]
    checks = [check for comparison in compared for check in comparison.checks]
    assert [c for c in checks if not c.agrees and (c.name, c.mode) not in MISSES] == []
    assert checks or all(comparison.left_out for comparison in compared)
