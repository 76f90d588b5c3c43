"""The work of operations on lists is proportional to the number of elements, forward and backward."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, ops

if TYPE_CHECKING:
    from collections.abc import Callable


def indexed(x: Any) -> Any:
    return sum(x[k] * x[k : k + 1] for k in range(len(x)))


def written(x: Any, n: int) -> Any:
    out = [x * 1 for _ in range(n)]
    for part in out:
        part[:] = x
    return engine.concatenate(out)


CALLS: dict[str, Callable[[Any, int], Any]] = {
    "chunk": lambda x, n: engine.concatenate(engine.chunk(engine.tile(x, n), n)),
    "column_stack": lambda x, n: engine.column_stack([x] * n),
    "concatenate": lambda x, n: engine.concatenate([x] * n),
    "dstack": lambda x, n: engine.dstack([x] * n),
    "einsum": lambda x, n: engine.einsum(",".join(["a"] * n) + "->a", *[x] * n),
    "hstack": lambda x, n: engine.hstack([x] * n),
    "split": lambda x, n: engine.concatenate(engine.split(engine.tile(x, n), n)),
    "stack": lambda x, n: engine.stack([x] * n),
    "tensor_split": lambda x, n: engine.concatenate(engine.tensor_split(engine.tile(x, n), n)),
    "unstack": lambda x, n: engine.stack(engine.unstack(engine.tile(x, n))),
    "vstack": lambda x, n: engine.vstack([x] * n),
    "a loop over a tensor": lambda x, n: sum(row * 2 for row in engine.tile(x, n)),
    "a loop over an index": lambda x, n: indexed(engine.tile(x, n)),
    "writes in a loop": written,
}
LARGE_BY_NATURE = {
    "block_diag": "of N blocks the result has N² of them",
    "meshgrid": "of N vectors every result has N axes",
    "multi_dot": "the best order of N products is found in N³ steps, as in NumPy",
}


def work(call: Callable[[], Any]) -> int:
    """Return the number of Python calls, plus the number of elements of the arrays that they made and returned."""
    calls = 0
    made: dict[int, Any] = {}

    def count(_: Any, event: str, result: Any) -> None:
        nonlocal calls
        if event == "call":
            calls += 1
        elif event == "return" and type(result) is np.ndarray and result.base is None:
            made[id(result)] = result  # kept, so that no other array gets its id

    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return calls + sum(int(array.size) for array in made.values())


@pytest.mark.parametrize("name", CALLS)
def test_list_operations_take_linear_work(name: str) -> None:
    def once(n: int) -> int:
        x = Tensor(np.ones(1), requires_grad=True)
        return work(lambda: engine.sum(CALLS[name](x, n)).backward())

    once(2)  # imports
    assert once(400) <= 2.2 * once(200)


def test_every_operation_on_lists_is_counted() -> None:
    found = set()
    for name in ops.names():
        operation = getattr(ops, name)
        signature = inspect.signature(getattr(operation, "forward", operation))
        parts = [str(p.annotation) for p in signature.parameters.values()] + [str(signature.return_annotation)]
        several = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
        if several or any("Sequence[Array]" in part or "list[" in part for part in parts):
            found.add(name)
    assert found <= {*CALLS, *LARGE_BY_NATURE}


@pytest.mark.parametrize("index", [1, slice(1, 3), (0, slice(None)), np.array([0, 2, 0]), (slice(None), [1, 1])])
def test_selections_add_up_in_one_buffer(index: Any) -> None:
    """The same selection three times, of a leaf and of a result, and beside another use; NumPy adds by `add.at`."""
    x = np.arange(12.0).reshape(3, 4)
    w = [np.random.default_rng(k).normal(size=x[index].shape) for k in range(3)]
    expected = np.cos(x)
    for weights in w:
        np.add.at(expected, index, weights)
    leaf = Tensor(x, requires_grad=True)
    for source in (leaf, leaf * 1):
        total = engine.sum(engine.sin(source))
        for weights in w:
            total = total + engine.sum(source[index] * weights)
        (found,) = engine.grad(total, leaf)
        assert np.allclose(found.numpy(), expected, rtol=1e-14)


def test_selection_leaves_the_cotangent_of_others_unchanged() -> None:
    """The first contribution may be an array that another tensor gets too, so a selection must not be added to it."""
    x, y = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0], requires_grad=True)
    seed = np.array([5.0, 6.0])
    part = x[:1]
    ((x + y) * 1).backward(seed, retain_graph=True)
    engine.backward([x + y, part], [seed, np.array([10.0])])
    assert y.grad is not None
    assert x.grad is not None
    assert x.grad.numpy().tolist() == [20, 12]
    assert y.grad.numpy().tolist() == [10, 12]
    assert seed.tolist() == [5, 6]
