"""Tests of a sample, run over many: one test for each operation, since thousands cost more to count than to run."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.engine.samples import Sample

__all__ = ["each"]


def each(samples: Iterable[Sample]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Put samples to a test that takes a `sample`, all of one operation in one test; a failure tells which it was."""
    of: dict[str, list[Sample]] = {}
    for sample in samples:
        of.setdefault(sample.name, []).append(sample)

    def over_all(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def walk(*, sample: list[Sample], **fixtures: Any) -> None:
            for one in sample:
                try:
                    test(sample=one, **fixtures)
                except Exception as error:
                    error.add_note(f"the sample: {one}")
                    raise

        walked: Callable[..., None] = pytest.mark.parametrize("sample", of.values(), ids=list(of))(walk)
        return walked

    return over_all
