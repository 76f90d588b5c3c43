"""Follow each entry of `out` back to where it came from.

A row that was not written comes from base: dbase = g there. A row that was written over is gone from base, and nothing
that happens to the old value can matter: dbase = 0 there, however often it was written.

A row of src that is still there at the end owns the row of `out` it was written to: dsrc = g[idx]. A row that a later
write covered is as dead as the base below it: 0. A dict from row to write finds the living ones: a later write takes
the key over, as it took the row over.

Every row of g goes to exactly one place, so the sums of dbase and dsrc add up to that of g.

Cost: O(size of base + size of src), like the forward. Only idx is kept: `out` is linear in base and src, so the values
of neither matter. An engine that owns g may read g[idx] and then clear the rows in place instead of copying.

PyTorch: `IndexPutBackward0` saves the indices only. `index_put_` leaves repeated indices without `accumulate`
undefined, and backward hands g[idx] to each of the writes, the covered ones included: there it is not the derivative of
what was computed. While a graph is recorded, a leaf that requires a gradient refuses the write; clone it first.

Asked next:

- What if repeated indices *add*, as in `index_add` or `scatter_add`? → Then every write lives, and the base below it
  too: dbase = g and dsrc = g[idx].
- `out[1:3] = c` writes one number into a slice. What is dc? → The number was broadcast, so dc is the sum of g over the
  slice; dbase is 0 there.
- What breaks if indices may be negative? → -1 and n - 1 are one row but two keys of the dict, and a covered write would
  count as living. Take idx modulo n first.
- On a GPU the writes come in no fixed order. How do you make backward agree with the forward? → Let the forward decide
  which write owns a row: number the writes and take the maximum for each row, which does not depend on the order; then
  gather `out` by owner. Backward uses the same owners.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, given, mistake

HINTS = (
    "For each row of `out`: did it come from base or from src, and from which row?",
    "base receives g where nothing was written, 0 elsewhere; src receives g[idx], but 0 for writes that were covered.",
    "A dict filled in the order of the writes, row to number of the write, keeps the last write of each row.",
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
    "assign: dsrc[alive] = g[idx[alive]] -> dsrc[alive] += g[idx[alive]]": "each is written once, over a 0",
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
    "what was written over still counts",
    "Change a number of base that was written over: does the loss notice?",
)
def setitem_backward(g, idx):
    alive = list({row: write for write, row in enumerate(idx.tolist())}.values())
    dsrc = np.zeros((len(idx), *g.shape[1:]), g.dtype)
    dsrc[alive] = g[idx[alive]]
    return g.copy(), dsrc


@mistake(
    "dead-writes", "every write reaches the output", "Two writes to row 2: which of them is still there at the end?"
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    return dbase, g[idx]


@mistake("base-keeps-and-dead-writes", "nothing that was written over is lost", "Do dbase and dsrc add up to g?")
def setitem_backward(g, idx):
    return g.copy(), g[idx]


@mistake("first-wins", "the first of several writes stays", "Run `out[[0, 0]] = [1, 2]`: what does out[0] hold?")
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = np.zeros_like(g[idx])
    first = np.unique(idx, return_index=True)[1]
    dsrc[first] = g[idx[first]]
    return dbase, dsrc


@mistake(
    "shared", "writes to one row share its gradient", "Two writes to row 2: change the first. Does the loss notice?"
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    writes = np.bincount(idx, minlength=len(g))[idx].astype(g.dtype)
    return dbase, g[idx] / writes.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "all-dead",
    "a row that is written twice belongs to neither write",
    "Two writes to row 2: is either of them still there at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    once = np.bincount(idx, minlength=len(g))[idx] == 1
    return dbase, g[idx] * once.reshape(-1, *[1] * (g.ndim - 1))


@mistake(
    "next-write-only",
    "a write is covered only by the one right after it",
    "idx = [1, 0, 1]: is the first write still there at the end?",
)
def setitem_backward(g, idx):
    dbase = g.copy()
    dbase[idx] = 0
    dsrc = g[idx]
    dsrc[:-1][idx[:-1] == idx[1:]] = 0
    return dbase, dsrc
