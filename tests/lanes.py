"""The fast lane, `pytest -m "not slow"`: under a minute on two cores, with a telling test of every part.

A test is slow by its own mark, or because it repeats for other inputs what a test of the fast lane shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LONGEST", "SAMPLED", "longest_first", "mark_repetitions"]

SAMPLED = {
    "cli": "module",
    "cli/test_app.py": "test",
    "cli/test_bindings.py": "all",
    "cli/test_sitting.py": "all",
    "drills/test_mutants.py": "test",
    "engine/test_torch.py": "test",
    "grading": "test",
    "grading/test_batch.py": "module",
    "grading/test_bounds.py": "class",
    "grading/test_kinds.py": "class",
    "grading/verify": "module",
    "sandbox": "test",
    "sandbox/attacks/test_attacks.py": "none",
    "sandbox/attacks/test_families.py": "all",
    "sandbox/child": "all",
    "sandbox/test_runner.py": "class",
    "sandbox/test_runner_ends.py": "class",
}
"""What the fast lane takes of a folder or file below `tests`; the longest path decides.

`module` and `class`: the first test of each. `test`: each test with its first parameters. `all` and `none` mean all and
no tests. Elsewhere it takes all, except the tests that need PyTorch.
"""

LONGEST = ("test_quality.py", "sandbox/attacks")
"""Below `tests`, what runs first: it holds tests of up to a minute, which at the end would leave one core idle."""


def longest_first(items: list[pytest.Item]) -> None:
    """Put the folders and files with the longest tests first."""
    paths = tuple(f"tests/{path}" for path in LONGEST)
    items.sort(key=lambda item: not item.nodeid.startswith(paths))


def mark_repetitions(items: Iterable[pytest.Item]) -> None:
    """Mark each test as slow that the fast lane leaves out without a mark of its own."""
    taken: set[str] = set()
    for item in items:
        module, _, test = item.nodeid.removeprefix("tests/").partition("::")
        lane = _lane(module)
        level = {
            "module": module,
            "class": f"{module}::{test.partition('::')[0]}",
            "test": f"{module}::{test.partition('[')[0]}",
        }
        sample = level.get(lane or "", item.nodeid)
        needs_torch = item.get_closest_marker("torch") is not None
        if sample in taken or lane == "none" or (needs_torch and lane is None):
            item.add_marker(pytest.mark.slow)
        elif not item.get_closest_marker("slow"):
            taken.add(sample)


def _lane(module: str) -> str | None:
    paths = [path for path in SAMPLED if f"{module}/".startswith(f"{path}/")]
    return SAMPLED[max(paths, key=len)] if paths else None
