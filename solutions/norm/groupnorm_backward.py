"""Put the elements of one sample and one group into a row. Group norm is layer norm on these rows, so dx follows the
same rule. Let h be the gradient of xhat, r = 1/√(var + eps), and take the means along the row:

    dx = r (h - mean(h) - xhat · mean(h xhat))

The term mean(h) comes from the path through the mean, and the last term from the path through the variance.

The gradients of the parameters do not follow the groups. gamma and beta belong to channels, and each pair serves all
samples and all positions. So dgamma_c = Σ g·xhat and dbeta_c = Σ g, with the sums over the samples and the positions of
channel c.

gamma differs within a row, because a row contains several channels. Hence h = g·gamma must be formed before the means
are taken. In batch norm, gamma is constant along the axis of the means, so the multiplication by gamma can wait until
the end.

One reshape from (N, C, L) to (N, G, C/G·L) forms the rows, because neighbouring channels of a sample are neighbours in
memory. A reshape back gives xhat and dx the shape of x.

Cost: six sums over the elements and a few products, O(N·C·L), as in the forward. Two of the sums compute mean and
variance again. The forward may save mean and r, which are two numbers per sample and group. Then backward computes xhat
from x with two operations per element. One pass over g and x can compute Σ g and Σ g·x over the positions, for each
sample and channel. These 2·N·C numbers yield dgamma, dbeta and both means of each row, and a second pass writes dx.

PyTorch: `NativeGroupNormBackward0` saves x, gamma, and mean and r of shape (N, G). Its CPU kernel takes the two passes
described above. With bfloat16 x and float32 parameters, mean and r are float32. If C is not divisible by G,
`F.group_norm` raises an error. If N = 1 and each group is a single element, the function raises `Expected more than 1
value per channel when training`. This solution returns dx = 0 there.

Asked next:

- What are G = 1 and G = C called? → With G = C each channel of a sample has its own statistics, which is instance norm.
  G = 1 normalises over channels and positions together. `F.layer_norm` over (C, L) has the same statistics. But
  `F.layer_norm` has a gamma for each channel and position, and group norm has a gamma for each channel.
- Why does group norm need no running averages and no communication? → The statistics come from one sample. So training
  and inference compute the same function, and GPUs with different samples need not exchange sums for dx.
- Adding a constant to a whole group does not move the output. Does dx sum to 0 over each channel? → No. dx sums to 0
  over each group, which is the set of elements that share the mean. Over a single channel, the sum need not be 0.
- x comes in the order (N, L, C), as in channels-last memory. What changes? → The elements of a group are no longer next
  to each other in memory, so one reshape cannot form the rows. Reshape to (N, L, G, C/G) and take the means over axes 1
  and 3.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal

HINTS = (
    "Which elements share a mean with x[n, c, l]? Which elements share gamma[c]?",
    (
        "Reshape x and g·gamma to one row per sample and group. dx follows as in layer norm. dgamma and dbeta are sums "
        "over N and L."
    ),
    "`x.reshape(len(x), G, -1)` gives the rows. Multiply g by `gamma[:, None]` before you reshape it in the same way.",
)
EPS = 1e-5
# Groups of two elements are left out: their dx would be 0 up to eps, and only rounding errors would be left.
CASES = [
    given("x[n,4,3] gamma[4] beta[4]", G=2),
    given("x[n,6,L>=2] gamma[6] beta[6]", G=3, large={"n": 1, "L": 16_000}),
    given("x[n,4,3] gamma[4] beta[4]", G=4, note="instance norm"),
    given("x[n,3,2] gamma[3] beta[3]", G=1, note="one group"),
    given("x[n,6,1] gamma[6] beta[6]", G=2, note="one position"),
    given("x[n,2,1] gamma[2] beta[2]", G=2, note="groups of one element"),
    given("x[n,4,2] gamma[4] beta[4]", x=normal(3, 1e4), G=2, note="an offset of 10,000"),
]


def forward(x, gamma, beta, G):
    return engine.group_norm(x, G, weight=gamma, bias=beta, eps=EPS)


def groupnorm_backward(g, x, gamma, G):
    rows = x.reshape(len(x), G, -1)
    h = (g * gamma[:, None]).reshape(rows.shape)
    rstd = 1 / np.sqrt(rows.var(axis=2, keepdims=True) + EPS)
    xhat = (rows - rows.mean(axis=2, keepdims=True)) * rstd
    along = (h * xhat).mean(axis=2, keepdims=True)
    dx = rstd * (h - h.mean(axis=2, keepdims=True) - xhat * along)
    dgamma = (g * xhat.reshape(x.shape)).sum(axis=(0, 2))
    return dx.reshape(x.shape), dgamma, g.sum(axis=(0, 2))


MISTAKES = [
    edit(
        "eps-after-root",
        "eps is added to the standard deviation, not to the variance",
        "A group has one element, so its variance is 0. By which number does the forward divide, and by which do you?",
        "1 / np.sqrt(rows.var(axis=2, keepdims=True) + EPS) -> 1 / (np.sqrt(rows.var(axis=2, keepdims=True)) + EPS)",
    ),
    edit(
        "divides-by-channels",
        "the two means of a group divide by the number of its channels",
        "How many elements share one mean if a group has 2 channels and 3 positions?",
        "(h * xhat).mean(axis=2, keepdims=True) -> (h * xhat).sum(axis=2, keepdims=True) / (len(gamma) // G)",
        "h - h.mean(axis=2, keepdims=True) -> h - h.sum(axis=2, keepdims=True) / (len(gamma) // G)",
    ),
    edit(
        "divides-by-positions",
        "the two means of a group divide by the number of positions",
        "How many elements share one mean if a group has 2 channels and 3 positions?",
        "(h * xhat).mean(axis=2, keepdims=True) -> (h * xhat).sum(axis=2, keepdims=True) / x.shape[2]",
        "h - h.mean(axis=2, keepdims=True) -> h - h.sum(axis=2, keepdims=True) / x.shape[2]",
    ),
    edit(
        "all-channels",
        "all channels of a sample share one mean and one variance",
        "How many means does one sample have: one or G?",
        "reshape(len(x), G, -1) -> reshape(len(x), 1, -1)",
    ),
    edit(
        "instance-norm",
        "each channel has its own mean and variance",
        "How many channels share one mean if C = 6 and G = 3?",
        "reshape(len(x), G, -1) -> reshape(*x.shape[:2], -1)",
    ),
    edit(
        "gamma-after-mean",
        "the multiplication by gamma can wait until the end",
        "gamma differs between the channels of a group. Is the mean of a product the product of the means?",
        "(g * gamma[:, None]) -> g",
        "return dx.reshape(x.shape), -> return dx.reshape(x.shape) * gamma[:, None],",
    ),
    edit(
        "gamma-missing",
        "gamma does not affect the gradient of x",
        "out is gamma times xhat, plus beta. What is the gradient of xhat if the gradient of out is g?",
        "(g * gamma[:, None]) -> g",
    ),
    edit(
        "stats-constant",
        "mean and variance are constants",
        "If you shift a whole group, the output does not move. Does your dx sum to 0 over the group?",
        "(h - h.mean(axis=2, keepdims=True) - xhat * along) -> h",
    ),
    edit(
        "no-mean-term",
        "the mean is a constant",
        "If you shift a whole group, the output does not move. Does your dx sum to 0 over the group?",
        "- h.mean(axis=2, keepdims=True) - xhat -> - xhat",
    ),
    edit(
        "no-var-term",
        "the variance is a constant",
        "If you double a whole group, the output hardly moves. Is your dx orthogonal to xhat?",
        "keepdims=True) - xhat * along) -> keepdims=True))",
    ),
    edit(
        "sum-not-mean",
        "the two subtracted terms contain sums over the group, not means",
        "If one of m numbers moves by 1, how far does their mean move?",
        "xhat).mean(axis=2 -> xhat).sum(axis=2",
        "h - h.mean( -> h - h.sum(",
    ),
    edit(
        "dgamma-uses-x",
        "gamma multiplies x itself",
        "What does gamma multiply in the forward: x, or the normalised value?",
        "(g * xhat.reshape(x.shape)) -> (g * x)",
    ),
    edit(
        "unbiased",
        "the variance divides by the number of elements minus 1",
        "Read the task again: which variance did the forward use?",
        "rows.var(axis=2, keepdims=True) -> rows.var(axis=2, keepdims=True, ddof=min(rows.shape[2] - 1, 1))",
    ),
    edit(
        "one-pass-variance",
        "mean(x²) - mean(x)² computes the variance accurately",
        "If x is near 10,000, both terms are near 1e8. How many digits of a variance of 9 does the difference keep?",
        "rows.var(axis=2, keepdims=True) -> "
        "np.abs((rows**2).mean(axis=2, keepdims=True) - rows.mean(axis=2, keepdims=True) ** 2)",
    ),
]


@mistake(
    "dgamma-per-group",
    "the channels of a group share gamma",
    "gamma has C entries. Which elements of the output does one entry multiply?",
)
def groupnorm_backward(g, x, gamma, G):
    dx, dgamma, dbeta = gradients(g, x, gamma, x.reshape(len(x), G, -1))
    size = len(gamma) // G
    return dx, dgamma.reshape(G, -1).sum(axis=1).repeat(size), dbeta.reshape(G, -1).sum(axis=1).repeat(size)


@mistake(
    "interleaved",
    "every G-th channel belongs to the same group",
    "The task speaks of neighbouring channels. Which channels form the first group if C = 6 and G = 3?",
)
def groupnorm_backward(g, x, gamma, G):
    order = np.arange(len(gamma)).reshape(-1, G).T.ravel()
    back = np.argsort(order)
    mixed = x[:, order]
    dx, dgamma, dbeta = gradients(g[:, order], mixed, gamma[order], mixed.reshape(len(x), G, -1))
    return dx[:, back], dgamma[back], dbeta[back]


@mistake(
    "statistics-over-batch",
    "the samples of the batch share one mean and one variance",
    "Does the output for one sample change if another sample of the batch changes?",
)
def groupnorm_backward(g, x, gamma, G):
    across = x.swapaxes(0, 1)
    dx, dgamma, dbeta = gradients(
        g.swapaxes(0, 1), across, gamma, across.reshape(1, G, -1), by_channel=lambda a: a[:, None, None], axes=(1, 2)
    )
    return dx.swapaxes(0, 1), dgamma, dbeta


@mistake(
    "channels-only",
    "each position has its own mean and variance",
    "Does one mean serve the channels at one position, or the channels at all positions? What does the task say?",
)
def groupnorm_backward(g, x, gamma, G):
    return per_position(g, x, gamma, G)


@mistake(
    "layer-norm",
    "each position has one mean and one variance over all channels",
    "How many means does one sample have: one for each position, or G?",
)
def groupnorm_backward(g, x, gamma, G):
    return per_position(g, x, gamma, 1)


def per_position(g, x, gamma, G):
    last = x.swapaxes(1, 2)
    rows = last.reshape(-1, G, len(gamma) // G)
    dx, dgamma, dbeta = gradients(g.swapaxes(1, 2), last, gamma, rows, by_channel=lambda a: a, axes=(0, 1))
    return dx.swapaxes(1, 2), dgamma, dbeta


def gradients(g, x, gamma, rows, by_channel=lambda a: a[:, None], axes=(0, 2)):
    h = (g * by_channel(gamma)).reshape(rows.shape)
    rstd = 1 / np.sqrt(rows.var(axis=2, keepdims=True) + EPS)
    xhat = (rows - rows.mean(axis=2, keepdims=True)) * rstd
    dx = rstd * (h - h.mean(axis=2, keepdims=True) - xhat * (h * xhat).mean(axis=2, keepdims=True))
    return dx.reshape(x.shape), (g * xhat.reshape(x.shape)).sum(axis=axes), g.sum(axis=axes)
