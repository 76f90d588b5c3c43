"""Fix the choice. The k weights of a token are its scores divided by their sum, times a constant. Each score acts in
two ways: through its own numerator and through the common denominator Z.

    ∂w_i/∂s_j = scale · (1[i = j]/Z - s_i/Z²)

Here 1[i = j] is 1 for i = j and 0 otherwise. Multiply by g_i and sum over the chosen i:

    ds_j = scale/Z · (g_j - Σ_i g_i s_i/Z)    for chosen j, and 0 otherwise

The sum over i is the mean of g, weighted by the normalised scores. The sigmoid is elementwise, with slope s(1 - s):

    dlogits = ds · s · (1 - s)

The bias only decides which experts are chosen, and a small change of the bias changes no choice. The bias does not
appear in w, so it has no gradient.

Two checks follow. Multiplying all scores by a factor changes no weight, so Σ_j ds_j s_j = 0. With k = 1, w is always
`scale`, so dlogits is 0.

Cost: O(N·E) for the sigmoid, and a choice of k experts per token, for which the code sorts each row. The gradient has
at most N·k nonzero elements, each with a few operations. The forward can save the chosen indices and their scores.

PyTorch: model code selects with `topk(s + bias)` and then reads the weights with `s.gather(1, indices)`. The indices
are integers, so the bias gets no gradient, even if it is a parameter. `SigmoidBackward0` saves the scores, and the
backward of `gather` scatters into zeros. The DeepSeek-V3 model of Hugging Face first chooses groups of experts and then
routes this way. It adds 1e-20 to Z.

Asked next:

- How is the bias set without a gradient? → After each step, a rule lowers the bias of overloaded experts by a fixed
  amount and raises the bias of the others. Balance then needs no extra loss that competes with the main loss.
- A router takes a softmax over all logits, keeps the k largest probabilities, and divides them by their sum. What is
  the gradient? → The gradient is the same as for a softmax over the k chosen logits. The other logits cancel in the
  division.
- What goes wrong if the biased scores are the weights? → The weights then depend on the load of the experts. A token's
  output changes whenever the rule moves the bias, although no input and no weight of the model has changed.
- Which logits learn slowly with a sigmoid? → Saturated logits learn slowly. If a chosen score is near 1, the factor 1 -
  s is near 0, even if the expert has the wrong share of Z. A softmax has no such factor, because only differences of
  logits matter.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given

HINTS = (
    "With the choice fixed, in which two ways does a score affect the weights? Does the bias appear in the weights?",
    (
        "ds = scale/Z · (g - the mean of g, weighted by s/Z) at the chosen experts. Then multiply by the slope of the "
        "sigmoid."
    ),
    (
        "Make a mask that is 1 for the chosen experts and 0 elsewhere. With q = mask · s / Z, the gradient is scale * "
        "(g - ...) * q * (1 - s)."
    ),
)
WRT = ("logits",)
CASES = [
    given("logits[6,5] bias[5]", k=2, scale=2.5, note="two of five experts"),
    given("logits[4,3] bias[3]", k=1, scale=1.5, large=False, note="one expert per token"),
    given("logits[3,3] bias[3]", k=3, scale=2.0, large=False, note="all experts"),
    given("logits[3,4] bias[4]", bias=[5.0, -5.0, 3.0, 0.0], k=2, scale=1.0, large=False, note="the bias decides"),
    given(
        "logits[2,4] bias[4]",
        logits=[[0.5, 0.5, 0.5, 0.5], [1.0, -1.0, 1.0, 1.0]],
        bias=0.0,
        k=2,
        scale=2.5,
        smooth=False,
        note="equal scores",
    ),
    given(
        "logits[3,3] bias[3]",
        logits=[[1000.0, 0.5, -60.0], [-50.0, -51.0, 2.0], [800.0, 900.0, -1.0]],
        bias=[0.0, 0.0, -3.0],
        k=2,
        scale=1.5,
        smooth=False,
        note="saturated scores",
    ),
]
MISTAKES = [
    edit(
        "bias-in-weights",
        "the biased scores are also the weights",
        "What does the bias decide: which experts are chosen, or how much each of them counts?",
        "kept = np.where(mask, s, 0) -> kept = np.where(mask, s + bias, 0)",
    ),
    edit(
        "bias-ignored",
        "the experts with the largest scores are chosen",
        "Which sum decides the choice? Which argument does your code never use?",
        "np.argsort(-(s + bias), -> np.argsort(-s,",
    ),
    edit(
        "bias-on-logits",
        "the bias is added before the sigmoid",
        "Is the bias added to a logit or to a score?",
        "-(s + bias) -> -(logits + bias)",
    ),
    edit(
        "normaliser-constant",
        "the denominator Z is a constant",
        "With k = 1, w is always `scale`. Is your gradient 0?",
        "(g - (g * q).sum(axis=1, keepdims=True)) -> g",
    ),
    edit(
        "all-experts",
        "Z is the sum of all scores",
        "Does w change if the score of an expert that was not chosen changes?",
        "q = kept / kept.sum(axis=1, keepdims=True) -> q = kept / s.sum(axis=1, keepdims=True)",
    ),
    edit(
        "unchosen-get-gradient",
        "every expert is chosen",
        "Move the score of an expert that was not chosen. Does w move?",
        "kept = np.where(mask, s, 0) -> kept = s",
    ),
    edit(
        "no-scale",
        "the factor `scale` belongs to a later step",
        "By how much does w move if s/Z moves by 1?",
        "return scale * -> return",
    ),
    edit(
        "sigmoid-skipped",
        "the gradient of the scores is also the gradient of the logits",
        "The forward took two steps. What is the slope of the sigmoid?",
        "* q * (1 - s) -> * mask / kept.sum(axis=1, keepdims=True)",
    ),
    edit(
        "softmax-router",
        "the weights are a softmax over the chosen logits",
        "A softmax takes exp(z), whose slope is exp(z) itself. What is the slope of the score s = σ(z)?",
        "* q * (1 - s) -> * q",
    ),
    edit(
        "bias-gradient",
        "the bias is a parameter, so it has a gradient",
        "Move the bias a little, so that the choice stays the same. Does w move?",
        "return scale -> d = scale",
        "* q * (1 - s) -> * q * (1 - s); return d, d.sum(axis=0)",
    ),
    edit(
        "sigmoid-overflows",
        "e^z / (1 + e^z) is safe to compute",
        "At a logit of 1000, what are the numerator and the denominator?",
        "s = ... -> e = np.exp(logits); s = e / (1 + e)",
    ),
    edit(
        "exp-of-a-large-logit",
        "exp(z) is finite for every logit z",
        "At a logit of 1000, what is exp(z)? What is infinity divided by infinity?",
        "s = ... -> e = np.exp(logits); s = e / (1 + e)",
        "return ... -> d = scale * (g - np.where(mask, g * q, 0).sum(axis=1, keepdims=True)) * q * (1 - s); "
        "return np.where(mask, d, 0)",
    ),
    edit(
        "ties-to-the-last",
        "if scores are equal, the expert with the higher index comes first",
        (
            "All scores of a token are equal, and k = 2. Which experts does the task choose? Which experts does your "
            "code choose?"
        ),
        "chosen = ... -> chosen = np.argsort(s + bias, axis=1, kind='stable')[:, ::-1][:, :k]",
    ),
    edit(
        "sum-over-all-experts",
        "the sum of g · s / Z runs over all experts",
        "An expert outside S_n has w = 0. Does its g affect the gradients of the other experts?",
        "(g * q).sum(axis=1, keepdims=True) -> (g * s).sum(axis=1, keepdims=True) / kept.sum(axis=1, keepdims=True)",
    ),
    edit(
        "smallest-scores",
        "argsort puts the largest score first",
        "What does `np.argsort([3, 1, 2])` return? Which experts are its first k?",
        "np.argsort(-(s + bias), -> np.argsort(s + bias,",
    ),
    edit(
        "one-expert-too-few",
        "the k-th expert is not chosen",
        "With k = 2, how many experts does your slice take?",
        "[:, :k] -> [:, : k - 1]",
    ),
    edit(
        "one-expert-too-many",
        "the first k + 1 experts are chosen",
        "With k = 2, how many experts does your slice take?",
        "[:, :k] -> [:, : k + 1]",
    ),
    edit(
        "all-at-least-the-kth",
        "all experts whose score is at least the k-th largest are chosen",
        "All four scores of a token are equal, and k = 2. How many experts does your code choose?",
        "np.put_along_axis(mask, chosen, True, axis=1) -> "
        "mask = s + bias >= np.take_along_axis(s + bias, chosen[:, -1:], 1)",
    ),
    edit(
        "scale-in-sum-twice",
        "the sum in the quotient rule contains `scale` once more",
        "w is linear in `scale`. By which power of `scale` may each term of your gradient be multiplied?",
        "(g * q).sum(axis=1, keepdims=True) -> scale * (g * q).sum(axis=1, keepdims=True)",
    ),
    edit(
        "complement-of-weight",
        "the slope of the sigmoid contains the normalised score s/Z",
        "Is s or s/Z the output of the sigmoid? Which of these does the slope σ' contain?",
        "(1 - s) -> (1 - q)",
    ),
    edit(
        "not-divided-by-Z",
        "apart from the change of Z, s/Z has the slope 1",
        "If all scores of a token double, w stays the same. By which factor must the slope of w change?",
        "* q * (1 - s) -> * kept * (1 - s)",
    ),
    edit(
        "own-weight-only",
        "each weight depends only on its own score",
        "Raise the score of one chosen expert. What happens to the weights of the other chosen experts?",
        "(g - (g * q).sum(axis=1, keepdims=True)) -> g * (1 - q)",
    ),
    edit(
        "normalised-over-tokens",
        "Z sums over the tokens",
        "Z_n belongs to token n. Over which axis does the sum Z_n run?",
        "kept.sum(axis=1, keepdims=True) -> np.maximum(kept.sum(axis=0, keepdims=True), 1e-30)",
    ),
    edit(
        "bias-subtracted",
        "a larger bias makes an expert less likely",
        "Which sign does bias_e have in the task?",
        "-(s + bias) -> -(s - bias)",
    ),
    edit(
        "mean-for-Z",
        "Z is the number of chosen experts",
        "Do the weights of a token sum to `scale` in your code?",
        "kept / kept.sum(axis=1, keepdims=True) -> kept / k",
    ),
    edit(
        "biased-weights-differentiated",
        "the weights and their sum are computed from s + bias",
        "What does the bias decide: which experts are chosen, or how much each of them counts?",
        "kept = np.where(mask, s, 0) -> kept = np.where(mask, s + bias, 0)",
        "* q * (1 - s) -> * mask * s * (1 - s) / kept.sum(axis=1, keepdims=True)",
    ),
    edit(
        "biased-sum",
        "Z is the sum of the scores with their bias",
        "What does the bias decide: which experts are chosen, or what the weights are divided by?",
        "kept / kept.sum(axis=1, keepdims=True) -> kept / np.where(mask, s + bias, 0).sum(axis=1, keepdims=True)",
    ),
]


def forward(logits, bias, k, scale):
    s = engine.sigmoid(logits)
    _, chosen = engine.topk(s + bias, k)
    kept = engine.take_along_axis(s, chosen, 1)
    w = scale * kept / kept.sum(axis=1, keepdims=True)
    return engine.scatter_add(engine.zeros_like(s), 1, chosen, w)


def sigmoid_router_backward(g, logits, bias, k, scale):
    s = np.exp(-np.logaddexp(0, -logits))
    chosen = np.argsort(-(s + bias), axis=1, kind="stable")[:, :k]
    mask = np.zeros(s.shape, bool)
    np.put_along_axis(mask, chosen, True, axis=1)
    kept = np.where(mask, s, 0)
    q = kept / kept.sum(axis=1, keepdims=True)
    return scale * (g - (g * q).sum(axis=1, keepdims=True)) * q * (1 - s)
