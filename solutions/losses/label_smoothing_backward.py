"""Write log_softmax(z)_c = z_c - logsumexp(z). The loss of one row is

    -Σ_c q_c (z_c - logsumexp(z))  =  logsumexp(z) · Σ_c q_c - Σ_c q_c z_c

Each row of q sums to 1, because (1 - eps) + C · eps/C = 1. The gradient of logsumexp is softmax(z), so the gradient of
the row is softmax(z) - q. The smoothed label takes the place of the one-hot label. The mean divides by N, and the chain
rule multiplies by g.

At a wrong class the gradient is p_c - eps/C, which is negative if p_c is below eps/C. Descent then raises the logit of
a wrong class. Without smoothing this never happens.

The gradient is 0 if softmax(z) = q. Without smoothing no finite logits reach that point, so the logit of the label
grows without bound. With smoothing, the label's logit stops at a finite distance above the others:

    log((1 - eps + eps/C) / (eps/C))

For C = 1000 and eps = 0.1 this distance is 9.1.

Cost: as without smoothing, one softmax per row. The array q is not needed: subtract eps/C from every entry of softmax,
then 1 - eps at each label. The forward does not need q either. It needs only logsumexp, the label's logit and the mean
of the row's logits.

PyTorch: `F.cross_entropy(..., label_smoothing=eps)` computes two losses from one log-softmax and adds them. One is
`nll_loss`, weighted with 1 - eps. The other is minus the sum of the log-probabilities, weighted with eps/C. With class
weights w, the second loss weights log p_c with w_c. Both losses are divided by the sum of the labels' weights. Ignored
rows are left out of both losses.

Asked next:

- Training is perfect, so softmax(z) = q. Is the loss 0? → No. The loss is the entropy of q, which is 1.015 for C = 1000
  and eps = 0.1. To compare runs with different eps, report the loss without smoothing.
- Some implementations give the label 1 - eps and every other class eps/(C - 1). How is this related to the definition
  here? → It is the same smoothing with another eps. To give each other class eps/(C - 1) in the definition here, use
  eps' = eps · C/(C - 1) instead of eps. For C = 2, eps' is twice eps.
- What happens if you train with eps = 1? → The label disappears from q, so the loss pulls every row to the uniform
  distribution. The loss of a row is -(1/C) Σ_c log p_c, and its gradient is p - 1/C.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import below, edit, given, mistake

HINTS = (
    "The label of a row is now a distribution. What does each row of q sum to, and what is the gradient of logsumexp?",
    "One row gives softmax minus q. The mean divides by N, and the chain rule multiplies by g.",
    "Compute softmax into `p`. Subtract `eps / ...` from every entry, then `1 - eps` from the entry of each label.",
)


# If the logits were a few tens apart, the case would test digits of p - 1 that only one order of operations keeps. So
# these logits are hundreds apart.
def hundreds(rng, shape, _):
    return 100.0 * rng.integers(-10, 11, shape)


CASES = [
    given("logits[N,C] y[N]", y=below("C"), eps=0.1, large={"N": 20, "C": 5000}, note="eps=0.1"),
    given("logits[N,C>=2] y[N]", y=below("C"), eps=0.5, note="eps=0.5"),
    given("logits[N,3] y[N]", y=below(3), eps=0.0, large=False, note="no smoothing"),
    given("logits[N,4] y[N]", y=below(4), eps=1.0, large=False, note="eps=1"),
    given("logits[N,C] y[N]", y=below("C"), eps=0.25, logits=hundreds, smooth=False, large=False, note="logits ±1000"),
    given("logits[1,3] y[1]", logits=[[1.0, 2.0, -1.0]], y=[1], eps=0.3, note="one row"),
]
MISTAKES = [
    edit(
        "hard-label",
        "smoothing does not affect the gradient",
        "At which probabilities is your gradient 0? At which probabilities should it be 0?",
        "p -= eps / logits.shape[1] ->",
        "-= 1 - eps -> -= 1",
    ),
    edit(
        "eps-over-C-1",
        "eps is shared among the other classes only",
        "What is q at the label for eps = 0.5 and C = 2? Read the definition again.",
        "p -= eps / logits.shape[1] -> p -= eps / max(logits.shape[1] - 1, 1)",
        "-= 1 - eps -> -= 1 - eps - eps / max(logits.shape[1] - 1, 1)",
    ),
    edit(
        "scaled",
        "smoothing only makes the gradient smaller",
        "With eps = 1 the labels do not matter any more. Is the gradient 0 then?",
        "p -= eps / logits.shape[1] ->",
        "-= 1 - eps -> -= 1",
        "return p -> return (1 - eps) * p",
    ),
    edit(
        "no-uniform-part",
        "smoothing changes q only at the label",
        "What does each row of your q sum to? What does each row of your gradient sum to?",
        "p -= eps / logits.shape[1] ->",
    ),
    edit(
        "not-shared",
        "every class gets all of eps",
        "What does each row of your q sum to?",
        "p -= eps / logits.shape[1] -> p -= eps",
    ),
    edit(
        "label-keeps-1",
        "the uniform part is added to a full one-hot label",
        "What does each row of your q sum to?",
        "-= 1 - eps -> -= 1",
    ),
    edit(
        "exchanged",
        "eps is the share that stays with the label",
        "With eps = 0 the loss is the ordinary cross-entropy. What is your q then?",
        "p -= eps / logits.shape[1] -> p -= (1 - eps) / logits.shape[1]",
        "-= 1 - eps -> -= eps",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the batch",
        "If every row is in the batch twice, should the gradient of a row stay the same?",
        "(g / len(y)) -> g",
    ),
    edit(
        "divide-by-NC",
        "the mean runs over rows and classes",
        "How many terms does the mean have: one for each row, or one for each logit?",
        "(g / len(y)) -> (g / logits.size)",
    ),
    edit(
        "no-max-shift",
        "exp of a logit cannot overflow",
        "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
        "logits - logits.max(axis=1, keepdims=True) -> logits",
    ),
    edit(
        "label-without-share",
        "the label's own class gets no part of eps",
        "In the task's formula for q, to which classes does the term eps/C apply? What does each row of your q sum to?",
        "-= 1 - eps -> -= 1 - eps - eps / logits.shape[1]",
    ),
    edit(
        "softmax-scaled",
        "the softmax term has the factor 1 - eps",
        "With eps = 1, q is uniform. At which probabilities must the gradient then be 0?",
        "p -= eps / logits.shape[1] -> p *= 1 - eps; p -= eps / logits.shape[1]",
    ),
    edit(
        "label-without-share-in-q",
        "the label's own class gets no part of eps",
        "Do the numbers q of a row sum to 1?",
        "p -= eps / logits.shape[1] -> share = eps / logits.shape[1]; p *= 1 - share; p -= share",
        "-= 1 - eps -> -= 1 - eps - share",
    ),
]


def forward(logits, y, eps):
    return engine.cross_entropy(logits, y, label_smoothing=eps)


def label_smoothing_backward(g, logits, y, eps):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    p -= eps / logits.shape[1]
    p[np.arange(len(y)), y] -= 1 - eps
    return p * (g / len(y))


@mistake(
    "epsilon-in-log",
    "a small number may be added to p in log p",
    "A class has the probability 0. What is q/(p + 1e-8) times p, and what should it be?",
)
def label_smoothing_backward(g, logits, y, eps):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    q = np.full_like(p, eps / logits.shape[1])
    q[np.arange(len(y)), y] += 1 - eps
    dp = -q / (p + 1e-8)
    return p * (dp - (dp * p).sum(axis=1, keepdims=True)) * (g / len(y))


@mistake(
    "jacobian",
    "multiplying by the Jacobian requires building it",
    "How many entries does the Jacobian of a row of 50,000 logits have? How many numbers do you return?",
)
def label_smoothing_backward(g, logits, y, eps):
    p = np.exp(logits - logits.max(axis=1, keepdims=True))
    p = p / p.sum(axis=1, keepdims=True)
    C = logits.shape[1]
    target = np.full_like(logits, eps / C)
    target[np.arange(len(y)), y] += 1 - eps
    J = np.eye(C, dtype=p.dtype) - p[:, None, :]
    return -g * (target[:, None, :] @ J)[:, 0] / len(y)
