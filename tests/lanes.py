"""The fast lane, `pytest -m "not slow"`: under a minute on two cores, with a telling test of every part.

A test is slow by its own mark, or because it repeats for other inputs what a test of the fast lane shows.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LONGEST", "SAMPLED", "in_order", "mark_repetitions"]

SAMPLED: dict[str, str | int] = {
    "bank/generated": 4,
    "cli": "module",
    "cli/test_app.py": "test",
    "cli/test_bindings.py": "all",
    "cli/test_every_screen.py": "none",
    "cli/test_quiz_screens.py": "none",
    "cli/test_sitting.py": "all",
    "content/test_explanations.py": 12,
    "content/test_questions.py": 4,
    "drills/test_mutants.py": "test",
    "engine": 4,
    "engine/test_behaviour.py": 12,
    "engine/test_documented_errors.py": 12,
    "engine/test_examples.py": 12,
    "engine/test_names.py": 12,
    "engine/test_registry.py": 6,
    "engine/test_sources.py": 12,
    "engine/test_torch.py": "none",
    "engine/transforms/test_vmap_walk.py": 12,
    "grading": "test",
    "grading/test_batch.py": "module",
    "grading/test_bounds.py": "class",
    "grading/test_kinds.py": "class",
    "grading/verify": "module",
    "render": 4,
    "sandbox": "test",
    "sandbox/attacks/test_attacks.py": "none",
    "sandbox/attacks/test_families.py": "all",
    "sandbox/child": 4,
    "sandbox/test_runner.py": "class",
    "sandbox/test_runner_ends.py": "class",
    "test_scaled_clock.py": "none",
}
"""What the fast lane takes of a folder or file below `tests`; the longest path decides.

`module` and `class`: the first test of each. `test`: each test with its first parameters. A number n: each test with
its first parameters, and with every n-th after them. `all` and `none` mean all and no tests, and elsewhere it takes
all. No test that needs PyTorch or JAX is in the fast lane: their imports alone take seconds.
"""

BY_EXERCISE = ("tests/content/test_exercises.py", "tests/grading/diagnosis/test_precision_rules.py")
"""Files whose tests grade the same exercises again and again."""

LONGEST = ("test_quality.py", "sandbox/attacks")
"""Below `tests`, what runs first: it holds tests of up to a minute, which at the end would leave one core idle."""


def in_order(items: list[pytest.Item]) -> None:
    """Put the folders and files with the longest tests first, and the tests of an exercise next to one another.

    The cases of an exercise are then made once, and not once for each test of it.
    """
    items.sort(key=_exercise_of)
    paths = tuple(f"tests/{path}" for path in LONGEST)
    items.sort(key=lambda item: not item.nodeid.startswith(paths))


def _exercise_of(item: pytest.Item) -> tuple[str, str]:
    """Return the file of a test, and the exercise that it grades if `tests.shipped` keeps the cases."""
    path = item.nodeid.partition("::")[0]
    if path not in BY_EXERCISE:
        return path, ""
    given = vars(item)["callspec"].params if "callspec" in vars(item) else {}
    if "path" in given:
        return path, str(given["path"].parts[-3])
    drill = given.get("drill")
    exercise = given.get("exercise") if drill is None else drill.exercise
    return path, getattr(exercise, "id", "")


def mark_repetitions(items: Iterable[pytest.Item]) -> None:
    """Mark each test as slow that the fast lane leaves out without a mark of its own."""
    seen: Counter[str] = Counter()
    for item in items:
        module, _, test = item.nodeid.removeprefix("tests/").partition("::")
        lane = _lane(module)
        level: dict[str | int | None, str] = {
            "module": module,
            "class": f"{module}::{test.partition('::')[0]}",
            None: item.nodeid,
            "all": item.nodeid,
        }
        sample = level.get(lane, f"{module}::{test.partition('[')[0]}")
        every = lane if isinstance(lane, int) else None
        at = seen[sample]
        left_out = at > 0 if every is None else at % every > 0
        if lane == "none" or left_out or any(map(item.get_closest_marker, ("torch", "jax"))):
            item.add_marker(pytest.mark.slow)
        if not item.get_closest_marker("slow") or left_out:
            seen[sample] += 1


def _lane(module: str) -> str | int | None:
    paths = [path for path in SAMPLED if f"{module}/".startswith(f"{path}/")]
    return SAMPLED[max(paths, key=len)] if paths else None
