"""Each element has its own term. Write r = (mu - y)/var. The slopes of the term are

    for mu:   (1/2) · 2(mu - y)/var  =  r
    for var:  (1/2) (1/var - (y - mu)²/var²)  =  (1/var - r²)/2

Multiply both by g/n. The 1/2 cancels the factor 2 of the square in the first slope, but it stays in the second slope.

The variance occurs twice. The logarithm pulls it down, and the squared error pushes it up. The two effects cancel at
var = (y - mu)², so the slope is 0 there. Without the logarithm, an infinite variance would give the smallest loss.

The slope with respect to mu is the slope of half the squared error, divided by the variance. So the model itself
weights the errors. If the predicted variance of an element is large, the gradient of its mu is small.

Cost: two divisions and five other operations per element. Unlike the forward, the backward needs no logarithm. The
three inputs are saved.

PyTorch: `F.gaussian_nll_loss(mu, y, var)` is written in Python and leaves the backward to autograd. The targets are its
second argument. Variances below eps = 1e-6 are replaced by eps under `no_grad`, so they still get a gradient: the slope
at eps. The constant log(2π)/2 is left out unless `full=True`. Negative variances raise a `ValueError`.

Asked next:

- The model predicts l = log var instead of var. What is the gradient of l? → The chain rule multiplies dvar by var, so
  the slope is (1 - (y - mu)²/var)/2. This slope is never larger than 1/2, and no constraint on l is needed. Descent
  raises l fast if the error is large.
- The model fits a training example exactly. What happens to the variance of this example? → The slope with respect to
  var is 1/(2 var). This slope is positive, so the variance falls towards 0 and the loss towards -∞. Set a lower limit
  for the variance.
- Elements with a large error get a large variance, and their mean then learns slowly. Which loss avoids this? → The
  β-NLL (Seitzer et al., 2022) multiplies each term by var^β with a stopped gradient and 0 < β ≤ 1. For β = 1, dmu is
  the gradient of half the squared error.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake, normal, uniform

HINTS = (
    "Where does the variance occur in the loss? Which sign does the slope of each term have?",
    (
        "The slope with respect to mu is the error divided by var. For the slope with respect to var, subtract the "
        "squared error over var² from 1/var, and take half of the difference."
    ),
    (
        "Let r be the slope with respect to mu. Then `dvar` is `g / (2 * mu.size)` times a difference that contains "
        "`r**2`."
    ),
)
WRT = ("mu", "var")
CASES = [
    given("mu[n,m] var[n,m] y[n,m]", var=uniform(0.3, 2)),
    given("mu[n] var[n] y[n]", var=uniform(1e-4, 2e-4), large=False, note="small variances"),
    given("mu[k,n,2] var[k,n,2] y[k,n,2]", var=uniform(5e3, 1e4), mu=normal(50), large=False, note="large variances"),
    given(
        "mu[4] var[4] y[4]",
        mu=[1.0, 0.0, 2.0, -1.0],
        var=[1.0, 4.0, 1.0, 0.25],
        y=[2.0, 2.0, 2.0, -1.5],
        note="var equal to the squared error",
    ),
    given("mu[] var[] y[]", var=uniform(0.3, 2), large=False, note="one number"),
]


def forward(mu, var, y):
    return (0.5 * (engine.log(var) + (y - mu) ** 2 / var)).mean()


def gaussian_nll_backward(g, mu, var, y):
    r = (mu - y) / var
    scale = g / mu.size
    return scale * r, scale / 2 * (1 / var - r**2)


MISTAKES = [
    edit(
        "var-one-term",
        "only the logarithm depends on the variance",
        "In which two terms does var occur?",
        "1 / var - r**2 -> 1 / var",
    ),
    edit(
        "no-log-term",
        "only the quotient depends on the variance",
        "In which two terms does var occur?",
        "1 / var - r**2 -> -(r**2)",
    ),
    edit(
        "var-sign",
        "the slope of 1/var is 1/var²",
        "Does 1/var rise or fall if var rises?",
        "1 / var - r**2 -> 1 / var + r**2",
    ),
    edit(
        "no-half-cancel",
        "the 1/2 remains in the gradient of mu",
        "What is the slope of (mu - y)²? What is half of it?",
        "scale * r -> scale / 2 * r",
    ),
    edit(
        "no-half",
        "the 1/2 cancels in the gradient of var too",
        (
            "The slope of (y - mu)² with respect to mu has a factor of 2. Does the slope of the loss with respect to "
            "var have one too?"
        ),
        "scale / 2 -> scale",
    ),
    edit(
        "one-power",
        "the slope of 1/var is -1/var",
        "What is the slope of 1/u?",
        "r**2 -> r**2 * var",
    ),
    edit(
        "error-not-squared",
        "the gradient of var contains the error, not its square",
        "Replace y by 2 mu - y. The loss stays the same. Does your dvar stay the same?",
        "1 / var - r**2 -> 1 / var - r / var",
    ),
    edit(
        "squared-error",
        "the variance does not weight the error",
        "An element has a variance of 100. Should its error pull as hard as with a variance of 1?",
        "scale * r -> scale * (mu - y)",
    ),
    edit(
        "sign",
        "the error is the target minus the prediction",
        "If mu is above y, must descent raise or lower mu?",
        "mu - y -> y - mu",
    ),
    edit(
        "no-1/N",
        "the loss is a sum over the elements",
        "If every element is in the batch twice, should the gradient of an element stay the same?",
        " / mu.size ->",
    ),
    edit(
        "batch-N",
        "the mean runs over the first axis only",
        "For mu of shape (2, 3), by which number does the mean divide?",
        "mu.size -> (len(mu) if mu.ndim else 1)",
    ),
    edit(
        "of-the-standard-deviation",
        "the second result is the gradient with respect to the standard deviation",
        "Which array does the task ask for: the gradient of the variance, or of its square root?",
        "scale / 2 * (1 / var - r**2) -> scale * var**0.5 * (1 / var - r**2)",
    ),
    edit(
        "last-axis-N",
        "the mean runs over the last axis only",
        "For mu of shape (2, 3), by which number does the mean divide?",
        "mu.size -> (mu.shape[-1] if mu.ndim else 1)",
    ),
    edit(
        "exact-not-counted",
        "an element with y = mu does not count in the mean",
        "An element has y = mu. Does its log var enter the loss? By which number does the mean divide?",
        "mu.size -> max(np.count_nonzero(mu - y), 1)",
    ),
]


@mistake(
    "var-as-std",
    "`var` is the standard deviation",
    "What does the loss divide the squared error by: var or var²?",
)
def gaussian_nll_backward(g, mu, var, y):
    r = (mu - y) / var
    scale = g / mu.size
    return scale * r / var, scale * (1 / var - r**2 / var)


@mistake(
    "log-variance",
    "the gradient with respect to log var is the answer",
    (
        "Your slope with respect to var is multiplied by var. Is the second result the gradient of var or of its "
        "logarithm?"
    ),
)
def gaussian_nll_backward(g, mu, var, y):
    r = (mu - y) / var
    scale = g / mu.size
    return scale * r, scale / 2 * (1 - r**2 * var)


@mistake(
    "clamped",
    "a variance below 1e-3 may be replaced by 1e-3",
    "Some variances are 1e-4. Which variance did the forward use there, and which variance does your code use?",
)
def gaussian_nll_backward(g, mu, var, y):
    var = np.maximum(var, 1e-3)
    r = (mu - y) / var
    scale = g / mu.size
    return scale * r, scale / 2 * (1 / var - r**2)
