"""Follow each row of `out` back to its origin.

A row that was never written comes from base, so dbase = g there. A row that was overwritten no longer depends on base,
so dbase = 0 there, however often it was written.

A row of src that is still in `out` at the end gets the gradient of the row it was written to: dsrc = g[idx]. A row of
src that a later write covered has no influence, so it gets 0. A dict from row to write finds the surviving writes,
because a later write replaces the entry of its row.

Every row of g goes to exactly one place, so the sums of dbase and dsrc add up to that of g.

Cost: O(size of base + size of src), like the forward. Only idx is saved, because `out` is linear in base and src, and
their values do not matter. An engine that owns g may read g[idx] and then clear the rows in place instead of copying.

PyTorch: `IndexPutBackward0` saves only the indices. `index_put_` without `accumulate` leaves the result for repeated
indices undefined. Its backward gives g[idx] to each write, including the covered ones. For repeated indices this is not
the derivative of what was computed. While a graph is recorded, a leaf that requires a gradient refuses the write; clone
it first.

Asked next:

- What if repeated indices *add*, as in `index_add` or `scatter_add`? → Then every write survives, and so does every row
  of base: dbase = g and dsrc = g[idx].
- `out[1:3] = c` writes one number into a slice. What is dc? → The number was broadcast, so dc is the sum of g over the
  slice. dbase is 0 there.
- What breaks if indices may be negative? → -1 and n - 1 name the same row but are two keys of the dict, so a covered
  write would count as a surviving one. Take idx modulo n first.
- On a GPU the writes come in no fixed order. How do you make backward agree with the forward? → Let the forward decide
  which write owns a row. Number the writes and take the maximum for each row, which does not depend on the order; then
  gather `out` by owner. Backward uses the same owners.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "Take each row of `out`. Did it come from base or from src, and from which row?",
    (
        "base receives g where nothing was written, and 0 elsewhere. src receives g[idx], but 0 for writes that were "
        "covered."
    ),
    "A dict filled in the order of the writes, from row to number of the write, keeps the last write of each row.",
)


def all_different(rng, shape, sizes):
    return rng.permutation(5)[: shape[0]]


CASES = [
    given(
        "base[n,d] src[m,d] idx[m]",
        idx=below("n"),
        empty=False,
        large={"n": 400, "d": 250, "m": 600},
        note="indices may repeat",
    ),
    given("base[n] src[m] idx[m]", idx=below("n"), empty=False, note="one axis"),
    given("base[5,d,2] src[3,d,2] idx[3]", idx=all_different, note="all different, three axes"),
    given("base[4] src[3] idx[3]", idx=[2, 0, 2], note="index 2 written twice"),
    given("base[3] src[4] idx[4]", idx=[1, 1, 1, 0], note="index 1 written three times"),
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
    alive = list({row: write for write, row in enumerate(idx.tolist())}.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return dbase, dsrc


@mistake(
    "base-keeps",
    "an overwritten row of base still counts",
    "Change an overwritten number of base. Does the loss change?",
)
def setitem_backward(g, idx):
    alive = list({row: write for write, row in enumerate(idx.tolist())}.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return g.copy(), dsrc


@mistake(
    "dead-writes", "every write reaches the output", "Two writes go to row 2. Which of them is still there at the end?"
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    return dbase, g[idx]


@mistake(
    "base-keeps-and-dead-writes",
    "overwritten values still reach the output",
    "Do the sums of dbase and dsrc add up to that of g?",
)
def setitem_backward(g, idx):
    return g.copy(), g[idx]


@mistake("first-wins", "the first of several writes stays", "Run `out[[0, 0]] = [1, 2]`. What does out[0] hold?")
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    first = np.unique(idx, return_index=True)[1]
    dsrc[first] = g[idx[first]]
    return dbase, dsrc


@mistake(
    "shared",
    "writes to the same row share its gradient",
    "Two writes go to row 2. Change the first: does the loss change?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    writes = np.bincount(idx, minlength=len(g))[idx].astype(g.dtype)
    return dbase, g[idx] / writes.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "all-dead",
    "a row that is written twice keeps neither write",
    "Two writes go to row 2. Is either of them still there at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    once = np.bincount(idx, minlength=len(g))[idx] == 1
    return dbase, g[idx] * once.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "next-write-only",
    "a write can be covered only by the very next write",
    "idx = [1, 0, 1]: is the first write still there at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = g[idx]
    dsrc[:-1][idx[:-1] == idx[1:]] = 0
    return dbase, dsrc
