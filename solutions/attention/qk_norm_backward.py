"""The forward has three steps: the norm, the gain, and the scaled product. Backward takes them in reverse order.

Let x̂ = norm(x), and let y = x̂ · gamma be the factor that enters the product. The product s = y_q y_kᵀ/√d gives

    dy_q = g y_k/√d        dy_k = gᵀ y_q/√d

The gain is broadcast over batches, heads and positions. So dgamma sums dy · x̂ over these three axes. The gradient of
x̂ is h = dy · gamma.

The norm divides a row by its root mean square. Let r = 1/sqrt(mean(x²) + 1e-6), so x̂ = x r. The derivative of r with
respect to x_j is -r³ x_j/d. The product rule then gives

    dx_j = r h_j - r³ x_j · mean(h x) = r (h_j - x̂_j · mean(h x̂))

The second term removes the part of h along x̂. Stretching a row does not move norm(x), except through the constant
1e-6. So dq is orthogonal to q in each row, up to this constant. A row that is 1000 times as long gets a gradient that
is 1000 times smaller. In a row of zeros, r is 1000 and dx = r h.

Cost: two matrix products, whereas the forward has one. Each norm takes O(d) per row. Only q and k must be saved. Saving
r, one number per row, avoids a mean.

PyTorch: `F.rms_norm` has its own operator, `aten::_fused_rms_norm`. On the CPU this operator is decomposed, so autograd
saves the intermediate arrays. The default eps of `F.rms_norm` is 1.2e-7 for float32 and for bfloat16, not 1e-6.
`scaled_dot_product_attention` has no argument for QK-norm, so models call two norms first. Qwen3 and OLMo 2 use RMS
norms with a gain. Qwen3 shares the gain between heads, as in this exercise. OLMo 2 normalises over all heads of a
position at once.

Asked next:

- How large can a score get? → |s| ≤ √d · max |gamma_q · gamma_k|, with the product taken feature by feature. Each
  normalised row has at most the length √d, and the scale divides by √d. The bound holds however large q and k become.
- RoPE follows the norm. What changes in backward? → Rotate dy_q and dy_k back first. A rotation keeps lengths, so the
  scores stay below √d · max |gamma_q| · max |gamma_k|.
- gamma_q and gamma_k appear in the scores only as a product. Does training need both? → Without RoPE in between, a
  single gain would be enough to give the same scores. Feature by feature, gamma_q · dgamma_q equals gamma_k · dgamma_k,
  which is a useful test.
- What does the norm change in training with large learning rates? → If a step makes the projection of q larger, the
  gradients through the norm shrink in proportion. The bound on the scores depends only on the gains, so the scores
  explode only if the gains do.
"""

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Scale one row of q by 10. What happens to the scores? What does this say about dq and q in that row?",
    (
        "The backward of the product gives dy, the gradient of one factor. With h = dy · gamma, the backward of the "
        "norm gives r (h - x̂ · mean(h x̂)). dgamma is the sum of dy · x̂ over all axes but the last."
    ),
    "Write one helper for both sides: `dx = r * (h - xhat * (...).mean(axis=-1, keepdims=True))`.",
)


def rows_of_zeros(rng, shape, _):
    x = rng.normal(size=shape)
    x[..., 0, :] = 0
    return x


CASES = [
    given("q[B,H,n,4] k[B,H,m,4] gamma_q[4] gamma_k[4]", large={"B": 1, "H": 2, "n": 10, "m": 5000}),
    given(
        "q[B,H,n,3] k[B,H,m,3] gamma_q[3] gamma_k[3]",
        q=normal(1000),
        gamma_q=[0.5, 0.0, -2.0],
        gamma_k=[0.0, 2.0, -0.5],
        large=False,
        note="long queries, gains of 0",
    ),
    given("q[B,H,n,3] k[B,H,m,3] gamma_q[3] gamma_k[3]", k=normal(1e-3), large=False, note="short keys"),
    given("q[2,1,2,3] k[2,1,3,3] gamma_q[3] gamma_k[3]", q=rows_of_zeros, k=rows_of_zeros, note="rows of zeros"),
]


def forward(q, k, gamma_q, gamma_k):
    y_q = engine.rms_norm(q, weight=gamma_q, eps=1e-6)
    y_k = engine.rms_norm(k, weight=gamma_k, eps=1e-6)
    return y_q @ y_k.mT / q.shape[-1] ** 0.5


def normalised(x):
    r = ((x * x).mean(axis=-1, keepdims=True) + 1e-6) ** -0.5
    return x * r, r


def of_norm(dy, xhat, r, gamma):
    h = dy * gamma
    dx = r * (h - xhat * (h * xhat).mean(axis=-1, keepdims=True))
    return dx, (dy * xhat).sum(axis=(0, 1, 2))


def qk_norm_backward(g, q, k, gamma_q, gamma_k):
    scale = q.shape[-1] ** -0.5
    qhat, r_q = normalised(q)
    khat, r_k = normalised(k)
    dq, dgamma_q = of_norm(g @ (khat * gamma_k) * scale, qhat, r_q, gamma_q)
    dk, dgamma_k = of_norm(g.mT @ (qhat * gamma_q) * scale, khat, r_k, gamma_k)
    return dq, dk, dgamma_q, dgamma_k


MISTAKES = [
    edit(
        "gamma-per-head",
        "each head has its own gain",
        "How many numbers does gamma_q have? Over which axes was it broadcast?",
        ".sum(axis=(0, 1, 2)) -> .sum(axis=(0, 2))",
    ),
    edit(
        "norm-skipped",
        "the norm passes gradients unchanged",
        "Make q ten times longer. Do the scores move?",
        "return dx, -> return dy,",
    ),
    edit(
        "norm-constant",
        "the root mean square is a constant",
        "Scaling a row of q does not move the scores. Is each row of your dq orthogonal to its row of q?",
        "dx = ... -> dx = r * h",
    ),
    edit(
        "gammas-exchanged",
        "gamma_q multiplies the keys, and gamma_k multiplies the queries",
        "Which of the two gains multiplies the queries?",
        "return dq, dk, dgamma_q, dgamma_k -> return dq, dk, dgamma_k, dgamma_q",
    ),
    edit(
        "no-scale",
        "the norm absorbs the factor 1/√d",
        "Where does 1/√d appear in the forward? Does the norm come before or after this factor?",
        "scale = ... -> scale = 1",
    ),
    edit(
        "gamma-dropped",
        "the gain affects only its own gradient",
        "The gain multiplies the normalised row. By what must the gradient of this row be multiplied?",
        "h = dy * gamma -> h = dy",
    ),
    edit(
        "own-gain-missing",
        "the scores are products of normalised rows without a gain",
        "Which array multiplied the queries in the forward: norm(k), or norm(k) times its gain?",
        "g @ (khat * gamma_k) -> g @ khat",
        "g.mT @ (qhat * gamma_q) -> g.mT @ qhat",
    ),
    edit(
        "no-eps",
        "no row of q or k is 0",
        "What is the root mean square of a row of zeros? What does your code divide by?",
        ".mean(axis=-1, keepdims=True) + 1e-6) -> .mean(axis=-1, keepdims=True))",
    ),
    edit(
        "projection-without-eps",
        "the constant 1e-6 does not enter the derivative of the root mean square",
        "Let all entries of a row be 1e-3. How large are mean(x²) and 1e-6? Does norm(x) stay the same if x doubles?",
        "h - xhat * (h -> h - xhat / ((xhat**2).mean(axis=-1, keepdims=True) + 1e-30) * (h",
    ),
    edit(
        "divided-by-gain",
        "dgamma follows from the gradient of the other gain, divided by a gain",
        "A gain is 0. What does your code divide by, and what is the right gradient there?",
        "return dq, dk, dgamma_q, dgamma_k -> return dq, dk, dgamma_q, dgamma_q * gamma_q / gamma_k",
    ),
    edit(
        "eps-outside-root",
        "the constant 1e-6 is added to the root",
        "Which of the two is 1e-6 added to in the task: mean(x²) or its root? What is norm(x) in a row of zeros?",
        "+ 1e-6) ** -0.5 -> ) ** 0.5",
        "return x * r, r -> return x / (r + 1e-6), 1 / (r + 1e-6)",
    ),
    edit(
        "sum-for-mean",
        "the backward takes the sum over the row, not the mean",
        "The forward takes the mean of the squares. By which factor does this mean differ from the sum of the squares?",
        "(h * xhat).mean -> (h * xhat).sum",
    ),
    edit(
        "mean-subtracted",
        "the norm subtracts the mean of the row",
        "Add a constant to a row of q. Does the RMS norm of the row stay the same?",
        "dx = r * (h - -> dx = r * (h - h.mean(axis=-1, keepdims=True) -",
    ),
    edit(
        "gamma-outside",
        "the gain multiplies dx, and not the gradient of the normalised row",
        "In the forward the gain comes after the norm. So which of the two comes first in the backward?",
        "h = dy * gamma -> h = dy",
        "dx = r * (h -> dx = gamma * r * (h",
    ),
]
