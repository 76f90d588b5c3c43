"""The same colour can be computed from the back. Let R_i be the colour seen behind sample i. Behind the last sample
there is nothing, and each sample covers a part of what is behind it:

    R_n = 0,    R_(i-1) = alpha_i c_i + (1 - alpha_i) R_i,    out = R_0

Writing out this linear scan gives the sum of the task. The backward of the scan runs from the front, because R_0 is the
output. The gradient of R_(i-1) is T_i g: it starts as g, and each step multiplies it by 1 - alpha_i. Sample i enters
only the step from R_i to R_(i-1), so

    dc_i     = T_i alpha_i g
    dalpha_i = T_i g · (c_i - R_i)

A larger alpha_i shows more of c_i and less of R_i. If the colour c_i equals what is behind it, alpha_i has no effect.
Behind an opaque sample, T is 0, so all gradients are 0. The opaque sample itself has a gradient, because a smaller
alpha would show R_i.

The sum of the task gives the same result. In this sum, alpha_i occurs in the term of sample i. It also occurs in each
later term T_j alpha_j c_j, because T_j contains 1 - alpha_i. The derivative of a later term with respect to alpha_i is

    -T_j alpha_j c_j / (1 - alpha_i)

For an opaque sample this formula is 0/0. The product of the other factors of T_j is finite, and R_i contains this
product without a division.

The code needs only the numbers g · c_i and g · R_i, so one number is carried from the back to the front.

Cost: O(n) operations and n numbers for T, like the forward. Only alpha and the colours are saved.

PyTorch: `torch.cumprod` saves its input and its result, and its gradient is right even if a factor 1 - alpha is 0. With
the product written as `exp(cumsum(log(1 - alpha)))`, an alpha of 1 gives a NaN among the gradients. The kernels of
Gaussian splatting do not use autograd within a pixel. They contain a backward like this one, with an atomic addition
for each Gaussian.

Asked next:

- The backward kernel of Gaussian splatting walks from the back to the front and recovers T_i as T_(i+1)/(1 - alpha_i).
  Why may it divide? → Its forward caps alpha at 0.99 and stops before T falls below 0.0001. So no divisor is below
  0.01, and no T has underflowed. The forward saves the last T of each pixel instead of n values.
- alpha comes from a density: alpha = 1 - exp(-σ δ), with the length δ of the interval. What is dσ? → dσ = dalpha · δ ·
  (1 - alpha). Then T_i = exp(-Σ_(j < i) σ_j δ_j), which contains a cumulative sum instead of a product.
- A background colour b is visible through all samples. What changes? → R_n is b instead of 0, so the carried number
  starts at g · b. The gradient of b is T_(n+1) g, with T_(n+1) the product of all 1 - alpha_j.
- Why does a sample behind an opaque surface never learn? → Its T is 0, so dc and dalpha are both 0. The surface must
  become transparent first. The gradient of its alpha compares c_i with R_i. So the surface becomes transparent only if
  the colour behind it fits better.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, uniform

HINTS = (
    "A sample becomes more opaque. What does the pixel show more of, and what does it show less of?",
    (
        "Let R_i be the colour seen behind sample i. Then out depends on alpha_i through alpha_i c_i + (1 - alpha_i) "
        "R_i. This colour enters out with the factor T_i. Carry R from the back to the front."
    ),
    (
        "Carry the number `behind` = g · R_i. dalpha_i is T_i times a difference. Then update `behind = alpha[i] * ... "
        "+ ...`."
    ),
)
# T falls below the smallest positive float64.
DARK = [0.5, *[1 - 1e-15] * 22, 0.5]
CASES = [
    given("alpha[n] color[n,3]", alpha=uniform(0, 1), large=False),
    # Light passes some hundred samples, so each sample depends on as many behind it.
    given("alpha[n] color[n,3]", alpha=uniform(0, 0.01), large={"n": 60_000}, note="faint samples"),
    given("alpha[9] color[9,3]", alpha=uniform(0, 0.3), large=False, note="nine faint samples"),
    given("alpha[1] color[1,3]", alpha=uniform(0.2, 0.8), large=False, note="one sample"),
    given(
        "alpha[4] color[4,3]",
        alpha=[0.5, 1.0, 0.25, 0.0],
        color=[[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 1, 3]],
        note="an opaque sample and an invisible one",
    ),
    given(
        "alpha[4] color[4,3]",
        alpha=[0.25, 1.0, 1.0, 0.5],
        color=[[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 1, 3]],
        note="two opaque samples",
    ),
    given(
        "alpha[4] color[4,3]",
        alpha=[0.75, 0.999, 0.999, 0.5],
        color=[[1.0, 0, 2], [0, 1, 1], [2, 1, 0], [1, 1, 3]],
        large=False,
        note="almost no light left",
    ),
    given("alpha[24] color[24,3]", alpha=DARK, smooth=False, large=False, note="light that underflows"),
    given("alpha[n] color[n,3]", alpha=0.0, large=False, note="only invisible samples"),
    given("alpha[n] color[n,3]", alpha=1.0, large=False, note="only opaque samples"),
]
MISTAKES = [
    edit(
        "transmittance-constant",
        "alpha_i affects only the weight of its own colour",
        "A more opaque sample shows more of its own colour. How much do the samples behind it show then?",
        "T[i] * (seen[i] - behind) -> T[i] * seen[i]",
    ),
    edit(
        "own-alpha-in-T",
        "a sample dims itself",
        "How much light reaches the first sample?",
        "T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]]) -> T = passed",
    ),
    edit(
        "behind-contains-itself",
        "the colour behind a sample contains the sample's own colour",
        "For the last sample, what is seen behind it? Which of the two updates in your loop must come first?",
        "T[i] * (seen[i] - behind) -> T[i] * (seen[i] - (alpha[i] * seen[i] + (1 - alpha[i]) * behind))",
    ),
    edit(
        "colour-without-alpha",
        "the weight of the colour c_i is T_i",
        "Which factor besides T does c_i have in out?",
        "np.outer(T * alpha, g) -> np.outer(T, g)",
    ),
    edit(
        "behind-undimmed",
        "the samples behind sample i do not dim one another",
        "Two opaque samples are behind sample i. Which of the two shows if you look through sample i?",
        "alpha[i] * seen[i] + (1 - alpha[i]) * behind -> alpha[i] * seen[i] + behind",
    ),
    edit(
        "next-sample-only",
        "a sample hides only the one behind it",
        "Sample 1 becomes more opaque. What happens to the light that reaches sample 3?",
        "alpha[i] * seen[i] + (1 - alpha[i]) * behind -> alpha[i] * seen[i]",
    ),
]


def forward(alpha, color):
    passed = engine.cumprod(1 - alpha, axis=0)
    T = engine.concatenate([np.ones(1), passed[:-1]], axis=0)
    return engine.matmul(T * alpha, color)


def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = T[i] * (seen[i] - behind)
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "divides-by-1-minus-alpha",
    "the factor 1 - alpha_i can always be divided out",
    "If a sample is opaque, by which number does your code divide?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen = color @ g
    parts = T * alpha * seen
    later = np.cumsum(parts[::-1])[::-1] - parts
    return T * seen - later / (1 - alpha), np.outer(T * alpha, g)


@mistake(
    "clamped-divisor",
    "a divisor of 0 may be replaced, because no light reaches the samples behind an opaque one",
    "Make the opaque sample a little less opaque. What does the pixel then show that your code leaves out?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen = color @ g
    parts = T * alpha * seen
    later = np.cumsum(parts[::-1])[::-1] - parts
    return T * seen - later / np.maximum(1 - alpha, alpha.dtype.type(1e-6)), np.outer(T * alpha, g)


@mistake(
    "stops-early",
    "samples that get almost no light have no gradient",
    "Does this forward stop at an opaque sample? What would the pixel show if that sample became less opaque?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen, behind = color @ g, 0.0
    dalpha, lit = np.zeros_like(alpha), T >= 1e-4
    for i in reversed(range(len(alpha))):
        if lit[i]:
            dalpha[i] = T[i] * (seen[i] - behind)
            behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * lit * alpha, g)


@mistake(
    "hides-undivided",
    "the derivative of T_j with respect to alpha_i is -T_j",
    "T_j is a product that contains the factor 1 - alpha_i. What is left of T_j if you differentiate this factor?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen = color @ g
    parts = T * alpha * seen
    later = np.cumsum(parts[::-1])[::-1] - parts
    return T * seen - later, np.outer(T * alpha, g)


@mistake(
    "front-for-behind",
    "alpha_i dims the samples in front of it",
    "Which samples have the factor 1 - alpha_i in their T?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen, front = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in range(len(alpha)):
        dalpha[i] = T[i] * (seen[i] - front)
        front = alpha[i] * seen[i] + (1 - alpha[i]) * front
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "back-to-front",
    "the first sample is the one farthest away",
    "In which order does the task number the samples? Which sample has T = 1?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha[::-1])[::-1]
    T = np.concatenate([passed[1:], np.ones(1, alpha.dtype)])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in range(len(alpha)):
        dalpha[i] = T[i] * (seen[i] - behind)
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "sums-over-all-pairs",
    "each sample needs a sum of its own over the samples behind it",
    "You know the colour seen behind sample i. How does the colour seen behind sample i - 1 follow from it?",
)
def alpha_composite_backward(g, alpha, color):
    left, seen = 1 - alpha, color @ g
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(left)[:-1]])
    dalpha = T * seen
    for i in range(len(alpha) - 1):
        between = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(left[i + 1 : -1])])
        dalpha[i] -= T[i] * (between * alpha[i + 1 :]) @ seen[i + 1 :]
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "own-alpha-throughout",
    "a sample dims its own colour",
    "How much light reaches the first sample? With alpha_1 = 1, which colour should the pixel show?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.cumprod(1 - alpha)
    before = np.concatenate([np.ones(1, alpha.dtype), T[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = before[i] * ((1 - 2 * alpha[i]) * seen[i] - behind)
        behind = (1 - alpha[i]) * (alpha[i] * seen[i] + behind)
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "behind-undimmed-by-front",
    "the samples in front of sample i do not dim the samples behind sample i",
    "Sample 1 is opaque. Does the pixel change if sample 2 becomes more opaque?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = T[i] * seen[i] - behind
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "light-forgotten",
    "every sample gets the full light",
    "Sample 1 is opaque. Does the pixel change if sample 2 becomes more opaque?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = seen[i] - behind
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "hides-everything",
    "alpha_i dims every sample",
    "Do the samples in front of sample i get less light if sample i becomes more opaque?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen = color @ g
    return T * (seen - (T * alpha * seen).sum()), np.outer(T * alpha, g)


@mistake(
    "exponential-light",
    "the light that reaches sample i is exp(-Σ alpha)",
    "Write out T_3 from the task. Which product is it?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.exp(-np.concatenate([np.zeros(1, alpha.dtype), np.cumsum(alpha)[:-1]]))
    seen = color @ g
    parts = T * alpha * seen
    later = np.cumsum(parts[::-1])[::-1] - parts
    return T * seen - later, np.outer(T * alpha, g)


@mistake(
    "own-part-in-suffix",
    "the part of sample i itself becomes darker with alpha_i, like the parts behind it",
    "Which samples have the factor 1 - alpha_i in their T? Is sample i one of them?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen = color @ g
    later = np.cumsum((T * alpha * seen)[::-1])[::-1]
    return T * seen - later / np.where(alpha < 1, 1 - alpha, 1), np.outer(T * alpha, g)


@mistake(
    "brighter-behind",
    "more opacity makes the samples behind brighter",
    "If sample i becomes more opaque, do the samples behind it get more light or less?",
)
def alpha_composite_backward(g, alpha, color):
    T = np.concatenate([np.ones(1, alpha.dtype), np.cumprod(1 - alpha)[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = T[i] * (seen[i] + behind)
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "light-from-the-back",
    "every T_i follows from the last one by a division",
    "The product of all 1 - alpha underflows to 0. Which T does your code then get for the first sample?",
)
def alpha_composite_backward(g, alpha, color):
    opaque = np.flatnonzero(alpha == 1)
    k = int(opaque[0]) if len(opaque) else len(alpha) - 1
    T, light = np.zeros_like(alpha), np.prod(1 - alpha[:k])
    for i in reversed(range(k + 1)):
        light = light / (1 - alpha[i]) if i < k else light
        T[i] = light
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        dalpha[i] = T[i] * (seen[i] - behind)
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)


@mistake(
    "opaque-hides-all",
    "the colour behind an opaque sample has no part in dalpha of that sample",
    "Make the opaque sample a little less opaque. What does the pixel then show that your code leaves out?",
)
def alpha_composite_backward(g, alpha, color):
    passed = np.cumprod(1 - alpha)
    T = np.concatenate([np.ones(1, alpha.dtype), passed[:-1]])
    seen, behind = color @ g, 0.0
    dalpha = np.empty_like(alpha)
    for i in reversed(range(len(alpha))):
        behind = behind if alpha[i] < 1 else 0.0
        dalpha[i] = T[i] * (seen[i] - behind)
        behind = alpha[i] * seen[i] + (1 - alpha[i]) * behind
    return dalpha, np.outer(T * alpha, g)
