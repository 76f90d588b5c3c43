"""Let u = U S Vᵀ be the singular value decomposition of the direction. The orthogonalised direction is U Vᵀ: every
singular value becomes 1. A gradient matrix often has a few large singular values, and then a plain step moves the
weight along a few directions only. U Vᵀ moves the weight equally far along all directions. Suppose u is the gradient
itself. Among all steps with spectral norm 1, -U Vᵀ then lowers the loss most, to first order.

Newton-Schulz approximates U Vᵀ without a decomposition. A step applies the odd polynomial 3.4445 s - 4.775 s³ + 2.0315
s⁵ to each singular value s, by means of x, x xᵀ x and x xᵀ x xᵀ x. After five steps, singular values of x between 0.002
and 1 have become numbers between 0.68 and 1.21.

Momentum comes first, and orthogonalisation second. The mean of orthogonal matrices is not orthogonal, so the other
order would give directions with unequal singular values. The scale of u does not matter, because Newton-Schulz divides
by the norm. For the same reason decay must be decoupled: a term decay·W in the gradient would lose its size in the
orthogonalisation.

A tall U Vᵀ has orthonormal columns, and a wide one has orthonormal rows. Applied to a random vector, the wide update
gives entries about as large as the vector's. A tall update needs the factor √(rows/columns) to do the same.

x xᵀ has as many rows as x. For a weight of 100,000 x 64, u uᵀ has 10¹⁰ entries and uᵀ u has 4096. Both ways give the
same result, so pass uᵀ and transpose the result.

Cost: let r be the shorter side and c the longer side. A step of Newton-Schulz takes 4r²c + 2r³ operations, and a step
of Muon has five of them. A batch of B tokens takes 6·B·r·c operations for the forward and backward of the layer. For c
much larger than r, Muon therefore adds the share (20/6)·r/B. With r = 4096 and a million tokens this share is about 1.4
per cent. The state is one number per parameter, and AdamW has two.

PyTorch: `torch.optim.Muon` accepts only parameters with two axes. Its momentum is a running average, (1 - momentum)
times this M. The direction is the same up to a factor. Its Newton-Schulz runs in bfloat16 and transposes tall matrices.
Its default momentum is 0.95, and its default decay is 0.1. Its default `adjust_lr_fn` is the factor of this exercise,
and `"match_rms_adamw"` uses 0.2·√(longer side) instead.

Asked next:

- Which parameters does Muon not take? → Muon does not take embeddings, the output head, biases and the gains of norms.
  AdamW updates these parameters. A bias is not a matrix. A row of an embedding is looked up and not multiplied, so the
  spectral norm says little about it.
- The loss is multiplied by 1000. What changes? → Only the scale of the momentum changes, if the loss has the factor
  from the first step on. Like Adam's, Muon's step does not follow the size of the gradient.
- A tall weight is sharded over GPUs by rows. What must the GPUs exchange? → Orthogonalising each shard alone is wrong,
  because the singular vectors belong to the whole matrix. But uᵀ u is the sum of the shards' parts. So one all-reduce
  of this small matrix in each of the five steps is enough. The trace of the first sum is ‖u‖², which the scaling needs.
  For other layouts, gather u on one owner per matrix and send the result back.
- Why does `"match_rms_adamw"` use the factor 0.2·√(longer side)? → U Vᵀ of shape (r, c), with r the shorter side, has
  the squared Frobenius norm r. Its root mean square is √(r/(r·c)) = 1/√c. The factor 0.2·√c raises this value to 0.2.
  As the option's name says, this value is meant to match AdamW's steps. Both optimisers can then share a learning rate.
"""

import numpy as np

from autodrill.drills import edit, mistake, scenario

HINTS = (
    (
        "What does Newton-Schulz do to the size of its input? So which quantities of a step must come before "
        "Newton-Schulz, and which after it?"
    ),
    "Update M and form the look-ahead. Orthogonalise it, transposed if it is tall. Then shrink W and subtract.",
    (
        "A tall u goes in as `u.T`, and the result is transposed back. Call the result `ortho`. The last line is "
        "`W = W * (1 - ...) - lr * ... * ortho`."
    ),
)
RESULTS = ("W", "M")
EQUIVALENT = {"comparison: rows > columns -> rows >= columns": "a square u may be transposed or not"}


def made(rng, steps, rows, columns, scale=1.0):
    """Draw each rate from its own range, so that no two of them are related."""
    lows, highs = {"lr": 0.05, "momentum": 0.5, "decay": 0.1}, {"lr": 0.3, "momentum": 0.95, "decay": 0.9}
    rates = {name: round(float(rng.uniform(lows[name], highs[name])), 3) for name in lows}
    return {"W": rng.normal(size=(rows, columns)), "grads": scale * rng.normal(size=(steps, rows, columns)), **rates}


@scenario(1, 2, 4, note="a wide matrix")
def wide(rng, size):
    return made(rng, size, 2, 3)


@scenario(1, 2, 3, note="a tall matrix")
def tall(rng, size):
    return made(rng, size, 4, 2)


@scenario(1, 3, note="a square matrix")
def square(rng, size):
    return made(rng, size, 3, 3)


@scenario(2, note="a single column")
def column(rng, size):
    return made(rng, size, 3, 1)


@scenario(2, note="large gradients")
def large_gradients(rng, size):
    return made(rng, size, 2, 4, scale=1e3)


@scenario(2, note="gradients of 0")
def no_gradient(rng, size):
    return made(rng, size, 2, 3, scale=0.0)


@scenario(3, note="gradients of 0 after the first step")
def then_no_gradient(rng, size):
    given = made(rng, size, 2, 3)
    given["grads"][1:2] = 0
    return given


@scenario(1, note="3000 rows", memory=8 << 20, because="a matrix of rows x rows is built")
def many_rows(rng, size):
    return made(rng, size, 3000, 6)


@scenario(1, note="3000 columns", memory=8 << 20, because="a matrix of columns x columns is built")
def many_columns(rng, size):
    return made(rng, size, 6, 3000)


CASES = [wide, tall, square, column, large_gradients, no_gradient, then_no_gradient, many_rows, many_columns]


def expected(W, grads, lr, momentum, decay):
    """Apply the polynomial of Newton-Schulz to the singular values of the direction."""
    rows, columns = W.shape
    for t in range(1, len(grads) + 1):
        ages = np.arange(t)[::-1]
        M = np.tensordot(momentum**ages, grads[:t], axes=1)
        U, s, Vt = np.linalg.svd(grads[t - 1] + momentum * M, full_matrices=False)
        s = s / max(np.sqrt((s * s).sum()), 1e-7)
        for _ in range(5):
            s = 3.4445 * s - 4.775 * s**3 + 2.0315 * s**5
        W = W - lr * decay * W - lr * max(1.0, rows / columns) ** 0.5 * (U * s) @ Vt
    return {"W": W, "M": M}


def drive(candidate, W, grads, lr, momentum, decay):
    class TooManyRowsError(Exception):
        pass

    def newton_schulz(x, steps):
        rows, columns = np.asarray(x).shape  # the shape of a subclass may be wrong
        if rows > columns:
            raise TooManyRowsError(f"newton_schulz gets an x of {rows} rows and {columns} columns")
        x = x / max(np.linalg.norm(x), 1e-7)
        for _ in range(steps):
            gram = x @ x.T
            x = 3.4445 * x + (2.0315 * gram @ gram - 4.775 * gram) @ x
        return x

    state = W.copy(), 0 * W
    for G in grads:
        state = candidate(state[0], G, state[1], lr, momentum, decay, newton_schulz)
        if not (isinstance(state, tuple | list) and len(state) == 2):
            return state
    return {"W": state[0], "M": state[1]}


def muon_step(W, G, M, lr, momentum, decay, newton_schulz):
    rows, columns = W.shape
    M = momentum * M + G
    u = G + momentum * M
    ortho = newton_schulz(u.T, 5).T if rows > columns else newton_schulz(u, 5)
    W = W * (1 - lr * decay) - lr * max(1, rows / columns) ** 0.5 * ortho
    return W, M


MISTAKES = [
    edit(
        "no-nesterov",
        "the direction is the momentum itself",
        "The task describes a look-ahead. How many times does the present gradient enter u?",
        "u = G + momentum * M -> u = M",
    ),
    edit(
        "ratio-inverted",
        "wide matrices get the larger step",
        "What is the factor for a matrix of 2 rows and 3 columns?",
        "rows / columns) ** -> columns / rows) **",
    ),
    edit(
        "no-ratio",
        "the shape of W does not affect the size of the step",
        (
            "Which factor has the step of a tall W? If your code multiplies u by this factor before newton_schulz, "
            "what is left of the factor?"
        ),
        "lr * max(1, rows / columns) ** 0.5 * -> lr *",
    ),
    edit(
        "ratio-for-all",
        "the factor applies to wide matrices too",
        "What is the factor for a matrix of 2 rows and 3 columns?",
        "max(1, rows / columns) -> (rows / columns)",
    ),
    edit(
        "decay-in-gradient",
        "weight decay is added to the gradient, as in plain gradient descent",
        "After the orthogonalisation, how much of the size of decay·W is left?",
        "M = momentum * M + G -> G = G + decay * W; M = momentum * M + G",
        "W * (1 - lr * decay) -> W",
    ),
    edit(
        "gram-of-longer-side",
        "it does not matter whether u or its transpose is orthogonalised",
        (
            "u has one side of 100,000 and one side of 64. How many entries does x xᵀ have if x is u, and how many if "
            "x is uᵀ?"
        ),
        "newton_schulz(u.T, 5).T if rows > columns else newton_schulz(u, 5) -> newton_schulz(u, 5)",
    ),
    edit(
        "average-not-sum",
        "the momentum is a running average of the gradients",
        "After one step with M = 0, what is M according to the task?",
        "M = momentum * M + G -> M = momentum * M + (1 - momentum) * G",
        "u = G + -> u = (1 - momentum) * G +",
    ),
    edit(
        "gradient-weighted-in-M",
        "G enters M with the weight 1 - momentum",
        "After one step with M = 0, what is M according to the task?",
        "M = momentum * M + G -> M = momentum * M + (1 - momentum) * G",
    ),
    edit(
        "gradient-weighted-in-u",
        "G enters the look-ahead with the weight 1 - momentum",
        "The task adds two terms to form u. By which number does it multiply the gradient there?",
        "u = G + -> u = (1 - momentum) * G +",
    ),
    edit(
        "keeps-look-ahead",
        "the look-ahead is the state",
        "Which quantity does the next step multiply by `momentum`: M or u?",
        "return W, M -> return W, u",
    ),
    edit(
        "not-orthogonalised",
        "the momentum itself is subtracted",
        "Which argument does your function never use?",
        "newton_schulz(u.T, 5).T if rows > columns else newton_schulz(u, 5) -> u",
    ),
    edit(
        "decay-without-lr",
        "W shrinks by the fraction decay",
        "By which fraction does W shrink in a step? Read the task again.",
        "1 - lr * decay -> 1 - decay",
    ),
    edit(
        "no-decay",
        "Muon has no weight decay",
        "Which argument does your function never use?",
        "W * (1 - lr * decay) -> W",
    ),
    edit(
        "ascent",
        "the step goes in the direction of the gradient",
        "The gradient points uphill. Which way does the loss fall?",
        "decay) - lr -> decay) + lr",
    ),
    edit(
        "decay-after-step",
        "the decay multiplies W after the step",
        "Does the decay in the task also shrink the step?",
        "W = W * (1 - lr * decay) - -> W = (W -",
        "** 0.5 * ortho -> ** 0.5 * ortho) * (1 - lr * decay)",
    ),
    edit(
        "zero-gradient-skipped",
        "a step with G = 0 changes nothing",
        "G is 0 in the second step, and M is not. Which of W and M change?",
        "M = momentum * M + G -> W0, M0 = W, M; M = momentum * M + G",
        "return W, M -> return (W, M) if G.any() else (W0, M0)",
    ),
    edit(
        "decay-only-for-zero-gradient",
        "a step with G = 0 only shrinks W",
        "G is 0 in the second step, and M is not. What is the new M, and which direction u follows from it?",
        "M = momentum * M + G -> W0, M0 = W, M; M = momentum * M + G",
        "return W, M -> return (W, M) if G.any() else (W0 * (1 - lr * decay), M0)",
    ),
]


@mistake(
    "orthogonalises-gradient",
    "each gradient is orthogonalised, and the momentum averages the results",
    "Is a sum of two orthogonal matrices, divided by 2, orthogonal?",
)
def muon_step(W, G, M, lr, momentum, decay, newton_schulz):
    rows, columns = W.shape
    G = newton_schulz(G.T, 5).T if rows > columns else newton_schulz(G, 5)
    M = momentum * M + G
    return W * (1 - lr * decay) - lr * max(1, rows / columns) ** 0.5 * (G + momentum * M), M
