"""The dispatch copies a token into the slots of its experts. The combine multiplies the result of each slot by a weight
and adds the product to the output of the token.

The dispatch is a gather of rows, so its backward adds the gradient of each slot to the gradient of its token. The
combine is a weighted sum over slots, so its backward copies g_n, times the weight, into each slot of token n.

Consider expert i with its kept choices. Let X be the rows x_n of these choices, G the rows g_n, and ω the column of
weights. With W_i = We[i], the forward in the expert is Y = X W_i, and the combine adds ω ∘ Y to the outputs. So

    dω = row sums of G ∘ Y,    dY = ω ∘ G,    dW_i = Xᵀ dY,    dX = dY W_iᵀ

The rows of dX are added to dx at their tokens. A token can be in several experts, and even twice in one expert. So the
addition must add once for every occurrence of an index, as `np.add.at` does. A dropped choice is in no expert and
receives nothing.

The order of the choices only decides which choices are kept. `np.nonzero(idx == i)` lists the choices of expert i in
the order of n and then of j. The first `capacity` of them are kept.

Cost: with M kept choices, M·d·e multiplications in the forward and twice as many in the backward. Recomputing Y for dω
takes M·d·e more multiplications. Saving Y instead takes M·e numbers. A backward that computes H = G W_iᵀ does not need
Y at all, because dX = ω ∘ H, and dω is the row sum of X ∘ H. Each expert has one matrix product over all of its tokens.

PyTorch: the dispatch is `index_select`, and the combine is `index_add`. Each of the two is the backward of the other.
`IndexSelectBackward0` adds rows into zeros, and `IndexAddBackward0` selects rows. On a GPU these additions are atomic,
so the last bits of dx may differ from run to run. PyTorch 2.13 also has `F.grouped_mm`, which multiplies segments of
sorted tokens by different matrices in one call.

Asked next:

- A dropless implementation has no capacity. What replaces the slots? → Sort the choices by expert. The tokens of an
  expert are then one segment, and a grouped product multiplies each segment by its own matrix. The backward uses the
  same segments and the inverse permutation.
- The experts are on different ranks. What is the backward of the all-to-all? → It is another all-to-all, with the send
  and receive counts exchanged. An all-to-all only moves rows, so its adjoint moves them back.
- All choices of a token were dropped. What is the output for this token, and what are the gradients of its x and w?
  → The output of the experts and both gradients are 0. The residual connection around the layer carries the token and
  its gradient.
- Some code lets all first choices take slots before any second choice. Why? → First choices have the larger weights, so
  dropping second choices first loses less. The backward stays the same, because only the kept set changes.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given

HINTS = (
    "Follow one kept choice (n, j). Which three numbers or arrays does its contribution to out_n contain?",
    (
        "For each expert, take its kept choices. An entry of dw is the dot product of g_n and the expert's result. Let "
        "dY hold the rows g_n, each times its weight. One matrix product with dY gives the expert's part of dWe, and "
        "another gives the rows to add to dx."
    ),
    (
        "`np.nonzero(idx == i)` returns two arrays, n and j, with the choices of expert i. Keep the first `capacity` "
        "entries of each array. Then use `np.add.at(dx, n, ...)` with the weighted rows of g."
    ),
)
CASES = [
    given("x[6,d] w[6,2] We[3,d,e] idx[6,2]", idx=below(3), capacity=3, note="three slots per expert"),
    given(
        "x[4,d] w[4,2] We[3,d,e] idx[4,2]",
        idx=[[0, 1], [1, 0], [0, 0], [1, 0]],
        capacity=2,
        large=False,
        note="full experts and an idle one",
    ),
    given(
        "x[3,d] w[3,3] We[2,d,e] idx[3,3]",
        idx=[[1, 1, 0], [1, 1, 1], [0, 1, 0]],
        capacity=9,
        large=False,
        note="repeated choices, nothing dropped",
    ),
    given("x[3,d] w[3,2] We[2,d,e] idx[3,2]", idx=below(2), capacity=0, large=False, note="no slots"),
    given("x[5,d] w[5,1] We[2,d,e] idx[5,1]", idx=[[1], [0], [1], [1], [0]], capacity=1, large=False, note="k=1"),
]
MISTAKES = [
    edit(
        "experts-plus-equals",
        "`dWe[e] += ...` adds once for every occurrence of an expert",
        "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. May several choices have the same expert?",
        "dWe.append(x[n].T @ dy) -> dWe.append(x[n[-1:]].T @ dy[-1:])",
    ),
    edit(
        "experts-plus-equals-by-rank",
        "`dWe[idx[:, j]] += ...` adds once for every occurrence of an expert",
        "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. May two tokens have the same expert idx[n, j]?",
        "dWe.append(x[n].T @ dy) -> "
        "last = [row for row in range(len(n)) if j[row] not in j[row + 1 :]]; dWe.append(x[n[last]].T @ dy[last])",
    ),
    edit(
        "dropped-get-gradient",
        "a dropped choice still has a gradient",
        "Change the weight of a dropped choice. Does out change?",
        "n, j = n[:capacity], j[:capacity] -> pass",
    ),
    edit(
        "assigned",
        "a token is in one slot only",
        "The dispatch copied the token to several slots. How do the gradients of the copies combine?",
        "np.add.at(dx, n, dy @ We[i].T) -> dx[n] = dy @ We[i].T",
    ),
    edit(
        "fancy-plus-equals",
        "`dx[n] += ...` adds once for every occurrence of a token",
        "Run `v = np.zeros(2); v[[0, 0]] += 1` and print v. May a token choose the same expert twice?",
        "np.add.at(dx, n, dy @ We[i].T) -> dx[n] += dy @ We[i].T",
    ),
    edit(
        "weights-detached",
        "the weights w are constants",
        "out is linear in w. What is the slope of out_n with respect to w_nj?",
        "np.add.at(dw, (n, j), (g[n] * y).sum(axis=1)) -> pass",
    ),
    edit(
        "experts-unweighted",
        "each expert receives the whole gradient of out",
        "out_n contains w_nj · (x_n @ We). By how much does out_n move if x_n @ We moves by 1?",
        "dWe.append(x[n].T @ dy) -> dWe.append(x[n].T @ g[n])",
    ),
    edit(
        "tokens-unweighted",
        "each expert passes the whole gradient back to its tokens",
        "out_n contains w_nj · (x_n @ We). By how much does out_n move if x_n @ We moves by 1?",
        "np.add.at(dx, n, dy @ We[i].T) -> np.add.at(dx, n, g[n] @ We[i].T)",
    ),
    edit(
        "first-choices-first",
        "all first choices take slots before any second choice",
        "Which does the task read first: the second choice of token 0 or the first choice of token 1?",
        "n, j = np.nonzero(idx == i) -> j, n = np.nonzero(idx.T == i)",
    ),
    edit(
        "later-choices-win",
        "a later choice takes the slot of an earlier one",
        "An expert is full and another choice arrives. Which choice does the task drop?",
        "n, j = n[:capacity], j[:capacity] -> n, j = n[::-1][:capacity], j[::-1][:capacity]",
    ),
    edit(
        "one-slot-per-token",
        "a token takes one slot of an expert, even if it chooses the expert twice",
        "A token chooses expert 1 three times, and the expert has two slots. How many of the choices are kept?",
        "n, j = n[:capacity], j[:capacity] -> kept = np.isin(n, np.unique(n)[:capacity]); n, j = n[kept], j[kept]",
    ),
]


def forward(x, w, We, idx, capacity):
    kept = np.zeros(idx.shape)
    for i in range(len(We)):
        n, j = np.nonzero(idx == i)
        kept[n[:capacity], j[:capacity]] = 1
    y = engine.einsum("nd,nkde->nke", x, We[idx])
    return engine.einsum("nk,nke->ne", w * kept, y)


def moe_dispatch_combine_backward(g, x, w, We, idx, capacity):
    dx, dw, dWe = np.zeros_like(x), np.zeros_like(w), []
    for i in range(len(We)):
        n, j = np.nonzero(idx == i)
        n, j = n[:capacity], j[:capacity]
        y = x[n] @ We[i]
        np.add.at(dw, (n, j), (g[n] * y).sum(axis=1))
        dy = w[n, j, None] * g[n]
        dWe.append(x[n].T @ dy)
        np.add.at(dx, n, dy @ We[i].T)
    return dx, dw, np.stack(dWe)
