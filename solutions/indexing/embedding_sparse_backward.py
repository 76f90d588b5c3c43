"""An embedding lookup copies rows, and the gradient of a row is the sum of the gradients of its copies. dW[r] is
therefore the sum of g over all places where ids equals r. Every row that was not looked up has gradient 0 and is left
out.

`np.unique` with `return_inverse` gives the distinct rows. For each place in ids, `np.unique` also gives the index of
this place's row in the list of distinct rows. What remains is to sum the rows of g that belong to the same row of W.
`values[inverse] += g` does not compute these sums. NumPy reads all rows, adds, and writes all rows back, so only the
last of several writes to the same row remains. `np.add.at` performs the additions one after the other.

The result is coalesced, which means that each row occurs once. This matters because the update of an optimiser such as
Adam is not linear in the gradient. Adam must see the whole gradient of a row. If a row came in two pieces, Adam would
update the averages of that row twice.

Cost: O(n log n) for sorting n ids, and n D additions; the forward copied n D numbers. Memory grows with the batch, not
with V, because the result has at most n rows. Only the ids are saved; the values of W do not matter.

PyTorch: An embedding saves the ids. With `nn.Embedding(sparse=True)` the gradient is *un*coalesced, with one entry for
each lookup of a row other than `padding_idx`. A second backward appends its own entries. `SparseAdam` coalesces the
gradient first; `Adam` rejects sparse gradients.

Asked next:

- Does `SparseAdam` compute the same update as `Adam`? → No. Take a row that an earlier batch read and the current batch
  does not read. `Adam` still moves this row by the row's decaying averages. `SparseAdam` leaves the row and its
  averages unchanged.
- You clip the gradient by its norm. May you take the norm of uncoalesced values? → No. A row with the pieces 3 and -3
  has the gradient 0, but its pieces have the norm 3√2. Coalesce first.
- The table W is also the weight of the output layer, logits = h Wᵀ. Is the gradient of W still sparse? → No. The output
  layer contributes gᵀ h, with g the gradient of the logits. This contribution has a row for every word, and the sum of
  a sparse and a dense gradient is dense.
- How do you compute this gradient on a GPU with the same bits in each run? → Avoid atomic additions, because they run
  in a varying order and floating-point addition is not associative. Sort the places by row, then add up each segment in
  a fixed order.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import gradient, mistake, scenario

HINTS = (
    "One row of W was copied to several places of out. How do the gradients of the copies combine?",
    (
        "Group the places by the row that they read. You need the distinct rows, and for each row the sum of its "
        "gradients."
    ),
    (
        "Call `np.unique(..., return_inverse=True)` on the flat ids. Then use `np.add.at` on zeros with one row per "
        "distinct id."
    ),
)
ROWS = 6
RESULTS = ("rows", "values")


@scenario(1, 2, 3, 5, 9, note="a sentence")
def sentence(rng, size):
    return {"g": rng.integers(1, 9, (size, 2)) * 0.5, "ids": rng.integers(0, ROWS, size)}


@scenario(2, 4, note="a batch of sentences")
def batch(rng, size):
    shape = (size, 3) if size < 4 else (size // 2, 2, 3)
    return {"g": rng.normal(size=(*shape, 4)), "ids": rng.integers(0, ROWS, shape)}


@scenario(2, note="one id, not in a list")
def one_id(rng, size):
    return {"g": rng.normal(size=size), "ids": np.array(4)}


@scenario(3, 6, note="a large table")
def large_table(rng, size):
    return {"g": rng.normal(size=(size, 2)), "ids": np.resize([0, 256, 300, 44], size)}


@scenario(1, 2, note="gradients that cancel")
def cancelling(rng, size):
    return {"g": np.outer([1.0, -1.0] * size, [2.0, 3.0]), "ids": np.full(2 * size, 2)}


@scenario(4, note="one repeated word")
def one_word(rng, size):
    return {"g": rng.normal(size=(size, 3)), "ids": np.full(size, 2)}


@scenario(5, note="gradients near the largest float")
def huge(rng, size):
    return {"g": np.outer(rng.permutation(size) + 3.0, [2.0**1020, 1.0]), "ids": rng.permutation(size)}


@scenario(0, note="an empty batch")
def nothing(rng, size):
    return {"g": np.zeros((size, 2)), "ids": np.zeros(size, int)}


# The dense gradient of a million rows takes half a gigabyte.
@scenario(100, note="a table of a million rows", memory=32 << 20, because="the gradient of the whole table is made")
def million_rows(rng, size):
    ids = rng.integers(0, 1_000_000, size)
    ids[-1] = 999_999
    return {"g": rng.normal(size=(size, 64)), "ids": ids}


CASES = [sentence, batch, one_id, large_table, cancelling, one_word, huge, nothing, million_rows]


def expected(g, ids):
    """Return the looked-up rows and their gradients. Both oracles use a table of the looked-up rows alone."""
    rows = np.array(sorted(set(ids.flat)), int)
    places = np.searchsorted(rows, ids)
    (values,) = gradient(lambda W: (engine.embedding(places, W) * g).sum(), np.zeros((len(rows), g.shape[-1])))
    return {"rows": rows, "values": values}


def embedding_sparse_backward(g, ids):
    rows, inverse = np.unique(ids.ravel(), return_inverse=True)
    values = np.zeros((len(rows), g.shape[-1]))
    np.add.at(values, inverse, g.reshape(ids.size, g.shape[-1]))
    return rows, values


def flat(g, ids):
    return g.reshape(ids.size, g.shape[-1]), ids.ravel()


@mistake(
    "uncoalesced",
    "a row may occur several times in the result",
    "An optimiser reads one gradient for each row. What happens to the row's other gradients?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    return ids.copy(), g.copy()


@mistake(
    "first-only",
    "the gradient of a row comes from only one of its copies",
    "A word occurs three times in the batch. How many terms must its gradient have?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows, first = np.unique(ids, return_index=True)
    return rows, g[first]


@mistake(
    "fancy-plus-equals",
    "`values[index] += g` adds once for every occurrence of an index",
    "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. How many times was 1 added?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows, inverse = np.unique(ids, return_inverse=True)
    values = np.zeros((len(rows), g.shape[-1]))
    values[inverse] += g
    return rows, values


@mistake(
    "mean",
    "the gradients of equal words are averaged",
    "A word occurs twice, and its row of W moves by 0.1. How many rows of out move by 0.1?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows, inverse, counts = np.unique(ids, return_inverse=True, return_counts=True)
    values = np.zeros((len(rows), g.shape[-1]))
    np.add.at(values, inverse, g)
    return rows, values / counts[:, None]


@mistake(
    "order-of-appearance",
    "rows are returned in the order of their lookup",
    "Read the task again: in which order must the rows be?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows = list(dict.fromkeys(ids.tolist()))
    values = [g[ids == row].sum(axis=0) for row in rows]
    return np.array(rows, int), np.array(values).reshape(len(rows), g.shape[-1])


@mistake(
    "dense", "the gradient has a row for every word", "How many rows would this gradient have for a million words?"
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    size = int(ids.max()) + 1 if ids.size else 0
    values = np.zeros((size, g.shape[-1]))
    np.add.at(values, ids, g)
    return np.arange(size), values


@mistake(
    "row-0-is-padding",
    "row 0 is padding and has no gradient",
    "Does the task mention padding? Which row was copied to the places where ids is 0?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows = np.unique(ids[ids != 0])
    return rows, np.array([g[ids == row].sum(axis=0) for row in rows]).reshape(len(rows), g.shape[-1])


@mistake(
    "running-sum",
    "the sum of a row is the difference of two running sums over all rows",
    "The gradient of row 0 is 1e20, and that of row 1 is 3. Which number does your code return for row 1?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    order = np.argsort(ids, kind="stable")
    rows, counts = np.unique(ids, return_counts=True)
    ends = np.cumsum(g[order], axis=0)[np.cumsum(counts) - 1]
    return rows, np.diff(ends, axis=0, prepend=np.zeros((1, g.shape[-1])))


@mistake(
    "neighbours-only",
    "equal ids are always adjacent",
    "Take ids = [3, 1, 3]. How many times does row 3 occur in your result?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    starts = np.flatnonzero(np.r_[True, ids[1:] != ids[:-1]][: len(ids)])
    values = np.add.reduceat(g, starts, axis=0) if len(ids) else np.zeros((0, g.shape[-1]))
    return ids[starts], values


@mistake(
    "nonzero-rows",
    "a row with gradient 0 was not looked up",
    "A word occurs twice, and its two gradients cancel. Was the word's row looked up? Is this row in your result?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    dense = np.zeros((int(ids.max()) + 1 if ids.size else 0, g.shape[-1]))
    np.add.at(dense, ids, g)
    rows = np.flatnonzero(dense.any(axis=1))
    return rows, dense[rows]


@mistake(
    "only-ids-sorted",
    "the rows of g are in the order of the sorted ids",
    "Sorting the ids moves them. Which other array must move in the same way?",
)
def embedding_sparse_backward(g, ids):
    g, ids = flat(g, ids)
    rows, inverse = np.unique(np.sort(ids), return_inverse=True)
    values = np.zeros((len(rows), g.shape[-1]))
    np.add.at(values, inverse, g)
    return rows, values
