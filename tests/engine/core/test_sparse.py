"""Sparse gradients of a lookup: lists of rows until a dense gradient is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import IndexedSlices, Tensor


def table() -> Tensor:
    return Tensor(np.arange(12.0).reshape(4, 3), requires_grad=True)


def dense_gradient(*batches: Any) -> Any:
    expected = np.zeros((4, 3))
    for indices in batches:
        np.add.at(expected, indices, 2 * np.arange(12.0).reshape(4, 3)[indices])
    return expected


FIRST, SECOND = np.array([[0, 2], [2, 2]]), np.array([3, 0])


def test_sparse_grad_stays_sparse_over_several_backwards() -> None:
    w = table()
    for indices in (FIRST, SECOND):
        engine.square(engine.embedding(indices, w, sparse=True)).sum().backward()
    gradient = w.sparse_grad
    assert gradient is not None
    assert len(gradient.indices) == 6
    once = gradient.coalesced()
    assert np.array_equal(once.indices, [0, 2, 3])
    assert np.array_equal(once.values, dense_gradient(FIRST, SECOND)[[0, 2, 3]])


def test_reading_grad_makes_the_gradient_dense() -> None:
    w = table()
    engine.square(engine.embedding(FIRST, w, sparse=True)).sum().backward()
    assert w.grad is not None
    assert np.array_equal(w.grad.numpy(), dense_gradient(FIRST))
    assert w.sparse_grad is None
    engine.square(engine.embedding(SECOND, w, sparse=True)).sum().backward()
    assert np.array_equal(w.grad.numpy(), dense_gradient(FIRST, SECOND))


@pytest.mark.parametrize("sparse_first", [True, False])
def test_another_use_of_the_table_adds_a_dense_gradient(sparse_first: bool) -> None:
    w = table()
    a, b = engine.square(engine.embedding(FIRST, w, sparse=True)).sum(), (w * 1).sum()
    (a + b + b if sparse_first else b + b + a).backward()
    assert w.grad is not None
    assert np.array_equal(w.grad.numpy(), dense_gradient(FIRST) + 2)


def test_grad_hooks_and_create_graph_get_dense_gradients() -> None:
    w = table()
    (g,) = engine.grad(engine.square(engine.embedding(FIRST, w, sparse=True)).sum(), w, create_graph=True)
    assert g is not None
    assert np.array_equal(g.numpy(), dense_gradient(FIRST))
    (h,) = engine.grad(g.sum(), w)
    assert h is not None
    assert h.numpy()[2, 0] == 6
    (plain,) = engine.grad(engine.square(engine.embedding(FIRST, w, sparse=True)).sum(), w)
    assert plain is not None
    assert np.array_equal(plain.numpy(), dense_gradient(FIRST))
    w.register_hook(lambda g: g * 10)
    engine.square(engine.embedding(FIRST, w, sparse=True)).sum().backward()
    assert w.grad is not None
    assert np.array_equal(w.grad.numpy(), 10 * dense_gradient(FIRST))


def test_interior_table_gets_a_dense_gradient() -> None:
    w = table()
    engine.square(engine.embedding(FIRST, w * 1, sparse=True)).sum().backward()
    assert w.sparse_grad is None
    assert w.grad is not None
    assert np.array_equal(w.grad.numpy(), dense_gradient(FIRST))


def test_dense_gradient_adds_to_sparse_gradient() -> None:
    w = table()
    engine.square(engine.embedding(FIRST, w, sparse=True)).sum().backward()
    assert "4 rows of shape (4, 3)" in repr(w.sparse_grad)
    (w * 2).sum().backward()
    assert w.sparse_grad is None
    assert w.grad is not None
    assert np.array_equal(w.grad.numpy(), dense_gradient(FIRST) + 2)


def test_embedding_accepts_raw_arrays() -> None:
    assert np.array_equal(engine.embedding(SECOND, np.eye(4), sparse=True), np.eye(4)[SECOND])


def test_padding_row_gets_no_gradient() -> None:
    w = table()
    engine.square(engine.embedding(FIRST, w, padding_idx=2, sparse=True)).sum().backward()
    assert w.sparse_grad is not None
    assert np.array_equal(w.sparse_grad.dense(), dense_gradient([0]))


def test_indexed_slices_plus_array_is_dense() -> None:
    rows = IndexedSlices(np.array([1, 1]), np.array([[1.0], [2.0]]), (3, 1))
    for total in (np.ones((3, 1)) + rows, rows + np.ones((3, 1))):
        assert np.array_equal(total, [[1], [4], [1]])


@pytest.mark.torch
def test_sparse_grad_agrees_with_pytorch(torch: Any) -> None:
    w, theirs = table(), torch.arange(12.0, dtype=torch.float64).reshape(4, 3).requires_grad_()
    engine.square(engine.embedding(FIRST, w, sparse=True)).sum().backward()
    torch.nn.functional.embedding(torch.tensor(FIRST), theirs, sparse=True).square().sum().backward()
    expected = theirs.grad.coalesce()
    assert w.sparse_grad is not None
    once = w.sparse_grad.coalesced()
    assert np.array_equal(once.indices, expected.indices().numpy()[0])
    assert np.array_equal(once.values, expected.values().numpy())
