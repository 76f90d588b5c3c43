"""Name every intermediate result of the forward, then go back from out to x. h is a product of two factors, and both
factors depend on x.

The last step is a matrix product, so dh = g W2ᵀ and dW2 = hᵀ g.

The middle step is h = silu(a) ∘ b, elementwise. By the product rule, each factor receives dh times the other factor:

    db = dh ∘ silu(a),    da = dh ∘ b ∘ silu'(a),    silu'(a) = σ(a) (1 + a (1 - σ(a)))

The first step multiplies x by two matrices. x is read twice, so its gradient is a sum:

    dx = da W1ᵀ + db W3ᵀ,    dW1 = xᵀ da,    dW3 = xᵀ db

A check: the layer is linear in W3, so Σ dW3 ∘ W3 = Σ g ∘ out. The same holds for W2, but not for W1.

Cost: the forward has three matrix products of n·d·f multiplications. The backward has six, two for each product of the
forward. Recomputing a and b from x takes two more. The elementwise steps take O(n·f).

PyTorch: `torch.nn` has no SwiGLU layer. Written as `(F.silu(x @ W1) * (x @ W3)) @ W2`, the layer saves four arrays of
shape (n, f). `SiluBackward0` saves a, `MulBackward0` saves silu(a) and b, and the last `MmBackward0` saves h. A fused
kernel saves only a and b, because silu(a) and h are cheap to compute again.

Asked next:

- A plain feed-forward layer has two matrices and a hidden width of 4d. Which f gives SwiGLU the same number of weights?
  → Three matrices of d·f weights have 8d² weights in total if f = 8d/3. The 7B Llama has d = 4096 and f = 11008, the
  next multiple of 256.
- W1 and W3 both start at 0. What are the gradients? → a, b and h are 0. Then da = dh ∘ b/2 = 0 and db = dh ∘ silu(0) =
  0, so all four gradients are 0. The layer never leaves this point.
- How do two ranks share this layer with one communication in each pass? → Each rank holds half of the columns of W1 and
  W3 and the same half of the rows of W2. The forward sums the two partial results of out, and the backward sums the two
  partial results of dx.
- Why do implementations store W1 and W3 side by side as one matrix? → One larger product computes a and b together. The
  backward then has dx = [da db] [W1 W3]ᵀ, and the sum of the two paths happens inside this product.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "How many times is x read? In h = silu(a) * b, what are the derivatives of h with respect to the two factors?",
    (
        "dh = g W2ᵀ. By the product rule, db contains silu(a), and da contains b and the slope of silu. The two paths "
        "add up in dx."
    ),
    (
        "Let `s` be the sigmoid of a. Then da = dh * b * s * (1 + ...). dx is the sum of da and db, each times a "
        "transposed matrix."
    ),
)
SHAPES = "x[n,d] W1[d,f] W3[d,f] W2[f,d]"
CASES = [
    given(SHAPES),
    given(SHAPES.replace("n", "1"), large=False, note="one row"),
    given(SHAPES.replace("f", "1"), large=False, note="one hidden unit"),
    given(SHAPES.replace("f", "d"), large=False, note="square matrices"),
    given(
        "x[3,1] W1[1,2] W3[1,2] W2[2,1]",
        x=[[1.0], [-1.0], [0.0]],
        W1=[[1000.0, -700.0]],
        smooth=False,
        note="gates of ±1000 and 0",
    ),
]
MISTAKES = [
    edit(
        "gate-without-b",
        "the derivative of h with respect to silu(a) is 1",
        "h = silu(a) · b. By how much does h move if silu(a) moves by 1?",
        "da = dh * b * s -> da = dh * s",
    ),
    edit(
        "value-uses-preactivation",
        "b is multiplied by a, not by silu(a)",
        "Which number multiplies b in the forward?",
        "db = dh * gate -> db = dh * a",
    ),
    edit(
        "value-uses-sigmoid",
        "σ(a) multiplies b, as in the original GLU",
        "Which number multiplies b in the forward: σ(a) or a·σ(a)?",
        "db = dh * gate -> db = dh * s",
    ),
    edit(
        "dx-one-branch",
        "x reaches the output only through the gate",
        "How many matrices multiply x in the forward?",
        "dx = da @ W1.T + db @ W3.T -> dx = da @ W1.T",
    ),
    edit(
        "dx-without-gate",
        "x reaches the output only through the value b",
        "How many matrices multiply x in the forward?",
        "dx = da @ W1.T + db @ W3.T -> dx = db @ W3.T",
    ),
    edit(
        "slope-is-sigmoid",
        "the gate σ(a) does not depend on a",
        "silu(a) = a·σ(a) has two factors that depend on a. What does the product rule give?",
        "* s * (1 + a * (1 - s)) -> * s",
    ),
    edit(
        "slope-missing",
        "the slope of silu is 1",
        "Far to the left silu is 0. What is its slope there?",
        "da = dh * b * s * (1 + a * (1 - s)) -> da = dh * b",
    ),
    edit(
        "gate-and-value-exchanged",
        "silu acts on x @ W3",
        "Which of the two matrices makes the input of silu?",
        "a, b = x @ W1, x @ W3 -> a, b = x @ W3, x @ W1",
        "dx = da @ W1.T + db @ W3.T -> dx = da @ W3.T + db @ W1.T",
        "return dx, x.T @ da, x.T @ db -> return dx, x.T @ db, x.T @ da",
    ),
    edit(
        "dW2-without-b",
        "W2 multiplies silu(a)",
        "Which array does W2 multiply in the forward?",
        "(gate * b).T @ g -> gate.T @ g",
    ),
    edit(
        "naive-exp",
        "exp(a) is finite for every a",
        "What is exp(1000) in floating point? What is infinity divided by infinity?",
        "s = ... -> e = np.exp(a); s = e / (1 + e)",
    ),
    edit(
        "gate-clipped",
        "silu is flat for large a, as σ is",
        "Let a be 700. What is silu(a) in the forward, and what is it in your code?",
        "a, b = x @ W1, x @ W3 -> a, b = np.clip(x @ W1, -60, 60), x @ W3",
    ),
    edit(
        "slope-like-sigmoid",
        "silu has the slope of σ",
        "Far to the right silu(a) is nearly a. What is the slope of silu there?",
        "(1 + a * (1 - s)) -> (1 - s)",
    ),
    edit(
        "factor-a-constant",
        "the factor a of a·σ(a) is a constant",
        "silu(a) = a·σ(a) has two factors that depend on a. What does the product rule give?",
        "(1 + a * (1 - s)) -> a * (1 - s)",
    ),
    edit(
        "slope-terms-exchanged",
        "the slope of silu is σ + silu·(1 - silu)",
        "Differentiate a·σ(a) by the product rule. Which of σ and silu has the slope σ·(1 - σ)?",
        "s * (1 + a * (1 - s)) -> (s + gate * (1 - gate))",
    ),
    edit(
        "slope-without-a",
        "the slope of silu is σ + σ·(1 - σ)",
        "The product rule for a·σ(a) gives two terms. Which factor multiplies the slope of σ?",
        "(1 + a * (1 - s)) -> (1 + (1 - s))",
    ),
    edit(
        "slope-is-silu-and-complement",
        "the slope of silu is silu + (1 - σ)",
        "Far to the left silu is 0. What is its slope there, and what does your formula give?",
        "s * (1 + a * (1 - s)) -> (gate + (1 - s))",
    ),
    edit(
        "slope-second-term-negative",
        "the second term of the slope of silu is -a·σ·(1 - σ)",
        "Differentiate a·σ(a) by the product rule. Does σ rise or fall?",
        "(1 + a * (1 - s)) -> (1 - a * (1 - s))",
    ),
    edit(
        "slope-without-complement",
        "the slope of silu is σ·(1 + a)",
        "Far to the right silu(a) is nearly a. What is its slope there, and what does your formula give?",
        "(1 + a * (1 - s)) -> (1 + a)",
    ),
]


def forward(x, W1, W3, W2):
    return (engine.silu(x @ W1) * (x @ W3)) @ W2


def swiglu_backward(g, x, W1, W3, W2):
    a, b = x @ W1, x @ W3
    s = (1 + np.tanh(a / 2)) / 2
    gate = a * s
    dh = g @ W2.T
    da = dh * b * s * (1 + a * (1 - s))
    db = dh * gate
    dx = da @ W1.T + db @ W3.T
    return dx, x.T @ da, x.T @ db, (gate * b).T @ g
