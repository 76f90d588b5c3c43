"""The fast lane, `pytest -m "not slow"`: under a minute on two cores, with a telling test of every part.

A test is slow by its own mark, or because it repeats for other inputs what a test of the fast lane shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["SAMPLED", "mark_repetitions"]

SAMPLED = {
    "cli": "module",
    "cli/test_app.py": "test",
    "cli/test_bindings.py": "all",
    "cli/test_sitting.py": "all",
    "drills/test_mutants.py": "test",
    "engine/test_torch.py": "test",
    "grading": "test",
    "grading/test_batch.py": "module",
    "grading/verify": "module",
    "sandbox": "test",
    "sandbox/attacks/test_attacks.py": "none",
    "sandbox/attacks/test_families.py": "all",
    "sandbox/child": "all",
}
"""What the fast lane takes of a folder or file below `tests`; the longest path decides.

`module`: the first test of each module. `test`: each test with its first parameters. `all` and `none` mean all and no
tests. Elsewhere it takes all, except the tests that need PyTorch.
"""


def mark_repetitions(items: Iterable[pytest.Item]) -> None:
    """Mark each test as slow that the fast lane leaves out without a mark of its own."""
    taken: set[str] = set()
    for item in items:
        module, _, test = item.nodeid.removeprefix("tests/").partition("::")
        lane = _lane(module)
        sample = {"module": module, "test": f"{module}::{test.partition('[')[0]}"}.get(lane or "", item.nodeid)
        needs_torch = item.get_closest_marker("torch") is not None
        if sample in taken or lane == "none" or (needs_torch and lane is None):
            item.add_marker(pytest.mark.slow)
        elif not item.get_closest_marker("slow"):
            taken.add(sample)


def _lane(module: str) -> str | None:
    paths = [path for path in SAMPLED if f"{module}/".startswith(f"{path}/")]
    return SAMPLED[max(paths, key=len)] if paths else None
