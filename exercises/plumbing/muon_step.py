# /// autodrill
# title = "One step of Muon"
# kind = "program"
# difficulty = "medium"
# minutes = 10
# topics = ["optim", "linalg"]
# requires = ["adamw_step"]
# ///
"""Muon updates a weight matrix by an orthogonalised momentum. `W` is the weight, `G`
its gradient, and `M` the momentum, which is 0 before the first step. All three have the
shape (rows, columns). One step does the following:

- The momentum decays by the factor `momentum`, and G is added to it.
- The direction is the Nesterov look-ahead u: the gradient plus `momentum` times the new
  momentum.
- u is orthogonalised by 5 steps of Newton-Schulz. `newton_schulz(x, steps)` is given.
  It scales x to Frobenius norm 1, moves its singular values close to 1, and keeps its
  singular vectors. In each step it forms the matrix x xᵀ, so call it with an x that has
  no more rows than columns. Its result for xᵀ is the transpose of its result for x.
- Weight decay is decoupled: W is multiplied by `1 - lr * decay`.
- Then `lr` times the orthogonal matrix is subtracted from W. If W has more rows than
  columns, the orthogonal matrix is first multiplied by √(rows/columns).

Return `W, M` after the step. `W` and `M` may be updated in place; leave `G` as it is. A
weight may have thousands of rows or thousands of columns. In both cases, memory must
not grow with the square of the longer side.
"""

import numpy as np


def muon_step(W, G, M, lr, momentum, decay, newton_schulz):
    raise NotImplementedError
