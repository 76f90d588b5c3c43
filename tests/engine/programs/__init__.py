"""Programs that run on the engine and on PyTorch, in one table, by the item of the list of semantics they are of.

A row is an item, a sentence, and a function of a library (see `libraries`) that returns what is to be compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ITEMS", "PROGRAMS", "program"]

ITEMS = (
    *("leaf", "retain_grad", "accumulation", "zero_grad", "detach", "requires_grad_", "no_grad", "enable_grad"),
    *("inference_mode", "tensor hooks", "node hooks", "post-accumulate hooks", "saved_tensors_hooks", "retain_graph"),
    *("in-place", "views", "in-place on views", "create_graph", "allow_unused", "grad_outputs", "save_for_backward"),
    *("mark_dirty", "mark_non_differentiable", "once_differentiable", "needs_input_grad", "jvp", "checkpoint"),
    *("nested checkpoint", "checkpoint under create_graph", "checkpoint with random state", "NaN", "complex"),
)

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(item: str, says: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    def enter(run: Callable[[Any], Any]) -> Callable[[Any], Any]:
        assert item in ITEMS
        PROGRAMS[f"{item}: {says}"] = run
        return run

    return enter


from tests.engine.programs import functions, graph  # noqa: E402, F401 - each enters its rows
