"""x reaches the output along two paths, the skip connection and the branch. At a fork, the gradients of the paths add:

    dx = g + (gradient through the branch)

The branch is a chain of five operations. Run them again, then go back through them in reverse order. With z = relu(a),
x̂ = x·r and r = 1/√(mean(x²) + eps):

    z @ W2        dW2 = zᵀ g            dz = g W2ᵀ
    relu(a)       da = dz where a > 0, and 0 elsewhere
    n @ W1        dW1 = nᵀ da           dn = da W1ᵀ
    x̂ · gamma     dgamma = Σ dn·x̂       h = dn·gamma
    x · r         r (h - x̂ · mean(h x̂))

The last line is the backward of RMSNorm, and its result is the gradient through the branch. dgamma sums over the rows.

g enters dx without a factor. That is the purpose of the skip connection: however small the branch's gradient is, dx
contains g. A norm on the skip path, as in post-norm, would remove this property.

If W2 is 0, then dz is 0 and dx is g. Of the parameters, only W2 has a gradient other than 0, dW2 = zᵀ g, so the branch
can start to learn.

Cost: the forward takes two matrix products and the backward four. Here a fifth product recomputes a. The product with
W2 is not needed again. If the forward saved z instead, this array would be H/D times as large as x. H is often 4·D.

PyTorch: the addition saves nothing. relu saves its result z, and the product with W2 saves the same array anyway. The
product with W1 saves n, and on the CPU `F.rms_norm` saves x, r and x·r. Autograd adds the two gradients of x when both
have arrived. `torch.utils.checkpoint` around the branch keeps only x and runs the branch a second time in backward.

Asked next:

- L such blocks follow one another. What does the gradient of the first input look like? → Each block multiplies the
  gradient by I + J_l, where J_l is the Jacobian of its branch. The expanded product contains the term I. So the
  gradient of the last output arrives unchanged, and the branches add corrections. In a plain chain only the product of
  all J_l would remain.
- What would post-norm, norm(x + f(x)), change? → g would pass through the backward of the norm first. The result
  contains the factor 1/√mean((x + f(x))²). Only this result then splits into the two paths. After L blocks, the skip
  path contains L such factors.
- Each block is initialised with W2 = 0. Which parameters move in the first step? → Only W2 moves. dW1 and dgamma are 0,
  because their gradients pass through W2. In the second step W2 is no longer 0, and all parameters move.
- W1 is split by columns and W2 by rows over two GPUs. What must backward communicate? → Each GPU holds a part of a and
  z, and computes its parts of dW1 and dW2 alone. dn = da W1ᵀ is a sum over both GPUs, which takes one all-reduce. The
  forward takes one all-reduce too, for out.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, normal

HINTS = (
    "Along how many paths does x reach the output? If two paths meet in backward, how do their gradients combine?",
    "Go back through the branch: second product, relu, first product, gamma, RMSNorm. Add g to the result at the end.",
    (
        "Recompute n and a. Mask `g @ W2.T` by the sign of a, and multiply the result by W1ᵀ and then by gamma. This "
        "product is h. With rrms = 1/√(mean(x²) + 1e-6), `dx = g + rrms * (h - ...)`."
    ),
)
EPS = 1e-6


def mostly_negative(rng, shape, _):
    return -np.abs(rng.normal(size=shape))


CASES = [
    given("x[n,4] gamma[4] W1[4,h] W2[h,4]", large={"n": 3000, "h": 16}),
    given("x[n,3] gamma[3] W1[3,3] W2[3,3]"),
    given("x[n,1] gamma[1] W1[1,h] W2[h,1]", note="rows of one element"),
    given("x[n,3] gamma[3] W1[3,h] W2[h,3]", W2=0.0, note="a branch of 0"),
    given("x[n,3] gamma[3] W1[3,2] W2[2,3]", x=normal(0.1, 2), gamma=1.0, W1=mostly_negative, note="relu is off"),
    given("x[n,3] gamma[3] W1[3,h] W2[h,3]", x=normal(1e3), note="entries near ±1000"),
    given(
        "x[2,3] gamma[3] W1[3,2] W2[2,3]", x=[[0.0, 0.0, 0.0], [1.0, -2.0, 0.5]], smooth=False, note="a row of zeros"
    ),
]


def forward(x, gamma, W1, W2):
    return x + engine.relu(engine.rms_norm(x, weight=gamma, eps=EPS) @ W1) @ W2


def prenorm_residual_backward(g, x, gamma, W1, W2):
    rrms = 1 / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPS)
    xhat = x * rrms
    n = xhat * gamma
    a = n @ W1
    dW2 = np.maximum(a, 0).T @ g
    da = (g @ W2.T) * (a > 0)
    dW1 = n.T @ da
    dn = da @ W1.T
    dgamma = (dn * xhat).sum(axis=0)
    h = dn * gamma
    along = (h * xhat).mean(axis=1, keepdims=True)
    dx = g + rrms * (h - xhat * along)
    return dx, dgamma, dW1, dW2


MISTAKES = [
    edit(
        "skip-dropped",
        "x reaches the output only through the branch",
        "out is x + f(x). What is the derivative of the first term with respect to x?",
        "g + rrms -> rrms",
    ),
    edit(
        "norm-skipped",
        "the branch starts with the first product, so dn can be added to g",
        "Which operation turns x into n? Does your gradient pass through it?",
        "g + rrms * (h - xhat * along) -> g + dn",
    ),
    edit(
        "multiplied-paths",
        "the gradients of the two paths are multiplied",
        "The paths meet in a sum. If one path sends back 0, what must dx be?",
        "g + rrms -> g * rrms",
    ),
    edit(
        "skip-through-norm",
        "the skip connection starts after the norm",
        "Which operations does x meet on the skip path?",
        "h = dn * gamma -> h = g + dn * gamma",
        "g + rrms -> rrms",
    ),
    edit(
        "rms-constant",
        "the root mean square is a constant",
        (
            "If you double x, does n change? In the gradient through the branch, how large should the component along "
            "x be?"
        ),
        "rrms * (h - xhat * along) -> rrms * h",
    ),
    edit(
        "no-relu-mask",
        "relu passes every gradient",
        "If a unit has a = -1, does the output change with a?",
        " * (a > 0) ->",
    ),
    edit(
        "mask-of-upstream",
        "relu passes only positive gradients",
        "Does the slope of relu depend on the sign of its input or on the sign of the gradient?",
        "(a > 0) -> (g @ W2.T > 0)",
    ),
    edit(
        "dW2-uses-a",
        "W2 multiplies a itself",
        "Which array does W2 multiply in the forward: a, or relu(a)?",
        "np.maximum(a, 0).T -> a.T",
    ),
    edit(
        "dW1-uses-x",
        "W1 multiplies x itself",
        "Which array does W1 multiply in the forward: x, or n?",
        "n.T @ da -> x.T @ da",
    ),
    edit(
        "dW1-without-gamma",
        "W1 multiplies the row before gamma",
        "Which array does W1 multiply in the forward: the normalised row, or n?",
        "n.T @ da -> xhat.T @ da",
    ),
    edit(
        "gamma-missing",
        "gamma does not affect the gradient of x",
        "n is the normalised row times gamma. What is the gradient of the normalised row?",
        "h = dn * gamma -> h = dn",
    ),
    edit(
        "dgamma-uses-x",
        "gamma multiplies x itself",
        "What does gamma multiply in the forward: x, or x divided by its root mean square?",
        "(dn * xhat).sum -> (dn * x).sum",
    ),
    edit(
        "at-the-kink",
        "the slope of relu at 0 is 1",
        "Which slope at 0 does the task state?",
        "a > 0 -> a >= 0",
    ),
    edit(
        "mean-subtracted",
        "the norm subtracts the mean of the row",
        "Add a constant to a row of x. Does the normalised row of the task stay the same?",
        "(h - xhat * along) -> (h - h.mean(axis=1, keepdims=True) - xhat * along)",
    ),
    edit(
        "sum-for-mean",
        "the backward takes the sum over the row, not the mean",
        "By which number does the forward divide the sum of the squares of a row?",
        "(h * xhat).mean -> (h * xhat).sum",
    ),
    edit(
        "skip-before-gamma",
        "the skip connection starts at n",
        "Which array does the forward add to relu(a) @ W2: x or n?",
        "dn = da @ W1.T -> dn = da @ W1.T + g",
        "g + rrms -> rrms",
    ),
    edit(
        "upstream-twice",
        "g passes through the norm and through the skip connection",
        "How many times does out contain x unchanged? Which gradient does n receive?",
        "dn = da @ W1.T -> dn = da @ W1.T + g",
    ),
    edit(
        "zero-row-is-padding",
        "a row of zeros is padding and has no gradient",
        "Raise one element of the row by h. Does out change?",
        "dx = g + rrms * (h - xhat * along) "
        "-> dx = (g + rrms * (h - xhat * along)) * (x != 0).any(axis=1, keepdims=True)",
    ),
    edit(
        "eps-ignored",
        "the normalised row has a mean square of exactly 1",
        "The mean square of a row is 1e-6. What is the mean square of the row divided by its root, with eps?",
        "along = ... -> along = (h * x).mean(axis=1, keepdims=True) / "
        "(rrms * np.maximum((x * x).mean(axis=1, keepdims=True), 1e-30))",
    ),
]
