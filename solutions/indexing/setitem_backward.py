"""Indexed assignment copies rows, so trace each row of `out` back to its origin.

A row that was never written comes from base, so dbase = g there. A row that was overwritten no longer depends on base,
so dbase = 0 there, however often it was written.

A row of src that is still in `out` at the end gets the gradient of the row it was written to: dsrc = g[idx]. A row of
src that a later write replaced has no influence on `out`, so its gradient is 0. To find the surviving writes, fill a
dict that maps each row to its write. A later write to the same row replaces the earlier entry.

Every row of g goes to exactly one place, so the sum of dbase plus the sum of dsrc equals the sum of g.

Cost: O(size of base + size of src), like the forward. Only idx is saved. `out` is linear in base and src, so their
values do not matter. An engine that owns g may read g[idx] and then clear those rows of g in place, instead of copying
g.

PyTorch: `IndexPutBackward0` saves only the indices. `index_put_` without `accumulate` leaves the result for repeated
indices undefined. Its backward gives g[idx] to every write, including the replaced writes. For repeated indices, these
gradients are not the derivative of what the forward computed. While autograd is recording, a write in place to a leaf
that requires a gradient raises an error; clone the leaf first.

Asked next:

- What if repeated indices *add*, as in `index_add` or `scatter_add`? → Then every write survives, and so does every row
  of base: dbase = g and dsrc = g[idx].
- `out[1:3] = c` writes one number into a slice. What is dc? → The number was broadcast, so dc is the sum of g over the
  slice. On the slice, dbase is 0.
- What breaks if indices may be negative? → With n rows, the indices -1 and n - 1 name the same row but are two
  different keys of the dict. A replaced write would then count as a surviving write. Take idx modulo n first.
- On a GPU, the writes happen in no fixed order. How do you make backward agree with the forward? → Let the forward
  decide which write owns each row. Number the writes and take the highest number for each row. This number does not
  depend on the order of the writes. Then gather `out` by owner, and let backward use the same owners.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "Take each row of `out`. Did this row come from base or from src, and from which row of that array?",
    (
        "dbase is g in rows that were never written, and 0 elsewhere. dsrc is g[idx], but 0 for writes that a later "
        "write replaced."
    ),
    (
        "Loop over the writes, and let a dict map each row to the write's number. At the end, the dict holds the last "
        "write to each row."
    ),
)


def all_different(rng, shape, sizes):
    return rng.permutation(5)[: shape[0]]


EMPTY = True
CASES = [
    given(
        "base[n,d] src[m,d] idx[m]",
        idx=below("n"),
        empty=False,
        large={"n": 400, "d": 250, "m": 600},
        note="indices may repeat",
    ),
    given(
        "base[n] src[m] idx[m]",
        idx=below("n"),
        empty=False,
        large={"n": 5000, "m": 100_000},
        memory=16 << 20,
        because="an array holds a number for each pair of writes, or of a row and a write",
        note="one axis",
    ),
    given("base[5,d,2] src[3,d,2] idx[3]", idx=all_different, note="all different, three axes"),
    given("base[4] src[3] idx[3]", idx=[2, 0, 2], note="index 2 written twice"),
    given("base[3] src[4] idx[4]", idx=[1, 1, 1, 0], note="index 1 written three times"),
    given("base[9] src[200] idx[200]", idx=below(9), note="200 writes to 9 rows"),
    given("base[3] src[0] idx[0]", idx=np.zeros(0, int), note="nothing written"),
]
EQUIVALENT = {
    "assign: dsrc[alive] = g[idx[alive]] -> dsrc[alive] += g[idx[alive]]": "each row is written once, over zeros",
}


def forward(base, src, idx):
    rows = np.arange(len(base))
    for write, row in enumerate(idx):
        rows[row] = len(base) + write
    return engine.concatenate([base, src])[rows]


def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    last = {row: write for write, row in enumerate(idx.tolist())}
    alive = list(last.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return dbase, dsrc


@mistake(
    "base-keeps",
    "an overwritten row of base still reaches the output",
    "Change an overwritten number of base. Does the loss change?",
)
def setitem_backward(g, idx):
    last = {row: write for write, row in enumerate(idx.tolist())}
    alive = list(last.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return g.copy(), dsrc


@mistake(
    "dead-writes",
    "every write reaches the output",
    "Two writes go to row 2. Which of them is still in `out` at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    return dbase, g[idx]


@mistake(
    "base-keeps-and-dead-writes",
    "overwritten values still reach the output",
    "Does the sum of dbase plus the sum of dsrc equal the sum of g?",
)
def setitem_backward(g, idx):
    return g.copy(), g[idx]


@mistake(
    "first-wins", "the first of several writes to a row stays", "Run `out[[0, 0]] = [1, 2]`. What does out[0] hold?"
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    first = np.unique(idx, return_index=True)[1]
    dsrc[first] = g[idx[first]]
    return dbase, dsrc


@mistake(
    "shared",
    "all writes to one row share the gradient of that row equally",
    "Two writes go to row 2. If you change the value of the first write, does the loss change?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    writes = np.bincount(idx, minlength=len(g))[idx].astype(g.dtype)
    return dbase, g[idx] / writes.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "all-dead",
    "a row that is written twice keeps neither write",
    "Two writes go to row 2. Is either of them still in `out` at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    once = np.bincount(idx, minlength=len(g))[idx] == 1
    return dbase, g[idx] * once.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "next-write-only",
    "only the very next write can replace a write",
    "Take idx = [1, 0, 1]. Is the first write still in `out` at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = g[idx]
    dsrc[:-1][idx[:-1] == idx[1:]] = 0
    return dbase, dsrc


@mistake(
    "unstable-sort",
    "argsort keeps equal indices in their order",
    "Read what NumPy says about `kind` of argsort. Which kind keeps the order of equal elements?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    order = np.argsort(idx)
    rows = idx[order]
    last = order[rows != np.append(rows[1:], -1)]
    dsrc[last] = g[idx[last]]
    return dbase, dsrc


@mistake(
    "unstable-sort-first",
    "argsort keeps equal indices in their order, and the first write wins",
    "Run `out[[0, 0]] = [1, 2]`. What does out[0] hold? Which kind of argsort keeps the order of equal elements?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    order = np.argsort(idx)
    rows = idx[order]
    first = order[rows != np.insert(rows[:-1], 0, -1)] if len(rows) else order
    dsrc[first] = g[idx[first]]
    return dbase, dsrc


@mistake(
    "reversed-positions",
    "a position in the reversed array is a position in the array",
    "Take idx = [5, 6, 7]. At which position of idx[::-1] is 7, and at which position of idx?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    last = np.unique(idx[::-1], return_index=True)[1]
    dsrc[last] = g[idx[last]]
    return dbase, dsrc
