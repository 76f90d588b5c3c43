"""A small slice of the random programs of `benchmarks/fuzz_engine.py`."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.torch, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def fuzz(torch: Any) -> Iterator[Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of poles, and of PyTorch's own deprecations
        from benchmarks import fuzz_engine

        yield fuzz_engine


@pytest.mark.parametrize(("part", "count"), [("programs", 12), ("writes", 25), ("mapped", 25), ("nestings", 3)])
def test_random_programs_agree_with_pytorch(fuzz: Any, part: str, count: int) -> None:
    counts: Counter[str] = Counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [str(one) for seed in range(count) for one in fuzz.PARTS[part](seed, counts)]
    assert found == []
    agreed = sum(number for word, number in counts.items() if "agrees" in word)
    assert agreed >= 0.8 * sum(number for word, number in counts.items() if word not in {"lines", "operations"})


def test_fuzzer_reduces_a_wrong_gradient_to_one_step(fuzz: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    modes: Any = sys.modules["benchmarks.fuzzing.modes"]
    right, their_gradient = modes.SINGLE["gradient"]

    def wrong(program: Any, point: Any) -> list[Any]:
        return [g * (1.01 if "tanh" in program.names() else 1) for g in right(program, point)]

    monkeypatch.setitem(modes.SINGLE, "gradient", (wrong, their_gradient))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        drawn = (fuzz.programs.draw_program(seed, "first") for seed in range(200))
        program = next(program for program in drawn if "tanh" in program.names())
        found = fuzz.differences.compare(program, "gradient")
        assert found.word == "unexplained"
        smallest = fuzz.differences.smallest(program, "gradient", found)
    assert smallest.program.names() == ["tanh"]
    assert "# tanh-" in str(smallest)
